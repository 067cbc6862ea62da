"""Queries that can be evaluated graph by graph, recognized by their algebra.

In many queries over many checkpoints, each row is about one named graph, and rows are sorted by graph. The engine
computes and sorts the whole table before it returns the first row. The pattern `GRAPH ?g { … }` is the union of its
solutions in each graph (SPARQL 1.1 §18.6), and two solutions of different graphs cannot be joined where both bind `?g`.
So a query whose patterns all have this form can be evaluated for a few graphs at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_BEYOND = {"Graph", "GraphGraphPattern", "ServiceGraphPattern", "Project", "SubSelect"}
"""Forms that are not allowed inside a graph's pattern: other graphs, and sub-selects with a limit or groups."""
_ELSEWHERE = {"Builtin_EXISTS", "Builtin_NOTEXISTS", "Builtin_NOW"}
"""Expressions whose value depends on the data or on the time."""
_ONE = {"Filter", "Extend", "Distinct", "Reduced", "OrderBy", "AggregateJoin", "ToMultiSet"}
_DIFFERENCES = {"LeftJoin", "Minus"}


class SelectPlan(NamedTuple):
    """The graphs that can have rows of a SELECT, None for all, and its LIMIT."""

    graphs: frozenset[str] | None
    limit: int | None


def plan_of(node: Any) -> SelectPlan | None:
    """Return the plan for the algebra of a SELECT, None if its rows cannot be assigned to graphs."""
    limit = None
    if node.name == "Slice":
        if node.start:
            return None
        node, limit = node.p, node.length
    while node.name in ("Distinct", "Reduced"):
        node = node.p
    columns, node = node.PV, node.p
    if node.name != "OrderBy" or node.expr[0].order == "DESC":
        return None
    variable = node.expr[0].expr
    if not isinstance(variable, str) or variable not in columns or not _is_about_graphs(node, variable):
        return None
    return SelectPlan(_chosen(node.p, variable), limit)


def _is_about_graphs(node: Any, variable: Any) -> bool | None:
    """Return True if each solution of a pattern is from one graph, the value of `variable`.

    The result is None for patterns that use no data, such as VALUES, and False for all others.
    """
    name = node.name
    if name == "Graph":
        return bool(node.term == variable and _BEYOND.isdisjoint(_names(node.p)))
    if name == "values" or (name == "BGP" and not node.triples):
        return None
    own = [part for key, part in dict.items(node) if key not in ("p", "p1", "p2")]
    if not _ELSEWHERE.isdisjoint(_names(own)):  # in an expression of this pattern
        return False
    if name in ("Join", "Union", *_DIFFERENCES):
        left, right = _is_about_graphs(node.p1, variable), _is_about_graphs(node.p2, variable)
        if left is False or right is False:
            return False
        if name == "Join":
            return left or right
        if name in _DIFFERENCES:
            return left if left or not right else False
        return left if left is right else False
    if name == "Project":
        return variable in node.PV and _is_about_graphs(node.p, variable)
    if name == "Group":
        return variable in (node.expr or ()) and _is_about_graphs(node.p, variable)
    return name in _ONE and _is_about_graphs(node.p, variable)


def _names(tree: Any) -> set[str]:
    return {node.name for node in nodes(tree)}


def _chosen(node: Any, variable: Any) -> frozenset[str] | None:
    """Return the graphs that VALUES allows, None for all."""
    if node.name == "values":
        graphs = [row.get(variable, "UNDEF") for row in node.res]
        return None if "UNDEF" in graphs else frozenset(map(str, graphs))
    if node.name == "Join":
        choices = [found for part in (node.p1, node.p2) if (found := _chosen(part, variable)) is not None]
        return frozenset.intersection(*choices) if choices else None
    part = node.p1 if node.name in _DIFFERENCES else node.p if node.name in ("Filter", "Extend", "ToMultiSet") else None
    return None if part is None else _chosen(part, variable)


def nodes(tree: Any, beyond: Collection[str] = ()) -> Iterator[Any]:
    """Yield the named nodes of a parse tree, or of its algebra, not those inside of nodes with a name in `beyond`."""
    from rdflib.plugins.sparql.parserutils import CompValue  # noqa: PLC0415 - its parser takes its time to import

    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, CompValue):
            yield node
            if node.name not in beyond:
                waiting.extend(dict.values(node))
        elif not isinstance(node, str) and hasattr(node, "__iter__"):
            waiting.extend(node)
