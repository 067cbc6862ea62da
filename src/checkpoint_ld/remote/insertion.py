"""Insertions: N-Triples as SPARQL updates, for stores that know no other way to take them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pyoxigraph

from checkpoint_ld.remote.spooled import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.remote.spooled import Body

MOST_TRIPLES = 1000
MOST_BYTES = 256 << 10
"""How much one update holds; Virtuoso runs out of memory at twice as much."""
BLANK = "urn:checkpoint-ld:bnode:"


def insertions(graph: str, triples: Body) -> Iterator[str]:
    """Yield updates that add N-Triples to a graph (SPARQL 1.1 Update §3.1.1), each small enough for every store.

    Blank nodes become IRIs that follow from the graph and their label: an update that is sent twice adds nothing.
    """
    name = str(pyoxigraph.NamedNode(graph))
    held: list[str] = []
    size = 0
    for triple in pyoxigraph.parse(opened(triples), format=pyoxigraph.RdfFormat.N_TRIPLES):
        line = f"{_term(triple.subject, graph)} {triple.predicate} {_term(triple.object, graph)} ."
        length = len(line.encode()) + 1
        if held and (len(held) >= MOST_TRIPLES or size + length > MOST_BYTES):
            yield _insertion(name, held)
            held, size = [], 0
        held.append(line)
        size += length
    if held:
        yield _insertion(name, held)


def _insertion(name: str, lines: list[str]) -> str:
    return f"INSERT DATA {{ GRAPH {name} {{\n" + "\n".join(lines) + "\n} }"


def _term(
    term: pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal | pyoxigraph.Triple, graph: str
) -> str:
    if isinstance(term, pyoxigraph.BlankNode):
        return f"<{BLANK}{hashlib.sha256(f'{graph} {term.value}'.encode()).hexdigest()[:32]}>"
    return str(term)
