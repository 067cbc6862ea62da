"""Rubrics and dynamic rubrics: names, views of their traits, results of evaluations, merging."""

from typing import Any

import pytest
from pydantic import ValidationError

from checkpoint_ld.entities import (
    LENIENT,
    AgenticRubricTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
    RubricEvaluation,
    merge_dynamic_rubrics,
    merge_rubrics,
    merge_rubrics_with_provenance,
)
from checkpoint_ld.errors import EvaluationError, SettingsError, StoredCodeWarning
from checkpoint_ld.workers.trusted import Trust

FORM = {"type": "template", "schema": {"properties": {"n": {"type": "integer"}, "m2": {"type": "string"}}}}
CLASSES = {"no": "n", "so so": "s", "yes": "y"}
CODE = {"kind": "score", "callable_code": "AAA="}

LLM = LLMRubricTrait(name="l", kind="boolean", description="clear")
REGEX = RegexRubricTrait(name="x", pattern="x", higher_is_better=False)
CALLABLE = CallableRubricTrait.model_validate({**CODE, "name": "c", "kind": "boolean"})
METRIC = MetricRubricTrait(name="m", metrics=["recall"], tp_instructions=["i"])
AGENTIC = AgenticRubricTrait(name="g", description="d", kind="boolean")
TEMPLATE = AgenticRubricTrait.model_validate({"name": "t", "description": "d", "kind": FORM})


@pytest.fixture
def rubric() -> Rubric:
    return Rubric(
        llm_traits=[LLM],
        regex_traits=[REGEX],
        callable_traits=[CALLABLE],
        metric_traits=[METRIC],
        agentic_traits=[AGENTIC, TEMPLATE],
    )


def lists(*, lenient: bool = True, **members: Any) -> Rubric:
    return Rubric.model_validate(members, context=LENIENT if lenient else None)


def test_names_come_kind_by_kind(rubric: Rubric) -> None:
    kinds = ("llm", "regex", "callable", "metric", "agentic")
    names = [getattr(rubric, f"get_{kind}_trait_names")() for kind in kinds]
    assert names == [["l"], ["x"], ["c"], ["m"], ["g", "t"]]
    assert rubric.get_trait_names() == ["l", "x", "c", "m", "g", "t"]


@pytest.mark.parametrize("collection", [Rubric, DynamicRubric])
def test_traits_of_any_kind_are_sorted_into_the_lists(collection: type[Rubric | DynamicRubric]) -> None:
    made = collection.from_traits([AGENTIC, LLM])  # a type checker knows that it is no None
    assert (made.llm_traits, made.agentic_traits) == ([LLM], [AGENTIC])
    assert made.llm_traits[0] is LLM
    assert collection.from_traits(None) is None
    with pytest.raises(TypeError, match="is no trait"):
        collection.from_traits([LLM, "clear"])  # type: ignore[list-item]  # the point of the test


def test_an_empty_rubric_is_empty_and_true(rubric: Rubric) -> None:
    assert (Rubric().is_empty(), bool(Rubric()), rubric.is_empty()) == (True, True, False)


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"llm_traits": [LLM, LLM]}, "W-DUP-TRAIT"),
        ({"llm_traits": [LLM], "regex_traits": [RegexRubricTrait(name="l", pattern="x")]}, "W-DUP-TRAIT"),
        ({"llm_traits": [LLMRubricTrait(name="a.b", kind="boolean", summary="s")]}, "W-TRAIT-NAME"),
        ({"regex_traits": [RegexRubricTrait(name="a.b", pattern="x", summary="s")]}, "W-TRAIT-NAME"),
        ({"agentic_traits": [AgenticRubricTrait(name="a.b", kind="boolean", description="d")]}, "W-TRAIT-NAME"),
    ],
)
@pytest.mark.parametrize("collection", [Rubric, DynamicRubric])
def test_shared_and_dotted_names_are_refused_from_authors_and_kept_from_files(
    collection: type[Rubric | DynamicRubric], members: dict[str, Any], code: str
) -> None:
    members = {name: [trait.model_copy(update={"summary": "s"}) for trait in members[name]] for name in members}
    with pytest.raises(ValidationError):
        collection.model_validate(members)
    kept = collection.model_validate(members, context=LENIENT)
    assert [found.condition for found in kept.problems()] == [code]
    assert len(kept.get_trait_names()) == sum(len(traits) for traits in members.values())


def test_a_trait_added_to_a_list_is_seen_when_one_looks(rubric: Rubric) -> None:
    rubric.llm_traits.append(LLM)
    assert [found.subject for found in rubric.problems()] == ["l"]


