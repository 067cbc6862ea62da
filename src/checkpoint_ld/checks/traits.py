"""Rubric traits as they stand in ratings: what evaluates them, and which kind of result they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint_ld.checks.readings import number
from checkpoint_ld.dialects.properties import decoded

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILIES = {
    "RubricTrait": "llm",
    "LLMRubricTrait": "llm",
    "RegexTrait": "regex",
    "CallableTrait": "callable",
    "MetricRubricTrait": "metric",
    "AgenticRubricTrait": "agentic",
}
"""What evaluates a trait, by type without scope; a dynamic trait says it in `dynamic_trait_type`."""

DYNAMIC = "DynamicRubricTrait"
KINDS = ("boolean", "score", "literal")


_DEFAULT_MIN, _DEFAULT_MAX = 1, 5
"""The min_score and max_score that Karenina writes on every boolean trait."""


@dataclass(frozen=True, slots=True)
class Trait:
    """A rating of a known type (`suffix`: without scope), its members and its settings."""

    suffix: str
    members: Mapping[str, object]
    settings: Mapping[str, object]

    @property
    def family(self) -> str | None:
        """What evaluates the trait; None for a dynamic trait that does not say so."""
        if self.suffix != DYNAMIC:
            return FAMILIES[self.suffix]
        said = self.settings.get("dynamic_trait_type")
        return said if isinstance(said, str) and said in FAMILIES.values() else None

    @property
    def explicit_kind(self) -> str | None:
        """The kind of result that the setting `kind` names, if it names one."""
        kind = self.settings.get("kind")
        if isinstance(kind, dict):
            return "template"
        if kind == "binary":
            return "boolean"
        return kind if isinstance(kind, str) and kind in KINDS else None

    @property
    def kind(self) -> str | None:
        """The kind of result, said or implied; None where the bounds it would follow from are missing."""
        if self.family in {"regex", "metric"}:
            return "boolean"
        if self.explicit_kind is not None:
            return self.explicit_kind
        if self.family != "llm":
            return "boolean"
        best, worst = self.members.get("bestRating"), self.members.get("worstRating")
        if number(best) is None or number(worst) is None:
            return None
        # A score trait from 0 to 1 carries these bounds; Karenina gives boolean ones 1 and 5.
        is_unit_score = (self.settings.get("min_score"), self.settings.get("max_score")) == (0, 1)
        return "boolean" if (best, worst) == (1, 0) and not is_unit_score else "score"

    @property
    def claims_a_score(self) -> bool:
        """Whether a trait taken for boolean by its bounds may have been a score trait.

        Karenina writes its meaningless bounds beside floats; beside integers somebody else meant them.
        """
        if self.family != "llm" or self.explicit_kind is not None:
            return False
        by_karenina = all(isinstance(self.members.get(member), float) for member in ("bestRating", "worstRating"))
        low, high = (number(self.settings.get(name)) for name in ("min_score", "max_score"))
        return not (by_karenina and low in {None, _DEFAULT_MIN} and high in {None, _DEFAULT_MAX})

    @property
    def implies_range(self) -> bool:
        """Whether bestRating and worstRating follow from the other settings."""
        if self.family in {"regex", "metric"}:
            return True
        match self.explicit_kind:
            case "score":
                return all(number(self.settings.get(name)) is not None for name in ("min_score", "max_score"))
            case "literal":
                return isinstance(decoded(self.settings.get("classes")), dict)
            case kind:
                return kind is not None
