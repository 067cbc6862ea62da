"""What shapes ask of objects of one layout, sorted by the properties that it is asked of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.constraints.values import OBJECT
from checkpoint_ld.graph.expansion import RDF_TYPE, named
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rdflib.term import Node

    from checkpoint_ld.graph.plans import Reading
    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.screen import Screen, Screened


class Slot:
    """What is asked of the values of one property: of each by itself, and whether there may be but one.

    `texts` ask of plain texts what `terms` ask of their literals. `is_part` says that the values are objects that are
    looked at by themselves. `shapes` are those that ask. `good` are values that passed: texts that repeat, and others
    with their types.
    """

    __slots__ = ("forms", "good", "is_part", "reading", "shapes", "single", "terms", "texts")

    def __init__(self, reading: Reading, *, is_part: bool = False) -> None:
        self.reading = reading
        self.terms: tuple[Callable[[Node], bool], ...] = ()
        self.texts: tuple[Callable[[str], object], ...] = ()
        self.forms: tuple[Callable[[object], object], ...] = ()
        self.single = False
        self.is_part = is_part
        self.shapes: set[Node] = set()
        self.good: set[object] = set()

    @property
    def question(self) -> tuple[object, ...]:
        """What is the same for slots that ask the same of values that are read in the same way."""
        return self.reading, self.terms, self.forms

    @property
    def asks(self) -> bool:
        """Whether anything is asked of each value."""
        return bool(self.terms or self.forms)

    @property
    def is_asked(self) -> bool:
        """Whether anything is asked of the values where they stand."""
        return self.asks and not self.is_part

    def lets_objects_pass(self) -> bool:
        """Tell whether nothing is asked of the values that an object of its own does not surely satisfy."""
        return not self.terms and all(fault(OBJECT) is None for fault in self.forms)


def asked(screen: Screen, place: Place, told: dict[Node, list[Node]], slots: dict[Node, Slot]) -> list[Screened] | None:
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
        slot.texts += tuple(one for one in shape.texts if one not in slot.texts)
        slot.forms += tuple(one for one in shape.forms if one not in slot.forms)
        slot.single = slot.single or shape.most is not None
        slot.shapes.add(shape.shape)
    return True
