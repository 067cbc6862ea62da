"""What a judge is requested, as JSON Schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
from hypothesis import given

from checkpoint_ld import judge_schema
from checkpoint_ld.entities.template_spec import TemplateFieldSpec, TemplateSpec
from tests.templates.specs import specs

SECRET = "S3CRET"


def field(name: str, type_: str = "str", **members: Any) -> TemplateFieldSpec:
    trace = {"type": "TraceContains", "substring": SECRET}
    stated = {"description": f"the {name}", "ground_truth": SECRET, **members}
    stated["verify_with"] = trace if members.get("is_trace") else {"type": "ExactMatch"}
    return TemplateFieldSpec(name=name, type=type_, **stated)


SPEC = TemplateSpec(
    fields=[
        field("name", extraction_hint="the first word"),
        field("kind", "literal", literal_values=["a", "b"]),
        field("tags", "list_str"),
        field("day", "date"),
        field("count", "int"),
        field("size", "float"),
        field("ok", "bool"),
        field("polite", "bool", is_trace=True),
    ],
    class_name="Gene",
)


def test_each_field_is_requested_in_its_type_without_its_ground_truth() -> None:
    assert SECRET not in json.dumps(judge_schema(SPEC))
    assert judge_schema(SPEC) == {
        "type": "object",
        "title": "Gene",
        "properties": {
            "name": {"type": "string", "description": "the name\nthe first word"},
            "kind": {"type": "string", "description": "the kind", "enum": ["a", "b"]},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "the tags"},
            "day": {"type": "string", "format": "date", "description": "the day"},
            "count": {"type": "integer", "description": "the count"},
            "size": {"type": "number", "description": "the size"},
            "ok": {"type": "boolean", "description": "the ok"},
        },
        "required": ["name", "kind", "tags", "day", "count", "size", "ok"],
        "additionalProperties": False,
    }


@given(specs())
def test_no_ground_truth_of_any_template_shows(spec: TemplateSpec) -> None:
    marked = []
    for one in spec.fields:
        truth, verify_with = {"marker": SECRET, "truth": one.ground_truth}, {**one.verify_with, "substrings": [SECRET]}
        marked.append(one.model_copy(update={"ground_truth": truth, "verify_with": verify_with}))
    schema = judge_schema(spec.model_copy(update={"fields": marked}))
    assert SECRET not in json.dumps(schema)
    assert schema == judge_schema(spec)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert list(schema["properties"]) == [one.name for one in spec.fields if not one.is_trace]


def test_schemas_share_nothing() -> None:
    judge_schema(SPEC)["properties"]["tags"]["items"]["type"] = "number"
    assert judge_schema(SPEC)["properties"]["tags"]["items"] == {"type": "string"}
