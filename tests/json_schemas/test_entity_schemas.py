"""The JSON Schemas of entities by their names: they say what the models accept, in words that people understand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, TypeAdapter, ValidationError

from checkpoint_ld import SettingsError, entities
from checkpoint_ld.entities.json_schemas import FILES, described, json_schema, summaries

Json = Any

CLASSES = {"no": "it is not", "yes": "it is"}
NODE = {"nodeId": "b", "question": {"text": "c", "acceptedAnswer": {"text": "d"}}}
SAMPLES: dict[str, list[dict[str, Json]]] = {
    "agentic-rubric-trait": [{"name": "a", "description": "b", "kind": "score", "model_override": {"id": "x"}}],
    "all-of": [{"conditions": [{"type": "any_of", "conditions": [{"type": "field_check", "field": "a"}]}]}, {}],
    "any-of": [{"conditions": []}],
    "at-least-n": [{"n": 1, "conditions": [{"type": "at_least_n", "n": 0}]}],
    "benchmark-metadata": [{"name": "a", "creator": [{"@type": "Person", "name": "b"}, "c"]}],
    "boolean-match": [{}],
    "callable-rubric-trait": [{"name": "a", "kind": "literal", "callable_code": "ZGVm", "classes": CLASSES}],
    "conditional-ground-truth": [{"source": "a.b", "cases": {"1": {"value": [1]}}, "default": {"value": None}}],
    "contains-all": [{"substrings": ["a"], "normalize": ["strip", {"mapping": {"a": "b"}}]}],
    "contains-any": [{"substrings": []}],
    "date-match": [{"format": "%Y"}],
    "date-range": [{"min": "2020-01-01"}],
    "date-tolerance": [{"tolerance": 2, "unit": "hours"}],
    "dynamic-rubric": [{"regex_traits": [{"name": "a", "summary": "b", "pattern": "c"}]}],
    "exact-match": [{"normalize": []}],
    "field-check": [{"field": "a"}],
    "ground-truth-case": [{"value": {"a": 1}, "verify_with": {"type": "NumericExact"}}],
    "literal-match": [{}],
    "llm-rubric-trait": [
        {"name": "a", "kind": "literal", "classes": CLASSES},
        {"name": "a", "kind": {"type": "template", "schema": {"properties": {"n": {"type": "integer"}}}}},
    ],
    "metric-rubric-trait": [{"name": "a", "metrics": ["recall"], "tp_instructions": ["b"]}],
    "numeric-exact": [{}],
    "numeric-graded": [{"cutoff": 0.1, "full_credit": 0.05}],
    "numeric-maximum": [{"exclusive": True}],
    "numeric-minimum": [{}],
    "numeric-range": [{"min": 1.5}],
    "numeric-range-graded": [{"min": 1, "max": 2, "margin": 0.5}],
    "numeric-threshold-graded": [{"direction": "max", "margin": 0.5, "decay": "quadratic"}],
    "numeric-tolerance": [{"tolerance": 0.05}],
    "ordered-match": [{}],
    "organization": [{"name": "a", "url": "https://example.org"}],
    "outcome-criterion": [{"name": "a", "evaluateSource": "lambda s: True"}],
    "person": [{"name": "a", "affiliation": "b"}],
    "primitive": [{"type": "NumericExact"}, {"type": "RegexMatch", "pattern": "a"}],
    "question": [{"question": "a", "raw_answer": "b", "sources": [{"c": [1]}], "tags": ["d", None]}],
    "question-registry-entry": [{"finished": True}],
    "regex-match": [{"pattern": "a", "flags": ["IGNORECASE"]}],
    "regex-rubric-trait": [{"name": "a", "pattern": "b", "higher_is_better": None}],
    "rubric": [{"llm_traits": [{"name": "a", "kind": "boolean"}], "metric_traits": []}],
    "rubric-evaluation": [{"trait_scores": {"a": 1, "b": True}}],
    "scenario": [
        {"name": "a", "entryNode": "b", "nodes": {"b": NODE}, "edges": [{"source": "b", "target": "__end__"}]}
    ],
    "scenario-edge": [{"source": "a", "target": "b", "condition": [{"c": 1}]}],
    "scenario-node": [NODE],
    "semantic-match": [{}],
    "set-containment": [{"mode": "overlap", "min_overlap": 2}],
    "strategy": [{"type": "all_of", "conditions": []}],
    "synonym-map": [{"mapping": {"a": "b"}}],
    "template-field-spec": [
        {"name": "a", "type": "str", "description": "b", "ground_truth": None, "verify_with": {"type": "ExactMatch"}}
    ],
    "template-spec": [{"fields": [], "verify_strategy": {"type": "field_check", "field_name": "a"}}],
    "trace-contains": [{"substring": "a"}],
    "trace-length": [{"max": 5, "unit": "words"}],
    "trace-regex": [{"pattern": "a", "count_min": 2}],
    "verification-meta": [{"ground_truth": 1, "verify_with": {"type": "NumericExact"}}],
    "verify-strategy-spec": [{"type": "at_least_n", "n": 1, "conditions": [{"type": "all_of"}]}],
}

every_schema = pytest.mark.parametrize("name", [name for name in summaries() if name not in FILES])


def refused(name: str, value: Json) -> list[str]:
    return [
        f"{error.json_path}: {error.message}" for error in Draft202012Validator(json_schema(name)).iter_errors(value)
    ]


def objects(schema: Json) -> Iterator[dict[str, Json]]:
    """Yield all parts of a schema that are objects."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from objects(part)


