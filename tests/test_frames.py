"""Data frames in and out: of pandas and polars, of everything that has rows; NumPy's scalars are values."""

from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld import AgentCheckpoint, Benchmark, SettingsError, WriteError, verify
from checkpoint_ld.assessment import assess, read_answers, to_dataframe
from checkpoint_ld.entities import LLMRubricTrait, Question, Rubric
from checkpoint_ld.entities.template_spec import TemplateFieldSpec
from tests.agents.runs import call, thought, tree

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
LIBRARIES = ("pandas", "polars")


def assessments() -> list[Any]:
    benchmark = Benchmark.load(EXAMPLES / "elements.jsonld")
    return list(assess(benchmark, read_answers(EXAMPLES / "answers.jsonl")))


def columns(frame: Any) -> list[str]:
    return [str(name) for name in frame.columns]


@pytest.mark.parametrize("library", LIBRARIES)
def test_everything_with_rows_is_a_data_frame(library: Any) -> None:
    pytest.importorskip(library)
    benchmark = Benchmark.load(EXAMPLES / "metals.jsonld")
    questions = benchmark.questions.to_dataframe(library=library)
    assert len(questions) == len(benchmark)
    assert {"question", "raw_answer", "custom.level"} <= {*columns(questions)}
    rubric = benchmark.get_global_rubric()
    assert rubric is not None
    assert len(rubric.to_dataframe(library=library)) == len([*rubric.traits()])
    report = checkpoint_ld.validate(EXAMPLES / "broken.jsonld")
    findings = report.to_dataframe(library=library)
    assert len(findings) == len(report.findings)
    assert [*findings["code"]] == [finding.code for finding in report.findings]
    assert len(Rubric().to_dataframe(library=library)) == 0
    nothing = checkpoint_ld.validate(EXAMPLES / "elements.jsonld").to_dataframe(library=library)
    assert columns(nothing) == columns(findings)


@pytest.mark.parametrize("library", LIBRARIES)
def test_assessments_fields_and_verdicts_are_data_frames(library: Any) -> None:
    pytest.importorskip(library)
    found = assessments()
    frame = to_dataframe(found, library=library)
    assert [*frame["status"]] == [one.status.value for one in found]
    fields = to_dataframe(found, "fields", library=library)
    assert len(fields) == sum(len(one.result.fields) for one in found if one.result)
    traits = to_dataframe(found, "traits", library=library)
    verdicts = to_dataframe(found, "verdicts", library=library)
    assert [*verdicts["status"]] == [status for status in traits["status"] if status == "judged"]
    assert columns(traits) == columns(verdicts)
    assert columns(to_dataframe([], library=library)) == columns(frame)
    with pytest.raises(SettingsError, match='no table "models"'):
        to_dataframe(found, "models", library=library)  # type: ignore[arg-type]


def test_pandas_takes_assessments_as_rows() -> None:
    pandas = pytest.importorskip("pandas")
    found = assessments()
    frame = pandas.DataFrame(found)
    assert [*frame["model"]] == [one.answer.model_name for one in found]
    assert {"question", "replicate", "status", "score"} <= {*frame.columns}
    assert frame.groupby("model")["status"].count().sum() == len(found)
    assert found[0] == found[0]
    assert found[0] != found[1]
    with pytest.raises(KeyError):
        found[0]["nothing"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_calls_and_thoughts_of_agents_are_data_frames(library: Any) -> None:
    pytest.importorskip(library)
    checkpoint = AgentCheckpoint.of_tree(tree(thoughts=[thought(1), thought(2)], calls=[call(1)]))
    assert len(checkpoint.to_dataframe("thoughts", library=library)) == 2
    calls = checkpoint.to_dataframe(library=library)
    assert [*calls["id"]] == [one.id for one in checkpoint.snapshot.tool_state.calls]
    assert "result" in columns(calls)
    with pytest.raises(SettingsError, match='no table "steps"'):
        checkpoint.to_dataframe("steps", library=library)  # type: ignore[arg-type]


@pytest.mark.parametrize("library", LIBRARIES)
def test_questions_are_taken_from_data_frames(library: Any) -> None:
    frames = pytest.importorskip(library)
    frame = frames.DataFrame(
        {
            "question": ["A?", "B?"],
            "answer": [1, 2],
            "keywords": ["a;b", None],
            "level": [1, None],
            "tolerance": [0.5, None],
        }
    )
    benchmark, added = Benchmark("Frames"), Benchmark("Added")
    done = benchmark.import_questions(frame)
    assert (len(done.added), done.findings) == (2, ())
    first, second = benchmark.questions
    assert (first.raw_answer, first.keywords, first.custom_metadata) == ("1", ["a", "b"], {"level": 1})
    assert (second.raw_answer, second.keywords, second.custom_metadata) == ("2", [], None)
    assert verify(first.answer_template, {"answer": 1.4}).passed is True
    added.add_questions(frame)
    assert [question.raw_answer for question in added.questions] == ["1", "2"]
    again = benchmark.import_questions(frame.to_dict("records") if library == "pandas" else frame.to_dicts())
    assert (again.added, again.updated) == ((), ())


def test_an_index_with_a_name_is_a_column() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"question": ["A?"], "answer": ["a"]}, index=pandas.Index([7], name="id"))
    benchmark = Benchmark("Frames")
    benchmark.import_questions(frame)
    assert benchmark.questions[0].custom_metadata == {"id": 7}


def test_scalars_of_numpy_are_values() -> None:
    numpy = pytest.importorskip("numpy")
    values = {"a": numpy.int64(3), "b": numpy.bool_(True), "c": numpy.array([1, 2]), "d": numpy.float32(0.5)}
    benchmark = Benchmark("Scalars")
    identifier = benchmark.add_question("A?", "a", custom_metadata=values)
    plain = {"a": 3, "b": True, "c": [1, 2], "d": 0.5}
    assert benchmark.questions[0].custom_metadata == plain
    benchmark.update_question_metadata(identifier, custom_metadata={"e": numpy.int8(1)})
    assert benchmark.questions[0].custom_metadata == {"e": 1}
    benchmark.set_custom_property("rounds", numpy.int64(5))
    assert benchmark.get_custom_property("rounds") == 5
    template = (
        "class Answer(BaseAnswer):\n"
        '    n: int = VerifiedField(description="n", ground_truth=3, verify_with=NumericExact())\n'
    )
    assert verify(template, {"n": numpy.int64(3)}).passed is True
    assert Question(question="A?", raw_answer="a", custom_metadata=values).custom_metadata == plain
    tolerance = {"type": "NumericTolerance", "tolerance": numpy.float64(0.5), "mode": "absolute"}
    field = TemplateFieldSpec(
        name="n", type="float", description="n", ground_truth=numpy.int64(3), verify_with=tolerance
    )
    assert (field.ground_truth, field.verify_with["tolerance"]) == (3, 0.5)


def test_a_member_that_no_question_has_is_answered_by_where_it_goes() -> None:
    with pytest.raises(WriteError, match="put what a question has no member for into custom_metadata: level"):
        Benchmark("Members").add_questions([{"question": "A?", "raw_answer": "a", "level": 3}])


def test_a_trait_shows_its_settings_in_a_frame() -> None:
    pytest.importorskip("pandas")
    rubric = Rubric(llm_traits=[LLMRubricTrait(name="depth", kind="score")])
    (row,) = rubric.to_dataframe().to_dict("records")
    assert (row["type"], row["name"], row["min_score"], row["max_score"]) == ("llm", "depth", 1, 5)
