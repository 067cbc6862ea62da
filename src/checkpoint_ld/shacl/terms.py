"""What a shapes graph says, read term by term, and property paths (SHACL 1.0 §2.3.1)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.expansion import named
from checkpoint_ld.graph.store import Index, terms_of
from checkpoint_ld.shacl.data import together
from checkpoint_ld.vocabulary import RDF, SHACL, XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl.data import DataGraph, Held, Table


FIRST, REST, NIL = (named(RDF + name) for name in ("first", "rest", "nil"))
_STRING = URIRef(XSD + "string")


def sh(name: str) -> URIRef:
    """Return a name of SHACL's vocabulary."""
    return named(SHACL + name)


def shared(term: Node) -> Node:
    """Return a term of the shapes as data graphs have it, so that both are compared by identity."""
    return named(str(term)) if isinstance(term, URIRef) else term


def told(shapes: Index, subject: Node, name: str) -> list[Node]:
    """Return what `shapes` say of a node under a name of SHACL's vocabulary."""
    return terms_of(shapes.get(subject, {}).get(sh(name)))


def listed(shapes: Index, at: Node) -> Iterator[Node]:
    """Yield the members of an RDF list. Raises ShapesError for what is no such list."""
    seen = set()
    while at != NIL:
        first, rest = (terms_of(shapes.get(at, {}).get(one)) for one in (FIRST, REST))
        if at in seen or len(first) != 1 or len(rest) != 1:
            raise ShapesError(f"{at.n3()} is no list: write its members in round brackets")
        seen.add(at)
        yield shared(first[0])
        at = rest[0]


def shown(term: Node | None) -> str:
    """Name a term in a message, as in Turtle."""
    if term is None or (isinstance(term, Literal) and isinstance(term.value, (int, Decimal))):
        return "" if term is None else str(term)
    return _shown_name(term) if isinstance(term, URIRef) else term.n3()


@lru_cache(maxsize=4096)
def _shown_name(term: URIRef) -> str:
    return f"sh:{term[len(SHACL) :]}" if term.startswith(SHACL) else term.n3()


def plain(term: Node) -> Node:
    """Return a literal of the datatype xsd:string without it: both are one RDF term (RDF 1.1 §3.3)."""
    return Literal(str(term)) if isinstance(term, Literal) and term.datatype == _STRING else term


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
