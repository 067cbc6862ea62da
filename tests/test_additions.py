"""Adding questions to a benchmark."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, WriteError, WrongTypeError
from checkpoint_ld.entities import AnyTrait, DynamicRubric, LLMRubricTrait, Question, RegexRubricTrait, Rubric
from checkpoint_ld.entities.template_spec import TemplateFieldSpec, TemplateSpec
from checkpoint_ld.mapping.questions import default_template
from tests.corpus import Json
from tests.documents import canonical, item, scenario
from tests.mapping import traits
from tests.trials import examples

TEXT = "What is 2+2?"
TEXT_ID = "urn:uuid:question-what-is-2+2-936dbc87"
OBJECT_ID = "936dbc8755f623c951d96ea2b03e13bc"
SUM: dict[str, Json] = {"question": TEXT, "raw_answer": "4"}


def load(tree: Json) -> Benchmark:
    return Benchmark.load(json.dumps(tree).encode())


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
        (TEXT, {}, r"question_obj is .*: give Question"),
        (Question(question="Q?", raw_answer="a"), {"colour": "red"}, "colour: Extra inputs"),
    ]
    for question, found, words in refused:
        with pytest.raises(WriteError, match=words):
            benchmark.add_question_from_object(question, **found)
    assert benchmark.question_count == 1


def test_a_specification_makes_the_template() -> None:
    found = {"name": "total", "type": "int", "description": "The sum", "ground_truth": 4}
    field = TemplateFieldSpec.model_validate({**found, "verify_with": {"type": "NumericExact"}})
    benchmark = made(TEXT, "4", TemplateSpec(fields=[field]))
    assert "total: int = VerifiedField(" in str(again(benchmark)[0].answer_template)
    assert benchmark.finished_count == 1


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
        ({"raw_answer": "4"}, {}, "question: Field required"),
        ({**SUM, "colour": "red"}, {}, "colour: Extra inputs"),
        ({"question": 5, "raw_answer": "4"}, {}, "question: Input should be a valid string"),
        (5, {"raw_answer": "4"}, "question is 5 .of type int.: give str . Mapping"),
        ("\ud800?", {"raw_answer": "4"}, "is refused: question"),
        ({**SUM, "question_rubric": {"regex_traits": [{"name": "r"}]}}, {}, "rubric of the q"),
        ({**SUM, "question_rubric": {"llm_traits": [{"name": "a.b", "kind": "score"}]}}, {}, "dot"),
        *(
            (TEXT, {"raw_answer": "4", **expected}, fault)
            for expected, fault in (
                ({"finished": "yes"}, "finished is 'yes'"),
                ({"answer_template": 5}, "answer_template is 5 .of type int.: give str"),
                ({"answer_template": TemplateSpec(fields=[])}, "this is no template"),
                ({"author": "A. Smith"}, "author is .*: give Mapping"),
                ({"author": {"age": float("inf")}}, "inf is not a JSON number"),
                ({"keywords": "k"}, "keywords is .*: give Sequence"),
                ({"custom_metadata": {"x": float("nan")}}, "value at .*nan is not a JSON number"),
                ({"custom_metadata": {"x": {1, 2}}}, "custom_metadata"),
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


def test_an_empty_answer_is_an_answer() -> None:
    assert again(Benchmark("Sums")).question_count == 0
    assert again(made(TEXT, ""))[TEXT_ID].raw_answer == ""


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
