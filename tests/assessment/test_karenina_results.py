"""Results that Karenina exported: read as recorded answers, held against the templates, and queried as RDF."""

import contextlib
import csv
import gzip
import io
import json
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

import checkpoint_ld
from checkpoint_ld.assessment import Assessment, RecordedAnswer, Status, Tally, TraitStatus, assess, earl, read_answers
from checkpoint_ld.assessment.assessing import line_of
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.entities import AgenticRubricTrait, LLMRubricTrait, MetricRubricTrait, RegexRubricTrait
from checkpoint_ld.errors import ReadError, SourceMissingError
from checkpoint_ld.identifiers import question_object_id, template_id
from checkpoint_ld.phrases import shown
from tests.cli.conftest import Run, run

__all__ = ["run"]  # a fixture

TEXT = "Which metal is liquid?"
TEMPLATE = """class Answer(BaseAnswer):
    metal: str = VerifiedField(description="the metal", ground_truth="mercury", verify_with=ExactMatch())
"""
Json = dict[str, Any]


def benchmark() -> Benchmark:
    made = Benchmark.create("metals")
    made.add_question(TEXT, "Mercury", answer_template=TEMPLATE)
    tone = {"dry": "no word", "warm": "kind"}
    made.set_global_rubric(
        [
            LLMRubricTrait(name="clear", kind="boolean"),
            LLMRubricTrait(name="tone", kind="literal", classes=tone),
            RegexRubricTrait(name="cites", pattern=r"\[\d\]"),
            MetricRubricTrait(name="cover", metrics=["f1"], tp_instructions=["x"]),
        ]
    )
    return made


def result(**changes: Any) -> Json:
    """Return a result with members changed that are named `part__member`."""
    [question] = benchmark().get_question_ids()
    made: Json = {
        "metadata": {
            "question_id": question,
            "question_text": TEXT,
            "template_id": template_id(TEMPLATE),
            "answering": {"interface": "langchain", "model_name": "aurum-1"},
            "parsing": {"model_name": "judge-3"},
            "timestamp": "2026-11-01 10:53:47",
            "result_id": "36c1",
            "replicate": 1,
        },
        "template": {
            "raw_llm_response": "Mercury [1]",
            "parsed_llm_response": {"metal": "mercury"},
            "verify_result": True,
            "verify_granular_result": 1.0,
            "field_results": {"metal": True},
        },
        "rubric": {"llm_trait_scores": {"clear": True}, "regex_trait_scores": {"cites": True}},
    }
    for name, value in changes.items():
        part, _, member = name.partition("__")
        made[part] = {**made[part], member: value} if member else value
    return made


FAILED = {"template__verify_result": False}


def exported(folder: Path, *results: Json, layout: Callable[[Json], str] = json.dumps) -> Path:
    file = folder / "results.json"
    about = {"karenina_version": "0.1.0"}
    file.write_text(layout({"format_version": "2.2", "metadata": about, "results": list(results)}), encoding="utf-8")
    return file


def tabled(folder: Path, *rows: dict[str, str]) -> Path:
    file = folder / "results.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)
    return file


def found(folder: Path, **changes: Any) -> Assessment:
    [one] = assess(benchmark(), read_answers(exported(folder, result(**changes))))
    return one


@pytest.mark.parametrize("layout", [json.dumps, lambda value: json.dumps(value, indent=1)])
def test_a_result_is_a_recorded_answer_in_every_layout(tmp_path: Path, layout: Callable[[Json], str]) -> None:
    file = exported(tmp_path, result(), result(metadata__result_id="2"), layout=layout)
    one, other = read_answers(file)
    assert (one.values, one.trace, one.model, one.replicate) == ({"metal": "mercury"}, "Mercury [1]", "aurum-1", 1)
    assert (one.answer_id, one.date, other.answer_id) == ("36c1", "2026-11-01T10:53:47", "2")
    assert other.place.pointer == "/results/1"
    starts = [number for number, line in enumerate(file.read_text().splitlines(), 1) if line == "  {"]
    assert other.place.line == (starts[1] if starts else 1)


def test_older_exports_state_model_and_error_as_texts(tmp_path: Path) -> None:
    old = {"completed_without_errors": True, "answering_model": "aurum/1", "parsing_model": "judge-3", "error": None}
    stated = {**{f"metadata__{name}": value for name, value in old.items()}, "metadata__answering": None}
    one = found(tmp_path, **stated, metadata__parsing=None)
    assert (one.status, one.answer.model, one.traits[0].judge, one.differences) == ("passed", "aurum/1", "judge-3", ())
    failed = found(tmp_path, **stated | {"metadata__error": "timeout"}, template=None, rubric=None)
    assert (failed.status, failed.reason) == ("error", "there is no answer, since the run failed: timeout")
    numbered = found(tmp_path, **stated, metadata__replicate=None, metadata__answering_replicate=3)
    assert (numbered.answer.replicate, numbered.differences) == (3, ())


