"""A benchmark answers from its graph: each change of the graph shows, and what is handed out is not the graph's."""

import copy
import json
import pickle
import time
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Literal, URIRef
from rdflib.term import Node

from checkpoint_ld import Benchmark, EvaluationError, SettingsError
from checkpoint_ld.benchmark.difference import semantic_diff
from checkpoint_ld.dialects import reading
from checkpoint_ld.dialects.dialect import Trail, Upgrade
from checkpoint_ld.entities.entity import Entity
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.graph import building, checkpoint_graph
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import same
from checkpoint_ld.vocabulary import SCHEMA
from tests.benchmark.samples import BLANK, BROKEN, LIGHT, LIQUID, VERIFIED, benchmark, load, question
from tests.corpus import DIALECTS, expectations
from tests.documents import Json, canonical, item, rating, rich, setting
from tests.test_graph import JSON, documents
from tests.trials import examples, some

ELEMENT = "urn:uuid:question-metal-1"
LICENCE = URIRef(SCHEMA + "license")


def as_read(tree: Json) -> reading.Reading:
    """A reading whose tree is `tree`, whatever there is in it."""
    upgrade = Upgrade(tree, (), lambda: Trail(reading.CANONICAL))
    return reading.Reading(tree, reading.CANONICAL, "json", None, None, upgrade, None, (), (), has_typed_texts=False)


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
    wanted = Benchmark.of_reading(as_read(tree))
    other = Benchmark.of_reading(as_read(copy.deepcopy(tree)))
    answers(wanted)
    for one in (wanted, other):
        graph = one.graph
        node = (graph.member(graph.root, "dataFeedElement") or [graph.root])[0]
        key = ("description", "additionalProperty", "keywords", "rating")[at]
        graph.replace((graph.member(node, "item") or [node])[0], key, value)
    assert answers(wanted) == answers(other)


@pytest.mark.filterwarnings("ignore::checkpoint_ld.errors.FindingsWarning")
def test_a_benchmark_that_was_validated_is_built_once_and_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []

    def counted(tree: Json, *expansion: str) -> Any:
        built.append(tree)
        return building.built(tree, *expansion)

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
    benchmark = Benchmark.of_reading(as_read(tree))
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


# --- Questions found by what they say.


SLOW = "(a+)+$"


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in found]


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ({}, [LIQUID, LIGHT, BLANK]),
        ({"finished": True}, [LIQUID]),
        ({"finished": False}, [LIGHT, BLANK]),
        ({"has_template": True}, [LIQUID, LIGHT]),
        ({"has_template": False}, [BLANK]),
        ({"has_rubric": True}, [LIQUID]),
        ({"author": "aDA"}, [LIQUID]),
        ({"author": ""}, [LIQUID, LIGHT, BLANK]),
        ({"finished": False, "has_template": True}, [LIGHT]),
        ({"custom_filter": lambda one: one["custom_metadata"]["Area"] == "chemistry"}, [LIQUID]),
    ],
)
def test_all_criteria_that_are_given_must_be_met(criteria: dict[str, Any], expected: list[str]) -> None:
    assert ids(benchmark().filter_questions(**criteria)) == expected


def test_what_comes_back_is_a_copy() -> None:
    made = benchmark()
    [found] = made.filter_questions(finished=True)
    found["question"] = "changed"
    assert made.get_question(LIQUID)["question"] == "Which metal is liquid?"


@pytest.mark.parametrize(
    ("path", "value", "mode", "expected"),
    [
        ("raw_answer", "Mercury", "exact", [LIQUID, LIGHT, BLANK]),
        ("raw_answer", "mercury", "exact", []),
        ("finished", True, "exact", [LIQUID]),
        ("finished", False, "exact", [LIGHT, BLANK]),
        ("author", None, "exact", []),
        ("author.name", "Ada Smith", "exact", [LIQUID]),
        ("author.name.first", "Ada", "exact", []),
        ("custom_metadata.Area", "CHEM", "contains", [LIQUID]),
        ("keywords", "metals", "in", [LIQUID]),
        ("keywords", "metal", "in", []),
        ("keywords", "metals", "contains", []),
        ("question", "^WHICH.*liquid", "regex", [LIQUID]),
        ("question", "(", "regex", []),
        ("question", 5, "regex", []),
    ],
)
def test_metadata_match_by_a_path(path: str, value: Any, mode: Any, expected: list[str]) -> None:
    assert ids(benchmark().filter_by_metadata(path, value, mode)) == expected


def test_another_mode_is_refused_whatever_the_questions() -> None:
    with pytest.raises(SettingsError, match="exact, contains, in, regex"):
        Benchmark("Nothing").filter_by_metadata("question", "x", "fuzzy")  # type: ignore[arg-type]


