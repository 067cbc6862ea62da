"""The merge: what all graphs of a collection say, each statement once, in the default graph of the store.

Queries that name no graph are about it (SPARQL 1.1 §13.1). The store itself could look through all graphs instead, but
finds a statement as often as there are graphs with it, and those of the manifest as well.

A graph is there as a whole before the first of its statements comes into the merge, and until the last one has left it:
so what an interruption leaves in the merge is told by the graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import NamedNode, Quad, QueryBoolean

from checkpoint_ld.collection.entry import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyoxigraph import Store, Triple


def statements(triples: Iterable[Triple]) -> Iterator[Quad]:
    """Yield statements as those of the merge."""
    return (Quad(one.subject, one.predicate, one.object) for one in triples)


def withdrawing(graph: str) -> str:
    """Return the update that takes out of the merge what this graph alone says."""
    name = NamedNode(graph)
    others = f"GRAPH ?other {{ ?s ?p ?o }} FILTER (?other NOT IN ({name}, {MANIFEST}))"
    return f"DELETE {{ ?s ?p ?o }} WHERE {{ GRAPH {name} {{ ?s ?p ?o }} FILTER NOT EXISTS {{ {others} }} }}"


def withdrawing_one(statement: Triple, graph: str) -> str:
    """Return the update that takes one statement of a graph out of the merge, unless another graph says it as well."""
    others = f"GRAPH ?other {{ {statement} }} FILTER (?other NOT IN ({NamedNode(graph)}, {MANIFEST}))"
    return f"DELETE {{ {statement} }} WHERE {{ FILTER NOT EXISTS {{ {others} }} }}"


def lacks(store: Store, graph: str) -> bool:
    """Tell whether the merge lacks something that a graph says."""
    return _ask(store, f"GRAPH {NamedNode(graph)} {{ ?s ?p ?o }} FILTER NOT EXISTS {{ ?s ?p ?o }}")


def complete(store: Store, graph: str) -> None:
    """Put into the merge what it lacks of a graph."""
    store.update(f"INSERT {{ ?s ?p ?o }} WHERE {{ GRAPH {NamedNode(graph)} {{ ?s ?p ?o }} }}")


def has_strays(store: Store) -> bool:
    """Tell whether the merge holds something that no graph says."""
    return _ask(store, _STRAYS)


def clear_strays(store: Store) -> None:
    """Take out of the merge what no graph says."""
    store.update(f"DELETE {{ ?s ?p ?o }} WHERE {{ {_STRAYS} }}")


_STRAYS = f"?s ?p ?o FILTER NOT EXISTS {{ GRAPH ?g {{ ?s ?p ?o }} FILTER (?g != {MANIFEST}) }}"


def _ask(store: Store, pattern: str) -> bool:
    found = store.query(f"ASK {{ {pattern} }}")
    assert isinstance(found, QueryBoolean)  # noqa: S101 - it is an ASK
    return bool(found)
