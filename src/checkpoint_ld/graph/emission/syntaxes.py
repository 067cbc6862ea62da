"""The RDF syntaxes, from the subject index: Turtle and TriG by pyoxigraph, the line-based ones and RDF/XML by us."""

from __future__ import annotations

import re
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

import orjson
import pyoxigraph
from rdflib import BNode, Literal, URIRef

from checkpoint_ld.documents.values import lone_surrogate
from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph.columns import TOGETHER, grouped
from checkpoint_ld.graph.literals import XSD_STRING
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.phrases import head, shown
from checkpoint_ld.vocabulary import RDF, XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index, StatementGraph


def is_blank(node: Node) -> bool:
    """Return whether a node is a blank one."""
    # rdflib's classes are abstract, so that isinstance takes ten times as long as a comparison of classes.
    return type(node) is not URIRef and isinstance(node, BNode)


def name(node: Node) -> str:
    """Return `<IRI>` or `_:label`. Raises WriteError for an invalid IRI (RFC 3987) or label."""
    if not is_blank(node):
        return iri(str(node))
    try:
        return str(pyoxigraph.BlankNode(str(node)))
    except ValueError as error:
        raise _unnamed(str(node), "label of a blank node") from error


def iri(text: str) -> str:
    """Return `<IRI>`. Raises WriteError for an invalid IRI."""
    try:
        return str(pyoxigraph.NamedNode(text))
    except ValueError as error:
        raise _unnamed(text, "IRI") from error


def _unnamed(text: str, kind: str) -> WriteError:
    return WriteError(f"the name {shown(text)} cannot be written, it is no {kind}: give the node another one")


def quoted(text: str, language: str | None = None) -> str:
    """Return a text in quotes, with its language tag.

    Raises WriteError for half a surrogate pair and an invalid tag.
    """
    if not language:
        escaped = _as_in_json(text)
        if escaped is not None:
            return escaped
    try:
        return str(pyoxigraph.Literal(text, language=language) if language else pyoxigraph.Literal(text))
    except ValueError as error:
        half = lone_surrogate(text)
        reason = error if half is None else f"{half} is half a surrogate pair; give a whole character"
        raise WriteError(f"the literal {shown(text)} cannot be written: {reason}") from error


def _as_in_json(text: str) -> str | None:
    """Return a text in quotes, by orjson in a quarter of the time; None if N-Triples escapes it in another way."""
    try:
        escaped = orjson.dumps(text).decode()
    except TypeError:  # half a surrogate pair
        return None
    # JSON writes control characters without a short escape as \\u00…; the other three are not escaped in N-Triples.
    is_other = r"\u00" in escaped or "\x7f" in escaped or "\ufffe" in escaped or "\uffff" in escaped
    return None if is_other else escaped


def text_of(term: Node) -> str:
    """Return a term as N-Triples has it. Raises WriteError for what is no IRI, no label, and no literal."""
    if type(term) is URIRef or not isinstance(term, Literal):  # the class first, as above
        return name(term)
    datatype = term.datatype
    if term.language or datatype is None or datatype == XSD_STRING:
        return quoted(str(term), term.language)
    return f"{quoted(str(term))}^^{iri(str(datatype))}"


TRIPLE = " .\n"
"""The end of a line of N-Triples."""
LONGEST_LINE = 1 << 24
"""The bytes of a statement as N-Triples that can be read back: the limit of pyoxigraph's parser for lines."""


def ntriples_of(graph: StatementGraph) -> bytes:
    """Return N-Triples, a line for each statement, sorted. Raises WriteError for names that are no IRIs."""
    return _joined(graph.held, TRIPLE)


def nquads_of(graph: StatementGraph) -> bytes:
    """Return N-Quads, sorted; the root names the graph. Raises WriteError as above."""
    return _joined(graph.held, quad(str(graph.root)))


def _joined(index: Index, end: str, key: Callable[[str], str] | None = None) -> bytes:
    blocks = sorted(blocks_of(index, end), key=key, reverse=True)
    # Blocks are encoded one by one: ASCII takes hardly any time, but a single other character makes a whole text slow.
    # Each block is removed from the list, so that its memory is free for the next.
    return b"".join([blocks.pop().encode() for _ in range(len(blocks))])


def quad(graph: str) -> str:
    """Return the end of a line of N-Quads for the graph with this name. Raises WriteError as above."""
    return f" {iri(graph)}{TRIPLE}"


