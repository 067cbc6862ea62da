"""Rubric objects of the GUI's state, written from ratings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.dialect import step
from checkpoint_ld.dialects.leftovers import KEPT
from checkpoint_ld.dialects.losses import loss, losses_of
from checkpoint_ld.dialects.properties import values
from checkpoint_ld.dialects.traits import trait_from_rating

if TYPE_CHECKING:
    from checkpoint_ld.dialects.traits import Family
    from checkpoint_ld.findings import Finding

_IN_ORDER: tuple[Family, ...] = ("llm", "regex", "callable", "metric")


@dataclass(frozen=True)
class WrittenRubric:
    """A rubric as the state has it, None without traits, and the member `rating` with what it cannot have."""

    written: dict[str, Any] | None
    left: dict[str, Any]
    findings: list[Finding] = field(default_factory=list)


def rubric_of(members: dict[str, Any], scope: str, matrix: str, pointer: str) -> WrittenRubric:
    """Return the rubric of the root or of a question, an object with `members` at `pointer`.

    `matrix` is the name to give to the mode full_matrix of metric traits.
    """
    ratings = members.get("rating")
    if "rating" in members and not isinstance(ratings, list):
        return WrittenRubric(None, {"rating": ratings})
    traits: dict[Family, list[dict[str, Any]]] = {family: [] for family in _IN_ORDER}
    left: list[Any] = []
    findings: list[Finding] = []
    for index, rating in enumerate(ratings or ()):
        found = trait_from_rating(rating, scope, matrix=matrix)
        if found is None:
            left.append(rating)
            continue
        family, trait = found
        traits[family].append(trait)
        findings += _losses(rating, trait, step(pointer, "rating", index))
    written = {f"{family}_traits": listed for family, listed in traits.items() if listed or family == "llm"}
    return WrittenRubric(written if any(traits.values()) else None, {"rating": left} if left else {}, findings)


def _losses(rating: dict[str, Any], trait: dict[str, Any], pointer: str) -> list[Finding]:
    findings = list(losses_of(trait.get(KEPT, {}), rating, pointer, "v2.0"))
    stated = values(rating.get("additionalProperty"))
    if trait.get("repeated_extraction") is False and "repeated_extraction" not in stated:
        message = "leaves repeated_extraction out, which the GUI takes for false"
        findings.append(loss(f'the metric trait "{trait.get("name")}" {message}', pointer, "v2.0"))
    return findings
