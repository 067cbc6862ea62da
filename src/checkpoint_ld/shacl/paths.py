"""Property paths (SHACL 1.0 §2.3.1): the ways from a focus node to its value nodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rdflib import BNode, URIRef

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.shacl.data import together
from checkpoint_ld.shacl.terms import FIRST, listed, sh, shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl.data import DataGraph, Held, Table


class PropertyPath(ABC):
    """A property path; two that lead the same way are equal."""

    __slots__ = ()

    @abstractmethod
    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Return where the path leads from `node`, or against its direction; a node may come several times."""

    def column(self, table: Table) -> Sequence[Held]:
        """Return the value nodes of each row, each once."""
        return table.each(partial(self.ends, table.data))


@dataclass(frozen=True, slots=True)
class Predicate(PropertyPath):
    """A predicate path."""

    predicate: Node

    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Return the values of the property, or the nodes that have `node` as its value."""
        return data.subjects(self.predicate, node) if is_inverse else data.values(node, self.predicate)

    def column(self, table: Table) -> Sequence[Held]:
        """Return the values of the property of all rows at once."""
        return table.property(self.predicate)


@dataclass(frozen=True, slots=True)
class Inverse(PropertyPath):
    """An inverse path."""

    path: PropertyPath

    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Go the path in the other direction."""
        return self.path.ends(data, node, is_inverse=not is_inverse)


@dataclass(frozen=True, slots=True)
class Steps(PropertyPath):
    """A sequence path."""

    paths: tuple[PropertyPath, ...]

    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Go one path after the other."""
        found = [node]
        for path in reversed(self.paths) if is_inverse else self.paths:
            found = list(dict.fromkeys(end for one in found for end in path.ends(data, one, is_inverse=is_inverse)))
        return found


@dataclass(frozen=True, slots=True)
class Either(PropertyPath):
    """An alternative path."""

    paths: tuple[PropertyPath, ...]

    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Go each of the paths."""
        return [end for path in self.paths for end in path.ends(data, node, is_inverse=is_inverse)]

    def column(self, table: Table) -> Sequence[Held]:
        """Put the columns of the paths together."""
        columns = [table.column(path) for path in self.paths]
        filled = [one.held for one in columns if not one.is_empty]
        return together(filled or [columns[0].held])


@dataclass(frozen=True, slots=True)
class Repeated(PropertyPath):
    """A zero-or-more, one-or-more or zero-or-one path."""

    path: PropertyPath
    has_zero: bool
    has_more: bool

    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Go the path again and again, as long as it leads to new nodes."""
        found: dict[Node, None] = {node: None} if self.has_zero else {}
        left = list(self.path.ends(data, node, is_inverse=is_inverse))
        while left:
            one = left.pop()
            if one not in found:
                found[one] = None
                if self.has_more:
                    left.extend(self.path.ends(data, one, is_inverse=is_inverse))
        return found


_DEEPEST = 50


def path_of(shapes: Index, node: Node, depth: int = 0) -> PropertyPath:
    """Return the path that a node of the shapes graph describes. Raises ShapesError for what is none."""
    if isinstance(node, URIRef):
        return Predicate(shared(node))
    said = shapes.get(node, {})
    if not isinstance(node, BNode) or not said or depth > _DEEPEST:
        raise ShapesError(f"{node.n3()} is no property path: write an IRI, a list, or what SHACL 1.0 §2.3.1 has")
    if FIRST in said:
        return Steps(_members(shapes, node, depth))
    for name, build in _BUILDERS.items():
        values = terms_of(said.get(sh(name)))
        if len(values) == 1:
            if name == "alternativePath":
                return Either(_members(shapes, values[0], depth))
            return build(path_of(shapes, values[0], depth + 1))
    raise ShapesError(f"{node.n3()} is no property path: write an IRI, a list, or what SHACL 1.0 §2.3.1 has")


def _members(shapes: Index, node: Node, depth: int) -> tuple[PropertyPath, ...]:
    members = tuple(path_of(shapes, one, depth + 1) for one in listed(shapes, node))
    if len(members) < 2:
        raise ShapesError(f"the property path {node.n3()} has fewer members than two: write the member alone")
    return members


_BUILDERS: dict[str, Callable[[PropertyPath], PropertyPath]] = {
    "inversePath": Inverse,
    "alternativePath": Inverse,
    "zeroOrMorePath": lambda path: Repeated(path, has_zero=True, has_more=True),
    "oneOrMorePath": lambda path: Repeated(path, has_zero=False, has_more=True),
    "zeroOrOnePath": lambda path: Repeated(path, has_zero=True, has_more=False),
}
