"""Karenina's names, parameters, errors and warnings: what its documents say of entities and primitives holds."""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel
from tests.documents import canonical

from checkpoint_ld import Benchmark, ReadError, StoredCodeWarning
from checkpoint_ld.entities import (
    AgenticRubricTrait,
    BaseAnswer,
    CallableRubricTrait,
    DynamicRubric,
    ExactMatch,
    FieldCheck,
    LLMRubricTrait,
    NumericExact,
    OrderedMatch,
    RegexRubricTrait,
    Rubric,
    SemanticMatch,
    SetContainment,
    SynonymMap,
    TraceContains,
    TraceLength,
    TraceRegex,
    VerifiedField,
    apply_normalizer,
    apply_normalizers,
    capture_answer_source,
    evaluate_strategy,
    merge_dynamic_rubrics,
)
from checkpoint_ld.errors import CheckpointLdError, EvaluationError, TargetUnwritableError
from checkpoint_ld.workers.trusted import Trust

CLASSES = {"dry": "no adjectives", "florid": "many"}
TONE = LLMRubricTrait(name="tone", kind="literal", classes=CLASSES)
LENGTH = CallableRubricTrait(name="length", kind="score", callable_code="lambda t: 1", min_score=2, max_score=5)  # type: ignore[arg-type]
JUDGED = Rubric(llm_traits=[TONE], callable_traits=[LENGTH])


# --- names


def test_one_normaliser_is_applied_as_several_are() -> None:
    assert apply_normalizer("lowercase", "Hg ") == "hg "
    assert apply_normalizer(normalizer=SynonymMap(mapping={"hg": "mercury"}), text="hg") == "mercury"
    assert apply_normalizers(["lowercase", "strip"], "Hg ") == "hg"


class InAFile(BaseAnswer):
    metal: str = VerifiedField("Which metal?", "mercury", ExactMatch())


def test_a_class_in_a_file_knows_its_source() -> None:
    source = InAFile.get_source_code()
    assert source is not None
    assert source.startswith("class InAFile(BaseAnswer):\n    metal: str = VerifiedField(")
    assert capture_answer_source(InAFile) is InAFile
    assert InAFile.get_source_code() == source


def test_a_class_that_a_program_made_has_no_source() -> None:
    made: Any = type("Made", (InAFile,), {})
    assert made.get_source_code() is None
    with pytest.warns(UserWarning, match="the source of Made is in none of the last 10 cells"):
        assert capture_answer_source(made) is made


def test_the_source_of_a_class_is_found_in_the_newest_cell_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    old = "class Answer(BaseAnswer):\n    old: str"
    text = 'class Answer(BaseAnswer):\n    """A\n"""\n\n    metal: str'
    cells = ["", old, f"x = 1\n@capture_answer_source\n{text}\nprint(x)", "class Answer(", "Answer"]
    shell = SimpleNamespace(user_ns={"In": cells})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    made: Any = type("Answer", (BaseAnswer,), {})
    assert capture_answer_source(made) is made
    assert made.get_source_code() == text
    other: Any = type("Answer", (made,), {})
    assert other.get_source_code() is None
    shell.user_ns["In"] += [""] * 10
    with pytest.warns(UserWarning, match="of Answer is in none"):
        other.set_source_code_from_notebook()


@pytest.mark.slow
def test_a_stored_function_is_called_outside_of_this_process_if_it_is_trusted() -> None:
    source = textwrap.dedent("""
        import os
        def words(text):
            os.environ["CHECKPOINT_LD_RAN"] = "1"
            return len(text.split())
    """)
    trait = CallableRubricTrait.model_validate({"name": "w", "kind": "score", "callable_code": source})
    with pytest.raises(RuntimeError, match="stored code is never run"):
        trait.deserialize_callable()
    with pytest.warns(UserWarning, match="the function of the trait 'w'") as caught:
        function = trait.deserialize_callable(trust=Trust())
    assert [one.category for one in caught] == [StoredCodeWarning]
    with pytest.warns(StoredCodeWarning):
        assert function("one two three") == 3
    assert "CHECKPOINT_LD_RAN" not in os.environ


@pytest.mark.slow
@pytest.mark.parametrize("code", ["x = 1", "def f(:", base64.b64encode(pickle.dumps(5)).decode()])
def test_code_without_a_function_is_a_runtime_error(code: str) -> None:
    trait = CallableRubricTrait.model_validate({"name": "w", "kind": "boolean", "callable_code": code})
    with pytest.warns(StoredCodeWarning), pytest.raises(RuntimeError, match="the function of the trait 'w'"):
        trait.deserialize_callable(trust=Trust())


# --- parameters by their names


@pytest.mark.parametrize(
    ("call", "new", "old", "result"),
    [
        (TONE.get_class_index, {"class_name": "florid"}, {"name": "florid"}, 1),
        (JUDGED.validate_evaluation, {"evaluation": {}}, {"scores": {}}, False),
        (JUDGED.evaluation_problems, {"evaluation": {"tone": 1}}, {"scores": {"tone": 1}}, ["'length' has no result"]),
        (
            evaluate_strategy,
            {"node": FieldCheck(field="a"), "field_results": {"a": True}},
            {"node": FieldCheck(field="a"), "results": {"a": True}},
            True,
        ),
        (
            merge_dynamic_rubrics,
            {"global_dynamic": None, "question_dynamic": None},
            {"global_rubric": None, "question_rubric": None},
            None,
        ),
        (TraceRegex(pattern="a").check_trace, {"raw_trace": "b"}, {"text": "b"}, False),
        (TraceContains(substring="a").check_trace, {"raw_trace": "a"}, {"text": "a"}, True),
        (TraceLength(max=1).check_trace, {"raw_trace": "ab"}, {"text": "ab"}, False),
    ],
)
def test_parameters_have_their_documented_names_and_take_the_old_ones(
    call: Callable[..., Any], new: dict[str, Any], old: dict[str, Any], result: Any
) -> None:
    assert call(**new) == result
    with pytest.warns(DeprecationWarning, match="has the parameter"):
        assert call(**old) == result
    assert call(*new.values()) == result
    with pytest.raises(TypeError, match="unexpected keyword"):
        call(**new | old)


