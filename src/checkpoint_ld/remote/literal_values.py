"""Values of literals: what stays the same when a store writes a number, a date or a language in its own way.

Oxigraph gives `7.5E-1` back as `0.75` and Virtuoso `true` as `1`: other texts, the same values (RDF 1.1 Concepts §3.3).
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

import pyoxigraph

from checkpoint_ld.remote.spooled import Body, opened
from checkpoint_ld.vocabulary import XSD

Key = tuple[str, ...]
"""A term by kind, value and datatype or language."""

_SIGNS = ("nonNegative", "positive", "nonPositive", "negative")
_SIZES = ("long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "decimal")
_NUMBERS = frozenset(XSD + name for name in ("integer", *(f"{sign}Integer" for sign in _SIGNS), *_SIZES))
_FLOATS = frozenset((XSD + "double", XSD + "float"))
_TIMES = frozenset((XSD + "dateTime", XSD + "time", XSD + "dateTimeStamp"))
_BOOLEANS = {"true": "true", "1": "true", "false": "false", "0": "false"}
_LARGE = re.compile(rb'"([+-]?\d{10,})"\^\^<http://www\.w3\.org/2001/XMLSchema#integer>')
_FRACTION = re.compile(r"(\.\d*?)0*(?=$|[Z+-])")


def values_of(triples: Body) -> frozenset[tuple[Key, Key, Key]]:
    """Return the triples of an N-Triples text by value."""
    return frozenset(
        (_key(one.subject), _key(one.predicate), _key(one.object))
        for one in pyoxigraph.parse(opened(triples), format=pyoxigraph.RdfFormat.N_TRIPLES)
    )


def large_integers(triples: Body, largest: int) -> list[str]:
    """Return the integers in an N-Triples text that are further from zero than `largest`."""
    found = (one for line in opened(triples) for one in _LARGE.findall(line))
    # Compared as texts of digits: Python refuses to make numbers of thousands of them.
    limit = str(largest)
    digits = {one.decode(): one.decode().lstrip("+-").lstrip("0") for one in found}
    return [one for one, bare in digits.items() if (len(bare), bare) > (len(limit), limit)]


def _key(term: object) -> Key:
    if isinstance(term, pyoxigraph.Literal):
        if term.language:
            return "text", term.value, term.language.lower()
        return "literal", _value(term.value, term.datatype.value), term.datatype.value
    return ("node", str(term))


def _number(number: Decimal) -> str:
    # Not `normalize`: it rounds to the precision of the context.
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
        if datatype in _FLOATS:
            return repr(float(text))
    except (ValueError, InvalidOperation):
        return text
    if datatype in _TIMES:
        shortened = _FRACTION.sub(lambda found: found[1] if len(found[1]) > 1 else "", text, count=1)
        return re.sub(r"[+-]00:00$", "Z", shortened)
    return text
