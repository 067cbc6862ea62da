"""N-Triples and N-Quads straight from a canonical tree: the walk that makes a graph, with texts in the place of terms.

What is written is what `sorted_lines` writes for the graph of the tree, byte for byte. For 1,000 questions it takes
two thirds of the time, since no term is made only to be written. Trees that no compiled context covers go through a
graph.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld import shortcuts
from checkpoint_ld.emission.alike_lines import NO_OBJECT, TRIPLE, blocks
from checkpoint_ld.emission.sorted_lines import nquads_of, ntriples_of, quad
from checkpoint_ld.emission.term_texts import iri, quoted
from checkpoint_ld.graph import contexts, naming, recursion
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.collecting import uncollected
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import RDF_JSON, XSD_DATETIME, is_datetime, json_text
from checkpoint_ld.graph.plans import NotCoveredError, Reading
from checkpoint_ld.graph.residue import RESIDUE, Residue, encoded
from checkpoint_ld.graph.walk import Walk, has_objects, is_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Mapping, Sequence

    from rdflib import Literal
    from rdflib.term import Node

    from checkpoint_ld.graph.plans import KeyPlan

Tree = dict[str, Any]
Predicates = dict["Node", "Node | list[Node]"]

_iri = lru_cache(maxsize=1024)(iri)
_OF_DATE = f"^^{iri(XSD_DATETIME)}"
_OF_JSON = f"^^{iri(RDF_JSON)}"
_SUBJECT = URIRef("urn:x:subject")
_NOWHERE: Any = None
"""Where the objects of a member would stand that has none."""


def ntriples_of_tree(tree: Tree) -> bytes:
    """Return the statements of a canonical tree as N-Triples, one line a statement, sorted.

    Raises ReadError for a tree that no graph can be made of, WriteError for names that are no IRIs.
    """
    return _lines(tree, TRIPLE) or ntriples_of(CheckpointGraph.of_tree(tree))


def nquads_of_tree(tree: Tree) -> bytes:
    """Return the statements of a canonical tree as N-Quads, in one graph that is named by the root, sorted.

    Raises as above.
    """
    identifier = tree.get("@id")
    # A root without a name is named by all that it holds, which the graph does once.
    found = _lines(tree, quad(naming.iri_of(identifier))) if isinstance(identifier, str) else None
    return found or nquads_of(CheckpointGraph.of_tree(tree))


def _lines(tree: Tree, end: str) -> bytes | None:
    """Return the lines of a tree, None where that takes a graph."""
    with recursion.room(), uncollected():
        if shortcuts.is_taken("direct-lines"):
            with suppress(NotCoveredError):
                return TextWalk(tree.get("@context"), end=end).write(tree)
    return None


class TextWalk(Walk):
    """A walk that holds texts: nodes and literals as N-Triples has them, and the lines about each node."""

    def __init__(self, own_context: object, taken: Container[object] = (), end: str = TRIPLE) -> None:
        super().__init__(own_context, taken)
        self._exact = Walk(own_context)
        self._lines: dict[Any, str] = {}
        self._end = end

    def write(self, tree: Tree) -> bytes:
        """Return the lines of a tree. Raises NotCoveredError."""
        lines = self.told(tree)
        # Part by part, since most are ASCII, which is encoded in no time; and taken out, so that their room is free.
        return b"".join([lines.pop(subject).encode() for subject in sorted(lines)])

    def told(self, tree: Tree) -> dict[str, str]:
        """Return the lines about each node of a tree. Raises NotCoveredError."""
        root = self.named([self.root(tree)])[0]
        remembered = contexts.remembered(tree.get("@context"))
        if remembered is None:
            return self.completed()
        return self.completed(root, Residue().joined({"@context": encoded(remembered, {})}, {}))

    def completed(self, node: Any = None, residue: Residue | None = None) -> dict[str, str]:
        """Return the lines about each node, with what they say otherwise than the document, and that `node` does.

        Raises NotCoveredError.
        """
        left = {subject: self._left(source, odd) for subject, source, odd in self.odd}
        if residue is not None:
            left[node] = left[node].and_also(residue) if node in left else residue
        for subject, told in left.items():
            if told:
                line = f"{subject}{self._start(RESIDUE)}{self.json(told.as_json())}{self._end}"
                lines = self._lines.get(subject, "").split("\n")[:-1]
                self._lines[subject] = "".join(f"{one}\n" for one in sorted([*lines, line[:-1]]))
        return self._lines

    def forget(self) -> None:
        """Start again."""
        super().forget()
        self._lines.clear()

    def _left(self, source: Tree, odd: list[KeyPlan]) -> Residue:
        """Return the residue of an object whose odd members are plain: then it follows from the object alone."""
        held: Predicates = {}
        for known in odd:
            value = source[known.key]
            if is_texts(value, known):
                continue
            if known.reading is Reading.NAME or has_objects(value):
                raise NotCoveredError
            term, _ = self._exact.member(value, known, _NOWHERE)
            if term is not None:
                held[known.predicate] = term
        return self.residue(_SUBJECT, source, odd, Compaction({_SUBJECT: held}, self.plans.table))

    def hold(
        self,
        subjects: Sequence[Any],
        kind: URIRef | None,
        columns: Mapping[URIRef, Sequence[Any]],
        gaps: Collection[int],
    ) -> None:
        """Hold the lines about `subjects`: alike objects have one pattern, in which only names and values differ."""
        told = {self._start(predicate): column for predicate, column in columns.items()}
        if kind is not None:
            told[self._start(RDF_TYPE) + self.iri(kind)] = NO_OBJECT
        self._lines.update(zip(subjects, blocks(subjects, told, self._end), strict=bool(told)))
        for at in gaps:
            said = {start: column and [column[at]] for start, column in told.items()}
            if [None] in said.values():
                held = {start: column for start, column in said.items() if column != [None]}
                self._lines[subjects[at]] = "".join(blocks([subjects[at]], held, self._end))

    def _start(self, predicate: URIRef) -> str:
        return f" {self.iri(predicate)} "

    @staticmethod
    def named(names: Iterable[str]) -> list[Any]:
        """Return names as N-Triples has them."""
        return [f"<{name}>" for name in names]

    @staticmethod
    def iri(iri: URIRef) -> Any:
        """Return an IRI as N-Triples has it."""
        return _iri(iri)

    @staticmethod
    def text(text: str) -> Any:
        """Return a text in quotes. Raises WriteError for half a surrogate pair."""
        return quoted(text)

    @staticmethod
    def date(text: str) -> Any:
        """Return a date with its datatype, any other text in quotes."""
        return f'"{text}"{_OF_DATE}' if is_datetime(text) else quoted(text)

    @staticmethod
    def json(value: Any) -> Any:
        """Return any JSON value as one literal."""
        return f"{quoted(json_text(value))}{_OF_JSON}"

    @staticmethod
    def literal(literal: Literal) -> Any:
        """Return a literal with its datatype."""
        return f"{quoted(str(literal))}^^{_iri(literal.datatype)}"
