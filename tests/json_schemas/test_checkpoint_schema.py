"""The JSON Schema of the checkpoint document: what it refuses, that it refuses nothing else, and what it tells."""

import copy
import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, TypeAdapter, ValidationError

from checkpoint_ld import ReadError, SettingsError, Severity, entities, load, rules
from checkpoint_ld.entities.json_schemas import FILES, described, json_schema, summaries
from checkpoint_ld.entities.rubric import TRAIT_LISTS
from checkpoint_ld.graph.emission import ContextStyle
from checkpoint_ld.validation import validator
from checkpoint_ld.vocabulary import KARENINA, KEYS, SCOPES, SETTINGS, TRAIT_TYPES, TYPES
from tests.documents import Json, canonical, item, rating, rich, scenario, setting
from tests.trials import examples

REMOVED = object()
SCHEMA = json_schema("checkpoint")
PARTS = SCHEMA["$defs"]
VALIDATOR = Draft202012Validator(SCHEMA)
METALS = json.loads((Path(__file__).parents[2] / "docs/examples/metals.jsonld").read_text(encoding="utf-8"))
FAMILIES = {name.removesuffix("_traits"): model for name, model in TRAIT_LISTS.items()}
ROLES = {
    **{role: role.lower() for role in ("Item", "Question", "Answer", "Template", "Trait", "Scenario", "Node", "Edge")},
    "Setting": "property",
    "Criterion": "criterion",
}


def faults(document: Json) -> list[tuple[str, str]]:
    return [(error.json_path, error.message) for error in VALIDATOR.iter_errors(document)]


def parts(node: Json) -> Iterator[dict[str, Json]]:
    if isinstance(node, dict):
        yield node
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from parts(part)


def members(definition: dict[str, Json]) -> dict[str, Json]:
    """Return the properties that a definition has of its own and by reference."""
    found = dict(definition.get("properties", {}))
    for part in definition.get("allOf", ()):
        if "if" not in part:
            found |= members(PARTS[part["$ref"].rpartition("/")[2]] if "$ref" in part else part)
    return found


def conditional_values(definition: str) -> dict[str, Json]:
    """Return what a definition says about the value of each property that it knows, by the property's name."""
    return {
        part["if"]["properties"]["name"]["pattern"].strip("^$"): part["then"]["properties"]["value"]
        for part in PARTS[definition]["allOf"]
        if "name" in part.get("if", {}).get("properties", {})
    }


def offered(definition: str) -> list[str]:
    (names,) = (
        part["properties"]["name"]["anyOf"][0]["enum"]
        for part in PARTS[definition]["allOf"]
        if "name" in part.get("properties", {})
    )
    return list(names)


def trait(kind: str, *entries: Json, **more: Json) -> Json:
    made = {**rating("t", "Global"), "additionalType": f"karenina:Global{kind}", "additionalProperty": list(entries)}
    return {**canonical(), "rating": [{**made, **more}]}


def without(document: Json, *path: str | int) -> Json:
    return with_value(document, REMOVED, *path)


def with_value(document: Json, value: Json, *path: str | int) -> Json:
    changed = copy.deepcopy(document)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    if value is REMOVED:
        del holder[path[-1]]
    return changed


QUESTION = ("dataFeedElement", 0, "item")
AT_QUESTION = "$.dataFeedElement[0].item"
AT_VALUE = "$.rating[0].additionalProperty[0].value"


def test_it_is_a_schema_of_its_own_without_idle_parts() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    references = {part["$ref"] for part in parts(SCHEMA) if isinstance(part.get("$ref"), str)}
    assert references == {f"#/$defs/{name}" for name in PARTS}


@pytest.mark.parametrize(
    "document",
    [METALS, canonical(), rich(), scenario(), load(json.dumps(METALS).encode()).to_jsonld(ContextStyle.IMPROVED)],
    ids=["example", "canonical", "rich", "scenario", "improved context"],
)
def test_a_checkpoint_as_it_is_written_passes(document: Json) -> None:
    assert faults(document) == []


