"""Fields that say how they are verified, and JSON Schemas of answers, which never tell what is right."""

import json
import logging
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

from checkpoint_ld.entities import (
    BooleanMatch,
    DateMatch,
    DateTolerance,
    ExactMatch,
    LiteralMatch,
    NumericExact,
    NumericTolerance,
    OrderedMatch,
    SetContainment,
    TraceContains,
    VerificationPrimitive,
)
from checkpoint_ld.entities.answer import (
    KEY,
    BaseAnswer,
    VerificationMeta,
    VerifiedField,
    resolve_truth,
    verified_fields,
    without_ground_truths,
)
from checkpoint_ld.entities.template_spec import ConditionalGroundTruth, GroundTruthCase
from checkpoint_ld.errors import SettingsError

SECRET = "S3CRET"


def stored(**arguments: Any) -> dict[str, Any]:
    stated: dict[str, Any] = {"description": "d", "ground_truth": 1, "verify_with": ExactMatch(), **arguments}
    found: dict[str, Any] = VerifiedField(**stated).json_schema_extra[KEY]
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


def test_a_primitive_of_ones_own_is_not_taken_for_its_base() -> None:
    class Loose(ExactMatch):
        def check(self, extracted: Any, expected: Any) -> bool:
            return bool(extracted and expected)

    class Own(VerificationPrimitive):
        pass

    for primitive in (Loose(), Own()):
        kept = stored(verify_with=primitive)
        assert kept["verify_with"]["type"] == type(primitive).__name__
        with pytest.raises(SettingsError, match=f'there is no primitive "{type(primitive).__name__}"'):
            VerificationMeta.model_validate(kept).resolve()


