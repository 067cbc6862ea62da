"""Rubrics: looked at, edited one at a time, merged, counted and checked."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from checkpoint_ld import Benchmark
from checkpoint_ld.entities import (
    AgenticRubricTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from checkpoint_ld.errors import SettingsError, WriteError
from tests.benchmark.editing import EDITED, METAL, assert_says, load, strange
from tests.documents import Json, canonical, item, rating, setting

SECOND = "urn:uuid:question-metal-2"

CLEAR = LLMRubricTrait(name="clear", kind="boolean", description="easy to follow")
DEPTH = LLMRubricTrait(name="depth", kind="score", description="goes deep", min_score=0, max_score=1)
UNWRITABLE = LLMRubricTrait(name="odd", kind="boolean", deep_judgment_fuzzy_match_threshold=float("nan"))
DATED = RegexRubricTrait(name="dated", pattern=r"\d{4}", description="gives a year")
DYNAMIC = DynamicRubric(regex_traits=[RegexRubricTrait(name="mg", pattern="mg", summary="a dose")])
EVERY = Rubric(
    llm_traits=[CLEAR, DEPTH],
    regex_traits=[DATED],
    callable_traits=[
        CallableRubricTrait.model_validate(
            {
                "name": "short",
                "kind": "score",
                "callable_code": "AAA=",
                "min_score": 0,
                "max_score": 1,
                "description": "d",
            }
        )
    ],
    metric_traits=[MetricRubricTrait(name="found", metrics=["recall"], tp_instructions=["mercury"], description="d")],
    agentic_traits=[AgenticRubricTrait(name="run", kind="score", description="d", min_score=0, max_score=1)],
)


def again(benchmark: Benchmark) -> Benchmark:
    return load(benchmark.to_jsonld())


def strange_rubrics() -> Json:
    """Return a benchmark with two questions, dynamic traits everywhere, and ratings that say more than we know."""
    tree = strange(item(), item("Which metal is lightest?", SECOND))
    tree["rating"][0]["ex:since"] = {"@type": "ex:Date", "ex:year": 1.0}
    tree["rating"][0]["additionalProperty"].append({**setting("licence", [1, None]), "ex:by": "B. Jones"})
    tree["rating"].append(dynamic_rating("dose", "Global"))
    for element in tree["dataFeedElement"]:
        element["item"]["rating"][0]["ex:since"] = [1, "two"]
        element["item"]["rating"].append(dynamic_rating("effects", "QuestionSpecific"))
    return tree


def dynamic_rating(name: str, scope: str) -> Json:
    made = rating(name, scope, pattern="x", dynamic_trait_type="regex", summary="a dose")
    return {**made, "additionalType": f"karenina:{scope}DynamicRubricTrait", "ex:kept": True}


def dynamic_names(benchmark: Benchmark) -> list[list[str]]:
    held = [benchmark.get_global_dynamic_rubric(), *map(benchmark.get_question_dynamic_rubric, (METAL, SECOND))]
    return [one.get_trait_names() if one else [] for one in held]


# Every edit


def test_traits_of_all_kinds_are_set_and_come_back() -> None:
    benchmark = load(canonical())

    benchmark.set_global_rubric(EVERY)
    benchmark.set_question_rubric(METAL, EVERY)

    for one in (benchmark, again(benchmark)):
        assert one.get_global_rubric() == EVERY
        assert one.get_question_rubric(METAL) == EVERY
        assert one.get_rubric_trait_names() == ["clear", "depth", "dated", "short", "found", "run"]


def test_traits_are_added_at_the_end() -> None:
    tree = strange_rubrics()
    benchmark = load(tree)

    benchmark.add_global_rubric_trait(DATED)
    benchmark.add_question_rubric_trait(METAL, CLEAR)

    assert benchmark.get_rubric_trait_names() == ["tone", "dated"]
    assert benchmark.get_rubric_trait_names(METAL) == ["clear", "cites"]
    expected = copy.deepcopy(tree)
    expected["rating"].append(_regex(DATED, "Global"))
    result = again(benchmark).to_jsonld("plain")
    assert result["rating"] == expected["rating"]
    assert result["dataFeedElement"][0]["item"]["rating"][:2] == tree["dataFeedElement"][0]["item"]["rating"]
    assert result["dataFeedElement"][1] == tree["dataFeedElement"][1]
    assert dynamic_names(again(benchmark)) == [["dose"], ["effects"], ["effects"]]


def _regex(trait: RegexRubricTrait, scope: str) -> Json:
    made = rating(trait.name, scope, pattern=trait.pattern, case_sensitive=True, invert_result=False)
    made["additionalProperty"].append(setting("higher_is_better", True))
    return {**made, "description": trait.description}


EDITS: list[Callable[[Benchmark], object]] = [
    lambda benchmark: benchmark.add_global_rubric_trait(DATED),
    lambda benchmark: benchmark.set_global_rubric(EVERY),
    lambda benchmark: benchmark.set_global_rubric(Rubric()),
    lambda benchmark: benchmark.update_global_rubric_trait("tone", CLEAR),
    lambda benchmark: benchmark.remove_global_rubric_trait("tone"),
    lambda benchmark: benchmark.clear_global_rubric(),
    lambda benchmark: benchmark.add_question_rubric_trait(METAL, DATED),
    lambda benchmark: benchmark.set_question_rubric(METAL, EVERY),
    lambda benchmark: benchmark.remove_question_rubric(METAL),
    lambda benchmark: benchmark.clear_all_rubrics(),
]


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_dynamic_traits_survive_every_edit_of_the_others(edit: Callable[[Benchmark], object]) -> None:
    tree = strange_rubrics()
    benchmark = load(tree)

    edit(benchmark)

    result = again(benchmark).to_jsonld("plain")
    assert dynamic_names(again(benchmark)) == [["dose"], ["effects"], ["effects"]]
    assert [one for one in result["rating"] if "ex:kept" in one] == tree["rating"][1:]
    for element, found in zip(result["dataFeedElement"], tree["dataFeedElement"], strict=True):
        kept = [one for one in element["item"]["rating"] if "ex:kept" in one]
        assert kept == found["item"]["rating"][1:]
        assert {**element["item"], "rating": []} == {**found["item"], "rating": []}
    assert {key: result[key] for key in result if key.startswith("ex:")} == {"ex:colour": tree["ex:colour"]}


def test_the_others_survive_every_edit_of_dynamic_traits() -> None:
    tree = strange_rubrics()
    benchmark = load(tree)

    benchmark.set_global_dynamic_rubric(DYNAMIC)
    benchmark.set_question_dynamic_rubric(METAL, DYNAMIC)
    benchmark.set_question_dynamic_rubric(SECOND, None)

    assert dynamic_names(again(benchmark)) == [["mg"], ["mg"], []]
    result = again(benchmark).to_jsonld("plain")
    assert result["rating"][0] == tree["rating"][0]
    for element, found in zip(result["dataFeedElement"], tree["dataFeedElement"], strict=True):
        assert element["item"]["rating"][0] == found["item"]["rating"][0]
    benchmark.set_global_dynamic_rubric(DynamicRubric())
    assert benchmark.get_global_dynamic_rubric() is None


def test_an_edit_dates_the_benchmark_and_the_question() -> None:
    tree = strange(item(), item("Which metal is lightest?", SECOND))
    benchmark = load(tree)
    benchmark.remove_question_rubric(SECOND)

    del tree["dataFeedElement"][1]["item"]["rating"]
    tree["dataFeedElement"][1]["dateModified"] = EDITED
    assert_says(benchmark, tree)


def test_setting_a_rubric_leaves_the_traits_alone_that_stay_as_they_are() -> None:
    tree = strange_rubrics()
    benchmark = load(tree)
    rubric = benchmark.get_global_rubric()
    assert rubric is not None

    rubric.regex_traits.append(DATED)
    benchmark.set_global_rubric(rubric)
    assert again(benchmark).to_jsonld("plain")["rating"][:2] == tree["rating"]

    rubric.regex_traits.reverse()
    benchmark.set_global_rubric(rubric)
    assert again(benchmark).get_rubric_trait_names() == ["dated", "tone"]
    tones = [one for one in again(benchmark).to_jsonld("plain")["rating"] if one.get("name") == "tone"]
    assert tones == tree["rating"][:1]


def test_an_updated_trait_stays_in_its_place_with_what_else_is_stated_about_it() -> None:
    tree = strange_rubrics()
    benchmark = load(tree)
    benchmark.add_global_rubric_trait(DATED)

    assert benchmark.update_global_rubric_trait("tone", RegexRubricTrait(name="voice", pattern="^[a-z]"))

    assert again(benchmark).get_rubric_trait_names() == ["voice", "dated"]
    result = again(benchmark).to_jsonld("plain")["rating"][0]
    assert "description" not in result
    assert result["ex:since"] == tree["rating"][0]["ex:since"]
    assert result["additionalProperty"][-1] == tree["rating"][0]["additionalProperty"][-1]
    assert [one["value"] for one in result["additionalProperty"] if one["name"] == "pattern"] == ["^[a-z]"]


def test_an_updated_trait_may_become_one_of_another_kind() -> None:
    benchmark = load(canonical())

    assert benchmark.update_global_rubric_trait("tone", DEPTH)

    assert again(benchmark).get_global_rubric() == Rubric(llm_traits=[DEPTH])


def test_edits_of_what_is_not_there_change_nothing() -> None:
    benchmark = load({**canonical(), "rating": []})
    before = benchmark.to_jsonld()

    assert not benchmark.update_global_rubric_trait("tone", DATED)
    assert not benchmark.remove_global_rubric_trait("tone")
    assert not benchmark.clear_global_rubric()
    assert benchmark.to_jsonld() == before


def test_all_rubrics_are_cleared_and_counted() -> None:
    benchmark = load(strange_rubrics())
    benchmark.remove_question_rubric(SECOND)

    assert benchmark.clear_all_rubrics() == 2
    assert benchmark.clear_all_rubrics() == 0
    assert not benchmark.has_rubric()
    assert not benchmark.has_rubric(METAL)


# What is kept that Karenina loses


# What is refused


def misnamed() -> Rubric:
    rubric = Rubric(llm_traits=[CLEAR])
    rubric.llm_traits.append(CLEAR)
    return rubric


def unmeasured() -> Rubric:
    """Return a rubric whose trait lost its only metric where no check sees it."""
    rubric = EVERY.model_copy(deep=True)
    rubric.metric_traits[0].metrics.clear()
    return rubric


def unclassed() -> LLMRubricTrait:
    trait = LLMRubricTrait(name="tone", kind="literal", classes={"dry": "few words", "florid": "many"})
    assert trait.classes is not None
    del trait.classes["dry"]
    return trait


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda b: b.add_global_rubric_trait(RegexRubricTrait(name="tone", pattern="x")), "a trait 'tone' already"),
        (lambda b: b.add_global_rubric_trait(CLEAR.model_copy(update={"name": "tone"})), "a trait 'tone' already"),
        (lambda b: b.add_question_rubric_trait(METAL, DATED.model_copy(update={"name": "cites"})), "'cites' already"),
        (lambda b: b.add_global_rubric_trait(RegexRubricTrait(name="a.b", pattern="x")), "'a.b' holds a dot"),
        (lambda b: b.set_global_rubric(misnamed()), "2 traits are called 'clear'"),
        (lambda b: b.set_global_rubric(DYNAMIC), "of type DynamicRubric: give Rubric"),
        (lambda b: b.set_global_rubric({"llm_traits": []}), "the trait is of type str: give one of the traits"),
        (lambda b: b.set_global_dynamic_rubric(EVERY), "of type Rubric: give DynamicRubric"),
        (lambda b: b.set_question_rubric(METAL, misnamed()), "2 traits are called 'clear'"),
        (lambda b: b.update_global_rubric_trait("tone", RegexRubricTrait(name="a.b", pattern="x")), "holds a dot"),
        (lambda b: b.add_global_rubric_trait(UNWRITABLE), "nan is not a JSON number"),
        (lambda b: b.add_global_rubric_trait(DEPTH.model_copy(update={"min_score": 9})), "9 is not less than"),
        (lambda b: b.set_global_rubric(unmeasured()), "the trait 'found' is refused: metrics: List should have"),
        (lambda b: b.update_question_metadata(METAL, question_rubric=unmeasured()), "'found' is refused: metrics"),
        (lambda b: b.add_question({"question": "?", "raw_answer": "!", "question_rubric": unmeasured()}), "metrics"),
        (lambda b: b.update_global_rubric_trait("tone", unclassed()), "'tone' is refused: .* at least two classes"),
    ],
)
def test_a_rubric_that_no_author_may_write_is_refused_and_changes_nothing(
    edit: Callable[[Benchmark], object], message: str
) -> None:
    benchmark = load(canonical())
    before = benchmark.to_jsonld()

    with pytest.raises(WriteError, match=message):
        edit(benchmark)
    assert benchmark.to_jsonld() == before


@pytest.mark.parametrize("given", ["clear", None, EVERY])
def test_what_is_no_trait_is_of_the_wrong_type(given: Any) -> None:
    with pytest.raises(TypeError, match=r"trait is of type (str|NoneType|Rubric): give one of the traits"):
        load(canonical()).add_global_rubric_trait(given)


def test_a_trait_cannot_take_the_name_of_another() -> None:
    benchmark = load(canonical())
    benchmark.add_global_rubric_trait(DATED)

    with pytest.raises(WriteError, match="a trait 'dated' already"):
        benchmark.update_global_rubric_trait("tone", DATED)
    assert benchmark.update_global_rubric_trait("dated", DATED.model_copy(update={"pattern": "x"}))


def test_what_was_unusual_before_may_stay() -> None:
    tree = canonical()
    tree["rating"] += [rating("tone", "Global"), rating("a.b", "Global")]
    benchmark = load(tree)
    rubric = benchmark.get_global_rubric()
    assert rubric is not None

    rubric.llm_traits.append(CLEAR)
    benchmark.set_global_rubric(rubric)
    assert again(benchmark).get_rubric_trait_names() == ["clear", "tone", "tone", "a.b"]
    assert benchmark.update_global_rubric_trait("tone", DATED)
    assert benchmark.get_rubric_trait_names() == ["clear", "dated", "a.b"]


def test_a_question_that_is_not_there_has_no_rubric() -> None:
    benchmark = load(canonical())

    assert benchmark.get_question_rubric("nothing") is None
    assert not benchmark.has_rubric("nothing")
    assert benchmark.get_rubric_trait_names("nothing") == []


# Traits in the places of older files


def with_older(value: Json) -> Json:
    tree = canonical()
    tree["additionalProperty"].append(setting("global_regex_rubric_traits", value))
    return tree


OLDER = [{"name": "tone", "pattern": "old"}, {"name": "cites", "pattern": "c", "invert": True}]


@pytest.mark.parametrize("value", [OLDER, json.dumps(OLDER)])
def test_an_edit_moves_older_traits_into_ratings(value: Json) -> None:
    benchmark = load(with_older(value))
    assert benchmark.get_rubric_trait_names() == ["tone", "cites"]

    benchmark.add_global_rubric_trait(DATED)

    result = again(benchmark).to_jsonld("plain")
    assert [one["name"] for one in result["rating"]] == ["tone", "cites", "dated"]
    assert result["additionalProperty"] == canonical()["additionalProperty"]
    assert again(benchmark).get_rubric_trait_names() == ["tone", "cites", "dated"]


def test_older_traits_are_named_edited_and_cleared_like_others() -> None:
    benchmark = load({**with_older(OLDER), "globalRubric": {"llm_traits": [{"name": "clear"}], "name": "ours"}})

    with pytest.raises(WriteError, match="'cites' already"):
        benchmark.add_global_rubric_trait(DATED.model_copy(update={"name": "cites"}))
    assert benchmark.get_custom_property("global_regex_rubric_traits") == OLDER
    assert benchmark.update_global_rubric_trait("cites", DATED)
    assert again(benchmark).get_rubric_trait_names() == ["clear", "tone", "dated"]
    assert again(benchmark).to_jsonld("plain")["globalRubric"] == {"name": "ours"}
    assert benchmark.clear_global_rubric()
    assert again(benchmark).get_global_rubric() is None


def test_what_is_no_trait_stays_in_its_older_place() -> None:
    benchmark = load(with_older(json.dumps([5, *OLDER])))

    benchmark.clear_global_rubric()

    assert again(benchmark).get_custom_property("global_regex_rubric_traits") == "[5]"
    assert again(benchmark).get_global_rubric() is None


def test_an_edit_of_dynamic_traits_leaves_older_places_alone() -> None:
    benchmark = load(with_older(OLDER))

    benchmark.set_global_dynamic_rubric(DYNAMIC)

    assert again(benchmark).get_custom_property("global_regex_rubric_traits") == OLDER


# Merging


def test_a_question_is_judged_by_the_traits_of_the_benchmark_and_its_own() -> None:
    benchmark = load(strange_rubrics())

    merged = benchmark.get_merged_rubric_for_question(METAL)
    assert merged is not None
    assert merged.get_trait_names() == ["tone", "cites"]
    dynamic = benchmark.get_merged_dynamic_rubric_for_question(METAL)
    assert dynamic is not None
    assert dynamic.get_trait_names() == ["dose", "effects"]
    benchmark.clear_all_rubrics()
    assert benchmark.get_merged_rubric_for_question(METAL) is None


def test_traits_of_one_name_cannot_be_merged_and_are_reported() -> None:
    benchmark = load(canonical())
    benchmark.add_question_rubric_trait(METAL, CLEAR.model_copy(update={"name": "tone"}))

    with pytest.raises(SettingsError, match="llm:tone") as refused:
        benchmark.get_merged_rubric_for_question(METAL)
    assert isinstance(refused.value, ValueError)
    sound, errors = benchmark.validate_rubrics()
    assert not sound
    assert [one["source"] for one in errors] == [f"question:{METAL}"]
    assert "llm:tone" in errors[0]["error"]


# Checks and counts


def test_rubrics_that_can_be_used_are_sound() -> None:
    benchmark = load(strange_rubrics())
    benchmark.set_global_rubric(EVERY)

    assert benchmark.validate_rubrics() == (True, [])


def test_what_is_wrong_with_rubrics_is_stated_of_each() -> None:
    tree = canonical()
    tree["rating"][0].pop("description")
    tree["rating"] += [rating("a.b", "Global"), rating("cut", "Global", case_sensitive=True)]
    lacking = dynamic_rating("mute", "QuestionSpecific")
    del lacking["description"]
    lacking["additionalProperty"] = [one for one in lacking["additionalProperty"] if one["name"] != "summary"]
    tree["dataFeedElement"][0]["item"]["rating"] += [rating("cites"), lacking]

    sound, errors = load(tree).validate_rubrics()

    assert not sound
    question = f"question:{METAL}"
    assert [(one["source"], one["error"].split("; ")[0]) for one in errors] == [
        ("a.b", "the trait name 'a.b' holds a dot"),
        ("cut", "trait 'cut': no pattern"),
        ("tone", "trait 'tone': no description"),
        (question, "2 traits are called 'cites'"),
        (question, "trait 'mute': neither summary nor description names its concept"),
    ]


def test_a_judge_needs_both_bounds_of_a_score() -> None:
    benchmark = load(canonical())
    benchmark.set_global_rubric(Rubric(llm_traits=[DEPTH.model_copy(update={"max_score": None})]))

    assert benchmark.validate_rubrics()[1] == [
        {"source": "depth", "error": "trait 'depth': a score without both bounds; set min_score and max_score"}
    ]


def test_statistics_count_traits() -> None:
    benchmark = load(strange_rubrics())
    benchmark.set_question_rubric(METAL, EVERY)
    benchmark.remove_question_rubric(SECOND)

    counted = benchmark.get_rubric_statistics()

    none = dict.fromkeys(("llm", "regex", "callable", "metric", "agentic"), 0)
    assert counted == {
        "global": {"rubrics": 1, "traits": 1, "by_kind": {**none, "regex": 1}},
        "global_dynamic": {"rubrics": 1, "traits": 1, "by_kind": {**none, "regex": 1}},
        "question": {
            "rubrics": 1,
            "traits": 6,
            "by_kind": {"llm": 2, "regex": 1, "callable": 1, "metric": 1, "agentic": 1},
        },
        "question_dynamic": {"rubrics": 2, "traits": 2, "by_kind": {**none, "regex": 2}},
    }


def test_a_rubric_can_be_given_as_the_list_of_its_traits() -> None:
    benchmark, same = load(canonical()), load(canonical())
    benchmark.set_global_rubric([DEPTH, DATED])
    same.set_global_rubric(Rubric.from_traits([DEPTH, DATED]))
    benchmark.set_question_rubric(METAL, [DATED.model_copy(update={"name": "other"})])
    summarised = DEPTH.model_copy(update={"name": "third", "summary": "s"})
    benchmark.set_global_dynamic_rubric([summarised])
    benchmark.set_question_dynamic_rubric(METAL, [summarised.model_copy(update={"name": "fourth"})])
    assert benchmark.global_rubric == same.global_rubric
    assert benchmark.get_rubric_trait_names(METAL) == ["other"]
    dynamic = benchmark.get_global_dynamic_rubric()
    assert dynamic is not None
    assert [trait.name for trait in dynamic.traits()] == ["third"]
    benchmark.set_global_rubric([])
    assert benchmark.global_rubric is None