def test_highest_scores_are_those_of_scores_and_of_judged_classes() -> None:
    llm = [
        {"name": "score", "kind": "score", "max_score": 7},
        {"name": "class", "kind": "literal", "classes": CLASSES},
        {"name": "open", "kind": "score", "max_score": None},
        {"name": "boolean", "kind": "boolean"},
    ]
    functions = [{"name": "counted", **CODE, "max_score": 9}, {"name": "endless", **CODE}]
    functions.append({"name": "sorted", **CODE, "kind": "literal", "classes": CLASSES})
    agents = [{"name": "agent", "description": "d", "kind": "score"}, {"name": "f", "description": "d", "kind": FORM}]
    made = lists(lenient=False, llm_traits=llm, callable_traits=functions, agentic_traits=agents)
    assert made.get_trait_max_scores() == {"score": 7, "class": 2, "counted": 9, "agent": 5}


def test_directions_are_those_of_all_traits_but_metrics(rubric: Rubric) -> None:
    directions = list(rubric.get_trait_directionalities().items())
    assert directions == [("l", True), ("x", False), ("c", True), ("g", True), ("t", None)]


# Results of an evaluation

COMPLETE = {"l": True, "x": False, "c": True, "g": True, "t.n": 3, "t.m2": "any"}
WITHOUT_FORM = {name: value for name, value in COMPLETE.items() if not name.startswith("t.")}


@pytest.mark.parametrize(
    ("scores", "reasons"),
    [
        (COMPLETE, []),
        ({**COMPLETE, "m": 0.5}, ["'m' is nothing"]),
        ({name: COMPLETE[name] for name in COMPLETE if name != "l"}, ["'l' has no result"]),
        ({**COMPLETE, "x": 1}, ["'x' cannot have the result 1"]),
        ({**COMPLETE, "c": 2}, ["'c' cannot have the result 2"]),
        ({**COMPLETE, "g": 5}, ["'g' cannot have the result 5"]),
        ({**COMPLETE, "t.other": 1}, ["'t.other' is nothing"]),
        ({**WITHOUT_FORM, "t": {}}, ["", "", ""]),
    ],
)
def test_an_incomplete_or_wrong_evaluation_states_why(
    rubric: Rubric, scores: dict[str, Any], reasons: list[str]
) -> None:
    found = rubric.evaluation_problems(scores)
    assert [reason in stated for stated, reason in zip(found, reasons, strict=True)] == [True] * len(reasons)
    assert rubric.validate_evaluation(scores) is (not reasons)


UNITS = {"name": "s", **CODE, "min_score": 0, "max_score": 1}
CLASSED = {"name": "k", **CODE, "kind": "literal", "classes": {"no": "n", "yes": "y"}}
DOTTED = {"name": "a.b", "kind": "boolean"}
AROUND = {"name": "a", "kind": {"type": "template", "schema": {"properties": {"b": {"type": "integer"}}}}}


@pytest.mark.parametrize(
    ("traits", "valid", "invalid"),
    [
        ({"llm_traits": [{"name": "f", "kind": FORM}]}, {"f.n": 1, "f.m2": "x"}, [{"f": 1}]),
        ({"llm_traits": [DOTTED]}, {"a.b": True}, []),
        ({"llm_traits": [DOTTED, AROUND]}, {"a.b": True}, [{"a.b": 3}]),
        ({"callable_traits": [UNITS, CLASSED]}, {"s": 0.5, "k": 1}, [{"s": 1.5, "k": 1}, {"s": 1, "k": 2}]),
    ],
)
def test_results_are_held_against_forms_whole_names_ranges_and_classes(
    traits: dict[str, Any], valid: dict[str, Any], invalid: list[dict[str, Any]]
) -> None:
    made = lists(**traits)
    assert [scores for scores in [valid, *invalid] if made.validate_evaluation(scores)] == [valid]


def test_results_are_truth_values_or_whole_numbers() -> None:
    scores = RubricEvaluation.model_validate({"trait_scores": {"a": True, "b": 3, "c": 2.0}}).trait_scores
    assert [(name, type(score), score) for name, score in scores.items()] == [
        *(("a", bool, True), ("b", int, 3), ("c", int, 2))
    ]
    for wrong in ({"trait_scores": {"a": 2.5}}, {}):
        with pytest.raises(ValidationError):
            RubricEvaluation.model_validate(wrong)


# Dynamic rubrics


def test_a_dynamic_trait_needs_a_concept() -> None:
    bare = {"llm_traits": [{"name": "a", "kind": "boolean"}]}
    with pytest.raises(ValidationError, match="concept"):
        DynamicRubric.model_validate(bare)
    assert [one.subject for one in DynamicRubric.model_validate(bare, context=LENIENT).problems()] == ["a"]
    for held in ({"summary": ""}, {"description": ""}):
        assert DynamicRubric.model_validate({"llm_traits": [{"name": "a", "kind": "boolean", **held}]})


