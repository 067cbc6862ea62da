"""Rubrics of a benchmark: their faults, their counts, and edits of the ratings that hold their traits.

`HeldRubric` edits the ratings of one JSON object, the root or a question, for the methods of `Benchmark`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from checkpoint_ld.benchmark.editing import put_members
from checkpoint_ld.dialects.dialect import as_list, text_of
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.documents.values import inside
from checkpoint_ld.entities import DynamicRubric, Rubric
from checkpoint_ld.entities.rubric import conflicts
from checkpoint_ld.entities.traits import ScoredTrait
from checkpoint_ld.errors import ReadError, WriteError, WrongTypeError
from checkpoint_ld.findings import Severity
from checkpoint_ld.mapping.traits import (
    FAMILIES,
    Traits,
    checked_copy,
    collected,
    family_of,
    is_dynamic,
    is_of_kind,
    is_static,
    members_without,
    older_ratings,
    rating_of,
    trait_of,
    updated_rating,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.entities import AnyTrait

Json = dict[str, Any]

_MEMBER = "rating"


def rubric_faults(rubric: Rubric | DynamicRubric | None) -> Iterator[tuple[str, str]]:
    """Yield the faults that make a rubric unusable, each with the name of the trait and a remedy."""
    if rubric is None:
        return
    for found in rubric.all_problems():
        if found.severity >= Severity.WARNING:
            yield found.subject, f"{found.message}; {found.remedy}"
    for trait in rubric.traits():
        if not trait.description and not isinstance(rubric, DynamicRubric):
            yield trait.name, f"trait {trait.name!r}: no description; say what it is about"
        if isinstance(trait, ScoredTrait) and trait.kind == "score" and None in (trait.min_score, trait.max_score):
            yield trait.name, f"trait {trait.name!r}: a score without both bounds; set min_score and max_score"


def merge_faults(general: Rubric | DynamicRubric | None, own: Rubric | DynamicRubric | None) -> Iterator[str]:
    """Yield the reasons why the rubric of a question cannot be merged with that of the benchmark."""
    if general is not None and own is not None:
        for name in conflicts(general, own):
            yield f"the benchmark has a trait of the name too: {name}; rename or remove one of the two"


def counts_of(rubrics: Iterable[Rubric | DynamicRubric | None]) -> dict[str, Any]:
    """Return the numbers of rubrics, of their traits, and of traits of each kind."""
    there = [rubric for rubric in rubrics if rubric is not None]
    kinds = Counter(family_of(trait) for rubric in there for trait in rubric.traits())
    return {"rubrics": len(there), "traits": kinds.total(), "by_kind": {family: kinds[family] for family in FAMILIES}}


@dataclass(frozen=True)
class HeldRubric(Generic[Traits]):
    """The traits of one rubric in the object `holder`, which is edited; discard it if an edit raises.

    An edit raises WriteError for traits that break a rule, unless they broke it before, and WrongTypeError for other
    objects. Other ratings stay as they are, and so do members of a rating that do not belong to its trait. Traits in
    the places of older files are moved into ratings; dynamic traits are in no older files.
    """

    holder: Json
    scope: str
    model: type[Traits]

    def __post_init__(self) -> None:
        without = {} if self._is_of_dynamic else members_without(self.holder)
        if without:
            older: list[Json] = older_ratings(self.holder, self.scope)
            put_members(self.holder, without)
            self._hold([*as_list(self.holder.get(_MEMBER)), *older])

    def add(self, trait: AnyTrait) -> None:
        """Add a trait at the end."""
        self._refuse([trait], None)
        self._refuse_taken(trait.name, map(_name, self._ratings()))
        self._put({}, [self._made(trait)])

    def replace(self, rubric: Traits | Sequence[AnyTrait]) -> None:
        """Hold the traits of `rubric` and no others, in their order."""
        if isinstance(rubric, Rubric | DynamicRubric) and not isinstance(rubric, self.model):
            kind, wanted_kind = type(rubric).__name__, self.model.__name__
            raise WrongTypeError(f"the rubric is of type {kind}: give {wanted_kind}")
        given: Iterable[AnyTrait] = rubric.traits() if isinstance(rubric, Rubric | DynamicRubric) else rubric
        wanted: list[AnyTrait] = [*self._collected(given).traits()]
        self._refuse(wanted, self._current())
        old = self._ratings()
        free: dict[str, list[Json]] = {}
        for rating in old:
            free.setdefault(_name(rating), []).append(rating)
        kept: list[Json | None] = [free[trait.name].pop(0) if free.get(trait.name) else None for trait in wanted]
        made = [
            self._made(trait) if rating is None else self._updated(rating, trait)
            for trait, rating in zip(wanted, kept, strict=True)
        ]
        if not _in_order(wanted, kept, old):
            kept = [None] * len(wanted)  # all ratings are added again, as they are
        changes: dict[int, Json | None] = {id(rating): None for rating in old}
        changes |= {id(rating): new for rating, new in zip(kept, made, strict=True) if rating is not None}
        self._put(changes, [new for rating, new in zip(kept, made, strict=True) if rating is None])

    def update(self, name: str, trait: AnyTrait) -> bool:
        """Replace the trait `name` by `trait`; return whether there was such a trait.

        A trait of another kind moves to the end of its kind.
        """
        meant = [rating for rating in self._ratings() if _name(rating) == name]
        if not meant:
            return False
        self._refuse([trait], self._current())
        self._refuse_taken(trait.name, {*map(_name, self._ratings())} - {name})
        rating, stays = self._updated(meant[0], trait), is_of_kind(meant[0], trait)
        self._put({**dict.fromkeys(map(id, meant)), id(meant[0]): rating if stays else None}, [] if stays else [rating])
        return True

    def remove(self, name: str) -> bool:
        """Remove the trait `name`; return whether there was such a trait."""
        return self._take_out([rating for rating in self._ratings() if _name(rating) == name])

    def clear(self) -> bool:
        """Remove all traits; return whether there were any."""
        return self._take_out(self._ratings())

    def _take_out(self, ratings: list[Json]) -> bool:
        self._put(dict.fromkeys(map(id, ratings)), [])
        return bool(ratings)

    def _put(self, changes: Mapping[int, Json | None], added: list[Json]) -> None:
        """Replace or remove ratings, given by identity, and add others at the end."""
        ratings: list[Any] = as_list(self.holder.get(_MEMBER))
        self._hold([*(new for rating in ratings if (new := changes.get(id(rating), rating)) is not None), *added])

    def _hold(self, ratings: list[Any]) -> None:
        put_members(self.holder, {_MEMBER: ratings or None})

    @property
    def _is_of_dynamic(self) -> bool:
        return self.model is DynamicRubric

    def _ratings(self) -> list[Json]:
        is_meant = _is_dynamic_trait if self._is_of_dynamic else is_static
        return [rating for rating in as_list(self.holder.get(_MEMBER)) if is_meant(rating)]

    def _current(self) -> Traits | None:
        try:
            return self._collected(trait for rating in self._ratings() if (trait := trait_of(rating)) is not None)
        except ReadError:
            return None

    def _collected(self, given: Iterable[AnyTrait]) -> Traits:
        found = list(given)
        for trait in found:
            if not isinstance(trait, tuple(FAMILIES.values())):
                kind = type(trait).__name__
                raise WrongTypeError(f"the trait is of type {kind}: give one of the traits of checkpoint_ld.entities")
        return collected(self.model, map(checked_copy, found))

    def _refuse(self, given: Sequence[AnyTrait], current: Traits | None) -> None:
        """Raise WriteError for invalid traits, unless the `current` rubric has the same fault already."""
        known = current.all_problems() if current is not None else ()
        problems = self._collected(given).all_problems()
        refused = [problem for problem in problems if problem.severity >= Severity.WARNING and problem not in known]
        if refused:
            raise WriteError("; ".join(f"{problem.message} ({problem.remedy})" for problem in refused))

    @staticmethod
    def _refuse_taken(name: str, taken: Iterable[str]) -> None:
        if name in taken:
            raise WriteError(f"there is a trait {name!r} already: give another name, or update that trait")

    def _made(self, trait: AnyTrait) -> Json:
        rating = rating_of(trait, self.scope, dynamic=self._is_of_dynamic)
        dump_json(rating, limits=inside(5))
        return rating

    def _updated(self, rating: Json, trait: AnyTrait) -> Json:
        self._made(trait)
        return updated_rating(rating, trait, self.scope, dynamic=self._is_of_dynamic)


def _name(rating: Json) -> str:
    return text_of(rating.get("name"))


def _is_dynamic_trait(rating: Any) -> bool:
    if not is_dynamic(rating):
        return False
    try:
        return trait_of(rating) is not None  # None is for an unknown kind, which stays
    except ReadError:
        return True


def _in_order(wanted: list[AnyTrait], kept: list[Json | None], old: list[Json]) -> bool:
    """Return whether traits of each kind are in the wanted order if kept ones stay and new ones follow them."""
    places = {id(rating): place for place, rating in enumerate(old)}
    by_kind: dict[str, list[int]] = {}
    for trait, rating in zip(wanted, kept, strict=True):
        by_kind.setdefault(family_of(trait), []).append(len(old) if rating is None else places[id(rating)])
    return all(found == sorted(found) for found in by_kind.values())
