"""Rubrics: the traits of a checkpoint or of a question, those of its ratings and of older places."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.rubric import LEGACY_PROPERTIES, LISTS
from checkpoint_ld.dialects.traits import Family, rating_from_v2
from checkpoint_ld.dialects.traits import family_of as class_family
from checkpoint_ld.entities import LENIENT, AnyTrait, DynamicRubric, Rubric
from checkpoint_ld.errors import ReadError
from checkpoint_ld.mapping.properties import as_list, from_text, values
from checkpoint_ld.mapping.traits import family_of, is_dynamic, trait_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

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
    for older in _legacy(holder):
        if older.name not in names:
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


def _legacy(holder: Json) -> Iterator[AnyTrait]:
    """Yield the traits in the places of older files; what is none stays where it is, and reading reports it."""
    for family, listed in _legacy_lists(holder):
        for one in listed if isinstance(listed, list) else ():
            with suppress(ReadError):
                named = class_family(one.get("type")) if isinstance(one, dict) else None
                trait = trait_of(rating_from_v2(named or family, one, "Global")) if isinstance(one, dict) else None
                if trait is not None:
                    yield trait


def _legacy_lists(holder: Json) -> Iterator[tuple[Family, Any]]:
    properties = values(holder.get("additionalProperty"))
    yield from ((family, from_text(properties.get(name))) for name, family in LEGACY_PROPERTIES.items())
    rubric = holder.get(_LEGACY_MEMBER)
    if isinstance(rubric, dict):
        yield from ((family, rubric.get(name)) for name, family in LISTS.items())
