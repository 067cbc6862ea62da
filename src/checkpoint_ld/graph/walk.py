"""Expansion by a compiled context: one walk from a JSON tree to its statements.

It covers documents as they usually are and gives exactly what annotation, PyLD's expansion and completion give, or
raises NotCoveredError. Then those do the work, which takes forty times as long.

Objects that are values of one member, wherever they stand, are taken together, level by level, and alike ones member by
member: a few expressions over hundreds of values do most of the work. To go from object to object took twice the time.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.graph import naming
from checkpoint_ld.graph.alike import TOGETHER, alike, columns_of
from checkpoint_ld.graph.columns import Columns, Inside, Objects, Place
from checkpoint_ld.graph.compaction import POSITION, Compaction, coercion_of
from checkpoint_ld.graph.completion import tell_residue
from checkpoint_ld.graph.expansion import IDENTIFIER, RDF_TYPE
from checkpoint_ld.graph.plans import NotCoveredError, Reading, compiled
from checkpoint_ld.graph.residue import Residue, difference

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.alike import Alike
    from checkpoint_ld.graph.plans import KeyPlan
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.graph.terms import Term

Tree = dict[str, Any]

_DEEPEST = 60
"""Levels of objects; deeper ones are left to the whole algorithm, which sets them apart."""
_TEXTS = {str}
_SAYING_NOTHING = frozenset(((), ("@id",)))
NOT_IN_STEM = ("#", "%23")
"""What would make names by place of two bases look alike."""


class RepeatedNameError(NotCoveredError):
    """Two objects in different groups have the same name: it matters which one comes first in the document."""


class Walk(Columns):
    """One walk through a tree; `odd` notes what the statements say otherwise, until `complete`.

    `taken` holds names that are in use elsewhere.
    """

    def __init__(self, own_context: object, taken: Container[object] = ()) -> None:
        super().__init__()
        self.plans = compiled(own_context)
        self.index: Index = {}
        self.taken = taken
        self.source: Tree = {}
        self.mentioned: set[str] = set()
        self.own: dict[str, int] = {}
        """Names that objects have by their own ids, and how many groups there were before that of the object."""
        self.seen: set[int] = set()
        self.groups: list[tuple[Sequence[Tree], Sequence[str]]] = []
        self.odd: list[tuple[Node, Tree, list[KeyPlan]]] = []
        self.alone_to = 0
        """Down to which level objects are taken one by one, each with all below it, in the order of the document."""
        self.turn = 0
        """How many groups there were when objects were begun that come after all of those in the document."""

    def root(self, tree: Tree) -> str:
        """Hold the statements of a canonical tree; return the name of its root."""
        self.source = {key: value for key, value in tree.items() if key != "@context"}
        if "@type" not in tree:
            raise NotCoveredError
        self.node(self.source, naming.root_of(tree) if "@id" not in tree else "")
        return self.groups[0][1][0]

    def node(self, source: Tree, name: str, via: Term | None = None, position: int | None = None) -> Node:
        """Hold the statements of an object and of all below it; return its node.

        `name` is its name by place, `via` the member that it is a value of.
        """
        one = Objects([source], [name], None if position is None else [position])
        [node] = self.in_turn(one, Place(via))
        if any(name in self.own or URIRef(name) in self.taken for name in self.mentioned):
            raise NotCoveredError  # what is a mere name would be read back as the object that has it
        return node

    def in_turn(self, found: Objects, place: Place) -> list[Node]:
        """Do what `objects` does, as many together as can be where it matters which one comes first."""
        for self.alone_to in (0, 1):
            try:
                return self.objects(found, place)
            except RepeatedNameError:
                self.forget()
        self.alone_to = _DEEPEST
        return self.objects(found, place)

    def forget(self) -> None:
        """Hold nothing any more."""
        for held in (self.index, self.own, self.seen, self.groups, self.odd, self.mentioned):
            held.clear()

    def objects(self, found: Objects, place: Place) -> list[Node]:
        """Hold the statements of objects and of all below them; return their nodes."""
        sources, most = found.sources, TOGETHER if place.depth > self.alone_to else 1
        if place.depth <= max(self.alone_to, 1):
            self.turn = len(self.groups)
        if len(sources) > most:
            parts = (found.part(at, at + most) for at in range(0, len(sources), most))
            return [*chain.from_iterable(self.objects(part, place) for part in parts)]
        size = len(self.seen) + len(sources)
        self.seen.update(map(id, sources))
        if len(self.seen) < size or place.depth > _DEEPEST:  # not all new: an object stands at two places
            raise NotCoveredError
        groups = alike(sources)
        if groups is None:
            raise NotCoveredError
        if len(groups) == 1:
            return self.group(found, groups[0], place)
        nodes: list[Any] = [None] * len(sources)
        for group in groups:
            for at, node in zip(group.members, self.group(found.only(group.members), group, place), strict=True):
                nodes[at] = node
        return nodes

    def group(self, found: Objects, shape: Alike, place: Place) -> list[Node]:
        """Do what `objects` does for alike objects."""
        (kind, keys, _), (sources, names, positions) = shape, found
        if (not kind and "@type" in keys) or (place.depth and ("position" in keys or keys in _SAYING_NOTHING)):
            raise NotCoveredError
        plan = self.plans.at(kind, place.via, place.around)
        beside: dict[URIRef, list[Node | None]] = {}
        own: Sequence[str | None] = ()
        if "@id" in keys:
            own = self.own_names(sources)
            names = [one or by_place for one, by_place in zip(own, names, strict=True)]
            identifiers = [one["@id"] for one in sources]
            unsaid = [*map(naming.tells, names, identifiers)]
            if not all(unsaid):
                pairs = zip(identifiers, unsaid, strict=True)
                beside[IDENTIFIER] = [None if is_unsaid else self.texts[one] for one, is_unsaid in pairs]
        if positions is not None and (place.is_map or any(own)):
            are_told = own if not place.is_map else names
            told = zip(positions, are_told, strict=True)
            beside[POSITION] = [self.scalars[int, at] if is_told else None for at, is_told in told]
        # Looking whether they are IRIs, as URIRef does, takes as long as the rest of the work on an object.
        subjects: list[Node] = [*map(str.__new__, repeat(URIRef), names)]
        self.groups.append((sources, names))
        self.tell(subjects, sources, Inside(plan, names, place.depth + 1), beside)
        return subjects

    def own_names(self, sources: Sequence[Tree]) -> list[str | None]:
        """Return the names that the objects' own ids give them, None where another object has it."""
        names: list[str | None] = []
        group = len(self.groups)
        for one in sources:
            identifier = one["@id"]
            if type(identifier) is not str:
                raise NotCoveredError
            name = naming.iri_of(identifier)
            if any(one in name for one in NOT_IN_STEM):
                raise NotCoveredError
            owner = self.own.get(name)
            if owner is not None and self.turn <= owner < group:
                raise RepeatedNameError
            is_free = owner is None and str.__new__(URIRef, name) not in self.taken
            names.append(name if is_free else None)
            if is_free:
                self.own[name] = group
        return names

    def tell(
        self,
        subjects: Sequence[Node],
        sources: Sequence[Tree],
        inside: Inside,
        beside: Mapping[URIRef, list[Node | None]],
    ) -> None:
        """Hold the statements of objects with the same keys, and what `beside` their members is said of them."""
        odd: dict[int, list[KeyPlan]] = {}
        columns: dict[URIRef, Sequence[Node | list[Node] | None]] = {}
        members = inside.plan.members(tuple(sources[0]))
        for known, values in zip(members, columns_of(sources).values(), strict=True):
            if known is not None:
                columns[known.predicate], left = self.column(values, known, inside)
                for at in left:
                    odd.setdefault(at, []).append(known)
        if RDF_TYPE in columns or not beside.keys().isdisjoint(columns):
            raise NotCoveredError
        gaps = set(odd)
        for predicate, terms in beside.items():
            columns[predicate] = terms
            gaps.update(at for at, one in enumerate(terms) if one is None)
        self.hold(subjects, inside.plan.type, columns, gaps)
        self.odd += [(subjects[at], sources[at], odd[at]) for at in sorted(odd)]

    def hold(
        self,
        subjects: Sequence[Node],
        kind: URIRef | None,
        columns: Mapping[URIRef, Sequence[Node | list[Node] | None]],
        gaps: Collection[int],
    ) -> None:
        """Hold the type of nodes and what is said of them, by predicate; in the rows `gaps` something may be None."""
        pattern: dict[Any, Any] = {RDF_TYPE: kind} if kind is not None else {}
        pattern.update(dict.fromkeys(columns))
        held = [pattern.copy() for _ in subjects]
        for predicate, column in columns.items():
            for statements, said in zip(held, column, strict=True):
                statements[predicate] = said
        for at in gaps:
            held[at] = {predicate: said for predicate, said in held[at].items() if said is not None}
        told = zip(subjects, held, strict=True)
        self.index.update(told if pattern and not gaps else [(subject, said) for subject, said in told if said])

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of all objects, by their identity."""
        return {id(one): name for group in self.groups for one, name in zip(*group, strict=True)}

    def complete(self) -> None:
        """Tell the residue of what the statements say otherwise than the document, children first."""
        reader = Compaction(self.index, self.plans.table)
        for subject, source, odd in self.odd:
            tell_residue(self.index, subject, self.residue(subject, source, odd, reader))

    def residue(self, subject: Node, source: Tree, odd: list[KeyPlan], reader: Compaction) -> Residue:
        """Return the residue of some members of an object, given what reads its statements."""
        left = Residue()
        for known in odd:
            value = source[known.key]
            if is_texts(value, known):
                left = left.joined({known.key: value}, {known.key: _read_texts(value, known)})
                continue
            held = known.predicate in reader.index.get(subject, ())
            read = {known.key: reader.told(subject, known.predicate, known.term, _coercion(known))} if held else {}
            names = self.names if has_objects(value) else {}
            left = left.and_also(difference({known.key: value}, read, names, ()))
        return left


def is_texts(value: Any, known: KeyPlan) -> bool:
    """Tell whether a member's value is an array of mere texts, which need not be read back: their order is known."""
    return known.reading is Reading.PLAIN and type(value) is list and {*map(type, value)} == _TEXTS


def _read_texts(value: list[str], known: KeyPlan) -> list[str] | str:
    """Return what the statements say of an array of texts."""
    texts = sorted({*value})
    return texts if known.is_set or len(texts) > 1 else texts[0]


def has_objects(value: Any) -> bool:
    """Tell whether a member's value is an object, or an array with one."""
    return any(type(one) is dict for one in (value if isinstance(value, list) else [value]))


def _coercion(known: KeyPlan) -> str | None:
    """Return the coercion under which a member is read back, beside that of its term."""
    return coercion_of(known.key, known.term, is_property=known.reading is Reading.PROPERTY)