@pytest.mark.parametrize(
    ("layout", "pointer"),
    [
        (lambda whole: json.dumps({name: whole[name] for name in ("metadata", "results")}), "/results/1"),
        (lambda whole: json.dumps([{**one, "row_index": 1} for one in whole["results"]], indent=2), "/1"),
    ],
)
def test_an_export_without_a_version_is_read(tmp_path: Path, layout: Callable[[Json], str], pointer: str) -> None:
    one, other = read_answers(exported(tmp_path, result(), result(metadata__result_id="2"), layout=layout))
    assert (one.values, one.answer_id, other.answer_id) == ({"metal": "mercury"}, "36c1", "2")
    assert (other.place.pointer, one.recorded and one.recorded.unknown) == (pointer, ())


@pytest.mark.parametrize("values", ["parsed_llm_response", "parsed_response"])
@pytest.mark.parametrize(
    ("layout", "pointer"),
    [
        (lambda one: {"metadata": {"karenina_version": "0.1.0"}, "results": {"a/b": one}}, "/results/a~1b"),
        (lambda one: [{"row_index": 1, **one}], "/0"),
    ],
)
def test_the_results_of_the_first_exporters_are_read(
    tmp_path: Path, layout: Callable[[Json], Any], pointer: str, values: str
) -> None:
    [question] = benchmark().get_question_ids()
    first = {
        "question_id": question,
        "completed_without_errors": True,
        "error": None,
        "question_text": TEXT,
        "raw_llm_response": "12",
        values: {"metal": "mercury"},
        "verify_result": True,
        "verify_granular_result": 1.0,
        "verify_rubric": {"clear": True, "cites": False},
        "answering_model": "openai/aurum-1",
        "parsing_model": "openai/judge-3",
        "answering_replicate": 2,
        "timestamp": "2025-09-01 10:53:47",
        "embedding_override_applied": False,
    }
    file = tmp_path / "results.json"
    file.write_text(json.dumps(layout(first)), encoding="utf-8")
    [one] = assess(benchmark(), read_answers(file))
    assert one.answer.recorded is not None
    assert (one.status, one.answer.recorded.passed, one.answer.recorded.unknown) == ("passed", True, ())
    assert [(trait.name, trait.value) for trait in one.answer.recorded.traits] == [("clear", True), ("cites", False)]
    assert (one.answer.trace, one.answer.model, one.answer.replicate) == ("12", "openai/aurum-1", 2)
    assert one.answer.place.pointer == pointer
    failed = first | {"completed_without_errors": False, "error": "no time", "raw_llm_response": None, values: None}
    file.write_text(json.dumps(layout(failed | {"verify_rubric": None})), encoding="utf-8")
    [one] = assess(benchmark(), read_answers(file))
    assert one.reason == "there is no answer, since the run failed: no time"


def test_cells_that_an_older_exporter_quoted_twice_are_read(tmp_path: Path) -> None:
    cells = {"question_id": "q", "raw_llm_response": 'It is "Hg", I think', "parsed_llm_response": '{"metal": "Hg"}'}
    quoted = {name: '"' + cell.replace('"', '""') + '"' if '"' in cell else cell for name, cell in cells.items()}
    [one] = read_answers(tabled(tmp_path, quoted))
    assert (one.question_id, one.trace, one.values) == ("q", 'It is "Hg", I think', {"metal": "Hg"})


def test_a_column_of_a_table_is_what_its_whole_name_states(tmp_path: Path) -> None:
    cells = {"question_id": "q", "parsed_llm_response": "{}", "result_id": "1234567e12345678", "template_id": "12e4"}
    traits = {"rubric_evaluation_depth": "3", "rubric_hallucination_free": "True"}
    others = {"rubric_evaluation_performed": "True", "rubric_trait_reasoning": '{"clarity": "because"}'}
    [one] = read_answers(tabled(tmp_path, cells | traits | others))
    assert one.recorded is not None
    assert [(trait.name, trait.value) for trait in one.recorded.traits] == [
        ("evaluation_depth", 3),
        ("hallucination_free", True),
    ]
    assert (one.answer_id, one.recorded.template_id) == ("1234567e12345678", "12e4")


