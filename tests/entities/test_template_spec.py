"""Template specifications as entities: members, conditional ground truths, strategies."""

from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from checkpoint_ld.entities.template_spec import (
    AllOf,
    AtLeastN,
    ConditionalGroundTruth,
    FieldCheck,
    GroundTruthCase,
    TemplateFieldSpec,
    TemplateSpec,
    VerifyStrategySpec,
)

FIELD: dict[str, Any] = {
    "name": "gene",
    "type": "str",
    "description": "Which gene?",
    "ground_truth": "BCL2",
    "verify_with": {"normalize": ["strip"], "type": "ExactMatch"},
}
SERIALISED: dict[str, Any] = {
    "source": "state.stage",
    "cases": {"2": {"value": "TP53", "verify_with": {"type": "LiteralMatch"}}},
    "default": {"value": "BCL2", "verify_with": None},
    "__conditional__": True,
}


class LiteralMatch(BaseModel):
    """Stands in for a primitive: an object that knows its parameters, and whose class is its name."""

    strict: bool = True


def test_a_specification_has_the_members_and_defaults_of_the_format() -> None:
    assert TemplateSpec.model_validate({"fields": [FIELD]}).model_dump() == {
        "fields": [{**FIELD, "extraction_hint": None, "literal_values": None, "weight": 1.0, "is_trace": False}],
        "verify_strategy": None,
        "class_name": "Answer",
    }
    assert VerifyStrategySpec(type="x").model_dump() == {"type": "x", "n": None, "field_name": None, "conditions": []}


def test_building_one_requires_types_only() -> None:
    unusual: Any = {"name": "", "type": "?", "description": "", "ground_truth": None, "verify_with": {}, "weight": -1}
    made = TemplateSpec.model_validate({"fields": [unusual], "verify_strategy": {"type": "?"}})
    assert made.fields[0].ground_truth is None
    assert TemplateSpec(fields=[]).fields == []


@pytest.mark.parametrize("missing", FIELD)
def test_what_a_field_cannot_do_without_is_requested(missing: str) -> None:
    with pytest.raises(ValidationError, match=missing):
        TemplateFieldSpec.model_validate({key: value for key, value in FIELD.items() if key != missing})


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (TemplateSpec, {"fields": []}),
        (TemplateFieldSpec, FIELD),
        (VerifyStrategySpec, {"type": "all_of"}),
        (GroundTruthCase, {"value": 1}),
        (ConditionalGroundTruth, {key: part for key, part in SERIALISED.items() if key != "__conditional__"}),
    ],
)
def test_unknown_members_are_refused(model: type[BaseModel], data: dict[str, Any]) -> None:
    model.model_validate(data)
    with pytest.raises(ValidationError, match="colour"):
        model.model_validate({**data, "colour": "red"})


def test_a_value_that_json_does_not_know_is_no_ground_truth() -> None:
    with pytest.raises(ValidationError, match="ground_truth"):
        TemplateFieldSpec.model_validate({**FIELD, "ground_truth": {1, 2}})


@pytest.mark.parametrize(
    ("value", "kept"), [({"b", "a"}, ["a", "b"]), (("a",), ["a"]), (date(2020, 1, 31), "2020-01-31"), (None, None)]
)
def test_the_ground_truth_of_a_case_is_kept_as_that_of_a_field(value: Any, kept: Any) -> None:
    assert GroundTruthCase(value=value).value == kept


def test_a_conditional_ground_truth_is_written_with_its_mark_and_read_again() -> None:
    conditional = ConditionalGroundTruth(
        source="state.stage",
        cases={"2": GroundTruthCase(value="TP53", verify_with={"type": "LiteralMatch"})},
        default=GroundTruthCase(value="BCL2"),
    )
    assert conditional.serialised() == SERIALISED
    assert ConditionalGroundTruth.read(SERIALISED) == conditional
    assert TemplateFieldSpec.model_validate({**FIELD, "ground_truth": conditional}).ground_truth == SERIALISED


@pytest.mark.parametrize("value", [None, "x", {}, {"source": "x"}, {**SERIALISED, "__conditional__": 1}, [SERIALISED]])
def test_only_the_mark_makes_a_ground_truth_conditional(value: object) -> None:
    assert ConditionalGroundTruth.read(value) is None


def test_a_mark_without_the_parts_is_refused() -> None:
    with pytest.raises(ValidationError, match="default"):
        ConditionalGroundTruth.read({"__conditional__": True, "source": "x", "cases": {}})


def test_primitives_are_kept_in_serialised_form_and_what_is_none_becomes_null() -> None:
    case = GroundTruthCase.model_validate({"value": 1, "verify_with": LiteralMatch()})
    assert case.verify_with == {"strict": True, "type": "LiteralMatch"}
    assert TemplateFieldSpec.model_validate({**FIELD, "verify_with": LiteralMatch()}).verify_with == case.verify_with
    nameless = ConditionalGroundTruth(source="x", cases={}, default=GroundTruthCase(value=1, verify_with={"a": 1}))
    assert nameless.serialised()["default"] == {"value": 1, "verify_with": None}
    with pytest.raises(ValidationError, match="verify_with"):
        GroundTruthCase.model_validate({"value": 1, "verify_with": object()})


@pytest.mark.parametrize("stage", ["2", 2])
def test_the_text_of_the_value_at_the_path_chooses_the_case(stage: object) -> None:
    conditional = ConditionalGroundTruth.read(SERIALISED)
    assert conditional is not None
    assert conditional.resolve({"state": {"stage": stage}}).value == "TP53"
    others: list[Any] = [{"state": {"stage": other}} for other in (3, 2.0, None)]
    others += [{"state": {}}, {"state": "2"}, {"state.stage": "2"}, {}, None]
    assert [conditional.resolve(context).value for context in others] == ["BCL2"] * len(others)


def test_a_strategy_becomes_a_tree_to_evaluate_and_comes_back() -> None:
    spec = VerifyStrategySpec(
        type="at_least_n",
        n=1,
        conditions=[VerifyStrategySpec(type="field_check", field_name="gene"), VerifyStrategySpec(type="all_of")],
    )
    node = AtLeastN(n=1, conditions=[FieldCheck(field="gene"), AllOf()])
    assert spec.node() == node
    assert VerifyStrategySpec.of(node) == spec
    for wrong in ({"type": "none_of"}, {"type": "field_check"}, {"type": "at_least_n", "n": -1}):
        with pytest.raises(ValidationError):
            VerifyStrategySpec.model_validate(wrong).node()


def test_strategies_have_a_limited_depth() -> None:
    spec = VerifyStrategySpec(type="all_of")
    for _ in range(99):
        spec = VerifyStrategySpec(type="all_of", conditions=[spec])
    assert VerifyStrategySpec.of(spec.node()) == spec
    with pytest.raises(ValidationError, match="more than 100 levels"):
        VerifyStrategySpec(type="all_of", conditions=[spec])
