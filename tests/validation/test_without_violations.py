"""What has no violation can be used: it loads, and its entities, exports and differences raise nothing."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, validate
from checkpoint_ld.benchmark.difference import semantic_diff
from checkpoint_ld.findings import Severity
from checkpoint_ld.validation.inference import with_inferred
from checkpoint_ld.vocabulary import SETTINGS
from tests.documents import canonical, scenario, setting

Json = Any
Steps = tuple[str | int, ...]

CLASSES = {"low": "little of it", "high": "much of it"}
METRIC = {"metrics": ["recall"], "tp_instructions": ["says mercury"]}
TRAITS: dict[str, tuple[str, Json]] = {
    "llm": ("RubricTrait", {"higher_is_better": True}),
    "llm-score": ("RubricTrait", {"kind": "score"}),
    "llm-literal": ("LLMRubricTrait", {"kind": "literal", "classes": CLASSES}),
    "llm-template": ("LLMRubricTrait", {"kind": {"type": "template", "schema": {}}}),
    "regex": ("RegexTrait", {"pattern": "x"}),
    "callable": ("CallableTrait", {"callable_code": "YQ==", "kind": "boolean"}),
    "callable-literal": ("CallableTrait", {"callable_code": "YQ==", "kind": "literal", "classes": CLASSES}),
    "metric": ("MetricRubricTrait", METRIC),
    "agentic": ("AgenticRubricTrait", {"kind": "boolean"}),
    "agentic-score": ("AgenticRubricTrait", {"kind": "score"}),
    "dynamic-llm": ("DynamicRubricTrait", {"dynamic_trait_type": "llm", "summary": "s"}),
    "dynamic-metric": ("DynamicRubricTrait", {"dynamic_trait_type": "metric", "summary": "s", **METRIC}),
}
DEEP = ("deep_judgment_enabled", "deep_judgment_max_excerpts", "deep_judgment_fuzzy_match_threshold")
MEMBERS = ("name", "description", "bestRating", "worstRating", "ratingValue", "ratingExplanation", "@id", *DEEP)
VALUES: list[Json] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        5,
        1.5,
        0.5,
        -0.0,
        1e300,
        10**400,
        "",
        " ",
        "x",
        "5",
        "1.5",
        "true",
        "nan",
        "(",
        "score",
    ),
    *(
        [],
        {},
        ["x"],
        [1],
        [None],
        [[]],
        [{}],
        {"a": "b"},
        {"a": 1, "b": None},
        {"": ""},
        {"@id": "urn:x"},
        {"@value": 1},
    ),
    *("[]", "{}", '["x"]', '{"a": "b", "c": "d"}', {"type": "template", "schema": {"properties": [1]}}, CLASSES),
]
OTHER = Benchmark.load(json.dumps(canonical()).encode())


def rated(label: str, settings: Json, members: Json, *, in_question: bool = False) -> Json:
    """Return a benchmark with one trait of a kind that has other settings and members."""
    kind, usual = TRAITS[label]
    held = [setting(name, value) for name, value in {**usual, **settings}.items()]
    rating = {"@type": "Rating", "name": "t", "description": "d", "bestRating": 1.0, "worstRating": 0.0, **members}
    rating |= {"additionalType": f"karenina:{'QuestionSpecific' if in_question else 'Global'}{kind}"}
    tree = canonical()
    holder = tree["dataFeedElement"][0]["item"] if in_question else tree
    holder["rating"] = [{**rating, "additionalProperty": held}]
    return tree


def paths(value: Json, steps: Steps = ()) -> list[Steps]:
    """Return the ways to all values below the root, but for what decides what is read at all: contexts, its type."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [((*steps, key), one) for key, one in inner if key != "@context" and (steps or key != "@type")]
    return [path for step, one in below for path in (step, *paths(one, step))]


def changed(tree: Json, path: Steps, value: Json) -> Json:
    """Return a document with another value at a place."""
    whole = copy.deepcopy(tree)
    holder = whole
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return whole


SCENARIOS = canonical() | {"dataFeedElement": [], "hasPart": [scenario()]}
BASE = canonical() | {"description": "d", "version": "1", "creator": "Ada", "url": "https://example.org/"}

damaged = st.one_of(
    st.builds(
        lambda label, name, value, inside: rated(label, {name: value}, {}, in_question=inside),
        st.sampled_from(sorted(TRAITS)),
        st.sampled_from(SETTINGS["Trait"]),
        st.sampled_from(VALUES),
        st.booleans(),
    ),
    st.builds(
        lambda label, name, value: rated(label, {}, {name: value}),
        st.sampled_from(sorted(TRAITS)),
        st.sampled_from(MEMBERS),
        st.sampled_from(VALUES),
    ),
    st.builds(
        lambda name, value: changed(BASE, ("dataFeedElement", 0, "item", "additionalProperty"), [setting(name, value)]),
        st.sampled_from((*SETTINGS["Question"], "custom_x", "other")),
        st.sampled_from(VALUES),
    ),
    st.builds(
        lambda name, value: changed(BASE, ("additionalProperty",), [setting(name, value)]),
        st.sampled_from((*SETTINGS["Benchmark"], "creator_details", "mine")),
        st.sampled_from(VALUES),
    ),
    st.builds(changed, st.just(BASE), st.sampled_from(paths(BASE)), st.sampled_from(VALUES)),
    st.builds(changed, st.just(SCENARIOS), st.sampled_from(paths(SCENARIOS)), st.sampled_from(VALUES)),
)


