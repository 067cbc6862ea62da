"""Reading a template gives what its class gives when it is made of our entities."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld import entities, verify
from checkpoint_ld.entities import BaseAnswer, ConditionalGroundTruth, TemplateSpec
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.templates import source_of
from tests.templates.specs import specs
from tests.trials import examples

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans() | st.sampled_from(["yes", 0]),
    "str": st.sampled_from(["a", "A ", "1", "x1", "2020-01-31", ""]),
    "int": st.integers(-3, 3) | st.sampled_from(["2", 3.0]),
    "float": st.floats(-2, 2) | st.sampled_from(["1.5", 1, True]),
    "list_str": st.lists(st.sampled_from(["a", "b"]), max_size=2),
    "date": st.sampled_from(["2020-01-31", "31 January 2020", "2020", "x"]),
}


def made(spec: TemplateSpec) -> type[BaseAnswer]:
    """Run a text that was written here, with our entities in place of Karenina's."""
    lines = [line for line in source_of(spec).splitlines(keepends=True) if not line.startswith("from karenina")]
    names: dict[str, Any] = {"__name__": "made"} | {name: getattr(entities, name) for name in entities.__all__}
    exec(compile("".join(lines), "made", "exec", dont_inherit=True), names)
    answer: type[BaseAnswer] = names[spec.class_name]
    return answer


@st.composite
def cases(draw: st.DrawFn) -> tuple[TemplateSpec, dict[str, Any]]:
    spec = draw(specs())
    answer = {}
    for field in spec.fields:
        conditional = ConditionalGroundTruth.read(field.ground_truth)
        right = st.just(field.ground_truth if conditional is None else conditional.default.value)
        literals = st.sampled_from(field.literal_values or [""])
        answer[field.name] = draw(literals if field.type == "literal" else right | VALUES[field.type])
    return spec, answer


@settings(max_examples=examples(60))
@given(cases(), st.sampled_from(["", "x 1", "a\nb"]))
@pytest.mark.filterwarnings("ignore:Field name")
def test_reading_and_running_agree(case: tuple[TemplateSpec, dict[str, Any]], trace: str) -> None:
    spec, values = case
    answer_class = made(spec)
    try:
        answer = answer_class(**values).attach(trace)
    except ValidationError:
        assume(False)
    result = verify(spec, values, trace)
    results = {field.name: field.passed for field in result.fields}
    try:
        passed = answer.verify()
    except EvaluationError:
        assert not all(results.values())
        return
    assert result.passed is passed
    assert results == answer.field_results()
    assert {field.name: field.score for field in result.fields} == answer.field_scores()
    assert result.granular_score == answer.verify_granular()
    assert verify(spec, answer) == result
