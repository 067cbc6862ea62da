"""What is different about the traits of a rubric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.difference.change import PartsDiff, parts
from checkpoint_ld.mapping.properties import as_list, values
from checkpoint_ld.mapping.rubrics import dynamic_rubric_of, rubric_of
from checkpoint_ld.mapping.traits import family_of, is_dynamic
from checkpoint_ld.members import BY_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.entities import AnyTrait

Json = dict[str, Any]

_KNOWN = frozenset(BY_TYPE["Rating"]) - {"ratingValue", "ratingExplanation"}
_MARKS = frozenset(("kind", "dynamic_trait_type", "invert"))
"""Settings that say of which kind a trait is; the trait itself tells."""


def traits_diff(before: Json, after: Json, *, dynamic: bool, order: bool) -> PartsDiff:
    """Return what is different about the traits of two root or question objects, dynamic ones or the others."""
    return parts(_traits(before, dynamic=dynamic), _traits(after, dynamic=dynamic), order=order)


def _traits(holder: Json, *, dynamic: bool) -> Iterator[tuple[str, Json]]:
    rubric = dynamic_rubric_of(holder) if dynamic else rubric_of(holder)
    ratings = {
        rating.get("name"): rating
        for rating in as_list(holder.get("rating"))
        if isinstance(rating, dict) and is_dynamic(rating) is dynamic
    }
    for trait in rubric.traits() if rubric else ():
        members = {"type": family_of(trait), **trait.model_dump(exclude={"name"})}
        yield trait.name, {**members, **_rest(trait, ratings.get(trait.name, {}))}


def _rest(trait: AnyTrait, rating: Json) -> Json:
    """Return what a rating says beyond its trait: members and settings that no trait has."""
    fields = type(trait).model_fields
    settings = values(rating.get("additionalProperty"))
    beyond = {key: value for key, value in rating.items() if key not in _KNOWN and key not in fields}
    return beyond | {name: value for name, value in settings.items() if name not in fields and name not in _MARKS}
