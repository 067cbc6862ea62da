"""The Benchmark: what it shows, and how it is made, saved and looked into."""

import copy
import json
import os
import pickle
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, SDO, XSD, BNode, Literal, URIRef

import checkpoint_ld
from checkpoint_ld import (
    Benchmark,
    LookupFailedError,
    ReadError,
    Severity,
    TargetExistsError,
    WriteError,
    WrongTypeError,
    sparql,
)
from checkpoint_ld.entities import (
    AnyTrait,
    DynamicRubric,
    LLMRubricTrait,
    Organization,
    Person,
    Question,
    RegexRubricTrait,
    Rubric,
)
from checkpoint_ld.entities.template_spec import TemplateSpec
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.mapping.questions import default_template
from checkpoint_ld.mapping.traits import rating_of
from tests.documents import Json, canonical, item, rating, scenario, setting
from tests.mapping import traits
from tests.trials import examples

METAL = "urn:uuid:question-metal-1"
TEMPLATE = "class Answer(BaseAnswer):\n    a: str\n\n    def verify(self):\n        return True\n"


def load(tree: Json) -> Benchmark:
    return Benchmark.load(json.dumps(tree).encode())


def numbered(count: int, *, finished: int = 0) -> Benchmark:
    """Return a benchmark with so many questions, the first of which are finished."""
    items = [item(f"Question {at}?", f"urn:uuid:{at}") for at in range(count)]
    for one in items[finished:]:
        one["item"]["additionalProperty"] = [setting("finished", False)]
    return load(canonical(*items))


# --- making and metadata


def test_a_new_benchmark_is_what_karenina_makes() -> None:
    benchmark = Benchmark("Metals")
    document = benchmark.to_jsonld("plain")
    found = benchmark.name, benchmark.description, benchmark.version, benchmark.creator
    assert found == ("Metals", "Benchmark containing questions", "0.1.0", "Karenina Benchmarking System")
    assert str(benchmark.id).startswith("urn:uuid:karenina-checkpoint-")
    assert benchmark.created_at == benchmark.modified_at
    assert datetime.fromisoformat(str(benchmark.created_at)).tzinfo is not None
    assert document["additionalProperty"] == [setting("benchmark_format_version", "3.0.0-jsonld")]
    assert document["dataFeedElement"] == []
    assert (benchmark.dialect, benchmark.findings, benchmark.is_empty) == ("datafeed-ns-v3", (), True)
    assert (benchmark.get_progress(), benchmark.is_complete, bool(benchmark)) == (0.0, False, True)


@pytest.mark.parametrize("creator", [Person(name="A. Smith", email="a@example.org"), Organization(name="ACME")])
def test_a_benchmark_is_made_with_all_that_is_stated_about_it(creator: Person | Organization) -> None:
    for made in (Benchmark, Benchmark.create):
        benchmark = made("Metals", "All of them", "2.0", creator)
        assert (benchmark.description, benchmark.version, benchmark.creator) == ("All of them", "2.0", creator)


def test_a_nameless_benchmark_is_refused() -> None:
    with pytest.raises(WriteError, match="needs a text as name"):
        Benchmark("")


def test_metadata_is_set_and_the_change_is_dated() -> None:
    benchmark = load(canonical())
    benchmark.name = "Alloys"
    benchmark.description, benchmark.version, benchmark.creator = "", "3.1", "B. Jones"
    found = benchmark.name, benchmark.description, benchmark.version, benchmark.creator, benchmark.created_at
    assert found == ("Alloys", "", "3.1", "B. Jones", "2026-01-01T00:00:00")
    assert datetime.fromisoformat(str(benchmark.modified_at)).tzinfo is not None
    again = load(benchmark.to_jsonld())
    assert again.to_jsonld() == benchmark.to_jsonld()
    assert "description" not in again.to_jsonld()


def test_nothing_set_is_no_change() -> None:
    benchmark = load(canonical())
    benchmark.set_metadata()
    assert benchmark.modified_at == "2026-01-02T00:00:00"


def test_what_a_file_leaves_out_has_the_usual_value() -> None:
    left_out = ("description", "version", "creator", "@id", "rating", "additionalProperty")
    benchmark = load({key: value for key, value in canonical().items() if key not in left_out})
    assert (benchmark.description, benchmark.version, benchmark.creator, benchmark.id) == ("", "0.1.0", None, None)
    assert (benchmark.global_rubric, benchmark.get_all_custom_properties()) == (None, {})


# --- questions


def test_a_question_is_shown_as_a_dictionary() -> None:
    benchmark = load(canonical())
    shown = benchmark.get_question(METAL)
    assert next(iter(shown)) == "id"
    assert [one.name for one in shown.pop("question_rubric")["regex_traits"]] == ["cites"]
    expected: dict[str, Json] = {"id": METAL, "question": "Which metal is liquid at 20 °C?", "raw_answer": "Mercury"}
    expected |= {"keywords": ["chemistry"], "finished": True, "author": None}
    assert {name: shown[name] for name in expected} == expected


def test_what_is_shown_is_a_copy() -> None:
    benchmark = load(canonical())
    benchmark.get_question(METAL)["keywords"].append("x")
    benchmark.questions[0].keywords.append("x")
    benchmark.jsonld_data["name"] = "x"
    benchmark.get_all_custom_properties()["x"] = "x"
    assert benchmark.to_jsonld("plain") == canonical()


