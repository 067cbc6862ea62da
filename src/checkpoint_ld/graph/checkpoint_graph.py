"""The checkpoint graph: a canonical tree as statements, and back.

A real `rdflib.Graph`, named by its root. Every exit (JSON-LD, Turtle, N-Triples, entities, SPARQL) works from it alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import Graph, Literal, URIRef

from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.graph import contexts, naming, recursion, terms
from checkpoint_ld.graph.annotation import Annotated, Placed, annotate, annotate_member
from checkpoint_ld.graph.compaction import POSITION, Compaction, residue_of
from checkpoint_ld.graph.expansion import IDENTIFIER, expand, statements
from checkpoint_ld.graph.literals import literal, literal_of
from checkpoint_ld.graph.residue import RESIDUE, Ref, Residue, decoded, difference, encoded
from checkpoint_ld.graph.store import Index, SubjectIndexStore, copied, put, terms_of, triples_of
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.terms import Term, TermTable

DATA_FEED = URIRef(SCHEMA + "DataFeed")
PREFIXES = {"schema": SCHEMA, "karenina": KARENINA}

Tree = dict[str, Any]


class CheckpointGraph(Graph):
    """The statements of one checkpoint.

    It may be read and changed as any rdflib graph. `tree`, `object` and the methods that edit members speak JSON in the
    canonical dialect; they keep names, order and residue right.
    """

    def __init__(self, index: Index, root: Node) -> None:
        store = SubjectIndexStore()
        super().__init__(store, identifier=str(root), bind_namespaces="none")
        store.add_graph(self)
        store.replace(index)
        self.root = root
        self._terms: tuple[object, TermTable] | None = None
        for prefix, namespace in {**PREFIXES, "xsd": "http://www.w3.org/2001/XMLSchema#"}.items():
            self.bind(prefix, namespace)

    @classmethod
    def of_tree(cls, tree: Tree) -> CheckpointGraph:
        """Build the graph of a canonical tree.

        Raises ReadError for a tree that no JSON-LD can be made of, or that is nested too deeply.
        """
        own_context = tree.get("@context")
        with recursion.room():
            annotated = annotate(tree, terms.table(own_context))
            index = statements(expand(annotated.tree, contexts.merged(own_context)))
            graph = cls(index, URIRef(annotated.objects[0].name))
            remembered = contexts.remembered(own_context)
            graph._complete(annotated, remembered)
        return graph

    def copy(self) -> CheckpointGraph:
        """Return a graph of the same statements that can be changed without changing this one."""
        return _graph(copied(self.index), self.root, dict(self.namespaces()))

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> CheckpointGraph:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        # Literals are told in parts: rdflib rewrites the text of one that it is given back whole.
        told = [
            (subject, predicate, (str(term), term.datatype, term.language) if isinstance(term, Literal) else term)
            for subject, predicate, term in triples_of(self.index)
        ]
        return _restored, (told, self.root, dict(self.namespaces()))

    @property
    def index(self) -> Index:
        """The subject index that holds the statements; after changing it, call `touch`."""
        store = self.store
        assert isinstance(store, SubjectIndexStore)  # noqa: S101 - the constructor sets it
        return store.index

    def touch(self) -> None:
        """Tell the graph that its index was changed directly."""
        store = self.store
        assert isinstance(store, SubjectIndexStore)  # noqa: S101 - the constructor sets it
        store.touch()

    @property
    def own_context(self) -> Any:
        """The context that the document came with, where it is neither ours nor Karenina's."""
        return decoded(residue_of(self.index, self.root).members.get("@context"))

    @property
    def table(self) -> TermTable:
        """The terms under which objects are read and written."""
        told = self.index.get(self.root, {}).get(RESIDUE)
        if self._terms is None or self._terms[0] is not told:
            self._terms = told, terms.table(self.own_context)
        return self._terms[1]

    def tree(self) -> Tree:
        """Return the canonical tree, without context unless the document came with one of its own."""
        return self.object(self.root)

    def object(self, subject: Node, via: Term | None = None, *, without: tuple[str, ...] = ()) -> Tree:
        """Return the JSON object of a node and of everything below it, less the members `without`."""
        if subject not in self.index:
            msg = f"there is no node {subject} in the graph of {self.root}"
            raise LookupFailedError(msg)
        return Compaction(self.index, self.table).object(subject, via, without=without)

    def plain(self, subject: Node, key: str) -> Any:
        """Return the value of a member that is a scalar, None where there is none."""
        value = Compaction(self.index, self.table).shallow(subject).get(key)
        return None if isinstance(value, (dict, list)) else value

    def update(self, *arguments: Any, **options: Any) -> None:
        """Carry out a SPARQL 1.1 update; parameters are those of `rdflib.Graph.update`."""
        # rdflib takes a pattern in an update for one over a dataset unless the graph is of its own class.
        Graph(self.store, identifier=self.identifier, bind_namespaces="none").update(*arguments, **options)
        self.touch()

    def member(self, subject: Node, key: str) -> list[Node]:
        """Return the terms of the member `key` of a node, in their order."""
        term = self.table.at(None, None).by_key.get(key)
        iri = URIRef(term.iri if term else terms.expand_name(key))
        return Compaction(self.index, self.table).in_order(terms_of(self.index.get(subject, {}).get(iri)))

    def append(self, subject: Node, key: str, part: Tree) -> Node:
        """Add an object at the end of the array `key` of a node; return the node of the object.

        The cost is that of the object, whatever the size of the graph.
        """
        via = self.table.base.by_key[key]
        predicate = URIRef(via.iri)
        held = terms_of(self.index.setdefault(subject, {}).get(predicate))
        reader = Compaction(self.index, self.table)
        at = reader.next_place(held)
        with recursion.room():
            annotated = annotate_member(part, self.table, via, (str(subject), at), self.index)
            self.index.update(statements(expand(annotated.tree, contexts.merged(self.own_context))))
            self._complete(annotated)
        node = URIRef(annotated.objects[0].name)
        # The node is new, so that the array need not be searched for it.
        self.index[subject][predicate] = [*held, node] if len(held) < 2 else _extended(held, node)
        self._append_to_residue(subject, key, str(node))
        return node

    def _append_to_residue(self, subject: Node, key: str, name: str) -> None:
        left = residue_of(self.index, subject)
        if key in left.members:
            told = left.members[key]
            longer = {key: [*told, encoded(Ref(name), {})]} if isinstance(told, list) and told else {}
            read = Compaction(self.index, self.table).members(subject) if longer else {}
            self._tell_residue(subject, left.without(key).joined(longer, read))

    def set_plain(self, subject: Node, key: str, value: str | float | bool | None) -> None:
        """Give the member `key` of a node a plain value; None takes the member away."""
        term = self.table.base.by_key.get(key)
        predicate = URIRef(term.iri if term else terms.expand_name(key))
        predicates = self.index.setdefault(subject, {})
        predicates.pop(predicate, None)
        if value is not None:
            predicates[predicate] = literal_of(value, term.coercion if term else None)
        self._tell_residue(subject, residue_of(self.index, subject).without(key))
        self.touch()

    def _complete(self, annotated: Annotated, own_context: Tree | None = None) -> None:
        """Add what expansion does not say: positions, texts of ids, residue; at the root also the context."""
        reader = Compaction(self.index, self.table if own_context is None else terms.table(own_context))
        for placed in annotated.objects:
            self._tell_place(URIRef(placed.name), placed)
        # Children first: the residue of a child may be all that makes it a node, which its parent's reading shows.
        for placed in reversed(annotated.objects):
            subject = URIRef(placed.name)
            source = {key: value for key, value in placed.source.items() if key != "@context"}
            left = difference(source, reader.members(subject, placed.via), annotated.names, placed.set_apart)
            if placed is annotated.objects[0] and own_context is not None:
                left = left.joined({"@context": encoded(own_context, {})}, {})
            self._tell_residue(subject, left)
        self.touch()

    def _tell_place(self, subject: URIRef, placed: Placed) -> None:
        identifier = placed.source.get("@id")
        if isinstance(identifier, str) and (identifier != placed.name or naming.is_minted(identifier)):
            self.index.setdefault(subject, {})[IDENTIFIER] = literal_of(identifier)
        if placed.position is not None and "position" not in placed.source:
            self.index.setdefault(subject, {})[POSITION] = literal_of(placed.position)

    def _tell_residue(self, subject: Node, left: Residue) -> None:
        if left:
            self.index.setdefault(subject, {})[RESIDUE] = literal_of(left.as_json(), "@json")
        elif subject in self.index:
            self.index[subject].pop(RESIDUE, None)
            if not self.index[subject]:
                del self.index[subject]


def _restored(told: list[tuple[Node, Node, Any]], root: Node, prefixes: dict[str, URIRef]) -> CheckpointGraph:
    index: Index = {}
    for subject, predicate, term in told:
        put(index, subject, predicate, literal(*term) if isinstance(term, tuple) else term)
    return _graph(index, root, prefixes)


def _graph(index: Index, root: Node, prefixes: dict[str, URIRef]) -> CheckpointGraph:
    graph = CheckpointGraph(index, root)
    for prefix, namespace in prefixes.items():
        graph.bind(prefix, namespace)
    return graph


def _extended(held: list[Node], node: Node) -> list[Node]:
    held.append(node)
    return held
