"""The screen: which focus nodes surely satisfy which shapes, told straight from the statements.

pySHACL takes milliseconds for a node. The screen compiles the very same shapes into functions and drops the focus nodes
that pass from the targets; pySHACL speaks for all the others, and for every shape that the screen does not understand.
It may call a good node doubtful, never a bad one good.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from rdflib import BNode, URIRef

from checkpoint_ld.constraints.values import value_of
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.store import Index, terms_of, triples_of
from checkpoint_ld.validation.checks import COMPILERS, ck, listed, sh, shared, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from rdflib.term import Node

    from checkpoint_ld.validation.checks import Check, Pair, Statements

_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SUBCLASS = URIRef(_RDFS + "subClassOf")
_CLASS = URIRef(_RDFS + "Class")
_NONE: Mapping[Node, AbstractSet[Node]] = MappingProxyType({})
_TARGETS = (sh("targetClass"), sh("targetSubjectsOf"))
_OTHER_TARGETS = (sh("targetNode"), sh("targetObjectsOf"), sh("target"))
_NO_CONSTRAINTS = frozenset(
    (
        *(RDF_TYPE, URIRef(_RDFS + "comment"), *_TARGETS),
        *(sh(name) for name in ("path", "name", "description", "message", "severity", "flags")),
        *(ck(name) for name in ("code", "condition", "remedy", "member", "excusedIn", "suggest")),
    )
)


@dataclass(frozen=True, slots=True)
class Screened:
    """A property shape as functions: what it targets, the properties that its path may be, and what it asks.

    `least` and `most` bound the number of values. `looks_at` are all properties that the shape looks at, None where it
    looks beyond its focus node. The other parts are those of `checks.Check`; `pairs` is None where `related` asks more.
    """

    shape: Node
    targets: tuple[tuple[Node, Node], ...]
    paths: tuple[Node, ...]
    least: int
    most: int | None
    terms: tuple[Callable[[Node], bool], ...]
    texts: tuple[Callable[[str], object], ...]
    forms: tuple[Callable[[object], object], ...]
    kinds: tuple[Node, ...]
    related: tuple[Callable[[Statements, Node, list[Node]], bool], ...]
    pairs: tuple[Pair, ...] | None
    is_vacuous: bool
    looks_at: frozenset[Node] | None

    def passes(self, of: Statements, focus: Node) -> bool:
        """Tell whether a focus node surely satisfies the shape."""
        values = [term for path in self.paths for term in of.terms(focus, path)]
        if not self.bears(len(set(values)) if len(values) > 1 else len(values)):
            return False
        return (
            all(judge(value, self.terms, self.forms) for value in values)
            and all(kind in of.terms(value, RDF_TYPE) for kind in self.kinds for value in values)
            and all(holds(of, focus, values) for holds in self.related)
        )

    def bears(self, count: int) -> bool:
        """Tell whether there may be so many values."""
        return self.least <= count and (self.most is None or count <= self.most)


def judge(value: Node, terms: Iterable[Callable[[Node], bool]], forms: tuple[Callable[[object], object], ...]) -> bool:
    """Tell whether a value surely satisfies what is asked of it by itself."""
    for holds in terms:
        if not holds(value):
            return False
    if forms:
        json = value_of(value)
        for fault in forms:
            if fault(json) is not None:
                return False
    return True


class Screen:
    """The shapes of a profile, as far as they can be compiled; `others` are those that cannot."""

    def __init__(self, shapes: Index) -> None:
        self.shapes = shapes
        compiled = {
            shape: _compiled(shapes, shape)
            for shape, said in shapes.items()
            if any(target in said for target in _TARGETS)
        }
        self.screened = [one for one in compiled.values() if one is not None]
        # A class that is a shape targets its own instances.
        self.others = {
            shape
            for shape, said in shapes.items()
            if any(target in said for target in (*_TARGETS, *_OTHER_TARGETS)) or _CLASS in terms_of(said.get(RDF_TYPE))
        } - {one.shape for one in self.screened}

    @cached_property
    def by_target(self) -> Mapping[tuple[Node, Node], tuple[Screened, ...]]:
        """The compiled shapes by their targets, pairs of a kind of target and a class or property."""
        found: dict[tuple[Node, Node], list[Screened]] = defaultdict(list)
        for one in self.screened:
            for target in one.targets:
                found[target].append(one)
        return {target: tuple(these) for target, these in found.items()}

    def of_object(self, classes: Iterable[Node], predicates: Iterable[Node]) -> list[Screened]:
        """Return the compiled shapes that target an object with these classes and these properties."""
        by_class, by_property = _TARGETS
        targets = (*((by_class, one) for one in classes), *((by_property, one) for one in predicates))
        return list({one.shape: one for target in targets for one in self.by_target.get(target, ())}.values())

    def leaves(self, classes: Iterable[Node], predicates: Iterable[Node]) -> bool:
        """Tell whether a shape that could not be compiled may target an object with these classes and properties."""
        here = {(_TARGETS[0], one) for one in classes} | {(_TARGETS[1], one) for one in predicates}
        return any(not targets or not targets.isdisjoint(here) for targets in self._targets_of_others)

    def is_blind_to(self, predicate: Node) -> bool:
        """Tell whether no shape targets or looks at a property of any node; false where that is not certain."""
        targets = {term for one in self.screened for _, term in one.targets}
        targets.update(term for these in self._targets_of_others for _, term in these)
        looked_at = {path for one in self.screened for path in (*one.paths, *(one.looks_at or ()))}
        return all(self._targets_of_others) and predicate not in targets and predicate not in looked_at

    @cached_property
    def _targets_of_others(self) -> list[frozenset[tuple[Node, Node]]]:
        """The targets of each shape that could not be compiled, none for one with targets of another kind."""
        found: list[frozenset[tuple[Node, Node]]] = []
        for shape in self.others:
            said = self.shapes[shape]
            is_usual = not any(target in said for target in _OTHER_TARGETS) and _CLASS not in terms_of(
                said.get(RDF_TYPE)
            )
            targets = ((target, term) for target in _TARGETS for term in terms_of(said.get(target)))
            found.append(frozenset(targets if is_usual else ()))
        return found

    def doubtful(
        self,
        of: Statements,
        parts: Iterable[Index],
        suspects: Mapping[Node, AbstractSet[Node]] = _NONE,
        but: Node | None = None,
    ) -> dict[Node, list[Node]] | None:
        """Return the focus nodes that do not surely satisfy their shape, by shape; None if nothing is in doubt.

        `parts` hold the statements together; nodes in `suspects` are held against these shapes only, `but` is one that
        is not looked at. A shape that could not be compiled and has focus nodes is in doubt too.
        """
        members = _members(parts)
        doubtful: dict[Node, list[Node]] = {}
        for target, shapes in self.by_target.items():
            here = {one.shape for one in shapes}
            for node in members.get(target, ()):
                suspected = suspects.get(node)
                if suspected is not None and suspected.isdisjoint(here):
                    continue
                for one in shapes:
                    if not one.passes(of, node) and node != but:
                        doubtful.setdefault(one.shape, []).append(node)
        others = any(not targets or any(members.get(one) for one in targets) for targets in self._targets_of_others)
        return doubtful if doubtful or others else None

    def remaining(self, doubtful: Mapping[Node, list[Node]]) -> Index:
        """Return the shapes that are left to pySHACL, aimed at the nodes in doubt."""
        dropped = {one.shape for one in self.screened} - doubtful.keys() - self._referred
        left: Index = {shape: said for shape, said in self.shapes.items() if shape not in dropped}
        for one in self.screened:
            if one.shape in left:
                said = {predicate: held for predicate, held in left[one.shape].items() if predicate not in _TARGETS}
                nodes = list(dict.fromkeys(doubtful.get(one.shape, ())))
                left[one.shape] = {**said, **({sh("targetNode"): nodes} if nodes else {})}
        return left

    @cached_property
    def _referred(self) -> set[Node]:
        """The compiled shapes that other shapes refer to."""
        return {term for _, _, term in triples_of(self.shapes)} & {one.shape for one in self.screened}


def is_flat(index: Index) -> bool:
    """Tell whether the graph has no hierarchy of classes, which only pySHACL follows."""
    return not any(SUBCLASS in predicates for predicates in index.values())


def _members(parts: Iterable[Index]) -> dict[tuple[Node, Node], dict[Node, None]]:
    """Return the nodes that each class and each property targets."""
    members: dict[tuple[Node, Node], dict[Node, None]] = defaultdict(dict)
    by_class, by_property = _TARGETS
    for index in parts:
        for subject, predicates in index.items():
            for kind in terms_of(predicates.get(RDF_TYPE)):
                members[by_class, kind][subject] = None
            for predicate in predicates:
                members[by_property, predicate][subject] = None
    return members


def _compiled(shapes: Index, shape: Node) -> Screened | None:
    """Compile a property shape; None if there is anything in it that is not understood."""
    paths = tuple(path for one in told(shapes, shape, "path") for path in _paths(shapes, one))
    checks: list[Check] = []
    for predicate, held in shapes[shape].items():
        for term in () if predicate in _NO_CONSTRAINTS else terms_of(held):
            compiler = COMPILERS.get(predicate)
            check = None if compiler is None else compiler(shapes, shape, shared(term))
            if check is None:
                return None
            checks.append(check)
    if not paths or len(told(shapes, shape, "path")) > 1:
        return None
    bounds = [one.most for one in checks if one.most is not None]
    related = [one for one in checks if one.related is not None]
    pairs = tuple(one.pair for one in related if one.pair is not None)
    return Screened(
        shape,
        tuple((target, shared(term)) for target in _TARGETS for term in terms_of(shapes[shape].get(target))),
        paths,
        least=max((one.least for one in checks), default=0),
        most=min(bounds) if bounds else None,
        terms=tuple(one.term for one in checks if one.term is not None),
        texts=tuple(one.text for one in checks if one.text is not None),
        forms=tuple(one.form for one in checks if one.form is not None),
        kinds=tuple(one.kind for one in checks if one.kind is not None),
        related=tuple(one.related for one in related if one.related is not None),
        pairs=pairs if len(pairs) == len(related) else None,
        is_vacuous=all(one.is_vacuous for one in related),
        looks_at=_looked_at(paths, checks),
    )


def _looked_at(paths: tuple[Node, ...], checks: Iterable[Check]) -> frozenset[Node] | None:
    found = set(paths)
    for check in checks:
        if check.related is not None and check.also is None:
            return None
        found.update(check.also or ())
    return frozenset(found)


def _paths(shapes: Index, path: Node) -> Iterator[Node]:
    if isinstance(path, URIRef):
        yield shared(path)
    elif isinstance(path, BNode):
        alternatives = told(shapes, path, "alternativePath")
        members = [one for at in alternatives for one in listed(shapes, at)]
        if all(isinstance(one, URIRef) for one in members):
            yield from members