def test_questions_are_a_sequence_that_is_built_on_demand() -> None:
    questions = numbered(5).questions
    assert isinstance(questions, Sequence)
    assert isinstance(questions[:2], Sequence)
    assert [one.question for one in questions] == [f"Question {at}?" for at in range(5)]
    assert [one.question for one in questions[1:4:2]] == ["Question 1?", "Question 3?"]
    assert (len(questions), questions[-1].question, questions[2] in questions) == (5, "Question 4?", True)
    assert [one.question for one in reversed(questions[3:])] == ["Question 4?", "Question 3?"]
    assert not list(questions[5:])
    with pytest.raises(IndexError):
        questions[5]


def test_a_benchmark_is_a_collection_of_questions() -> None:
    benchmark = numbered(3)
    ids = ["urn:uuid:0", "urn:uuid:1", "urn:uuid:2"]
    assert (len(benchmark), benchmark.question_count) == (3, 3)
    assert [one["id"] for one in benchmark] == benchmark.get_all_questions(ids_only=True) == ids
    assert [one["question"] for one in benchmark.get_all_questions()] == [f"Question {at}?" for at in range(3)]
    assert benchmark.get_question_ids() == ids
    assert benchmark.get_all_questions_as_objects() == list(benchmark.questions)
    assert [one in benchmark for one in ("urn:uuid:1", "urn:uuid:9")] == [True, False]
    assert benchmark["urn:uuid:1"] == benchmark[1] == benchmark[-2]
    assert repr(benchmark) == "<Benchmark 'Metals' 0.2.0: 3 questions>"


@pytest.mark.parametrize(
    "ask",
    [
        Benchmark.get_question,
        Benchmark.get_question_as_object,
        Benchmark.get_registry_entry,
        Benchmark.get_question_metadata,
        Benchmark.get_question_timestamps,
        Benchmark.get_question_properties,
        Benchmark.get_question_dynamic_rubric,
        Benchmark.get_scenario,
        Benchmark.__getitem__,
        Benchmark.get_question_author,
        Benchmark.get_question_sources,
        Benchmark.get_template,
        Benchmark.get_template_spec,
        Benchmark.get_template_id,
        Benchmark.get_merged_rubric_for_question,
        Benchmark.get_merged_dynamic_rubric_for_question,
        Benchmark.remove_scenario,
        Benchmark.remove_question_rubric,
        Benchmark.toggle_finished,
        lambda benchmark, name: benchmark.get_question_custom_property(name, "level"),
        lambda benchmark, name: benchmark.get_finished_templates([METAL, name]),
        lambda benchmark, name: benchmark.add_answer_template(name, TEMPLATE),
        lambda benchmark, name: benchmark.copy_template(name, METAL),
        lambda benchmark, name: benchmark.update_question_metadata(name, answer_notes="n"),
        lambda benchmark, name: benchmark.set_question_author(name, None),
        lambda benchmark, name: benchmark.set_question_sources(name, None),
        lambda benchmark, name: benchmark.set_question_custom_property(name, "level", 1),
        lambda benchmark, name: benchmark.remove_question_custom_property(name, "level"),
        lambda benchmark, name: benchmark.add_question_rubric_trait(name, RegexRubricTrait(name="r", pattern="x")),
        lambda benchmark, name: benchmark.set_question_rubric(name, Rubric()),
        lambda benchmark, name: benchmark.set_question_dynamic_rubric(name, None),
    ],
)
def test_what_is_not_there_is_a_failed_lookup(ask: Callable[[Benchmark, str], Json]) -> None:
    benchmark = load(canonical())
    with pytest.raises(LookupFailedError, match=r"there is no (question|scenario) 'nothing'") as failed:
        ask(benchmark, "nothing")
    assert isinstance(failed.value, KeyError)
    assert isinstance(failed.value, ValueError)
    assert benchmark.to_jsonld("plain") == canonical()


def test_what_is_stated_about_a_question_is_shown_on_its_own() -> None:
    whole = item()
    whole["item"]["additionalProperty"] += [setting("custom_level", "easy"), setting("original_answer_template", "A")]
    benchmark = load(canonical(whole))
    metadata = benchmark.get_question_metadata(METAL)
    assert list(metadata) == [
        *("id", "question", "raw_answer", "date_created", "date_modified", "finished"),
        *("author", "sources", "custom_metadata", "has_template", "has_rubric"),
    ]
    assert (metadata["id"], metadata["has_template"], metadata["has_rubric"]) == (METAL, True, True)
    assert [benchmark.get_question_custom_property(METAL, name) for name in ("level", "other")] == ["easy", None]
    assert benchmark.get_question_timestamps(METAL) == {
        "created": "2026-01-01T00:00:00",
        "modified": "2026-01-02T00:00:00.123456",
        "date_added": "2026-01-01T00:00:00",
        "registry_modified": "2026-01-02T00:00:00.123456",
    }
    assert benchmark.get_question_properties(METAL)["original_answer_template"] == "A"
    assert benchmark.get_registry_entry(METAL).finished


def test_progress_is_counted() -> None:
    benchmark = numbered(4, finished=3)
    assert (benchmark.finished_count, benchmark.get_progress(), benchmark.is_complete) == (3, 75.0, False)
    assert benchmark.get_finished_questions(ids_only=True) == ["urn:uuid:0", "urn:uuid:1", "urn:uuid:2"]
    assert [one["question"] for one in benchmark.get_unfinished_questions()] == ["Question 3?"]
    assert numbered(2, finished=2).is_complete


def test_a_question_without_the_text_of_a_template_keeps_a_benchmark_incomplete() -> None:
    whole = item()
    whole["item"]["hasPart"]["text"] = ""
    without, usual = load(canonical(whole)), load(canonical())
    assert (without.is_complete, without.has_template(METAL)) == (False, False)
    assert (usual.has_template(METAL), usual.has_template("nothing")) == (True, False)