def test_custom_metadata_match_by_and_or_by_or() -> None:
    made = load(
        canonical(
            question("1?", LIQUID, custom_a=1, custom_b="x"), question("2?", LIGHT, custom_a=1), question("3?", BLANK)
        )
    )
    assert ids(made.filter_by_custom_metadata(a=1)) == [LIQUID, LIGHT]
    assert ids(made.filter_by_custom_metadata(a=1, b="x")) == [LIQUID]
    assert ids(made.filter_by_custom_metadata(False, a=2, b="x")) == [LIQUID]
    assert ids(made.filter_by_custom_metadata()) == [LIQUID, LIGHT]
    assert ids(made.filter_by_custom_metadata(match_all=False)) == []
    assert ids(made.filter_by_custom_metadata(c=None)) == []


@pytest.mark.parametrize(
    ("query", "options", "expected"),
    [
        ("LIQUID", {}, [LIQUID]),
        ("LIQUID", {"case_sensitive": True}, []),
        ("LIQUID", {"fields": None}, [LIQUID]),
        ("", {}, [LIQUID, LIGHT, BLANK]),
        ([], {}, []),
        (["which", "is"], {}, [LIQUID, LIGHT]),
        (["liquid", "lightest"], {}, []),
        (["liquid", "lightest"], {"match_all": False}, [LIQUID, LIGHT]),
        ("liquid? Mercury", {"fields": ["question", "raw_answer"]}, [LIQUID]),
        ("liquids", {"fields": ["keywords"]}, [LIQUID]),
        ("ada", {"fields": ["author.name"]}, [LIQUID]),
        ("x", {"fields": ["nothing"]}, []),
        ("l.+t", {"regex": True}, [LIGHT]),
        ("L.+T", {"regex": True, "case_sensitive": True}, []),
        ("(", {"regex": True}, []),
        (["(", "Which"], {"regex": True}, []),
        (["(", "Which"], {"regex": True, "match_all": False}, [LIQUID, LIGHT, BLANK]),
    ],
)
def test_a_search_looks_into_the_fields(query: Any, options: dict[str, Any], expected: list[str]) -> None:
    assert ids(benchmark().search_questions(query, **options)) == expected


@pytest.mark.slow
def test_a_pattern_that_would_never_end_is_given_up() -> None:
    made = load(canonical(question("a" * 40 + "!", LIQUID)))
    start = time.monotonic()
    with pytest.raises(EvaluationError, match="rewrite it"):
        made.search_questions(SLOW, regex=True)
    with pytest.raises(EvaluationError, match="rewrite it"):
        made.filter_by_metadata("question", SLOW, "regex")
    assert time.monotonic() - start < 30


def test_shortcuts() -> None:
    made = benchmark()
    assert ids(made.get_questions_by_author("smith")) == [LIQUID]
    assert ids(made.get_questions_with_rubric()) == [LIQUID]


def test_counts_by_field_have_each_item_of_a_list_and_what_is_missing() -> None:
    made = benchmark()
    assert made.count_by_field("keywords") == {"metals": 1, "liquids": 1, None: 2}
    assert made.count_by_field("finished") == {True: 1, False: 2}
    assert made.count_by_field("author") == {'{"@type": "Person", "name": "Ada Smith"}': 1, None: 2}
    assert made.count_by_field("author.name", made.filter_questions(finished=True)) == {"Ada Smith": 1}
    assert made.count_by_field("custom_metadata.years", []) == {}
    traits = made.count_by_field("question_rubric.llm_traits", made.get_questions_with_rubric())
    assert [json.loads(trait)["name"] for trait in traits if trait] == ["certainty"]


@settings(max_examples=examples(40))
@given(query=st.text(max_size=3), texts=st.lists(st.text("abcAB", min_size=1, max_size=5), min_size=1, max_size=4))
def test_a_search_with_case_finds_what_holds_the_text(query: str, texts: list[str]) -> None:
    made = Benchmark("Any")
    names = [made.add_question(text, "answer") for text in texts]
    expected = [name for name, text in zip(names, texts, strict=True) if query in text]
    assert ids(made.search_questions(query, case_sensitive=True)) == expected


# --- Summary, statistics, readiness, health and the verdict of validation.


def ready(count: int = 5) -> Benchmark:
    return load(canonical(*(question(f"{at}?", f"urn:uuid:{at}", finished=True) for at in range(count))))


def test_the_summary_counts_real_templates_and_traits_of_all_kinds() -> None:
    assert benchmark().get_summary() == {
        "name": "Metals",
        "version": "0.2.0",
        "creator": "A. Smith",
        "created_at": "2026-01-01T00:00:00",
        "modified_at": "2026-01-02T00:00:00",
        "question_count": 3,
        "finished_count": 1,
        "has_template_count": 2,
        "has_rubric_count": 1,
        "progress_percentage": pytest.approx(100 / 3),
        "is_complete": False,
        "has_global_rubric": True,
        "global_rubric_traits": 2,
    }


