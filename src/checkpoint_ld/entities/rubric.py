"""Rubrics: collections of traits, their merging, and their evaluation on a text as far as it needs no judge.

Regular expressions and functions are evaluated; traits that a language model or an agent judges are reported as such.
The traits are in `checkpoint_ld.entities.traits`.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeVar, overload

from pydantic import Field, ValidationInfo, model_validator

from checkpoint_ld.entities.callable_trait import CallableRubricTrait
from checkpoint_ld.entities.entity import LENIENT, Entity, is_lenient, problem
from checkpoint_ld.entities.traits import (
    AgenticRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    ScoredTrait,
)
from checkpoint_ld.errors import EvaluationError, SettingsError, WrongTypeError
from checkpoint_ld.frames import cell_of, data_frame
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from checkpoint_ld.entities.traits import Trait
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.frames import FrameLibrary
    from checkpoint_ld.workers.trusted import Trust


_WORD = re.compile(r"\w+")


class OutcomeStatus(StrEnum):
    """The status of applying a trait to a text."""

    EVALUATED = "evaluated"
    NEEDS_JUDGE = "needs_judge"
    """A language model or an agent has to judge."""
    NOT_RUN = "not_run"
    """The trait's function is stored code that is not trusted."""
    CONCEPT_ABSENT = "concept_absent"
    """The trait is dynamic, and the text is not about its concept."""
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class TraitOutcome:
    """The result of one trait for a text.

    `score` is a boolean, a number, or the index of a class. It is None if the trait was not evaluated, and `reason` is
    then the reason.
    """

    name: str
    status: OutcomeStatus
    score: bool | float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DeterministicEvaluation:
    """The results of the traits of a rubric for a text, in their order."""

    outcomes: tuple[TraitOutcome, ...]

    @property
    def trait_scores(self) -> dict[str, bool | float]:
        """The scores of the traits that were evaluated, by name."""
        return {outcome.name: outcome.score for outcome in self.outcomes if outcome.score is not None}

    @property
    def errors(self) -> dict[str, str]:
        """The reasons why traits could not be evaluated, by name."""
        return {outcome.name: outcome.reason for outcome in self.outcomes if outcome.status is OutcomeStatus.ERROR}

    @property
    def needs_judge(self) -> list[str]:
        """The names of the traits that a language model or an agent has to judge."""
        return [outcome.name for outcome in self.outcomes if outcome.status is OutcomeStatus.NEEDS_JUDGE]

    def as_json(self) -> list[dict[str, Any]]:
        """Return the outcomes as JSON objects."""
        return [
            {"name": outcome.name, "status": str(outcome.status), "score": outcome.score, "reason": outcome.reason}
            for outcome in self.outcomes
        ]