def test_two_questions_with_one_identifier_are_both_there() -> None:
    benchmark = load(canonical(item("One?"), item("Two?"), item("Three?", f"{METAL}-1"), item("Four?")))
    assert benchmark.get_question_ids() == [METAL, f"{METAL}-2", f"{METAL}-1", f"{METAL}-3"]
    assert benchmark[f"{METAL}-2"].question == "Two?"
    assert [one.condition for one in benchmark.findings] == ["W-DUP-ID", "W-DUP-ID"]


def test_a_question_without_identifier_has_the_one_that_karenina_computes() -> None:
    computed = "urn:uuid:question-what-is-2+2-936dbc87"
    benchmark = load(canonical(item("What is 2+2?", None), item("What is 2+2?", None), item("Other?", f"{computed}-1")))
    assert benchmark.get_question_ids() == [computed, f"{computed}-2", f"{computed}-1"]
    assert "@id" not in benchmark.to_jsonld()["dataFeedElement"][0]


def test_what_is_added_to_the_graph_is_seen() -> None:
    benchmark = load(canonical())
    assert (benchmark.question_count, benchmark.graph.root) == (1, URIRef("urn:uuid:karenina-checkpoint-1767225600.5"))
    benchmark.graph.append(benchmark.graph.root, "dataFeedElement", item("Another?", "urn:uuid:2"))
    assert benchmark.get_question_ids() == [METAL, "urn:uuid:2"]


@pytest.mark.parametrize("dialect", ["datafeed-ns-v3", "gui-datafeed", "dataset-1", "v2.0"])
def test_nodes_that_are_added_beside_the_checkpoint_are_saved(dialect: str, tmp_path: Path) -> None:
    benchmark = load(canonical())
    ada, cycle, blank = URIRef("urn:example:ada"), URIRef("urn:example:cycle"), BNode()
    added = {
        (ada, URIRef("urn:example:made"), benchmark.graph.root),
        (ada, URIRef("urn:example:wrote"), URIRef(METAL)),
        (ada, SDO.name, Literal("Ada")),
        (cycle, URIRef("urn:example:next"), ada),
        (ada, URIRef("urn:example:next"), cycle),
        (cycle, SDO.about, URIRef(f"{METAL}#/item/acceptedAnswer")),
        (cycle, SDO.about, URIRef("https://example.org/schema.json#/definitions/metal")),
        (SDO.Question, SDO.name, Literal("a class")),
    }
    for statement in (*added, (ada, URIRef("urn:example:knows"), blank), (blank, SDO.name, Literal("Bo"))):
        benchmark.graph.add(statement)
    benchmark.save(tmp_path / "saved.json", dialect=dialect)
    again = Benchmark.load(tmp_path / "saved.json")
    assert added <= {*again.graph}
    assert [*again.graph.objects(None, SDO.name)].count(Literal("Bo")) == 1
    assert again.question_count == 1


@pytest.mark.parametrize("context", ["plain", "improved"])
@pytest.mark.parametrize(
    "statement",
    [
        (SDO.name, Literal("gut", lang="de")),
        (SDO.dateCreated, Literal("2026-03-01", datatype=XSD.date)),
        (SDO.name, Literal("2026-03-01T09:00:00", datatype=XSD.dateTime)),
        (SDO.name, Literal('{"a":1}', datatype=RDF.JSON)),
    ],
)
def test_a_node_beside_the_checkpoint_whose_values_need_a_context_is_read_again(
    statement: tuple[URIRef, Literal], context: str, tmp_path: Path
) -> None:
    benchmark = load(canonical())
    benchmark.graph.add((URIRef("urn:example:review"), *statement))
    benchmark.save(tmp_path / "saved.jsonld", context=context)
    again = Benchmark.load(tmp_path / "saved.jsonld")
    assert (URIRef("urn:example:review"), *statement) in again.graph
    again.save(tmp_path / "again.jsonld", context=context)
    assert (tmp_path / "again.jsonld").read_bytes() == (tmp_path / "saved.jsonld").read_bytes()


def test_statements_about_nodes_of_a_checkpoint_do_not_repeat_them() -> None:
    benchmark = load(canonical())
    text = f"<urn:example:ada> <urn:example:made> <{benchmark.graph.root}> ; <urn:example:wrote> <{METAL}> ."
    again = Benchmark.load((benchmark.to_turtle() + text).encode(), syntax="turtle")
    added = {(URIRef("urn:example:ada"), URIRef("urn:example:made"), benchmark.graph.root)}
    added.add((URIRef("urn:example:ada"), URIRef("urn:example:wrote"), URIRef(METAL)))
    assert {*again.graph} - {*benchmark.graph} >= added
    assert len([*again.graph.subjects(RDF.type, SDO.Question)]) == 1
    assert [one.question for one in again.questions] == [one.question for one in benchmark.questions]


def test_a_graph_is_loaded_for_queries_once_after_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = load(canonical())
    added: list[str] = []
    add = sparql.Dataset.add

    def counted(self: sparql.Dataset, graph: CheckpointGraph, **options: Json) -> str:
        added.append(add(self, graph, **options))
        return added[-1]

    monkeypatch.setattr(sparql.Dataset, "add", counted)
    query = "SELECT ?name { ?benchmark a schema:DataFeed ; schema:name ?name }"
    for name in ("Metals", "Rivers", "Lakes", "Seas"):
        if name == "Seas":
            benchmark.set_metadata(name=name, id="urn:example:seas")
        elif name == "Lakes":
            benchmark.graph.set((benchmark.graph.root, SDO.name, Literal(name)))
        elif name == "Rivers":
            benchmark.set_metadata(name=name)
        for one in (benchmark, benchmark, copy.deepcopy(benchmark), benchmark.clone()):
            assert [row["name"] for row in one.query(query)] == [name]
    # An edit is followed; copies and a benchmark with another name are loaded.
    assert added == ["urn:uuid:karenina-checkpoint-1767225600.5"] * 7 + ["urn:example:seas"] * 3