def test_a_table_that_a_spreadsheet_saved_is_read(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    header = "question_id;parsed_llm_response;verify_result;rubric_clear;rubric_brief"
    file.write_text(f'{header}\r\nq;"{{""metal"": ""Hg""}}";TRUE;FALSE;TRUE\r\n', encoding="utf-8-sig", newline="")
    [one] = read_answers(file)
    assert one.recorded is not None
    assert (one.values, one.recorded.passed) == ({"metal": "Hg"}, True)
    assert [trait.value for trait in one.recorded.traits] == [False, True]


def test_whole_numbers_that_pandas_writes_beside_gaps_are_scores(tmp_path: Path) -> None:
    cells = {"question_id": "q", "question_text": TEXT, "replicate": "2.0", "rubric_tone": "1.0"}
    [one] = assess(benchmark(), read_answers(tabled(tmp_path, cells | {"parsed_llm_response": '{"metal": 1.0}'})))
    assert [trait.value for trait in one.traits if trait.name == "tone"] == [1]
    assert (str(one.answer.replicate), one.answer.values) == ("2", {"metal": 1.0})


def test_texts_of_a_table_that_read_like_numbers_stay_texts(tmp_path: Path) -> None:
    texts = {"raw_answer": "4.0", "run_name": "7", "job_id": "1e5"}
    [answer] = read_answers(tabled(tmp_path, {"question_id": "q", "parsed_llm_response": "{}", **texts}))
    assert answer.extra["metadata"].items() >= texts.items()


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        ("openrouter:deepseek/r1:free", "deepseek/r1:free"),
        ("deepseek/r1:free", "deepseek/r1:free"),
        ("ollama/llama3.1:8b", "ollama/llama3.1:8b"),
        ("qwen3:8b", "qwen3:8b"),
        ("langchain:", "langchain:"),
    ],
)
def test_the_name_of_a_model_may_have_a_colon(tmp_path: Path, stated: str, name: str) -> None:
    cells = {"question_id": "q", "question_text": TEXT, "parsed_llm_response": '{"metal": "zinc"}'}
    cells["answering_model"], file = stated, tmp_path / "results.json"
    file.write_text(json.dumps([{"row_index": 1, **cells}]), encoding="utf-8")
    answers = (answer for path in (tabled(tmp_path, cells), file) for answer in read_answers(path))
    assert [answer.model for answer in answers] == [name, name]


def test_a_class_that_the_judge_did_not_name_is_an_error_and_counts_in_no_mean(tmp_path: Path) -> None:
    scores = ({"tone": -1}, {"tone": 1})
    results = (result(metadata__result_id=str(n), rubric__llm_trait_scores=one) for n, one in enumerate(scores))
    tally = Tally()
    for assessment in assess(benchmark(), read_answers(exported(tmp_path, *results))):
        tally.add(assessment)
    counted = tally.traits["tone", "llm"]
    assert (counted.by_status[TraitStatus.ERROR], counted.mean_value) == (1, 1.0)


def test_a_response_from_which_no_values_were_taken_has_no_verdict(tmp_path: Path) -> None:
    of_template = "parsed_llm_response", "verify_result", "verify_granular_result", "field_results"
    one = found(tmp_path, **dict.fromkeys(f"template__{name}" for name in of_template))
    assert (one.status, one.score, one.differences) == ("undecided", None, ())
    assert one.reason == "field metal: no values were taken from the response: give them as answer"
    assert [trait.status for trait in one.traits if trait.name == "cites"] == [TraitStatus.EVALUATED]


@pytest.mark.parametrize(("parsed", "shown"), [('{"met', r'"{\"met"'), (["mercury"], "an array of 1"), (5, "5")])
def test_values_that_are_no_object_are_an_error(tmp_path: Path, parsed: Any, shown: str) -> None:
    one = found(tmp_path, template__parsed_llm_response=parsed)
    reason = f"parsed_llm_response is {shown}, and no object: run the export again"
    assert (one.status, one.reason, one.recorded) == (Status.ERROR, reason, None)


def test_a_cell_of_traits_that_is_cut_off_is_an_error(tmp_path: Path) -> None:
    traits, cells = '{"cites": true, "clear": tr', {"question_id": "q", "parsed_llm_response": "{}"}
    rows = [{**cells, "question_specific_rubrics": cell} for cell in (traits, traits[:14] + "}", "null", "")]
    cut, whole, *others = read_answers(tabled(tmp_path, *rows))
    assert cut.fault == f"question_specific_rubrics is {shown(traits)}, and no object: run the export again"
    assert whole.recorded is not None
    assert [(trait.name, trait.value) for trait in whole.recorded.traits] == [("cites", True)]
    assert not any(one.fault for one in (whole, others[0]))


def test_a_packed_export_is_read(tmp_path: Path) -> None:
    file = exported(tmp_path, result())
    packed = file.with_name(f"{file.name}.gz")
    packed.write_bytes(gzip.compress(file.read_bytes(), mtime=0))
    assert [one.values for one in read_answers(packed)] == [one.values for one in read_answers(file)]


