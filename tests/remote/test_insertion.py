"""Updates that insert: the same triples whatever is in them, in parts that every store takes."""

from __future__ import annotations

import pyoxigraph
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.stores.request import MOST_BYTES, MOST_TRIPLES, insertions

GRAPH = "urn:uuid:karenina-checkpoint-1"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def inserted(triples: bytes) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    for text in insertions(GRAPH, triples):
        store.update(text)
    return store


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["", "en", "x"])), max_size=6))
def test_no_text_becomes_syntax(values: list[tuple[str, str]]) -> None:
    subject, predicate = pyoxigraph.NamedNode("urn:s"), pyoxigraph.NamedNode("urn:p")
    literals = {
        pyoxigraph.Literal(text, language="en") if kind == "en" else pyoxigraph.Literal(text, datatype=_datatype(kind))
        for text, kind in values
    }
    triples = [pyoxigraph.Triple(subject, predicate, one) for one in literals]

    store = inserted(pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES) or b"")

    assert {quad.triple for quad in store} == set(triples)
    assert {quad.graph_name for quad in store} <= {pyoxigraph.NamedNode(GRAPH)}


def _datatype(kind: str) -> pyoxigraph.NamedNode | None:
    return pyoxigraph.NamedNode("urn:type") if kind else None


def test_parts_are_as_large_as_every_store_takes() -> None:
    many = b"".join(f"<urn:s> <urn:p> <urn:o{number}> .\n".encode() for number in range(2 * MOST_TRIPLES + 1))
    large = b"".join(f'<urn:s> <urn:p> "{number}{"é" * 50_000}" .\n'.encode() for number in range(6))

    assert [text.count("\n") - 1 for text in insertions(GRAPH, many)] == [MOST_TRIPLES, MOST_TRIPLES, 1]
    parts = list(insertions(GRAPH, large))
    assert len(parts) == 3
    assert all(len(text.encode()) < MOST_BYTES + 200 for text in parts)
    assert len(inserted(large)) == 6


def test_nothing_to_insert_is_no_update() -> None:
    assert list(insertions(GRAPH, b"")) == []


def test_blank_nodes_are_the_same_each_time_and_others_in_another_graph() -> None:
    triples = b"_:a <urn:p> _:b .\n_:b <urn:p> _:a .\n"

    assert list(insertions(GRAPH, triples)) == list(insertions(GRAPH, triples))
    (one,), (other,) = insertions(GRAPH, triples), insertions("urn:other", triples)
    assert one.splitlines()[1] != other.splitlines()[1]
    assert len(inserted(triples)) == 2
