"""Values that wait to be judged: those of which the same is asked are looked at together, each distinct one once."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any

from checkpoint_ld.constraints.forms import unsettled
from checkpoint_ld.constraints.values import OBJECT
from checkpoint_ld.graph.plans import Reading
from checkpoint_ld.validation.near import term_of
from checkpoint_ld.validation.sorts import SETTINGS_KEY, flat
from checkpoint_ld.validation.usual import CONTAINERS, TEXTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.constraints.forms import Form
    from checkpoint_ld.graph.plans import Plans
    from checkpoint_ld.validation.asking import Slot
    from checkpoint_ld.validation.plans import Plan
    from checkpoint_ld.validation.sorts import Sort

_MOST = 256
"""So many good values are remembered for each slot at most: there are few but texts that repeat."""
_AS_WRITTEN = (Reading.PLAIN, Reading.PROPERTY)
"""Readings to which a text is simply a literal."""


_Part = tuple["Sequence[Any]", "Sequence[int]", "frozenset[Node]"]
"""Values, their owners, and the shapes that ask something of them."""


class Waiting:
    """Values with the slots that tell what is asked of each by itself."""

    def __init__(self, plans: Plans) -> None:
        self._plans = plans
        self._waiting: defaultdict[Slot, list[_Part]] = defaultdict(list)

    def add(self, sort: Sort, plan: Plan) -> None:
        """Have the values of objects judged by and by, and what is derived from them."""
        waiting, owners, at = self._waiting, sort.owners, sort.at
        for key, slot, shapes in plan.own:
            waiting[slot].append((sort.column(key), owners, shapes))
        for key, slot, shapes in plan.arrays:
            waiting[slot].append((*flat(sort.column(key), owners), shapes))
        lists = sort.column(SETTINGS_KEY) if at else []
        for name, slot, shapes in plan.derived:
            place = at.get(name)
            values = sort.column(name) if place is None else [settings[place]["value"] for settings in lists]
            waiting[slot].append((values, owners, shapes))

    def refused(self) -> Iterator[tuple[int, frozenset[Node]]]:
        """Judge all values; yield the owners of those that do not surely satisfy what is asked, and the shapes."""
        for slot, parts in self._waiting.items():
            values: Sequence[Any] = parts[0][0]
            if len(parts) > 1:
                values = list(chain.from_iterable([values for values, _, _ in parts]))
            bad = self._bad(values, slot)
            for some, owners, shapes in parts if bad else ():
                yield from ((owner, shapes) for one, owner in zip(some, owners, strict=True) if _key(one) in bad)
        self._waiting.clear()

    def _bad(self, values: Sequence[Any], slot: Slot) -> set[object]:
        """Return the keys of values that do not surely satisfy what is asked."""
        kinds = set(map(type, values))
        if kinds == TEXTS and (slot.reading in _AS_WRITTEN or not slot.terms):
            texts = set(values) - slot.good
            if not texts:
                return set()
            refused = _refused(texts, slot)
            if 2 * len(texts) <= len(values) and len(slot.good) + len(texts) <= _MOST:
                slot.good |= texts - refused
            return set(map(_key, refused))
        forms = slot.forms if slot.reading is Reading.NAME else unsettled(slot.forms, values)
        if not slot.terms and not forms:
            return set()
        scalars: Sequence[Any] = values
        containers: list[Any] = []
        if not kinds.isdisjoint(CONTAINERS):
            scalars = [value for value in values if type(value) not in CONTAINERS]
            containers = [value for value in values if type(value) in CONTAINERS]
        told = _told(scalars, kinds - CONTAINERS) - slot.good
        bad: set[object] = set()
        if not told and not containers:
            return bad
        if not self._pass([*(value for _, value in told), *containers], slot, forms):
            bad = {one for one in told if not self._pass([one[1]], slot, forms)}
            bad.update(id(value) for value in containers if not self._pass([value], slot, forms))
        if len(slot.good) + len(told) <= _MOST:
            slot.good.update(told - bad)
        return bad

    def _pass(self, values: Sequence[Any], slot: Slot, forms: Sequence[Form]) -> bool:
        """Tell whether all values surely satisfy what is asked; `forms` are those that are not settled yet."""
        if slot.terms:
            terms = [term_of(value, slot.reading, self._plans) for value in values]
            if not all(all(map(holds, terms)) for holds in slot.terms):
                return False
        said = values if slot.reading is not Reading.NAME else [OBJECT]
        return all({*map(fault, said)} <= {None} for fault in forms)


def _told(scalars: Sequence[Any], kinds: Collection[type]) -> set[tuple[type, object]]:
    """Return the keys of scalars of these types."""
    if len(kinds) == 1:
        [kind] = kinds
        return {(kind, value) for value in set(scalars)}
    return set(zip(map(type, scalars), scalars, strict=True))


def _key(value: Any) -> object:
    """Return what tells a value from others; equal ones of different types are not one value."""
    kind = type(value)
    return id(value) if kind in CONTAINERS else (kind, value)


def _refused(texts: Collection[str], slot: Slot) -> set[str]:
    """Return the texts that do not surely satisfy what is asked of them."""
    found: set[str] = set()
    for holds in slot.texts:
        if not all(map(holds, texts)):
            found.update(text for text in texts if not holds(text))
    for fault in unsettled(slot.forms, texts):
        if {*map(fault, texts)} != {None}:
            found.update(text for text in texts if fault(text) is not None)
    return found
