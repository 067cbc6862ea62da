"""Rubrics: the traits of a checkpoint or of a question, those of its ratings and of older places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from checkpoint_ld.entities import LENIENT, DynamicRubric, Rubric
from checkpoint_ld.entities.trait_collection import TRAIT_LISTS
from checkpoint_ld.mapping.older_traits import older_ratings
from checkpoint_ld.mapping.properties import as_list
from checkpoint_ld.mapping.traits import family_of, is_dynamic, is_static, trait_of
from checkpoint_ld.vocabulary import SCOPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from checkpoint_ld.entities import AnyTrait

Json = dict[str, Any]
Traits = TypeVar("Traits", Rubric, DynamicRubric)


def rubric_of(holder: Json) -> Rubric | None:
    """Return the rubric of a root or question object, or None when it has no traits."""
    traits = traits_of(holder)
    return collected(Rubric, traits) if traits else None


def dynamic_rubric_of(holder: Json) -> DynamicRubric | None:
    """Return the dynamic rubric of a root or question object, or None when it has no dynamic traits."""
    traits = dynamic_traits_of(holder)
    return collected(DynamicRubric, traits) if traits else None


def traits_of(holder: Json) -> list[AnyTrait]:
    """Return the traits of a root or question object that are not dynamic.

    Traits in the places of older files (JSON text in a property, a plain member of the root) are read too; of two
    traits of one name in different places the rating counts. Raises ReadError for a trait that breaks a rule which no
    file may break.
    """
    return _traits([*_ratings(holder, is_static), *older_ratings(holder, SCOPES[0])])


def dynamic_traits_of(holder: Json) -> list[AnyTrait]:
    """Return the dynamic traits of a root or question object. Raises ReadError as `traits_of`."""
    return _traits(_ratings(holder, is_dynamic))


def has_traits(holder: Json) -> bool:
    """Tell whether there are traits that are not dynamic, for which the types of the ratings are enough."""
    return any(map(is_static, as_list(holder.get("rating")))) or bool(older_ratings(holder, SCOPES[0]))


def by_kind(traits: Iterable[AnyTrait]) -> dict[str, list[AnyTrait]] | None:
    """Return the five lists of traits of a rubric, None where there are no traits."""
    lists: dict[str, list[AnyTrait]] = {name: [] for name in TRAIT_LISTS}
    for trait in traits:
        lists[f"{family_of(trait)}_traits"].append(trait)
    return lists if any(lists.values()) else None


def dumped(traits: Iterable[AnyTrait]) -> Json | None:
    """Return traits as a `Question` holds them, as JSON; None where there are none."""
    lists = by_kind(traits)
    return lists and {name: [one.model_dump(mode="json") for one in held] for name, held in lists.items()}


def collected(model: type[Traits], traits: Iterable[AnyTrait]) -> Traits:
    """Return a rubric of `traits`, however odd they are."""
    return model.model_validate(by_kind(traits) or {}, context=LENIENT)


def _ratings(holder: Json, is_meant: Callable[[Any], bool]) -> list[Json]:
    return [rating for rating in as_list(holder.get("rating")) if is_meant(rating)]


def _traits(ratings: list[Json]) -> list[AnyTrait]:
    return [trait for rating in ratings if (trait := trait_of(rating)) is not None]
