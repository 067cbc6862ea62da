"""Constraints that refer to other shapes (SHACL 1.0 §4.6, §4.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.shacl.shape import Constraint, ValueConstraint, listed, sh, shown, told
from checkpoint_ld.shacl.values import component_of, truth, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl.data import Table
    from checkpoint_ld.shacl.shape import Evaluation, Result, Shape
    from checkpoint_ld.shacl.values import Compiler


@dataclass(frozen=True, slots=True, eq=False)
class Logical(ValueConstraint):
    """A value node conforms to so many of some shapes as a function asks for."""

    members: tuple[Node, ...]
    holds: Callable[[int], bool]

    @property
    def shapes(self) -> Sequence[Node]:
        """The members."""
        return self.members

    def faulty(self, run: Evaluation, values: Sequence[Node]) -> Sequence[Node]:
        """Return the values that conform to too few, or too many."""
        found = [run.results_of(one, values) for one in self.members]
        return [one for one in values if not self.holds(sum(not results.get(one) for results in found))]


@dataclass(frozen=True, slots=True, eq=False)
class Conforming(ValueConstraint):
    """A value node conforms to a node shape; the results of that shape are the detail."""

    member: Node

    @property
    def shapes(self) -> Sequence[Node]:
        """The node shape."""
        return (self.member,)

    def faulty(self, run: Evaluation, values: Sequence[Node]) -> Sequence[Node]:
        """Return the values that do not conform."""
        found = run.results_of(self.member, values)
        return [one for one in values if found.get(one)]

    def detail(self, run: Evaluation, value: Node) -> Sequence[Result]:
        """Return the results of the node shape."""
        return run.results_of(self.member, [value]).get(value, ())


@dataclass(frozen=True, slots=True, eq=False)
class Nested(Constraint):
    """A value node conforms to a property shape, whose results count as they are."""

    member: Node

    @property
    def shapes(self) -> Sequence[Node]:
        """The property shape."""
        return (self.member,)

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield the results of the property shape for each value node."""
        if shape.path is None:
            yield from run.results_for(self.member, table)
            return
        column = table.column(shape.path)
        found = run.results_of(self.member, column.distinct)
        for at, value in column.rows_with([one for one in column.distinct if found.get(one)]):
            for result in found[value]:
                yield at, result


@dataclass(frozen=True, slots=True, eq=False)
class Qualified(Constraint):
    """So many value nodes conform to a shape, and to none of its siblings."""

    member: Node
    siblings: tuple[Node, ...]
    least: int = 0
    most: int | None = None

    @property
    def shapes(self) -> Sequence[Node]:
        """The shape that values are counted by, and its siblings."""
        return (self.member, *self.siblings)

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield a result for each focus node with too few such values, or too many."""
        column = table.column(shape.path)
        found = run.results_of(self.member, column.distinct)
        others = [run.results_of(one, column.distinct) for one in self.siblings]
        counted = {one for one in column.distinct if not found.get(one) and all(other.get(one) for other in others)}
        for at, node in enumerate(table.nodes):
            count = sum(one in counted for one in column.values(at))
            if count < self.least or (self.most is not None and count > self.most):
                yield at, shape.result(self, node)


def _logical(name: str, words: str, holds: Callable[[int], Callable[[int], bool]]) -> Compiler:
    """Return the compiler of a logical constraint over a list of shapes (SHACL 1.0 §4.6)."""

    def compiler(shapes: Index, shape: Node, term: Node) -> Constraint:
        members = tuple(listed(shapes, term))
        if not members:
            raise ShapesError(f"sh:{name} of {shown(shape)} has an empty list: write the shapes in it, or leave it out")
        component = component_of(name)
        message = f"Node {{value}} must conform to {words} in {_names(members)}"
        return Logical(component, message, members=members, holds=holds(len(members)))

    return compiler


def compile_not(_shapes: Index, _shape: Node, term: Node) -> Constraint:
    """Compile sh:not (SHACL 1.0 §4.6.1)."""
    message = f"Node {{value}} must not conform to shape {_names((term,))}"
    return Logical(component_of("not"), message, members=(term,), holds=lambda count: count == 0)


def compile_node(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:node (SHACL 1.0 §4.7.1)."""
    if told(shapes, term, "path"):
        raise ShapesError(f"sh:node of {shown(shape)} is the property shape {shown(term)}: write a node shape")
    message = f"Value does not conform to Shape {_names((term,))}. See details for more information."
    return Conforming(component_of("node"), message, member=term)


def compile_property(shapes: Index, shape: Node, term: Node) -> Constraint:
    """Compile sh:property (SHACL 1.0 §4.7.2)."""
    if not told(shapes, term, "path"):
        raise ShapesError(
            f"sh:property of {shown(shape)} is {shown(term)}, which has no sh:path: write a property shape"
        )
    return Nested(sh("PropertyShapeComponent"), "", member=term)


def _qualified(name: str) -> Compiler:
    """Return the compiler of sh:qualifiedMinCount or sh:qualifiedMaxCount (SHACL 1.0 §4.7.3)."""

    def compiler(shapes: Index, shape: Node, term: Node) -> Constraint:
        if not told(shapes, shape, "path"):
            raise ShapesError(f"the node shape {shown(shape)} has sh:qualifiedValueShape: only property shapes may")
        bound = whole_number(shapes, shape, name)
        bounds = f" {name.removeprefix('qualified')} {bound}: {_names((term,))}"
        return Qualified(
            component_of(name),
            f"Focus node does not conform to shape{bounds}",
            member=term,
            siblings=_siblings(shapes, shape, term),
            least=bound if name == "qualifiedMinCount" else 0,
            most=bound if name == "qualifiedMaxCount" else None,
        )

    return compiler


def _siblings(shapes: Index, shape: Node, term: Node) -> tuple[Node, ...]:
    """Return the sibling shapes of a shape with a qualified value shape."""
    if not truth(shapes, shape, "qualifiedValueShapesDisjoint"):
        return ()
    parents = (properties for one in shapes if shape in (properties := told(shapes, one, "property")))
    found = (
        other for properties in parents for one in properties for other in told(shapes, one, "qualifiedValueShape")
    )
    return tuple(one for one in dict.fromkeys(found) if one != term)


def _names(shapes: Sequence[Node]) -> str:
    return ", ".join(map(shown, shapes)).replace("{", "{{").replace("}", "}}")


_QUALIFIED = {name: _qualified(name) for name in ("qualifiedMinCount", "qualifiedMaxCount")}


def compile_qualified(shapes: Index, shape: Node, term: Node) -> list[Constraint]:
    """Compile sh:qualifiedValueShape with its counts; without one there is nothing to ask."""
    found = [compiler(shapes, shape, term) for name, compiler in _QUALIFIED.items() if told(shapes, shape, name)]
    return [one for one in found if one is not None]


COMPILERS: dict[str, Compiler] = {
    "not": compile_not,
    "and": _logical("and", "all shapes", lambda size: lambda count: count == size),
    "or": _logical("or", "one or more shapes", lambda _: lambda count: count > 0),
    "xone": _logical("xone", "exactly one shape", lambda _: lambda count: count == 1),
    "node": compile_node,
    "property": compile_property,
}
"""The compilers by the local names of the parameters, but for that of qualified value shapes."""
