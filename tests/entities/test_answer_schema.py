"""JSON Schemas of answers tell what to look for, and never what is right."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model

from checkpoint_ld.entities import BooleanMatch, ExactMatch, LiteralMatch, NumericExact, TraceContains
from checkpoint_ld.entities.answer import BaseAnswer
from checkpoint_ld.entities.verified_field import KEY, VerifiedField, without_ground_truths

SECRET = "S3CRET"


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


SCHEMAS: list[Any] = [
    Leaky.model_json_schema(),
    Leaky.model_json_schema(mode="serialization"),
    Leaky.model_json_schema(by_alias=False, ref_template="#/x/{model}"),
    TypeAdapter(list[Leaky]).json_schema(),
    create_model("Outer", answer=(Leaky, ...)).model_json_schema(),
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_no_schema_tells_a_ground_truth(schema: Any) -> None:
    text = json.dumps(schema)
    assert SECRET not in text
    assert KEY not in text
    assert "the name" in text


def test_fields_of_plain_models_inside_an_answer_tell_nothing_either() -> None:
    class Part(BaseModel):
        gene: str = VerifiedField("part", SECRET, ExactMatch())

    class Whole(BaseAnswer):
        parts: list[Part]

    schema = Whole.model_json_schema()
    assert schema["$defs"]["Part"]["properties"]["gene"]["description"] == "part"
    assert SECRET not in json.dumps(schema)


def test_what_describes_values_stays() -> None:
    schema = Leaky.model_json_schema()
    properties = schema["properties"]
    assert list(properties) == ["id", "name", "default", "kind", "inner", "regex", "trace"]
    assert properties["default"] == {
        "description": "a field of this name",
        "maximum": 10,
        "minimum": 0,
        "title": "Default",
        "type": "integer",
    }
    assert properties["kind"]["enum"] == ["a", "b"]
    assert properties["trace"] == {"description": "t", "title": "Trace", "type": "boolean"}
    assert schema["required"] == ["default", "kind"]
    assert schema["$defs"]["Inner"]["properties"]["gene"] == {"description": "inner", "title": "Gene", "type": "string"}


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


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
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
