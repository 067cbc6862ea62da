"""Members of objects as terms: the values of one member are converted for many objects at once.

Most objects of a document are alike: they have one type, and the same keys in the same order. If all values of a member
are of one kind, one expression converts them all; otherwise they are converted one by one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from itertools import chain, islice, repeat
from operator import eq
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.graph import literals
from checkpoint_ld.graph.annotation import LARGEST_FOR_PYLD, is_undecided
from checkpoint_ld.graph.literals import DATETIME, DOUBLE, Made, TypedText, literal_of, text_literal
from checkpoint_ld.graph.plans import NotCoveredError, PlainTerm, Plans

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term
    from checkpoint_ld.graph.plans import KeyPlan, Plan


TOGETHER = 2048
"""At most so many objects are converted together, so that they stay in the processor's cache."""
_KINDS = frozenset((str, type(None)))


class Alike(NamedTuple):
    """The type and the keys that a group of objects has, and the indexes of these objects."""

    kind: str | None
    keys: tuple[str, ...]
    members: Sequence[int]


def alike(objects: Sequence[dict[str, Any]], type_key: str | None = "@type") -> list[Alike] | None:
    """Return groups of alike objects, None if one has several types or a type that is no text.

    `type_key` is the key of their types, None for objects whose place alone gives their type.
    """
    kinds = [None if type_key is None else one.get(type_key) for one in objects]
    if not _KINDS.issuperset(map(type, kinds)):
        return None
    layouts = [*map(tuple, objects)]
    is_one_kind = kinds.count(kinds[0]) == len(kinds)
    shapes = layouts if is_one_kind else [*zip(kinds, layouts, strict=True)]
    return [Alike(kinds[members[0]], layouts[members[0]], members) for _, members in grouped(shapes)]


