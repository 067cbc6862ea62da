"""A benchmark answers from its graph: each change of the graph shows, and what is handed out is not the graph's."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Literal, URIRef
from rdflib.term import Node

from checkpoint_ld import Benchmark
from checkpoint_ld.benchmark.difference import semantic_diff
from checkpoint_ld.dialects import reading
from checkpoint_ld.entities.entity import Entity
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.graph import building, checkpoint_graph
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import same
from checkpoint_ld.vocabulary import SCHEMA
from tests.corpus import DIALECTS, expectations
from tests.documents import canonical, item, rating, rich, setting
from tests.test_graph import JSON, documents
from tests.trials import examples, some

Json = Any

ELEMENT = "urn:uuid:question-metal-1"
LICENCE = URIRef(SCHEMA + "license")


def by_the_index(graph: CheckpointGraph, node: URIRef) -> None:
    graph.index[node][LICENCE] = Literal("CC0")
    graph.touch()


EDITS: dict[str, Callable[[CheckpointGraph, URIRef], object]] = {
    "append": lambda graph, _: graph.append(graph.root, "dataFeedElement", item("New?", "urn:q:new")),
    "replace": lambda graph, node: graph.replace(node, "dateCreated", "2000-01-01T00:00:00"),
    "discard": lambda graph, node: graph.discard(graph.root, "dataFeedElement", node),
    "set_plain": lambda graph, node: graph.replace(node, "dateCreated", "2000-01-01T00:00:00"),
    "set_plain below": lambda graph, node: graph.replace(graph.member(node, "item")[0], "text", "Other?"),
    "add": lambda graph, node: graph.add((node, LICENCE, Literal("CC0"))),
    "remove": lambda graph, node: graph.remove((node, URIRef(SCHEMA + "dateCreated"), None)),
    "update": lambda graph, node: graph.update(f"INSERT DATA {{ <{node}> <{LICENCE}> 'CC0' }}"),
    "index": by_the_index,
    "parse": lambda graph, node: graph.parse(data=f'<{node}> <{LICENCE}> "CC0" .', format="nt"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_copy_of_a_graph_knows_of_no_later_change(edit: Callable[[CheckpointGraph, URIRef], object]) -> None:
    graph = CheckpointGraph.of_tree(canonical(item(), item("Other?", "urn:q:2")))
    before, twin = graph.tree(), graph.copy()
    edit(graph, URIRef(ELEMENT))
    assert same(twin.tree(), before)
    assert not same(graph.tree(), before)


def test_tuples_that_a_program_gives_are_arrays() -> None:
    tree = canonical()
    tree["dataFeedElement"][0]["item"]["keywords"] = ("a", "b")
    assert CheckpointGraph.of_tree(tree).read(URIRef(ELEMENT))["item"]["keywords"] == ["a", "b"]


def answers(benchmark: Benchmark) -> Json:
    """Return what a benchmark answers about its content, by each of the ways that there are."""
    return [
        outcome(benchmark.get_question_ids),
        outcome(lambda: list(benchmark.questions)),
        outcome(benchmark.get_all_questions),
        outcome(lambda: benchmark.get_finished_questions(ids_only=True)),
        outcome(lambda: benchmark.get_missing_templates(ids_only=True)),
        outcome(lambda: benchmark.search_questions(["e", "1"], match_all=False)),
        outcome(lambda: benchmark.filter_by_metadata("keywords", "a", "in")),
        outcome(benchmark.validate_rubrics),
        outcome(benchmark.get_summary),
        outcome(benchmark.to_records),
        outcome(benchmark.to_dict),
        outcome(benchmark.to_ntriples),
        outcome(benchmark.to_jsonld),
        outcome(lambda: sorted(str(row) for row in benchmark.query("SELECT ?s ?o { ?s schema:name ?o }").rows)),
    ]


NAMES = ("name", "text", "keywords", "dateCreated", "value", "acceptedAnswer", "contentRating", "additionalProperty")
TERMS = st.one_of(
    st.sampled_from([Literal("a"), Literal("new?"), Literal(1), Literal(2.5), Literal(True), URIRef(ELEMENT)]),
    st.text('ab é"', max_size=4).map(Literal),
)


@pytest.mark.slow
@settings(max_examples=examples(25))
@given(
    st.lists(st.tuples(st.sampled_from(["add", "set", "remove"]), st.integers(0, 60), st.sampled_from(NAMES), TERMS))
)
def test_edits_by_rdflib_are_seen_by_all_that_a_benchmark_answers(
    edits: list[tuple[str, int, str, Node]],
) -> None:
    data = json.dumps(rich()).encode()
    benchmark, warm = Benchmark.load(data), Benchmark.load(data)
    answers(warm)
    for kind, at, name, term in edits:
        predicate = URIRef(SCHEMA + name)
        for one in (benchmark, warm):
            subjects = sorted({str(subject) for subject in one.graph.subjects()})
            subject = URIRef(subjects[at % len(subjects)])
            if kind == "add":
                one.graph.add((subject, predicate, term))
            elif kind == "set":
                one.graph.set((subject, predicate, term))
            elif predicate != RDF.type:
                one.graph.remove((subject, predicate, None))
        assert warm.questions is not None
    fresh = outcome(lambda: Benchmark.load(benchmark.graph))
    assert answers(warm) == answers(benchmark)
    assert outcome(lambda: [*warm.validate()]) == outcome(lambda: [*benchmark.validate()])
    if fresh[0] == "said":
        again = Benchmark.load(warm.to_ntriples().encode(), syntax="nt")
        assert outcome(lambda: list(again.questions)) == outcome(lambda: list(warm.questions))


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(tree=documents(), value=JSON.filter(lambda one: one is not None), at=st.integers(0, 3))
def test_a_benchmark_answers_the_same_whatever_was_queried_before(tree: Json, value: Json, at: int) -> None:
    wanted = Benchmark.of_reading(reading.Reading(tree, "datafeed-ns-v3", "json", None, ()))
    other = Benchmark.of_reading(reading.Reading(copy.deepcopy(tree), "datafeed-ns-v3", "json", None, ()))
    answers(wanted)
    for benchmark in (wanted, other):
        graph = benchmark.graph
        node = (graph.member(graph.root, "dataFeedElement") or [graph.root])[0]
        key = ("description", "additionalProperty", "keywords", "rating")[at]
        graph.replace((graph.member(node, "item") or [node])[0], key, value)
    assert answers(wanted) == answers(other)


@pytest.mark.filterwarnings("ignore::checkpoint_ld.errors.FindingsWarning")
def test_a_benchmark_that_was_validated_is_built_once_and_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []

    def counted(tree: Json) -> Any:
        built.append(tree)
        return building.built(tree)

    monkeypatch.setattr(checkpoint_graph, "built", counted)
    trees = [canonical(item(), item()), rich(), canonical({**item(), "dateCreated": "yesterday"})]
    for tree in trees:
        data = json.dumps(tree).encode()
        plain = Benchmark.load(data)
        built.clear()
        validated = Benchmark.load(data, validate="warn")
        assert len(built) <= 1
        assert validated == plain
        assert list(validated.questions) == list(plain.questions)
        assert validated.to_jsonld() == plain.to_jsonld()


def everything(benchmark: Benchmark) -> Any:
    """Return all that a benchmark says of its questions, by every way that there is."""
    ids = benchmark.get_question_ids()
    return [
        benchmark.get_all_questions_as_objects(),
        benchmark.get_all_questions(),
        *([ask(one) for one in ids] for ask in (benchmark.get_question_properties, benchmark.get_question_metadata)),
        *([ask(one) for one in ids] for ask in (benchmark.get_question_rubric, benchmark.get_registry_entry)),
        *([ask(one) for one in ids] for ask in (benchmark.get_question_author, benchmark.get_question_sources)),
        *([ask(one) for one in ids] for ask in (benchmark.get_question_dynamic_rubric, benchmark.get_question)),
        benchmark.get_finished_templates(),
        benchmark.to_dict(),
        benchmark.to_records(),
    ]


def alike_from_statements(benchmark: Benchmark) -> None:
    """Hold a benchmark against the one that is read from its N-Triples, lines and columns apart."""
    try:
        again = Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt")
    except CheckpointLdError:
        return  # names that no statement can be written with, or what no file may say
    assert answers(again) == answers(benchmark)
    assert outcome(lambda: everything(again)) == outcome(lambda: everything(benchmark))
    for export in (Benchmark.to_csv, Benchmark.to_markdown, Benchmark.traits_records, Benchmark.fields_records):
        assert outcome(lambda: export(again)) == outcome(lambda: export(benchmark))  # noqa: B023 - called at once
    assert not semantic_diff(benchmark, again)
    found = [
        [
            (one.rule, one.message, one.node, one.place.pointer, one.value)
            for one in of.validate("strict").report.findings
        ]
        for of in (benchmark, again)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("tree", [canonical(), rich(), canonical(item(identifier=None), item("Other?"), item())])
def test_what_is_read_from_statements_answers_as_what_is_read_from_a_file(tree: Json) -> None:
    alike_from_statements(Benchmark.load(json.dumps(tree).encode()))


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(documents())
def test_generated_documents_answer_alike_from_a_file_and_from_statements(tree: Json) -> None:
    try:
        benchmark = Benchmark.load(json.dumps(tree).encode())
    except CheckpointLdError:
        return
    alike_from_statements(benchmark)


@pytest.mark.slow
def test_every_file_answers_alike_from_its_statements(corpus: Path) -> None:
    for dialect in DIALECTS:
        for case in some(expectations(corpus, dialect)[::4], 3):
            try:
                benchmark = Benchmark.load(corpus / case["file"])
            except CheckpointLdError:
                continue
            alike_from_statements(benchmark)


def containers(value: Any) -> Iterator[Any]:
    """Yield all lists and objects in what a benchmark says, those in entities too."""
    if isinstance(value, Entity) or is_dataclass(value):
        value = (
            vars(value) if isinstance(value, Entity) else {one.name: getattr(value, one.name) for one in fields(value)}
        )
    if isinstance(value, (dict, list, tuple)):
        yield value
        for one in value.values() if isinstance(value, dict) else value:
            yield from containers(one)


def test_what_users_get_is_theirs_alone() -> None:
    tree = rich()
    held = {"a": [{"b": 1}], "c": {}}
    values = {"author": held, "sources": [held, held], "few_shot_examples": [held], "custom_a": held}
    for one in tree["dataFeedElement"]:
        for name, value in {**values, "custom_b": [[1], held], "other": held}.items():
            one["item"]["additionalProperty"].append(setting(name, copy.deepcopy(value)))
        form = {"type": "template", "schema": {"properties": {"a": {"type": "string"}}}}
        trait = {**rating("form", kind=form), "additionalType": "karenina:QuestionSpecificLLMRubricTrait"}
        one["item"].setdefault("rating", []).append(trait)
    before = copy.deepcopy(tree)
    benchmark = Benchmark.of_reading(reading.Reading(tree, "datafeed-ns-v3", "json", None, ()))
    stated = everything(benchmark)
    expected = repr(stated)
    shared = {id(one) for one in containers(tree)}
    found = list(containers(stated))
    assert len(found) > 200
    assert not [one for one in found if id(one) in shared]
    for one in found:
        if not isinstance(one, tuple):
            one.clear()
    assert tree == before
    assert repr(everything(benchmark)) == expected


def outcome(ask: Callable[[], Any]) -> tuple[str, Any]:
    """Return what is stated, distinguished to the types of values, or which error is raised."""
    try:
        return "said", repr(ask())
    except (CheckpointLdError, ValueError) as error:
        return type(error).__name__, str(error)
