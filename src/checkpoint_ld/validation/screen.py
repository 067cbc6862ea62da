"""The screen: which focus nodes surely satisfy which shapes, told straight from the subject index.

pySHACL takes milliseconds for a node. The screen compiles the very same shapes into functions and drops the focus nodes
that pass from the targets; pySHACL speaks for all the others, and for every shape that the screen does not understand.
It may call a good node doubtful, never a bad one good.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rdflib import Graph, Literal, URIRef
from rdflib.collection import Collection

from checkpoint_ld.constraints import relations
from checkpoint_ld.constraints.forms import FORMS
from checkpoint_ld.constraints.values import value_of
from checkpoint_ld.graph.literals import XSD_STRING
from checkpoint_ld.graph.store import Index, terms_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, RDF, SHACL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rdflib.term import Node

    Values = list[Node]
    Check = Callable[[Index, Node, Values], bool]
    """Tells that a focus node with these values surely satisfies one constraint."""


def _sh(name: str) -> URIRef:
    return URIRef(SHACL + name)


def _ck(name: str) -> URIRef:
    return URIRef(CHECKPOINT_SHACL + name)


_TYPE = URIRef(RDF + "type")
_SUBCLASS = URIRef("http://www.w3.org/2000/01/rdf-schema#subClassOf")
_CLASS = URIRef("http://www.w3.org/2000/01/rdf-schema#Class")
_TARGETS = (_sh("targetClass"), _sh("targetSubjectsOf"))
_NO_CONSTRAINTS = frozenset(
    (
        *(
            _TYPE,
            _sh("path"),
            _sh("name"),
            _sh("description"),
            _sh("message"),
            _sh("severity"),
            _sh("flags"),
            *_TARGETS,
        ),
        *(_ck(name) for name in ("code", "condition", "remedy", "member", "excusedIn", "suggest")),
        URIRef("http://www.w3.org/2000/01/rdf-schema#comment"),
    )
)


@dataclass(frozen=True, slots=True)
class Screened:
    """A property shape as a function: what it targets, the properties that its path may be, and its constraints."""

    shape: Node
    targets: tuple[tuple[Node, Node], ...]
    paths: tuple[Node, ...]
    checks: tuple[Check, ...]

    def doubtful(self, index: Index, members: dict[tuple[Node, Node], list[Node]]) -> list[Node]:
        """Return the focus nodes that do not surely satisfy the shape."""
        focus = dict.fromkeys(node for target in self.targets for node in members.get(target, ()))
        return [node for node in focus if not self._passes(index, node)]

    def _passes(self, index: Index, focus: Node) -> bool:
        held = index.get(focus, {})
        values = [term for path in self.paths for term in terms_of(held.get(path))]
        return all(check(index, focus, values) for check in self.checks)


class Screen:
    """The shapes of a graph, as far as they can be compiled."""

    def __init__(self, shapes: Graph) -> None:
        self.shapes = shapes
        self.screened: list[Screened] = []
        for shape in {shape for target in _TARGETS for shape in shapes.subjects(target)}:
            compiled = _compiled(shapes, shape)
            if compiled is not None:
                self.screened.append(compiled)
        known = {one.shape for one in self.screened}
        targets = (*_TARGETS, _sh("targetNode"), _sh("targetObjectsOf"), _sh("target"))
        self.others = {shape for target in targets for shape in shapes.subjects(target)} - known
        self.others |= set(shapes.subjects(_TYPE, _CLASS))  # a class that is a shape targets its own instances

    def remaining(self, index: Index) -> Graph | None:
        """Return the shapes that are left to pySHACL, aimed at the nodes in doubt; None if nothing is left."""
        if not _is_flat(index):
            return self.shapes
        members = _members(index)
        doubtful = {one.shape: one.doubtful(index, members) for one in self.screened}
        others = any(self._has_focus(shape, members) for shape in self.others)
        if not others and not any(doubtful.values()):
            return None
        left = Graph(bind_namespaces="core")
        for triple in self.shapes:
            if triple[0] not in doubtful or triple[1] not in _TARGETS:
                left.add(triple)
        for shape, nodes in doubtful.items():
            for node in nodes:
                left.add((shape, _sh("targetNode"), node))
        return left

    def _has_focus(self, shape: Node, members: dict[tuple[Node, Node], list[Node]]) -> bool:
        told = [(target, term) for target in _TARGETS for term in self.shapes.objects(shape, target)]
        return not told or any(members.get(one) for one in told)


def _is_flat(index: Index) -> bool:
    """Tell whether the graph has no hierarchy of classes, which only pySHACL follows."""
    return not any(_SUBCLASS in predicates for predicates in index.values())


def _members(index: Index) -> dict[tuple[Node, Node], list[Node]]:
    """Return the nodes that each class and each property targets."""
    members: dict[tuple[Node, Node], list[Node]] = defaultdict(list)
    by_class, by_property = _TARGETS
    for subject, predicates in index.items():
        for kind in terms_of(predicates.get(_TYPE)):
            members[by_class, kind].append(subject)
        for predicate in predicates:
            members[by_property, predicate].append(subject)
    return members


def _compiled(shapes: Graph, shape: Node) -> Screened | None:
    """Compile a property shape; None if there is anything in it that is not understood."""
    paths = tuple(_paths(shapes, shapes.value(shape, _sh("path"))))
    checks = []
    for predicate, term in shapes.predicate_objects(shape):
        if predicate not in _NO_CONSTRAINTS:
            compiler = _COMPILERS.get(predicate)
            check = compiler(shapes, shape, term) if compiler is not None else None
            if check is None:
                return None
            checks.append(check)
    targets = tuple((target, term) for target in _TARGETS for term in shapes.objects(shape, target))
    return Screened(shape, targets, paths, tuple(checks)) if paths else None


def _paths(shapes: Graph, path: Node | None) -> Iterator[Node]:
    if isinstance(path, URIRef):
        yield path
        return
    alternatives = shapes.value(path, _sh("alternativePath"))
    if alternatives is not None:
        yield from Collection(shapes, alternatives)


def _least(_shapes: Graph, _shape: Node, term: Node) -> Check:
    least = int(str(term))
    return lambda _index, _focus, values: len(set(values)) >= least


def _most(_shapes: Graph, _shape: Node, term: Node) -> Check:
    most = int(str(term))
    return lambda _index, _focus, values: len(set(values)) <= most


def _each(holds: Callable[[Node], bool]) -> Check:
    return lambda _index, _focus, values: all(map(holds, values))


def _datatype(_shapes: Graph, _shape: Node, term: Node) -> Check | None:
    if term != XSD_STRING:
        return None  # whether a text is in the lexical space of its datatype is for pySHACL to say
    return _each(
        lambda value: isinstance(value, Literal) and value.language is None and value.datatype in (None, XSD_STRING)
    )


def _length(_shapes: Graph, _shape: Node, term: Node) -> Check:
    least = int(str(term))
    return _each(lambda value: isinstance(value, (Literal, URIRef)) and len(str(value)) >= least)


def _pattern(shapes: Graph, shape: Node, term: Node) -> Check | None:
    flags = str(shapes.value(shape, _sh("flags")) or "")
    if flags not in ("", "i"):
        return None
    # SPARQL's REGEX searches; pySHACL matches from the start, which is the stricter of the two.
    pattern = re.compile(str(term), re.IGNORECASE if flags else 0)
    return _each(lambda value: isinstance(value, (Literal, URIRef)) and pattern.match(str(value)) is not None)


def _class(_shapes: Graph, _shape: Node, term: Node) -> Check:
    return lambda index, _focus, values: all(term in terms_of(index.get(one, {}).get(_TYPE)) for one in values)


def _node_kind(_shapes: Graph, _shape: Node, term: Node) -> Check | None:
    kinds: dict[Node, type] = {_sh("Literal"): Literal, _sh("IRI"): URIRef}
    kind = kinds.get(term)
    return None if kind is None else _each(lambda value: isinstance(value, kind))


def _in(shapes: Graph, _shape: Node, term: Node) -> Check:
    allowed = frozenset(Collection(shapes, term))
    return _each(allowed.__contains__)


def _not_in(shapes: Graph, _shape: Node, term: Node) -> Check | None:
    """Compile the one negation that is understood: of a list of values."""
    inner = dict(shapes.predicate_objects(term))
    if inner.keys() != {_sh("in")}:
        return None
    refused = frozenset(Collection(shapes, inner[_sh("in")]))
    return _each(lambda value: value not in refused)


def _equals(_shapes: Graph, _shape: Node, term: Node) -> Check:
    return lambda index, focus, values: set(values) == set(terms_of(index.get(focus, {}).get(term)))


def _has(_shapes: Graph, _shape: Node, term: Node) -> Check:
    return lambda _index, _focus, values: term in values


def _well_formed(_shapes: Graph, _shape: Node, term: Node) -> Check:
    form = FORMS[str(term)]
    return _each(lambda value: form(value_of(value)) is None)


def _pairs(holds: Callable[[object, object], bool]) -> Callable[[Graph, Node, Node], Check]:
    """Return a compiler for a relation between each value and those of the property that is named."""

    def compiler(_shapes: Graph, _shape: Node, term: Node) -> Check:
        def check(index: Index, focus: Node, values: Iterable[Node]) -> bool:
            others = [value_of(one) for one in terms_of(index.get(focus, {}).get(term))]
            return all(holds(value_of(value), other) for value in values for other in others)

        return check

    return compiler


def _no_values(_shapes: Graph, _shape: Node, _term: Node) -> Check:
    return lambda _index, _focus, values: not values


def _identifies(_shapes: Graph, _shape: Node, term: Node) -> Check:
    text = URIRef("https://schema.org/text")

    def check(index: Index, focus: Node, values: Iterable[Node]) -> bool:
        questions = terms_of(index.get(focus, {}).get(term))
        texts = [value_of(one) for question in questions for one in terms_of(index.get(question, {}).get(text))]
        return all(relations.is_identifier_of(value_of(value), one) for value in values for one in texts)

    return check


_COMPILERS: dict[Node, Callable[[Graph, Node, Node], Check | None]] = {
    _sh("minCount"): _least,
    _sh("maxCount"): _most,
    _sh("datatype"): _datatype,
    _sh("minLength"): _length,
    _sh("pattern"): _pattern,
    _sh("class"): _class,
    _sh("nodeKind"): _node_kind,
    _sh("in"): _in,
    _sh("not"): _not_in,
    _sh("equals"): _equals,
    _sh("hasValue"): _has,
    _ck("wellFormed"): _well_formed,
    _ck("notBefore"): _pairs(lambda value, other: not relations.is_before(value, other)),
    _ck("below"): _pairs(relations.is_below),
    _ck("sameNumber"): _pairs(relations.is_same_number),
    _ck("identifies"): _identifies,
    _ck("spelling"): _no_values,
    _ck("placement"): _no_values,
    _ck("typed"): _no_values,
    _ck("sameIn"): _no_values,
}
"""The constraints that are understood (SHACL 1.0 §4, and our own)."""
