"""Node expressions (SHACL Advanced Features §5): what leads from a focus node to other nodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.store import Index, terms_of
from checkpoint_ld.shacl.data import Table
from checkpoint_ld.shacl.shape import (
    FIRST,
    NIL,
    Constraint,
    described,
    listed,
    path_of,
    sh,
    sh_values,
    shared,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.shacl.data import PropertyPath
    from checkpoint_ld.shacl.shape import Evaluation, Result, Shape

_DEEPEST = 50
_MOST_CALLS = 10_000
"""The most calls of a function for one focus node: each combination of its arguments is one."""


class Expression(ABC):
    """A node expression; `shapes` are those that it refers to."""

    shapes: tuple[Node, ...] = ()

    @abstractmethod
    def nodes(self, run: Evaluation, focuses: Sequence[Node]) -> list[list[Node]]:
        """Return the nodes of the expression for each of some focus nodes, each once."""


class FocusExpression(Expression):
    """`sh:this`."""

    def nodes(self, run: Evaluation, focuses: Sequence[Node]) -> list[list[Node]]:  # noqa: ARG002 - as declared
        """Return the focus nodes."""
        return [[one] for one in focuses]


@dataclass(frozen=True)
class ConstantExpression(Expression):
    """An IRI or a literal."""

    term: Node

    def nodes(self, run: Evaluation, focuses: Sequence[Node]) -> list[list[Node]]:  # noqa: ARG002 - as declared
        """Return the term for each focus node."""
        return [[self.term] for _ in focuses]


@dataclass(frozen=True)
class PathExpression(Expression):
    """The value nodes of a path from the focus node, or from the nodes of an expression."""

    path: PropertyPath
    start: Expression

    def __post_init__(self) -> None:
        object.__setattr__(self, "shapes", self.start.shapes)

    def nodes(self, run: Evaluation, focuses: Sequence[Node]) -> list[list[Node]]:
        """Return the value nodes."""
        starts = self.start.nodes(run, focuses)
        distinct = list(dict.fromkeys(one for nodes in starts for one in nodes))
        table = Table(run.data, distinct)
        column = table.column(self.path)
        ends = {node: column.values(at) for at, node in enumerate(distinct)}
        return [list(dict.fromkeys(end for one in nodes for end in ends[one])) for nodes in starts]


@dataclass(frozen=True)
class FilterExpression(Expression):
    """The nodes of an expression that conform to a shape."""

    shape: Node
    start: Expression

    def __post_init__(self) -> None:
        object.__setattr__(self, "shapes", (self.shape, *self.start.shapes))

    def nodes(self, run: Evaluation, focuses: Sequence[Node]) -> list[list[Node]]:
        """Return the nodes that conform."""
        starts = self.start.nodes(run, focuses)
        faulty = run.results_of(self.shape, list(dict.fromkeys(one for nodes in starts for one in nodes)))
        return [[one for one in nodes if not faulty.get(one)] for nodes in starts]


@dataclass(frozen=True)
class SetExpression(Expression):
    """The union, or the intersection, of the nodes of several expressions."""

    members: tuple[Expression, ...]
    is_union: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "shapes", tuple(one for member in self.members for one in member.shapes))

    def nodes(self, run: Evaluation, focuses: Sequence[Node]) -> list[list[Node]]:
        """Return the nodes of any member, or of all of them."""
        found: list[list[Node]] = []
        for sets in zip(*(one.nodes(run, focuses) for one in self.members), strict=True):
            if self.is_union:
                found.append(list(dict.fromkeys(one for nodes in sets for one in nodes)))
            else:
                first, *others = sets
                found.append([one for one in first if all(one in nodes for nodes in others)])
        return found


@dataclass(frozen=True)
class CallExpression(Expression):
    """The results of a function of the shapes graph for each combination of its arguments."""

    function: Node
    arguments: tuple[Expression, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "shapes", tuple(one for member in self.arguments for one in member.shapes))

    def nodes(self, run: Evaluation, focuses: Sequence[Node]) -> list[list[Node]]:
        """Return the results."""
        given = [one.nodes(run, focuses) for one in self.arguments]
        calls: list[tuple[int, tuple[Node | None, ...]]] = []
        for at in range(len(focuses)):
            rows: list[tuple[Node | None, ...]] = [()]
            for nodes in given:
                rows = [(*row, one) for row in rows for one in (nodes[at] or (None,))]
                if len(rows) > _MOST_CALLS:
                    raise ShapesError(f"the arguments of {shown(self.function)} have more than {_MOST_CALLS} values")
            calls += [(at, row) for row in rows]
        found: list[list[Node]] = [[] for _ in focuses]
        for call, result in run.queries.calls(self.function, [row for _, row in calls]):
            found[calls[call][0]].append(result)
        return [list(dict.fromkeys(nodes)) for nodes in found]


def expression_of(shapes: Index, node: Node, is_function: Callable[[Node], bool], depth: int = 0) -> Expression:
    """Return the expression that a node of the shapes graph describes. Raises ShapesError for any other node."""
    if node == sh("this"):
        return FocusExpression()
    if isinstance(node, (URIRef, Literal)):
        return ConstantExpression(shared(node))
    if depth > _DEEPEST:
        raise ShapesError(f"a node expression is nested more than {_DEEPEST} deep")

    def inner(one: Node) -> Expression:
        return expression_of(shapes, one, is_function, depth + 1)

    start = inner(nodes) if (nodes := _part(shapes, node, "nodes")) is not None else FocusExpression()
    if (path := _part(shapes, node, "path")) is not None:
        return PathExpression(path_of(shapes, path), start)
    if (shape := _part(shapes, node, "filterShape")) is not None:
        if nodes is None:
            raise ShapesError(f"{described(shapes, node)} has sh:filterShape without sh:nodes: write both")
        return FilterExpression(shape, start)
    union = _part(shapes, node, "union")
    if (members := union or _part(shapes, node, "intersection")) is not None:
        if members == NIL:
            raise ShapesError(f"the node expression {described(shapes, node)} has an empty list: write its members")
        return SetExpression(tuple(map(inner, listed(shapes, members))), union is not None)
    function, arguments = _call(shapes, node, is_function)
    return CallExpression(function, tuple(map(inner, arguments)))


def _part(shapes: Index, node: Node, name: str) -> Node | None:
    """Return the value of a part of a node expression, None if it is absent."""
    found = sh_values(shapes, node, name)
    if len(found) > 1:
        raise ShapesError(f"the node expression {described(shapes, node)} has several values of sh:{name}: write one")
    return found[0] if found else None


def _call(shapes: Index, node: Node, is_function: Callable[[Node], bool]) -> tuple[Node, list[Node]]:
    for predicate, terms in shapes.get(node, {}).items():
        for term in terms_of(terms) if is_function(predicate) else ():
            if term == NIL or (isinstance(term, BNode) and FIRST in shapes.get(term, {})):
                return predicate, list(listed(shapes, term))
    raise ShapesError(
        f"{described(shapes, node)} is no node expression of SHACL Advanced Features §5: "
        "write a path, a filter, a union, an intersection, or a call of a function that the shapes declare"
    )


def _is_true(nodes: Sequence[Node]) -> bool:
    return len(nodes) == 1 and isinstance(nodes[0], Literal) and nodes[0].value is True


@dataclass(frozen=True, slots=True, eq=False)
class ExpressionConstraint(Constraint):
    """The expression of `sh:expression` gives true, and nothing else, for each value node (§6)."""

    expression: Expression
    messages: tuple[Literal, ...] = ()

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield a result for each value node for which it does not."""
        column = table.column(shape.path)
        distinct = column.distinct
        given = self.expression.nodes(run, distinct) if distinct else []
        faulty = [value for value, nodes in zip(distinct, given, strict=True) if not _is_true(nodes)]
        for at, value in column.rows_with(faulty):
            found = shape.result(self, table.nodes[at], value)
            yield at, found if shape.messages or not self.messages else replace(found, messages=self.messages)


def compile_expression(shapes: Index, shape: Node, term: Node, is_function: Callable[[Node], bool]) -> Constraint:
    """Compile sh:expression. Raises ShapesError for what is no node expression."""
    found = expression_of(shapes, term, is_function)
    messages = tuple(one for one in sh_values(shapes, term, "message") if isinstance(one, Literal))
    text = described(shapes, shape).replace("{", "{{").replace("}", "}}")
    return ExpressionConstraint(
        sh("ExpressionConstraintComponent"),
        f"Value {{value}} does not satisfy an expression of {text}",
        shapes=found.shapes,
        expression=found,
        messages=messages,
    )
