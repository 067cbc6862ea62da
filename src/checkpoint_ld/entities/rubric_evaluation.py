"""A rubric applied to a text, as far as no judge is needed: regular expressions and functions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from checkpoint_ld.entities.callable_trait import CallableRubricTrait
from checkpoint_ld.entities.traits import RegexRubricTrait
from checkpoint_ld.errors import EvaluationError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from checkpoint_ld.entities.traits import Trait
    from checkpoint_ld.workers.trusted import Trust

    Functions = Mapping[str, Callable[[str], object]]

_WORD = re.compile(r"\w+")


class OutcomeStatus(StrEnum):
    """What came of applying a trait to a text."""

    EVALUATED = "evaluated"
    NEEDS_JUDGE = "needs_judge"
    """A language model or an agent has to judge."""
    NOT_RUN = "not_run"
    """The trait's function is stored code, and nobody said that it is trusted."""
    CONCEPT_ABSENT = "concept_absent"
    """The trait is dynamic, and the text is not about its concept."""
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class TraitOutcome:
    """What one trait says about a text.

    `score` is a truth value, a number, or the index of a class; None where the trait was not evaluated, for which
    `reason` says why.
    """

    name: str
    status: OutcomeStatus
    score: bool | float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DeterministicEvaluation:
    """What the traits of a rubric say about a text, in their order."""

    outcomes: tuple[TraitOutcome, ...]

    @property
    def trait_scores(self) -> dict[str, bool | float]:
        """The scores of the traits that were evaluated, by name."""
        return {one.name: one.score for one in self.outcomes if one.score is not None}

    @property
    def errors(self) -> dict[str, str]:
        """Why traits could not be evaluated, by name."""
        return {one.name: one.reason for one in self.outcomes if one.status is OutcomeStatus.ERROR}

    @property
    def needs_judge(self) -> list[str]:
        """The names of the traits that a language model or an agent has to judge."""
        return [one.name for one in self.outcomes if one.status is OutcomeStatus.NEEDS_JUDGE]

    def as_json(self) -> list[dict[str, Any]]:
        """Return the outcomes as JSON objects."""
        return [
            {"name": one.name, "status": str(one.status), "score": one.score, "reason": one.reason}
            for one in self.outcomes
        ]


def evaluate_traits(
    traits: Iterable[Trait],
    text: str,
    overrides: Functions | None = None,
    trust: Trust | None = None,
    absence: Callable[[Trait], str] | None = None,
) -> DeterministicEvaluation:
    """Apply traits to a text; what goes wrong with one of them is its outcome and does not keep the others back.

    A callable trait is decided by the function that `overrides` has under its name, or by its stored code, in a process
    of its own, if `trust` is given. `absence` says why the text is not about the concept of a trait, "" if it is.
    Raises SettingsError for a function of a trait that is not there or is not callable, EvaluationError for what is no
    text.
    """
    if not isinstance(text, str):
        raise EvaluationError(f"traits cannot be applied to {text!r}: give a text")
    applied, functions = list(traits), overrides or {}
    callables = [trait.name for trait in applied if isinstance(trait, CallableRubricTrait)]
    for name in functions:
        if name not in callables:
            there = f"there are {', '.join(callables)}" if callables else "there is none"
            raise SettingsError(f"overrides has a function for {name!r}, which is no callable trait: {there}")
    reasons = [absence(trait) if absence is not None else "" for trait in applied]
    return DeterministicEvaluation(
        tuple(
            TraitOutcome(trait.name, OutcomeStatus.CONCEPT_ABSENT, reason=reason)
            if reason
            else outcome_of(trait, text, functions.get(trait.name), trust)
            for trait, reason in zip(applied, reasons, strict=True)
        )
    )


def mentions(text: str, concept: str) -> bool:
    """Tell whether the words of a concept stand in a text, one after another, whatever their case.

    A concept without words is looked for as it is; an empty one is everywhere.
    """
    words, there = (" ".join(_WORD.findall(one.casefold())) for one in (concept, text))
    return f" {words} " in f" {there} " if words else concept in text


def outcome_of(
    trait: Trait, text: str, function: Callable[[str], object] | None = None, trust: Trust | None = None
) -> TraitOutcome:
    """Apply one trait to a text; `function` stands in for the code of a callable trait. Nothing is raised."""
    try:
        if isinstance(trait, RegexRubricTrait):
            return TraitOutcome(trait.name, OutcomeStatus.EVALUATED, trait.evaluate(text))
        if not isinstance(trait, CallableRubricTrait):
            return TraitOutcome(trait.name, OutcomeStatus.NEEDS_JUDGE, reason="a language model or an agent judges it")
        if function is None and trust is None:
            reason = "its stored code runs only when it is trusted: give a function of your own, or trust"
            return TraitOutcome(trait.name, OutcomeStatus.NOT_RUN, reason=reason)
        score = trait.evaluate(text, callable_override=function, trust=None if function else trust)
        return TraitOutcome(trait.name, OutcomeStatus.EVALUATED, score)
    except EvaluationError as error:
        return TraitOutcome(trait.name, OutcomeStatus.ERROR, reason=str(error))
