"""Traits and the ratings that hold them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from checkpoint_ld import Benchmark
from checkpoint_ld.entities import (
    AgenticRubricTrait,
    AnyTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
)
from checkpoint_ld.errors import ReadError
from checkpoint_ld.mapping.traits import rating_of, trait_of
from tests.documents import rating, setting
from tests.mapping import Json, through_a_graph, traits, with_ratings
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


@pytest.mark.parametrize("code", ["bGFtYmRhIHg6IHg=", "lambda x: x", "%%%", "YQ==\n"])
def test_the_text_of_code_is_kept_exactly(code: str) -> None:
    trait = CallableRubricTrait.model_validate({"name": "c", "kind": "boolean", "callable_code": code})
    assert read_back(trait).callable_code.text == code


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


def test_lists_stay_lists_with_one_entry() -> None:
    trait = MetricRubricTrait(name="m", metrics=["recall"], tp_instructions=["says mercury"])
    made = settings_of(rating_of(trait, "Global"))
    assert (made["metrics"], made["tp_instructions"]) == (["recall"], ["says mercury"])


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
