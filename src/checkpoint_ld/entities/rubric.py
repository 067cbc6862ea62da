"""Rubrics: the traits by which every answer is judged, and the results of judging."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from checkpoint_ld.arguments import renamed
from checkpoint_ld.entities.callable_trait import CallableRubricTrait
from checkpoint_ld.entities.entity import Entity
from checkpoint_ld.entities.metric_trait import MetricRubricTrait
from checkpoint_ld.entities.rubric_evaluation import evaluate_traits
from checkpoint_ld.entities.trait import ScoredTrait
from checkpoint_ld.entities.trait_collection import TraitCollection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from checkpoint_ld.entities.rubric_evaluation import DeterministicEvaluation
    from checkpoint_ld.entities.trait_collection import AnyTrait
    from checkpoint_ld.workers.trusted import Trust


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
        scored: list[ScoredTrait | CallableRubricTrait] = [
            *self.llm_traits,
            *self.callable_traits,
            *self.agentic_traits,
        ]
        highest = {}
        for trait in scored:
            scoring = ("score", "literal") if isinstance(trait, ScoredTrait) else ("score",)
            if trait.kind in scoring and trait.max_score is not None:
                highest[trait.name] = trait.max_score
        return highest

    def get_trait_directionalities(self) -> dict[str, bool | None]:
        """Return for each trait whether a higher result is the better one; None where there is no direction.

        Metric traits are left out: each of their metrics is a result of its own.
        """
        return {
            trait.name: trait.higher_is_better for trait in self.traits() if not isinstance(trait, MetricRubricTrait)
        }

    def evaluate_deterministic(
        self,
        text: str,
        *,
        overrides: Mapping[str, Callable[[str], object]] | None = None,
        trust: Trust | None = None,
    ) -> DeterministicEvaluation:
        """Apply to a text what needs no judge: regular expressions, each within a limit of time, and functions.

        `overrides` has functions by the names of callable traits. Stored code runs only with `trust`, in a process of
        its own. Raises SettingsError for a function of what is no callable trait of this rubric.
        """
        return evaluate_traits(self.traits(), text, overrides, trust)

    @renamed(scores="evaluation")
    def validate_evaluation(self, evaluation: Mapping[str, object]) -> bool:
        """Tell whether `evaluation` holds exactly one valid result for everything that this rubric judges."""
        return not self.evaluation_problems(evaluation)

    @renamed(scores="evaluation")
    def evaluation_problems(self, evaluation: Mapping[str, object]) -> list[str]:
        """Say what keeps `evaluation` from being a complete evaluation by this rubric; empty if nothing does.

        A trait of template kind has one result for each field, under `trait.field`; metric traits have none. The result
        of a callable trait that scores may be a truth value as well, whatever its range.
        """
        judged = self._judged()
        found = [f"{key!r} has no result" for key in judged if key not in evaluation]
        for key, value in evaluation.items():
            if key not in judged:
                found.append(f"{key!r} is nothing that this rubric judges")
                continue
            trait = judged[key]
            if isinstance(trait, CallableRubricTrait) and trait.kind == "score" and isinstance(value, bool):
                continue  # what Karenina expects of every callable trait
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
