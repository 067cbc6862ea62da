"""RDF/XML (RDF 1.1 XML Syntax), of names and characters that every XML parser takes, so that all read the same."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

from checkpoint_ld.emission.sorted_lines import ntriples_of
from checkpoint_ld.errors import WriteError
from checkpoint_ld.vocabulary import RDF, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from checkpoint_ld.graph.store import StatementGraph

_LETTERS = (
    r"A-Za-z_\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u0131\u0391-\u03A1\u03A3-\u03C9\u0410-\u044F"
    r"\u3041-\u3094\u4E00-\u9FA5\uAC00-\uD7A3"
)
"""Some of those that begin a name in all editions of XML 1.0."""
_LOCAL_NAME = re.compile(f"[{_LETTERS}][{_LETTERS}0-9.-]*\\Z")
_WORDS = "RDF ID Description about aboutEach aboutEachPrefix bagID datatype li nodeID parseType resource"
_RESERVED = frozenset(RDF + word for word in _WORDS.split())
"""Words of RDF/XML, which are no names of predicates (§5.1)."""
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""What XML has no place for, be it as a reference (XML 1.0 §2.2)."""
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


def rdf_xml_of(graph: StatementGraph) -> bytes:
    """Return RDF/XML, subjects and predicates sorted. Raises WriteError as `rdf_xml`."""
    return rdf_xml((quad.triple for quad in parse(ntriples_of(graph), format=RdfFormat.N_TRIPLES)), graph.PREFIXES)


def rdf_xml(triples: Iterable[Triple], prefixes: Mapping[str, str]) -> bytes:
    """Return statements as RDF/XML, those of a subject together where they follow each other.

    Raises WriteError for a predicate that does not end in a name, and a character that is none of XML.
    """
    declared = "".join(f' xmlns:{name}="{one}"' for name, one in {**prefixes, "rdf": RDF}.items())
    lines = _Lines({one: name for name, one in {**prefixes, "rdf": RDF}.items()}).of(triples)
    text = "".join(f"{line}\n" for line in (f"<rdf:RDF{declared}>", *lines, "</rdf:RDF>"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'.encode()


class _Lines:
    """The lines of statements, under prefixes by their namespaces; blank nodes are numbered."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes
        self._blank: dict[str, int] = {}

    def of(self, triples: Iterable[Triple]) -> Iterator[str]:
        for subject, statements in groupby(triples, lambda one: one.subject):
            yield f"\t<rdf:Description{self._node(subject, 'about')}>"
            yield from map(self._statement, statements)
            yield "\t</rdf:Description>"

    def _statement(self, one: Triple) -> str:
        name, declared = self._element(one.predicate.value)
        value = one.object
        if not isinstance(value, Literal):
            return f"\t\t<{name}{declared}{self._node(value, 'resource')}/>"
        kind = f' xml:lang="{value.language}"' if value.language else ""
        if not value.language and value.datatype.value != XSD + "string":
            kind = f' rdf:datatype="{_escaped(value.datatype.value)}"'
        return f"\t\t<{name}{declared}{kind}>{_escaped(value.value)}</{name}>"

    def _node(self, node: object, attribute: str) -> str:
        if isinstance(node, NamedNode):
            return f' rdf:{attribute}="{_escaped(node.value)}"'
        if isinstance(node, BlankNode):
            return f' rdf:nodeID="b{self._blank.setdefault(node.value, len(self._blank))}"'
        raise _refused(f"the statement {node}")

    def _element(self, predicate: str) -> tuple[str, str]:
        found = _LOCAL_NAME.search(predicate)
        if found is None or predicate in _RESERVED:
            raise _refused(f"the predicate <{predicate}>, of which it can make no element")
        namespace, local = predicate[: found.start()], found[0]
        if namespace in self._prefixes:
            return f"{self._prefixes[namespace]}:{local}", ""
        return f"n:{local}", f' xmlns:n="{_escaped(namespace)}"'


def _escaped(text: str) -> str:
    found = _NO_CHARACTER.search(text)
    if found is not None:
        raise _refused(f"the character U+{ord(found[0]):04X}, which {text[:60]!a} has")
    return text.translate(_ESCAPES)


def _refused(what: str) -> WriteError:
    return WriteError(f"RDF/XML cannot hold {what}; write Turtle or N-Triples")