def test_a_benchmark_and_a_report_can_be_pickled_and_copied() -> None:
    tree = canonical()
    benchmark = load(tree)
    tree["dateModified"] = "yesterday"  # for a finding with a place
    report = checkpoint_ld.validate(json.dumps(tree).encode())
    old = load(
        {
            "version": "2.0",
            "checkpoint": {"1": {"question": "Which?", "raw_answer": "", "keywords": "x"}},
            "odd": [1, {"a": 2}],
        }
    )
    assert report.findings
    assert old.findings
    for value in (benchmark, report, load(tree), old):
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.deepcopy(value) == value
    again = pickle.loads(pickle.dumps(benchmark))
    again.add_question("Another?", "Yes")
    assert (len(again), len(benchmark)) == (2, 1)


# --- rubrics and scenarios


def names(rubric: Rubric | DynamicRubric | None) -> list[str]:
    return rubric.get_trait_names() if rubric else []


def test_rubrics_are_shown_by_scope() -> None:
    dynamic = LLMRubricTrait(name="dose", kind="boolean", summary="a dose")
    tree = canonical(item(), item("Other?", "urn:uuid:2"))
    tree["rating"].append(rating_of(dynamic, "Global", dynamic=True))
    tree["dataFeedElement"][1]["item"]["rating"] = [rating_of(dynamic, "QuestionSpecific", dynamic=True)]
    benchmark = load(tree)
    assert benchmark.global_rubric == benchmark.get_global_rubric()
    assert (names(benchmark.global_rubric), names(benchmark.get_global_dynamic_rubric())) == (["tone"], ["dose"])
    shown = [benchmark.get_question_rubric(METAL), benchmark.get_question_dynamic_rubric("urn:uuid:2")]
    assert [names(one) for one in shown] == [["cites"], ["dose"]]
    assert (benchmark.get_question_rubric("urn:uuid:2"), benchmark.get_question_dynamic_rubric(METAL)) == (None, None)
    assert benchmark.get_question("urn:uuid:2")["question_dynamic_rubric"]["llm_traits"] == [dynamic]


def test_a_benchmark_of_scenarios_shows_them() -> None:
    benchmark = load(scenario())
    assert (benchmark.is_scenario_benchmark, benchmark.scenario_count, len(benchmark)) == (True, 1, 1)
    assert benchmark.get_scenarios() == benchmark.scenarios == [benchmark.get_scenario("retry")]
    assert (benchmark.question_count, benchmark.is_empty) == (0, False)
    assert repr(benchmark) == "<Benchmark 'Metals' 0.2.0: 1 scenarios>"
    assert not load(canonical()).is_scenario_benchmark


def test_a_part_that_is_no_scenario_is_kept_and_no_scenario() -> None:
    benchmark = load(canonical() | {"hasPart": [{"@type": "CreativeWork", "name": "x"}, {"@id": "urn:y"}]})
    assert (benchmark.scenario_count, benchmark.scenarios) == (0, [])


HOSTILE = "__import__('os').environ.__setitem__('CHECKPOINT_LD_WAS_HERE', '1') or (lambda state: state)"


def test_no_python_text_of_a_document_is_run(tmp_path: Path) -> None:
    turns = scenario()
    turns["hasPart"][0]["nodes"]["again"]["stateUpdateSource"] = HOSTILE
    turns["hasPart"][0]["edges"][1]["conditionSource"] = HOSTILE
    turns["hasPart"][0]["outcomeCriteria"][0]["evaluateSource"] = HOSTILE
    questions = canonical()
    questions["rating"] = [rating("c", "Global", callable_code=HOSTILE, kind="boolean")]
    questions["rating"][0]["additionalType"] = "karenina:GlobalCallableTrait"
    questions["dataFeedElement"][0]["item"]["hasPart"]["text"] = HOSTILE
    for document in (turns, questions):
        benchmark = load(document)
        benchmark.get_all_questions()
        assert (benchmark.scenarios, benchmark.global_rubric) != ([], None)
        for name in ("a.json", "a.ttl", "a.nt"):
            benchmark.save(tmp_path / name)
            Benchmark.load(tmp_path / name)
    assert "CHECKPOINT_LD_WAS_HERE" not in os.environ


# --- saving


@pytest.mark.parametrize("extension", ["jsonld", "v1", "json", "ttl", "nt", "nq", "trig"])
def test_what_is_saved_is_loaded_again(extension: str, tmp_path: Path) -> None:
    benchmark = Benchmark("Metals", creator=Person(name="A", url="https://a.example"))
    benchmark.add_question("Which?", "That", keywords=["k"], custom_metadata={"a": [1, 1.0, None]})
    found = benchmark.save(tmp_path / f"m.{extension}")
    assert [one.message for one in found] == ["1 question without a template: Karenina refuses the file"] * (
        extension in ("jsonld", "v1", "json")
    )
    assert not benchmark.save(tmp_path / f"m.{extension}", placeholders=True)
    benchmark.save(tmp_path / f"m.{extension}")
    assert [one.name for one in tmp_path.iterdir()] == [f"m.{extension}"]
    again = Benchmark.load(tmp_path / f"m.{extension}")
    assert again.to_jsonld() == benchmark.to_jsonld()
    assert set(again.graph) == set(benchmark.graph)
    assert [one.code for one in again.findings] == ["KT001"]  # Karenina wants a template