def test_members_that_nobody_knows_pass_everywhere() -> None:
    def extended(value: Json) -> Json:
        if isinstance(value, list):
            return [extended(part) for part in value]
        return {**{k: extended(v) for k, v in value.items()}, "ours": {"a": [1]}} if isinstance(value, dict) else value

    for document in (METALS, rich(), scenario()):
        changed = {**extended({k: v for k, v in document.items() if k != "@context"}), "@context": document["@context"]}
        for part in changed.get("hasPart", ()):
            del part["nodes"]["ours"]
        assert faults(changed) == []


DOCUMENT, ITEM, TRAIT = canonical(), "$.dataFeedElement[0]", "$.rating[0]"
LANGUAGE, FINISHED = ("hasPart", "programmingLanguage"), ("additionalProperty", 0, "value")


def of_type(name: str) -> Json:
    return with_value(DOCUMENT, f"karenina:{name}", "rating", 0, "additionalType")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("document", "place", "message"),
    [
        (without(DOCUMENT, "name"), "$", "'name' is a required property"),
        (without(DOCUMENT, "dataFeedElement"), "$", "'dataFeedElement' is a required property"),
        (with_value(DOCUMENT, "DataSet", "@type"), "$['@type']", "'DataSet' does not match"),
        (with_value(DOCUMENT, ["1"], "version"), "$.version", "['1'] is not of type"),
        (with_value(DOCUMENT, 7, "creator"), "$.creator", "7 is not of type 'string', 'object'"),
        (without(DOCUMENT, *QUESTION), ITEM, "'item' is a required property"),
        (without(DOCUMENT, *QUESTION, "text"), AT_QUESTION, "'text' is a required property"),
        (with_value(DOCUMENT, "", *QUESTION, "text"), f"{AT_QUESTION}.text", "'' should be non-empty"),
        (without(DOCUMENT, *QUESTION, "acceptedAnswer"), AT_QUESTION, "'acceptedAnswer' is a required property"),
        (with_value(DOCUMENT, {}, *QUESTION, "acceptedAnswer"), f"{AT_QUESTION}.acceptedAnswer", "'text' is a req"),
        (with_value(DOCUMENT, [{}, {}], *QUESTION, "hasPart"), f"{AT_QUESTION}.hasPart", "[{}, {}] is too long"),
        (with_value(DOCUMENT, "R", *QUESTION, *LANGUAGE), f"{AT_QUESTION}.{'.'.join(LANGUAGE)}", "'R' does not match"),
        (
            with_value(DOCUMENT, "banana", *QUESTION, *FINISHED),
            f"{AT_QUESTION}.additionalProperty[0].value",
            "'banana' does not match",
        ),
        (without(DOCUMENT, "rating", 0, "name"), TRAIT, "'name' is a required property"),
        (with_value(DOCUMENT, "high", "rating", 0, "bestRating"), f"{TRAIT}.bestRating", "'high' does not match"),
        (of_type("GlobalRegex"), f"{TRAIT}.additionalType", "'karenina:GlobalRegex' does not match"),
        (of_type("QuestionSpecificRegexTrait"), f"{TRAIT}.additionalType", "does not match"),
        (with_value(DOCUMENT, "x", "rating", 0), TRAIT, "'x' is not of type 'object'"),
        (trait("RubricTrait", bestRating=None), f"{TRAIT}.bestRating", "None is not of type 'number', 'string'"),
        (trait("RubricTrait", setting("kind", "colour")), AT_VALUE, "'colour' is not one of ['boolean', 'score'"),
        (trait("RubricTrait", {"value": 1}), f"{TRAIT}.additionalProperty[0]", "'name' is a required property"),
        (trait("LLMRubricTrait", setting("classes", {"a": "b"}), setting("kind", "literal")), AT_VALUE, "properties"),
        (trait("RegexTrait", setting("pattern", 5)), AT_VALUE, "5 is not of type 'string', 'null'"),
        (trait("RegexTrait", setting("case_sensitive", "sometimes")), AT_VALUE, "'sometimes' does not match"),
        (trait("CallableTrait", setting("kind", {})), AT_VALUE, "{} is not one of ['boolean'"),
        (trait("CallableTrait", setting("callable_code", 1)), AT_VALUE, "1 is not of type 'string', 'null'"),
        (trait("MetricRubricTrait", setting("metrics", ["recal"])), f"{AT_VALUE}[0]", "'recal' is not one of"),
        (trait("MetricRubricTrait", setting("tp_instructions", [])), AT_VALUE, "[] should be non-empty"),
        (trait("MetricRubricTrait", setting("evaluation_mode", "all")), AT_VALUE, "'all' is not one of ['tp_only'"),
        (trait("AgenticRubricTrait", setting("max_turns", [1])), AT_VALUE, "[1] is not of type 'number'"),
        (trait("AgenticRubricTrait", setting("context_mode", "all")), AT_VALUE, "'all' is not one of"),
        (without(trait("AgenticRubricTrait"), "rating", 0, "description"), TRAIT, "'description' is a req"),
        (trait("DynamicRubricTrait", setting("dynamic_trait_type", "x")), AT_VALUE, "'x' is not one of ['llm'"),
        (without(scenario(), "hasPart", 0, "entryNode"), "$.hasPart[0]", "'entryNode' is a required property"),
        (without(scenario(), "hasPart", 0, "edges", 0, "target"), "$.hasPart[0].edges[0]", "'target' is a required"),
        ({**scenario(), "dataFeedElement": [{"item": {}}]}, "$.dataFeedElement", "is expected to be empty"),
    ],
)
def test_what_has_no_meaning_is_refused_in_words_that_name_it(document: Json, place: str, message: str) -> None:
    assert any(where == place and message in stated for where, stated in faults(document)), faults(document)
    with pytest.raises(ReadError):
        validator.read(json.dumps(document).encode())


