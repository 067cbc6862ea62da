"""Queries that Oxigraph answers wrongly, and rdflib right.

A path that may have no length, from a term that the graph does not mention, has this term as its end (SPARQL 1.1
§18.4); Oxigraph finds nothing. In `GRAPH ?g { … MINUS { … } }`, both sides are solutions without `?g` (§18.6), and
those that share no variable are kept (§18.5); Oxigraph takes `?g` as a shared variable and drops them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.guard.plans import nodes

if TYPE_CHECKING:
    from collections.abc import Iterator


class PathEnd(NamedTuple):
    """A constant end, a term of rdflib, of a path that may have no length.

    `graph` is the term of the GRAPH clause around it, None in the default graph.
    """

    term: Any
    graph: Any


def path_ends(algebra: Any) -> tuple[PathEnd, ...]:
    """Return the constant ends of the paths that may have no length."""
    return tuple(
        PathEnd(end, graph)
        for node, graph in _within_graphs(algebra)
        if node.name == "BGP"
        for subject, predicate, value in node.triples
        if _may_be_empty(predicate)
        for end in (subject, value)
        if type(end).__name__ in ("URIRef", "Literal")
    )


def _may_be_empty(path: Any) -> bool:
    kind = type(path).__name__
    if kind == "MulPath":
        return bool(path.zero) or _may_be_empty(path.path)
    if kind == "SequencePath":
        return all(map(_may_be_empty, path.args))
    if kind == "AlternativePath":
        return any(map(_may_be_empty, path.args))
    return kind == "InvPath" and _may_be_empty(path.arg)


def keeps_by_minus(algebra: Any) -> bool:
    """Return whether a MINUS inside of `GRAPH ?g` may have sides without a common variable."""
    return any(
        node.name == "Minus" and type(graph).__name__ == "Variable" and not _bound(node.p1) & _bound(node.p2)
        for node, graph in _within_graphs(algebra)
    )


def _within_graphs(algebra: Any) -> Iterator[tuple[Any, Any]]:
    waiting: list[tuple[Any, Any]] = [(algebra, None)]
    while waiting:
        tree, graph = waiting.pop()
        for node in nodes(tree, {"Graph"}):
            yield node, graph
            if node.name == "Graph":
                waiting.append((node.p, node.term))


def _bound(node: Any) -> set[str]:
    """Return the variables that each solution of a pattern binds."""
    name = node.name
    if name == "BGP":
        return {str(term) for triple in node.triples for term in triple if type(term).__name__ == "Variable"}
    if name == "Join":
        return _bound(node.p1) | _bound(node.p2)
    if name == "Union":
        return _bound(node.p1) & _bound(node.p2)
    if name in ("LeftJoin", "Minus"):
        return _bound(node.p1)
    if name == "Graph":
        own = {str(node.term)} if type(node.term).__name__ == "Variable" else set()
        return own | _bound(node.p)
    if name == "values":
        return {
            str(name) for name in (node.res[0] if node.res else ()) if all(row.get(name) != "UNDEF" for row in node.res)
        }
    if name in ("Filter", "Extend", "Distinct", "Reduced", "OrderBy", "Slice", "ToMultiSet"):
        return _bound(node.p)
    return _bound(node.p) & set(map(str, node.PV)) if name == "Project" else set()
