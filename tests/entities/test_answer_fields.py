"""Fields that say how they are verified."""

from __future__ import annotations

import logging
from typing import Annotated, Any

import pytest
from pydantic import ValidationError

from checkpoint_ld.entities import (
    BooleanMatch,
    ExactMatch,
    NumericExact,
    NumericTolerance,
    OrderedMatch,
    SetContainment,
    TraceContains,
    VerificationPrimitive,
)
from checkpoint_ld.entities.answer import BaseAnswer, verified_fields
from checkpoint_ld.entities.template_spec import ConditionalGroundTruth, GroundTruthCase
from checkpoint_ld.entities.verified_field import KEY, VerificationMeta, VerifiedField, resolve_truth
from checkpoint_ld.errors import SettingsError


def stored(**arguments: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"description": "d", "ground_truth": 1, "verify_with": ExactMatch(), **arguments}
    found: dict[str, Any] = VerifiedField(**said).json_schema_extra[KEY]
    return found


def test_a_field_keeps_how_it_is_verified() -> None:
    assert stored(ground_truth="BCL2", weight=2.0) == {
        "ground_truth": "BCL2",
        "verify_with": {"normalize": ["lowercase", "strip"], "type": "ExactMatch"},
        "weight": 2.0,
        "extraction_hint": None,
    }
    assert list(stored(verify_with=NumericTolerance(tolerance=0.1))["verify_with"]) == ["tolerance", "mode", "type"]
    assert stored(extraction_hint="look")["extraction_hint"] == "look"
    assert [stored(weight=weight)["weight"] for weight in (0, -1.5)] == [0, -1.5]


def test_a_conditional_ground_truth_is_kept_with_its_marker() -> None:
    conditional = ConditionalGroundTruth(source="a", cases={}, default=GroundTruthCase(value=1))
    kept = stored(ground_truth=conditional)["ground_truth"]
    assert kept["__conditional__"] is True
    assert ConditionalGroundTruth.read(kept) == conditional


@pytest.mark.parametrize("description", ["", " \n", None])
def test_a_field_needs_a_description(description: Any) -> None:
    with pytest.raises(SettingsError, match="needs a description"):
        stored(description=description)


@pytest.mark.parametrize("verify_with", [None, {"type": "ExactMatch"}, ExactMatch])
def test_a_field_needs_a_primitive(verify_with: Any) -> None:
    with pytest.raises(SettingsError, match="give a primitive"):
        stored(verify_with=verify_with)


def test_what_else_is_said_goes_to_pydantic() -> None:
    given = {"unit": "mg"}

    class Dose(BaseAnswer):
        dose: int = VerifiedField("dose", 5, NumericExact(), ge=0, default=1, json_schema_extra=given)

    assert given == {"unit": "mg"}
    assert Dose().dose == 1
    assert Dose.model_fields["dose"].json_schema_extra["unit"] == "mg"  # type: ignore[index]
    with pytest.raises(ValidationError):
        Dose(dose=-1)


def test_json_schema_extra_has_to_be_a_dictionary() -> None:
    with pytest.raises(SettingsError, match="json_schema_extra"):
        stored(json_schema_extra=lambda schema: None)  # noqa: ARG005 - pydantic calls it with one


def test_a_field_without_a_default_is_required_but_for_trace_fields() -> None:
    class Both(BaseAnswer):
        trace: bool = VerifiedField("t", True, TraceContains(substring=""))
        value: str = VerifiedField("v", "x", ExactMatch())

    with pytest.raises(ValidationError) as caught:
        Both()
    assert [error["loc"] for error in caught.value.errors()] == [("value",)]


def test_a_field_can_be_said_in_its_annotation() -> None:
    class Annotations(BaseAnswer):
        value: Annotated[str, VerifiedField("v", "x", ExactMatch(), weight=3)]

    assert verified_fields(Annotations)["value"].weight == 3
    assert Annotations(value="X").verify()


def test_sets_are_kept_in_one_order() -> None:
    assert stored(ground_truth={"c", "a", "b"}, verify_with=SetContainment())["ground_truth"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("primitive", "truth", "fits"),
    [
        (NumericExact(), 1, True),
        (NumericExact(), "1e3", True),
        (NumericExact(), True, False),
        (NumericExact(), None, False),
        (NumericExact(), "many", False),
        (NumericExact(), [1], False),
        (BooleanMatch(), False, True),
        (BooleanMatch(), 1, True),
        (BooleanMatch(), "Yes", True),
        (BooleanMatch(), 2, False),
        (BooleanMatch(), None, False),
        (BooleanMatch(), "maybe", False),
        (OrderedMatch(), ["a"], True),
        (SetContainment(), "a", False),
        (TraceContains(substring="a"), True, True),
        (TraceContains(substring="a"), 1, False),
        (ExactMatch(), None, True),
    ],
)
def test_a_ground_truth_that_hardly_fits_is_logged(
    primitive: VerificationPrimitive, truth: Any, fits: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert stored(verify_with=primitive, ground_truth=truth)["ground_truth"] == truth
    assert [type(primitive).__name__ in message for message in caplog.messages] == [True] * (not fits)


def test_stored_forms_may_have_members_that_nobody_knows() -> None:
    meta = VerificationMeta.model_validate({"ground_truth": 1, "verify_with": {"type": "NumericExact"}, "new": 1})
    assert meta.model_dump() == {
        "ground_truth": 1,
        "verify_with": {"type": "NumericExact"},
        "weight": 1.0,
        "extraction_hint": None,
    }
    assert meta.resolve() == (NumericExact(), 1)
    with pytest.raises(ValidationError):
        VerificationMeta.model_validate({"verify_with": {}})


def test_what_is_no_primitive_is_refused_when_it_is_needed() -> None:
    with pytest.raises(SettingsError, match="ExactMatch"):
        resolve_truth({"type": "ExactMtach"}, 1, None)
    with pytest.raises(ValidationError):
        resolve_truth({"type": "ExactMatch"}, {"__conditional__": True}, None)