def blocks_of(index: Index, end: str) -> Iterator[str]:
    """Yield the lines about each node, all of which end with `end`. Raises WriteError as above."""
    known: dict[int, str] = {}  # texts by the identity of their terms, which the index holds meanwhile

    def added(term: Node) -> str:
        text = known[id(term)] = text_of(term)
        return text

    for subjects in _alike(index):
        names = [name(one) for one in subjects]
        known.update(zip(map(id, subjects), names, strict=True))
        held_by = [index[one] for one in subjects]
        columns = {}
        for predicate, column in zip(held_by[0], zip(*map(dict.values, held_by), strict=True), strict=True):
            columns[f" {iri(str(predicate))} "] = [
                [known.get(id(one)) or added(one) for one in held]
                if isinstance(held, list)
                else known.get(id(held)) or added(held)
                for held in column
            ]
        for block in _blocks(names, columns, end):
            if len(block) > LONGEST_LINE // 4:  # a character takes four bytes at most
                _check_lengths(block, end)
            yield block


def _check_lengths(block: str, end: str) -> None:
    """Refuse a statement that no parser of ours would read back. Raises WriteError, with the limit."""
    for line in block.split(end):
        size = len(line.encode()) + len(end.encode())
        if size > LONGEST_LINE:
            subject, predicate, value = (head(part[: _SHOWN + 1], _SHOWN) for part in line.split(" ", 2))
            raise WriteError(
                f"the value of {predicate} at {subject} cannot be written as RDF: its statement takes {size:,} bytes, "
                f"and {LONGEST_LINE:,} (16 MiB) can be read back; it begins {value}. "
                "Shorten the value, or keep this checkpoint as JSON-LD"
            )


def too_long(error: MemoryError) -> str | None:
    """Return the reason of pyoxigraph's error for a text with a longer statement; None if memory is lacking indeed."""
    if "buffer maximal size" not in str(error):
        return None
    return f"a statement takes more than the {LONGEST_LINE:,} bytes (16 MiB) that can be read: shorten its value"


def _blocks(subjects: Sequence[str], columns: Mapping[str, Sequence[Any]], end: str) -> list[str]:
    """Return the lines about each of `subjects`, sorted.

    `columns` has the objects of each subject, a text or a list of texts, by the text between subject and object. All
    subjects share one pattern of lines, and the pattern is sorted, not the lines of each node. That takes half the
    time.
    """
    pattern = ""
    slots: list[Sequence[Any]] = []
    for start, column in sorted(columns.items()):
        pattern += f"%s{start.replace('%', '%%')}%s{end.replace('%', '%%')}"
        slots += [subjects, _objects(subjects, start, column, end)]
    return [*map(pattern.__mod__, zip(*slots, strict=True))]


def _objects(subjects: Sequence[str], start: str, column: Sequence[Any], end: str) -> Sequence[str]:
    """Return the text between `start` and `end` for each node; a node with several objects gets several lines."""
    if list not in map(type, column):
        return column
    return [
        f"{end}{subject}{start}".join(sorted(one)) if type(one) is list else one
        for subject, one in zip(subjects, column, strict=True)
    ]


def _alike(index: Index) -> Iterator[Sequence[Node]]:
    """Yield groups of subjects that have the same predicates in the same order."""
    every = list(index)
    for _, members in grouped([*map(tuple, index.values())]):
        for start in range(0, len(members), TOGETHER):
            yield [every[at] for at in members[start : start + TOGETHER]]


_SHOWN = 120
_LOCAL_NAME = r"(?:[A-Za-z_][A-Za-z0-9_-]*)?"


def turtle_of(graph: StatementGraph) -> bytes:
    """Return Turtle, subjects and predicates sorted. Raises WriteError for names that are no IRIs."""
    return _abbreviated(graph, TRIPLE, pyoxigraph.RdfFormat.N_TRIPLES, pyoxigraph.RdfFormat.TURTLE)


def trig_of(graph: StatementGraph) -> bytes:
    """Return TriG: the same as Turtle in one graph that the root names. Raises WriteError as above."""
    return _abbreviated(graph, quad(str(graph.root)), pyoxigraph.RdfFormat.N_QUADS, pyoxigraph.RdfFormat.TRIG)


