"""What members of alike objects say: the values of one member, of many objects at once, as terms.

Where all values are of one kind, which is usual, a single expression makes terms of all of them. Any others are looked
at one by one.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.graph import naming
from checkpoint_ld.graph.annotation import LARGEST_FOR_PYLD, is_undecided
from checkpoint_ld.graph.literals import DATETIME, DOUBLE, Made, TypedText, literal_of, text_literal
from checkpoint_ld.graph.plans import NotCoveredError, Plans, Reading

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.plans import KeyPlan, Plan
    from checkpoint_ld.graph.terms import Term

Tree = dict[str, Any]

_PLAIN, _DATE, _DOUBLE, _NAME = Reading.PLAIN, Reading.DATE, Reading.DOUBLE, Reading.NAME
_NODE, _JSON, _PROPERTY = Reading.NODE, Reading.JSON, Reading.PROPERTY
_SCALARS = frozenset((str, int, float, bool))
_NO_SCALARS = frozenset((list, dict, type(None)))
_ANY = _SCALARS | _NO_SCALARS
_MAY_BE_UNDECIDED = (list, int, float)
_OBJECTS, _ARRAYS, _TEXTS, _FLOATS = {dict}, {list}, {str}, {float}


class Place(NamedTuple):
    """Where objects stand that are taken together: the member `via` of objects whose keys mean what `around` says."""

    via: Term | None = None
    around: Plan | None = None
    depth: int = 0
    is_map: bool = False


class Objects(NamedTuple):
    """Objects at one place, their names by place, and where each one stands in its array or map."""

    sources: Sequence[Tree]
    names: Sequence[str]
    positions: Sequence[int] | None = None

    def part(self, start: int, end: int) -> Objects:
        """Return the objects from `start` to `end`."""
        positions = None if self.positions is None else self.positions[start:end]
        return Objects(self.sources[start:end], self.names[start:end], positions)

    def only(self, members: Sequence[int]) -> Objects:
        """Return some of the objects."""
        positions = None if self.positions is None else [self.positions[at] for at in members]
        return Objects([self.sources[at] for at in members], [self.names[at] for at in members], positions)


class Inside(NamedTuple):
    """What holds for the members of objects: what keys mean, the names of the objects, the depth of those below."""

    plan: Plan
    names: Sequence[str]
    depth: int

    def only(self, at: int) -> Inside:
        """Return what holds for the members of one of the objects."""
        return Inside(self.plan, [self.names[at]], self.depth)

    def places(self, known: KeyPlan) -> list[str]:
        """Return how the names of objects begin that are values of `known`."""
        token = known.token
        return [f"{name}/{token}" if "#" in name else f"{name}#/{token}" for name in self.names]

    def below(self, known: KeyPlan, *, is_map: bool = False) -> Place:
        """Return the place of the objects that are values of `known`."""
        return Place(known.term, self.plan, self.depth, is_map)


def _is_large(value: Any) -> bool:
    return type(value) is int and is_undecided(value, None)


class Scalars(dict[object, "Node"]):
    """Literals of numbers and truth values by type and value, each made when it is first asked for."""

    def __init__(self, datatype: str | None = None) -> None:
        super().__init__()
        self._datatype = datatype

    def __missing__(self, said: tuple[type, Any]) -> Node:
        kind, value = said
        place = said if value or kind is not float else repr(value)  # 0.0 equals -0.0
        term = self.get(place)
        if term is None:
            term = self[place] = literal_of(value, self._datatype)
        return term


def _date(text: str) -> Node:
    """Make the literal of a text that should be a date and time."""
    return literal_of(text, DATETIME)


def _json(value: Any) -> Node:
    """Make the literal of any JSON value."""
    return literal_of(value, "@json")


class Columns:
    """The members of alike objects, under a compiled context; a literal is made once for each value."""

    plans: Plans
    mentioned: set[str]
    """The names that members refer to."""

    def __init__(self) -> None:
        self.texts = Made(text_literal)
        self.dates = Made(_date)
        self.scalars = Scalars()
        self.doubles = Scalars(DOUBLE)

    @abstractmethod
    def objects(self, found: Objects, place: Place) -> list[Node]:
        """Hold the statements of objects and of all below them; return their nodes."""

    def column(
        self, values: Sequence[Any], known: KeyPlan, inside: Inside
    ) -> tuple[Sequence[Node | list[Node] | None], Collection[int]]:
        """Return what one member of several objects says, and which objects it says it otherwise of than they do."""
        kinds = {*map(type, values)}
        if known.is_text and kinds == _TEXTS:
            texts = self.texts
            return [texts[one] for one in values], ()
        odd: Sequence[int] = range(len(values)) if known.is_set else ()
        reading = known.reading
        if known.container == "@index":
            pass
        elif reading is _PROPERTY and kinds <= _ANY and not (int in kinds and any(map(_is_large, values))):
            return self.natives(values), odd
        elif kinds == _OBJECTS and known.has_objects:
            return self.objects(Objects(values, inside.places(known)), inside.below(known)), odd
        elif kinds == _ARRAYS and known.has_objects and all(values):
            objects = [*chain.from_iterable(values)]
            if {*map(type, objects)} == _OBJECTS:
                return self.arrays(values, objects, known, inside)
        elif reading is _DATE and kinds == _TEXTS:
            return [self.dates[one] for one in values], odd
        elif reading is _DOUBLE and kinds == _FLOATS:
            return [self.doubles[float, one] for one in values], odd
        elif reading is _NAME and kinds == _TEXTS:
            names = [self.plans.name(one) for one in values]
            self.mentioned.update({str(iri) for iri, _ in {*names}})
            return [iri for iri, _ in names], odd or [at for at, (_, same) in enumerate(names) if not same]
        found = [self.member(one, known, inside.only(at)) for at, one in enumerate(values)]
        return [said for said, _ in found], [at for at, (_, is_odd) in enumerate(found) if is_odd]

    def natives(self, values: Sequence[Any]) -> list[Node]:
        """Return the literals of values of properties: any JSON that is no scalar is one literal."""
        texts, scalars = self.texts, self.scalars
        return [
            texts[one] if kind is str else _json(one) if kind in _NO_SCALARS else scalars[kind, one]
            for kind, one in zip(map(type, values), values, strict=True)
        ]

    def arrays(
        self, values: Sequence[list[Tree]], objects: list[Tree], known: KeyPlan, inside: Inside
    ) -> tuple[list[Node | list[Node] | None], list[int]]:
        """Return what `column` does for arrays of objects."""
        sizes = [*map(len, values)]
        names = [f"{stem}/{at}" for stem, size in zip(inside.places(known), sizes, strict=True) for at in range(size)]
        positions = [*chain.from_iterable(map(range, sizes))]
        nodes = iter(self.objects(Objects(objects, names, positions), inside.below(known)))
        held: list[Node | list[Node] | None] = [next(nodes) if size == 1 else [*islice(nodes, size)] for size in sizes]
        return held, [] if known.is_set else [at for at, size in enumerate(sizes) if size == 1]

    def member(self, value: Any, known: KeyPlan, inside: Inside) -> tuple[Node | list[Node] | None, bool]:
        """Return what the member of a single object says, and whether it says it otherwise than the document does."""
        kind, reading = type(value), known.reading
        if reading is _JSON or (reading is _PROPERTY and kind in _NO_SCALARS):
            return _json(value), known.is_set
        if value is None:
            return None, True
        if kind in _MAY_BE_UNDECIDED and is_undecided(value, known.term):
            return _json(value), True
        if known.container == "@index":
            return self.map(value, known, inside)
        if kind is list:
            return self.array(value, known, inside)
        if kind is dict:
            if not known.has_objects:
                raise NotCoveredError
            alone = Objects([value], inside.places(known))
            return self.objects(alone, inside.below(known))[0], known.is_set
        term, is_odd = self.scalar(value, reading)
        return term, is_odd or known.is_set

    def array(self, values: list[Any], known: KeyPlan, inside: Inside) -> tuple[Node | list[Node] | None, bool]:
        """Return what `member` does for an array."""
        if not values:
            return None, True
        kinds = {*map(type, values)}
        if kinds == _OBJECTS and known.has_objects:
            held, odd = self.arrays([values], values, known, inside)
            return held[0], bool(odd)
        if known.reading is not _PLAIN:
            raise NotCoveredError
        if kinds == _TEXTS:
            distinct = list(dict.fromkeys(values))
            terms = [self.texts[one] for one in distinct]
            is_odd = sorted(values) != values or len(distinct) != len(values)
        else:
            terms = list(dict.fromkeys(self.scalar(one, known.reading)[0] for one in values))
            is_odd = True
        if len(terms) == 1:
            return terms[0], is_odd or not known.is_set
        return terms, is_odd

    def map(self, value: Any, known: KeyPlan, inside: Inside) -> tuple[Node | list[Node] | None, bool]:
        """Return what `member` does for objects by key."""
        if type(value) is not dict or not known.has_objects or not all(type(one) is dict for one in value.values()):
            raise NotCoveredError
        if not value:
            return None, True
        places = {token: at for at, token in enumerate(value)}
        stem = inside.places(known)[0]
        tokens = sorted(value)  # as PyLD does with the keys of maps
        names = [naming.below(stem, token) for token in tokens]
        objects = Objects([value[one] for one in tokens], names, [places[one] for one in tokens])
        terms = self.objects(objects, inside.below(known, is_map=True))
        return terms if len(terms) > 1 else terms[0], any("@id" in one for one in value.values())

    def scalar(self, value: Any, reading: Reading) -> tuple[Node, bool]:
        """Return the term of a scalar, and whether it is read back as another JSON value."""
        kind = type(value)
        if kind is TypedText and reading not in (_NODE, _NAME):
            return literal_of(str(value), value.datatype, value.language), False
        if kind not in _SCALARS or reading is _NODE or (reading is _NAME and kind is not str):
            raise NotCoveredError
        if reading is _NAME:
            iri, is_same = self.plans.name(value)
            self.mentioned.add(str(iri))
            return iri, not is_same
        if reading is _DATE and kind is str:
            return self.dates[value], False
        if kind is str:
            return self.texts[value], False
        if reading is _DOUBLE and kind is int and abs(value) > LARGEST_FOR_PYLD:
            raise NotCoveredError
        if reading is _DOUBLE and kind is not bool:
            return self.doubles[kind, value], kind is not float
        return self.scalars[kind, value], reading in (_DATE, _DOUBLE)
