"""Shapes of agent checkpoints, compiled: what is asked of the parts of a tree, without a graph."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rdflib import BNode, URIRef

from checkpoint_ld.agent.rules.constraints import COMPILERS
from checkpoint_ld.agent.rules.values import is_sparse, located, term_of, values
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.validation.checks import listed, sh, told
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, SHACL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rdflib.term import Node

    from checkpoint_ld.agent.rules.odds import Odd
    from checkpoint_ld.agent.rules.parts import Part, Parts
    from checkpoint_ld.agent.rules.values import Value
    from checkpoint_ld.findings import Severity
    from checkpoint_ld.graph.store import Index

MEMBER = URIRef(CHECKPOINT_SHACL + "member")


class Result(NamedTuple):
    """One value, or the lack of one, that does not satisfy a shape (SHACL 1.0 §3.6.2).

    `place` is the JSON Pointer of what is at fault in the tree, `detail` what there is to say about it. `severity` is
    None where the rule tells it.
    """

    part: Part
    shape: Node
    component: Node
    path: Node
    value: Value | None
    place: str
    detail: str = ""
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A property shape: which parts it targets, the properties that it looks at, and what it asks of them.

    `tests` judge a value by itself, each with its constraint component; `apart` is a property that must hold none of
    the values. `member` is the key that a finding points to where there is no value to point to.
    """

    shape: Node
    classes: tuple[str, ...]
    subjects_of: tuple[str, ...]
    paths: tuple[str, ...]
    path: Node
    least: int
    most: int | None
    tests: tuple[tuple[Node, Callable[[Parts, Value], bool]], ...]
    apart: str | None
    member: str

    @property
    def is_sparse(self) -> bool:
        """Whether it is satisfied where nothing is at odds."""
        return not self.least and all(map(is_sparse, self.paths))

    def passes(self, parts: Parts, found: list[Value]) -> bool:
        """Tell whether the values of its only property surely satisfy the shape."""
        if self.apart is not None or not self.least <= len(found) or (self.most is not None and len(found) > self.most):
            return False
        for value in found:
            for _, holds in self.tests:
                if not holds(parts, value):
                    return False
        return True

    def results(self, parts: Parts, part: Part, odd: dict[str, list[Odd]]) -> Iterator[Result]:
        """Yield what does not satisfy the shape in one part; `odd` is what is derived about the part."""
        found = [(one.value, one.place, one.detail) for path in self.paths for one in odd.get(path, ())]
        found += [(value, place, "") for path in self.paths for value, place in located(parts, part, path)]
        is_counted = len(found) > 1 and (self.least > 1 or self.most is not None)
        count = len({term_of(value) for value, _, _ in found}) if is_counted else len(found)
        if count < self.least:
            yield self._of(part, "MinCount", None, self._missing(part))
        if self.most is not None and count > self.most:
            yield self._of(part, "MaxCount", None, found[self.most][1])
        others = values(parts, part, self.apart) if self.apart is not None else ()
        for value, place, detail in found:
            for component, holds in self.tests:
                if not holds(parts, value):
                    yield Result(part, self.shape, component, self.path, value, place, detail)
            if value in others:
                yield self._of(part, "Disjoint", value, place)

    def _of(self, part: Part, component: str, value: Value | None, place: str) -> Result:
        return Result(part, self.shape, sh(component + "ConstraintComponent"), self.path, value, place)

    def _missing(self, part: Part) -> str:
        return f"{part.pointer}/{self.member}" if self.member else part.pointer


class Group:
    """The shapes that target one class: by their only property, those about what is at odds, and all others."""

    def __init__(self) -> None:
        self.by_path: dict[str, list[Asked]] = {}
        self.sparse: list[Asked] = []
        self.others: list[Asked] = []

    def add(self, one: Asked) -> None:
        """Put a shape where it belongs."""
        if one.is_sparse:
            self.sparse.append(one)
        elif len(one.paths) == 1:
            self.by_path.setdefault(one.paths[0], []).append(one)
        else:
            self.others.append(one)

    def doubtful(self, parts: Parts, part: Part, *, is_odd: bool) -> Iterator[Asked]:
        """Yield the shapes that a part does not surely satisfy."""
        for path, asked in self.by_path.items():
            found = values(parts, part, path)
            for one in asked:
                if not one.passes(parts, found):
                    yield one
        yield from self.others
        if is_odd:
            yield from self.sparse


class Shapes:
    """The shapes of a profile, compiled: by the classes and properties that they target."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.asked = [_compiled(index, shape) for shape, said in index.items() if _is_shape(said)]
        self.by_class: dict[str, Group] = defaultdict(Group)
        self.by_property: dict[str, list[Asked]] = defaultdict(list)
        for one in self.asked:
            for kind in one.classes:
                self.by_class[kind].add(one)
            for prop in one.subjects_of:
                self.by_property[prop].append(one)


def _is_shape(said: dict[Node, Node | list[Node]]) -> bool:
    return sh("targetClass") in said or sh("targetSubjectsOf") in said


def _compiled(index: Index, shape: Node) -> Asked:
    said = index[shape]
    [path] = told(index, shape, "path")
    # A constraint that is not understood is a KeyError: no shape of ours may be held by halves.
    tests = [
        (_component(predicate), COMPILERS[predicate](index, term))
        for predicate, held in said.items()
        if str(predicate).startswith(SHACL) and predicate not in _NO_TESTS
        for term in terms_of(held)
    ]
    return Asked(
        shape,
        tuple(map(str, told(index, shape, "targetClass"))),
        tuple(map(str, told(index, shape, "targetSubjectsOf"))),
        tuple(_paths(index, path)),
        path,
        least=max((int(str(one)) for one in told(index, shape, "minCount")), default=0),
        most=min((int(str(one)) for one in told(index, shape, "maxCount")), default=None),
        tests=tuple(tests),
        apart=next(map(str, told(index, shape, "disjoint")), None),
        member=next(map(str, terms_of(said.get(MEMBER))), ""),
    )


_NO_TESTS = frozenset(
    sh(name)
    for name in (
        *("path", "name", "description", "message", "severity", "targetClass", "targetSubjectsOf"),
        *("minCount", "maxCount", "disjoint"),
    )
)


def _component(predicate: Node) -> URIRef:
    local = str(predicate).removeprefix(SHACL)
    return sh(f"{local[:1].upper()}{local[1:]}ConstraintComponent")


def _paths(index: Index, path: Node) -> Iterator[str]:
    if isinstance(path, BNode):
        for alternatives in told(index, path, "alternativePath"):
            yield from map(str, listed(index, alternatives))
    else:
        yield str(path)
