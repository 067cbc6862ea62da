"""Plans: what the shapes ask of objects of one layout, sorted by the members that it is asked of.

A plan is made once for all objects that stand at one kind of place and have the same members. To tell whether an
object surely satisfies all shapes then takes one look at each of its values.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rdflib import Literal, URIRef

from checkpoint_ld.derivation.layouts import Layout, known
from checkpoint_ld.graph.compaction import POSITION
from checkpoint_ld.graph.expansion import IDENTIFIER, RDF_TYPE, named
from checkpoint_ld.graph.plans import NotCoveredError, Reading
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.graph.terms import expand_name
from checkpoint_ld.roles import ARRAYS, KEYS
from checkpoint_ld.validation.asking import Slot, asked
from checkpoint_ld.validation.screen import SUBCLASS
from checkpoint_ld.validation.usual import usual
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rdflib.term import Node

    from checkpoint_ld.graph.plans import KeyPlan, Plans
    from checkpoint_ld.graph.plans import Plan as Meaning
    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.screen import Screen, Screened
    from checkpoint_ld.validation.usual import Usual

_FOREIGN_ID = URIRef(KARENINA + "foreignId")
_UNKNOWN_KEY = URIRef(KARENINA + "unknownKey")
_SCALARS = frozenset({Reading.PLAIN, Reading.DATE, Reading.DOUBLE})
_MOST = 4096
"""So many layouts are remembered at most; usual documents have a few dozen."""


class Spot(NamedTuple):
    """Where a value stands: in the member `key` of an object, or in what is derived under that name.

    `inner` is the member of the object there that is meant, if it is not the object itself.
    """

    key: str
    is_derived: bool
    inner: str | None = None


class Relation(NamedTuple):
    """A shape that looks at several values, and where these stand.

    `pairs` has what must hold between each of the `values` and another one, None where the shape has to be asked.
    """

    shape: Screened
    values: tuple[Spot, ...]
    pairs: tuple[tuple[Spot, Callable[[object, object], bool]], ...] | None


class Related(NamedTuple):
    """Relations between values that are the same for all objects, and those that are asked of each of them.

    `known` tells the values that satisfy the former.
    """

    of_all: tuple[Relation, ...]
    of_each: tuple[Relation, ...]
    known: set[object]


class Asked(NamedTuple):
    """What some shapes ask of the values of a member, or of what is derived under a name."""

    key: str
    slot: Slot
    shapes: frozenset[Node]


class Plan(NamedTuple):
    """What is asked of an object: of the values of its members, of those that are derived, and of several together.

    What nothing is asked of is left out. `arrays` are the members with several values, `own` the others; `names` are
    those of all that is derived, by its properties.
    """

    own: tuple[Asked, ...]
    arrays: tuple[Asked, ...]
    derived: tuple[Asked, ...]
    names: Mapping[Node, str]
    relations: tuple[Relation, ...]
    parted: dict[frozenset[Node], Related]

    def related(self, of: frozenset[Node]) -> Related:
        """Return the relations for objects that have the same values for the properties `of`."""
        found = self.parted.get(of)
        if found is None:
            told = [(one, one.shape.looks_at is not None and one.shape.looks_at <= of) for one in self.relations]
            of_all = tuple(one for one, is_same in told if is_same)
            of_each = tuple(one for one, is_same in told if not is_same)
            found = self.parted[of] = Related(of_all, of_each, set())
        return found


class Planner:
    """Makes plans by the shapes of a profile, for documents under a context."""

    def __init__(self, screen: Screen, plans: Plans) -> None:
        self.screen = screen
        self.plans = plans
        self.terms = plans.table.at(None, "karenina:Scenario")
        self.is_blind = screen.is_blind_to(RESIDUE)
        self.asks_of_ids = not screen.is_blind_to(_FOREIGN_ID)
        self._usual: dict[tuple[Place, Meaning, tuple[str, ...]], Usual | None] = {}
        self._patterns: dict[tuple[object, ...], Pattern] = {}
        self._slots: dict[object, Slot] = {}

    def shared(self, slots: Iterable[tuple[str, Slot]]) -> tuple[Asked, ...]:
        """Return slots with the shapes that ask, the same slot for all that ask the same."""
        return tuple(Asked(key, self._slots.setdefault(one.question, one), frozenset(one.shapes)) for key, one in slots)

    def usual(self, place: Place, meaning: Meaning, keys: tuple[str, ...]) -> Usual | None:
        """Return what is usual for objects at a place by their keys, None for those that are in doubt anyhow."""
        if self.asks_of_ids and "@id" in keys:
            return None
        at = place, meaning, keys
        if at not in self._usual:
            if len(self._usual) >= _MOST:
                self._usual.clear()
            try:
                self._usual[at] = usual(*at)
            except NotCoveredError:
                self._usual[at] = None
        return self._usual[at]

    def pattern(
        self, place: Place, meaning: Meaning, told: Usual, lacking: frozenset[str], *, is_listed: bool
    ) -> Pattern:
        """Return the pattern of objects at a place by their members.

        `lacking` are the keys of empty arrays, and `@id` where the name is not the identifier as it is written.
        """
        key = place, meaning, told.keys, lacking
        found = self._patterns.get(key)
        if found is None:
            if len(self._patterns) >= _MOST:
                self._patterns.clear()
            by_key = {one.key: one.known for one in told.members if one.known is not None and one.key not in lacking}
            also: tuple[Node, ...] = (IDENTIFIER,) if "@id" in lacking else ()
            if told.has_identifier and is_listed:
                also = (*also, POSITION)
            found = self._patterns[key] = Pattern(self, place, meaning, by_key, also)
        return found


class Pattern:
    """The objects at one kind of place that have the same members.

    `by_key` tells what those of their keys mean that say something; `also` are the properties `IDENTIFIER` and
    `POSITION`, as far as there are any.
    """

    def __init__(
        self, planner: Planner, place: Place, meaning: Meaning, by_key: Mapping[str, KeyPlan], also: tuple[Node, ...]
    ) -> None:
        self.by_key = by_key
        self._planner = planner
        self._place = place
        self._meaning = meaning
        self._also = also
        self._plans: dict[tuple[object, ...], Plan | None] = {}

    def plan(self, derived: Mapping[str, Node], classes: tuple[str, ...] = ()) -> Plan | None:
        """Return the plan for those to which these properties are derived, and classes beside those of the place.

        Each property has the name of what it is derived from. None means that such objects are in doubt, whatever their
        values.
        """
        key = (*derived, classes)
        if key not in self._plans:
            if len(self._plans) >= _MOST:
                self._plans.clear()
            self._plans[key] = self._made(derived, classes)
        return self._plans[key]

    def _made(self, derived: Mapping[str, Node], more: tuple[str, ...]) -> Plan | None:
        planner, place = self._planner, self._place
        own: dict[str, Node] = {key: known.predicate for key, known in self.by_key.items()}
        predicates = (RDF_TYPE, *own.values(), *self._also)
        names = (*predicates, *derived.values())
        kind = named(expand_name(place.type))
        layout = self._layout(kind, predicates)
        if layout is None or not planner.is_blind or SUBCLASS in predicates or len(set(names)) < len(names):
            return None
        classes: list[Node] = [kind, *(named(KARENINA + one) for one in (*place.classes, *more))]
        told: dict[Node, list[Node]] = {RDF_TYPE: classes, _UNKNOWN_KEY: [Literal(key) for key in layout.unknown]}
        readings: dict[Node, Reading] = {known.predicate: known.reading for known in self.by_key.values()}
        readings.update(dict.fromkeys(derived.values(), Reading.PROPERTY))
        slots = {one: Slot(readings.get(one, Reading.PLAIN), is_part=one in place.by_predicate) for one in names}
        single = frozenset(layout.single)
        for name, slot in slots.items():
            slot.single = name in single
        related = asked(planner.screen, place, told, slots)
        if related is None or not all(one.lets_objects_pass() for one in slots.values() if one.is_part):
            return None
        if POSITION in slots and slots[POSITION].asks:
            return None
        arrays = [(known.key, slots[known.predicate]) for known in self.by_key.values() if known.is_set]
        if any(slot.single for _, slot in arrays):
            return None
        if IDENTIFIER in slots:
            own["@id"] = IDENTIFIER
        relations = (self._relation(shape, own, derived) for shape in related)
        several = {key for key, _ in arrays}
        return Plan(
            planner.shared((key, slots[one]) for key, one in own.items() if key not in several and slots[one].is_asked),
            planner.shared((key, slot) for key, slot in arrays if slot.is_asked),
            planner.shared((name, slots[one]) for name, one in derived.items() if slots[one].asks),
            {predicate: name for name, predicate in derived.items()},
            tuple(one for one in relations if one.values or not one.shape.is_vacuous),
            {},
        )

    def _layout(self, kind: URIRef, predicates: tuple[Node, ...]) -> Layout | None:
        planner, place = self._planner, self._place
        if place.role not in KEYS:
            return Layout((), ())
        via = None if place.is_apart else planner.terms.by_iri.get(str(place.predicate))
        return known(planner.plans.table, place.role, via, kind, predicates)

    def _relation(self, shape: Screened, own: Mapping[str, Node], derived: Mapping[str, Node]) -> Relation:
        """Return a shape with the places of the values that it looks at."""
        spots = {predicate: Spot(key, is_derived=False) for key, predicate in own.items()}
        spots.update((predicate, Spot(name, is_derived=True)) for name, predicate in derived.items())
        values = tuple(spots[path] for path in shape.paths if path in spots)
        if shape.pairs is None or not all(map(self._is_scalar, values)):
            return Relation(shape, values, None)
        pairs = []
        for path, holds in shape.pairs:
            if path[0] in spots:
                spot = self._at(spots[path[0]], path[1:])
                if spot is None:
                    return Relation(shape, values, None)
                pairs.append((spot, holds))
        return Relation(shape, values, tuple(pairs))

    def _is_scalar(self, spot: Spot) -> bool:
        """Tell whether one JSON value stands there, the same as in the statements."""
        if spot.is_derived or spot.key == "@id":
            return True
        return self.by_key[spot.key].reading in _SCALARS and spot.key not in ARRAYS

    def _at(self, spot: Spot, beyond: tuple[Node, ...]) -> Spot | None:
        """Return where the value stands to which `beyond` leads from `spot`, None where that is not certain."""
        if not beyond:
            return spot if self._is_scalar(spot) else None
        known = None if spot.is_derived else self.by_key.get(spot.key)
        part = None if known is None else self._place.by_predicate.get(known.predicate)
        if known is None or part is None or known.is_set or len(beyond) > 1:
            return None
        meaning = self._planner.plans.at(part.type, known.term, self._meaning)
        key = self._planner.plans.table.base.key_of(str(beyond[0]))
        try:
            [inner] = meaning.members((key,))
        except NotCoveredError:
            return None
        if inner is None or inner.predicate != beyond[0] or inner.reading not in _SCALARS or key in ARRAYS:
            return None
        return spot._replace(inner=key)


@lru_cache(maxsize=8)
def planner(screen: Screen, plans: Plans) -> Planner:
    """Return the planner for documents under a compiled context, with the plans that were made before."""
    return Planner(screen, plans)