def test_saving_replaces_a_file_unless_that_is_not_wanted_or_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="create the folder first"):
        load(canonical()).save(tmp_path / "missing" / "metals.jsonld")
    target = tmp_path / "metals.jsonld"
    target.write_text("old")
    with pytest.raises(TargetExistsError):
        load(canonical()).save(target, overwrite=False)
    unusual = load(canonical() | {"hasPart": [{"@type": "CreativeWork"}]})
    unusual.name = "Alloys"
    with pytest.raises(WriteError, match="/hasPart/0 is no scenario"):
        unusual.save(target)
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"metals.jsonld": "old"}
    load(canonical()).save(target)
    assert Benchmark.load(target).name == "Metals"


def test_what_was_loaded_twice_is_edited_once(tmp_path: Path) -> None:
    target = tmp_path / "metals.jsonld"
    load(canonical()).save(target)
    one, other = Benchmark.load(target), Benchmark.load(target)
    one.name = "Alloys"
    assert other.name == "Metals"


def test_the_workspace_root_stays_beside_the_file(tmp_path: Path) -> None:
    made = Benchmark.create("Metals", workspace_root=tmp_path)
    assert made.workspace_root == tmp_path
    assert made.clone().workspace_root == tmp_path
    made.save(tmp_path / "a.json")
    assert str(tmp_path).encode() not in (tmp_path / "a.json").read_bytes()
    assert Benchmark.load(tmp_path / "a.json").workspace_root is None
    loaded = Benchmark.load(tmp_path / "a.json", str(tmp_path / "w"))
    assert loaded.workspace_root == tmp_path / "w"
    loaded.set_workspace_root(tmp_path / "v")
    assert (loaded.workspace_root, loaded) == (tmp_path / "v", made)
    loaded.workspace_root = None
    assert (loaded.workspace_root, loaded) == (None, made)


# --- Adding questions to a benchmark.


TEXT = "What is 2+2?"
TEXT_ID = "urn:uuid:question-what-is-2+2-936dbc87"
OBJECT_ID = "936dbc8755f623c951d96ea2b03e13bc"
SUM: dict[str, Json] = {"question": TEXT, "raw_answer": "4"}


def again(benchmark: Benchmark) -> Benchmark:
    """Return the benchmark after a trip through the statements."""
    return Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt")


def made(*given: Json, **found: Json) -> Benchmark:
    """Return a benchmark to which one question was added."""
    benchmark = Benchmark("Sums")
    benchmark.add_question(*given, **found)
    return benchmark


@pytest.mark.slow
def test_a_text_and_its_answer_make_a_question(tmp_path: Path) -> None:
    benchmark = Benchmark("Sums")
    assert benchmark.add_question(TEXT, "4") == TEXT_ID
    benchmark.save(tmp_path / "sums.jsonld")
    assert "hasPart" not in json.loads((tmp_path / "sums.jsonld").read_bytes())["dataFeedElement"][0]["item"]
    for one in (benchmark, Benchmark.load(tmp_path / "sums.jsonld")):
        question = one[TEXT_ID]
        assert (question.question, question.raw_answer, question.answer_template) == (TEXT, "4", None)
        assert question.date_created == question.date_modified
        assert datetime.fromisoformat(question.date_created).tzinfo is not None
        assert (one.has_template(TEXT_ID), one.finished_count) == (False, 0)


def test_adding_dates_the_benchmark() -> None:
    benchmark = load(canonical())
    benchmark.add_question(TEXT, "4")
    assert str(benchmark.modified_at) > "2026-01-02T00:00:00"
    assert benchmark.created_at == "2026-01-01T00:00:00"


def test_everything_that_is_stated_about_a_question_is_kept() -> None:
    found: dict[str, Json] = {
        "answer_template": "class Answer: ...",
        "author": {"@type": "Person", "name": "A"},
        "sources": [{"url": "u"}],
        "custom_metadata": {"level": [1, 1.0, None, {"@id": "x"}], "custom_x": "y"},
        "few_shot_examples": [{"question": "q", "answer": "a"}],
        "answer_notes": "n",
        "keywords": ["b", "a", "b"],
    }
    benchmark = made(TEXT, "4", question_id="urn:uuid:sum", finished=False, **found)
    read = again(benchmark).get_question("urn:uuid:sum")
    assert {name: read[name] for name in found} == found
    assert read["finished"] is False
    assert again(benchmark).to_jsonld() == benchmark.to_jsonld()


def test_the_order_of_the_arguments_is_that_of_karenina() -> None:
    found: dict[str, Json] = {
        "answer_template": "class A: ...",
        "id": "urn:x",
        "finished": True,
        "author": {"name": "A"},
    }
    found |= {"sources": [{"url": "u"}], "custom_metadata": {"k": 1}}
    found |= {"few_shot_examples": [{"question": "q", "answer": "a"}], "answer_notes": "n"}
    assert made(TEXT, "4", *found.values()).get_question("urn:x").items() >= found.items()


def test_a_mapping_makes_a_question_and_goes_before_the_arguments() -> None:
    found = {**SUM, "keywords": ["k"], "question_id": "urn:x", "finished": True}
    read = made(found, raw_answer="5", question_id="urn:y", answer_notes="n").get_question("urn:x")
    assert (read["raw_answer"], read["keywords"], read["answer_notes"], read["finished"]) == ("4", ["k"], "n", True)


def test_the_old_name_of_keywords_is_understood() -> None:
    assert made({**SUM, "tags": ["a", None]})[0].keywords == ["a"]


