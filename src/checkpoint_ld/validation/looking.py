"""A look at the objects of a checkpoint, one by one: whether what stands there surely satisfies all shapes.

Each layout is held against the shapes once (`plans`), each distinct value once, and each distinct group of settings
once. What was seen is told by the identities of terms, which live as long as the index that holds them; nothing is
remembered beyond one look.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.derivation.settings import SETTINGS, predicate_of
from checkpoint_ld.derivation.statements import Statements
from checkpoint_ld.derivation.traits import TELLING, is_told
from checkpoint_ld.validation.graph import Layers
from checkpoint_ld.validation.plans import planner
from checkpoint_ld.validation.screen import judge
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rdflib.term import Node

    from checkpoint_ld.derivation import Described
    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.plans import Pattern, Slot
    from checkpoint_ld.validation.screen import Screen, Screened

Held = dict["Node", "Node | list[Node]"]
Key = tuple[object, ...]

_NOTHING: Mapping[Node, Node] = {}
MOST = 4096
"""So many distinct values of one kind are remembered; where there are more, hardly any repeats."""


class DoubtfulError(Exception):
    """Something is not surely as it should be."""


class Test(NamedTuple):
    """What is asked of objects of one sort: for each of their properties the values that passed, and the slot.

    None stands for the values of properties of which nothing is asked.
    """

    checks: tuple[tuple[set[int] | None, Slot], ...]
    related: tuple[Screened, ...]


_NOWHERE = BNode()
"""What no statement has as its property."""


class Own(dict[str, "Node"]):
    """The properties of an object by the members that they stand for; of other members, one that nothing has."""

    def __missing__(self, member: str) -> Node:
        return _NOWHERE


class Sort:
    """The objects of one look that stand at one kind of place and have the same properties.

    `own` are these properties by the members that they stand for, as the graph at hand has them.
    """

    __slots__ = ("_good", "_pattern", "_simple", "own")

    def __init__(self, pattern: Pattern, predicates: tuple[Node, ...], good: defaultdict[int, set[int]]) -> None:
        self.own = Own((str(one).removeprefix(SCHEMA), one) for one in predicates)
        self._pattern = pattern
        self._good = good
        self._simple: Test | None = None

    def test(self, derived: Iterable[Node] = (), classes: tuple[str, ...] = ()) -> Test:
        """Return what is asked of those to which these properties are derived, and classes beside those of the place.

        Raises DoubtfulError where that is not known.
        """
        plan = self._pattern.plan(derived, classes)
        if plan is None:
            raise DoubtfulError
        passed = (self._good[number] if number else None for number in plan.numbers)
        return Test(tuple(zip(passed, plan.slots, strict=True)), plan.related)

    @property
    def simple(self) -> Test:
        """What is asked of those from which nothing else follows."""
        if self._simple is None:
            self._simple = self.test()
        return self._simple


class Setting:
    """A setting of one name and value, which many objects may have; the property that it is derived under, if any."""

    __slots__ = ("name", "predicate", "tells", "value")

    def __init__(self, name: str, value: Node | None, predicates: Mapping[str, Node]) -> None:
        self.name = name
        self.value = value
        self.predicate = predicates.get(name) if is_told(value) else None
        self.tells = name in TELLING


class Group:
    """The settings of an object, as the properties that are derived from them; of repeated ones the last counts.

    Those with the same `key` have the same properties derived from them, and the same settings that tell the classes of
    a trait, `telling`. `repeated` are the names of those that stand there more than once.
    """

    __slots__ = ("derived", "key", "repeated", "telling")

    def __init__(self, settings: list[Setting]) -> None:
        names = {one.name for one in settings}
        self.repeated: set[str] = set()
        if len(names) < len(settings):
            self.repeated = {name for name in names if [one.name for one in settings].count(name) > 1}
            settings = [*{one.name: one for one in settings}.values()]
        self.derived: dict[Node, Node] = {
            one.predicate: one.value for one in settings if one.predicate is not None and one.value is not None
        }
        self.telling = [one for one in settings if one.tells]
        self.key: Key = (*self.derived, *self.telling)


class Look:
    """One look at objects of a checkpoint; what it says of none of them raises DoubtfulError."""

    def __init__(self, source: Described, screen: Screen) -> None:
        self.index = source.index
        self.said = Statements(source)
        self._planner = planner(screen, source.table)
        self._good: defaultdict[int, set[int]] = defaultdict(set)
        self._sorts: defaultdict[Place, dict[Key, Sort]] = defaultdict(dict)
        self._settings: defaultdict[Place, dict[Key, Setting]] = defaultdict(dict)
        self._groups: defaultdict[Place, dict[Key, Group]] = defaultdict(dict)

    def held(self, node: Node) -> Held:
        """Return the statements about an object."""
        held = self.index.get(node)
        if held is None:
            raise DoubtfulError
        return held

    def sort(self, place: Place, held: Held) -> Sort:
        """Return the sort of an object at a place."""
        predicates = tuple(held)
        known = self._sorts[place]
        sort = known.get(predicates)
        if sort is None:
            sort = Sort(self._planner.pattern(place, predicates), predicates, self._good)
            if len(known) < MOST:
                known[predicates] = sort
        return sort

    def simple(self, node: Node, place: Place) -> None:
        """Look at an object that has no parts."""
        held = self.held(node)
        test = self.sort(place, held).simple
        self.at(held.values(), test)
        if test.related:
            self.related(node, test.related)

    def at(self, values: Iterable[Node | list[Node]], test: Test) -> None:
        """Look at the values of an object's properties, each by itself."""
        for term, (good, slot) in zip(values, test.checks, strict=False):
            if good is None or id(term) in good:
                continue
            if isinstance(term, list):
                if slot.single:
                    raise DoubtfulError
                for each in term:
                    if id(each) not in good:
                        self._look_at(each, slot, good)
            else:
                self._look_at(term, slot, good)

    def related(self, node: Node, shapes: Iterable[Screened], derived: Mapping[Node, Node] = _NOTHING) -> None:
        """Look at an object's properties together."""
        of = Layers(self.index, {node: derived})
        for shape in shapes:
            told = of.terms(node, shape.paths[0])
            for path in shape.paths[1:]:
                told = [*told, *of.terms(node, path)]
            for holds in shape.related:
                if not holds(of, node, told):
                    raise DoubtfulError

    def _look_at(self, term: Node, slot: Slot, good: set[int]) -> None:
        is_usual = isinstance(term, Literal) or slot.is_part or (isinstance(term, URIRef) and term not in self.index)
        if not is_usual or not judge(term, slot.terms, slot.forms):
            raise DoubtfulError
        if slot.number > 0 and len(good) < MOST:
            good.add(id(term))

    def group(self, settings: list[Node], place: Place) -> Group:
        """Look at what stands in the additional properties of an object."""
        index, known = self.index, self._settings[place]
        try:
            told = [index[node] for node in settings]
        except KeyError:
            raise DoubtfulError from None
        keys = [(*held, *map(id, held.values())) for held in told]
        found = [known.get(key) or self._setting(held, place, key) for held, key in zip(told, keys, strict=True)]
        groups, together = self._groups[place], tuple(found)
        group = groups.get(together)
        if group is None:
            group = Group(found)
            if len(groups) < MOST:
                groups[together] = group
        return group

    def _setting(self, held: Held, place: Place, key: Key) -> Setting:
        sort = self.sort(place, held)
        if sort.simple.related:
            raise DoubtfulError
        self.at(held.values(), sort.simple)
        # The shape of settings has it that there is one name, which is text.
        name, value = one(held.get(sort.own["name"])), held.get(sort.own["value"])
        if isinstance(value, list):
            raise DoubtfulError
        setting = Setting(str(name), value, _predicates(place.name.removesuffix("Setting")))
        if len(self._settings[place]) < MOST:
            self._settings[place][key] = setting
        return setting


@cache
def _predicates(role: str) -> dict[str, Node]:
    return {name: predicate_of(name) for name in SETTINGS[role]}


def one(part: Node | list[Node] | None) -> Node:
    """Return the one object that stands in a member."""
    if part is None or isinstance(part, list):
        raise DoubtfulError
    return part
