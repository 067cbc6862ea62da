"""Which focus nodes a changed statement can reach: the targets, paths and nested shapes of a shape, walked backwards.

A shape is followed from its targets to all that it looks at. Each step gives a trigger: when a statement with that
predicate comes or goes, the nodes to which its end leads, back along the paths that were followed, are the focus nodes
whose results may differ. It is enough to walk in the graph as it is: where a statement on the way is gone, that
statement itself is a change nearer to the focus node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.shacl.data import SUBCLASS, Either, Inverse, Predicate, Repeated, Steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rdflib.term import Node

    from checkpoint_ld.shacl.data import DataGraph, PropertyPath
    from checkpoint_ld.shacl.shape import Shape

Way: TypeAlias = "tuple[PropertyPath, ...]"
"""The paths from a focus node to a node that a shape looks at, one after the other."""

ANY_PREDICATE = None
Statement: TypeAlias = "tuple[Node, Node, Node]"


@dataclass(frozen=True)
class Dependencies:
    """What a change leads to.

    `triggers` are, by predicate (None for any), the shapes whose focus nodes are those from which a way leads to the
    subject of a statement, or to its object. `whole` are shapes that look at the whole graph; `anywhere`
    are those that look at all statements of a predicate.
    """

    triggers: Mapping[Node | None, Mapping[tuple[Way, bool], frozenset[Node]]]
    anywhere: Mapping[Node, frozenset[Node]]
    whole: frozenset[Node]

    def walked(self) -> frozenset[Node]:
        """Return the predicates that are walked backwards."""
        ways = (way for by_way in self.triggers.values() for way, _ in by_way)
        return frozenset(predicate for way in ways for path in way for predicate, _, _ in _steps(path, ()))

    def affected(self, changed: Iterable[Statement], data: DataGraph) -> tuple[dict[Node, dict[Node, None]], set[Node]]:
        """Return the nodes by shape that changed statements reach, and the shapes to evaluate for all their targets."""
        found: dict[Node, dict[Node, None]] = {}
        every = set(self.whole)
        ends: dict[Way, dict[Node, set[Node]]] = {}
        by_predicate: dict[Node, list[Statement]] = {}
        for statement in changed:
            by_predicate.setdefault(statement[1], []).append(statement)
        for predicate, statements in by_predicate.items():
            every |= self.anywhere.get(predicate, frozenset())
            for key in (predicate, ANY_PREDICATE):
                for (way, is_object), shapes in self.triggers.get(key, {}).items():
                    nodes = dict.fromkeys(one[2 if is_object else 0] for one in statements)
                    of_way = ends.setdefault(way, {})
                    for node in nodes:
                        of_way.setdefault(node, set()).update(shapes)
        for way, nodes_of in ends.items():
            for node, reaching in nodes_of.items():
                reached = starts(data, node, way)
                for shape in reaching:
                    found.setdefault(shape, {}).update(dict.fromkeys(reached))
        return found, every


def starts(data: DataGraph, node: Node, way: Way) -> Iterable[Node]:
    """Return the nodes from which a way leads to a node."""
    nodes: dict[Node, None] = {node: None}
    for path in reversed(way):
        nodes = dict.fromkeys(one for end in nodes for one in path.ends(data, end, is_inverse=True))
    return nodes


def dependencies(shapes: Iterable[Shape], by_node: Mapping[Node, Shape]) -> Dependencies:
    """Return the dependencies of shapes with targets; `by_node` has all shapes that they refer to."""
    triggers: dict[Node | None, dict[tuple[Way, bool], set[Node]]] = {}
    anywhere: dict[Node, set[Node]] = {SUBCLASS: set()}
    whole: set[Node] = set()
    for shape in shapes:
        anywhere[SUBCLASS].add(shape.node)
        walk = _TargetWalk(by_node)
        walk.targets(shape)
        walk.shape(shape, ())
        if walk.is_whole:
            whole.add(shape.node)
        for predicate, way, is_object in walk.found:
            triggers.setdefault(predicate, {}).setdefault((way, is_object), set()).add(shape.node)
        for predicate in walk.anywhere:
            anywhere.setdefault(predicate, set()).add(shape.node)
    return Dependencies(
        {predicate: {key: frozenset(nodes) for key, nodes in by_way.items()} for predicate, by_way in triggers.items()},
        {predicate: frozenset(nodes) for predicate, nodes in anywhere.items()},
        frozenset(whole),
    )


class _TargetWalk:
    """The walk from the targets of one shape to all that it looks at."""

    def __init__(self, by_node: Mapping[Node, Shape]) -> None:
        self._by_node = by_node
        self._seen: set[tuple[Node, Way]] = set()
        self.found: set[tuple[Node | None, Way, bool]] = set()
        self.anywhere: set[Node] = set()
        self.is_whole = False

    def targets(self, shape: Shape) -> None:
        """Follow the targets of a shape."""
        for kind, term in shape.targets:
            if kind == "target":  # a query
                self.is_whole = True
            elif kind == "targetClass":
                self.found.add((RDF_TYPE, (), False))
            elif kind != "targetNode":
                self.found.add((term, (), kind == "targetObjectsOf"))

    def shape(self, shape: Shape, way: Way) -> None:
        """Follow a shape that is applied to the nodes at the end of a way."""
        if (shape.node, way) in self._seen:
            return
        self._seen.add((shape.node, way))
        if shape.is_recursive:  # its ways would have no end
            self.is_whole = True
            return
        if shape.path is not None:
            self._path(shape.path, way)
        values = way if shape.path is None else (*way, shape.path)
        for constraint in shape.constraints:
            reads = constraint.reads(shape.path)
            if reads is None:
                self.is_whole = True
                return
            self.anywhere |= reads.anywhere
            for path in reads.beside:
                self._path(path, way)
            read = (ANY_PREDICATE,) if reads.of_values is None else reads.of_values
            self.found |= {(predicate, values, False) for predicate in read}
            for nested in constraint.shapes:
                self.shape(self._by_node[nested], values)

    def _path(self, path: PropertyPath, way: Way) -> None:
        self.found |= {(predicate, before, is_object) for predicate, before, is_object in _steps(path, way)}


def _steps(path: PropertyPath, way: Way, *, is_inverse: bool = False) -> Iterator[tuple[Node, Way, bool]]:
    """Yield the predicates of a path with the ways to them, and whether they lead there from their objects."""
    match path:
        case Predicate(predicate):
            yield predicate, way, is_inverse
        case Inverse(inner):
            yield from _steps(inner, way, is_inverse=not is_inverse)
        case Steps(paths):
            for one in reversed(paths) if is_inverse else paths:
                yield from _steps(one, way, is_inverse=is_inverse)
                way = (*way, Inverse(one) if is_inverse else one)
        case Either(paths):
            for one in paths:
                yield from _steps(one, way, is_inverse=is_inverse)
        case Repeated(inner, _, has_more):
            again = Repeated(Inverse(inner) if is_inverse else inner, has_zero=True, has_more=True)
            yield from _steps(inner, (*way, again) if has_more else way, is_inverse=is_inverse)
        case _:
            raise TypeError(f"{path} is no property path")
