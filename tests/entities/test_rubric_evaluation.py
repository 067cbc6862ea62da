"""A rubric applied to a text as far as no judge is needed."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint_ld.entities import (
    LENIENT,
    AgenticRubricTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from checkpoint_ld.errors import EvaluationError, SettingsError, StoredCodeWarning
from checkpoint_ld.workers.trusted import Trust

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


@pytest.mark.slow
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
