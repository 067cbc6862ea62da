"""Plans: what the shapes ask of objects of one layout, sorted by the properties that it is asked of.

A plan is made once for all objects that stand at one kind of place and have the same properties. To tell whether an
object surely satisfies all shapes then takes one look at each of its values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rdflib import Literal, URIRef

from checkpoint_ld.derivation.layouts import Layout, is_placed, known
from checkpoint_ld.derivation.statements import named
from checkpoint_ld.graph.compaction import POSITION, told_residue
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.graph.terms import expand_name
from checkpoint_ld.roles import ARRAYS, KEYS
from checkpoint_ld.validation.screen import SUBCLASS
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rdflib.term import Node

    from checkpoint_ld.graph.terms import TermTable
    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.screen import Screen, Screened

_UNKNOWN_KEY = URIRef(KARENINA + "unknownKey")
_MOST = 4096
"""So many layouts are remembered at most; usual documents have a few dozen."""


@dataclass(slots=True)
class Slot:
    """What is asked of the values of one property: of each by itself, and whether there may be but one.

    `is_part` says that the values are objects that are looked at by themselves.
    """

    terms: tuple[Callable[[Node], bool], ...] = ()
    forms: tuple[Callable[[object], object], ...] = ()
    single: bool = False
    is_part: bool = False
    is_made: bool = False
    number: int = 0
    """One number for all slots that ask the same; 0 for those that ask nothing, less for values that never repeat."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is asked of an object: a slot for each of its properties, first its own, then those that are derived.

    `numbers` are those of the slots. `related` are the shapes that look at several properties.
    """

    slots: tuple[Slot, ...]
    numbers: tuple[int, ...]
    related: tuple[Screened, ...]


class Planner:
    """Makes plans by the shapes of a profile, for documents under the terms of a context."""

    def __init__(self, screen: Screen, table: TermTable) -> None:
        self.screen = screen
        self.table = table
        self.terms = table.at(None, "karenina:Scenario")
        self._numbers: dict[object, int] = {}
        self._patterns: dict[tuple[object, ...], Pattern] = {}

    def pattern(self, place: Place, predicates: tuple[Node, ...]) -> Pattern:
        """Return the pattern of objects at a place by their own properties."""
        key = place.name, predicates
        found = self._patterns.get(key)
        if found is None:
            if len(self._patterns) >= _MOST:
                self._patterns.clear()
            found = self._patterns[key] = Pattern(self, place, predicates)
        return found

    def numbered(self, slots: Iterable[Slot], related: Iterable[Screened]) -> Plan:
        """Return the plan of these slots, each with its number."""
        slots = tuple(slots)
        for slot in slots:
            if slot.is_made:
                slot.number = -1
            elif slot.terms or slot.forms or not slot.is_part:
                asked = slot.terms, slot.forms, slot.single, slot.is_part
                slot.number = self._numbers.setdefault(asked, len(self._numbers) + 1)
        return Plan(slots, tuple(slot.number for slot in slots), tuple(related))


class Pattern:
    """The objects at one kind of place that have the same properties."""

    def __init__(self, planner: Planner, place: Place, predicates: tuple[Node, ...]) -> None:
        self._planner = planner
        self._place = place
        self._predicates = predicates
        self._plans: dict[tuple[object, ...], Plan | None] = {}

    def plan(self, derived: Iterable[Node] = (), classes: tuple[str, ...] = ()) -> Plan | None:
        """Return the plan for those to which these properties are derived, and classes beside those of the place.

        None means that such objects are in doubt, whatever their values.
        """
        key = (*derived, classes)
        if key not in self._plans:
            if len(self._plans) >= _MOST:
                self._plans.clear()
            self._plans[key] = self._made(tuple(derived), classes)
        return self._plans[key]

    def _made(self, derived: tuple[Node, ...], more: tuple[str, ...]) -> Plan | None:
        planner, place, predicates = self._planner, self._place, self._predicates
        names = (*predicates, *derived)
        kind = named(expand_name(place.type))
        layout = self._layout(kind)
        if layout is None or RDF_TYPE not in predicates or SUBCLASS in predicates or len(set(names)) < len(names):
            return None
        classes: list[Node] = [kind, *(named(KARENINA + one) for one in (*place.classes, *more))]
        told: dict[Node, list[Node]] = {RDF_TYPE: classes, _UNKNOWN_KEY: [Literal(key) for key in layout.unknown]}
        slots = {one: Slot(is_part=one in place.by_predicate) for one in predicates}
        slots.update((one, Slot(is_made=place.makes)) for one in derived)
        own: dict[Node, Callable[[Node], bool]] = {
            RDF_TYPE: kind.__eq__,
            POSITION: is_placed,
            **({RESIDUE: _harmless(place.role)} if RESIDUE in predicates else {}),
        }
        for name, slot in slots.items():
            slot.terms = (own[name],) if name in own else ()
            slot.single = name in own or name in layout.single
        related = _asked(planner.screen, place, told, slots)
        return None if related is None else planner.numbered(slots.values(), related)

    def _layout(self, kind: URIRef) -> Layout | None:
        planner, place = self._planner, self._place
        if place.role not in KEYS:
            return None if RESIDUE in self._predicates else Layout((), ())
        via = None if place.is_apart else planner.terms.by_iri.get(str(place.predicate))
        return known(planner.table, place.role, via, kind, tuple(one for one in self._predicates if one != RESIDUE))


def _asked(
    screen: Screen, place: Place, told: dict[Node, list[Node]], slots: dict[Node, Slot]
) -> list[Screened] | None:
    """Add to `slots` what shapes ask of objects about which the layout tells `told`; return those that are related.

    None means that no such object surely satisfies all shapes.
    """
    properties = (*slots, *(one for one in told if told[one]))
    if screen.leaves(told[RDF_TYPE], properties):
        return None
    related = []
    for shape in screen.of_object(told[RDF_TYPE], properties):
        if not told.keys().isdisjoint(shape.paths):
            if not _satisfies(shape, told, slots):
                return None
        elif not _asks(shape, place, slots):
            return None
        elif shape.related:
            related.append(shape)
    return related


class _Told:
    """What a layout alone tells about an object, for shapes that ask of nothing else."""

    def __init__(self, told: dict[Node, list[Node]]) -> None:
        self.node = URIRef("")
        self._told = told

    def terms(self, subject: Node, predicate: Node) -> list[Node]:
        if subject is not self.node:
            raise KeyError(subject)
        return self._told[predicate]


def _satisfies(shape: Screened, told: dict[Node, list[Node]], names: Iterable[Node]) -> bool:
    """Tell whether all objects of a layout surely satisfy a shape about what follows from it."""
    if any(one in shape.paths and one not in told for one in names):
        return False
    of = _Told({**{path: [] for path in shape.paths}, **told})
    try:
        return shape.passes(of, of.node)
    except KeyError:
        return False


def _asks(shape: Screened, place: Place, slots: dict[Node, Slot]) -> bool:
    """Add to `slots` what a shape asks; tell whether an object with these properties may satisfy it at all."""
    there = [path for path in dict.fromkeys(shape.paths) if path in slots]
    if not shape.bears(len(there)) or shape.least > 1:
        return False
    for path in there:
        part = place.by_predicate.get(path)
        classes = () if part is None else [named(KARENINA + one) for one in part.classes]
        if any(kind not in classes for kind in shape.kinds):
            return False
        slot = slots[path]
        slot.terms += tuple(one for one in shape.terms if one not in slot.terms)
        slot.forms += tuple(one for one in shape.forms if one not in slot.forms)
        slot.single = slot.single or shape.most is not None
    return True


@lru_cache(maxsize=32)
def _harmless(role: str) -> Callable[[Node], bool]:
    """Return what tells that nothing follows from a residue: it repeats or reorders plain values of usual arrays."""
    usual = ARRAYS.intersection(KEYS[role])

    def is_harmless(held: Node) -> bool:
        residue = told_residue(held)
        if residue.absent or residue.set_apart or not usual.issuperset(residue.members):
            return False
        return all(isinstance(one, list) and all(map(_is_plain, one)) for one in residue.members.values())

    return is_harmless


def _is_plain(value: object) -> bool:
    return isinstance(value, (str, int, float))


@lru_cache(maxsize=8)
def planner(screen: Screen, table: TermTable) -> Planner:
    """Return the planner for documents under the terms of `table`, with the plans that were made before."""
    return Planner(screen, table)
