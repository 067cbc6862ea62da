"""Rules of shapes (SHACL Advanced Features §8): triple rules and queries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.graph.store import Index, terms_of
from checkpoint_ld.shacl.constraints import truth
from checkpoint_ld.shacl.expressions import Expression, expression_of
from checkpoint_ld.shacl.shape import FIRST, described, listed, sh, sh_values, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.shacl.dependencies import Statement
    from checkpoint_ld.shacl.shape import Evaluation


@dataclass(frozen=True, eq=False)
class InferenceRule(ABC):
    """A rule of a shape: what it states about each target that conforms to all of its conditions."""

    node: Node
    shape: Node
    order: tuple[Decimal, Decimal]
    conditions: tuple[Node, ...]

    @property
    def shapes(self) -> tuple[Node, ...]:
        """The shapes that the rule refers to."""
        return self.conditions

    @abstractmethod
    def statements(self, run: Evaluation, nodes: Sequence[Node]) -> Iterator[Statement]:
        """Yield what the rule states about some nodes."""


@dataclass(frozen=True, eq=False)
class TripleRule(InferenceRule):
    """A rule that states each combination of the subjects, predicates and objects of three node expressions."""

    parts: tuple[Expression, Expression, Expression]

    @property
    def shapes(self) -> tuple[Node, ...]:
        """The shapes that the rule refers to."""
        return (*self.conditions, *(one for part in self.parts for one in part.shapes))

    def statements(self, run: Evaluation, nodes: Sequence[Node]) -> Iterator[Statement]:
        """Yield the statements; what RDF does not allow is none."""
        for subjects, predicates, values in zip(*(one.nodes(run, nodes) for one in self.parts), strict=True):
            for subject in subjects:
                for predicate in predicates:
                    if not isinstance(subject, Literal) and isinstance(predicate, URIRef):
                        yield from ((subject, predicate, value) for value in values)


@dataclass(frozen=True, eq=False)
class QueryRule(InferenceRule):
    """A rule that states what its queries construct."""

    texts: tuple[str, ...]

    def statements(self, run: Evaluation, nodes: Sequence[Node]) -> Iterator[Statement]:
        """Yield the statements of the queries for each node."""
        for text in self.texts:
            try:
                yield from run.queries.constructed(text, nodes)
            except ShapesError as error:
                raise ShapesError(f"the rule {shown(self.node)} of {shown(self.shape)}: {error}") from error


def rules_of(shapes: Index, shape: Node, is_function: Callable[[Node], bool]) -> Iterator[InferenceRule]:
    """Yield the rules of a shape. Raises ShapesError for an ill-formed rule."""
    for node in sh_values(shapes, shape, "rule"):
        if truth(shapes, node, "deactivated"):
            continue
        about = (node, shape, (_order(shapes, shape), _order(shapes, node)), tuple(_conditions(shapes, node)))
        parts = [sh_values(shapes, node, name) for name in ("subject", "predicate", "object")]
        kinds = terms_of(shapes.get(node, {}).get(RDF_TYPE))
        if sh("TripleRule") in kinds or any(parts):
            if any(len(one) != 1 for one in parts):
                raise ShapesError(
                    f"the rule {described(shapes, node)} of {described(shapes, shape)} needs one value each of "
                    "sh:subject, sh:predicate and sh:object"
                )
            subject, predicate, value = (expression_of(shapes, one, is_function) for (one,) in parts)
            yield TripleRule(*about, (subject, predicate, value))
        elif texts := sh_values(shapes, node, "construct"):
            from checkpoint_ld.shacl.declarations import literal_query  # noqa: PLC0415 - few shapes have queries

            yield QueryRule(*about, tuple(literal_query(shapes, node, one) for one in texts))
        else:
            raise ShapesError(
                f"the rule {described(shapes, node)} of {described(shapes, shape)} is neither a triple rule nor a "
                "query: write sh:subject, sh:predicate and sh:object, or sh:construct"
            )


def _order(shapes: Index, node: Node) -> Decimal:
    found = sh_values(shapes, node, "order")
    value: Any = found[0].value if len(found) == 1 and isinstance(found[0], Literal) else None
    if found and (not isinstance(value, (int, float, Decimal)) or isinstance(value, bool)):
        raise ShapesError(f"sh:order of {described(shapes, node)} is {', '.join(map(shown, found))}: write one number")
    return Decimal(str(value or 0))


def _conditions(shapes: Index, node: Node) -> Iterator[Node]:
    for one in sh_values(shapes, node, "condition"):
        if isinstance(one, BNode) and FIRST in shapes.get(one, {}):
            yield from listed(shapes, one)
        else:
            yield one
