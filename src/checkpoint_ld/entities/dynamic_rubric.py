"""Dynamic rubrics: traits that count only where an answer touches on their concept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.entities.trait_collection import TraitCollection

if TYPE_CHECKING:
    from checkpoint_ld.entities.trait_collection import AnyTrait
    from checkpoint_ld.findings import Finding


class DynamicRubric(TraitCollection):
    """Traits by which an answer is judged only if the trait's concept occurs in it.

    Each trait needs a summary or a description, from which the concept is known.
    """

    def resolve_concept_text(self, trait: AnyTrait) -> str:
        """Return the text of the trait's concept: its summary, or else its description, or else its name."""
        if trait.summary is not None:
            return trait.summary
        return trait.name if trait.description is None else trait.description

    def problems(self) -> tuple[Finding, ...]:
        """Report shared and dotted names, and traits without a concept."""
        nameless = [
            trait.problem("dynamic-concept", "neither summary nor description says its concept", "give it a summary")
            for trait in self.traits()
            if trait.summary is None and trait.description is None
        ]
        return (*super().problems(), *nameless)