def evaluate_traits(
    traits: Iterable[Trait],
    text: str,
    overrides: Mapping[str, Callable[[str], object]] | None = None,
    trust: Trust | None = None,
    absence: Callable[[Trait], str] | None = None,
) -> DeterministicEvaluation:
    """Apply traits to a text; an error of one trait is its outcome and does not stop the others.

    A callable trait is decided by the function that `overrides` has under its name, or by its stored code, in a process
    of its own, if `trust` is given. `absence` returns the reason why the text is not about the concept of a trait, ""
    if it is. Raises SettingsError for a function whose name is no callable trait, EvaluationError if `text` is no text.
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
    """Return whether the words of a concept occur in a text, one after another, in any case.

    A concept without words is searched for literally; an empty concept occurs in every text.
    """
    words, there = (" ".join(_WORD.findall(phrase.casefold())) for phrase in (concept, text))
    return f" {words} " in f" {there} " if words else concept in text


def outcome_of(
    trait: Trait, text: str, function: Callable[[str], object] | None = None, trust: Trust | None = None
) -> TraitOutcome:
    """Apply one trait to a text; `function` replaces the code of a callable trait. Nothing is raised."""
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


AnyTrait: TypeAlias = LLMRubricTrait | RegexRubricTrait | CallableRubricTrait | MetricRubricTrait | AgenticRubricTrait

TRAIT_LISTS: dict[str, type[AnyTrait]] = {
    "llm_traits": LLMRubricTrait,
    "regex_traits": RegexRubricTrait,
    "callable_traits": CallableRubricTrait,
    "metric_traits": MetricRubricTrait,
    "agentic_traits": AgenticRubricTrait,
}
"""The lists of a rubric in their order, with what each holds."""


class TraitCollection(Entity):
    """Traits in five lists, in the order llm, regex, callable, metric, agentic.

    Names are unique across all lists and contain no dot. A change inside one of the lists is not checked when it is
    made; `problems` finds it. A collection without traits is a value like any other, and true.
    """

    llm_traits: list[LLMRubricTrait] = Field(default_factory=list, description="Traits that a language model judges")
    regex_traits: list[RegexRubricTrait] = Field(
        default_factory=list, description="Traits that a regular expression decides"
    )
    callable_traits: list[CallableRubricTrait] = Field(
        default_factory=list, description="Traits that a Python function decides"
    )
    metric_traits: list[MetricRubricTrait] = Field(
        default_factory=list, description="Traits that are measured by metrics"
    )
    agentic_traits: list[AgenticRubricTrait] = Field(default_factory=list, description="Traits that an agent judges")

    @overload
    @classmethod
    def from_traits(cls, traits: None) -> None: ...
    @overload
    @classmethod
    def from_traits(cls, traits: Iterable[AnyTrait]) -> Self: ...
    @classmethod
    def from_traits(cls, traits: Iterable[AnyTrait] | None) -> Self | None:
        """Sort traits of any kinds into the lists; None gives None. Raises `TypeError` for other objects."""
        if traits is None:
            return None
        lists: dict[str, list[AnyTrait]] = {name: [] for name in TRAIT_LISTS}
        for trait in traits:
            name = next((name for name, model in TRAIT_LISTS.items() if isinstance(trait, model)), None)
            if name is None:
                kinds = ", ".join(model.__name__ for model in TRAIT_LISTS.values())
                raise WrongTypeError(f"{trait!r} is no trait: pass objects of {kinds}")
            lists[name].append(trait)
        return cls.model_validate(lists)

    def traits(self) -> Iterator[AnyTrait]:
        """Yield all traits in the order of the lists."""
        for name in TRAIT_LISTS:
            yield from getattr(self, name)

    def to_dataframe(self, *, library: FrameLibrary = "pandas") -> Any:
        """Return the traits as a data frame of pandas or polars, a row for each, with all settings of any of them.

        Raises SettingsError for another library, and where the library is not installed.
        """
        rows = [
            {"type": name.removesuffix("_traits"), **trait.model_dump(mode="json")}
            for name in TRAIT_LISTS
            for trait in getattr(self, name)
        ]
        names = dict.fromkeys(["type", "name", "description", "kind", *(key for row in rows for key in row)])
        return data_frame({name: [cell_of(row.get(name)) for row in rows] for name in names}, library)

    def is_empty(self) -> bool:
        """Return whether there are no traits."""
        return next(self.traits(), None) is None

    def get_trait_names(self) -> list[str]:
        """Return the names of all traits in the order of the lists."""
        return [trait.name for trait in self.traits()]

    def problems(self) -> tuple[Finding, ...]:
        """Report names that several traits have and names with a dot."""
        names = Counter(self.get_trait_names())
        shared = [
            problem(
                "trait-name-duplicate",
                f"{count} traits are called {name!r}",
                "rename all but one of them",
                subject=name,
            )
            for name, count in names.items()
            if count > 1
        ]
        dotted = [
            problem("trait-name-dot", f"the trait name {name!r} holds a dot", "rename the trait", subject=name)
            for name in names
            if "." in name
        ]
        return (*shared, *dotted)

    def all_problems(self) -> tuple[Finding, ...]:
        """Report the problems of the collection and of each of its traits."""
        return (*self.problems(), *(found for trait in self.traits() for found in trait.problems()))


Provenance: TypeAlias = Literal["global", "question_specific"]

_Collection = TypeVar("_Collection", bound=TraitCollection)


def merge_rubrics(global_rubric: Rubric | None, question_rubric: Rubric | None) -> Rubric | None:
    """Return the rubric that judges a question: the benchmark's traits, then the question's own.

    If one of them is None, the result is the other rubric itself. The traits are the same objects, not copies. Raises
    `SettingsError` (a `ValueError`) if both have a trait of the same name, whatever its kind: names identify results.
    """
    return _merged(global_rubric, question_rubric)


def merge_rubrics_with_provenance(
    global_rubric: Rubric | None, question_rubric: Rubric | None
) -> tuple[Rubric | None, dict[str, Provenance] | None]:
    """Return what `merge_rubrics` returns, and for each trait name the rubric that it comes from."""
    merged = _merged(global_rubric, question_rubric)
    if merged is None:
        return None, None
    of_question = set() if question_rubric is None else set(question_rubric.get_trait_names())
    return merged, {name: "question_specific" if name in of_question else "global" for name in merged.get_trait_names()}


def merge_dynamic_rubrics(
    global_dynamic: DynamicRubric | None, question_dynamic: DynamicRubric | None
) -> DynamicRubric | None:
    """Return the dynamic rubric that judges a question, merged as `merge_rubrics` does it."""
    return _merged(global_dynamic, question_dynamic)


def conflicts(global_rubric: TraitCollection, question_rubric: TraitCollection) -> list[str]:
    """Name each trait of a question that has a namesake in the benchmark, as `kind:name`, in the order of the lists."""
    taken = set(global_rubric.get_trait_names())
    if taken.isdisjoint(question_rubric.get_trait_names()):
        return []
    return [
        f"{kind.removesuffix('_traits')}:{name}"
        for kind in TRAIT_LISTS
        for name in sorted({trait.name for trait in getattr(question_rubric, kind)} & taken)
    ]


def _merged(first: _Collection | None, second: _Collection | None) -> _Collection | None:
    if first is None or second is None:
        return second if first is None else first
    shared = conflicts(first, second)
    if shared:
        raise SettingsError(
            f"traits of the same name in the global and the question's rubric: {', '.join(shared)}; "
            "rename or remove one of each"
        )
    lists = {name: [*getattr(first, name), *getattr(second, name)] for name in TRAIT_LISTS}
    # Lenient, since earlier problems of either rubric do not prevent merging.
    return type(first).model_validate(lists, context=LENIENT)


class Rubric(TraitCollection):
    """The traits by which the answers to one question, or to all questions, are judged."""

    def get_llm_trait_names(self) -> list[str]:
        """Return the names of the traits that a language model judges."""
        return [trait.name for trait in self.llm_traits]

    def get_regex_trait_names(self) -> list[str]:
        """Return the names of the traits that a regular expression decides."""
        return [trait.name for trait in self.regex_traits]

    def get_callable_trait_names(self) -> list[str]:
        """Return the names of the traits that a function decides."""
        return [trait.name for trait in self.callable_traits]

    def get_metric_trait_names(self) -> list[str]:
        """Return the names of the traits that are measured by metrics."""
        return [trait.name for trait in self.metric_traits]

    def get_agentic_trait_names(self) -> list[str]:
        """Return the names of the traits that an agent judges."""
        return [trait.name for trait in self.agentic_traits]

    def get_trait_max_scores(self) -> dict[str, float]:
        """Return the highest score of each trait that has one: scores of all kinds, classes of judged traits."""
        highest = {}
        scored: tuple[ScoredTrait | CallableRubricTrait, ...]
        scored = (*self.llm_traits, *self.callable_traits, *self.agentic_traits)
        for trait in scored:
            scoring = ("score", "literal") if isinstance(trait, ScoredTrait) else ("score",)
            if trait.kind in scoring and trait.max_score is not None:
                highest[trait.name] = trait.max_score
        return highest

    def get_trait_directionalities(self) -> dict[str, bool | None]:
        """Return for each trait whether a higher result is better; None if it has no direction.

        Metric traits are left out: each of their metrics is a result of its own.
        """
        return {
            trait.name: trait.higher_is_better for trait in self.traits() if not isinstance(trait, MetricRubricTrait)
        }

    def evaluate_deterministic(
        self, text: str, *, overrides: Mapping[str, Callable[[str], object]] | None = None, trust: Trust | None = None
    ) -> DeterministicEvaluation:
        """Apply the traits that need no judge to a text: regular expressions, within a time limit, and functions.

        `overrides` has functions by the names of callable traits. Stored code runs only with `trust`, in a process of
        its own. Raises SettingsError for a function whose name is no callable trait of this rubric.
        """
        return evaluate_traits(self.traits(), text, overrides, trust)

    def validate_evaluation(self, evaluation: Mapping[str, object]) -> bool:
        """Return whether `evaluation` holds exactly one valid result for each quality that this rubric judges."""
        return not self.evaluation_problems(evaluation)

    def evaluation_problems(self, evaluation: Mapping[str, object]) -> list[str]:
        """Return the reasons why `evaluation` is no complete evaluation by this rubric; empty if it is one.

        A trait of template kind has one result for each field, under `trait.field`; metric traits have none. The result
        of a callable trait that scores may also be a truth value, whatever its range.
        """
        judged = self._judged()
        found = [f"{key!r} has no result" for key in judged if key not in evaluation]
        for key, value in evaluation.items():
            if key not in judged:
                found.append(f"{key!r} is nothing that this rubric judges")
                continue
            trait = judged[key]
            if isinstance(trait, CallableRubricTrait) and trait.kind == "score" and isinstance(value, bool):
                continue  # Karenina accepts these for every callable trait
            if not isinstance(trait, MetricRubricTrait) and not trait.validate_score(value):
                found.append(f"{key!r} cannot have the result {value!r}")
        return found

    def _judged(self) -> dict[str, AnyTrait]:
        """Map each key of a complete evaluation to the trait whose result it holds, that of the whole name first."""
        judged: dict[str, AnyTrait] = {}
        forms: dict[str, AnyTrait] = {}
        for trait in self.traits():
            if isinstance(trait, ScoredTrait) and trait.is_template_kind:
                forms.update({f"{trait.name}.{field}": trait for field in trait.template_fields})
            elif not isinstance(trait, MetricRubricTrait):
                judged[trait.name] = trait
        return {**forms, **judged}


class RubricEvaluation(Entity):
    """The results of judging one answer by a rubric."""

    trait_scores: dict[str, int | bool] = Field(description="The result of each trait by its name")


_log = logging.getLogger(__name__)


class DynamicRubric(TraitCollection):
    """Traits by which an answer is judged only if the trait's concept occurs in it.

    The concept of a trait is its summary or, without one, its description.
    """

    def resolve_concept_text(self, trait: Trait) -> str:
        """Return the text of the trait's concept: its summary, or else its description, or else its name."""
        if trait.summary is not None:
            return trait.summary
        return trait.name if trait.description is None else trait.description

    def evaluate_deterministic(
        self,
        text: str,
        *,
        present: Collection[str] | None = None,
        overrides: Mapping[str, Callable[[str], object]] | None = None,
        trust: Trust | None = None,
    ) -> DeterministicEvaluation:
        """Apply the traits whose concept occurs in a text, as `Rubric.evaluate_deterministic` does.

        `present` names the traits whose concepts a judge found. Without it a concept occurs if its words stand in the
        text one after another; a judge might decide otherwise. Raises SettingsError for a name that no trait has.
        """
        for name in present or ():
            if name not in self.get_trait_names():
                raise SettingsError(f"present names {name!r}, which is no trait of this rubric")

        def absence(trait: Trait) -> str:
            concept = self.resolve_concept_text(trait)
            is_there = mentions(text, concept) if present is None else trait.name in present
            return "" if is_there else f"the text is not about its concept, {concept!r}"

        return evaluate_traits(self.traits(), text, overrides, trust, absence)

    @model_validator(mode="after")
    def _warn_of_descriptions(self, info: ValidationInfo) -> Self:
        for trait in () if is_lenient(info) else self.traits():
            if trait.summary is None and trait.description is not None:
                message = "the trait %s of a dynamic rubric has no summary: its description says what it is about"
                _log.warning(message, shown(trait.name))
        return self

    def problems(self) -> tuple[Finding, ...]:
        """Report shared and dotted names, and traits without a concept."""
        nameless = [
            trait.problem("dynamic-concept", "neither summary nor description names its concept", "give it a summary")
            for trait in self.traits()
            if trait.summary is None and trait.description is None
        ]
        return (*super().problems(), *nameless)
