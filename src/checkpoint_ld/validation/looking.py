"""A look at the objects of a canonical tree: whether what stands there surely satisfies all shapes.

The tree tells what the graph would say about usual objects, so that no graph is needed. Whatever it does not tell for
certain is in doubt: a value that is read as another one, a key that JSON-LD alone can resolve, an array where one value
is usual. Objects of one layout are looked at together (`sorts`); their layout is held against the shapes once
(`plans`), each distinct value once (`judging`). Nothing is remembered beyond one look.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from checkpoint_ld.graph import naming
from checkpoint_ld.graph.compaction import POSITION
from checkpoint_ld.graph.expansion import IDENTIFIER
from checkpoint_ld.graph.plans import NotCoveredError, Reading
from checkpoint_ld.roles import ARRAYS, KEYS
from checkpoint_ld.validation.judging import Waiting
from checkpoint_ld.validation.near import USUAL, Near
from checkpoint_ld.validation.plans import Members
from checkpoint_ld.validation.sorts import Sort, chosen, column, flat, grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.plans import KeyPlan
    from checkpoint_ld.graph.plans import Plan as Meaning
    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.plans import Plan, Planner, Relation
    from checkpoint_ld.validation.screen import Screened
    from checkpoint_ld.validation.sorts import Owned

Known = dict[str, "KeyPlan | None"]

_TEXTS = frozenset({str})
_LISTS = frozenset({list})
_OBJECTS = frozenset({dict})
_NOTHING: frozenset[type] = frozenset()
_NO_CONTAINERS = frozenset((str, int, float, bool, type(None)))

_USUAL_ID = re.compile(r"urn:uuid:[A-Za-z0-9-]+")
_OURS = ("karenina:", "urn:karenina:")
"""Beginnings of identifiers that may be names of something else."""


class Look:
    """One look at objects of a tree. `doubtful` are the owners of those that do not surely satisfy all shapes.

    `identifiers` are the objects' own ones, the names that they give, and the owners.
    """

    def __init__(self, planner: Planner) -> None:
        self.doubtful: set[int] = set()
        self.identifiers: list[tuple[str, str, int]] = []
        self._planner = planner
        self._plans = planner.plans
        self._waiting = Waiting(planner.plans)

    def sorts(self, place: Place, via: KeyPlan | None, around: Meaning | None, owned: Owned) -> Iterator[Sort]:
        """Yield the sorts of objects that are values of `via`; those that are not as usual are in doubt."""
        if not _OBJECTS.issuperset(map(type, owned[0])):
            owned = self._sifted(owned, {row for row, one in enumerate(owned[0]) if type(one) is not dict})
        meaning = self._plans.at(place.type, None if via is None else via.term, around)
        is_listed = via is not None and via.is_set
        for keys, rows in grouped(list(map(tuple, owned[0]))):
            alike = owned if len(rows) == len(owned[0]) else chosen(owned, rows)
            try:
                known: Known = dict(zip(keys, meaning.members(keys), strict=True))
            except NotCoveredError:
                self.doubtful.update(alike[1])
                continue
            columns = {key: column(alike[0], key) for key in keys}
            odd = self._odd_rows(place, known, columns)
            if odd:
                alike = self._sifted(alike, odd)
                columns = {key: column(alike[0], key) for key in keys}
            if alike[0]:
                yield from self._variants(place, meaning, known, alike, columns, is_listed=is_listed)

    def _odd_rows(self, place: Place, known: Known, columns: Mapping[str, list[Any]]) -> set[int]:
        """Return the rows of objects of another type, or with values that are not read as they stand."""
        if "@type" not in known:
            return set(range(max(map(len, columns.values()), default=0)))
        odd: set[int] = set()
        for key, values in columns.items():
            plan = known[key]
            if key == "@type":
                if values.count(place.type) < len(values):
                    odd.update(row for row, kind in enumerate(values) if kind != place.type)
                continue
            usual = _TEXTS if plan is None else _usual_types(plan, place)
            if not usual.issuperset(map(type, values)):
                odd.update(row for row, value in enumerate(values) if type(value) not in usual)
            elif plan is None:
                odd.update(row for row, value in enumerate(values) if value.startswith(_OURS))
            elif plan.reading is Reading.NAME:
                bad = {name for name in set(values) if not self._is_name(name)}
                odd.update(row for row, name in enumerate(values) if name in bad)
            elif plan.is_set and plan.predicate not in place.by_predicate:
                odd.update(row for row, value in enumerate(values) if not _TEXTS.issuperset(map(type, value)))
        return odd

    def _variants(  # noqa: PLR0913 - what is known of the objects so far
        self,
        place: Place,
        meaning: Meaning,
        known: Known,
        owned: Owned,
        columns: Mapping[str, list[Any]],
        *,
        is_listed: bool,
    ) -> Iterator[Sort]:
        """Yield objects with the same keys by which of their arrays are empty, and whether their names are as written.

        The statements tell nothing of an empty array. In which order texts stand in one, and how often, they tell apart
        from everything else, and no rule is about it (which the planner makes sure of).
        """
        codes = {key: list(map(bool, columns[key])) for key, one in known.items() if one is not None and one.is_set}
        if "@id" in known:
            codes["@id"] = self._named(columns["@id"], owned[1])
        rows_by_code: Iterable[tuple[tuple[bool, ...], Sequence[int]]] = (((), range(len(owned[0]))),)
        if not all(map(all, codes.values())):
            rows_by_code = grouped(list(zip(*codes.values(), strict=True)))
        for code, rows in rows_by_code:
            lacking = {key for key, holds in zip(codes, code, strict=False) if not holds}
            by_key = {key: one for key, one in known.items() if one is not None and key not in lacking}
            also: tuple[Node, ...] = (IDENTIFIER,) if "@id" in lacking else ()
            if "@id" in known and is_listed:
                also = (*also, POSITION)
            pattern = self._planner.pattern(place, Members(meaning, by_key, also))
            yield Sort(meaning, by_key, pattern, owned if len(rows) == len(owned[0]) else chosen(owned, rows))

    def _named(self, identifiers: Sequence[str], owners: Sequence[int]) -> list[bool]:
        """Note objects' own identifiers; tell of each whether it is the name of its object as it stands."""
        names = [one if _USUAL_ID.fullmatch(one) else naming.iri_of(one) for one in identifiers]
        self.identifiers += zip(identifiers, names, owners, strict=True)
        return [name == one for name, one in zip(names, identifiers, strict=True)]

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
            owned = [(one.column(key), one.owners) for one in there]
            if known.is_set:
                owned = [flat(*one) for one in owned]
            values, owners = (list(chain.from_iterable(one)) for one in zip(*owned, strict=True))
            yield from self.sorts(place, known, there[0].meaning, (values, owners))

    def simple(self, sorts: Iterable[Sort]) -> None:
        """Look at objects from which nothing else follows."""
        for sort in sorts:
            self.at(sort, sort.pattern.plan({}))

    def at(self, sort: Sort, plan: Plan | None, same: frozenset[Node] = frozenset()) -> None:
        """Look at the values of objects, all of which have the same ones for the properties `same`.

        Without a plan all of them are in doubt.
        """
        if plan is None:
            self.doubtful.update(sort.owners)
            return
        for key, slot in plan.own:
            known = sort.by_key.get(key)
            if known is None or not known.is_set:
                if not slot.is_part:
                    self._waiting.add(sort.column(key), sort.owners, slot, known.reading if known else Reading.PLAIN)
            elif slot.single:
                self.doubtful.update(sort.owners)
            else:
                self._waiting.add(*flat(sort.column(key), sort.owners), slot, Reading.PLAIN)
        for name, slot in plan.derived:
            self._waiting.add(sort.derived(name), sort.owners, slot, Reading.PROPERTY)
        for relation in plan.relations:
            if relation.shape.looks_at is None or not relation.shape.looks_at <= same:
                self.doubtful.update(self._unrelated(sort, plan, relation))
            elif self._unrelated(sort.narrowed([0]), plan, relation):
                self.doubtful.update(sort.owners)

    def _unrelated(self, sort: Sort, plan: Plan, relation: Relation) -> set[int]:
        """Return the owners of objects whose values, looked at together, do not surely satisfy a shape."""
        if relation.pairs is None:
            return set(self._refused(sort, plan, relation.shape))
        found: set[int] = set()
        for spot, holds in relation.pairs:
            others = sort.values(spot)
            if spot.inner is not None and not _NO_CONTAINERS.issuperset(map(type, others)):
                return set(sort.owners)
            for values in map(sort.values, relation.values):
                if not all(map(holds, values, others)):
                    told = zip(values, others, sort.owners, strict=True)
                    found.update(owner for value, other, owner in told if not holds(value, other))
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
        self.doubtful.update(self._waiting.refused())


def _usual_types(known: KeyPlan, place: Place) -> frozenset[type]:
    """Return the types that values of a member have where they are read as they stand."""
    is_part = known.predicate in place.by_predicate
    if known.is_set:
        is_usual = known.key in ARRAYS and known.key in KEYS.get(place.role, ())
        return _LISTS if is_usual and (is_part or known.reading is Reading.PLAIN) else _NOTHING
    if known.container is not None or (is_part and not known.has_objects):
        return _NOTHING
    return _OBJECTS if is_part else USUAL.get(known.reading, _NOTHING)