def use(benchmark: Benchmark) -> None:
    """Make every entity, export and view of a benchmark, and differences from and to another one."""
    for one in benchmark.get_question_ids():
        benchmark[one].model_dump(mode="json")
        benchmark.get_question(one)
        benchmark.get_question_metadata(one)
        benchmark.get_registry_entry(one)
        for rubric in (benchmark.get_question_rubric(one), benchmark.get_question_dynamic_rubric(one)):
            if rubric is not None:
                rubric.model_dump(mode="json")
    for part in benchmark.scenarios:
        part.model_dump(by_alias=True)
    json.dumps([benchmark.to_dict(), benchmark.to_records(), benchmark.fields_records(), benchmark.traits_records()])
    assert benchmark.to_csv()
    assert benchmark.to_markdown()
    json.dumps([benchmark.get_statistics(), benchmark.get_health_report(), benchmark.get_rubric_statistics()])
    assert repr(benchmark)
    benchmark.validate_rubrics()
    benchmark.validate_templates()
    semantic_diff(OTHER, benchmark)
    semantic_diff(benchmark, OTHER)
    with_inferred(benchmark.graph)


def has_violation(text: bytes) -> bool:
    return any(one.severity is Severity.VIOLATION for one in validate(text).findings)


@pytest.mark.slow
@given(damaged)
def test_what_has_no_violation_gives_entities_exports_and_differences(tree: Json) -> None:
    text = json.dumps(tree).encode()
    if not has_violation(text):
        use(Benchmark.load(text))


@pytest.mark.slow
@pytest.mark.parametrize("in_question", [False, True])
@pytest.mark.parametrize(
    ("label", "settings", "rule"),
    [
        ("agentic", {"max_turns": 1.5}, "trait-fraction"),
        ("agentic", {"timeout_seconds": 0.5}, "trait-fraction"),
        ("agentic", {"timeout_seconds": "1.5"}, "trait-number-text"),
        ("agentic-score", {"max_turns": 1e300}, None),
        ("agentic", {"model_override": "x"}, "agentic-model"),
        ("llm", {"deep_judgment_max_excerpts": 1.5}, "trait-fraction"),
        ("llm", {"deep_judgment_excerpt_retry_attempts": "0.5"}, "trait-number-text"),
        ("llm", {"deep_judgment_fuzzy_match_threshold": 10**400}, "trait-deep-judgment"),
        ("regex", {"classes": []}, None),
        ("agentic", {"classes": "{}"}, None),
    ],
)
def test_an_unusual_setting_is_found_and_can_be_read(
    label: str, settings: Json, rule: str | None, in_question: bool
) -> None:
    text = json.dumps(rated(label, settings, {}, in_question=in_question)).encode()
    found = validate(text)
    assert not has_violation(text)
    assert rule is None or rule in {one.rule for one in found.findings}
    assert found.findings == validate(text, engine="pyshacl").findings
    benchmark = Benchmark.load(text)
    use(benchmark)
    rubric = benchmark.get_question_rubric(benchmark.get_question_ids()[0]) if in_question else benchmark.global_rubric
    assert rubric is not None
    assert rubric.get_trait_names() == ["t"]


@pytest.mark.slow
@pytest.mark.parametrize("label", ["llm", "llm-score", "callable", "agentic", "dynamic-llm", "llm-template"])
@pytest.mark.parametrize("classes", [[], "", "x", 5, True, "[1]"])
def test_classes_that_are_no_object_are_a_violation(label: str, classes: Json) -> None:
    text = json.dumps(rated(label, {"classes": classes}, {})).encode()
    found = validate(text)
    assert "class-object" in {one.rule for one in found.findings}
    assert has_violation(text)
    assert found.findings == validate(text, engine="pyshacl").findings


def test_a_description_that_is_an_object_stands_in_no_way() -> None:
    text = json.dumps(rated("regex", {}, {"description": {"a": "b"}})).encode()
    assert not has_violation(text)
    use(Benchmark.load(text))


def test_members_of_a_rating_that_no_rule_is_about_are_settings_only_where_they_can_be() -> None:
    unusual = {
        "deep_judgment_enabled": "maybe",
        "deep_judgment_max_excerpts": ["x"],
        "deep_judgment_search_enabled": True,
    }
    benchmark = Benchmark.load(json.dumps(rated("llm", {}, unusual)).encode())
    assert benchmark.global_rubric is not None
    (trait,) = benchmark.global_rubric.llm_traits
    assert (trait.deep_judgment_enabled, trait.deep_judgment_max_excerpts) == (False, None)
    assert trait.deep_judgment_search_enabled
