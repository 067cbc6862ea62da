"""Named queries: a server gives the same rows as the engine inside."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from checkpoint_ld import sparql
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.sparql import queries
from checkpoint_ld.stores import remote
from checkpoint_ld.stores.remote import SparqlClient
from checkpoint_ld.validation import validator
from checkpoint_ld.validation.inference import with_inferred
from tests import documents

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


@pytest.mark.slow
def test_most_named_queries_find_something(filled: SparqlClient) -> None:
    rows = {}
    for name, query in queries.catalogue().items():
        if not any(one.is_required for one in query.parameters.values()):
            rows[name] = len(filled.query(query.text))

    assert {name for name, number in rows.items() if number} >= {"benchmarks", "questions", "keywords", "traits"}
