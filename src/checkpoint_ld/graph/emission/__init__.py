"""Emission: a checkpoint graph in the RDF syntaxes and as JSON-LD; deterministic, and in full precision.

Everything is written from the subject index, without a second copy of the graph.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyoxigraph
from rdflib import BNode, URIRef

from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.contexts import named
from checkpoint_ld.graph.emission.json_ld import ContextStyle, expanded_of, jsonld_of, local_context
from checkpoint_ld.graph.emission.syntaxes import (
    nquads_of,
    ntriples_of,
    rdf_xml,
    rdf_xml_of,
    too_long,
    trig_of,
    turtle_of,
)
from checkpoint_ld.graph.literals import XSD_STRING, literal
from checkpoint_ld.graph.store import Index, put, triples_of
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import BLANK, finding, text_of
from checkpoint_ld.vocabulary import CAF, ID_BASE, KARENINA, RDF, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rdflib import Literal
    from rdflib.term import Node

    from checkpoint_ld.rules import Statements, Term


__all__ = [
    "ContextStyle",
    "contexts",
    "expanded_of",
    "jsonld_of",
    "local_context",
    "nquads_of",
    "ntriples_of",
    "rdf_xml",
    "rdf_xml_of",
    "too_long",
    "trig_of",
    "turtle_of",
]


SYNTAXES = {
    "turtle": pyoxigraph.RdfFormat.TURTLE,
    "nt": pyoxigraph.RdfFormat.N_TRIPLES,
    "nq": pyoxigraph.RdfFormat.N_QUADS,
    "trig": pyoxigraph.RdfFormat.TRIG,
    "xml": pyoxigraph.RdfFormat.RDF_XML,
}
"""The syntaxes by the names that the command line has for them."""
_FORMATS = {**SYNTAXES, "json-ld": pyoxigraph.RdfFormat.JSON_LD}

# Every Turtle document is N3. What N3 adds, formulas and rules, is no RDF.
EXTENSIONS = {
    ".ttl": "turtle",
    ".turtle": "turtle",
    ".n3": "turtle",
    ".nt": "nt",
    ".ntriples": "nt",
    ".nq": "nq",
    ".nquads": "nq",
    ".trig": "trig",
    ".rdf": "xml",
    ".owl": "xml",
    ".xml": "xml",
}

LONG_NAMES = {"ntriples": "nt", "nquads": "nq"}
"""Other names of syntaxes, by which they are known too."""

_ENTITY = re.compile(rb'<!ENTITY\s+[^\s%]+\s+"([^"&]*)"')
_EXPANSION = 10
"""Entities may make an RDF/XML text so many times longer. Abbreviated namespaces add less than its own length."""


def parse(data: bytes, syntax: str, *, base: str = ID_BASE) -> Index:
    """Return the statements of a text; those of all its graphs together. Raises ReadError as `parse_graphs`.

    `syntax` may be `json-ld` for what is no checkpoint. Relative IRIs are resolved against `base`.
    """
    return together(parse_graphs(data, syntax, base=base))


def together(graphs: Mapping[str, Index]) -> Index:
    """Return the statements of graphs, merged."""
    first, *others = graphs.values() or ({},)
    for other in others:
        for triple in triples_of(other):
            put(first, *triple)
    return first


def parse_graphs(data: bytes, syntax: str, *, base: str = ID_BASE) -> dict[str, Index]:
    """Return the statements of each graph of a text by its name, which is empty for the default graph.

    Literals keep their lexical form. Raises ReadError with line and column for a text that does not parse, and for
    RDF/XML whose entities are nested or would make it much longer.
    """
    if syntax == "xml":
        _check_entities(data)
    graphs: dict[Any, Index] = defaultdict(dict)
    names = _Names()
    try:
        for quad in pyoxigraph.parse(data, format=_FORMATS[syntax], base_iri=base):
            index = graphs[quad.graph_name]
            put(index, names.term(quad.subject), names[quad.predicate.value], names.term(quad.object))
    except SyntaxError as error:
        fault = finding("rdf-syntax", f"this is no {syntax}: {error.msg}")
        raise ReadError.of([replace(fault, place=Place(line=error.lineno, column=error.offset))]) from error
    except ReadError:
        raise
    except ValueError as error:
        raise ReadError.of([finding("rdf-syntax", f"this is no {syntax}: {error}")]) from error
    except MemoryError as error:
        if reason := too_long(error):
            raise ReadError.of([finding("rdf-syntax", reason)]) from error
        raise
    return {"" if name == pyoxigraph.DefaultGraph() else str(names.term(name)): index for name, index in graphs.items()}


def held(statements: Iterable[tuple[Any, ...]]) -> Index:
    """Return the statements of any rdflib graph, or of all graphs of a dataset, as a subject index."""
    index: Index = {}
    names = _Names()
    for statement in statements:
        put(index, *(names[term] if isinstance(term, URIRef) else term for term in statement[:3]))
    return index


def _check_entities(data: bytes) -> None:
    """Refuse entities (XML 1.0 §4.2) that refer to others or would make the text much longer.

    This comes before the parser: a few nested entities would fill all memory.
    """
    references = data.count(b"&")
    for declared in re.finditer(rb"<!ENTITY", data):
        plain = _ENTITY.match(data, declared.start())
        if plain is None or len(plain[1]) * references > _EXPANSION * len(data):
            what = "is no plain text in double quotes" if plain is None else "makes the document many times as long"
            before = data[: declared.start()].decode(errors="replace")
            place = Place(line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))
            fault = finding("rdf-syntax", f"an XML entity {what}", remedy="write out what it stands for")
            raise ReadError.of([replace(fault, place=place)])


def index_of(statements: Statements) -> Index:
    """Return the statements of a file of shapes; equal names are one object, so that they compare by identity."""
    named = contexts.named
    literals: dict[tuple[str | None, ...], Literal] = {}

    def term(one: Term) -> Node:
        if isinstance(one, str):
            return BNode(one[len(BLANK) :]) if one.startswith(BLANK) else named(one)
        key = tuple(one)
        if key not in literals:
            _, datatype, language = one
            literals[key] = literal(text_of(one), named(datatype) if datatype else None, language)
        return literals[key]

    index: Index = {}
    for subject, properties in statements.items():
        predicates = index[term(subject)] = {}
        for predicate, values in properties.items():
            terms = [term(one) for one in values]
            predicates[named(predicate)] = terms if len(terms) > 1 else terms[0]
    return index


_STRING = pyoxigraph.NamedNode(XSD_STRING)


_VOCABULARIES = (SCHEMA, KARENINA, RDF, CAF)


class _Names(dict[str, URIRef]):
    """IRIs by text, each made once: most of them repeat, and rdflib checks every new one. So are typed literals.

    Names of the vocabularies are those that are compared by identity.
    """

    def __init__(self) -> None:
        super().__init__()
        self._typed: dict[tuple[str, str], Literal] = {}

    def __missing__(self, text: str) -> URIRef:
        made = self[text] = named(text) if text.startswith(_VOCABULARIES) else URIRef(text)
        return made

    def term(self, term: pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal | pyoxigraph.Triple) -> Node:
        """Return the term of rdflib. Raises ReadError for what only RDF 1.2 has: statements as terms, directions."""
        if isinstance(term, pyoxigraph.NamedNode):
            return self[term.value]
        if isinstance(term, pyoxigraph.BlankNode):
            return BNode(term.value)
        if isinstance(term, pyoxigraph.Literal):
            if term.language is not None or term.datatype == _STRING:
                if term.direction is not None:
                    message = f"the text {shown(term.value)} has a base direction (RDF 1.2), which RDF 1.1 cannot hold"
                    raise ReadError.of([finding("rdf-syntax", message, remedy=f"write @{term.language} alone")])
                return literal(term.value, None, term.language)
            key = term.value, term.datatype.value
            if key not in self._typed:
                self._typed[key] = literal(term.value, self[term.datatype.value], None)
            return self._typed[key]
        message = "a statement about a statement (RDF 1.2) is nothing that a checkpoint holds"
        raise ReadError.of([finding("rdf-syntax", message)])
