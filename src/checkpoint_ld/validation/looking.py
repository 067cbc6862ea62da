"""A look at the objects of a checkpoint, one by one: whether what stands there surely satisfies all shapes.

Each layout is held against the shapes once (`plans`), each distinct value once, and each distinct group of settings
once. What was seen is told by the identities of terms, which live as long as the index that holds them; nothing is
remembered beyond one look.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from rdflib import Literal, URIRef

from checkpoint_ld.derivation.statements import Statements
from checkpoint_ld.derivation.traits import as_predicates
from checkpoint_ld.validation.graph import Layers
from checkpoint_ld.validation.plans import planner
from checkpoint_ld.validation.screen import judge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib.term import Node

    from checkpoint_ld.derivation import Described
    from checkpoint_ld.validation.plans import Pattern, Place, Plan, Slot
    from checkpoint_ld.validation.screen import Screen

Held = dict["Node", "Node | list[Node]"]
Key = tuple[object, ...]

_NOTHING: Mapping[Node, Node] = {}
MOST = 4096
"""So many distinct values of one kind are remembered; where there are more, hardly any repeats."""


class DoubtfulError(Exception):
    """Something is not surely as it should be."""


class _Setting(NamedTuple):
    number: int
    name: str
    value: Node


class Group(NamedTuple):
    """The settings of an object, by name, and as the properties that are derived from them.

    No other group of one look has the same `number`.
    """

    number: int
    values: dict[str, Node | None]
    derived: dict[Node, Node]


class Look:
    """One look at objects of a checkpoint; what it says of none of them raises DoubtfulError."""

    def __init__(self, source: Described, screen: Screen) -> None:
        self.index = source.index
        self.said = Statements(source)
        self._planner = planner(screen, source.table)
        self._numbers = count(1)
        self._good: defaultdict[int, set[int]] = defaultdict(set)
        self._settings: defaultdict[str, dict[Key, _Setting]] = defaultdict(dict)
        self._groups: defaultdict[str, dict[Key, Group]] = defaultdict(dict)

    def held(self, node: Node) -> Held:
        """Return the statements about an object."""
        held = self.index.get(node)
        if held is None:
            raise DoubtfulError
        return held

    def pattern(self, place: Place, held: Held) -> Pattern:
        """Return the pattern of an object at a place."""
        return self._planner.pattern(place, tuple(held))

    def simple(self, node: Node, place: Place) -> None:
        """Look at an object that has no parts."""
        held = self.held(node)
        self.at(node, [*held.values()], self.pattern(place, held).plan())

    def at(
        self, node: Node, values: list[Node | list[Node]], plan: Plan | None, derived: Mapping[Node, Node] = _NOTHING
    ) -> None:
        """Look at an object by its plan; `values` are those of its properties, then of those that are derived."""
        if plan is None:
            raise DoubtfulError
        good = self._good
        for term, number, slot in zip(values, plan.numbers, plan.slots, strict=True):
            if number and id(term) not in good[number]:
                self._look_at(term, slot)
        if plan.related:
            of = Layers(self.index, {node: derived})
            for shape in plan.related:
                told = [term for path in shape.paths for term in of.terms(node, path)]
                for holds in shape.related:
                    if not holds(of, node, told):
                        raise DoubtfulError

    def _look_at(self, held: Node | list[Node], slot: Slot) -> None:
        if isinstance(held, list):
            if slot.single:
                raise DoubtfulError
            for term in held:
                self._look_at(term, slot)
            return
        is_usual = slot.is_part or isinstance(held, Literal) or (isinstance(held, URIRef) and held not in self.index)
        if not is_usual or not judge(held, slot.terms, slot.forms):
            raise DoubtfulError
        good = self._good[slot.number]
        if slot.number > 0 and len(good) < MOST:
            good.add(id(held))

    def group(self, settings: list[Node], place: Place, role: str) -> Group:
        """Look at what stands in the additional properties of an object in a role."""
        known = self._settings[place.name]
        found = []
        for node in settings:
            held = self.index.get(node)
            if held is None:
                raise DoubtfulError
            key = (*held, *map(id, held.values()))
            setting = known.get(key)
            if setting is None:
                setting = self._setting(node, held, place)
                if len(known) < MOST:
                    known[key] = setting
            found.append(setting)
        groups, key = self._groups[place.name], tuple([one.number for one in found])
        group = groups.get(key)
        if group is None:
            values: dict[str, Node | None] = {one.name: one.value for one in found}
            if len(values) < len(found):
                raise DoubtfulError
            group = Group(next(self._numbers), values, as_predicates(values, role))
            if len(groups) < MOST:
                groups[key] = group
        return group

    def _setting(self, node: Node, held: Held, place: Place) -> _Setting:
        pattern = self.pattern(place, held)
        self.at(node, [*held.values()], pattern.plan())
        # The shape of settings has it that there is one name, which is text.
        name, value = (one(pattern.value(held, member)) for member in ("name", "value"))
        return _Setting(next(self._numbers), str(name), value)


def one(part: Node | list[Node] | None) -> Node:
    """Return the one object that stands in a member."""
    if part is None or isinstance(part, list):
        raise DoubtfulError
    return part