def grouped(keys: Sequence[Any]) -> Collection[tuple[Any, Sequence[int]]]:
    """Return the distinct keys, each with the rows that have it."""
    if keys and all(map(eq, keys, repeat(keys[0]))):  # stops at the first difference, because rdflib compares slowly
        return ((keys[0], range(len(keys))),)
    groups: defaultdict[Any, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        groups[key].append(row)
    return groups.items()


Tree = dict[str, Any]

_PLAIN, _DATE, _DOUBLE, _NAME = PlainTerm.PLAIN, PlainTerm.DATE, PlainTerm.DOUBLE, PlainTerm.NAME
_NODE, _JSON, _PROPERTY, _SCALAR = PlainTerm.NODE, PlainTerm.JSON, PlainTerm.PROPERTY, PlainTerm.SCALAR
_SCALARS = frozenset((str, int, float, bool))
_NO_SCALARS = frozenset((list, dict, type(None)))
_NATIVE = {
    _PROPERTY: _SCALARS | _NO_SCALARS,
    _PLAIN: _SCALARS,
    _SCALAR: _SCALARS | {list, dict},
}
"""The types of values that become native literals, by `PlainTerm`."""
_NOTHING: frozenset[type] = frozenset()
_MAY_BE_UNDECIDED = (list, int, float)
_OBJECTS, _ARRAYS, _TEXTS, _FLOATS, _HOLDERS = {dict}, {list}, {str}, {float}, {dict, list}


class ColumnOwner(NamedTuple):
    """The place of objects that are converted together: values of the member `via`, of objects of the plan `around`."""

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


class Column(NamedTuple):
    """The values of one member, and the rows of the objects that have them."""

    known: KeyPlan
    plan: Plan
    rows: list[int]
    values: list[Any]

    def parted(self) -> tuple[Column | None, list[tuple[type, Column]]]:
        """Split the values: those without objects, those that are objects, and those that are arrays of objects."""
        kinds = {*map(type, self.values)}
        if not self.known.has_objects or self.known.container == "@index" or kinds.isdisjoint(_HOLDERS):
            return self, []
        holds = self.known.holds
        if kinds == _OBJECTS and dict in holds:
            return None, [(dict, self)]
        if (
            kinds == _ARRAYS
            and list in holds
            and all(self.values)
            and {*map(type, chain.from_iterable(self.values))} == _OBJECTS
        ):
            return None, [(list, self)]
        found: dict[type, list[int]] = {}
        for at, one in enumerate(self.values):
            is_holder = type(one) in holds and (type(one) is dict or {*map(type, one)} == _OBJECTS)
            found.setdefault(type(one) if is_holder else object, []).append(at)
        parts = {kind: self._only(places) for kind, places in found.items()}
        return parts.pop(object, None), [*parts.items()]

    def in_order(self) -> Column:
        """Return the same in the order of the objects, in which the first of several with one `@id` gets its name."""
        return self._only(sorted(range(len(self.rows)), key=self.rows.__getitem__))

    def _only(self, places: Sequence[int]) -> Column:
        return self._replace(rows=[self.rows[at] for at in places], values=[self.values[at] for at in places])


def stems_of(names: Iterable[str], known: KeyPlan) -> list[str]:
    """Return the prefixes of the minted names of objects that are values of a member of the objects called `names`."""
    end = f"/{known.token}"
    return [name + end if "#/" in name else f"{name.replace('#', '%23')}#{end}" for name in names]


def stem_of(name: str, known: KeyPlan) -> str:
    """Return the same as `stems_of` for one object."""
    return stems_of((name,), known)[0]


def _is_large(value: Any) -> bool:
    return type(value) is int and is_undecided(value, None)


class Scalars(dict[object, "Node"]):
    """The literals of numbers and booleans by type and value, each made when it is first needed."""

    def __init__(self, datatype: str | None = None) -> None:
        super().__init__()
        self._datatype = datatype

    def __missing__(self, key: tuple[type, Any]) -> Node:
        kind, value = key
        place = key if value or kind is not float else repr(value)  # 0.0 equals -0.0
        term = self.get(place)
        if term is None:
            term = self[place] = literal_of(value, self._datatype)
        return term


def _date(text: str) -> Node:
    """Make the literal of a text that is expected to be a date and time."""
    return literal_of(text, DATETIME)


def _json(value: Any) -> Node:
    """Make the literal of any JSON value."""
    return literal_of(value, "@json")


class Columns:
    """Converts the members of alike objects under a compiled context; equal values share one literal."""

    plans: Plans
    mentioned: set[str]
    """The names that members refer to."""

    def __init__(self) -> None:
        self.texts = Made(text_literal)
        self.dates = Made(_date)
        self.scalars = Scalars()
        self.doubles = Scalars(DOUBLE)

    @abstractmethod
    def objects(self, found: Objects, place: ColumnOwner) -> list[Node]:
        """Add the statements of objects and of all objects below them; return their nodes."""

    def column(
        self, column: Column, names: Sequence[str], depth: int
    ) -> tuple[Sequence[Node | list[Node] | None], Collection[int]]:
        """Return the terms of a member without objects, and the indexes of the values that they do not restore.

        `names` are those of the objects in all rows, `depth` is that of nested objects.
        """
        known, values = column.known, column.values
        kinds = {*map(type, values)}
        if known.is_text and kinds == _TEXTS:
            texts = self.texts
            return [texts[one] for one in values], ()
        inexact: Sequence[int] = range(len(values)) if known.is_set else ()
        reading = known.reading
        if known.container == "@index":
            found = [self.map(one, column, names[row], depth) for one, row in zip(values, column.rows, strict=True)]
        elif kinds <= _NATIVE.get(reading, _NOTHING) and (
            int not in kinds or reading is _SCALAR or not any(map(_is_large, values))
        ):
            return self.natives(values), inexact
        elif reading is _DATE and kinds == _TEXTS:
            return [self.dates[one] for one in values], inexact
        elif reading is _DOUBLE and kinds == _FLOATS:
            return [self.doubles[float, one] for one in values], inexact
        elif reading is _NAME and kinds == _TEXTS:
            iris = [self.plans.name(one) for one in values]
            self.mentioned.update({str(iri) for iri, _ in {*iris}})
            return [iri for iri, _ in iris], inexact or [at for at, (_, same) in enumerate(iris) if not same]
        else:
            found = [self.member(one, known) for one in values]
        return [term for term, _ in found], [at for at, (_, is_inexact) in enumerate(found) if is_inexact]

    def below(
        self, kind: object, values: Sequence[Any], stems: Sequence[str], place: ColumnOwner, *, is_set: bool
    ) -> tuple[Sequence[Node | list[Node] | None], Collection[int]]:
        """Return the same as `column` for values of one `kind`: all objects, or all arrays of objects.

        `stems` are the prefixes of the objects' names, `is_set` is whether an array of one object stays one.
        """
        if kind is dict:
            return self.objects(Objects(values, stems), place), range(len(values)) if is_set else ()
        sizes = [*map(len, values)]
        names = [f"{stem}/{at}" for stem, size in zip(stems, sizes, strict=True) for at in range(size)]
        positions = [*chain.from_iterable(map(range, sizes))]
        nodes = iter(self.objects(Objects([*chain.from_iterable(values)], names, positions), place))
        held: list[Node | list[Node] | None] = [next(nodes) if size == 1 else [*islice(nodes, size)] for size in sizes]
        return held, [] if is_set else [at for at, size in enumerate(sizes) if size == 1]

    def natives(self, values: Sequence[Any]) -> list[Node]:
        """Return the literals of values of properties; a value that is no scalar becomes one JSON literal."""
        texts, scalars = self.texts, self.scalars
        return [
            texts[one] if kind is str else _json(one) if kind in _NO_SCALARS else scalars[kind, one]
            for kind, one in zip(map(type, values), values, strict=True)
        ]

    def member(self, value: Any, known: KeyPlan) -> tuple[Node | list[Node] | None, bool]:
        """Return the terms of the member of one object, and whether they do not restore its value."""
        kind, reading = type(value), known.reading
        if reading is _JSON or (reading is _PROPERTY and kind in _NO_SCALARS):
            return _json(value), known.is_set
        if value is None:
            return None, True
        if kind in _MAY_BE_UNDECIDED and is_undecided(value, known.term):
            return _json(value), True
        if kind is list:
            return self.array(value, known)
        term, is_inexact = self.scalar(value, reading)
        return term, is_inexact or known.is_set

    def array(self, values: list[Any], known: KeyPlan) -> tuple[Node | list[Node] | None, bool]:
        """Return the same as `member` for an array without objects."""
        if not values:
            return None, True
        if known.reading is not _PLAIN:
            raise NotCoveredError
        if {*map(type, values)} == _TEXTS:
            distinct = list(dict.fromkeys(values))
            terms = [self.texts[one] for one in distinct]
            is_inexact = sorted(values) != values or len(distinct) != len(values)
        else:
            terms = list(dict.fromkeys(self.scalar(one, known.reading)[0] for one in values))
            is_inexact = True
        if len(terms) == 1:
            return terms[0], is_inexact or not known.is_set
        return terms, is_inexact

    def map(self, value: Any, column: Column, name: str, depth: int) -> tuple[Node | list[Node] | None, bool]:
        """Return the same as `member` for a map of objects, at the object called `name`."""
        known = column.known
        is_undecided_one = type(value) in _MAY_BE_UNDECIDED and is_undecided(value, known.term)
        if value is None or known.reading is _JSON or is_undecided_one:
            return self.member(value, known)
        if type(value) is not dict or not known.has_objects or not all(type(one) is dict for one in value.values()):
            raise NotCoveredError
        if not value:
            return None, True
        places = {token: at for at, token in enumerate(value)}
        stem = stem_of(name, known)
        tokens = sorted(value)  # as PyLD does with the keys of maps
        names = [literals.below(stem, token) for token in tokens]
        objects = Objects([value[one] for one in tokens], names, [places[one] for one in tokens])
        terms = self.objects(objects, ColumnOwner(known.term, column.plan, depth, is_map=True))
        return terms if len(terms) > 1 else terms[0], any("@id" in one for one in value.values())

    def scalar(self, value: Any, reading: PlainTerm) -> tuple[Node, bool]:
        """Return the term of a scalar, and whether it would be read back as another JSON value."""
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