def test_a_table_with_a_summary_of_the_traits_and_the_parts_of_a_failure_is_read(tmp_path: Path) -> None:
    [question] = benchmark().get_question_ids()
    cells = {"question_id": question, "answering_model": "langchain:aurum-1"}
    judged = {"parsed_llm_response": '{"metal": "zinc"}', "verify_result": "false", "rubric_clear": "True"}
    why = {"failure_category": "timeout", "failure_stage": "generate_answer", "failure_reason": "no time"}
    rows = [
        {"row_index": "1", **cells, **judged, "rubric_summary": "1/1"},
        {"row_index": "2", **cells, "verify_result": "N/A", **why},
    ]
    one, other = assess(benchmark(), read_answers(tabled(tmp_path, *rows)))
    assert (one.status, one.differences, one.answer.recorded and one.answer.recorded.passed) == ("failed", (), False)
    assert [trait.name for trait in one.traits if trait.recorded] == ["clear"]
    assert other.reason == "there is no answer, since the run failed: no time (timeout, generate_answer)"


def test_what_the_web_interface_exports_is_read(tmp_path: Path) -> None:
    [question] = benchmark().get_question_ids()
    cells = {
        "row_index": "1",
        "question_id": question.removeprefix("urn:uuid:"),
        "question_text": TEXT,
        "success": "true",
        "raw_llm_response": "Zinc",
        "parsed_gt_answer": '{"metal":"mercury"}',
        "parsed_llm_answer": '{"metal":"zinc"}',
        "verify_result": "false",
        "verify_granular_result": "N/A",
        "metric_trait_metrics": "",
    }
    failed = cells | {"row_index": "2", "success": "false", "failure_reason": "no time", "verify_result": "N/A"}
    failed |= dict.fromkeys(("raw_llm_response", "parsed_llm_answer"), "")
    one, other = assess(benchmark(), read_answers(tabled(tmp_path, cells, failed)))
    assert one.answer.recorded is not None
    assert (one.status, one.answer.recorded.passed, one.answer.recorded.unknown) == ("failed", False, ())
    assert other.reason == "there is no answer, since the run failed: no time"
    whole = result() | dict.fromkeys(("failure_category", "failure_group", "failure_stage", "failure_reason"), "")
    [answer] = read_answers(exported(tmp_path, whole | {"success": True, "caveats": ""}))
    assert answer.recorded is not None
    assert answer.recorded.unknown == ()


@pytest.mark.slow
def test_the_exports_of_the_corpus_state_the_same_in_both_forms(corpus: Path) -> None:
    answers = [[*read_answers(corpus / "results" / name)] for name in ("results-2.2.json", "results.csv")]

    def stated(one: RecordedAnswer) -> object:
        assert one.recorded is not None
        assert one.recorded.unknown == ()
        traits = {(trait.name, trait.value) for trait in one.recorded.traits}
        return one.question_id, one.values, one.trace, one.model, one.date, one.recorded.passed, traits, bool(one.fault)

    assert [stated(one) for one in answers[0]] == [stated(one) for one in answers[1]]
    tally, asked = Tally(), checkpoint_ld.load(corpus / "datafeed-ns-v3" / "gen-rich-10.jsonld")
    assert isinstance(asked, Benchmark)
    for one in assess(asked, answers[0]):
        tally.add(one)
    assert tally.total.recorded == {Status.PASSED: 22, Status.FAILED: 15}
    assert tally.total.by_status == {Status.PASSED: 12, Status.FAILED: 5, Status.UNDECIDED: 20, Status.ERROR: 3}
    assert (tally.total.differing, len(tally.judged), len(tally.questions)) == (13, 14, 10)


@pytest.mark.parametrize(
    ("changes", "messages"),
    [
        ({}, []),
        (
            {**FAILED, "template__field_results": {"metal": False}},
            [
                "failed is recorded, and the template says passed: all fields pass",
                "failed is recorded for the field 'metal', and the template says passed",
            ],
        ),
        (
            {**FAILED, "template__abstention_override_applied": True},
            ["failed is recorded, and the template says passed (abstention overrode the template)"],
        ),
        (
            {"template__verify_granular_result": 0.5, "metadata__template_id": "0" * 32},
            ["the score 0.5 is recorded, and the template gives 1 (by another template)"],
        ),
        ({"metadata__question_text": "Which?"}, [f'the question was recorded as "Which?", and reads "{TEXT}" now']),
        ({"rubric__regex_trait_scores": {"cites": False}}, ["false is recorded for the trait 'cites', which gives"]),
        ({"rubric__llm_trait_scores": {"deep": 3}}, ["the question has no trait 'deep', for which values are rec"]),
        (
            {"template__new": 1, "later": 2},
            ["the member 'later' of results is not known, and", "the member 'template.new' of results is not known"],
        ),
    ],
)
def test_what_was_recorded_and_is_not_what_comes_out_is_a_finding(
    tmp_path: Path, changes: Json, messages: list[str]
) -> None:
    one = found(tmp_path, **changes)
    assert one.status is Status.PASSED
    held = [one.message for one in one.differences]
    assert [had.startswith(stated) for had, stated in zip(held, messages, strict=True)] == [True] * len(messages)
    assert one.differs is any("no trait" not in one and "not known" not in one for one in messages)
    assert all(finding.place.pointer == "/results/0" for finding in one.differences)
    assert [line["message"] for line in one.as_json()["differences"]] == held