@pytest.mark.parametrize(
    ("expected", "concept"),
    [({"summary": "s", "description": "d"}, "s"), ({"description": "d"}, "d"), ({}, "a"), ({"summary": ""}, "")],
)
def test_the_concept_is_the_summary_or_the_description_or_the_name(expected: dict[str, str], concept: str) -> None:
    trait = LLMRubricTrait.model_validate({"name": "a", "kind": "boolean", **expected})
    assert DynamicRubric().resolve_concept_text(trait) == concept


# Merging


def named(llm: str, regex: str = "") -> Rubric:
    """Return a rubric with one trait for each letter."""
    return Rubric(
        llm_traits=[LLMRubricTrait(name=name, kind="boolean") for name in llm],
        regex_traits=[RegexRubricTrait(name=name, pattern="x") for name in regex],
    )


def test_traits_come_kind_by_kind_global_ones_first() -> None:
    general, own = named("b", "r"), named("a", "q")
    merged, provenance = merge_rubrics_with_provenance(general, own)
    assert merged == merge_rubrics(general, own) == named("ba", "rq")
    assert merged is not None
    assert merged.llm_traits[0] is general.llm_traits[0]
    assert (general, own) == (named("b", "r"), named("a", "q"))
    assert provenance == {"b": "global", "a": "question_specific", "r": "global", "q": "question_specific"}


def test_of_one_rubric_that_rubric_comes_back() -> None:
    one = named("a")
    assert merge_rubrics(one, None) is one
    assert merge_rubrics(None, one) is one
    assert merge_rubrics(None, None) is None
    assert merge_rubrics_with_provenance(one, None)[1] == {"a": "global"}
    assert merge_rubrics_with_provenance(None, None) == (None, None)


@pytest.mark.parametrize(
    ("general", "own", "conflict"),
    [(named("a", "r"), named("a", "r"), "llm:a, regex:r"), (named("a"), named("", "a"), "regex:a")],
)
def test_the_same_name_in_both_is_an_error(general: Rubric, own: Rubric, conflict: str) -> None:
    with pytest.raises(SettingsError, match=conflict) as refused:
        merge_rubrics(general, own)
    assert isinstance(refused.value, ValueError)


def test_what_was_unusual_in_a_file_does_not_keep_rubrics_from_being_merged() -> None:
    merged = merge_rubrics(lists(llm_traits=[DOTTED]), named("c"))
    assert merged is not None
    assert [found.condition for found in merged.problems()] == ["W-TRAIT-NAME"]


def test_dynamic_rubrics_are_merged_alike() -> None:
    general, own = (DynamicRubric(llm_traits=[LLMRubricTrait(name=name, kind="boolean", summary="s")]) for name in "ab")
    merged = merge_dynamic_rubrics(general, own)
    assert isinstance(merged, DynamicRubric)
    assert merged.get_trait_names() == ["a", "b"]
    assert merge_dynamic_rubrics(None, own) is own
    with pytest.raises(ValueError, match="llm:a"):
        merge_dynamic_rubrics(general, general)


# --- A rubric applied to a text as far as no judge is needed.


SOURCE = "def short(text):\n    return len(text) < 10\n"
CITES = RegexRubricTrait(name="cites", pattern=r"\[\d+\]", description="names its sources")
POLITE = RegexRubricTrait(name="polite", pattern="damn", case_sensitive=False, invert_result=True)


def function(name: str, kind: str, **members: Any) -> CallableRubricTrait:
    return CallableRubricTrait.model_validate({"name": name, "kind": kind, "callable_code": SOURCE, **members})


SHORT = function("short", "boolean")
LENGTH = function("length", "score", min_score=0, max_score=5)
TONE = function("tone", "literal", classes={"calm": "c", "loud": "l"})


def test_regular_expressions_are_decided() -> None:
    found = Rubric(regex_traits=[CITES, POLITE]).evaluate_deterministic("Mercury [1], DAMN it")
    assert (found.trait_scores, found.errors, found.needs_judge) == ({"cites": True, "polite": False}, {}, [])


def test_functions_are_those_that_the_caller_gives() -> None:
    functions = {"short": lambda text: len(text) < 10, "length": len, "tone": lambda _: "loud"}
    rubric = Rubric(callable_traits=[SHORT, LENGTH, TONE])
    found = rubric.evaluate_deterministic("Zinc", overrides=functions)
    assert found.trait_scores == {"short": True, "length": 4, "tone": 1}
    found = rubric.evaluate_deterministic("Mercury", overrides={**functions, "short": lambda _: False}, trust=Trust())
    assert found.trait_scores == {"short": False, "tone": 1}
    assert list(found.errors) == ["length"]
    assert "returned 7, not a number from 0 to 5" in found.errors["length"]