def test_a_question_object_makes_a_question_with_all_it_has() -> None:
    rubric = Rubric(regex_traits=[RegexRubricTrait(name="r", pattern="x")])
    dynamic = DynamicRubric(llm_traits=[LLMRubricTrait(name="d", kind="score", min_score=0, max_score=1, summary="s")])
    found: Json = {**SUM, "keywords": ["k"], "answer_template": "class Answer: ...", "author": {"name": "A"}}
    found |= {"date_created": "2026-01-01", "date_modified": "2026-01-02", "answer_notes": "n", "workspace_path": "w"}
    found |= {"question_rubric": rubric.model_dump(mode="json")}
    question = Question(**found, question_dynamic_rubric=dynamic.model_dump(mode="json"))
    benchmark = Benchmark("Sums")
    assert benchmark.add_question(question) == OBJECT_ID == question.id
    for one in (benchmark, again(benchmark)):
        shown = one[OBJECT_ID], one.get_question_rubric(OBJECT_ID), one.get_question_dynamic_rubric(OBJECT_ID)
        assert shown == (question, rubric, dynamic)
        assert one.finished_count == 1
    assert question == Question.model_validate(question.model_dump())


def test_arguments_go_before_what_a_question_object_states() -> None:
    question = Question(question=TEXT, raw_answer="4", answer_notes="object", author={"name": "object"})
    benchmark = made(question, question_id="urn:x", answer_notes="argument")
    assert (benchmark["urn:x"].answer_notes, benchmark["urn:x"].author) == ("argument", {"name": "object"})


def test_a_question_object_is_added_with_more_stated_about_it() -> None:
    benchmark = Benchmark("Sums")
    added = benchmark.add_question_from_object(Question(question=TEXT, raw_answer="4"), answer_notes="n", finished=True)
    assert (added, benchmark[added].answer_notes, benchmark.finished_count) == (OBJECT_ID, "n", 1)
    refused: list[tuple[Json, Json, str]] = [
        (Question(question=TEXT, raw_answer="5"), {}, "already"),
        (TEXT, {}, "needs a reference answer"),
        (Question(question="Q?", raw_answer="a"), {"colour": "red"}, "colour: Extra inputs"),
    ]
    for question, found, words in refused:
        with pytest.raises(WriteError, match=words):
            benchmark.add_question_from_object(question, **found)
    assert benchmark.question_count == 1


def test_what_one_benchmark_shows_another_one_takes() -> None:
    source = load(canonical())
    shown = source.get_question(source.get_question_ids()[0])
    target = Benchmark("Copy")
    identifier = target.add_question({**shown, "question_id": shown["id"]})
    assert target.get_question(identifier) == shown


@settings(deadline=None, max_examples=examples(30))
@given(trait=traits)
def test_every_trait_of_a_question_is_kept(trait: AnyTrait) -> None:
    rubric = Rubric.from_traits([trait])
    benchmark = made({**SUM, "question_rubric": rubric})
    assert again(benchmark).get_question_rubric(TEXT_ID) == rubric


askings = st.tuples(st.text(min_size=1, max_size=9).filter(str.strip), st.none() | st.text(min_size=1, max_size=9))


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(askings, min_size=1, max_size=4, unique_by=lambda one: one[1] or one))
def test_any_text_and_any_identifier_come_back(wanted: list[tuple[str, str | None]]) -> None:
    benchmark = Benchmark("Sums")
    added = [benchmark.add_question(text, "a", question_id=identifier) for text, identifier in wanted]
    read = Benchmark.load(json.dumps(benchmark.to_jsonld()).encode())
    assert read.get_question_ids() == again(benchmark).get_question_ids() == added
    assert read.get_all_questions() == benchmark.get_all_questions()


# --- identifiers


def test_equal_texts_get_suffixes() -> None:
    benchmark = Benchmark("Sums")
    assert [benchmark.add_question(TEXT, "4") for _ in range(3)] == [TEXT_ID, f"{TEXT_ID}-1", f"{TEXT_ID}-2"]
    assert again(benchmark).get_question_ids() == [TEXT_ID, f"{TEXT_ID}-1", f"{TEXT_ID}-2"]


def test_a_computed_identifier_avoids_those_that_files_leave_out() -> None:
    benchmark = load(canonical(item(TEXT, None)))
    assert benchmark.add_question(TEXT, "4") == f"{TEXT_ID}-1"
    assert benchmark.get_question_ids() == [TEXT_ID, f"{TEXT_ID}-1"]


@pytest.mark.parametrize("second", [TEXT, {"question": TEXT}, Question(question=TEXT, raw_answer="4")])
def test_an_identifier_that_is_taken_is_refused(second: Json) -> None:
    benchmark = Benchmark("Sums")
    benchmark.add_question(Question(question=TEXT, raw_answer="4"))
    with pytest.raises(WriteError, match=f"there is a question '{OBJECT_ID}' already"):
        benchmark.add_question(second, raw_answer="4", question_id=OBJECT_ID)
    with pytest.raises(WriteError, match=f"there is a question '{OBJECT_ID}' already"):
        benchmark.add_question(Question(question=TEXT, raw_answer="5"))
    assert benchmark.question_count == 1


@pytest.mark.parametrize(
    ("question", "expected"),
    [(5, {}), (TEXT, {"finished": "yes"}), (TEXT, {"finished": 1}), (TEXT, {"answer_template": b"class A"})],
)
def test_a_value_of_another_type_is_an_error_of_type_too(question: Json, expected: Json) -> None:
    with pytest.raises(WrongTypeError) as refused:
        Benchmark("Sums").add_question(question, "4", **expected)
    assert isinstance(refused.value, TypeError)
    assert isinstance(refused.value, ValueError)


