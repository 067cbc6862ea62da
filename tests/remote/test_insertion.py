"""Updates that insert: the same triples whatever is in them, in parts that every store takes."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import httpx
import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld import sparql
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.sparql import queries
from checkpoint_ld.stores import remote
from checkpoint_ld.stores.literals import values_of
from checkpoint_ld.stores.remote import SparqlClient
from checkpoint_ld.stores.request import MOST_BYTES, MOST_TRIPLES, insertions
from checkpoint_ld.validation import validator
from checkpoint_ld.validation.inference import with_inferred
from tests import documents

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


@pytest.mark.filterwarnings("ignore:Dataset.default_context:DeprecationWarning")
@pytest.mark.parametrize(
    "text", [r"\u00b0C", r"\u0022", r"a\\u006eb", "\\\0u0041", r"\U0001F600", "\\u", r"\\\u0041\n"]
)
def test_a_text_with_escapes_stays_as_it_is_where_code_points_are_replaced_first(text: str) -> None:
    literal = pyoxigraph.Triple(pyoxigraph.NamedNode("urn:s"), pyoxigraph.NamedNode("urn:p"), pyoxigraph.Literal(text))
    triples = pyoxigraph.serialize([literal], format=pyoxigraph.RdfFormat.N_TRIPLES) or b""
    store = rdflib.Dataset()
    for update in insertions(GRAPH, triples):
        store.update(update)

    assert [str(value) for _, _, value, _ in store.quads()] == [text]
    assert {quad.triple for quad in inserted(triples)} == {literal}


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


# --- Values that are the same however a store writes them, and values that are not.


XSD = "http://www.w3.org/2001/XMLSchema#"


def triple(text: str, kind: str) -> bytes:
    suffix = f"^^<{XSD}{kind}>" if not kind.startswith("@") else kind
    return f'<urn:s> <urn:p> "{text}"{suffix} .\n'.encode()


SAME = [
    ("true", "1", "boolean"),
    ("01", "1", "integer"),
    ("+1", "1", "int"),
    ("1.0", "1", "decimal"),
    ("-0.50", "-.5", "decimal"),
    ("-0", "0", "integer"),
    ("100", "0100", "integer"),
    ("8.5E-1", "0.85", "double"),
    ("1.0E0", "1", "double"),
    ("2026-01-02T00:00:00.120", "2026-01-02T00:00:00.12", "dateTime"),
    ("2026-01-02T00:00:00.000Z", "2026-01-02T00:00:00+00:00", "dateTime"),
]
OTHER = [
    ("true", "false", "boolean"),
    ("1", "2", "integer"),
    ("9007199254740993", "9007199254740992", "integer"),
    (f"{10**40}", f"{10**40 + 1}", "integer"),
    ("10", "1", "integer"),
    ("-1.5", "1.5", "decimal"),
    ("0.1", "0.10000000000000002", "double"),
    ("01", "1", "string"),
    ("not a number", "another", "double"),
    ("2026-01-02T00:00:00.12", "2026-01-02T00:00:00.13", "dateTime"),
    ("2026-01-02T00:00:10", "2026-01-02T00:00:01", "dateTime"),
    ("2026-01-02T00:00:00", "2026-01-02T00:00:00Z", "dateTime"),
]


def test_literals_are_compared_by_value() -> None:
    def is_same(one: bytes, other: bytes) -> bool:
        return values_of(one).keys() == values_of(other).keys()

    assert [row for row in SAME if not is_same(triple(row[0], row[2]), triple(row[1], row[2]))] == []
    assert [row for row in OTHER if is_same(triple(row[0], row[2]), triple(row[1], row[2]))] == []
    assert is_same(triple("x", "@EN-us"), triple("x", "@en-us"))
    assert is_same(triple("5", "integer"), triple("5.0", "decimal"))
    assert is_same(triple("0.1", "float"), triple("0.10000000149011611938", "float"))
    assert not is_same(triple("5", "integer"), triple("5", "double"))


# --- Named queries: a server gives the same rows as the engine inside.


EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
FILES = ("metals.jsonld", "elements.jsonld")


@pytest.fixture(scope="module")
def graphs() -> list[CheckpointGraph]:
    """Return three benchmarks with what follows from them, two of which share a question."""
    read = [validator.read(str(EXAMPLES / name)).graph for name in FILES]
    made = CheckpointGraph.of_tree({**documents.canonical(), "@id": "urn:uuid:karenina-checkpoint-1"})
    return [with_inferred(one) for one in (*read, made)]


@pytest.fixture(scope="module")
def embedded(graphs: list[CheckpointGraph]) -> sparql.Dataset:
    return sparql.Dataset.of_graphs(graphs)


@pytest.fixture(scope="module")
def filled(running_oxigraph: str, graphs: list[CheckpointGraph]) -> Iterator[SparqlClient]:
    with httpx.Client(trust_env=False) as bare:
        bare.put(f"{running_oxigraph}/store", content=b"", headers={"Content-Type": "application/n-quads"})
    with remote.connect(running_oxigraph, profile="oxigraph") as connected:
        remote.push(map(remote.outgoing, graphs), connected)
        yield connected


@pytest.mark.slow
@pytest.mark.parametrize("name", queries.catalogue())
def test_a_named_query_gives_the_same_rows(name: str, filled: SparqlClient, embedded: sparql.Dataset) -> None:
    words = shlex.split(queries.catalogue()[name].example)
    given = dict(word.split("=", 1) for word in words if "=" in word)
    wanted = queries.request(name, given)

    found = filled.query(wanted.text, **wanted.parameters)

    expected = queries.run(embedded.store, name, given)
    assert found.columns == expected.columns
    assert sorted(map(str, found.rows)) == sorted(map(str, expected.rows))
