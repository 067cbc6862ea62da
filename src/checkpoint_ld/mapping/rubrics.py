"""Rubrics: the traits of a checkpoint or of a question, those of its ratings and of older places."""

from __future__ import annotations

from typing import Any

from checkpoint_ld.dialects.traits import Family, rating_from_v2
from checkpoint_ld.entities import LENIENT, AnyTrait, DynamicRubric, Rubric
from checkpoint_ld.mapping.properties import as_list, from_text, values
from checkpoint_ld.mapping.traits import family_of, is_dynamic, trait_of

Json = dict[str, Any]

_LEGACY_PROPERTIES: dict[str, Family] = {
    "global_rubric_traits": "llm",
    "global_regex_rubric_traits": "regex",
    "global_callable_rubric_traits": "callable",
    "global_metric_rubric_traits": "metric",
}
_LEGACY_MEMBER = "globalRubric"


def rubric_of(holder: Json) -> Rubric | None:
    """Return the rubric of a root or question object, or None when it has no traits.

    Traits in the places of older files (JSON text in a property, a plain member of the root) are read too; of two
    traits of one name in different places the rating counts.
    """
    traits = [
        trait for rating in _ratings(holder) if not is_dynamic(rating) and (trait := trait_of(rating)) is not None
    ]
    names = {trait.name for trait in traits}
    for rating in _legacy(holder):
        older = trait_of(rating)
        if older is not None and older.name not in names:
            names.add(older.name)
            traits.append(older)
    return Rubric.model_validate(_lists(traits), context=LENIENT) if traits else None


def dynamic_rubric_of(holder: Json) -> DynamicRubric | None:
    """Return the dynamic rubric of a root or question object, or None when it has no dynamic traits."""
    traits = [trait for rating in _ratings(holder) if is_dynamic(rating) and (trait := trait_of(rating)) is not None]
    return DynamicRubric.model_validate(_lists(traits), context=LENIENT) if traits else None


def _ratings(holder: Json) -> list[Json]:
    return [rating for rating in as_list(holder.get("rating")) if isinstance(rating, dict)]


def _lists(traits: list[AnyTrait]) -> dict[str, list[AnyTrait]]:
    lists: dict[str, list[AnyTrait]] = {}
    for trait in traits:
        lists.setdefault(f"{family_of(trait)}_traits", []).append(trait)
    return lists


def _legacy(holder: Json) -> list[Json]:
    found = []
    properties = values(holder.get("additionalProperty"))
    for name, family in _LEGACY_PROPERTIES.items():
        listed = from_text(properties.get(name))
        found += [rating_from_v2(family, one, "Global") for one in as_list(listed) if isinstance(one, dict)]
    rubric = holder.get(_LEGACY_MEMBER)
    if isinstance(rubric, dict):
        for family in _LEGACY_PROPERTIES.values():
            listed = rubric.get(f"{family}_traits", rubric.get("traits") if family == "llm" else None)
            found += [rating_from_v2(family, one, "Global") for one in as_list(listed) if isinstance(one, dict)]
    return found