@pytest.mark.parametrize(
    ("changes", "status", "reason"),
    [
        ({"metadata__question_id": question_object_id(TEXT)}, Status.PASSED, ""),
        ({"metadata__question_id": "q-17"}, Status.PASSED, ""),
        ({"metadata__question_id": "q-17", "metadata__question_text": "Who?"}, Status.ERROR, "there is no question"),
        ({"metadata": {}}, Status.ERROR, "the result has neither a question_id nor a question_text"),
        ({"template": None, "rubric": None}, Status.ERROR, "there is no answer in it"),
        ({"template": None}, Status.UNDECIDED, "nothing was recorded but verdicts on traits"),
        (
            {"template": None, "rubric": None, "metadata__failure": {"category": "timeout", "reason": "60 s"}},
            Status.ERROR,
            "there is no answer, since the run failed: 60 s (timeout)",
        ),
    ],
)
def test_a_result_joins_by_identifier_hash_and_text_or_states_why_not(
    tmp_path: Path, changes: Json, status: Status, reason: str
) -> None:
    one = found(tmp_path, **changes)
    assert (one.status, one.reason.startswith(reason)) == (status, True)


def test_damage_hides_no_other_result(tmp_path: Path) -> None:
    lines = [json.dumps(result(metadata__result_id=str(number))) for number in range(5)]
    head = '{"format_version": "2.2", "results": [\n'
    file = tmp_path / "results.json"
    lines[1] = lines[1][:200]
    lines[3] = lines[2]
    file.write_text(head + ",\n".join(lines)[:-40], encoding="utf-8")
    answers = [*read_answers(file)]
    held = [(one.place.line, one.answer_id, bool(one.fault)) for one in answers]
    assert held == [(2, "0", False), (3, None, True), (4, "2", False), (5, "2", True), (6, None, True)]
    assert "the result is half-written" in answers[1].fault
    assert "the same result stands in this file before" in answers[3].fault
    assert "the file ends within it" in answers[4].fault
    text = exported(tmp_path, result(metadata__run_name="é"), result(metadata__result_id="2")).read_text()
    file.write_bytes(text.replace("\\u00e9", "é").encode("latin-1"))
    assert [one.fault for one in read_answers(file)] == ["the result is not UTF-8: save the file as UTF-8", ""]
    file.write_text('{"format_version": "2.2", "results": 3}')
    with pytest.raises(ReadError, match=r"results\.json:1 is no export of results: '\[' is expected, not '3'"):
        [*read_answers(file)]


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (["q,{}"], "the row has 2 cells, and the header 3: run the export again"),
        (['q,"{""metal"": ""mer'], "the row is half-written: unexpected end of data; run the export again"),
        (["q,,", "", "q,,"], "there is no answer in it"),
    ],
)
def test_rows_that_are_half_written_are_reported(tmp_path: Path, rows: list[str], fault: str) -> None:
    file = tmp_path / "results.csv"
    file.write_text("question_id,parsed_llm_response,later\n" + "\n".join(rows), encoding="utf-8")
    answers = [*read_answers(file)]
    assert (answers[0].fault, answers[0].place.line) == (fault, 2)


@pytest.mark.slow
def test_an_export_is_not_held_in_memory(tmp_path: Path) -> None:
    results = (result(metadata__result_id=str(at), template__raw_llm_response="x" * 40_000) for at in range(200))
    file = exported(tmp_path, *results)
    tracemalloc.start()
    assert sum(1 for _ in read_answers(file)) == 200
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert file.stat().st_size > 8_000_000
    assert peak < 5_000_000


MEMBERS = [(part, name) for part, members in result().items() for name in (*members, None)]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["clear", "value", "a"]), inner),
    max_leaves=4,
)


