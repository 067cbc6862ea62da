"""The statements of subject indexes that change while shapes look at them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.shacl.data import SUBCLASS, DataGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl.dependencies import Statement


class _Instances(dict["Node", None]):
    """The SHACL instances of a class, each looked up when it is needed."""

    def __init__(self, data: LiveGraph, kind: Node) -> None:
        super().__init__()
        self._data = data
        self._kind = kind

    def __contains__(self, node: object) -> bool:
        return self._data.is_instance(node, self._kind)  # type: ignore[arg-type]  # other objects have no statements

    def __iter__(self) -> Iterator[Node]:
        return iter(dict.fromkeys(one for kind in self._data.below(self._kind) for one in self._data.of_type(kind)))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class LiveGraph(DataGraph):
    """The statements of subject indexes that change: what was looked up is kept right instead of forgotten."""

    def __init__(self, *indexes: Index) -> None:
        super().__init__(*indexes)
        self._known: dict[Node, dict[Node, dict[Node, None]]] = {}

    def change(self, indexes: Sequence[Index], changed: Iterable[Statement]) -> None:
        """Take over what the indexes are now, in which these statements came or went."""
        self._indexes = tuple(indexes)
        self.__dict__.pop("index", None)
        self._instances.clear()
        self._with.clear()
        for subject, predicate, term in changed:
            for at, index in enumerate(self._indexes):
                if predicate not in self._predicates[at] and predicate in index.get(subject, {}):
                    self._predicates[at] |= {predicate}
                    self._with.pop(predicate, None)
            is_there = term in self.values(subject, predicate)
            if predicate in self._known:
                nodes = self._known[predicate].setdefault(term, {})
                if is_there:
                    nodes[subject] = None
                else:
                    nodes.pop(subject, None)
            if predicate in self._having:
                if is_there or self.values(subject, predicate):
                    self._having[predicate][subject] = None
                else:
                    self._having[predicate].pop(subject, None)

    def prepare(self, predicates: Iterable[Node]) -> None:
        """Make the nodes by value of some properties known, in one pass over the statements."""
        wanted: dict[Node, dict[Node, dict[Node, None]]] = {
            one: defaultdict(dict) for one in predicates if one not in self._known
        }
        for index in self._indexes if wanted else ():
            for subject, held in index.items():
                for predicate in wanted.keys() & held.keys() if len(held) > len(wanted) else held:
                    nodes = wanted.get(predicate)
                    if nodes is not None:
                        terms = held[predicate]
                        for term in terms if isinstance(terms, list) else (terms,):
                            nodes[term][subject] = None
        self._known.update(wanted)

    def subjects(self, predicate: Node, value: Node) -> list[Node]:
        """Return the nodes that have a value for a property, each once."""
        self.prepare((predicate,))
        return list(self._known[predicate].get(value, ()))

    def instances(self, kind: Node) -> Mapping[Node, None]:
        """Return the SHACL instances of a class."""
        found = self._instances.get(kind)
        if found is None:
            found = self._instances[kind] = _Instances(self, kind)
        return found

    def is_instance(self, node: Node, kind: Node) -> bool:
        """Return whether a node is a SHACL instance of a class."""
        kinds = self.values(node, RDF_TYPE)
        return kind in kinds or (bool(self.subjects_of(SUBCLASS)) and any(kind in self.above(one) for one in kinds))

    def of_type(self, kind: Node) -> list[Node]:
        """Return the nodes of exactly this type."""
        return self.subjects(RDF_TYPE, kind)

    def below(self, kind: Node) -> dict[Node, None]:
        """Return a class with all its subclasses."""
        found = {kind: None}
        left = [kind] if self.subjects_of(SUBCLASS) else []
        while left:
            more = [one for one in self.subjects(SUBCLASS, left.pop()) if one not in found]
            found.update(dict.fromkeys(more))
            left += more
        return found