def test_the_summary_agrees_with_the_properties() -> None:
    for made in (benchmark(), ready(), Benchmark("Nothing")):
        held = made.get_summary()
        assert (held["question_count"], held["finished_count"]) == (made.question_count, made.finished_count)
        assert (held["is_complete"], held["progress_percentage"]) == (made.is_complete, made.get_progress())


def test_statistics_measure_real_templates() -> None:
    held = benchmark().get_statistics()
    assert held.items() >= benchmark().get_summary().items()
    lengths = [len(VERIFIED), len(BROKEN)]
    assert (held["min_template_length"], held["max_template_length"]) == (min(lengths), max(lengths))
    assert held["avg_template_length"] == sum(lengths) // 2
    assert held["questions_with_custom_metadata"] == 1
    nothing = Benchmark("Nothing").get_statistics()
    assert [nothing[f"{word}_template_length"] for word in ("avg", "min", "max")] == [0, 0, 0]


def test_readiness_names_what_is_missing() -> None:
    held = benchmark().check_readiness()
    assert not held["ready_for_verification"]
    assert held["missing_templates"] == [BLANK]
    assert held["unfinished_questions"] == [LIGHT, BLANK]
    assert (held["missing_templates_count"], held["unfinished_count"]) == (1, 2)
    assert isinstance(held["unfinished_count"], int)
    assert (held["templates_valid"], held["template_errors_count"]) == (False, 1)
    assert [one["question_id"] for one in held["template_errors"]] == [LIGHT]


def test_a_finished_benchmark_is_ready() -> None:
    held = ready().check_readiness()
    assert held["ready_for_verification"]
    assert held["rubrics_valid"]
    assert not Benchmark("Nothing").check_readiness()["ready_for_verification"]


def test_health_adds_up() -> None:
    sound = ready().get_health_report()
    assert (sound["health_score"], sound["health_status"]) == (100, "excellent")
    assert sound["recommendations"] == []
    assert datetime.fromisoformat(sound["timestamp"]).tzinfo is not None
    poor = benchmark().get_health_report()
    assert poor["readiness"] == benchmark().check_readiness()
    assert poor["statistics"] == benchmark().get_statistics()
    assert poor["health_score"] == 20 + 9 + 15 * poor["readiness"]["rubrics_valid"]
    assert poor["recommendations"][:3] == [
        "Add templates to 1 question",
        "Mark 2 questions as finished",
        "Correct the templates that are not valid",
    ]


def test_a_benchmark_without_questions_is_critical() -> None:
    held = Benchmark("Nothing").get_health_report()
    assert (held["health_score"], held["health_status"]) == (0, "critical")
    assert held["recommendations"] == [
        "Add questions",
        "Add questions until there are at least 5",
        "Add a global rubric",
    ]


def test_progress_in_a_few_numbers() -> None:
    assert benchmark().get_progress_report() == {
        "name": "Metals",
        "progress_percentage": pytest.approx(100 / 3),
        "questions_total": 3,
        "questions_finished": 1,
        "questions_with_templates": 2,
        "is_ready_for_verification": False,
        "last_modified": "2026-01-02T00:00:00",
    }


def test_a_valid_benchmark_has_a_verdict_that_unpacks() -> None:
    verdict = ready().validate()
    ok, message = verdict
    assert (ok, message, bool(verdict)) == (True, "the benchmark is valid", True)
    assert (verdict[0], verdict[-1]) == (ok, message)
    assert message.isprintable()  # a type checker knows that it is a text
    assert verdict.report.conforms
    assert isinstance(verdict, tuple)  # as in Karenina


def test_a_verdict_may_be_copied_and_pickled() -> None:
    verdict = load(canonical(question("Two?", LIGHT, BROKEN))).validate()
    for again in (copy.copy(verdict), pickle.loads(pickle.dumps(verdict))):
        assert again == verdict
        assert (again.message, again.template_errors) == (verdict.message, verdict.template_errors)


def test_a_verdict_states_which_template_is_none() -> None:
    verdict = load(canonical(question("One?", LIQUID), question("Two?", LIGHT, BROKEN))).validate()
    assert not verdict
    assert [one["question_id"] for one in verdict.template_errors] == [LIGHT]
    assert LIGHT in verdict.message


def test_a_verdict_is_about_the_benchmark_as_it_is_now() -> None:
    made = ready()
    made.graph.update(
        "DELETE { ?q schema:text ?t } INSERT { ?q schema:text '' } WHERE { ?q a schema:Question ; schema:text ?t }"
    )
    verdict = made.validate()
    assert not verdict.ok
    assert {found.code for found in verdict.report.findings} >= {"KQ003"}
    assert "KQ003" in verdict.message


def test_the_verdict_of_a_profile() -> None:
    assert ready().validate("strict").report.profile == "strict"
    with pytest.raises(SettingsError):
        ready().validate("no such profile")
