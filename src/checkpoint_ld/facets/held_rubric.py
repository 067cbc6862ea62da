"""A rubric as the graph holds it, to change: the ratings of the benchmark or of a question that are its traits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from checkpoint_ld.documents.dumping import dump_json
from checkpoint_ld.documents.limits import inside
from checkpoint_ld.entities import DynamicRubric, Rubric
from checkpoint_ld.errors import ReadError
from checkpoint_ld.facets.rubric_checks import refuse_problems, refuse_taken, required_traits
from checkpoint_ld.graph.literals import same
from checkpoint_ld.mapping.older_traits import members_without, older_ratings
from checkpoint_ld.mapping.properties import text_of
from checkpoint_ld.mapping.rubrics import Traits, collected
from checkpoint_ld.mapping.traits import (
    family_of,
    is_dynamic,
    is_of_kind,
    is_static,
    rating_of,
    trait_of,
    updated_rating,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rdflib.term import Node

    from checkpoint_ld.entities import AnyTrait
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

Json = dict[str, Any]

_MEMBER = "rating"
_BULK = (_MEMBER, "hasPart", "dataFeedElement")


@dataclass(frozen=True)
class HeldRubric(Generic[Traits]):
    """The traits of one rubric below the node `holder`.

    What changes something raises WriteError, having changed nothing, for traits that an author may not write, and
    WrongTypeError for what is none; oddities that were there before may stay. Other ratings stay as they are, and so
    does what a rating says beyond its trait. Traits in the places of older files move into ratings.
    """

    graph: CheckpointGraph
    holder: Node
    scope: str
    model: type[Traits]

    def add(self, trait: AnyTrait) -> None:
        """Add a trait at the end."""
        refuse_problems(self._collected([trait]))
        refuse_taken(trait.name, self._names())
        rating = self._made(trait)
        self._move_older()
        self.graph.append(self.holder, _MEMBER, rating)

    def replace(self, rubric: Traits | Sequence[AnyTrait]) -> None:
        """Hold the traits of `rubric` and no others, in their order."""
        given = rubric.traits() if isinstance(rubric, Rubric | DynamicRubric) else rubric
        wanted = list(self._collected(given).traits())
        refuse_problems(self._collected(wanted), self._current())
        made = [self._made(trait) for trait in wanted]
        self._move_older()
        nodes = self._nodes()
        old = [self.graph.read(node) for node in nodes]
        counterparts = _counterparts(wanted, [self._name(node) for node in nodes])
        for index, at in enumerate(counterparts):
            if at is not None:
                made[index] = self._updated(old[at], wanted[index])
        # Where the order is another, nothing stays in its place: all ratings are added again, as they are.
        kept = set(counterparts) if _in_order(wanted, counterparts) else {None}
        for index, at in enumerate(counterparts):
            if at is not None and at in kept:
                self._rewrite(nodes[at], old[at], made[index])
        self._discard(node for at, node in enumerate(nodes) if at not in kept)
        for at, rating in zip(counterparts, made, strict=True):
            if at is None or at not in kept:
                self.graph.append(self.holder, _MEMBER, rating)

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
        first, *others = self._called(name)
        old = self.graph.read(first)
        rating = self._updated(old, trait)
        if is_of_kind(old, trait):
            self._rewrite(first, old, rating)
        else:
            self._discard([first])
            self.graph.append(self.holder, _MEMBER, rating)
        self._discard(others)
        return True

    def remove(self, name: str) -> bool:
        """Take out what is called `name`; return whether there was such a trait."""
        if name not in self._names():
            return False
        self._move_older()
        self._discard(self._called(name))
        return True

    def clear(self) -> bool:
        """Take all traits out; return whether there were any."""
        if not self._names():
            return False
        self._move_older()
        self._discard(self._nodes())
        return True

    def _nodes(self) -> list[Node]:
        is_meant = self._is_static if self.model is Rubric else self._is_dynamic
        nodes = self.graph.member(self.holder, _MEMBER)
        return [node for node in nodes if node in self.graph.held and is_meant(node)]

    def _is_static(self, node: Node) -> bool:
        return is_static({"additionalType": self.graph.plain(node, "additionalType")})

    def _is_dynamic(self, node: Node) -> bool:
        if not is_dynamic({"additionalType": self.graph.plain(node, "additionalType")}):
            return False
        try:
            return trait_of(self.graph.read(node)) is not None  # None: of a kind that nobody knows, so it stays
        except ReadError:
            return True

    def _called(self, name: str) -> list[Node]:
        return [node for node in self._nodes() if self._name(node) == name]

    def _name(self, node: Node) -> str:
        return text_of(self.graph.plain(node, "name"))

    def _names(self) -> list[str]:
        return [*map(self._name, self._nodes()), *(text_of(rating.get("name")) for rating in self._older())]

    def _current(self) -> Traits | None:
        try:
            ratings = [*map(self.graph.read, self._nodes()), *self._older()]
            return self._collected(trait for rating in ratings if (trait := trait_of(rating)) is not None)
        except ReadError:
            return None

    def _older(self) -> list[Json]:
        """Return the ratings for traits that stand in the places of older files; dynamic ones never did."""
        return self._moving()[0] if self.model is Rubric else []

    def _moving(self) -> tuple[list[Json], Json]:
        """Return those ratings, and the members of the holder that change when the traits move into them."""
        told = self.graph.read(self.holder, without=_BULK)
        changed = members_without(told)
        if not changed:
            return [], {}
        return older_ratings({**told, _MEMBER: [self.graph.read(one) for one in self._nodes()]}, self.scope), changed

    def _move_older(self) -> None:
        if self.model is not Rubric:
            return
        ratings, changed = self._moving()
        for rating in ratings:
            self.graph.append(self.holder, _MEMBER, rating)
        for key, value in changed.items():
            self.graph.replace(self.holder, key, value)

    def _collected(self, traits: Iterable[AnyTrait]) -> Traits:
        return collected(self.model, required_traits(traits))

    def _made(self, trait: AnyTrait) -> Json:
        rating = rating_of(trait, self.scope, dynamic=self.model is DynamicRubric)
        dump_json(rating, limits=inside(5))
        return rating

    def _updated(self, rating: Json, trait: AnyTrait) -> Json:
        return updated_rating(rating, trait, self.scope, dynamic=self.model is DynamicRubric)

    def _rewrite(self, node: Node, old: Json, new: Json) -> None:
        for key in {**old, **new}:
            if key not in new or key not in old or not same(old[key], new[key]):
                self.graph.replace(node, key, new.get(key))

    def _discard(self, nodes: Iterable[Node]) -> None:
        gone = list(nodes)
        for node in gone:
            self.graph.discard(self.holder, _MEMBER, node)
        if gone and not self.graph.member(self.holder, _MEMBER):
            self.graph.replace(self.holder, _MEMBER, None)


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
