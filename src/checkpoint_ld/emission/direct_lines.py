"""N-Triples straight from a canonical tree: the walk that makes a graph, with texts in the place of terms.

What is written is what `sorted_lines` writes for the graph of the tree, byte for byte. For 1,000 questions it takes
two thirds of the time, since no term is made only to be written. Trees that no compiled context covers go through a
graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.emission.sorted_lines import ntriples_of
from checkpoint_ld.emission.term_texts import TermTexts, iri, quoted
from checkpoint_ld.graph import contexts, recursion
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.collecting import uncollected
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.literals import XSD_DATETIME, is_datetime
from checkpoint_ld.graph.plans import NotCoveredError, Reading
from checkpoint_ld.graph.residue import RESIDUE, Residue, encoded
from checkpoint_ld.graph.walk import Walk, coercion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib import Literal
    from rdflib.term import Node

    from checkpoint_ld.graph.plans import KeyPlan

Tree = dict[str, Any]
Predicates = dict["Node", "Node | list[Node]"]

_OF_DATE = f"^^{iri(XSD_DATETIME)}"
_SUBJECT = URIRef("urn:x:subject")
_NOWHERE: Any = None
"""Where the objects of a member would stand that has none."""


def ntriples_of_tree(tree: Tree) -> bytes:
    """Return the statements of a canonical tree as N-Triples, one line a statement, sorted.

    Raises ReadError for a tree that no graph can be made of, WriteError for names that are no IRIs.
    """
    with recursion.room(), uncollected():
        try:
            return TextWalk(tree.get("@context")).write(tree)
        except NotCoveredError:
            return ntriples_of(CheckpointGraph.of_tree(tree))


class TextWalk(Walk):
    """A walk that holds texts: subjects and objects as N-Triples has them."""

    def __init__(self, own_context: object) -> None:
        super().__init__(own_context)
        self._exact = Walk(own_context)
        self._terms = TermTexts()

    def write(self, tree: Tree) -> bytes:
        """Return the lines of a tree. Raises NotCoveredError."""
        root = self.named(self.root(tree))
        left = {subject: self._left(source, odd) for subject, source, odd in self.odd}
        remembered = contexts.remembered(tree.get("@context"))
        if remembered is not None:
            left[root] = left.get(root, Residue()).joined({"@context": encoded(remembered, {})}, {})
        for subject, residue in left.items():
            if residue:
                self.index.setdefault(subject, {})[RESIDUE] = self.json(residue.as_json())
        return b"".join(self._blocks())

    def _left(self, source: Tree, odd: list[KeyPlan]) -> Residue:
        """Return the residue of an object whose odd members are plain: then it follows from the object alone."""
        held: Predicates = {}
        for known in odd:
            value = source[known.key]
            if known.reading is Reading.NAME or _has_objects(value):
                raise NotCoveredError
            term, _ = self._exact.member(value, known, _NOWHERE)
            if term is not None:
                held[known.predicate] = term
        reader = Compaction({_SUBJECT: held}, self.plans.table)
        told = [known for known in odd if known.predicate in held]
        read = {known.key: reader.told(_SUBJECT, known.predicate, known.term, coercion(known)) for known in told}
        return self.residue(source, odd, read)

    def _blocks(self) -> Iterator[bytes]:
        """Yield the lines about each subject."""
        starts: dict[int, str] = {}
        tails: dict[int, list[str]] = {}
        index: dict[Any, Predicates] = self.index
        for subject in sorted(index):
            held_by = index[subject]
            lines = tails.get(id(held_by))
            if lines is None:
                lines = tails[id(held_by)] = []
                for predicate, held in held_by.items():
                    start = starts.get(id(predicate))
                    if start is None:
                        start = starts[id(predicate)] = f"{iri(str(predicate))} "
                    if type(held) is list:
                        lines += [f"{start}{one} .\n" for one in held]
                    else:
                        lines.append(f"{start}{held} .\n")
                lines.sort()
                lines.insert(0, "")  # the subject stands before the first line, too
            # Part by part, since most parts are ASCII, which is encoded in no time.
            yield f"{subject} ".join(lines).encode()

    def named(self, name: str) -> Any:
        """Return a name as N-Triples has it."""
        return f"<{name}>"

    def iri(self, iri: URIRef) -> Any:
        """Return an IRI as N-Triples has it."""
        return self._terms.known.get(id(iri)) or self._terms.added(iri)

    def text(self, text: str) -> Any:
        """Return a text in quotes. Raises WriteError for half a surrogate pair."""
        return quoted(text)

    def date(self, text: str) -> Any:
        """Return a date with its datatype, any other text in quotes."""
        return f'"{text}"{_OF_DATE}' if is_datetime(text) else quoted(text)

    def literal(self, literal: Literal) -> Any:
        """Return a literal with its datatype."""
        return self._terms.text(literal)

    def again(self, said: Predicates) -> Predicates:
        """Return the very same statements: here nobody changes them."""
        return said


def _has_objects(value: Any) -> bool:
    return any(type(one) is dict for one in (value if isinstance(value, list) else [value]))
