"""Queries that can be answered graph by graph: each row tells of one named graph, and rows come in the order of graphs.

Most lists of what many checkpoints hold are such. To the engine they are one big table, to be made and sorted as a
whole before its first row is known. The pattern `GRAPH ?g { … }` is the union of what it finds in each graph (SPARQL
1.1 §18.6), and two solutions of different graphs cannot be joined where both bind `?g`. So the rows of a few graphs
after the other are those of all of them, as long as nothing but such patterns looks at the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pyoxigraph import NamedNode, QuerySolutions

from checkpoint_ld.errors import QueryError
from checkpoint_ld.sparql.guard import PREFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyoxigraph import BlankNode, Store

    from checkpoint_ld.sparql.guard import Checked
    from checkpoint_ld.sparql.result import Row

_PART: Final = 20
"""Graphs that are asked together: fewer, and reading the query again counts; more, and the engine is slower."""
_TRIAL: Final = 500
"""Graphs after which it is seen whether there are rows enough for this to be worth it."""

_BEYOND = {"Graph", "GraphGraphPattern", "ServiceGraphPattern", "Project", "SubSelect"}
"""What may not stand inside of a graph's pattern: other graphs, and tables that are cut or grouped on their own."""
_ELSEWHERE = {"Builtin_EXISTS", "Builtin_NOTEXISTS", "Builtin_NOW"}
"""Expressions whose value depends on more than the solution: the data, or the moment at which they are evaluated."""
_ONE = {"Filter", "Extend", "Distinct", "Reduced", "OrderBy", "AggregateJoin", "ToMultiSet"}
_DIFFERENCES = {"LeftJoin", "Minus"}


@dataclass(frozen=True, slots=True)
class Plan:
    """How to answer a query graph by graph.

    `graphs` are the IRIs of the only graphs that can have rows, None where that may be all. `limit` is its LIMIT.
    """

    graphs: frozenset[str] | None
    limit: int | None


def solutions(store: Store, query: Checked, most: int | None) -> tuple[tuple[str, ...], list[Row]] | None:
    """Return the columns and at most so many rows of a SELECT.

    None is for queries that are better asked at once: those that cannot be answered graph by graph, and those that find
    less than one row in a graph, which the engine's indexes over all graphs find sooner. Raises what the engine raises.
    """
    if query.form != "select" or query.chooses or len(list(islice(store.named_graphs(), _PART + 1))) <= _PART:
        return None
    plan = plan_of(query)
    graphs = [] if plan is None else _graphs(store, plan)
    if plan is None or not graphs:
        return None
    wanted = min((one for one in (most, plan.limit) if one is not None), default=None)
    columns: tuple[str, ...] = ()
    rows: list[Row] = []
    for start in range(0, len(graphs), _PART):
        found = store.query(query.text, prefixes=PREFIXES, named_graphs=graphs[start : start + _PART])
        assert isinstance(found, QuerySolutions)  # noqa: S101 - it is a SELECT
        columns = tuple(one.value for one in found.variables)
        rows.extend(tuple(row) for row in found)
        if wanted is not None and len(rows) >= wanted:
            break
        if start + _PART == _TRIAL and len(rows) < _TRIAL < len(graphs):
            return None
    return columns, rows[:wanted]


def _graphs(store: Store, plan: Plan) -> list[NamedNode | BlankNode]:
    """Return the graphs that can have rows, in the order of SPARQL 1.1 §15.1; none where they have no such order."""
    told = [one for one in store.named_graphs() if plan.graphs is None or one.value in plan.graphs]
    if not all(isinstance(one, NamedNode) for one in told):
        return []
    return sorted(told, key=lambda one: one.value)


def plan_of(query: Checked) -> Plan | None:
    """Return how to answer a SELECT graph by graph, None where its rows cannot be told apart by graph."""
    try:
        node, limit = query.algebra().algebra.p, None
    except QueryError:  # rdflib reads it, but cannot make anything of it: that is for the engine to judge
        return None
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
    return Plan(_chosen(node.p, variable), limit)


def _is_about_graphs(node: Any, variable: Any) -> bool | None:
    """Tell whether all solutions of a pattern are of one graph each, which `variable` names.

    None is said of what looks at no data, such as VALUES, and False of everything that is not known to be either.
    """
    name = node.name
    if name == "Graph":
        return bool(node.term == variable and _BEYOND.isdisjoint(_names(node.p)))
    if name == "values" or (name == "BGP" and not node.triples):
        return None
    if not _ELSEWHERE.isdisjoint(_names(_own(node))):
        return False
    if name in ("Join", "Union", *_DIFFERENCES):
        return _both(name, _is_about_graphs(node.p1, variable), _is_about_graphs(node.p2, variable))
    if name == "Project":
        return variable in node.PV and _is_about_graphs(node.p, variable)
    if name == "Group":
        return variable in (node.expr or ()) and _is_about_graphs(node.p, variable)
    return name in _ONE and _is_about_graphs(node.p, variable)


def _both(name: str, left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    if name == "Join":
        return left or right
    if name in _DIFFERENCES:
        return left if left or not right else False
    return left if left is right else False


def _own(node: Any) -> Iterator[Any]:
    """Yield what is an expression of a node: all of its parts but the patterns that it is made of."""
    return (part for key, part in dict.items(node) if key not in ("p", "p1", "p2"))


def _names(tree: Any) -> Iterator[str]:
    """Yield the names of all nodes in a tree."""
    from rdflib.plugins.sparql.parserutils import CompValue  # noqa: PLC0415 - takes its time to import

    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, CompValue):
            yield one.name
            waiting.extend(dict.values(one))
        elif not isinstance(one, str) and hasattr(one, "__iter__"):
            waiting.extend(one)


def _chosen(node: Any, variable: Any) -> frozenset[str] | None:
    """Return which graphs VALUES lets through, None for all."""
    if node.name == "values":
        told = [row.get(variable, "UNDEF") for row in node.res]
        return None if "UNDEF" in told else frozenset(map(str, told))
    if node.name == "Join":
        return _common(_chosen(part, variable) for part in (node.p1, node.p2))
    part = node.p1 if node.name in _DIFFERENCES else node.p if node.name in ("Filter", "Extend", "ToMultiSet") else None
    return None if part is None else _chosen(part, variable)


def _common(choices: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    told = [one for one in choices if one is not None]
    return frozenset.intersection(*told) if told else None
