"""The subject index: one dictionary that holds a graph, and an rdflib store over it.

`{subject: {predicate: term, or a list of two or more terms}}`. Reading, mapping, validation and writing go through the
dictionary; everybody else sees a usual `rdflib.store.Store`. The two other indexes are built when somebody first asks
by predicate or by object.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from rdflib.store import Store

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from rdflib import Graph
    from rdflib.graph import _TriplePatternType, _TripleType
    from rdflib.term import Identifier, Node, URIRef

Index = dict["Node", dict["Node", "Node | list[Node]"]]


def terms_of(held: Node | list[Node] | None) -> list[Node]:
    """Return what an index holds for a subject and a predicate as a list."""
    if held is None:
        return []
    return held if isinstance(held, list) else [held]


def put(index: Index, subject: Node, predicate: Node, term: Node) -> bool:
    """Add a triple to `index`; return whether it is new."""
    predicates = index.setdefault(subject, {})
    held = predicates.get(predicate)
    if held is None:
        predicates[predicate] = term
    elif isinstance(held, list):
        if term in held:
            return False
        held.append(term)
    elif held == term:
        return False
    else:
        predicates[predicate] = [held, term]
    return True


def drop(index: Index, subject: Node, predicate: Node, term: Node) -> bool:
    """Take a triple out of `index`; return whether it was there."""
    predicates = index.get(subject, {})
    kept = terms_of(predicates.get(predicate))
    if term not in kept:
        return False
    kept = [other for other in kept if other != term]
    if kept:
        predicates[predicate] = kept if len(kept) > 1 else kept[0]
    else:
        del predicates[predicate]
        if not predicates:
            del index[subject]
    return True


def triples_of(index: Index) -> Iterator[tuple[Node, Node, Node]]:
    """Iterate over all triples of `index`, in its order."""
    for subject, predicates in index.items():
        for predicate, held in predicates.items():
            if isinstance(held, list):
                for term in held:
                    yield subject, predicate, term
            else:
                yield subject, predicate, held


class SubjectIndexStore(Store):
    """An rdflib store of one graph over a subject index."""

    context_aware = True
    graph_aware = True
    formula_aware = False
    transaction_aware = False

    def __init__(self, configuration: str | None = None, identifier: Identifier | None = None) -> None:
        self.index: Index = {}
        self._by_predicate: dict[Node, dict[Node, list[Node]]] | None = None
        self._by_object: dict[Node, list[tuple[Node, Node]]] | None = None
        self._size: int | None = None
        self._prefixes: dict[str, URIRef] = {}
        self._graphs: dict[Graph, None] = {}
        super().__init__(configuration, identifier)

    def replace(self, index: Index) -> None:
        """Hold the triples of `index` instead of those held so far."""
        self.index = index
        self.touch()

    def touch(self) -> None:
        """Forget what was derived from the index; to be called after the index was changed from outside."""
        self._by_predicate = self._by_object = self._size = None

    def add(self, triple: _TripleType, context: Graph | None = None, quoted: bool = False) -> None:
        """Add a triple (`rdflib.store.Store.add`)."""
        if context is not None:
            super().add(triple, context, quoted)
            self.add_graph(context)
        if put(self.index, *triple):
            self._note(*triple)

    def _note(self, subject: Node, predicate: Node, term: Node) -> None:
        """Keep what is derived from the index in step with one new triple."""
        if self._size is not None:
            self._size += 1
        if self._by_predicate is not None:
            self._by_predicate.setdefault(predicate, {}).setdefault(term, []).append(subject)
        if self._by_object is not None:
            self._by_object.setdefault(term, []).append((subject, predicate))

    def remove(self, triple: _TriplePatternType, context: Graph | None = None) -> None:
        """Take out every triple that matches (`rdflib.store.Store.remove`)."""
        for found, _ in list(self.triples(triple, context)):
            drop(self.index, *found)
        self.touch()
        super().remove(triple, context)

    def triples(
        self, triple_pattern: _TriplePatternType, context: Graph | None = None
    ) -> Generator[tuple[_TripleType, Iterator[Graph | None]], None, None]:
        """Yield the triples that match, each with the graphs that it is in."""
        if context is not None and self._graphs and context not in self._graphs:
            return
        for triple in list(self._matches(*triple_pattern)):
            yield triple, iter(list(self._graphs))

    def _matches(self, subject: Any, predicate: Any, term: Any) -> Iterable[tuple[Node, Node, Node]]:
        if subject is not None:
            predicates = self.index.get(subject, {})
            asked = predicates if predicate is None else (predicate,)
            return (
                (subject, one, held)
                for one in asked
                for held in terms_of(predicates.get(one))
                if term is None or held == term
            )
        if predicate is not None:
            by_term = self._predicate_index().get(predicate, {})
            asked_terms = by_term if term is None else (term,)
            return ((one, predicate, held) for held in asked_terms for one in by_term.get(held, ()))
        if term is not None:
            return ((one, by, term) for one, by in self._object_index().get(term, ()))
        return triples_of(self.index)

    def _predicate_index(self) -> dict[Node, dict[Node, list[Node]]]:
        if self._by_predicate is None:
            self._by_predicate = {}
            for subject, predicate, term in triples_of(self.index):
                self._by_predicate.setdefault(predicate, {}).setdefault(term, []).append(subject)
        return self._by_predicate

    def _object_index(self) -> dict[Node, list[tuple[Node, Node]]]:
        if self._by_object is None:
            self._by_object = {}
            for subject, predicate, term in triples_of(self.index):
                self._by_object.setdefault(term, []).append((subject, predicate))
        return self._by_object

    def __len__(self, context: Graph | None = None) -> int:
        if context is not None and self._graphs and context not in self._graphs:
            return 0
        if self._size is None:
            held = chain.from_iterable(predicates.values() for predicates in self.index.values())
            self._size = sum(len(terms) if isinstance(terms, list) else 1 for terms in held)
        return self._size

    def contexts(self, triple: _TripleType | None = None) -> Generator[Graph, None, None]:
        """Yield the graphs of the store, or those that hold `triple`."""
        if triple is None or any(True for _ in self._matches(*triple)):
            yield from list(self._graphs)

    def add_graph(self, graph: Graph) -> None:
        """Name `graph` as one of this store."""
        self._graphs[graph] = None

    def remove_graph(self, graph: Graph) -> None:
        """Forget `graph` and what it holds."""
        if graph in self._graphs:
            self.replace({})
            del self._graphs[graph]

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix (`rdflib.store.Store.bind`); a namespace has one prefix, a prefix one namespace."""
        bound_prefix = self.prefix(namespace)
        if not override and (prefix in self._prefixes or bound_prefix is not None):
            return
        if bound_prefix is not None:
            del self._prefixes[bound_prefix]
        self._prefixes[prefix] = namespace

    def namespace(self, prefix: str) -> URIRef | None:
        """Return the namespace that `prefix` is bound to."""
        return self._prefixes.get(prefix)

    def prefix(self, namespace: URIRef) -> str | None:
        """Return the prefix that is bound to `namespace`."""
        return next((prefix for prefix, bound in self._prefixes.items() if bound == namespace), None)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """Iterate over the bound prefixes."""
        return iter(list(self._prefixes.items()))