def _abbreviated(graph: StatementGraph, end: str, of: pyoxigraph.RdfFormat, syntax: pyoxigraph.RdfFormat) -> bytes:
    """Return the statements in a syntax with prefixes, from their lines, which end with `end`.

    A prefix is left out if a name in its namespace needs an escape, because rdflib does not read such names.
    """
    # A node stands before those whose names begin with its name, such as its parts.
    lines = _joined(graph.held, end, key=lambda block: block.partition(" ")[0].rstrip(">"))
    names = set(graph.held).union(*graph.held.values())
    for held in chain.from_iterable(map(dict.values, graph.held.values())):
        if type(held) is not Literal:
            names.update(one for one in terms_of(held) if type(one) is not Literal)
    listed = "\n".join(("", *map(str, names), ""))
    prefixes = {
        prefix: namespace
        for prefix, namespace in graph.PREFIXES.items()
        if not re.search(rf"\n{re.escape(namespace)}(?!{_LOCAL_NAME}\n)", listed)
    }
    statements = pyoxigraph.parse(lines, format=of)
    return (pyoxigraph.serialize(statements, format=syntax, prefixes=prefixes) if lines else None) or b""


def literal_of(term: Literal) -> pyoxigraph.Literal:
    """Return the literal of pyoxigraph for one of rdflib."""
    if term.language:
        return pyoxigraph.Literal(str(term), language=term.language)
    datatype = term.datatype
    return pyoxigraph.Literal(str(term), datatype=None if datatype is None else pyoxigraph.NamedNode(datatype))


_LETTERS = (
    r"A-Za-z_\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u0131\u0391-\u03A1\u03A3-\u03C9\u0410-\u044F"
    r"\u3041-\u3094\u4E00-\u9FA5\uAC00-\uD7A3"
)
"""Some of the letters that may begin a name in all editions of XML 1.0."""
_ELEMENT_NAME = re.compile(f"[{_LETTERS}][{_LETTERS}0-9.-]*\\Z")
_WORDS = "RDF ID Description about aboutEach aboutEachPrefix bagID datatype li nodeID parseType resource"
_RESERVED = frozenset(RDF + word for word in _WORDS.split())
"""Words of RDF/XML that cannot be predicates (§5.1)."""
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML cannot contain, not even as a reference (XML 1.0 §2.2)."""
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


def rdf_xml_of(graph: StatementGraph) -> bytes:
    """Return RDF/XML, subjects and predicates sorted. Raises WriteError as `rdf_xml`."""
    return rdf_xml(
        (quad.triple for quad in pyoxigraph.parse(ntriples_of(graph), format=pyoxigraph.RdfFormat.N_TRIPLES)),
        graph.PREFIXES,
    )


def rdf_xml(triples: Iterable[pyoxigraph.Triple], prefixes: Mapping[str, str]) -> bytes:
    """Return statements as RDF/XML; successive ones about a subject share an element.

    Raises WriteError for a predicate that does not end in a name, and for a character that XML cannot contain.
    """
    declared = "".join(f' xmlns:{name}="{one}"' for name, one in {**prefixes, "rdf": RDF}.items())
    lines = _Lines({one: name for name, one in {**prefixes, "rdf": RDF}.items()}).of(triples)
    text = "".join(f"{line}\n" for line in (f"<rdf:RDF{declared}>", *lines, "</rdf:RDF>"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'.encode()


class _Lines:
    """The lines of statements; prefixes are kept by namespace, and blank nodes are numbered."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes
        self._blank: dict[str, int] = {}

    def of(self, triples: Iterable[pyoxigraph.Triple]) -> Iterator[str]:
        for subject, statements in groupby(triples, lambda one: one.subject):
            yield f"\t<rdf:Description{self._node(subject, 'about')}>"
            yield from map(self._statement, statements)
            yield "\t</rdf:Description>"

    def _statement(self, one: pyoxigraph.Triple) -> str:
        name, declared = self._element(one.predicate.value)
        value = one.object
        if not isinstance(value, pyoxigraph.Literal):
            return f"\t\t<{name}{declared}{self._node(value, 'resource')}/>"
        kind = f' xml:lang="{value.language}"' if value.language else ""
        if not value.language and value.datatype.value != XSD + "string":
            kind = f' rdf:datatype="{_escaped(value.datatype.value)}"'
        return f"\t\t<{name}{declared}{kind}>{_escaped(value.value)}</{name}>"

    def _node(self, node: object, attribute: str) -> str:
        if isinstance(node, pyoxigraph.NamedNode):
            return f' rdf:{attribute}="{_escaped(node.value)}"'
        if isinstance(node, pyoxigraph.BlankNode):
            return f' rdf:nodeID="b{self._blank.setdefault(node.value, len(self._blank))}"'
        raise _refused(f"the statement {node}")

    def _element(self, predicate: str) -> tuple[str, str]:
        found = _ELEMENT_NAME.search(predicate)
        if found is None or predicate in _RESERVED:
            raise _refused(f"the predicate <{predicate}>, which cannot be the name of an element")
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