@pytest.mark.parametrize("identifier", ["", 5])
def test_an_identifier_is_a_text(identifier: Json) -> None:
    with pytest.raises(WriteError, match=r"question_id is .*: give str|is no text"):
        Benchmark("Sums").add_question(TEXT, "4", question_id=identifier)


def test_identifiers_are_those_that_karenina_gives_one_after_the_other(corpus: Path) -> None:
    table = json.loads((corpus / "tables" / "ids.json").read_text(encoding="utf-8"))
    for collisions in table["collisions"]:
        benchmark = Benchmark("Ids")
        assert [benchmark.add_question(text, "a") for text in collisions["texts"]] == collisions["ids"]
    objects = Benchmark("Objects")
    for text, identifier in table["question_object_ids"]:
        if text.strip():
            assert objects.add_question(Question(question=text, raw_answer="a")) == identifier


# --- whether a question is finished


@pytest.mark.parametrize(
    ("template", "expected", "finished"),
    [
        (None, None, False),
        ("class Answer: ...", None, True),
        (default_template(TEXT), None, False),
        (default_template("Another question?"), None, False),
        ("  ", None, False),
        (None, True, True),
        ("class Answer: ...", False, False),
    ],
)
def test_a_question_with_a_template_of_its_own_is_finished(
    template: str | None, expected: bool | None, finished: bool
) -> None:
    assert made(TEXT, "4", template, finished=expected).get_question(TEXT_ID)["finished"] is finished


# --- what is refused


@pytest.mark.parametrize(
    ("question", "expected", "fault"),
    [
        *((one, {}, "needs a reference answer") for one in (TEXT, {"question": TEXT})),
        *((blank, {"raw_answer": "4"}, "needs a text") for blank in ("", " \n")),
        ({"raw_answer": "4"}, {}, "needs a text: it is missing"),
        ({**SUM, "colour": "red"}, {}, "colour: Extra inputs"),
        ({"question": 5, "raw_answer": "4"}, {}, "question: Input should be a valid string"),
        (5, {"raw_answer": "4"}, "5 is no question: give a text, a mapping or a Question"),
        ("\ud800?", {"raw_answer": "4"}, "is refused: question"),
        ({**SUM, "question_rubric": {"regex_traits": [{"name": "r"}]}}, {}, "rubric of the q"),
        ({**SUM, "question_rubric": {"llm_traits": [{"name": "a.b", "kind": "score"}]}}, {}, "dot"),
        *(
            (TEXT, {"raw_answer": "4", **expected}, fault)
            for expected, fault in (
                ({"finished": "yes"}, "finished is 'yes'"),
                ({"answer_template": 5}, "the template is 5: give Python text"),
                ({"answer_template": TemplateSpec(fields=[])}, "this is no template"),
                ({"author": "A. Smith"}, "author: Input should be a valid dictionary"),
                ({"author": {"age": float("inf")}}, "inf is not a JSON number"),
                ({"keywords": "k"}, "keywords: Input should be a valid list"),
                ({"custom_metadata": {"x": float("nan")}}, "value at .*nan is not a JSON number"),
                (
                    {"custom_metadata": {"x": {1, 2}}},
                    "the value at .*/x. cannot be written: set is not a JSON type; give",
                ),
                ({"sources": [{"url": "\ud800"}]}, "surrogate"),
                ({"question_id": "\ud800"}, "surrogate"),
            )
        ),
    ],
)
def test_what_is_no_question_is_refused_and_changes_nothing(question: Json, expected: Json, fault: str) -> None:
    benchmark = load(canonical())
    with pytest.raises(WriteError, match=fault):
        benchmark.add_question(question, **expected)
    assert benchmark.to_jsonld("plain") == canonical()
    assert benchmark.question_count == 1


def test_an_empty_answer_is_kept_from_files_and_refused_from_authors() -> None:
    assert again(Benchmark("Sums")).question_count == 0
    assert load(canonical({**item(TEXT), "item": {**item(TEXT)["item"], "acceptedAnswer": {"text": ""}}})).questions
    with pytest.raises(WriteError, match="answer to the question is empty"):
        made(TEXT, "")


def test_a_benchmark_of_scenarios_takes_no_questions() -> None:
    with pytest.raises(WriteError, match="benchmark of scenarios holds no questions"):
        load(scenario()).add_question(TEXT, "4")


# --- several at once


def test_several_questions_are_added_in_their_order() -> None:
    benchmark = Benchmark("Sums")
    several: list[Json] = [SUM, Question(question=TEXT, raw_answer="4"), {"question": TEXT, "raw_answer": "5"}]
    assert benchmark.add_questions(several) == [TEXT_ID, OBJECT_ID, f"{TEXT_ID}-1"]
    assert [one.raw_answer for one in again(benchmark).questions] == ["4", "4", "5"]
    benchmark.add_questions([{"question": "Done?", "raw_answer": "yes"}], finished=True)
    assert len(benchmark.get_finished_questions()) == 1
    assert len(benchmark.add_questions_batch([{"question": "More?", "raw_answer": "no"}], False)) == 1


@pytest.mark.parametrize("last", [{"question": ""}, {**SUM, "question_id": "urn:x"}])
def test_of_several_questions_all_are_added_or_none(last: dict[str, Json]) -> None:
    benchmark = load(canonical())
    with pytest.raises(WriteError):
        benchmark.add_questions([{**SUM, "question_id": "urn:x"}, last])
    assert benchmark.to_jsonld("plain") == canonical()
    assert benchmark.add_questions([]) == []
    assert benchmark.modified_at == "2026-01-02T00:00:00"


