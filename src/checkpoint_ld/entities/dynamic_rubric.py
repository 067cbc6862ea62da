"""Dynamic rubrics: traits that count only where an answer touches on their concept."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from pydantic import ValidationInfo, model_validator

from checkpoint_ld.documents.values import shown
from checkpoint_ld.entities.entity import is_lenient
from checkpoint_ld.entities.rubric_evaluation import evaluate_traits, mentions
from checkpoint_ld.entities.trait_collection import TraitCollection
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from checkpoint_ld.entities.rubric_evaluation import DeterministicEvaluation
    from checkpoint_ld.entities.trait import Trait
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.workers.trusted import Trust


_log = logging.getLogger(__name__)


class DynamicRubric(TraitCollection):
    """Traits by which an answer is judged only if the trait's concept occurs in it.

    Each trait needs a summary or a description, from which the concept is known.
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
        """Apply to a text what needs no judge, as `Rubric.evaluate_deterministic` does, where the concept occurs.

        `present` names the traits whose concepts a judge found. Without it a concept occurs if its words stand in the
        text one after another, which a judge might see otherwise. Raises SettingsError for a name that no trait has.
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
            trait.problem("dynamic-concept", "neither summary nor description says its concept", "give it a summary")
            for trait in self.traits()
            if trait.summary is None and trait.description is None
        ]
        return (*super().problems(), *nameless)
