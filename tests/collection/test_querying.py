"""Collections answer queries over all that they hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from checkpoint_ld import validate
from checkpoint_ld.errors import LookupFailedError, QueryError
from checkpoint_ld.sparql import queries
from checkpoint_ld.stores.collection import Collection
from tests.collection.conftest import Write, checkpoint, iri
from tests.documents import rich

COUNT = "SELECT (COUNT(?q) AS ?n) { ?q a schema:Question }"
MANIFEST = (
    "PREFIX : <urn:checkpoint-ld:collection#> SELECT ?g ?w { GRAPH <urn:checkpoint-ld:manifest> { ?g :warnings ?w } }"
)


@pytest.fixture(params=[True, False], ids=["reading", "writing"])
def filled(request: pytest.FixtureRequest, write: Write, store: Path) -> Iterator[Collection]:
    with Collection.open(store) as collection:
        collection.add(write("1.jsonld", checkpoint(1, "One?", "Two?")), write("2.jsonld", rich()))
    with Collection.open(store, read_only=request.param) as collection:
        yield collection


@pytest.mark.slow
@pytest.mark.parametrize("timeout", [None, 60.0])
def test_all_graphs_together_are_the_default(timeout: float | None, filled: Collection) -> None:
    [row] = filled.query(COUNT, timeout=timeout).as_dicts()
    alone = filled.query(COUNT.replace("{", f"FROM <{iri()}> {{"))
    assert alone.as_dicts() == [{"n": 2}]
    assert row["n"] > 2


def test_what_several_graphs_state_is_reported_once(write: Write, store: Path) -> None:
    both, one = "SELECT (COUNT(*) AS ?n) { ?q a schema:Question ; schema:text ?t }", checkpoint(1, "Same?", "Mine?")
    other = {**one, "@id": iri(2), "name": "Other", "dataFeedElement": one["dataFeedElement"][:1]}
    paths = write("1.jsonld", one), write("2.jsonld", other)

    def counted(collection: Collection) -> list[int]:
        texts = both, both.replace("{ ?q", "{ GRAPH ?g { ?q") + "}"
        return [row["n"] for text in texts for row in collection.query(text)]

    with Collection.open(store) as collection:
        collection.add(*paths)
        assert counted(collection) == [2, 3]
        write("1.jsonld", {**one, "dataFeedElement": one["dataFeedElement"][1:]})
        collection.add(*paths)
        assert counted(collection) == [2, 2]
        write("2.jsonld", {**other, "dataFeedElement": one["dataFeedElement"]})
        collection.add(*paths)
        assert counted(collection) == [2, 3]
        collection.remove(iri(2))
        assert counted(collection) == [1, 1]
        collection.remove(iri(1))
        assert counted(collection) == [0, 0]


@pytest.mark.slow
def test_the_manifest_is_no_part_of_the_default_graph(filled: Collection) -> None:
    about = "{ ?s schema:sha256|schema:encodingFormat ?o }"
    assert filled.query(f"SELECT * {about}").rows == ()
    assert filled.query(f"SELECT * {{ GRAPH <urn:checkpoint-ld:manifest> {about} }}").rows
    filled_default = filled.query("SELECT ?s { ?s ?p ?o FILTER NOT EXISTS { GRAPH ?g { ?s ?p ?o } } }")
    assert filled_default.rows == ()


@pytest.mark.slow
def test_the_manifest_can_be_queried(filled: Collection) -> None:
    rows = filled.query(MANIFEST).as_dicts()
    assert {row["g"]: row["w"] for row in rows} == {
        graph: entry.as_json()["findings"]["warning"] for graph, entry in filled.entries.items()
    }


@pytest.mark.slow
def test_named_queries_are_answered_as_in_memory(filled: Collection) -> None:
    for name, query in queries.catalogue().items():
        if not any(one.is_required for one in query.parameters.values()):
            filled.query(name)
    found = filled.query("search", text="one?").as_dicts()
    assert [row["text"] for row in found] == ["One?"]
    assert filled.query("versions").as_dicts()[0]["dialect"] == "datafeed-ns-v3"


def test_derived_statements_are_there_for_those_that_look_at_them(filled: Collection) -> None:
    assert {row["field"] for row in filled.query("template-fields").as_dicts()} >= {"metal"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "DROP ALL",
        "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
    ],
)
def test_nothing_is_changed_or_fetched(text: str, filled: Collection) -> None:
    before = len(filled)
    with pytest.raises(QueryError):
        filled.query(text)
    assert len(filled) == before
    assert filled.verify() == ()


def test_validation_of_a_collection_states_what_that_of_its_files_states(filled: Collection) -> None:
    report = filled.validate()
    files = validate(*(filled.source(graph) for graph in filled))
    held, expected = ({(one.code, one.node, one.message) for one in found.findings} for found in (report, files))
    assert held == expected
    assert len(held) > 2
    assert [one.source for one in report.checked] == list(filled)
    with pytest.raises(LookupFailedError):
        filled.validate("urn:none")