VALUES: list[Json] = [
    *(None, 5, 0, 1, -2.5, "x", "", "5", " 7 ", "yes", "OFF", True, False, [], {}, ["x"], [None], [{}], [[]], {"a": 1}),
    *("karenina:GlobalRegexTrait", "QuestionSpecificMetricRubricTrait", "urn:karenina:vocab:GlobalCallableTrait"),
    *("literal", "score", "DataFeed", "__end__", ["recall"], {"type": "template", "schema": {}}),
]


def holders(value: Json) -> Iterator[tuple[Json, Json]]:
    """Yield each place of a document but for those in its context, as the object or array around it and the key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        if key != "@context":
            yield from holders(value[key])


def is_read_without(where: str, document: Json) -> bool:
    """Return whether a fault is one of the three that `validate` only warns of."""
    if where == "$['@context']" or where.endswith(".hasPart['@type']"):
        return True
    node = re.match(r"\$\.hasPart\[(\d+)\]\.nodes(?:\.(again)|\['(start here)'\])", where)
    held = node and document["hasPart"][int(node[1])]["nodes"][node[2] or node[3]]
    return isinstance(held, dict) and held.get("@type") != "karenina:ScenarioNode"


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(document=st.sampled_from([METALS, rich(), scenario(), canonical()]), data=st.data())
def test_nothing_is_refused_that_is_read(document: Json, data: st.DataObject) -> None:
    changed = copy.deepcopy(document)
    for _ in range(data.draw(st.integers(1, 2))):
        holder, key = data.draw(st.sampled_from(list(holders(changed))))
        match data.draw(st.sampled_from(("delete", "wrap", "unwrap", "replace"))):
            case "delete":
                del holder[key]
            case "wrap":
                holder[key] = [holder[key]]
            case "unwrap" if isinstance(holder[key], list) and len(holder[key]) == 1:
                holder[key] = holder[key][0]
            case _:
                holder[key] = copy.deepcopy(data.draw(st.sampled_from(VALUES)))
    if not all(is_read_without(where, changed) for where, _ in faults(changed)):
        with pytest.raises(ReadError):
            validator.read(json.dumps(changed).encode())


def test_it_knows_each_key_of_each_role_and_states_what_it_is_for() -> None:
    definitions = {"Benchmark": SCHEMA, **{role: PARTS[name] for role, name in ROLES.items()}}
    known_roles = {role: keys for role, keys in KEYS.items() if role != "Creator"}  # a person or an organization
    assert definitions.keys() == known_roles.keys()
    for role, keys in known_roles.items():
        known = members(definitions[role])
        missing = set(keys) - known.keys()
        assert missing <= ({"rating", "additionalProperty", "keywords"} if role == "Node" else set()), role
        for key in keys:
            described = known[key] if "$ref" not in known[key] else {**PARTS[known[key]["$ref"][8:]], **known[key]}
            assert described.get("description") or key in {"acceptedAnswer", "item", "question", "creator"}, (role, key)
        if role in TYPES:
            assert known["@type"]["default"] == TYPES[role]


def test_it_offers_all_types_of_traits() -> None:
    offers = {
        scope: PARTS[name]["allOf"][1]["properties"]["additionalType"]
        for scope, name in zip(SCOPES, ("globalTrait", "questionTrait"), strict=True)
    }
    stated = [name for scope in SCOPES for name in offers[scope]["anyOf"][0]["enum"]]
    assert stated == [f"karenina:{name}" for name in TRAIT_TYPES]
    for scope in SCOPES:
        assert len(offers[scope]["anyOf"][0]["enumDescriptions"]) == len(offers[scope]["anyOf"][0]["enum"])
    for kind in TRAIT_TYPES:
        for spelling in (kind, f"karenina:{kind}", KARENINA + kind):
            document = canonical()
            entries = [setting("metrics", ["recall"]), setting("tp_instructions", ["a"])]
            entries.append(setting("dynamic_trait_type", "llm"))
            changes = {"additionalType": spelling, "additionalProperty": entries}
            document["dataFeedElement"][0]["item"]["rating"][0] |= changes
            assert faults(document) == [], spelling


def test_it_knows_all_settings() -> None:
    assert conditional_values("setting").keys() == set(SETTINGS["Trait"])
    assert list(conditional_values("questionProperty")) == offered("questionProperty") == list(SETTINGS["Question"])
    assert list(conditional_values("benchmarkProperty")) == offered("benchmarkProperty") == list(SETTINGS["Benchmark"])
    assert set(offered("dynamicSetting")) == set(SETTINGS["Trait"])
    for role in ("setting", "questionProperty", "benchmarkProperty"):
        assert all(value["description"] for value in conditional_values(role).values())


@pytest.mark.parametrize("family", FAMILIES)
def test_the_settings_of_a_trait_are_the_fields_of_its_entity_with_their_defaults(family: str) -> None:
    fields = FAMILIES[family].model_fields
    assert set(offered(f"{family}Setting")) == fields.keys() - {"name", "description"}
    values = {**conditional_values("setting"), **conditional_values(f"{family}Setting")}
    for name in offered(f"{family}Setting"):
        value = {**conditional_values("setting")[name], **values[name]}
        of_its_own = {("metric", "higher_is_better"), ("callable", "min_score"), ("callable", "max_score")}
        if "default" in value and (family, name) not in of_its_own and name != "kind":
            assert value["default"] == fields[name].default, name


def test_what_it_refuses_has_a_rule_that_refuses_it_too() -> None:
    named = [one for part in parts(SCHEMA) if "$comment" in part for one in part["$comment"].split(", ")]
    assert len(set(named)) > 20
    for one in named:
        code, slug = one.split(" ")
        rule = rules.catalogue()[code]
        assert (rule.slug, rule.severity) == (slug, Severity.VIOLATION)


def test_codes_in_descriptions_are_those_of_rules() -> None:
    for part in parts(SCHEMA):
        description = part.get("description")
        if isinstance(description, str) and description.endswith(")."):
            for code in description.rpartition("(")[2].removesuffix(").").split(", "):
                assert code in rules.catalogue(), description


def test_examples_pass() -> None:
    for name, place in (("globalTrait", ("rating", 0)), ("questionTrait", (*QUESTION, "rating", 0))):
        for example in PARTS[name]["examples"]:
            filled = json.loads(json.dumps(example).replace('"name": ""', '"name": "a"'))
            assert faults(with_value(canonical(), filled, *place)) == []
    for example in PARTS["item"]["examples"]:
        filled = with_value(example, "Which?", "item", "text")
        assert faults(canonical(filled)) == []
    assert faults(canonical(item())) == []


# --- The JSON Schemas of entities by their names: they say what the models accept, in words that people understand.


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


@pytest.mark.slow
@every_schema
def test_it_is_a_schema_that_needs_no_other(name: str) -> None:
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:checkpoint-ld:schema:{name}"
    assert schema["title"].lower() == name.replace("-", "")
    assert schema["description"].endswith(".")
    used = {part["$ref"] for part in parts(schema) if isinstance(part.get("$ref"), str)}
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


MEMBER_VALUES: list[Json] = [
    None,
    5,
    -1,
    0.5,
    "x",
    "",
    True,
    [],
    {},
    ["x"],
    [None],
    [{}],
    {"a": "b"},
    {"type": "all_of"},
]


@given(st.data())
def test_nothing_is_refused_that_a_model_takes_as_it_stands(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(SAMPLES)))
    sample = data.draw(st.sampled_from(SAMPLES[name]))
    adapter: TypeAdapter[Any] = TypeAdapter(described()[name].type)
    written = adapter.dump_python(adapter.validate_python(sample), mode="json", by_alias=True)
    field = data.draw(st.sampled_from(sorted(written.keys() - {"id"}) or ["type"]))
    changed = {**written, field: data.draw(st.sampled_from(MEMBER_VALUES))}
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


# --- The pages about entities and schemas say what is so.


DOCS = Path(__file__).parents[2] / "docs"
ENTITIES = (DOCS / "entities.md").read_text(encoding="utf-8")
SCHEMAS = ENTITIES.partition("\n## JSON Schemas\n")[2]


def test_the_tables_of_fields_are_what_the_models_state() -> None:
    rendered = runpy.run_path(str(DOCS / "entity_pages.py"))["with_tables"](ENTITIES)
    assert rendered == ENTITIES, "run python docs/entity_pages.py"


def test_the_page_of_parameters_is_what_the_source_states() -> None:
    made = runpy.run_path(str(DOCS / "parameter_pages.py"))["page"]()
    assert made == (DOCS / "parameters.md").read_text(encoding="utf-8"), "run python docs/parameter_pages.py"
    for name in ("extract_questions_from_file", "CallableRubricTrait.from_callable", "Benchmark.save"):
        assert f"### `{name}`" in made


@pytest.mark.parametrize(
    "name", [one.type.__name__ for one in described().values() if isinstance(one.type, type)], ids=str
)
def test_each_entity_has_a_section_with_its_fields(name: str) -> None:
    sections = re.split(r"^#{2,4} ", ENTITIES, flags=re.MULTILINE)
    (section,) = (one for one in sections if one.startswith(f"`{name}`\n"))
    model: type[BaseModel] = getattr(entities, name)
    assert f"<!-- fields: {name} -->" in section
    for field in model.model_fields.keys() - {"type"}:
        assert f"| `{field}` |" in section


@pytest.mark.parametrize("name", list(entities.PRIMITIVES))
def test_each_primitive_is_shown_at_work(name: str) -> None:
    (section,) = re.findall(rf"^#### `{name}`\n(.*?)(?=^#|\Z)", ENTITIES, re.MULTILINE | re.DOTALL)
    assert re.search(rf"^```python\n.*print\({name}\(.*^```\n\n```text\n.+\n```$", section, re.MULTILINE | re.DOTALL)


def test_the_page_of_schemas_names_what_there_is() -> None:
    for name in re.findall(r"^\| `([\w-]+)`", SCHEMAS, re.MULTILINE):
        assert name in summaries()
    assert json_schema("checkpoint")["$schema"].startswith("https://json-schema.org/draft/2020-12")
    assert "draft 2020-12" in SCHEMAS


def test_the_settings_for_an_editor_are_json() -> None:
    (block,) = re.findall(r"^~~~~json\n(.*?)^~~~~$", SCHEMAS, re.MULTILINE | re.DOTALL)
    (schema,) = json.loads(block)["json.schemas"]
    assert schema["url"].removeprefix("./") in re.findall(r"--output (\S+)", SCHEMAS)
