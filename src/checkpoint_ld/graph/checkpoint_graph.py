"""The checkpoint graph: a canonical tree as statements, and back.

A real `rdflib.Graph`, named by its root. Every exit (JSON-LD, Turtle, N-Triples, entities, SPARQL) works from it alone.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeVar

from rdflib import URIRef

from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.graph import terms
from checkpoint_ld.graph.building import built, uncollected
from checkpoint_ld.graph.compaction import Compaction, residue_of
from checkpoint_ld.graph.editing import Editor
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.object_reading import ObjectReading
from checkpoint_ld.graph.residue import RESIDUE, decoded
from checkpoint_ld.graph.statement_graph import StatementGraph
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.object_reading import Frame
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.graph.terms import Term, TermTable

DATA_FEED = URIRef(SCHEMA + "DataFeed")

Tree = dict[str, Any]
Read = TypeVar("Read")


class CheckpointGraph(StatementGraph):
    """The statements of one checkpoint.

    It may be read and changed as any rdflib graph. `tree`, `read` and the methods that edit members speak JSON in the
    canonical dialect; they keep names, order and residue right.
    """

    def __init__(self, index: Index, root: Node) -> None:
        super().__init__(index, root)
        self._terms: tuple[object, TermTable] | None = None
        self._has_typed_texts = False
        self._shared: tuple[int, set[Node]] | None = None

    @classmethod
    def of_tree(cls, tree: Tree) -> CheckpointGraph:
        """Build the graph of a canonical tree.

        Raises ReadError for a tree that no JSON-LD can be made of, or that is nested too deeply.
        """
        return cls(*built(tree))

    @property
    def own_context(self) -> Any:
        """The context that the document came with, where it is neither ours nor Karenina's."""
        return decoded(residue_of(self.held, self.root).members.get("@context"))

    @property
    def table(self) -> TermTable:
        """The terms under which objects are read and written."""
        told = self.held.get(self.root, {}).get(RESIDUE)
        if self._terms is None or self._terms[0] is not told:
            self._terms = told, terms.table(self.own_context)
        return self._terms[1]

    def tree(self) -> Tree:
        """Return the canonical tree, without context unless the document came with one of its own."""
        return self.read(self.root)

    @property
    def has_typed_texts(self) -> bool:
        """Whether a text with a language or a datatype was among what was read from the graph so far."""
        return self._has_typed_texts

    def read(self, subject: Node, via: Term | None = None, *, without: tuple[str, ...] = ()) -> Tree:
        """Return the JSON object of a node and of everything below it, less the members `without`.

        It is as the canonical document has it, and nothing that is done with it changes the graph. Raises
        LookupFailedError for a node of which nothing is said.
        """
        return self._read((subject,), lambda reader: reader.object(subject, via, without=without))

    def object(self, subject: Node, via: Term | None = None, *, without: tuple[str, ...] = ()) -> Tree:
        """Return what `read` does, which is the name to use."""
        warnings.warn("graph.object(…) is graph.read(…) now", DeprecationWarning, stacklevel=2)
        return self.read(subject, via, without=without)

    def read_all(self, subjects: Sequence[Node], via: Term | None = None, *, only: Frame | None = None) -> list[Tree]:
        """Return the JSON objects of nodes, as `read` does, in a fraction of the time where they are many.

        With `only`, members that this frame does not name may be left out: `{"item": {"text": None}}` asks for the
        texts of the questions in feed items.
        """
        return self._read(subjects, lambda reader: reader.objects(subjects, via, only))

    def _read(self, subjects: Sequence[Node], read: Callable[[ObjectReading], Read]) -> Read:
        held = self.held
        for one in subjects:
            if one not in held:
                msg = f"there is no node {one} in the graph of {self.root}"
                raise LookupFailedError(msg)
        reader = ObjectReading(held, self.table)
        with uncollected():
            found = read(reader)
        self._has_typed_texts |= reader.has_typed_texts
        return found

    def content(self, subject: Node, key: str) -> Any:
        """Return the JSON value of one member, with everything below it; None where there is none."""
        return self._read((), lambda reader: reader.content(subject, key))

    def plain(self, subject: Node, key: str) -> Any:
        """Return the value of a member that is a scalar, None where there is none."""
        value = Compaction(self.held, self.table).member(subject, key)
        return None if isinstance(value, (dict, list)) else value

    def member(self, subject: Node, key: str) -> list[Node]:
        """Return the terms of the member `key` of a node, in the order of the document."""
        return Compaction(self.held, self.table).terms(subject, key)

    def append(self, subject: Node, key: str, part: Tree) -> Node:
        """Add an object at the end of the array `key` of a node; return the node of the object.

        The cost is that of the object, whatever the size of the graph.
        """
        node = self._editor().append(subject, key, part)
        self._store.forget()
        return node

    def replace(self, subject: Node, key: str, value: Any) -> None:
        """Give the member `key` of a node any JSON value, None to take it away.

        The objects that were its values go, with everything below them. The cost is that of the old value and the new.
        """
        self._editor().replace(subject, key, value)
        self._store.forget()

    def discard(self, subject: Node, key: str, node: Node) -> None:
        """Take an object, and everything below it, out of the member `key` of a node."""
        self._editor().discard(subject, key, node)
        self._store.forget()

    def write(self, subject: Node, members: Tree, *, without: tuple[str, ...] = ()) -> None:
        """Let a node, and what it owns, say what an object says, as `read` gives it.

        The members `without` stay as they are, whatever the object has. The cost is that of the node and of what it
        owns, whatever the size of the graph.
        """
        self._editor().write(subject, members, without)
        self._store.forget()

    def set_plain(self, subject: Node, key: str, value: str | float | bool | None) -> None:
        """Do what `replace` does, which is the name to use."""
        warnings.warn("graph.set_plain(…) is graph.replace(…) now", DeprecationWarning, stacklevel=2)
        self.replace(subject, key, value)

    def _editor(self) -> Editor:
        self._store.forget()  # before the edit too, since one that fails may have changed something
        return Editor(self.index, self.table, self.own_context, self._is_shared)

    def _is_shared(self, node: Node) -> bool:
        """Tell whether more than one statement refers to `node`; edits by key add no second one."""
        revision = self._store.revision
        if self._shared is None or self._shared[0] != revision:
            referred = Counter(term for _, predicate, term in triples_of(self.held) if predicate != RDF_TYPE)
            self._shared = revision, {term for term, count in referred.items() if count > 1 and term in self.held}
        return node in self._shared[1]
