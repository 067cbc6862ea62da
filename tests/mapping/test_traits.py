"""Traits and the ratings that hold them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, validate
from checkpoint_ld.entities import (
    AgenticRubricTrait,
    AnyTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
)
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.literals import same
from checkpoint_ld.mapping import traits as mapped
from checkpoint_ld.mapping.traits import dynamic_rubric_of, rating_of, rubric_of, trait_of
from tests.documents import Json, canonical, rating, setting
from tests.mapping import through_a_graph, traits, with_ratings
from tests.trials import examples


def settings_of(rating: Json) -> dict[str, Json]:
    return {one["name"]: one.get("value", "no value") for one in rating["additionalProperty"]}


def llm(best: float, worst: float, suffix: str = "RubricTrait", **shown: Json) -> Json:
    """Return the rating of an LLM trait as files have it."""
    entries = [setting(name, value) for name, value in shown.items()]
    members = {"bestRating": best, "worstRating": worst, "additionalType": f"karenina:Global{suffix}"}
    return {"@type": "Rating", "name": "depth", **members, "additionalProperty": entries}


def held(benchmark: Benchmark, *, in_question: bool, dynamic: bool) -> list[AnyTrait]:
    wanted = benchmark.get_question_ids()[0]
    if in_question:
        find = benchmark.get_question_dynamic_rubric if dynamic else benchmark.get_question_rubric
        rubric = find(wanted)
    else:
        rubric = benchmark.get_global_dynamic_rubric() if dynamic else benchmark.global_rubric
    return list(rubric.traits()) if rubric else []


def read_back(trait: AnyTrait) -> Any:
    """Return a trait of a benchmark on its way through a graph."""
    benchmark = through_a_graph(with_ratings([rating_of(trait, "Global")], in_question=False))
    (read,) = held(benchmark, in_question=False, dynamic=False)
    assert type(read) is type(trait)
    return read


@pytest.mark.slow
@pytest.mark.parametrize("in_question", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
@settings(deadline=None, max_examples=examples(40))
@given(trait=traits)
def test_every_trait_comes_back_from_a_graph_as_it_was(trait: AnyTrait, in_question: bool, dynamic: bool) -> None:
    scope = "QuestionSpecific" if in_question else "Global"
    document = with_ratings([rating_of(trait, scope, dynamic=dynamic)], in_question=in_question)
    benchmark = through_a_graph(document)
    assert held(benchmark, in_question=in_question, dynamic=dynamic) == [trait]
    assert held(benchmark, in_question=in_question, dynamic=not dynamic) == []


def test_an_llm_trait_is_written_as_karenina_writes_it() -> None:
    trait = LLMRubricTrait(name="depth", description="How deep?", kind="score", min_score=0, max_score=10)
    assert rating_of(trait, "Global") == {
        "@type": "Rating",
        "name": "depth",
        "description": "How deep?",
        "bestRating": 10.0,
        "worstRating": 0.0,
        "additionalType": "karenina:GlobalRubricTrait",
        "additionalProperty": [
            setting("deep_judgment_enabled", False),
            setting("deep_judgment_excerpt_enabled", True),
            setting("deep_judgment_search_enabled", False),
            setting("higher_is_better", True),
            setting("min_score", 0),
            setting("max_score", 10),
            setting("kind", "score"),
        ],
    }


def test_the_summary_of_a_dynamic_trait_is_written_twice_as_karenina_does() -> None:
    trait = RegexRubricTrait(name="mg", pattern="mg", summary="a dose")
    written = rating_of(trait, "QuestionSpecific", dynamic=True)
    assert written["additionalType"] == "karenina:QuestionSpecificDynamicRubricTrait"
    assert [one["name"] for one in written["additionalProperty"]][-3:] == ["summary", "dynamic_trait_type", "summary"]
    assert trait_of(written) == trait


@pytest.mark.parametrize(
    ("best", "worst", "expected", "found"),
    [
        (1.0, 0.0, {}, ("boolean", None, None)),
        (1.0, 0.0, {"min_score": 1, "max_score": 5}, ("boolean", None, None)),
        (1.0, 0.0, {"min_score": 0, "max_score": 1}, ("score", 0, 1)),
        (1.0, 0.0, {"kind": "score"}, ("score", 0, 1)),
        (1.0, 0.0, {"kind": "binary"}, ("boolean", None, None)),
        (9, 2, {}, ("score", 2, 9)),
        (9, 2, {"min_score": 1, "max_score": 5}, ("score", 2, 9)),
        (9, 2, {"kind": "score", "min_score": 2}, ("score", 2, 9)),
    ],
)
def test_the_range_is_that_of_the_rating_and_one_from_0_to_1_is_a_score_only_where_the_file_states_so(
    best: float, worst: float, expected: Json, found: Json
) -> None:
    trait = trait_of(llm(best, worst, **expected))
    assert isinstance(trait, LLMRubricTrait)
    assert (trait.kind, trait.min_score, trait.max_score) == found


@pytest.mark.parametrize("suffix", ["RubricTrait", "CallableTrait", "AgenticRubricTrait"])
def test_the_old_kind_binary_is_boolean_in_every_trait(suffix: str) -> None:
    trait = trait_of({**llm(1.0, 0.0, suffix, kind="binary"), "description": "Is it deep?"})
    assert trait == trait_of({**llm(1.0, 0.0, suffix, kind="boolean"), "description": "Is it deep?"})
    assert isinstance(trait, LLMRubricTrait | CallableRubricTrait | AgenticRubricTrait)
    assert trait.kind == "boolean"


def test_an_end_that_is_open_stays_open() -> None:
    trait = LLMRubricTrait(name="depth", kind="score", min_score=None, max_score=7)
    written = rating_of(trait, "Global")
    assert (written["worstRating"], settings_of(written)["min_score"]) == (0.0, "no value")
    assert trait_of(written) == trait


def test_a_bound_that_no_float_can_hold_stays_exact() -> None:
    trait = LLMRubricTrait(name="depth", kind="score", min_score=0, max_score=2**53 + 1)
    assert trait_of(json.loads(json.dumps(rating_of(trait, "Global")))) == trait


def test_classes_keep_their_order_which_is_the_score() -> None:
    classes = {"worst": "w", "best": "b", "middling": "m"}
    read = read_back(LLMRubricTrait(name="tone", kind="literal", classes=classes))
    assert (read.get_class_names(), read.max_score) == (["worst", "best", "middling"], 2)


def test_the_schema_of_a_template_is_kept_word_for_word() -> None:
    properties = {"z": {"enum": ["b", "a"]}, "a": {"$ref": "#/x"}}
    schema = {"title": "T", "properties": properties, "additionalProperties": False}
    shown = {"name": "form", "kind": {"type": "template", "schema": schema}, "higher_is_better": None}
    read = read_back(LLMRubricTrait.model_validate(shown))
    assert json.dumps(read.kind["schema"]) == json.dumps(schema)


def test_no_direction_is_not_the_usual_direction() -> None:
    undirected = RegexRubricTrait(name="r", pattern="x", higher_is_better=None)
    assert settings_of(rating_of(undirected, "Global"))["higher_is_better"] == "no value"
    assert trait_of(rating_of(undirected, "Global")) == undirected
    silent = trait_of(rating("r", "Global", pattern="x"))
    assert silent is not None
    assert silent.higher_is_better is True


def test_what_was_not_requested_is_not_written() -> None:
    trait = LLMRubricTrait(name="t", kind="boolean")
    assert "include_ground_truth" not in settings_of(rating_of(trait, "Global"))
    trait.include_ground_truth = True
    assert settings_of(rating_of(trait, "Global"))["include_ground_truth"] is True


def test_keys_of_models_are_never_written() -> None:
    override = {"interface": "claude_agent_sdk", "endpoint_api_key": "s3cret"}
    members = {"name": "a", "description": "d", "kind": "boolean", "model_override": override}
    assert "s3cret" not in json.dumps(rating_of(AgenticRubricTrait.model_validate(members), "Global"))


def test_settings_may_stand_in_json_text_or_on_the_rating() -> None:
    metric = llm(1, 0, "MetricRubricTrait", metrics='["recall"]', tp_instructions='["a"]', evaluation_mode="tp_and_tn")
    metric["additionalProperty"].append(setting("tn_instructions", "b"))
    read = trait_of(metric)
    assert isinstance(read, MetricRubricTrait)
    assert (read.metrics, read.tn_instructions, read.evaluation_mode) == (["recall"], ["b"], "full_matrix")
    gui = trait_of({**llm(1, 0), "deep_judgment_enabled": True, "deep_judgment_max_excerpts": 3})
    assert isinstance(gui, LLMRubricTrait)
    assert (gui.deep_judgment_enabled, gui.deep_judgment_max_excerpts) == (True, 3)


@pytest.mark.parametrize("value", [None, "urn:x", "karenina:GlobalRegxTrait", 5])
def test_a_rating_of_another_type_is_no_trait(value: Json) -> None:
    assert trait_of({**rating(), "additionalType": value}) is None


def test_an_incomplete_trait_is_read_without_making_anything_up() -> None:
    regex, function = trait_of(rating(case_sensitive=False)), trait_of(llm(1, 0, "CallableTrait"))
    assert isinstance(regex, RegexRubricTrait)
    assert isinstance(function, CallableRubricTrait)
    assert (regex.pattern, function.callable_code) == (None, None)


def test_a_trait_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ReadError, match=r"trait 'cites' cannot be read: pattern: .*no Python regular expression"):
        trait_of(rating(pattern="("))


# --- Rubrics: the traits of a checkpoint or of a question, in ratings and in older places, and what they are dumped as.


DYNAMIC = rating_of(RegexRubricTrait(name="mg", pattern="mg", summary="a dose"), "Global", dynamic=True)
JUDGED = rating_of(LLMRubricTrait(name="z", kind="boolean"), "Global")
OLD = {"llm_traits": [{"name": "a"}], "traits": [{"type": "RegexTrait", "name": "b", "pattern": "x"}], "name": "n"}


def names(rubric: Json) -> list[str]:
    return [one.name for one in rubric.traits()] if rubric else []


@pytest.mark.parametrize(
    ("holder", "static", "dynamic"),
    [
        ({"rating": [rating("tone", "Global"), DYNAMIC]}, ["tone"], ["mg"]),
        ({"rating": [rating("b", "Global"), JUDGED, rating("a", "Global")]}, ["z", "b", "a"], []),
        ({"rating": [rating("a.b", "Global"), rating("a.b", "Global")]}, ["a.b", "a.b"], []),
        ({"@type": "Question", "rating": [rating("complete", "Global")]}, ["complete"], []),
        ({"globalRubric": OLD}, ["a", "b"], []),
    ],
    ids=["static and dynamic", "by kind and in order", "names that Karenina cannot use", "of a question", "older"],
)
def test_traits_make_rubrics(holder: Json, static: list[str], dynamic: list[str]) -> None:
    assert (names(rubric_of(holder)), names(dynamic_rubric_of(holder))) == (static, dynamic)


@pytest.mark.parametrize("holder", [{}, {"rating": []}, {"rating": [{"@type": "Rating", "ratingValue": 1}]}])
def test_no_traits_make_no_rubric(holder: Json) -> None:
    assert (rubric_of(holder), dynamic_rubric_of(holder)) == (None, None)


def test_traits_in_old_properties_count_where_no_rating_has_their_name() -> None:
    listed = [{"name": "tone", "pattern": "old"}, {"name": "cites", "pattern": "c", "invert": True}]
    properties = [setting("global_regex_rubric_traits", json.dumps(listed))]
    properties.append(setting("global_rubric_traits", [{"name": "depth", "min_score": 0, "max_score": 9}]))
    rubric = rubric_of({"rating": [rating("tone", "Global", pattern="new")], "additionalProperty": properties})
    assert rubric is not None
    found = [(one.name, one.pattern, one.invert_result) for one in rubric.regex_traits]
    assert found == [("tone", "new", False), ("cites", "c", True)]
    assert [(one.kind, one.max_score) for one in rubric.llm_traits] == [("score", 9)]


@pytest.mark.parametrize(
    "value", ["[", '{"name": "a"}', 5, None, '[5, {"pattern": "x"}, {"name": "a", "pattern": "("}]']
)
def test_what_is_no_trait_in_an_old_property_stays_there(value: Json) -> None:
    assert rubric_of({"additionalProperty": [setting("global_regex_rubric_traits", value)]}) is None


# Rubrics as questions have them

ODD = st.sampled_from(
    [
        *(None, True, False, 0, 1, 5, 1.0, 0.0, -0.0, 1.5, "1", "", "a", "null", "score", "literal", "boolean", "llm"),
        *(2**70, float("nan"), float("inf"), "\ud83d", "😀", [], ["a"], [1, None], {}, {"a": "b"}, '["a"]', '{"a": 1}'),
        {"type": "template", "schema": {"properties": {"a": [None, 1.0]}}},
        *("karenina:GlobalRegexTrait", "karenina:QuestionSpecificDynamicRubricTrait", "NoTrait"),
    ]
)
MEMBERS = st.sampled_from(
    [
        *("name", "description", "bestRating", "worstRating", "additionalType", "additionalProperty", "@id", "other"),
        *("deep_judgment_enabled", "deep_judgment_max_excerpts"),
    ]
)
SETTINGS = st.sampled_from(
    [
        *("kind", "min_score", "max_score", "classes", "higher_is_better", "pattern", "metrics", "summary", "invert"),
        *("dynamic_trait_type", "callable_code", "name", "description", "deep_judgment_enabled", "model_override"),
    ]
)


@st.composite
def ratings(draw: st.DrawFn) -> Json:
    """Ratings of all kinds of traits, some of them damaged."""
    one = rating_of(draw(traits), "QuestionSpecific", dynamic=draw(st.booleans()))
    one |= draw(st.dictionaries(MEMBERS, ODD, max_size=2))
    for name, value in draw(st.dictionaries(SETTINGS, ODD, max_size=2)).items():
        if isinstance(one["additionalProperty"], list):
            one["additionalProperty"].append(setting(name, value))
    return one


def outcome(dump: Any, holder: Json) -> Any:
    try:
        return dump(holder)
    except ReadError as error:
        return str(error)


def dumped(holder: Json) -> Any:
    return mapped.dumped(mapped.traits_of(holder)), mapped.dumped(mapped.dynamic_traits_of(holder))


def by_entities(holder: Json) -> Any:
    held = rubric_of(holder), dynamic_rubric_of(holder)
    return tuple(one and one.model_dump(mode="json") for one in held)


def agrees(holder: Json) -> Any:
    """Hold rubrics as questions have them against what the entities are dumped as; return what they are."""
    before = copy.deepcopy(holder)
    expected = outcome(by_entities, holder)
    assert repr(outcome(dumped, holder)) == repr(expected)
    assert repr(holder) == repr(before)
    return expected


@given(
    st.lists(ratings() | ODD, max_size=4), st.sampled_from([{}, {"globalRubric": {"llm_traits": [{"name": "old"}]}}])
)
def test_rubrics_are_dumped_as_the_entities_are(held: list[Json], beside: Json) -> None:
    agrees({"@type": "Question", "rating": held, **beside})


def test_the_first_trait_that_cannot_be_read_is_named() -> None:
    dynamic = rating("dynamic", dynamic_trait_type="regex", pattern="(")
    dynamic["additionalType"] = "karenina:QuestionSpecificDynamicRubricTrait"
    assert "'static'" in agrees({"rating": [dynamic, rating("static", pattern="[")]})


@pytest.mark.parametrize("first", [1, 1.0, True, "1"])
@pytest.mark.parametrize("second", [1, 1.0, True, "1"])
def test_values_that_are_equal_but_not_the_same_are_distinguished(first: Json, second: Json) -> None:
    forms = [{"type": "template", "schema": {"default": value}} for value in (first, second)]
    held = [{**rating("a", kind=kind), "additionalType": "QuestionSpecificLLMRubricTrait"} for kind in forms]
    rubric, _ = agrees({"rating": held})
    assert same([one["kind"]["schema"]["default"] for one in rubric["llm_traits"]], [first, second])


def test_older_traits_are_among_them() -> None:
    trait = '[{"name": "old", "pattern": "x"}]'
    holder = {"rating": [rating()], "additionalProperty": [setting("global_regex_rubric_traits", trait)]}
    rubric, dynamic = agrees(holder)
    assert ([one["name"] for one in rubric["regex_traits"]], dynamic) == (["cites", "old"], None)


# --- Lists and objects of traits that a file has as JSON text: read as what they spell, with a warning.


METRIC = {
    "metrics": ["recall", "accuracy"],
    "evaluation_mode": "full_matrix",
    "tp_instructions": ["says mercury"],
    "tn_instructions": ["says gold"],
}
LITERAL = {"kind": "literal", "classes": {"Very dry": "no adjectives", "warm": "friendly"}}
QUOTED = ("metrics", "tp_instructions", "tn_instructions", "classes")


def trait(name: str, kind: str, settings: Json, *, is_quoted: bool) -> Json:
    held = {key: json.dumps(value) if is_quoted and key in QUOTED else value for key, value in settings.items()}
    return {**rating(name, **held), "additionalType": f"karenina:Global{kind}"}


def feed(*, is_quoted: bool, is_old: bool = False) -> Json:
    ratings = [
        trait("m", "MetricRubricTrait", METRIC, is_quoted=is_quoted),
        trait("l", "LLMRubricTrait", LITERAL, is_quoted=is_quoted),
    ]
    if not is_old:
        return canonical() | {"rating": ratings}
    for one in ratings:
        one["additionalType"] = one["additionalType"].removeprefix("karenina:")
    context = {"@vocab": "http://schema.org/"}
    return canonical() | {"@context": context, "rating": ratings, "dataFeedElement": []}


def loaded(tree: Json) -> Benchmark:
    return Benchmark.load(json.dumps(tree).encode())


@pytest.mark.parametrize("is_old", [False, True], ids=["canonical", "legacy"])
def test_json_text_is_read_as_what_it_spells_with_a_warning(is_old: bool) -> None:
    quoted = loaded(feed(is_quoted=True, is_old=is_old))
    assert quoted.dialect == ("datafeed-legacy" if is_old else "datafeed-ns-v3")
    assert quoted.global_rubric == loaded(feed(is_quoted=False)).global_rubric
    warned = [(one.rule, one.condition, one.place.pointer) for one in quoted.findings]
    assert warned == [("trait-json-text", "W-VALUE", "/rating/0")] * 3 + [("trait-json-text", "W-VALUE", "/rating/1")]
    assert {one.message.split()[0] for one in quoted.findings} == set(QUOTED)
    with pytest.raises(ReadError, match="KR058"):
        Benchmark.load(json.dumps(feed(is_quoted=True, is_old=is_old)).encode(), strict=True)


def test_all_engines_find_json_text_and_nothing_else() -> None:
    text = json.dumps(feed(is_quoted=True)).encode()
    checked = validate(text)
    plain = {(one.rule, one.place.pointer) for one in validate(json.dumps(feed(is_quoted=False)).encode()).findings}
    found = {(one.rule, one.place.pointer) for one in checked.findings} - plain
    places = [f"/rating/0/additionalProperty/{at}/value" for at in (0, 2, 3)] + ["/rating/1/additionalProperty/1/value"]
    assert found == {("trait-json-text", place) for place in places}
    assert checked.findings == validate(text, engine="pyshacl").findings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("metrics", "recall", "metric-names"),
        ("metrics", "[]", "metric-names"),
        ("metrics", '["beauty"]', "metric-unknown"),
        ("tp_instructions", "[1]", "metric-instructions"),
        ("tn_instructions", '"says gold"', "metric-negative-instructions"),
        ("tn_instructions", "[]", "metric-full-matrix"),
    ],
)
def test_what_json_text_spells_is_judged_as_if_it_stood_there(name: str, text: str, rule: str) -> None:
    tree = feed(is_quoted=False)
    entry = next(one for one in tree["rating"][0]["additionalProperty"] if one["name"] == name)
    entry["value"] = text
    found = [one.rule for one in validate(json.dumps(tree).encode()).findings]
    assert rule in found
    assert ("trait-json-text" in found) == text.startswith("[")
    assert found == [one.rule for one in validate(json.dumps(tree).encode(), engine="pyshacl").findings]


def test_json_text_stays_until_the_file_is_edited_and_then_becomes_what_karenina_reads(tmp_path: Path) -> None:
    text = json.dumps(feed(is_quoted=True)).encode()
    benchmark = Benchmark.load(text)
    benchmark.save(tmp_path / "same.jsonld")
    assert (tmp_path / "same.jsonld").read_bytes() == text
    benchmark.name = "other"
    benchmark.save(tmp_path / "edited.jsonld")
    ratings = json.loads((tmp_path / "edited.jsonld").read_bytes())["rating"]
    assert ratings == feed(is_quoted=False)["rating"]
