"""A look at the objects of a canonical tree: whether what stands there surely satisfies all shapes.

The tree tells what the graph would say about usual objects, so that no graph is needed. Whatever it does not tell for
certain is in doubt: a value that is read as another one, a key that JSON-LD alone can resolve, an array where one value
is usual. Objects of one layout are looked at together (`sorts`); their layout is held against the shapes once
(`plans`), each distinct value once. Nothing is remembered beyond one look.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from checkpoint_ld.constraints.values import OBJECT
from checkpoint_ld.graph import naming
from checkpoint_ld.graph.compaction import POSITION
from checkpoint_ld.graph.expansion import IDENTIFIER
from checkpoint_ld.graph.plans import NotCoveredError, Reading
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.roles import ARRAYS, KEYS
from checkpoint_ld.validation.near import USUAL, Near, term_of
from checkpoint_ld.validation.plans import Members
from checkpoint_ld.validation.sorts import Sort, flat, grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.plans import KeyPlan
    from checkpoint_ld.graph.plans import Plan as Meaning
    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.plans import Plan, Planner, Relation, Slot
    from checkpoint_ld.validation.screen import Screened

Tree = dict[str, Any]

_TEXTS = frozenset({str})
_LISTS = frozenset({list})
_OBJECTS = frozenset({dict})
_NOTHING: frozenset[type] = frozenset()
_NO_CONTAINERS = frozenset((str, int, float, bool, type(None)))
_AS_WRITTEN = frozenset({Reading.PLAIN, Reading.PROPERTY})
"""Readings to which a text is simply a literal."""

_USUAL_ID = re.compile(r"urn:uuid:[A-Za-z0-9-]+")
_OURS = ("karenina:", "urn:karenina:")
"""Beginnings of identifiers that may be names of something else."""

_EMPTY, _AS_IS, _REORDERED = "empty", "as is", "reordered"
"""What statements say of an array: nothing, all of it, or all but order and repetition. No rule is about the rest."""


class Look:
    """One look at objects of a tree. `doubtful` are the owners of those that do not surely satisfy all shapes.

    `identifiers` are the objects' own ones, with their owners, and the names that they give.
    """

    def __init__(self, planner: Planner) -> None:
        self.doubtful: set[int] = set()
        self.identifiers: list[tuple[str, str, int]] = []
        self._planner = planner
        self._plans = planner.plans

    def sorts(
        self, place: Place, via: KeyPlan | None, around: Meaning | None, objects: Sequence[Any], owners: Sequence[int]
    ) -> Iterator[Sort]:
        """Yield the sorts of objects that are values of `via`; those that are not as usual are in doubt."""
        if set(map(type, objects)) != _OBJECTS:
            rows = self._usual_rows(objects, owners, _OBJECTS)
            objects, owners = [objects[row] for row in rows], [owners[row] for row in rows]
        meaning = self._plans.at(place.type, None if via is None else via.term, around)
        for keys, rows in _grouped_by(list(map(tuple, objects))):
            these, of = (objects, owners) if rows is None else _chosen(objects, owners, rows)
            try:
                known = dict(zip(keys, meaning.members(keys), strict=True))
            except NotCoveredError:
                self.doubtful.update(of)
                continue
            these, of = self._usual(place, known, these, of)
            if these:
                yield from self._variants(place, meaning, known, (these, of), is_listed=via is not None and via.is_set)

    def _usual(
        self, place: Place, known: dict[str, KeyPlan | None], objects: Sequence[Tree], owners: Sequence[int]
    ) -> tuple[Sequence[Tree], Sequence[int]]:
        """Return the objects that have the type of their place and values that are read as they stand."""
        kinds = [one.get("@type") for one in objects]
        odd: set[int] = set()
        if kinds.count(place.type) < len(kinds):
            odd.update(row for row, kind in enumerate(kinds) if kind != place.type)
        for key, plan in known.items():
            if key != "@type":
                values = [one[key] for one in objects]
                usual = _TEXTS if plan is None else _usual_types(plan, place)
                if not usual.issuperset(map(type, values)):
                    odd.update(row for row, value in enumerate(values) if type(value) not in usual)
                elif plan is not None and plan.reading is Reading.NAME:
                    odd.update(row for row, value in enumerate(values) if not self._is_name(value))
                elif plan is None:
                    odd.update(row for row, value in enumerate(values) if value.startswith(_OURS))
                elif usual is _LISTS and plan.predicate not in place.by_predicate:
                    if not _TEXTS.issuperset(map(type, chain.from_iterable(values))):
                        odd.update(row for row, value in enumerate(values) if not _TEXTS.issuperset(map(type, value)))
        if not odd:
            return objects, owners
        self.doubtful.update(owners[row] for row in odd)
        return _chosen(objects, owners, [row for row in range(len(objects)) if row not in odd])

    def _variants(
        self,
        place: Place,
        meaning: Meaning,
        known: dict[str, KeyPlan | None],
        placed: tuple[Sequence[Tree], Sequence[int]],
        *,
        is_listed: bool,
    ) -> Iterator[Sort]:
        """Yield objects with the same keys, by what else their statements tell."""
        objects, owners = placed
        lists = {key: one.predicate in place.by_predicate for key, one in known.items() if one and one.is_set}
        codes: list[Sequence[object]] = [
            [_AS_IS if one[key] else _EMPTY for one in objects] if is_part else [_code(one[key]) for one in objects]
            for key, is_part in lists.items()
        ]
        if "@id" in known:
            codes.append(self._named([one["@id"] for one in objects], owners))
        for code, rows in _grouped_by(list(zip(*codes, strict=True))) if codes else (((), None),):
            these, of = (objects, owners) if rows is None else _chosen(objects, owners, rows)
            told = dict(zip(lists, code, strict=False))
            by_key = {key: one for key, one in known.items() if one is not None and told.get(key) != _EMPTY}
            also = (
                *((IDENTIFIER,) if "@id" in known and not code[-1] else ()),
                *((POSITION,) if "@id" in known and is_listed else ()),
                *((RESIDUE,) if set(told.values()) - {_AS_IS} else ()),
            )
            pattern = self._planner.pattern(place, Members(meaning, by_key, also))
            yield Sort(meaning, by_key, pattern, these, of, {})

    def _named(self, identifiers: list[str], owners: Sequence[int]) -> list[bool]:
        """Note objects' own identifiers; tell of each whether it is the name of its object as it stands."""
        names = [one if _USUAL_ID.fullmatch(one) else naming.iri_of(one) for one in identifiers]
        self.identifiers += zip(identifiers, names, owners, strict=True)
        return [name == one for name, one in zip(names, identifiers, strict=True)]

    def parts(self, sort: Sort, key: str, place: Place) -> Iterator[Sort]:
        """Yield the sorts of the objects in a member, if there is such a member."""
        known = sort.by_key.get(key)
        if known is not None:
            objects: Sequence[Any] = sort.column(key)
            owners = sort.owners
            if known.is_set:
                objects, owners = flat(objects, owners)
            yield from self.sorts(place, known, sort.meaning, objects, owners)

    def simple(self, sort: Sort) -> None:
        """Look at objects from which nothing else follows."""
        self.at(sort, sort.pattern.plan({}))

    def at(self, sort: Sort, plan: Plan | None, same: frozenset[Node] = frozenset()) -> None:
        """Look at the values of objects, all of which have the same ones for the properties `same`.

        Without a plan all of them are in doubt.
        """
        if plan is None:
            self.doubtful.update(sort.owners)
            return
        for key, slot in plan.own.items():
            known = sort.by_key.get(key)
            if known is not None and known.is_set:
                self._arrays(sort, key, slot)
            elif slot.terms or slot.forms:
                if not slot.is_part:
                    self._judge(sort.column(key), sort.owners, slot, Reading.PLAIN if known is None else known.reading)
        for name, slot in plan.derived.items():
            if slot.terms or slot.forms:
                self._judge(sort.derived(name), sort.owners, slot, Reading.PROPERTY)
        for relation in plan.relations:
            if not relation.values and relation.shape.is_vacuous:
                continue
            if relation.shape.looks_at is not None and relation.shape.looks_at <= same:
                if self._unrelated(sort.narrowed([0]), plan, relation):
                    self.doubtful.update(sort.owners)
            else:
                self.doubtful.update(self._unrelated(sort, plan, relation))

    def _arrays(self, sort: Sort, key: str, slot: Slot) -> None:
        if slot.single:
            self.doubtful.update(sort.owners)
        elif not slot.is_part:
            self._judge(*flat(sort.column(key), sort.owners), slot, Reading.PLAIN)

    def _judge(self, values: Sequence[Any], owners: Sequence[int], slot: Slot, reading: Reading) -> None:
        """Look at the values of one property, each by itself."""
        if _TEXTS.issuperset(map(type, values)) and (reading in _AS_WRITTEN or not slot.terms):
            if slot.texts or slot.forms:
                bad = _failing(set(values), slot)
                if bad:
                    self.doubtful.update(owner for value, owner in zip(values, owners, strict=True) if value in bad)
            return
        seen: dict[object, bool] = {}
        for value, owner in zip(values, owners, strict=True):
            key = (type(value), value) if type(value) in _NO_CONTAINERS else id(value)
            passes = seen.get(key)
            if passes is None:
                passes = seen[key] = self._passes(value, slot, reading)
            if not passes:
                self.doubtful.add(owner)

    def _passes(self, value: Any, slot: Slot, reading: Reading) -> bool:
        if slot.terms:
            term = term_of(value, reading, self._plans)
            if not all(holds(term) for holds in slot.terms):
                return False
        return all(fault(OBJECT if reading is Reading.NAME else value) is None for fault in slot.forms)

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

    def _is_name(self, text: str) -> bool:
        """Tell whether a name of the vocabulary is written back as it stands."""
        try:
            return self._plans.name(text)[1]
        except NotCoveredError:
            return False

    def _usual_rows(self, values: Sequence[Any], owners: Sequence[int], usual: frozenset[type]) -> list[int]:
        """Return the rows of values of usual types; the owners of others are in doubt."""
        self.doubtful.update(owner for value, owner in zip(values, owners, strict=True) if type(value) not in usual)
        return [row for row, value in enumerate(values) if type(value) in usual]