def test_the_graph_of_a_benchmark_that_grew_is_that_of_one_that_was_read() -> None:
    benchmark = Benchmark("Sums")
    benchmark.add_questions({"question": f"{at}?", "raw_answer": str(at), "keywords": ["k"]} for at in range(12))
    read = Benchmark.load(json.dumps(benchmark.to_jsonld()).encode())
    assert set(read.graph) == set(benchmark.graph)


def test_what_was_given_is_not_changed() -> None:
    found: dict[str, Any] = {**SUM, "custom_metadata": {"a": [1]}, "finished": True}
    before = json.loads(json.dumps(found))
    benchmark = made(found)
    assert found == before
    found["custom_metadata"]["a"].append(2)
    assert benchmark[TEXT_ID].custom_metadata == {"a": [1]}


@pytest.mark.parametrize("identifier", ["urn:karenina:sha256:abc", "checkpoint://id/x", "_:b", "@id", "#/item", "a b%"])
def test_every_identifier_that_is_taken_is_found_after_a_trip(identifier: str, tmp_path: Path) -> None:
    benchmark = made(TEXT, "4", question_id=identifier)
    for dialect in ("datafeed-ns-v3", "v2.0", "gui-datafeed", "dataset-1"):
        benchmark.save(tmp_path / "a.json", dialect=dialect)
        assert Benchmark.load(tmp_path / "a.json").get_question_ids() == [identifier]
    assert again(benchmark).get_question_ids() == [identifier]


def test_a_question_whose_text_was_removed_from_the_graph_cannot_be_read() -> None:
    benchmark = Benchmark.load(json.dumps(canonical()).encode())
    [identifier] = benchmark.get_question_ids()
    benchmark.graph.remove((None, SDO.text, Literal(benchmark.get_question(identifier)["question"])))
    with pytest.raises(ReadError, match="the question '' cannot be read: question: "):
        benchmark.get_question_as_object(identifier)


def test_a_question_is_found_by_the_id_of_its_entity_too() -> None:
    benchmark = Benchmark("Metals")
    first = benchmark.add_question("Which metal is liquid?", "Mercury", finished=False)
    benchmark.add_question("Which metal rusts?", "Iron", finished=False)

    benchmark.mark_finished(benchmark.questions[0].id)
    benchmark.mark_finished("d41d8cd98f00b204e9800998ecf8427e")

    assert benchmark.get_finished_questions(ids_only=True) == [first]
    assert benchmark.get_question(benchmark.questions[1].id)["raw_answer"] == "Iron"


def test_what_karenina_misses_in_a_benchmark_that_is_made_here_is_named_and_can_be_filled_in(tmp_path: Path) -> None:
    benchmark = Benchmark("Metals")
    benchmark.add_question("Which metal is liquid?", "Mercury")
    benchmark.save(tmp_path / "metals.jsonld", placeholders=True)

    assert [one.rule for one in benchmark.validate().report.at_least(Severity.VIOLATION)] == ["template-missing"]
    assert checkpoint_ld.validate(tmp_path / "metals.jsonld").conforms


def test_touch_sets_the_date_of_modification_and_nothing_else(tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonld", tmp_path / "second.jsonld"
    made = Benchmark("Metals")
    made.add_question("Which metal is liquid?", "Mercury")
    made.save(first)

    benchmark = Benchmark.load(first)
    before = benchmark.modified_at
    assert before is not None
    benchmark.save(second, True, touch=True)

    lines = zip(first.read_text().splitlines(), second.read_text().splitlines(), strict=True)
    assert [old.split(":")[0].strip() for old, new in lines if old != new] == ['"dateModified"']
    after = Benchmark.load(second).modified_at
    assert after is not None
    assert after > before


def test_the_findings_of_a_benchmark_that_was_not_edited_need_no_second_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = canonical()
    tree["dateModified"] = "yesterday"
    benchmark, edited = load(tree), load(tree)
    edited.set_metadata(name="Other")
    expected = edited.findings
    assert expected
    monkeypatch.setattr(CheckpointGraph, "of_tree", lambda _: pytest.fail("a second graph is built"))
    assert benchmark.findings == expected


@pytest.mark.parametrize("path", ["", "/item", "/item/acceptedAnswer", "/item/rating/0"])
def test_a_type_that_contradicts_its_place_is_a_finding_at_load_and_refused_when_strict(path: str) -> None:
    tree = canonical(item("Which metal rusts?"))
    holder: Any = tree["dataFeedElement"][0]
    for step in path.split("/")[1:]:
        holder = holder[int(step) if step.isdecimal() else step]
    holder["@type"] = "Thing"
    data = json.dumps(tree).encode()

    [finding] = (one for one in Benchmark.load(data).findings if one.code == "KN003")
    assert (finding.place.pointer, finding.severity) == (f"/dataFeedElement/0{path}/@type", Severity.WARNING)
    with pytest.raises(ReadError, match=r'KN003 .*the type is "Thing": this place requires'):
        Benchmark.load(data, strict=True)


@pytest.mark.parametrize("member", ["codeRepository", "name"])
def test_the_name_and_the_repository_of_a_template_have_to_be_texts(member: str) -> None:
    tree = canonical(item("Which metal rusts?"))
    tree["dataFeedElement"][0]["item"]["hasPart"][member] = 5

    place = f"/dataFeedElement/0/item/hasPart/{member}"
    found = checkpoint_ld.validate(json.dumps(tree).encode()).at_least(Severity.VIOLATION)
    assert [one.place.pointer for one in found] == [place]