@pytest.mark.slow
@every_schema
def test_it_is_a_schema_that_needs_no_other(name: str) -> None:
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:checkpoint-ld:schema:{name}"
    assert schema["title"].lower() == name.replace("-", "")
    assert schema["description"].endswith(".")
    used = {part["$ref"] for part in objects(schema) if isinstance(part.get("$ref"), str)}
    assert used == {f"#/$defs/{one}" for one in schema.get("$defs", ())}


@every_schema
def test_every_field_is_described(name: str) -> None:
    schema = json_schema(name)
    for owner in (schema, *schema.get("$defs", {}).values()):
        for field, stated in owner.get("properties", {}).items():
            assert stated.get("description"), f"{owner.get('title')}.{field}"


def test_every_entity_has_a_sample_here() -> None:
    assert SAMPLES.keys() == described().keys()


@every_schema
def test_what_a_model_takes_and_gives_passes(name: str) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(described()[name].type)
    for sample in SAMPLES[name]:
        built = adapter.validate_python(sample)
        written = adapter.dump_python(built, mode="json", by_alias=True)
        assert refused(name, sample) == []
        assert refused(name, written) == []
        assert adapter.validate_python(written) == built


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("question", {"question": "a"}, "$: 'raw_answer' is a required property"),
        ("question", {"question": "", "raw_answer": "a"}, "$.question: '' should be non-empty"),
        ("question", {"question": "a", "raw_answer": "b", "keyword": []}, "'keyword' was unexpected"),
        ("question", {"question": "a", "raw_answer": "b", "keywords": "c"}, "$.keywords: 'c' is not of type 'array'"),
        ("llm-rubric-trait", {"name": "a", "kind": "boolean", "min_score": "b"}, "'b' is not of type 'number', 'null'"),
        ("agentic-rubric-trait", {"name": "a", "description": "b", "kind": "score", "max_turns": 0}, "0 is less than"),
        ("primitive", {"type": "Exact"}, "$.type: 'Exact' is not one of ['BooleanMatch'"),
        ("primitive", {"type": "NumericTolerance"}, "$: 'tolerance' is a required property"),
        ("primitive", {"tolerance": 1}, "$: 'type' is a required property"),
        ("strategy", {"type": "all_of", "conditions": [{"type": "field_check"}]}, "'field' is a required property"),
        ("set-containment", {"mode": "some"}, "$.mode: 'some' is not one of ['exact', 'subset'"),
        ("scenario-edge", {"source": "a"}, "$: 'target' is a required property"),
    ],
)
def test_a_fault_is_given_in_words_that_name_it(name: str, value: Json, message: str) -> None:
    assert any(message in stated for stated in refused(name, value)), refused(name, value)
    with pytest.raises(ValidationError):
        TypeAdapter(described()[name].type).validate_python(value)


VALUES: list[Json] = [None, 5, -1, 0.5, "x", "", True, [], {}, ["x"], [None], [{}], {"a": "b"}, {"type": "all_of"}]


@given(st.data())
def test_nothing_is_refused_that_a_model_takes_as_it_stands(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(SAMPLES)))
    sample = data.draw(st.sampled_from(SAMPLES[name]))
    adapter: TypeAdapter[Any] = TypeAdapter(described()[name].type)
    written = adapter.dump_python(adapter.validate_python(sample), mode="json", by_alias=True)
    field = data.draw(st.sampled_from(sorted(written.keys() - {"id"}) or ["type"]))
    changed = {**written, field: data.draw(st.sampled_from(VALUES))}
    if data.draw(st.booleans()):
        del changed[field]
    try:
        adapter.validate_json(json.dumps(changed), strict=True)
    except ValidationError:
        return
    assert refused(name, changed) == []


def test_every_entity_that_is_an_object_has_a_schema() -> None:
    models = {one for name in entities.__all__ if isinstance(one := getattr(entities, name), type)}
    known = {one.type for one in described().values()}
    without = {one.__name__ for one in models if issubclass(one, BaseModel)} - {
        one.__name__ for one in known if isinstance(one, type)
    }
    assert without == {"BaseAnswer", "Entity", "TracePrimitive", "VerificationPrimitive"}


# By their names


@pytest.mark.parametrize("name", ["llm-rubric-trait", "LLMRubricTrait", "llm_rubric_trait", "Llm Rubric Trait"])
def test_a_name_may_be_spelt_as_the_class_is(name: str) -> None:
    assert json_schema(name)["$id"] == "urn:checkpoint-ld:schema:llm-rubric-trait"


def test_documents_have_schemas_too() -> None:
    assert json_schema("checkpoint")["$id"] == "urn:checkpoint-ld:schema:checkpoint"
    assert json_schema("report")["$id"] == "urn:checkpoint-ld:report:1"


def test_a_name_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(SettingsError, match='there is no schema "questoin"; did you mean question'):
        json_schema("questoin")


def test_a_schema_may_be_changed_by_who_requested_it() -> None:
    json_schema("checkpoint").clear()
    json_schema("question")["properties"].clear()
    assert json_schema("checkpoint")["title"]
    assert json_schema("question")["properties"]


def test_each_has_a_line_that_states_what_it_is_of() -> None:
    assert list(summaries())[:2] == ["checkpoint", "report"]
    assert list(summaries())[2:] == sorted(list(summaries())[2:])
    assert all(text and "\n" not in text for text in summaries().values())
