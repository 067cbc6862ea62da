"""Named queries: each gives what it promises, on both engines, with and without something to find."""

import json
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from checkpoint_ld.errors import QueryError
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.sparql import Dataset, queries, run
from checkpoint_ld.sparql.running import ENGINES, Engine
from checkpoint_ld.vocabulary import KEYS, SCHEMA
from tests.documents import canonical, item
from tests.queries.benchmarks import dataset, elements, metals
from tests.trials import examples

EXPECTED = json.loads(Path(__file__).with_name("expected.json").read_text(encoding="utf-8"))
NAMES = sorted(name for name in queries.catalogue() if not name.startswith("agent-"))
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


@pytest.fixture(scope="module")
def store() -> pyoxigraph.Store:
    return dataset().store


def rows(store: pyoxigraph.Store, name: str, engine: Engine = "oxigraph", **parameters: Any) -> list[list[Any]]:
    return [list(row.values()) for row in queries.run(store, name, parameters, engine=engine)]


def given_for(name: str) -> dict[str, Any]:
    parameters: dict[str, Any] = EXPECTED[name]["parameters"]
    return parameters


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_the_rows_are_those_that_were_checked_by_hand(store: pyoxigraph.Store, name: str, engine: Engine) -> None:
    assert rows(store, name, engine, **given_for(name)) == EXPECTED[name]["rows"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_to_find_is_no_error(name: str, engine: Engine) -> None:
    for store in (pyoxigraph.Store(), of_an_empty_one().store):
        found = queries.run(store, name, given_for(name), engine=engine)
        assert list(found.columns) == list(queries.named(name).columns)
        assert len(found) <= 1


@cache
def of_an_empty_one() -> Dataset:
    empty = canonical()
    empty.update({"dataFeedElement": [], "rating": [], "additionalProperty": []})
    return Dataset.of_graphs([CheckpointGraph.of_tree(empty)])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_derived_statements_change_nothing_for_queries_that_do_not_look_at_them(
    plain: pyoxigraph.Store, name: str
) -> None:
    is_same = rows(plain, name, **given_for(name)) == EXPECTED[name]["rows"]
    assert is_same is not queries.named(name).needs_derived


@pytest.fixture(scope="module")
def plain() -> pyoxigraph.Store:
    return dataset(derived=False).store


@pytest.mark.parametrize("name", queries.catalogue())
def test_a_query_describes_itself(name: str) -> None:
    query = queries.named(name)
    assert query.title
    assert query.description.endswith(".")
    assert all(query.columns.values())
    example = dict(part.split("=", 1) for part in query.example.split() if part != "--param")
    queries.terms(query, example)
    assert {one.name for one in query.parameters.values() if one.is_required} <= example.keys()
    assert "GRAPH" in query.text


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_minus_takes_away_what_not_exists_would(store: pyoxigraph.Store, engine: Engine) -> None:
    with_minus = [query for query in queries.catalogue().values() if "MINUS {" in query.text]
    assert with_minus
    for query in with_minus:
        other = query.text.replace("MINUS {", "FILTER NOT EXISTS {")
        ours, theirs = (run(store, text, engine=engine).rows for text in (query.text, other))
        assert ours == theirs
        assert ours != run(store, query.text.replace("MINUS {", "OPTIONAL {"), engine=engine).rows


@pytest.mark.parametrize("engine", ENGINES)
def test_why_minus_needs_care(store: pyoxigraph.Store, engine: Engine) -> None:
    pattern = "SELECT ?s { ?s a schema:DataFeed ; schema:name ?name "
    for difference, left in (
        ("MINUS { ?other schema:text ?text }", 3),  # no variable is shared: nothing is taken away
        ("FILTER NOT EXISTS { ?other schema:text ?text }", 0),
        ('MINUS { ?s schema:version ?v FILTER (?name = "Metals") }', 3),  # ?name is not seen there
        ('FILTER NOT EXISTS { ?s schema:version ?v FILTER (?name = "Metals") }', 2),
    ):
        assert len(run(store, f"{pattern} {difference} }}", engine=engine)) == left


def texts() -> Iterator[str]:
    for file in ("metals.jsonld", "elements.jsonld", "metals-v2.json"):
        yield (EXAMPLES / file).read_text(encoding="utf-8")
    yield from (json.dumps(tree) for tree in (metals(), canonical(item("Which?" * 30, None)), canonical()))


@pytest.mark.slow
def test_states_are_those_that_the_benchmark_shows() -> None:
    for text in texts():
        benchmark = Benchmark.load(text.encode())
        for row in benchmark.query("questions"):
            if row["question"] in benchmark:
                held = benchmark.get_question(row["question"])
                assert (row["finished"], row["has_template"]) == (
                    held["finished"],
                    benchmark.has_template(row["question"]),
                )
        lacking = {row["question"] for row in benchmark.query("without-template")}
        assert lacking == {row["question"] for row in benchmark.query("questions") if not row["has_template"]}


def test_all_predicates_of_the_format_are_known() -> None:
    keys = {key for members in KEYS.values() for key in members if not key.startswith("@")}
    text = queries.named("unknown-terms").text
    known = contexts.plain()
    for key in keys:
        named = known.get(key, key)
        name = named["@id"] if isinstance(named, dict) else named
        iri = name.replace("schema:", SCHEMA) if ":" in name else SCHEMA + name
        is_ours = (
            not iri.startswith(SCHEMA) or key in KEYS["Scenario"] + KEYS["Node"] + KEYS["Edge"] + KEYS["Criterion"]
        )
        assert is_ours or f"schema:{iri.removeprefix(SCHEMA)}" in text, key


@pytest.mark.slow
def test_questions_of_one_benchmark_and_with_one_keyword(store: pyoxigraph.Store) -> None:
    for engine in ENGINES:
        assert [row[1] for row in rows(store, "questions", engine, benchmark="urn:b:metals")] == [
            "urn:q:light-1",
            "urn:q:liquid",
        ]
        found = rows(store, "questions", engine, keyword="chemistry")
        assert [row[1] for row in found] == ["urn:q:light-2", "urn:q:light-1", "urn:q:liquid"]
        assert [row[3] for row in found] == ["chemistry", "chemistry, physics", "chemistry"]
        both = rows(store, "questions", engine, keyword="physics", benchmark="urn:b:elements")
        assert both == []


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(st.text(st.one_of(st.sampled_from("\\\"'{}?#\nu0"), st.characters(exclude_categories=["Cs"])), min_size=1))
def test_whatever_is_searched_for_is_only_a_text(text: str) -> None:
    tree = elements()
    tree["dataFeedElement"][0]["item"]["text"] = f"What is {text}?"
    data = Dataset.of_graphs([CheckpointGraph.of_tree(tree)])
    assert "urn:q:light-2" in {row[1] for row in rows(data.store, "search", text=text)}


def test_dates_are_read_with_and_without_an_offset(store: pyoxigraph.Store) -> None:
    def found(date: Any) -> list[str]:
        return [row[1] for row in rows(store, "changed-since", date=date)]

    assert found("2026-01-31T23:00:00Z") == ["urn:q:light-2", "urn:q:light-1"]
    assert found("2026-02-01T02:00:00+02:00") == ["urn:q:light-1"]
    assert found("2026-02-01T00:30:00") == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_date_that_is_no_datetime_counts(engine: Engine) -> None:
    since = ("2026-02-02", "2026-02-01T12:30", "2026-02-01T08:30-05:00", "2026-02-01T12:30:00.5Z")
    dates = (*since, "2026-02-01", "soon", "2026-02-01T12:30+12:00")
    tree = canonical(*({**item(f"{date}?", f"urn:x:{at}"), "dateModified": date} for at, date in enumerate(dates)))
    data = Dataset.of_graphs([CheckpointGraph.of_tree(tree)])
    found = queries.run(data.store, "changed-since", {"date": "2026-02-01T12:00:00Z"}, engine=engine)
    assert {row["question"] for row in found} == {f"urn:x:{at}" for at in range(len(since))}


def test_what_cannot_be_queried_is_refused(store: pyoxigraph.Store) -> None:
    for name, parameters, words in (
        ("keyword", {}, "did you mean keywords?"),
        ("search", {}, "needs a parameter text"),
        ("search", {"texts": "x"}, "did you mean text?"),
        ("search", {"foo": "x"}, "use one of text$"),
        ("keywords", {"text": "x"}, "the query keywords has none$"),
        ("changed-since", {"date": "yesterday"}, "no date such as"),
        ("agent-doubts", {"below": "0,3"}, "no number such as"),
        ("agent-doubts", {"below": "nan"}, "no number such as"),
        ("questions", {"benchmark": "metals"}, "no absolute IRI"),
    ):
        with pytest.raises(QueryError, match=words):
            queries.run(store, name, parameters)


@pytest.mark.slow
def test_a_benchmark_is_queried_by_name_and_by_text() -> None:
    benchmark = Benchmark.load(EXAMPLES / "metals.jsonld")
    assert [row["keyword"] for row in benchmark.query("keywords")] == ["chemistry", "metals", "physics"]
    assert benchmark.query("search", text="GOLD").as_dicts()[0]["where"] == "question"
    assert benchmark.query("authors").as_dicts() == [{"author": "Ada Smith", "questions": 1, "benchmarks": 1}]
    assert benchmark.query("versions").as_dicts()[0]["dialect"] == benchmark.dialect
    text = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
    assert benchmark.query(text).as_dicts() == [{"n": len(benchmark.graph)}]
    assert benchmark.query(text, inferred=True).as_dicts() == [{"n": len(benchmark.inferred_graph())}]
    assert benchmark.query("ASK { ?s schema:name ?name }", name="Metals")
    benchmark.add_question("New?", "Yes", keywords=["added"])
    assert "added" in {row["keyword"] for row in benchmark.query("keywords", engine="rdflib", timeout=60)}


DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_list_of_named_queries_is_what_the_catalogue_states() -> None:
    page = (DOCS / "queries.md").read_text(encoding="utf-8")
    assert page == runpy.run_path(str(DOCS / "query_pages.py"))["with_list"](page), "run python docs/query_pages.py"


def test_a_query_of_the_graph_finds_doubles_as_the_graph_states_them() -> None:
    graph = Benchmark.load(EXAMPLES / "metals.jsonld").graph
    start = "PREFIX schema: <https://schema.org/> SELECT ?r "
    assert len(graph.query(start + "{ ?r schema:bestRating 5.0E0 }")) == 1
    assert len(graph.query(start + "{ ?r schema:bestRating ?b FILTER (?b+1.0E0>5.5E0) }")) == 1
    assert not graph.query(start + "{ ?r schema:name 'a 5.0E0', <urn:5.0E0> } # 5.0E0")
    assert next(iter(graph.query("SELECT (1.0E0-5.0E-1 AS ?n) {}"))).n.toPython() == 0.5
