"""Rubrics: what is wrong with them, how much is in them, and the ratings that are their traits, to change."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.documents.values import inside
from checkpoint_ld.entities import DynamicRubric, Rubric
from checkpoint_ld.entities.rubric import conflicts
from checkpoint_ld.entities.traits import ScoredTrait
from checkpoint_ld.errors import ReadError, WriteError, WrongTypeError
from checkpoint_ld.findings import Severity
from checkpoint_ld.mapping.properties import as_list, text_of
from checkpoint_ld.mapping.traits import (
    FAMILIES,
    Traits,
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
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from checkpoint_ld.entities import AnyTrait


def rubric_faults(rubric: Rubric | DynamicRubric | None) -> Iterator[tuple[str, str]]:
    """Yield what keeps a rubric from being used, each with the name of the trait, and what to do about it."""
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


def refuse_problems(rubric: Rubric | DynamicRubric, current: Rubric | DynamicRubric | None = None) -> None:
    """Raise WriteError for what an author may not write, unless it is odd about the `current` rubric already."""
    known = current.all_problems() if current is not None else ()
    refused = [one for one in rubric.all_problems() if one.severity >= Severity.WARNING and one not in known]
    if refused:
        raise WriteError("; ".join(f"{one.message} ({one.remedy})" for one in refused))


def refuse_taken(name: str, taken: Iterable[str]) -> None:
    """Raise WriteError for the name of a trait that another one has."""
    if name in taken:
        raise WriteError(f"there is a trait {name!r} already: give another name, or update that trait")


def required_traits(given: Iterable[AnyTrait]) -> list[AnyTrait]:
    """Return traits that are given. Raises WrongTypeError for what is none."""
    found = list(given)
    for one in found:
        if not isinstance(one, tuple(FAMILIES.values())):
            raise WrongTypeError(
                f"the trait is of type {type(one).__name__}: give one of the traits of checkpoint_ld.entities"
            )
    return found


def merge_faults(general: Rubric | DynamicRubric | None, own: Rubric | DynamicRubric | None) -> Iterator[str]:
    """Say why the rubric of a question cannot be merged with that of the benchmark."""
    if general is not None and own is not None:
        for name in conflicts(general, own):
            yield f"the benchmark has a trait of the name too: {name}; rename or remove one of the two"


def counts_of(rubrics: Iterable[Rubric | DynamicRubric | None]) -> dict[str, Any]:
    """Return how many rubrics there are, how many traits they have, and how many of each kind."""
    there = [one for one in rubrics if one is not None]
    kinds = Counter(family_of(trait) for one in there for trait in one.traits())
    return {"rubrics": len(there), "traits": kinds.total(), "by_kind": {family: kinds[family] for family in FAMILIES}}


Json = dict[str, Any]

_MEMBER = "rating"


@dataclass(frozen=True)
class HeldRubric(Generic[Traits]):
    """The traits of one rubric in the object `holder`, which is changed.

    What changes something raises WriteError, having changed nothing, for traits that an author may not write, and
    WrongTypeError for what is none; oddities that were there before may stay. Other ratings stay as they are, and so
    does what a rating says beyond its trait. Traits in the places of older files move into ratings.
    """

    holder: Json
    scope: str
    model: type[Traits]

    def add(self, trait: AnyTrait) -> None:
        """Add a trait at the end."""
        refuse_problems(self._collected([trait]))
        refuse_taken(trait.name, self._names())
        rating = self._made(trait)
        self._move_older()
        self._hold([*self._all(), rating])

    def replace(self, rubric: Traits | Sequence[AnyTrait]) -> None:
        """Hold the traits of `rubric` and no others, in their order."""
        given = rubric.traits() if isinstance(rubric, Rubric | DynamicRubric) else rubric
        wanted = list(self._collected(given).traits())
        refuse_problems(self._collected(wanted), self._current())
        made = [self._made(trait) for trait in wanted]
        self._move_older()
        old: list[Json] = self._ratings()
        counterparts = _counterparts(wanted, [*map(_rating_name, old)])
        for index, at in enumerate(counterparts):
            if at is not None:
                made[index] = updated_rating(old[at], wanted[index], self.scope, dynamic=self._is_of_dynamic)
        # Where the order is another, nothing stays in its place: all ratings are added again, as they are.
        kept: list[int | None] = counterparts if _in_order(wanted, counterparts) else [None] * len(wanted)
        changed: dict[int, Json] = {id(old[at]): made[index] for index, at in enumerate(kept) if at is not None}
        others: list[Json] = [made[index] for index, at in enumerate(kept) if at is None]
        gone: set[int] = {id(one) for one in old} - changed.keys()
        self._hold([*(changed.get(id(one), one) for one in self._all() if id(one) not in gone), *others])

    def update(self, name: str, trait: AnyTrait) -> bool:
        """Put `trait` in the place of what is called `name`; return whether there was such a trait.

        One of another kind comes to stand at the end of its kind.
        """
        names = self._names()
        if name not in names:
            return False
        refuse_problems(self._collected([trait]), self._current())
        refuse_taken(trait.name, [one for one in names if one != name])
        self._made(trait)
        self._move_older()
        called: list[Json] = [one for one in self._ratings() if _rating_name(one) == name]
        first: Json = called[0]
        rating = updated_rating(first, trait, self.scope, dynamic=self._is_of_dynamic)
        kept: list[Any] = [one for one in self._all() if not any(one is other for other in called[1:])]
        if is_of_kind(first, trait):
            self._hold([rating if one is first else one for one in kept])
        else:
            self._hold([*(one for one in kept if one is not first), rating])
        return True

    def remove(self, name: str) -> bool:
        """Take out what is called `name`; return whether there was such a trait."""
        return self._take_out(lambda rating: _rating_name(rating) == name) if name in self._names() else False

    def clear(self) -> bool:
        """Take all traits out; return whether there were any."""
        return self._take_out(lambda _: True) if self._names() else False

    def _take_out(self, is_meant: Callable[[Json], bool]) -> bool:
        self._move_older()
        gone = {id(one) for one in self._ratings() if is_meant(one)}
        self._hold([one for one in self._all() if id(one) not in gone])
        return True

    @property
    def _is_of_dynamic(self) -> bool:
        return self.model is DynamicRubric

    def _all(self) -> list[Any]:
        return as_list(self.holder.get(_MEMBER))

    def _hold(self, ratings: list[Any]) -> None:
        self.holder[_MEMBER] = ratings
        if not ratings:
            del self.holder[_MEMBER]

    def _ratings(self) -> list[Json]:
        is_meant = _is_dynamic_trait if self._is_of_dynamic else is_static
        return [one for one in self._all() if is_meant(one)]

    def _names(self) -> list[str]:
        return [*map(_rating_name, self._ratings()), *map(_rating_name, self._older())]

    def _current(self) -> Traits | None:
        try:
            ratings = [*self._ratings(), *self._older()]
            return self._collected(trait for rating in ratings if (trait := trait_of(rating)) is not None)
        except ReadError:
            return None

    def _older(self) -> list[Json]:
        """Return the ratings for traits that stand in the places of older files; dynamic ones never did."""
        if self._is_of_dynamic or not members_without(self.holder):
            return []
        return older_ratings(self.holder, self.scope)

    def _move_older(self) -> None:
        older: list[Json] = self._older()
        if self._is_of_dynamic:
            return
        for key, value in members_without(self.holder).items():
            if value is None:
                self.holder.pop(key, None)
            else:
                self.holder[key] = value
        if older:
            self._hold([*self._all(), *older])

    def _collected(self, traits: Iterable[AnyTrait]) -> Traits:
        return collected(self.model, required_traits(traits))

    def _made(self, trait: AnyTrait) -> Json:
        rating = rating_of(trait, self.scope, dynamic=self._is_of_dynamic)
        dump_json(rating, limits=inside(5))
        return rating


def _rating_name(rating: Json) -> str:
    return text_of(rating.get("name"))


def _is_dynamic_trait(rating: Any) -> bool:
    if not is_dynamic(rating):
        return False
    try:
        return trait_of(rating) is not None  # None: of a kind that nobody knows, so it stays
    except ReadError:
        return True


def _counterparts(wanted: list[AnyTrait], names: list[str]) -> list[int | None]:
    """Return for each trait the place of the rating of its name, each place once; None where there is none."""
    free: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        free.setdefault(name, []).append(at)
    return [free[trait.name].pop(0) if free.get(trait.name) else None for trait in wanted]


def _in_order(wanted: list[AnyTrait], counterparts: list[int | None]) -> bool:
    """Tell whether traits of each kind stand in the wanted order if new ones come after all others."""
    last: dict[str, float] = {}
    for trait, at in zip(wanted, counterparts, strict=True):
        family, place = family_of(trait), float("inf") if at is None else at
        if place < last.get(family, -1):
            return False
        last[family] = place
    return True