@pytest.mark.slow
@given(member=st.sampled_from(MEMBERS), value=VALUES)
def test_whatever_a_result_states_is_reported_and_stops_nothing(
    tmp_path_factory: pytest.TempPathFactory, member: tuple[str, str | None], value: Json
) -> None:
    part, name = member
    made = result(**{part if name is None else f"{part}__{name}": value})
    wanted, tally = benchmark(), Tally()
    [one] = assess(wanted, read_answers(exported(tmp_path_factory.mktemp("any", numbered=True), made)))
    tally.add(one)
    assert json.loads(line_of(one))["recorded"]["status"] in {None, "passed", "failed"}
    assert json.loads(json.dumps(tally.as_json()))["total"]["answers"] == 1
    assert len(earl.joined(wanted.graph, [one], base=earl.BASE)) >= len(wanted.graph)


@given(cut=st.integers(100, 3000))
def test_an_export_that_ends_early_gives_what_is_whole(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    results = [result(metadata__result_id=str(at)) for at in range(4)]
    file = exported(tmp_path_factory.mktemp("cut", numbered=True), *results)
    text = file.read_text(encoding="utf-8")
    file.write_text(text[:cut], encoding="utf-8")
    answers = [*read_answers(file)]
    whole = text[:cut].count('"regex_trait_scores": {"cites": true}}}')
    assert [one.answer_id for one in answers if not one.fault] == [str(at) for at in range(whole)]
    assert len([one for one in answers if one.fault]) == (cut < text.rindex("]"))


JUDGED = {
    "clear": [{"value": True, "judge": "judge-1"}, {"value": False, "judge": "judge-2", "reason": "no word fits"}],
    "tone": "warm",
    "cover": {"f1": 0.5},
    "cites": True,
}


def test_what_judges_state_in_json_lines_is_shown_and_counted() -> None:
    line = {"question_id": benchmark().get_question_ids()[0], "model": "aurum-1", "judge": "judge-9", "traits": JUDGED}
    tally = Tally()
    [one] = assess(benchmark(), [{**line, "trace": "Mercury [1]"}])
    tally.add(one)
    assert [(trait.name, trait.status.value, trait.value, trait.judge) for trait in one.traits] == [
        ("clear", "judged", True, "judge-1"),
        ("clear", "judged", False, "judge-2"),
        ("tone", "judged", 1, "judge-9"),
        ("cites", "evaluated", True, None),
        ("cover.f1", "judged", 0.5, "judge-9"),
    ]
    means = [(count.name, count.model, count.mean_value) for count in tally.judged.values()]
    assert means == [("clear", "aurum-1", 0.5), ("tone", "aurum-1", 1), ("cover.f1", "aurum-1", 0.5)]
    [alone] = assess(benchmark(), [line])
    assert alone.status is Status.UNDECIDED


@pytest.mark.parametrize("scores", [{"form.n": 2, "form.m": ["a", "b"]}, {"form": {"n": 2, "m": ["a", "b"]}}])
def test_the_fields_of_a_form_are_verdicts(tmp_path: Path, scores: Json) -> None:
    form: Json = {"type": "template", "schema": {"properties": {"n": {"type": "integer"}, "m": {"type": "array"}}}}
    made = benchmark()
    made.set_global_rubric([AgenticRubricTrait(name="form", description="d", kind=form)])
    rubric = {"agentic_trait_scores": {**scores, "form.other": 1}}
    [one] = assess(made, read_answers(exported(tmp_path, result(rubric=rubric))))
    assert [(trait.name, trait.status, trait.value) for trait in one.traits] == [
        ("form.n", TraitStatus.JUDGED, 2),
        ("form.m", TraitStatus.JUDGED, '["a", "b"]'),
        ("form.other", TraitStatus.ERROR, None),
    ]


@pytest.mark.parametrize(("name", "value"), [("clear", 3), ("tone", "hot"), ("tone", 7)])
def test_what_a_trait_cannot_be_is_no_verdict(name: str, value: object) -> None:
    [question] = benchmark().get_question_ids()
    [one] = assess(benchmark(), [{"question_id": question, "traits": {name: value}}])
    [trait] = [trait for trait in one.traits if trait.name == name]
    assert (trait.status, trait.value) == (TraitStatus.ERROR, None)
    assert trait.reason == f"{json.dumps(value)} was recorded, which is no result of this trait"


def test_one_query_goes_from_a_question_to_what_everybody_states_of_every_model(tmp_path: Path) -> None:
    other = result(metadata__result_id="2", metadata__answering={"model_name": "b"}, template__verify_result=False)
    made = benchmark()
    answers = read_answers(exported(tmp_path, result(), other))
    graph = earl.joined(made.graph, assess(made, answers), base=earl.base_of("results.json"))
    query = """
        PREFIX earl: <http://www.w3.org/ns/earl#>
        SELECT ?text ?model ?by ?outcome ?clear WHERE {
            ?item schema:item ?question . ?question schema:text ?text .
            ?assertion earl:test ?question ; earl:subject/karenina:modelName ?model ;
                earl:assertedBy/<http://purl.org/dc/terms/title> ?by ; earl:result ?result .
            ?result earl:outcome ?outcome .
            OPTIONAL { ?result karenina:traitResult [ schema:name "clear" ; karenina:resultValue ?clear ;
                karenina:resultTrait/schema:name "clear" ] }
        } ORDER BY ?model ?by"""
    names = {"schema": "https://schema.org/", "karenina": "urn:karenina:vocab:"}
    rows = [row for row in graph.query(query, initNs=names) if isinstance(row, rdflib.query.ResultRow)]
    assert [tuple(str(cell).rpartition("#")[2] for cell in row if cell is not None) for row in rows] == [
        (TEXT, "aurum-1", "Karenina 0.1.0", "passed"),
        (TEXT, "aurum-1", "checkpoint-ld verify", "passed"),
        (TEXT, "aurum-1", "judge-3", "untested", "true"),
        (TEXT, "b", "Karenina 0.1.0", "failed"),
        (TEXT, "b", "checkpoint-ld verify", "passed"),
        (TEXT, "b", "judge-3", "untested", "true"),
    ]
    assert len(made.graph) < len(graph)


def test_the_commands_show_and_ask_what_was_recorded(run: Run, tmp_path: Path) -> None:
    made, other = tmp_path / "metals.jsonld", result(metadata__result_id="2", template__verify_result=False)
    benchmark().save(made)
    file = exported(tmp_path, result(), other)
    done = run("verify", made, "--answers", file, "--fail-on", "difference")
    assert done.code == 1
    assert "/results/1: warning: KA001 failed is recorded, and the template says passed" in done.err
    lines = [line.split() for line in done.out.decode().splitlines()]
    assert ["total", "2", "2", "0", "0", "0", "1.00", "1", "1"] in lines
    assert ["clear", "aurum-1", "2", "1.00"] in lines
    assert run("verify", made, "--answers", exported(tmp_path, result()), "--fail-on", "difference").code == 0
    output = run("query", made, "--answers", file, "--name", "model-results", "--format", "csv")
    assert [row.split(",")[2:] for row in output.out.decode().splitlines()[1:]] == [
        ["aurum-1", "Karenina 0.1.0", "1", "0", "1"],
        ["aurum-1", "checkpoint-ld verify", "1", "0", "1"],
    ]
    with checkpoint_ld.CheckpointManager(tmp_path / "runs") as manager:
        manager.save(manager.resume_or_start("reader").state, "manual")
    for source in (["--endpoint", "http://localhost:1"], [*(tmp_path / "runs").glob("*.json")]):
        refused = run("query", *source, "--answers", file, "--query", "ASK {}")
        assert (refused.code, "--answers is for the file of a benchmark" in refused.err) == (2, True)


# --- Recorded answers in JSON lines: what is read, and what is stated about lines that are none.


GOOD = b'{"question_id": "q", "answer": {"a": 1}}'


def read(data: bytes) -> list[RecordedAnswer]:
    return list(read_answers(io.BytesIO(data), "answers.jsonl"))


@pytest.mark.parametrize(
    ("line", "place", "fault"),
    [
        (b"metal: tin", "answers.jsonl:2:1", "the line is not JSON: a value is expected; found"),
        (b'{"question_id": "q"', "answers.jsonl:2:20", "the text ends before the document is complete"),
        (b'{"question_id": "q", }', "answers.jsonl:2:20", "a comma stands before the closing bracket"),
        (b'{"question_id": "q", "answer": {"a": NaN}}', "answers.jsonl:2:38", '"NaN" is not a JSON number'),
        (b'{"a": 1, "a": 2}', "answers.jsonl:2:10", 'the key "a" occurs 2 times'),
        (b'{"a": "\\ud800"}', "answers.jsonl:2:7", "half a surrogate pair"),
        (b'{"a": "\xff"}', "answers.jsonl:2", "not UTF-8: byte 8 is 0xff: save the file as UTF-8"),
        (b"[" * 100_000, "answers.jsonl:2", "nested more than 200 levels deep"),
        (b"[]", "answers.jsonl:2", "[] is no recorded answer: write an object"),
        (b"null", "answers.jsonl:2", "null is no recorded answer"),
    ],
)
def test_a_line_that_is_none_states_what_is_wrong_and_where(line: bytes, place: str, fault: str) -> None:
    found = read(GOOD + b"\n" + line + b"\n" + GOOD + b"\n")
    assert [bool(one.fault) for one in found] == [False, True, False]
    assert str(found[1].place) == place
    assert fault in found[1].fault


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"\n" + GOOD + b"\n  \r\n" + GOOD, [2, 4]),
        (b"\xef\xbb\xbf" + GOOD + b"\r\n" + GOOD + b"\r\n", [1, 2]),
    ],
    ids=["empty lines", "byte order mark and Windows"],
)
def test_empty_lines_a_byte_order_mark_and_windows_line_ends_are_taken(data: bytes, lines: list[int]) -> None:
    assert [(one.place.line, one.fault) for one in read(data)] == [(line, "") for line in lines]


