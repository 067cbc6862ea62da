"""Literals that stores rewrite: compared by value, taken back exactly, and named before a store changes their value.

Stores rewrite numbers, dates and languages: Oxigraph returns `7.5E-1` as `0.75` and Virtuoso `01` as `1`, other
lexical forms of the same values (RDF 1.1 Concepts §3.3).

Virtuoso writes doubles with six digits in N-Triples and in results of queries, and with all digits in Turtle, where
they look like decimals. It makes decimals of integers beyond 32 bits.
"""

from __future__ import annotations

import re
import struct
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import TYPE_CHECKING

import pyoxigraph
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple

from checkpoint_ld.graph.literals import double_text
from checkpoint_ld.stores.backend import opened, parsed
from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from checkpoint_ld.stores.backend import Body, Row
    from checkpoint_ld.stores.endpoint import EndpointProfile

Key = tuple[str, ...]
"""A term by kind, value and datatype or language."""
Statement = tuple[Key, Key, Key]
"""A statement by value."""

_SIGNS = ("nonNegative", "positive", "nonPositive", "negative")
_SIZES = ("long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "decimal")
_NUMBERS = frozenset(XSD + name for name in ("integer", *(f"{sign}Integer" for sign in _SIGNS), *_SIZES))
_FLOAT = XSD + "float"
_DOUBLE = NamedNode(XSD + "double")
_DECIMAL = NamedNode(XSD + "decimal")
_TIMES = frozenset((XSD + "dateTime", XSD + "time", XSD + "dateTimeStamp"))
_BOOLEANS = {"true": "true", "1": "true", "false": "false", "0": "false"}
_FRACTION = re.compile(r"(\.\d*?)0*(?=$|[Z+-])")
# No quotation mark is in an IRI, and none begins a blank node.
_TYPED = re.compile(rb'[^"]*"([^"\\]*)"\^\^<[^>]*[#/](\w+)> \.')
_BARE = re.compile(r"-?\d*\.\d+").fullmatch
_SHOWN = 10
"""The number of different statements in a message."""
_LONGEST = 300


def values_of(triples: Body) -> dict[Statement, Triple]:
    """Return the triples of an N-Triples text by value."""
    return {_statement(one.triple): one.triple for one in parsed(triples)}


def differences(sent: Body, found: Body) -> Iterator[str]:
    """Yield the differences of two N-Triples texts by value as lines: statements to expect, and what is found."""
    expected, there = values_of(sent), values_of(found)
    missing, more = (
        sorted((str(one[key]) for key in one.keys() - other.keys()), key=_subject_and_predicate)
        for one, other in ((expected, there), (there, expected))
    )
    lines = sorted([("expected", line) for line in missing] + [("found", line) for line in more], key=_in_pairs)
    yield from (f"{kind:8} {line if len(line) <= _LONGEST else line[:_LONGEST] + '…'}" for kind, line in lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield f"… {len(lines) - _SHOWN} differences more"


def _subject_and_predicate(line: str) -> list[str]:
    return line.split(" ", 2)[:2]


def _in_pairs(kind_and_line: tuple[str, str]) -> tuple[list[str], str]:
    kind, line = kind_and_line
    return _subject_and_predicate(line), kind


def altered(triples: Body, profile: EndpointProfile) -> dict[str, str]:
    """Return the literals in an N-Triples text whose value a store changes, each with what becomes of it."""
    if not profile.alters:
        return {}
    rules = [
        (frozenset(rule["datatypes"]), re.compile(rule["pattern"]).fullmatch, str(rule["becomes"]))
        for rule in profile.alters
    ]
    found: dict[str, str] = {}
    for line in opened(triples):
        literal = _TYPED.match(line)
        if literal is not None:
            text, datatype = (part.decode() for part in literal.groups())
            becomes = next((what for kinds, fits, what in rules if datatype in kinds and fits(text)), None)
            if becomes is not None:
                found.setdefault(text, becomes)
    return found


_NO_NUMBER = re.compile(rb"(?<=\t)(-?)INF(?= [;,.]\n)")
_NO_FLOAT = re.compile(rb'(?<=INF")"(?=\^\^)')


def of_virtuoso(turtle: bytes, decimals: Callable[[], Iterable[Row]]) -> bytes:
    """Return the N-Triples of Virtuoso's Turtle, in which doubles and decimals look alike.

    `decimals` returns subject, predicate and object of the statements with decimals that are no integers. Raises
    SyntaxError for other text.
    """
    # Virtuoso 7.2 writes these two without quotation marks, or with one too many.
    repaired = _NO_NUMBER.sub(rb'"\1INF"^^<http://www.w3.org/2001/XMLSchema#decimal>', _NO_FLOAT.sub(b"", turtle))
    known: set[Statement] | None = None
    lines: list[str] = []
    for quad in pyoxigraph.parse(repaired, format=RdfFormat.TURTLE):
        term = quad.object
        if isinstance(term, Literal):
            if term.datatype == _DECIMAL and _BARE(term.value):
                known = {_statement(row) for row in decimals()} if known is None else known
                term = term if _statement(quad.triple) in known else _double(term)
            elif term.datatype == _DOUBLE:
                term = _double(term)
        lines.append(f"{quad.subject} {quad.predicate} {term} .\n")
    return "".join(lines).encode()


def _statement(terms: Iterable[object]) -> Statement:
    subject, predicate, value = terms
    return _key(subject), _key(predicate), _key(value)


def _double(term: Literal) -> Literal:
    try:
        return Literal(double_text(float(term.value)), datatype=_DOUBLE)
    except ValueError:  # NaN, INF, or no number at all
        return term


def _key(term: object) -> Key:
    if isinstance(term, Literal):
        if term.language:
            return "text", term.value, term.language.lower()
        datatype = term.datatype.value
        # Integers are decimals (XML Schema Definition Language 1.1 Part 2 §3.4.13).
        return "literal", _value(term.value, datatype), _DECIMAL.value if datatype in _NUMBERS else datatype
    return ("node", str(term))


def _number(number: Decimal) -> str:
    # `normalize` would round to the precision of the context.
    sign, digits, exponent = number.as_tuple()
    written = "".join(map(str, digits)).lstrip("0")
    bare = written.rstrip("0")
    return f"{'-' * sign}{bare}e{int(exponent) + len(written) - len(bare)}" if bare else "0"


def _value(text: str, datatype: str) -> str:
    if datatype == XSD + "boolean":
        return _BOOLEANS.get(text, text)
    try:
        if datatype in _NUMBERS:
            return _number(Decimal(text))
        if datatype == _DOUBLE.value:
            return repr(float(text))
        if datatype == _FLOAT:
            return repr(struct.unpack("f", struct.pack("f", float(text)))[0])
    except (ValueError, InvalidOperation, OverflowError):
        return text
    if datatype in _TIMES:
        shortened = _FRACTION.sub(lambda found: found[1] if len(found[1]) > 1 else "", text, count=1)
        return re.sub(r"[+-]00:00$", "Z", shortened)
    return text


_PLACE = NamedNode("urn:checkpoint-ld:place")
_REWRITABLE = re.compile(rb'"(?:\^\^<http://www\.w3\.org/2001/XMLSchema#|@)[^"\n]*\n')
"""The end of a line of N-Triples, after a text that the store may rewrite."""


def in_store_form(triples: bytes) -> tuple[bytes, str]:
    """Return N-Triples as the store rewrites them, and the original forms of those that it rewrites, sorted."""
    parts: list[bytes] = []
    same: set[bytes] = set()
    written: dict[bytes, list[bytes]] = {}
    rest_at = 0
    for found in _REWRITABLE.finditer(triples):
        start = triples.rfind(b"\n", 0, found.start()) + 1
        line = triples[start : found.end()]
        subject, predicate, rest = line.split(b" ", 2)
        stored = _stored_text(rest)
        if stored is None:
            same.add(line)
        else:
            parts.append(triples[rest_at:start])
            rest_at = found.end()
            written.setdefault(b" ".join((subject, predicate, stored)), []).append(line)
    forms = [form for held, originals in written.items() for form in (*originals, *([held] if held in same else ()))]
    return b"".join((*parts, triples[rest_at:], *(written.keys() - same))), b"".join(sorted(forms)).decode()


@lru_cache(maxsize=4096)
def _stored_text(rest: bytes) -> bytes | None:
    """Return the end of a line of N-Triples, from the object on, as the store rewrites it; None if it does not."""
    [quad] = pyoxigraph.parse(b"<urn:s> <urn:p> " + rest, format=RdfFormat.N_TRIPLES)
    held = _stored(quad.triple)
    return None if held == quad.triple else f"{held.object} .\n".encode()


def _rewritten(statements: Iterable[Triple]) -> dict[Triple, list[Triple]]:
    """Return the store's form of `statements`, each with the original statements."""
    held: dict[Triple, list[Triple]] = {}
    for statement in statements:
        held.setdefault(_stored(statement), []).append(statement)
    return held


def restored(statements: Iterable[Triple], forms: str) -> list[Triple]:
    """Return `statements` from the store in their original form, of those that `in_store_form` gives."""
    read = pyoxigraph.parse(forms, format=RdfFormat.N_TRIPLES)
    written = _rewritten(quad.triple for quad in read)
    return [statement for held in statements for statement in written.get(held, (held,))]


def _stored(statement: Triple) -> Triple:
    term = statement.object
    if not isinstance(term, Literal):
        return statement
    datatype = term.datatype.value
    if term.language is None and (not datatype.startswith(XSD) or datatype == XSD + "string"):
        return statement
    held = _stored_literal(term)
    return statement if held == term else Triple(statement.subject, statement.predicate, held)


@lru_cache(maxsize=4096)
def _stored_literal(term: Literal) -> Literal:
    # The result depends on the version of the store.
    store = pyoxigraph.Store()
    store.add(Quad(_PLACE, _PLACE, term))
    [quad] = store
    assert isinstance(quad.object, Literal)  # noqa: S101 - what was put in
    return quad.object
