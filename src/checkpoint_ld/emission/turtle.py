"""Turtle and TriG, subjects and predicates sorted, byte for byte as pyoxigraph's serializer lays them out.

Statements of one subject stand together, the type first. That serializer wants a term of its own for each of ours; to
write its few signs between texts that are known takes a sixth of the time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyoxigraph
from rdflib import Literal, URIRef

from checkpoint_ld.emission.term_texts import TermTexts, iri, is_blank, quoted
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index, StatementGraph

_LOCAL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*|")
# What Turtle has a short form for (RDF 1.1 Turtle §6.5, productions 19 to 21 and 133s).
_SHORT_FORMS: dict[Node, re.Pattern[str]] = {
    XSD_BOOLEAN: re.compile("true|false"),
    XSD_INTEGER: re.compile("[+-]?[0-9]+"),
    XSD_DECIMAL: re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    XSD_DOUBLE: re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"),
}


def turtle_of(graph: StatementGraph) -> bytes:
    """Return Turtle, subjects and predicates sorted. Raises WriteError for names that are no IRIs."""
    if not graph.held:
        return b""
    texts, blocks = _written(graph, "")
    return "".join((texts.declarations(), " .\n".join(blocks), " .\n")).encode()


def trig_of(graph: StatementGraph) -> bytes:
    """Return TriG, as Turtle in one graph that is named by the root. Raises WriteError as above."""
    if not graph.held:
        return b""
    texts, blocks = _written(graph, "\t")
    start = f"{texts.declarations()}{texts.foreign(str(graph.root))} {{\n\t"
    return "".join((start, " .\n\t".join(blocks), " .\n}\n")).encode()


def _written(graph: StatementGraph, margin: str) -> tuple[_Texts, list[str]]:
    """Return the statements of each subject, and the texts that they are made of.

    A prefix is not used at all if any name of its namespace would need an escape: rdflib stops at those.
    """
    prefixes = dict(graph.PREFIXES)
    while True:
        texts = _Texts(prefixes)
        blocks = _blocks(graph.held, texts, margin)
        if not texts.unsafe:
            return texts, blocks
        prefixes = {prefix: one for prefix, one in prefixes.items() if one not in texts.unsafe}


class _Texts(TermTexts):
    """Terms as Turtle writes them, under some prefixes; `unsafe` has the namespaces that need escapes in names."""

    def __init__(self, prefixes: dict[str, str]) -> None:
        super().__init__()
        self.unsafe: set[str] = set()
        self._prefixes = prefixes
        self._namespaces = tuple(prefixes.values())

    def iri(self, text: str) -> str:
        if not text.startswith(self._namespaces):
            return iri(text)
        prefix, namespace = next(pair for pair in self._prefixes.items() if text.startswith(pair[1]))
        if not _LOCAL_NAME.fullmatch(text, len(namespace)):
            self.unsafe.add(namespace)
            return iri(text)
        return f"{prefix}:{text[len(namespace) :]}"

    def typed(self, text: str, datatype: URIRef) -> str:
        short = _SHORT_FORMS.get(datatype)
        if short is not None and short.fullmatch(text):
            return text
        return f"{quoted(text)}^^{self.foreign(str(datatype))}"

    def foreign(self, text: str) -> str:
        """Return the text of the IRI of a datatype or a graph, for which no prefix is given up."""
        odd = any(text.startswith(one) and not _LOCAL_NAME.fullmatch(text, len(one)) for one in self._namespaces)
        return self._serialized(iri(text)[1:-1])[1] if odd else self.iri(text)

    def declarations(self) -> str:
        """Return the lines that declare the prefixes."""
        return self._serialized("urn:x")[0]

    def _serialized(self, text: str) -> tuple[str, str]:
        """Return the declarations of the prefixes and an IRI as pyoxigraph writes them."""
        other = pyoxigraph.NamedNode("urn:x")
        statement = pyoxigraph.Triple(other, pyoxigraph.NamedNode(text), other)
        written = pyoxigraph.serialize([statement], format=pyoxigraph.RdfFormat.TURTLE, prefixes=self._prefixes) or b""
        *declarations, line = written.decode().removesuffix("\n").split("\n")
        return "".join(f"{one}\n" for one in declarations), line.split(" ")[1]


def _blocks(index: Index, texts: TermTexts, margin: str) -> list[str]:
    """Return the statements of each subject, up to the dot."""
    known, added = texts.known, texts.added
    patterns: dict[tuple[Node, ...], tuple[list[Node], str]] = {}
    blocks = []
    subjects = sorted(index, key=str)
    subjects.sort(key=is_blank, reverse=True)
    for subject in subjects:
        held_by = index[subject]
        shape = tuple(held_by)
        if shape not in patterns:
            patterns[shape] = _in_order(shape, texts, f" ;\n{margin}\t")
        order, pattern = patterns[shape]
        objects = [
            _objects(held, texts) if isinstance(held, list) else known.get(id(held)) or added(held)
            for held in map(held_by.__getitem__, order)
        ]
        blocks.append(f"{known.get(id(subject)) or added(subject)} {pattern % tuple(objects)}")
    return blocks


def _in_order(predicates: tuple[Node, ...], texts: TermTexts, between: str) -> tuple[list[Node], str]:
    """Return predicates in their order, and the pattern of what is said by them: alike nodes differ in objects only."""
    ordered = sorted(predicates, key=lambda predicate: (predicate != RDF_TYPE, str(predicate)))
    starts = ["a" if one == RDF_TYPE else texts.iri(str(one)).replace("%", "%%") for one in ordered]
    return ordered, between.join(f"{start} %s" for start in starts)


def _objects(held: list[Node], texts: TermTexts) -> str:
    ordered = sorted(held, key=_in_notation_3)
    return " , ".join(texts.known.get(id(one)) or texts.added(one) for one in ordered)


def _in_notation_3(term: Node) -> str:
    if type(term) is URIRef:
        return f"<{term}>"
    return term.n3() if isinstance(term, Literal) else f"_:{term}" if is_blank(term) else f"<{term}>"