def test_a_line_that_never_ends_is_not_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checkpoint_ld.assessment.answers.LONGEST_LINE", 100)
    found = read(b"x" * 1000 + b"\n" + GOOD + b"\n" + b"x" * 1000)
    assert [one.place.line for one in found] == [1, 2, 3]
    assert "more than 100 bytes" in found[0].fault
    assert (found[1].fault, found[1].values) == ("", {"a": 1})
    assert found[2].fault


def test_a_line_of_the_longest_length_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checkpoint_ld.assessment.answers.LONGEST_LINE", len(GOOD) + 1)
    assert [one.fault for one in read(GOOD + b"\n" + GOOD + b"\n")] == ["", ""]


def test_integers_of_any_size_are_kept() -> None:
    (found,) = read(b'{"question_id": "q", "answer": {"a": 123456789012345678901234567890}}')
    assert found.values == {"a": 123456789012345678901234567890}


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SourceMissingError, match=r"none\.jsonl: cannot be read: no such file or directory; check"):
        list(read_answers(tmp_path / "none.jsonl"))
    with pytest.raises(SourceMissingError, match="it is no path of a file or folder; check the path"):
        list(read_answers("a\0b.jsonl"))


def test_a_path_names_the_places_and_a_packed_file_is_read_unless_it_is_damaged(tmp_path: Path) -> None:
    plain, packed = tmp_path / "answers.jsonl", tmp_path / "answers.jsonl.gz"
    plain.write_bytes(GOOD)
    packed.write_bytes(gzip.compress(GOOD, mtime=0))
    for path in (plain, packed):
        assert [str(one.place) for one in read_answers(path)] == [f"{path}:1"]
    packed.write_bytes(gzip.compress(GOOD, mtime=0)[:-9])
    with pytest.raises(ReadError, match="the compressed data is damaged"):
        list(read_answers(packed))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04" + GOOD, ": it looks like a ZIP archive"),
        (b"SQLite format 3\0" + GOOD, ": it looks like an SQLite database"),
        (GOOD.decode().encode("utf-16"), ": it looks like UTF-16"),
        (gzip.compress(GOOD.decode().encode("utf-16-be"), mtime=0), ": it looks like UTF-16"),
        (json.dumps([json.loads(GOOD)], indent=2).encode(), ":1: the line has a part of an object only"),
    ],
)
def test_another_kind_of_file_is_refused_once_and_not_in_each_line(tmp_path: Path, content: bytes, reason: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(content)
    for source, name in ((file, str(file)), (io.BytesIO(content), "<file>")):
        with pytest.raises(ReadError, match=re.escape(f"{name}{reason}") + ".*; give lines of JSON in UTF-8"):
            list(read_answers(source))


texts = st.text(st.characters(codec="utf-8"), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(texts, values, max_size=5), st.dictionaries(texts, values, max_size=5), texts)
def test_what_is_in_a_record_comes_back_in_the_line_of_results(
    answer: dict[str, Any], other: dict[str, Any], trace: str
) -> None:
    known = {"question_id": "q", "answer": answer, "trace": trace}
    named = ("context", "answer_id", "model", "replicate", "date")
    extra = {key: value for key, value in other.items() if key not in {*known, *named}}
    (found,) = read(json.dumps({**extra, **known}).encode() + b"\n")
    assert (found.values, found.trace, found.fault) == (answer, trace, "")
    line = line_of(Assessment(found, Status.ERROR))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line)["extra"] == extra


def test_half_a_surrogate_pair_in_an_object_is_written_as_its_escape() -> None:
    answer = RecordedAnswer.of({"question_id": "q", "answer": {}, "note": "\ud800"})
    line = line_of(Assessment(answer, Status.ERROR))
    assert b'"note": "\\ud800"' in line
    assert json.loads(line)["extra"] == {"note": "\ud800"}


@given(st.binary(max_size=200))
def test_any_bytes_give_answers_or_faults_or_are_refused(data: bytes) -> None:
    with contextlib.suppress(ReadError):
        assert all(one.fault or one.question_id is not None for one in read(data))