def _usual_types(known: KeyPlan, place: Place) -> frozenset[type]:
    """Return the types that values of a member have where they are read as they stand."""
    is_part = known.predicate in place.by_predicate
    if known.is_set:
        is_usual = known.key in ARRAYS and known.key in KEYS.get(place.role, ())
        return _LISTS if is_usual and (is_part or known.reading is Reading.PLAIN) else _NOTHING
    if known.container is not None or (is_part and not known.has_objects):
        return _NOTHING
    return _OBJECTS if is_part else USUAL.get(known.reading, _NOTHING)


def _code(texts: list[str]) -> str:
    """Tell what statements say of an array of texts."""
    if not texts:
        return _EMPTY
    return _AS_IS if sorted(texts) == texts and len(set(texts)) == len(texts) else _REORDERED


def _failing(texts: Iterable[str], slot: Slot) -> set[str]:
    """Return the texts that do not surely satisfy what is asked of them."""
    found: set[str] = set()
    for holds in slot.texts:
        if not all(map(holds, texts)):
            found.update(text for text in texts if not holds(text))
    forms = slot.forms
    for text in texts if forms else ():
        for fault in forms:
            if fault(text) is not None:
                found.add(text)
                break
    return found


def _grouped_by(keys: list[Any]) -> Iterable[tuple[Any, list[int] | None]]:
    """Return the distinct keys and the rows that have them, None for all rows."""
    return ((keys[0], None),) if keys and len(set(keys)) == 1 else grouped(keys).items()


def _chosen(objects: Sequence[Tree], owners: Sequence[int], rows: Iterable[int]) -> tuple[list[Tree], list[int]]:
    rows = list(rows)
    return [objects[row] for row in rows], [owners[row] for row in rows]