def test_stored_code_is_not_run_unless_it_is_trusted() -> None:
    traits = Rubric(callable_traits=[SHORT])
    (outcome,) = traits.evaluate_deterministic("Zinc").outcomes
    assert (outcome.status, outcome.score) == ("not_run", None)
    assert "give a function of your own, or trust" in outcome.reason
    with pytest.warns(StoredCodeWarning):
        assert traits.evaluate_deterministic("Zinc", trust=Trust()).trait_scores == {"short": True}


def test_what_needs_a_judge_is_named() -> None:
    found = Rubric(
        llm_traits=[LLMRubricTrait(name="clear", kind="boolean")],
        metric_traits=[MetricRubricTrait(name="m", metrics=["recall"], tp_instructions=["i"])],
        agentic_traits=[AgenticRubricTrait(name="agent", description="d", kind="boolean")],
    ).evaluate_deterministic("Mercury")
    assert (found.needs_judge, found.trait_scores, found.errors) == (["clear", "m", "agent"], {}, {})
    stated = {"status": "needs_judge", "score": None, "reason": "a language model or an agent judges it"}
    assert found.as_json()[0] == {"name": "clear", **stated}


@pytest.mark.usefixtures("impatient")
def test_a_pattern_without_end_is_an_error_of_that_trait_alone() -> None:
    endless = RegexRubricTrait(name="endless", pattern=r"(a+)+$")
    found = Rubric(regex_traits=[endless, CITES]).evaluate_deterministic("a" * 60 + "! [2]")
    assert found.trait_scores == {"cites": True}
    assert "takes more than" in found.errors["endless"]


def test_a_trait_without_a_pattern_is_an_error() -> None:
    lacking = Rubric.model_validate({"regex_traits": [{"name": "r", "pattern": None}]}, context=LENIENT)
    assert "has no pattern" in lacking.evaluate_deterministic("Mercury").errors["r"]


@pytest.mark.parametrize("name", ["cites", "other"])
def test_a_function_for_what_is_no_callable_trait_is_refused(name: str) -> None:
    traits = Rubric(regex_traits=[CITES], callable_traits=[SHORT])
    with pytest.raises(SettingsError, match=f"'{name}', which is no callable trait: there are short"):
        traits.evaluate_deterministic("Zinc", overrides={name: len})


# Dynamic rubrics


def dynamic(summary: str = "side effects") -> DynamicRubric:
    return DynamicRubric(regex_traits=[RegexRubricTrait(name="dose", pattern=r"\d+ mg", summary=summary)])


@pytest.mark.parametrize("traits", [Rubric(regex_traits=[CITES]), dynamic()])
def test_only_texts_are_evaluated(traits: Any) -> None:
    with pytest.raises(EvaluationError, match="give a text"):
        traits.evaluate_deterministic(None)


@pytest.mark.parametrize(
    ("summary", "text", "applies"),
    [
        ("side effects", "Its side\neffects: none at 5 mg", True),
        ("side effects", "SIDE EFFECTS", True),
        ("side-effects", "Side effects", True),
        ("side effects", "Effects on the other side", False),
        ("effect", "side effects", False),
        ("%", "10 % of them", True),
        ("%", "ten of them", False),
        ("", "anything", True),
    ],
)
def test_a_dynamic_trait_counts_where_the_words_of_its_concept_stand(summary: str, text: str, applies: bool) -> None:
    (outcome,) = dynamic(summary).evaluate_deterministic(text).outcomes
    assert (outcome.status == "evaluated", outcome.score is not None) == (applies, applies)


def test_a_dynamic_trait_that_does_not_count_states_why() -> None:
    found = dynamic().evaluate_deterministic("It melts at 1 mg")
    assert (found.trait_scores, found.errors, found.needs_judge) == ({}, {}, [])
    assert found.outcomes[0].status == "concept_absent"
    assert "'side effects'" in found.outcomes[0].reason


def test_a_judge_may_state_which_concepts_occur() -> None:
    assert dynamic().evaluate_deterministic("at 1 mg", present=["dose"]).trait_scores == {"dose": True}
    assert dynamic().evaluate_deterministic("side effects", present=[]).trait_scores == {}
    with pytest.raises(SettingsError, match="'dos', which is no trait"):
        dynamic().evaluate_deterministic("at 1 mg", present=["dos"])


def test_a_function_for_a_dynamic_trait_that_does_not_count_is_no_mistake() -> None:
    traits = DynamicRubric(callable_traits=[SHORT.model_copy(update={"summary": "length"})])
    found = traits.evaluate_deterministic("Zinc", overrides={"short": lambda _: True})
    assert found.outcomes[0].status == "concept_absent"
