"""Rubrics: the traits of a checkpoint or of a question, those of its ratings and of older places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from checkpoint_ld.entities import LENIENT, DynamicRubric, Rubric
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
    """Return the rubric of a root or question object, or None when it has no traits.

    Traits in the places of older files (JSON text in a property, a plain member of the root) are read too; of two
    traits of one name in different places the rating counts.
    """
    return _read(Rubric, [*_ratings(holder, is_static), *older_ratings(holder, SCOPES[0])])


def dynamic_rubric_of(holder: Json) -> DynamicRubric | None:
    """Return the dynamic rubric of a root or question object, or None when it has no dynamic traits."""
    return _read(DynamicRubric, _ratings(holder, is_dynamic))


def collected(model: type[Traits], traits: Iterable[AnyTrait]) -> Traits:
    """Return a rubric of `traits`, however odd they are."""
    lists: dict[str, list[AnyTrait]] = {}
    for trait in traits:
        lists.setdefault(f"{family_of(trait)}_traits", []).append(trait)
    return model.model_validate(lists, context=LENIENT)


def _ratings(holder: Json, is_meant: Callable[[Any], bool]) -> list[Json]:
    return [rating for rating in as_list(holder.get("rating")) if is_meant(rating)]


def _read(model: type[Traits], ratings: list[Json]) -> Traits | None:
    traits = [trait for rating in ratings if (trait := trait_of(rating)) is not None]
    return collected(model, traits) if traits else None
