"""Updates that insert the same triples whatever is in them, and values that are the same however they are written."""

from __future__ import annotations

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.stores.request import MOST_BYTES, MOST_TRIPLES, insertions, large_integers, values_of

GRAPH = "urn:uuid:karenina-checkpoint-1"
XSD = "http://www.w3.org/2001/XMLSchema#"
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
    assert list(insertions(GRAPH, b"")) == []
    parts = list(insertions(GRAPH, large))
    assert len(parts) == 3
    assert all(len(text.encode()) < MOST_BYTES + 200 for text in parts)
    assert len(inserted(large)) == 6


def test_blank_nodes_are_the_same_each_time_and_others_in_another_graph() -> None:
    triples = b"_:a <urn:p> _:b .\n_:b <urn:p> _:a .\n"
    assert list(insertions(GRAPH, triples)) == list(insertions(GRAPH, triples))
    (one,), (other,) = insertions(GRAPH, triples), insertions("urn:other", triples)
    assert one.splitlines()[1] != other.splitlines()[1]
    assert len(inserted(triples)) == 2


def triple(text: str, kind: str) -> bytes:
    suffix = f"^^<{XSD}{kind}>" if not kind.startswith("@") else kind
    return f'<urn:s> <urn:p> "{text}"{suffix} .\n'.encode()


SAME = """
boolean: true 1
integer: 01 1, -0 0, 100 0100
int: +1 1
decimal: 1.0 1, -0.50 -.5
double: 8.5E-1 0.85, 1.0E0 1
dateTime: 2026-01-02T00:00:00.120 2026-01-02T00:00:00.12, 2026-01-02T00:00:00.000Z 2026-01-02T00:00:00+00:00
"""
DIFFERENT = f"""
boolean: true false
integer: 1 2, 9007199254740993 9007199254740992, {10**40} {10**40 + 1}, 10 1
decimal: -1.5 1.5
double: 0.1 0.10000000000000002, no another
string: 01 1
dateTime: 2026-01-02T00:00:00.12 2026-01-02T00:00:00.13, 2026-01-02T00:00:10 2026-01-02T00:00:01
dateTime: 2026-01-02T00:00:00 2026-01-02T00:00:00Z
"""


def pairs(table: str) -> list[tuple[str, str, str]]:
    lines = (line.split(": ") for line in table.split("\n") if line)
    return [(kind, *pair.split(" ")) for kind, told in lines for pair in told.split(", ")]  # type: ignore[misc]


@pytest.mark.parametrize(("kind", "one", "other"), [*pairs(SAME), ("@EN-us", "x", "x")])
def test_one_value_in_two_ways(kind: str, one: str, other: str) -> None:
    assert values_of(triple(one, kind)) == values_of(triple(other, kind.replace("EN", "en")))


@pytest.mark.parametrize(("kind", "one", "other"), pairs(DIFFERENT))
def test_two_values(kind: str, one: str, other: str) -> None:
    assert values_of(triple(one, kind)) != values_of(triple(other, kind))


def test_integers_beyond_a_limit_are_found_however_long() -> None:
    limit = 2**63 - 1
    numbers = [str(limit), str(limit + 1), str(-limit - 1), "0" * 30 + "7", "9" * 5000]
    triples = b"".join(triple(one, "integer") for one in numbers) + triple("9" * 30, "string")
    assert large_integers(triples, limit) == [numbers[1], numbers[2], numbers[4]]