# --- results


def test_a_score_of_a_function_may_be_a_truth_value_in_an_evaluation() -> None:
    results = {True: True, 3: True, 2.5: True, 9: False, "3": False}
    assert {value: JUDGED.validate_evaluation({"tone": 0, "length": value}) for value in results} == results


@pytest.mark.parametrize("cls", [LLMRubricTrait, AgenticRubricTrait])
def test_a_template_kind_stays_a_class_in_memory_and_is_a_schema_in_a_file(
    cls: type[LLMRubricTrait | AgenticRubricTrait], tmp_path: Path
) -> None:
    class Form(BaseModel):
        grade: int
        remark: str | None = None

    trait = cls.model_validate({"name": "form", "description": "d", "kind": Form, "higher_is_better": None})
    trait.description = "edited"
    assert trait.kind is Form
    assert trait.is_template_kind
    assert trait.template_fields == ("grade", "remark")
    assert trait.model_copy(deep=True) == trait
    rubric = Rubric.from_traits([trait])
    assert rubric is not None
    assert rubric.validate_evaluation({"form.grade": 3, "form.remark": None})
    benchmark = Benchmark.create("n")
    benchmark.add_global_rubric_trait(trait)
    benchmark.save(tmp_path / "form.jsonld")
    (read,) = Benchmark.load(tmp_path / "form.jsonld").global_rubric.traits()  # type: ignore[union-attr]
    assert (read == trait, trait == read) == (True, True)
    assert read.kind == {"type": "template", "schema": Form.model_json_schema()}  # type: ignore[union-attr]


# --- errors are of the documented types, too


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: apply_normalizers(["shout"], "a"), ValueError),  # type: ignore[list-item]
        (lambda: ExactMatch.model_construct(normalize=["shout"]).check("a", "a"), ValueError),
        (lambda: NumericExact().check("many", 1), ValueError),
        (lambda: NumericExact().check(None, 1), TypeError),
        (lambda: NumericExact().check([1], 1), TypeError),
        (lambda: SetContainment().check(None, ["a"]), TypeError),
        (lambda: SetContainment().check([["a"]], ["a"]), TypeError),
        (lambda: OrderedMatch().check(None, ["a"]), TypeError),
        (lambda: SemanticMatch().check("a", "a"), NotImplementedError),
        (lambda: TraceContains(substring="a").check("a", "a"), NotImplementedError),
        (lambda: TraceContains(substring="a").check_trace(None), TypeError),  # type: ignore[arg-type]
        (lambda: evaluate_strategy(FieldCheck(field="a"), {}), KeyError),
        (lambda: RegexRubricTrait(name="r", pattern="a").evaluate(None), RuntimeError),  # type: ignore[arg-type]
    ],
)
def test_an_error_is_of_the_documented_type(call: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        call()
    assert isinstance(raised.value, CheckpointLdError)


def test_a_missing_trace_is_a_value_error() -> None:
    class Answer(BaseAnswer):
        cited: bool = VerifiedField("c", ground_truth=True, verify_with=TraceContains(substring="["))

    with pytest.raises(ValueError, match="is about the raw response") as raised:
        Answer().verify()
    assert isinstance(raised.value, EvaluationError)


def test_broken_json_is_a_decode_error_with_line_and_column() -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        Benchmark.load(b'{\n  "name": }')
    error = raised.value
    assert isinstance(error, ReadError)
    assert (error.lineno, error.colno, error.findings[0].rule) == (2, 11, "json")
    assert "a value is expected" in error.msg
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.findings, copied.lineno) == (str(error), error.findings, 2)
    with pytest.raises(ReadError) as other:
        Benchmark.load(b"[]")
    assert not isinstance(other.value, json.JSONDecodeError)


def test_a_missing_folder_is_an_os_error(tmp_path: Path) -> None:
    benchmark = Benchmark.load(json.dumps(canonical()).encode())
    with pytest.raises(OSError, match="create the folder first") as raised:
        benchmark.save(tmp_path / "none" / "a.jsonld")
    assert isinstance(raised.value, TargetUnwritableError)
    assert raised.value.errno == 2
    with pytest.raises(FileNotFoundError):
        Benchmark.load(tmp_path / "none" / "a.jsonld")


# --- warnings


def test_a_dynamic_trait_with_a_description_for_a_summary_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    described = RegexRubricTrait(name="dose", pattern="mg", description="side effects")
    rubric = DynamicRubric(regex_traits=[described])
    assert 'the trait "dose" of a dynamic rubric has no summary' in caplog.text
    assert rubric.resolve_concept_text(described) == "side effects"
    caplog.clear()
    DynamicRubric(regex_traits=[RegexRubricTrait(name="dose", pattern="mg", summary="effects", description="d")])
    assert caplog.text == ""
