"""Results: what a server answered to a query, as data, and only if it is whole; and literals compared by value.

What stays the same when a store writes a number, a date or a language in its own way: Oxigraph gives `7.5E-1` back as
`0.75` and Virtuoso `true` as `1`, other texts of the same values (RDF 1.1 Concepts §3.3).
"""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import pyoxigraph

from checkpoint_ld.errors import EvaluationError, TruncatedResultError
from checkpoint_ld.sparql.result import QueryResult, of_results_json
from checkpoint_ld.stores.backend import Body, opened, parsed
from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from checkpoint_ld.sparql.guard import Form
    from checkpoint_ld.stores.connection import Answer

_CUT_SIGN = "x-sparql-maxrows"
"""The header by which Virtuoso says that it has a limit."""
_TRUE = ("1", "true")
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


def result_of(answer: Answer, form: Form, *, most_rows: int | None = None) -> QueryResult:
    """Return the result of a query of a form.

    Raises TruncatedResultError for an answer that does not parse to its end, as when a query ran out of time, for one
    that says that it was cut, and for one of `most_rows` rows, where the server is known to cut without a word.
    """
    if form in ("construct", "describe"):
        quads = pyoxigraph.parse(triples_of(answer), format=pyoxigraph.RdfFormat.N_TRIPLES)
        triples = sorted((quad.triple for quad in quads), key=str)
        _refuse_cut(answer, len(triples), most_rows)
        return QueryResult(form, triples=tuple(triples))
    try:
        result = of_results_json(_decoded(answer))
    except EvaluationError:
        raise _no_results(answer) from None
    if form == "ask":
        return QueryResult("ask", boolean=_truth(result))
    _refuse_cut(answer, len(result.rows), most_rows)
    return result


def triples_of(answer: Answer) -> bytes:
    """Return the N-Triples that a server answered, having read them to their end.

    Raises TruncatedResultError for what does not parse, or ends in the middle of a line. Whole lines that are missing
    at the end cannot be seen here: compare with a count.
    """
    body = answer.body
    try:
        for _ in pyoxigraph.parse(body, format=pyoxigraph.RdfFormat.N_TRIPLES):
            pass
    except (SyntaxError, ValueError):
        raise _broken("N-Triples", body) from None
    if body and not body.endswith(b"\n"):
        raise _broken("N-Triples", body)
    return body


def _truth(result: QueryResult) -> bool:
    """Return the answer to an ASK; Virtuoso gives one row, or none, in place of a truth value."""
    if result.boolean is not None:
        return result.boolean
    return any(getattr(term, "value", "") in _TRUE for row in result.rows for term in row)


def _refuse_cut(answer: Answer, number: int, most_rows: int | None) -> None:
    if _CUT_SIGN in answer.headers or (most_rows is not None and number >= most_rows):
        raise TruncatedResultError(
            f"the server cut the result at {number} rows; ask for less at a time, by ORDER BY, LIMIT and OFFSET"
        )


def _decoded(answer: Answer) -> Any:
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        if answer.body.lstrip()[:1] != b"{":
            raise _no_results(answer) from None
        raise _broken("JSON", answer.body) from None


def _broken(what: str, body: bytes) -> TruncatedResultError:
    end = " ".join(body[-120:].decode("utf-8", "replace").split())
    shown = "".join(one if one.isprintable() else " " for one in end)
    return TruncatedResultError(
        f"the answer is {what} that ends too early (at its end: {shown!r}); the query may have run out of time at the "
        "server. Nothing of it is used"
    )


def _no_results(answer: Answer) -> TruncatedResultError:
    kind = answer.headers.get("content-type", "something of no type")
    return TruncatedResultError(
        f"the server answered no results of a query but {kind!r}: is that the URL of a SPARQL service?"
    )


def values_of(triples: Body) -> frozenset[tuple[Key, Key, Key]]:
    """Return the triples of an N-Triples text by value."""
    return frozenset((_key(one.subject), _key(one.predicate), _key(one.object)) for one in parsed(triples))


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
