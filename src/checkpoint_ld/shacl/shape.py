"""Compiled shapes, their constraints, and the results of both, as values."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from rdflib import Literal

from checkpoint_ld.shacl.terms import sh, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.shacl.data import Column, DataGraph, Table
    from checkpoint_ld.shacl.paths import PropertyPath

VIOLATION, WARNING, INFO = sh("Violation"), sh("Warning"), sh("Info")
_PLACEHOLDER = re.compile(r"\{[?$](\w+)\}")


@dataclass(frozen=True, slots=True)
class Result:
    """A validation result (SHACL 1.0 §3.6.2); `detail` are the results that it follows from.

    `path` is a predicate, or the node of the shapes graph that describes the property path.
    """

    focus: Node
    path: Node | None
    value: Node | None
    shape: Node
    component: Node
    severity: Node
    messages: tuple[Literal, ...]
    detail: tuple[Result, ...] = ()
    constraint: Node | None = None


class Evaluation(Protocol):
    """A run of shapes over a data graph, as constraints see it."""

    @property
    def data(self) -> DataGraph:
        """The statements that are held against the shapes."""

    def results_of(self, shape: Node, nodes: Iterable[Node]) -> Mapping[Node, Sequence[Result]]:
        """Return the results of a shape for each of some nodes; a node that conforms may be left out."""

    def results_for(self, shape: Node, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield the results of a shape for the rows of a table."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A node shape, or a property shape if it has a path (SHACL 1.0 §2).

    `targets` are pairs of the local name of a kind of target and its value. `is_recursive` tells whether the shape
    refers to itself, be it through others.
    """

    node: Node
    path: PropertyPath | None
    path_node: Node | None
    severity: Node
    messages: tuple[Literal, ...]
    is_deactivated: bool
    constraints: tuple[Constraint, ...]
    targets: tuple[tuple[str, Node], ...]
    is_recursive: bool = False

    def result(
        self,
        constraint: Constraint,
        focus: Node,
        value: Node | None = None,
        path: Node | None = None,
        detail: Sequence[Result] = (),
    ) -> Result:
        """Return the result that a constraint of the shape has for a focus node."""
        path = path or self.path_node
        told = {"focus": shown(focus), "value": shown(value), "at": shown(focus) + (f"->{shown(path)}" if path else "")}
        messages = self.messages or (Literal(constraint.message.format_map(told)),)
        if constraint.parameters:
            bound = {"this": focus, "value": value, "path": path, **dict(constraint.parameters)}
            messages = tuple(_filled(one, bound) for one in messages)
        return Result(focus, path, value, self.node, constraint.component, self.severity, messages, tuple(detail))


def _filled(message: Literal, bound: Mapping[str, Node | None]) -> Literal:
    """Put values into the places of a message (SHACL 1.0 §6.2.3)."""

    def value(place: re.Match[str]) -> str:
        term = bound.get(place[1])
        return place[0] if term is None else str(term)

    text = _PLACEHOLDER.sub(value, str(message))
    return message if text == str(message) else Literal(text, lang=message.language)


@dataclass(frozen=True, slots=True, eq=False)
class Constraint(ABC):
    """A constraint of a shape: a constraint component with its parameters.

    `message` is the one by default; `{focus}`, `{value}` and `{at}`, the focus node with the path, stand for terms.
    `parameters` are those of a component that is not of SHACL Core, by name.
    """

    component: Node
    message: str
    parameters: tuple[tuple[str, Node], ...] = field(default=(), kw_only=True)

    @property
    def shapes(self) -> Sequence[Node]:
        """The shapes that the constraint refers to."""
        return ()

    @abstractmethod
    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield what does not conform, with the row of its focus node."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueConstraint(Constraint):
    """A constraint of each value node by itself, so that each distinct value is judged once."""

    @abstractmethod
    def faulty(self, run: Evaluation, values: Sequence[Node]) -> Sequence[Node]:
        """Return those of some values that do not conform."""

    def detail(self, _run: Evaluation, _value: Node) -> Sequence[Result]:
        """Return the results that tell why a value does not conform."""
        return ()

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield a result for each value node that does not conform."""
        column: Column = table.column(shape.path)
        distinct = column.distinct
        for at, value in column.rows_with(self.faulty(run, distinct)) if distinct else ():
            yield at, shape.result(self, table.nodes[at], value, detail=self.detail(run, value))


class Component(Protocol):
    """A constraint component as a function: yields the rows that do not conform, with the value, if it is one.

    `column` has the focus nodes and their value nodes, `parameters` the values of the parameters by their local names.
    """

    def __call__(
        self, column: Column, parameters: Mapping[str, Any], data: DataGraph, /
    ) -> Iterable[tuple[int, Node | None]]:
        """Judge the value nodes of all focus nodes at once."""


@dataclass(frozen=True, slots=True, eq=False)
class FunctionConstraint(Constraint):
    """A constraint component, or a query (`source`), for which a Python function is registered."""

    function: Component
    source: Node | None = None

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield what the function finds."""
        for at, value in self.function(table.column(shape.path), dict(self.parameters), run.data):
            node = table.nodes[at]
            # Without a value, that of a node shape is the focus node (SHACL 1.0 §5.3.2).
            found = shape.result(self, node, node if value is None and shape.path is None else value)
            yield at, found if self.source is None else replace(found, constraint=self.source)
