"""Values that wait to be judged: those of which the same is asked are looked at together, each distinct one once."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from checkpoint_ld.constraints.values import OBJECT
from checkpoint_ld.graph.plans import Reading
from checkpoint_ld.validation.near import term_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checkpoint_ld.graph.plans import Plans
    from checkpoint_ld.validation.plans import Slot
    from checkpoint_ld.validation.sorts import Owned

_TEXTS = frozenset({str})
_CONTAINERS = frozenset((list, dict))
_AS_WRITTEN = frozenset({Reading.PLAIN, Reading.PROPERTY})
"""Readings to which a text is simply a literal."""


class Waiting:
    """Values with what is asked of each by itself, and how it is read."""

    def __init__(self, plans: Plans) -> None:
        self._plans = plans
        self._waiting: dict[tuple[int, Reading], tuple[Slot, list[Owned]]] = {}

    def add(self, values: Sequence[Any], owners: Sequence[int], slot: Slot, reading: Reading) -> None:
        """Have values judged by and by."""
        key = slot.number, reading
        known = self._waiting.get(key)
        if known is None:
            known = self._waiting[key] = slot, []
        known[1].append((values, owners))

    def refused(self) -> Iterator[int]:
        """Judge all values; yield the owners of those that do not surely satisfy what is asked of them."""
        for (_, reading), (slot, parts) in self._waiting.items():
            values = list(chain.from_iterable(values for values, _ in parts))
            bad = self._bad(values, slot, reading)
            if bad:
                owners = chain.from_iterable(owners for _, owners in parts)
                yield from (owner for row, owner in enumerate(owners) if row in bad)
        self._waiting.clear()

    def _bad(self, values: list[Any], slot: Slot, reading: Reading) -> frozenset[int] | set[int]:
        """Return the rows of values that do not surely satisfy what is asked."""
        kinds = set(map(type, values))
        if kinds == _TEXTS and (reading in _AS_WRITTEN or not slot.terms):
            refused = _refused(set(values), slot)
            return {row for row, value in enumerate(values) if value in refused} if refused else frozenset()
        if kinds.isdisjoint(_CONTAINERS):
            told = list(zip(map(type, values), values, strict=True))
            bad = {one for one in set(told) if not self._passes(one[1], slot, reading)}
            return {row for row, one in enumerate(told) if one in bad} if bad else frozenset()
        return {row for row, value in enumerate(values) if not self._passes(value, slot, reading)}

    def _passes(self, value: Any, slot: Slot, reading: Reading) -> bool:
        if slot.terms:
            term = term_of(value, reading, self._plans)
            if not all(holds(term) for holds in slot.terms):
                return False
        said = OBJECT if reading is Reading.NAME else value
        for fault in slot.forms:  # noqa: SIM110 - a generator takes longer than most forms
            if fault(said) is not None:
                return False
        return True


def _refused(texts: Iterable[str], slot: Slot) -> set[str]:
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