def test_a_conditional_ground_truth_is_kept_with_its_marker_and_sets_in_one_order() -> None:
    conditional = ConditionalGroundTruth(source="a", cases={}, default=GroundTruthCase(value=1))
    kept = stored(ground_truth=conditional)["ground_truth"]
    assert (kept["__conditional__"], ConditionalGroundTruth.read(kept)) == (True, conditional)
    assert stored(ground_truth={"c", "a", "b"}, verify_with=SetContainment())["ground_truth"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(({"description": stated}, "needs a description") for stated in ("", " \n", None)),
        *(({"verify_with": stated}, "give a primitive") for stated in (None, {"type": "ExactMatch"}, ExactMatch)),
        ({"json_schema_extra": dict}, "json_schema_extra"),
    ],
)
def test_a_field_needs_a_description_and_a_primitive(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        stored(**arguments)


def test_what_else_is_reported_goes_to_pydantic() -> None:
    given = {"unit": "mg"}

    class Dose(BaseAnswer):
        dose: int = VerifiedField("dose", 5, NumericExact(), ge=0, default=1, json_schema_extra=given)

    assert (given, Dose().dose) == ({"unit": "mg"}, 1)
    assert Dose.model_fields["dose"].json_schema_extra["unit"] == "mg"  # type: ignore[index]
    with pytest.raises(ValidationError):
        Dose(dose=-1)


def test_a_field_without_a_default_is_required_but_for_trace_fields() -> None:
    class Both(BaseAnswer):
        trace: bool = VerifiedField("t", True, TraceContains(substring=""))
        value: str = VerifiedField("v", "x", ExactMatch())

    with pytest.raises(ValidationError) as caught:
        Both()
    assert [error["loc"] for error in caught.value.errors()] == [("value",)]


def test_a_field_can_be_stated_in_its_annotation() -> None:
    class Annotations(BaseAnswer):
        value: Annotated[str, VerifiedField("v", "x", ExactMatch(), weight=3)]

    assert verified_fields(Annotations)["value"].weight == 3
    assert Annotations(value="X").verify()


@pytest.mark.parametrize(
    ("primitive", "fitting", "others"),
    [
        (NumericExact(), [1, "1e3", "3.5"], [True, None, "many", [1]]),
        (BooleanMatch(), [False, 1, "Yes", "No"], [2, None, "maybe"]),
        (DateMatch(), ["2020-01-05"], ["in spring"]),
        (DateMatch(format="%d.%m.%Y"), [], ["2020-01-05"]),
        (DateTolerance(tolerance=1), [], ["2020"]),
        (OrderedMatch(), [["a"]], []),
        (SetContainment(), [["a"]], ["a", [["a"]]]),
        (TraceContains(substring="a"), [True], [1, "yes"]),
        (ExactMatch(), [None], []),
    ],
)
def test_a_ground_truth_that_its_primitive_cannot_judge_is_logged(
    primitive: VerificationPrimitive, fitting: list[Any], others: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "checkpoint_ld.entities.answer")
    for truth, is_logged in [*((one, False) for one in fitting), *((one, True) for one in others)]:
        caplog.clear()
        assert stored(verify_with=primitive, ground_truth=truth)["ground_truth"] == truth
        named = [type(primitive).__name__ in message and "hardly fits" in message for message in caplog.messages]
        assert named == [True] * is_logged, truth


def test_a_ground_truth_that_is_none_of_the_literals_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Answer(BaseAnswer):
        tone: Literal["dry", "florid"] = VerifiedField("d", "wet", LiteralMatch())
        other: Literal["a", "b"] = VerifiedField("d", "a", LiteralMatch())

    assert Answer.model_fields.keys() == {"id", "tone", "other"}
    assert caplog.messages == ['the ground truth "wet" of tone is none of the values of the field: correct one of them']


def test_stored_forms_may_have_members_that_nobody_knows() -> None:
    stated = {"ground_truth": 1, "verify_with": {"type": "NumericExact"}}
    meta = VerificationMeta.model_validate({**stated, "new": 1})
    assert meta.model_dump() == {**stated, "weight": 1.0, "extraction_hint": None}
    assert meta.resolve() == (NumericExact(), 1)
    with pytest.raises(ValidationError):
        VerificationMeta.model_validate({"verify_with": {}})


def test_what_is_no_primitive_is_refused_when_it_is_needed() -> None:
    with pytest.raises(SettingsError, match="ExactMatch"):
        resolve_truth({"type": "ExactMtach"}, 1, None)
    with pytest.raises(ValidationError):
        resolve_truth({"type": "ExactMatch"}, {"__conditional__": True}, None)


# JSON Schemas


class Inner(BaseAnswer):
    gene: str = VerifiedField("inner", SECRET, ExactMatch(), default=SECRET)


class Leaky(BaseAnswer):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": SECRET}], "answer": SECRET})

    name: str = VerifiedField(
        "the name", SECRET, ExactMatch(), default=SECRET, examples=[SECRET], json_schema_extra={"hint": SECRET}
    )
    default: int = VerifiedField("a field of this name", 3, NumericExact(), ge=0, le=10)
    kind: Literal["a", "b"] = VerifiedField("the kind", "b", LiteralMatch())
    inner: Inner = Field(default_factory=Inner)
    regex: dict[str, Any] = Field(default={"r": {"expected": SECRET}})
    trace: bool = VerifiedField("t", True, TraceContains(substring=SECRET), default=True)


@pytest.mark.parametrize(
    "schema",
    [
        Leaky.model_json_schema(),
        Leaky.model_json_schema(mode="serialization"),
        Leaky.model_json_schema(by_alias=False, ref_template="#/x/{model}"),
        TypeAdapter(list[Leaky]).json_schema(),
        create_model("Outer", answer=(Leaky, ...)).model_json_schema(),
    ],
)
def test_no_schema_shows_a_ground_truth(schema: Any) -> None:
    text = json.dumps(schema)
    assert (SECRET in text, KEY in text, "the name" in text) == (False, False, True)


def test_what_describes_values_stays() -> None:
    schema = Leaky.model_json_schema()
    properties = schema["properties"]
    assert list(properties) == ["id", "name", "default", "kind", "inner", "regex", "trace"]
    held = {"description": "a field of this name", "maximum": 10, "minimum": 0}
    assert properties["default"] == {**held, "title": "Default", "type": "integer"}
    assert (properties["kind"]["enum"], schema["required"]) == (["a", "b"], ["default", "kind"])
    assert properties["trace"] == {"description": "t", "title": "Trace", "type": "boolean"}
    assert schema["$defs"]["Inner"]["properties"]["gene"] == {"description": "inner", "title": "Gene", "type": "string"}


def test_fields_of_plain_models_inside_an_answer_show_nothing_either() -> None:
    class Part(BaseModel):
        gene: str = VerifiedField("part", SECRET, ExactMatch())

    class Whole(BaseAnswer):
        parts: list[Part]

    schema = Whole.model_json_schema()
    assert schema["$defs"]["Part"]["properties"]["gene"]["description"] == "part"
    assert SECRET not in json.dumps(schema)


def test_a_schema_without_secrets_is_that_of_pydantic() -> None:
    class Plain(BaseAnswer):
        """What to find."""

        name: str = Field(description="n", min_length=1)
        parts: list[int | None] = Field(max_length=3)
        by_name: dict[str, float]

    adapter = create_model(
        "Plain",
        __doc__="What to find.",
        __config__=ConfigDict(extra="allow"),
        id=(str | None, None),
        name=(str, Field(description="n", min_length=1)),
        parts=(list[int | None], Field(max_length=3)),
        by_name=(dict[str, float], ...),
    )
    assert Plain.model_json_schema() == adapter.model_json_schema()


SIMPLE = st.none() | st.booleans() | st.text()


@given(st.recursive(SIMPLE, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_ground_truths_never_show(truth: Any) -> None:
    marked = {"marker": SECRET, "truth": truth}
    made = create_model(
        "Made",
        __base__=BaseAnswer,
        value=(Any, VerifiedField("v", marked, LiteralMatch(), default=marked, examples=[marked])),
        flag=(bool, VerifiedField("f", True, BooleanMatch(), default=True)),
    )
    schema = made.model_json_schema()
    assert SECRET not in json.dumps(schema)
    assert schema["properties"]["flag"] == {"description": "f", "title": "Flag", "type": "boolean"}


def test_the_schema_that_is_given_stays_as_it_is() -> None:
    schema = {"properties": {"a": {"default": 1, KEY: {}}}}
    assert without_ground_truths(schema) == {"properties": {"a": {}}}
    assert schema == {"properties": {"a": {"default": 1, KEY: {}}}}
