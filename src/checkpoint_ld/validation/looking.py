"""A look at the objects of a canonical tree: whether what stands there surely satisfies all shapes.

The tree tells what the graph would say about usual objects, so that no graph is needed. Whatever it does not tell for
certain is in doubt: a value that is read as another one, a key that JSON-LD alone can resolve, an array where one value
is usual. Objects of one layout are looked at together (`sorts`); their layout is held against the shapes once
(`plans`), each distinct value once (`judging`). Nothing is remembered beyond one look.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.graph import naming
from checkpoint_ld.graph.alike import columns_of, grouped, shared_columns
from checkpoint_ld.graph.plans import NotCoveredError, Reading
from checkpoint_ld.validation.judging import Waiting
from checkpoint_ld.validation.kinds import TRAIT
from checkpoint_ld.validation.near import Near
from checkpoint_ld.validation.sorts import Sort, chosen, flat
from checkpoint_ld.validation.usual import CONTAINERS, OBJECTS, TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from rdflib.term import Node

    from checkpoint_ld.graph.alike import Columns
    from checkpoint_ld.graph.plans import KeyPlan
    from checkpoint_ld.graph.plans import Plan as Meaning
    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.plans import Plan, Planner, Relation
    from checkpoint_ld.validation.screen import Screened
    from checkpoint_ld.validation.sorts import Owned
    from checkpoint_ld.validation.usual import Usual

_USUAL_ID = re.compile(r"urn:uuid:[A-Za-z0-9-]+")
_OURS = ("karenina:", "urn:karenina:")
"""Beginnings of identifiers that may be names of something else."""


class Kind(NamedTuple):
    """Objects with the same keys at one kind of place; `is_listed` says that they stand in an array."""

    place: Place
    meaning: Meaning
    usual: Usual
    is_listed: bool


class Same(NamedTuple):
    """The properties for which all objects have the same values, and these, as far as they tell them from others."""

    of: frozenset[Node]
    values: object


_VARIOUS = Same(frozenset(), None)
_MOST = 256
"""So many distinct values are remembered that satisfy the relations of one plan."""


class Look:
    """One look at objects of a tree.

    `doubtful` are the owners of those that do not surely satisfy all shapes, `refused` those of others that surely
    satisfy all but some shapes. `identifiers` are the objects' own ones, the names that they give, and the owners.
    """

    def __init__(self, planner: Planner, no_names: AbstractSet[str]) -> None:
        self.doubtful: set[int] = set()
        self.refused: defaultdict[int, set[Node]] = defaultdict(set)
        self.identifiers: list[tuple[str, str, int]] = []
        self._of_traits: list[str] = []
        self._no_names = no_names
        self._planner = planner
        self._plans = planner.plans
        self._waiting = Waiting(planner.plans)

    def sorts(self, place: Place, via: KeyPlan | None, around: Meaning | None, owned: Owned) -> Iterator[Sort]:
        """Yield the sorts of objects that are values of `via`; those that are not as usual are in doubt."""
        if not OBJECTS.issuperset(map(type, owned[0])):
            owned = self._sifted(owned, {row for row, one in enumerate(owned[0]) if type(one) is not dict})
        meaning = self._plans.at(place.type, None if via is None else via.term, around)
        is_listed = via is not None and via.is_set
        for alike, columns in _by_layout(owned) if owned[0] else ():
            usual = self._planner.usual(place, meaning, tuple(columns))
            if usual is None:
                self.doubtful.update(alike[1])
            else:
                yield from self._variants(
                    Kind(place, meaning, usual, is_listed), *self._as_usual(place, usual, alike, columns)
                )

    def _as_usual(self, place: Place, usual: Usual, owned: Owned, columns: Columns) -> tuple[Owned, Columns]:
        """Return the objects without odd ones, and their members."""
        while odd := self._odd_rows(place, usual, columns):
            owned = self._sifted(owned, odd)
            columns = columns_of(owned[0]) if owned[0] else {key: [] for key in columns}
        return owned, columns

    def _odd_rows(self, place: Place, usual: Usual, columns: Columns) -> set[int]:
        """Return rows of objects of another type, or with values that are not read as they stand.

        There may be more: where some values are of an odd type, nothing else is asked of the others yet.
        """
        odd: set[int] = set()
        kinds = columns["@type"]
        if kinds.count(place.type) < len(kinds):
            odd.update(row for row, kind in enumerate(kinds) if kind != place.type)
        for key, known, types, is_texts in usual.members:
            values = columns[key]
            if not types.issuperset(map(type, values)):
                odd.update(row for row, value in enumerate(values) if type(value) not in types)
            elif known is None:
                odd.update(row for row, value in enumerate(values) if value.startswith(_OURS))
            elif known.reading is Reading.NAME:
                bad = {name for name in set(values) if not self._is_name(name)}
                odd.update(row for row, name in enumerate(values) if name in bad)
            elif is_texts:
                odd.update(row for row, value in enumerate(values) if not TEXTS.issuperset(map(type, value)))
        return odd

    def _variants(self, kind: Kind, owned: Owned, columns: Columns) -> Iterator[Sort]:
        """Yield objects with the same keys by which of their arrays are empty, and whether their names are as written.

        The statements tell nothing of an empty array. In which order texts stand in one, and how often, they tell apart
        from everything else, and no rule is about it (which the planner makes sure of).
        """
        if not owned[0]:
            return
        codes = [list(map(bool, columns[key])) for key in kind.usual.arrays]
        if kind.usual.has_identifier:
            codes.append(self._named(kind.place, columns["@id"], owned[1]))
        if all(map(all, codes)):
            yield self._sort(kind, frozenset(), owned, columns)
            return
        keys = (*kind.usual.arrays, "@id")
        for code, rows in grouped(list(zip(*codes, strict=True))):
            lacking = frozenset(key for key, holds in zip(keys, code, strict=False) if not holds)
            yield self._sort(kind, lacking, chosen(owned, rows), {})

    def _sort(self, kind: Kind, lacking: frozenset[str], owned: Owned, columns: Columns) -> Sort:
        pattern = self._planner.pattern(kind.place, kind.meaning, kind.usual, lacking, is_listed=kind.is_listed)
        return Sort(kind.meaning, pattern, owned, columns)

    def _named(self, place: Place, identifiers: Sequence[str], owners: Sequence[int]) -> list[bool]:
        """Note objects' own identifiers; tell of each whether it is the name of its object as it stands."""
        names = [one if _USUAL_ID.fullmatch(one) else naming.iri_of(one) for one in identifiers]
        self.identifiers += zip(identifiers, names, owners, strict=True)
        if place.role == TRAIT.role:
            self._of_traits += names
        return [name == one and name not in self._no_names for name, one in zip(names, identifiers, strict=True)]

    def shared_by_traits(self) -> frozenset[str]:
        """Return the names that several objects would have, none at all if one of these is no trait."""
        counts = Counter(name for _, name, _ in self.identifiers)
        if len(counts) == len(self.identifiers):
            return frozenset()
        shared = {name for name, count in counts.items() if count > 1}
        of_traits = Counter(self._of_traits)
        return frozenset(shared if all(of_traits[name] == counts[name] for name in shared) else ())

    def _sifted(self, owned: Owned, odd: set[int]) -> Owned:
        """Return all but some odd rows, the owners of which are in doubt."""
        self.doubtful.update(owned[1][row] for row in odd)
        return chosen(owned, [row for row in range(len(owned[0])) if row not in odd])

    def _is_name(self, text: str) -> bool:
        """Tell whether a name of the vocabulary is written back as it stands."""
        try:
            return self._plans.name(text)[1]
        except NotCoveredError:
            return False

    def parts(self, sorts: Iterable[Sort], key: str, place: Place) -> Iterator[Sort]:
        """Yield the sorts of the objects in a member of objects at one kind of place."""
        there = [sort for sort in sorts if key in sort]
        if there:
            known = there[0].by_key[key]
            owned: list[Owned] = [(one.column(key), one.owners) for one in there]
            if known.is_set:
                owned = [flat(one.column(key), one.owners) for one in there]
            values, owners = (list(chain.from_iterable(one)) for one in zip(*owned, strict=True))
            yield from self.sorts(place, known, there[0].meaning, (values, owners))

    def simple(self, sorts: Iterable[Sort]) -> None:
        """Look at objects from which nothing else follows."""
        for sort in sorts:
            self.at(sort, sort.pattern.plan({}))

    def at(self, sort: Sort, plan: Plan | None, same: Same = _VARIOUS) -> None:
        """Look at the values of objects; without a plan all of them are in doubt."""
        if plan is None:
            self.doubtful.update(sort.owners)
            return
        self._waiting.add(sort, plan)
        related = plan.related(same.of)
        for relation in related.of_each:
            self._refuse(self._unrelated(sort, plan, relation), {relation.shape.shape})
        if related.of_all and same.values not in related.known:
            first = sort.narrowed([0])
            broken = {one.shape.shape for one in related.of_all if self._unrelated(first, plan, one)}
            if broken:
                self._refuse(sort.owners, broken)
            elif len(related.known) < _MOST:
                related.known.add(same.values)

    def _refuse(self, owners: Iterable[int], shapes: AbstractSet[Node]) -> None:
        for owner in owners:
            self.refused[owner] |= shapes

    def _unrelated(self, sort: Sort, plan: Plan, relation: Relation) -> set[int]:
        """Return the owners of objects whose values, looked at together, do not surely satisfy a shape."""
        if relation.pairs is None:
            return set(self._refused(sort, plan, relation.shape))
        found: set[int] = set()
        for spot, holds in relation.pairs:
            others = sort.values(spot)
            if spot.inner is not None and not CONTAINERS.isdisjoint(map(type, others)):
                told = zip(others, sort.owners, strict=True)
                found.update(owner for other, owner in told if type(other) in CONTAINERS)
            for values in map(sort.values, relation.values):
                if not all(map(holds, values, others)):
                    pairs = zip(values, others, sort.owners, strict=True)
                    found.update(owner for value, other, owner in pairs if not holds(value, other))
        return found

    def _refused(self, sort: Sort, plan: Plan, shape: Screened) -> Iterator[int]:
        """Ask a shape about each object; yield the owners of those that do not surely satisfy it."""
        for row, owner in enumerate(sort.owners):
            near = Near(sort.narrowed([row]), plan.names, self._plans)
            try:
                values = [term for path in shape.paths for term in near.terms(near.node, path)]
                if not all(holds(near, near.node, values) for holds in shape.related):
                    yield owner
            except (KeyError, NotCoveredError):
                yield owner

    def judge(self) -> None:
        """Judge what was looked at; only now all that is in doubt about single values is."""
        for owner, shapes in self._waiting.refused():
            self.refused[owner] |= shapes


def _by_layout(owned: Owned) -> Iterator[tuple[Owned, Columns]]:
    """Yield one or more objects by their keys, with the values of their members."""
    sizes = grouped(list(map(len, owned[0])))
    for _, rows in sizes:
        some = owned if len(sizes) == 1 else chosen(owned, rows)
        columns = shared_columns(some[0])
        if columns is not None:
            yield some, columns
            continue
        for _, alike in grouped(list(map(tuple, some[0]))):
            found = chosen(some, alike)
            yield found, columns_of(found[0])
