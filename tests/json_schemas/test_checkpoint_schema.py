"""The JSON Schema of the checkpoint document: what it refuses, that it refuses nothing else, and what it tells."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from checkpoint_ld import ReadError, Severity, load, rules
from checkpoint_ld.entities.json_schemas import json_schema
from checkpoint_ld.entities.rubric import TRAIT_LISTS
from checkpoint_ld.graph.emission import ContextStyle
from checkpoint_ld.validation import validator
from checkpoint_ld.vocabulary import KARENINA, KEYS, SCOPES, SETTINGS, TRAIT_TYPES, TYPES
from tests.documents import canonical, item, rating, rich, scenario, setting
from tests.trials import examples

Json = Any

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


def holders(value: Json, *, root: bool = True) -> Iterator[tuple[Json, Json]]:
    """Yield each place of a document but for its context, as the object or array around it and the key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        if not (root and key == "@context"):
            yield value, key
            yield from holders(value[key], root=False)


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
    if faults(changed):
        with pytest.raises(ReadError):
            validator.read(json.dumps(changed).encode())


def test_it_knows_each_key_of_each_role_and_states_what_it_is_for() -> None:
    definitions = {"Benchmark": SCHEMA, **{role: PARTS[name] for role, name in ROLES.items()}}
    assert definitions.keys() == KEYS.keys()
    for role, keys in KEYS.items():
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
