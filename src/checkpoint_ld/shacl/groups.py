"""Constraints of all value nodes of a focus node (SHACL 1.0 §4.2, §4.4.5, §4.5, §4.8.1, §4.8.2)."""

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.shacl.paths import Predicate
from checkpoint_ld.shacl.shape import Constraint
from checkpoint_ld.shacl.terms import listed, plain, sh, shared, shown, told
from checkpoint_ld.shacl.values import comparison, truth, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl.data import Table
    from checkpoint_ld.shacl.shape import Evaluation, Result, Shape
    from checkpoint_ld.shacl.values import Compiler


@dataclass(frozen=True, slots=True, eq=False)
class Count(Constraint):
    """There are so many value nodes."""

    least: int = 0
    most: int | None = None

    def results(self, _run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield a result for each focus node with too few values, or too many."""
        column = table.column(shape.path)
        if self.most is not None:
            counted = ((at, len(values)) for at, values in column.filled()) if self.most == 0 else column.counts()
            found = [at for at, count in counted if count > self.most]
        elif self.least == 1:
            found = list(column.missing)
        else:
            found = [at for at in range(len(table.nodes)) if len(column.values(at)) < self.least]
        for at in found:
            yield at, shape.result(self, table.nodes[at])


@dataclass(frozen=True, slots=True, eq=False)
class Grouped(Constraint):
    """A function tells from the value nodes, and those of another property, which values do not conform.

    None among them stands for a result without a value.
    """

    faulty: Callable[[Sequence[Node], Sequence[Node]], Iterable[Node | None]]
    other: Node | None = None

    def results(self, _run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield a result for each such value."""
        column = table.column(shape.path)
        other = None if self.other is None else table.column(Predicate(self.other))
        for at, node in enumerate(table.nodes):
            for value in self.faulty(column.values(at), () if other is None else other.values(at)):
                yield at, shape.result(self, node, value)


@dataclass(frozen=True, slots=True, eq=False)
class Closed(Constraint):
    """Value nodes have no properties but some."""

    allowed: frozenset[Node]

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield a result for each other statement about a value node."""
        column = table.column(shape.path)
        for at, node in enumerate(table.nodes):
            for one in column.values(at):
                for predicate, value in run.data.statements(one):
                    if predicate not in self.allowed:
                        yield at, shape.result(self, node, value, predicate)


def _of_properties(shapes: Index, shape: Node, name: str) -> None:
    """Raise ShapesError for a parameter that a node shape may not have."""
    if not told(shapes, shape, "path"):
        raise ShapesError(f"the node shape {shown(shape)} has sh:{name}: only property shapes may, those with sh:path")


def compile_least(shapes: Index, shape: Node, _term: Node) -> Constraint:
    """Compile sh:minCount (SHACL 1.0 §4.2.1)."""
    _of_properties(shapes, shape, "minCount")
    least = whole_number(shapes, shape, "minCount")
    return Count(sh("MinCountConstraintComponent"), f"Less than {least} values on {{at}}", least=least)


def compile_most(shapes: Index, shape: Node, _term: Node) -> Constraint:
    """Compile sh:maxCount (SHACL 1.0 §4.2.2)."""
    _of_properties(shapes, shape, "maxCount")
    most = whole_number(shapes, shape, "maxCount")
    return Count(sh("MaxCountConstraintComponent"), f"More than {most} values on {{at}}", most=most)


def compile_has_value(_shapes: Index, _shape: Node, term: Node) -> Constraint:
    """Compile sh:hasValue (SHACL 1.0 §4.8.2)."""
    wanted = plain(shared(term))
    return Grouped(
        sh("HasValueConstraintComponent"),
        f"Node {{at}} does not contain a value in the set: ['{_braced(term)}']",
        faulty=lambda values, _: () if any(plain(one) == wanted for one in values) else (None,),
    )


def compile_unique_language(shapes: Index, shape: Node, term: Node) -> Constraint | None:
    """Compile sh:uniqueLang (SHACL 1.0 §4.4.5), which asks something if its value is the term `true`, not `1`."""
    _of_properties(shapes, shape, "uniqueLang")
    message = "More than one String shares the same Language"
    component = sh("UniqueLangConstraintComponent")
    return (
        Grouped(component, message, faulty=_same_language)
        if truth(shapes, shape, "uniqueLang") and str(term) == "true"
        else None
    )


def _same_language(values: Sequence[Node], _other: Sequence[Node]) -> list[None]:
    """Return a None for each language of several values."""
    if len(values) < 2:
        return []
    tags = Counter(one.language.lower() for one in values if isinstance(one, Literal) and one.language)
    return [None for count in tags.values() if count > 1]


def compile_closed(shapes: Index, shape: Node, _term: Node) -> Constraint | None:
    """Compile sh:closed with sh:ignoredProperties (SHACL 1.0 §4.8.1)."""
    ignored = [one for at in told(shapes, shape, "ignoredProperties") for one in listed(shapes, at)]
    paths = [path for one in told(shapes, shape, "property") for path in told(shapes, one, "path")]
    allowed = frozenset(shared(one) for one in (*ignored, *paths) if isinstance(one, URIRef))
    message = "Node {focus} is closed. It cannot have value: {value}"
    is_closed = truth(shapes, shape, "closed")
    return Closed(sh("ClosedConstraintComponent"), message, allowed=allowed) if is_closed else None


def _not_equal(values: Sequence[Node], other: Sequence[Node]) -> Iterator[Node]:
    first, second = ({plain(one): one for one in some} for some in (values, other))
    yield from (one for key, one in (*first.items(), *second.items()) if key not in first or key not in second)


def _not_disjoint(values: Sequence[Node], other: Sequence[Node]) -> list[Node]:
    if not values or not other:
        return []
    known = set(map(plain, other))
    return [one for one in values if plain(one) in known]


def _not_below(compare: Callable[[Any, Any], bool]) -> Callable[[Sequence[Node], Sequence[Node]], list[Node]]:
    """Return a function that finds the values that are not surely below all of others, once for each such pair."""
    return lambda values, other: [one for one in values for bound in other if not comparison(one, bound)(compare)]


def _pair(
    name: str, sign: str, faulty: Callable[[Sequence[Node], Sequence[Node]], Iterable[Node | None]], *, of_nodes: bool
) -> Compiler:
    """Return the compiler of a constraint of a pair of properties (SHACL 1.0 §4.5)."""

    def compiler(shapes: Index, shape: Node, term: Node) -> Constraint:
        if not of_nodes:
            _of_properties(shapes, shape, name)
        if not isinstance(term, URIRef):
            raise ShapesError(f"sh:{name} of {shown(shape)} is {shown(term)}: write the IRI of a property")
        component = sh(f"{name[0].upper()}{name[1:]}ConstraintComponent")
        message = f"Value of {{focus}}->{_braced(term)} {sign} {{value}}"
        return Grouped(component, message, faulty=faulty, other=shared(term))

    return compiler


def _braced(term: Node) -> str:
    return shown(term).replace("{", "{{").replace("}", "}}")


COMPILERS: dict[str, Compiler] = {
    "minCount": compile_least,
    "maxCount": compile_most,
    "hasValue": compile_has_value,
    "uniqueLang": compile_unique_language,
    "closed": compile_closed,
    "equals": _pair("equals", "!=", _not_equal, of_nodes=True),
    "disjoint": _pair("disjoint", "==", _not_disjoint, of_nodes=True),
    "lessThan": _pair("lessThan", "<=", _not_below(operator.lt), of_nodes=False),
    "lessThanOrEquals": _pair("lessThanOrEquals", "<", _not_below(operator.le), of_nodes=False),
}
"""The compilers by the local names of the parameters."""
