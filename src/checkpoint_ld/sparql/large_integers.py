"""Large integers, whose sums and products are beyond the 64 bits of Oxigraph's integers, or which are so themselves.

Oxigraph's decimals reach 170141183460469231731. In a query over data with such integers, each variable and each large
constant that is an operand, and each argument of SUM and AVG, is read as a decimal; what is computed becomes an integer
again. Of few statements with larger numbers, rdflib computes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pyoxigraph import Literal, NamedNode, QuerySolutions

from checkpoint_ld.guard.checking import tokens_of
from checkpoint_ld.guard.rewriting import TERM_OF_KEY, Piece, keywords
from checkpoint_ld.vocabulary import SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyoxigraph import Store

    from checkpoint_ld.guard.rewriting import Known
    from checkpoint_ld.guard.terms import Term

_INTEGER, _DECIMAL = NamedNode(XSD + "integer"), NamedNode(XSD + "decimal")
_INTEGERS = frozenset(
    XSD + name
    for name in (
        *("integer", "long", "unsignedLong", "nonNegativeInteger", "positiveInteger"),
        *("nonPositiveInteger", "negativeInteger"),
    )
)
_WHOLE_OR_DECIMAL = _INTEGERS | {_DECIMAL.value}
_DIGITS: Final = 16
"""The least digits of a large integer: of shorter ones, more than a thousand are within 64 bits together."""
_LEAST, _MOST_DECIMAL = 10 ** (_DIGITS - 1), (2**127 - 1) // 10**18
_BEYOND_DECIMALS: Final = len(str(_MOST_DECIMAL))
"""The digits from which a number may be beyond Oxigraph's decimals."""
_WHOLE = re.compile(r"([+-]?[0-9]+)(?:\.0*)?")
_OPERATORS = frozenset("<>=+-*/")
_ON_NUMBERS = frozenset(("SUM", "AVG", "ABS", "ROUND", "CEIL", "FLOOR", "ISNUMERIC"))
_CALLS = frozenset(("MIN", "MAX", "SAMPLE", "SUM", "COALESCE", "IF"))
"""Calls whose values are those of their arguments."""
_NO_CALLS = frozenset(("VALUES", "A", "WHERE", "SELECT", "CONSTRUCT", "ASK"))
_DIGITS_KNOWN: Final = "digits-of-large-integers"
"""The key in what is known about a store of the most digits of such integers."""
NOTE: Final = NamedNode("urn:checkpoint-ld:collection#digits")
"""The predicate in a manifest for the most digits of such integers in a graph that has some."""
_MANIFEST: Final = NamedNode("urn:checkpoint-ld:manifest")
_NOTED: Final = (NOTE, NamedNode(SCHEMA + "creativeWorkStatus"))
"""The predicates of manifests that have these notes."""


def number_of(term: Term) -> Term:
    """Return a decimal for a large integer, and any other term as it is."""
    is_large = isinstance(term, Literal) and term.datatype.value in _INTEGERS and is_large_integer(term.value)
    return Literal(term.value, datatype=_DECIMAL) if is_large and isinstance(term, Literal) else term


def integer_of(term: Term) -> Term:
    """Return an integer for a large whole decimal, and any other term as it is."""
    found = _WHOLE.fullmatch(term.value) if isinstance(term, Literal) and term.datatype == _DECIMAL else None
    return Literal(found[1], datatype=_INTEGER) if found is not None and is_large_integer(found[1]) else term


def is_large_integer(text: str) -> bool:
    """Return whether a text is a large whole number, and within Oxigraph's decimals."""
    if len(text) < _DIGITS or not _WHOLE.fullmatch(text):
        return False
    return len(text) <= 2 * _BEYOND_DECIMALS and _LEAST <= abs(int(text)) <= _MOST_DECIMAL


_NUMBER, _AS_INTEGER = NamedNode("urn:checkpoint-ld:number-of"), NamedNode("urn:checkpoint-ld:integer-of")
FUNCTIONS: dict[NamedNode, Callable[..., Term | None]] = {_NUMBER: number_of, _AS_INTEGER: integer_of}
"""The functions that such a query calls."""


_STATED = re.compile(
    rb'"[+-]?0*(?:([0-9]{16,})"\^\^<http://www\.w3\.org/2001/XMLSchema#'
    rb"(?:integer|long|unsignedLong|(?:nonN|n)egativeInteger|(?:nonP|p)ositiveInteger)"
    rb'|([0-9.]{21,})"\^\^<http://www\.w3\.org/2001/XMLSchema#decimal)>'
)


def digits_in(triples: bytes) -> int:
    """Return the most digits of a large number in N-Triples, 0 if there is none."""
    return max((len(integer or decimal) for integer, decimal in _STATED.findall(triples)), default=0)


def most_digits(store: Store, known: Known | None = None) -> int:
    """Return the most digits of a large number in a store, 0 if there is none.

    Notes in the manifest of the store give it. Without them all statements are read, a million in a second, and `known`
    keeps the result.
    """
    if any(any(store.quads_for_pattern(None, one, None, _MANIFEST)) for one in _NOTED):
        noted = [quad.object for quad in store.quads_for_pattern(None, NOTE, None, _MANIFEST)]
        return max((int(one.value) for one in noted if isinstance(one, Literal)), default=0)
    if known is None or _DIGITS_KNOWN not in known:
        known = {} if known is None else known
        known[_DIGITS_KNOWN] = frozenset((str(_digits_stated(store)),))
    return int(*known[_DIGITS_KNOWN])


def _digits_stated(store: Store) -> int:
    integers = ", ".join(f"<{one}>" for one in sorted(_INTEGERS))
    condition = f"DATATYPE(?o) IN ({integers}) || (DATATYPE(?o) = {_DECIMAL} && !ISNUMERIC(?o))"
    long = f"?s ?p ?o FILTER ({condition}) BIND (REPLACE(STR(?o), '^[+-]?0*', '') AS ?digits)"
    text = f"SELECT (MAX(STRLEN(?digits)) AS ?most) {{ {long} FILTER (STRLEN(?digits) >= {_DIGITS}) }}"
    found = store.query(text, use_default_graph_as_union=True)
    assert isinstance(found, QuerySolutions)  # noqa: S101 - it is a SELECT
    [[most]] = found
    return int(most.value) if isinstance(most, Literal) else 0


_FEW: Final = 100_000
"""The most statements with numbers beyond Oxigraph's decimals of which rdflib computes."""


def is_for_rdflib(text: str, store: Store, known: Known | None) -> bool:
    """Return whether a query computes with few statements, of which Oxigraph leaves out some numbers."""
    is_beyond = with_decimals(text) != text and most_digits(store, known) >= _BEYOND_DECIMALS
    return is_beyond and len(store) <= _FEW  # which takes long on disk


def leaves_out(store: Store) -> bool:
    """Return whether Oxigraph leaves out numbers of a store, which are too many for rdflib."""
    return most_digits(store) >= _BEYOND_DECIMALS and len(store) > _FEW


def text_for(text: str, store: Store, known: Known | None) -> str:
    """Return the text of a query that counts large integers, if the store or the query has any."""
    found = with_decimals(text)
    return found if found != text and (_has_large_constant(text) or most_digits(store, known)) else text


def _has_large_constant(text: str) -> bool:
    return any(map(is_large_integer, _LONG.findall(text)))


_LONG = re.compile(f"[0-9]{{{_DIGITS},}}")


def note_added(terms: Iterable[Term], known: Known) -> None:
    """Take over that terms came to a store."""
    if _DIGITS_KNOWN in known:
        numbers = [str(one) for one in terms if isinstance(one, Literal) and one.datatype.value in _WHOLE_OR_DECIMAL]
        digits = digits_in("\n".join(numbers).encode())
        known[_DIGITS_KNOWN] = frozenset((str(max(digits, *map(int, known[_DIGITS_KNOWN]))),))


@lru_cache(maxsize=128)
def with_decimals(text: str) -> str:
    """Return a query in which operands are read as decimals where they are large integers."""
    tokens = list(tokens_of(text))
    pieces = [Piece(token.text, token.kind, at) for at, token in enumerate(tokens) if token.kind != "space"]
    words = dict(keywords(pieces))
    made = [token.text for token in tokens]
    is_in_select = False
    open_: list[_Open] = []
    at = 0
    while at < len(pieces):
        piece, word = pieces[at], words.get(at)
        is_in_select = word == "SELECT" or (is_in_select and piece.text != "{" and word != "WHERE")
        if piece.kind == "other" and piece.text in "({[":
            before = words.get(at - 1)
            is_call = before is not None and before not in _NO_CALLS
            is_inside = bool(open_) and open_[-1].is_expression
            open_.append(_Open(at, before, is_expression=piece.text == "(" and (is_call or is_in_select or is_inside)))
        elif piece.kind == "other" and piece.text in ")}]" and open_:
            closed = open_.pop()
            is_value = closed.word in _CALLS or pieces[closed.at - 1].text == str(TERM_OF_KEY)
            if is_value and _is_beside_operator(pieces, closed.at - 1, at + 1):
                _wrap(made, pieces, _NUMBER, closed.at - 1, at + 1)
                closed.has_operand = True
            if open_ and closed.has_operand:
                open_[-1].has_operand = True
        elif open_ and open_[-1].is_expression:
            end = _operand(pieces, at)
            if end > at:
                if _is_operand(pieces, words, at, end) or open_[-1].word == "IN":
                    _wrap(made, pieces, _NUMBER, at, end)
                    open_[-1].has_operand = True
                at = end
                continue
            if word == "AS" and open_[-1].has_operand and not _divides(pieces, words, open_[-1].at, at):
                _wrap(made, pieces, _AS_INTEGER, open_[-1].at + 1, at)
        at += 1
    return "".join(made)


@dataclass(slots=True)
class _Open:
    """An open bracket, at a position, after a keyword; whether it is around an expression, and one with operands."""

    at: int
    word: str | None
    is_expression: bool
    has_operand: bool = False


def _operand(pieces: Sequence[Piece], at: int) -> int:
    """Return the end of the variable or of the many digits that begin at a position, the position for anything else."""
    if pieces[at].text in ("?", "$") and at + 1 < len(pieces) and pieces[at + 1].at == pieces[at].at + 1:
        return at + 2
    end = at
    while end < len(pieces) and pieces[end].text.isdecimal() and pieces[end].at == pieces[at].at + end - at:
        end += 1
    is_long = end - at >= _DIGITS and pieces[end].text not in (".", "e", "E")
    return end if is_long else at


def _is_operand(pieces: Sequence[Piece], words: dict[int, str], at: int, end: int) -> bool:
    before = at - 2 if words.get(at - 1) == "DISTINCT" else at - 1
    is_number = pieces[before].text == "(" and words.get(before - 1) in _ON_NUMBERS and pieces[end].text == ")"
    after = words.get(end)
    is_compared = after == "IN" or (after == "NOT" and words.get(end + 1) == "IN")
    return is_number or is_compared or _is_beside_operator(pieces, at, end)


def _is_beside_operator(pieces: Sequence[Piece], at: int, end: int) -> bool:
    after = "".join(piece.text for piece in pieces[end : end + 2])
    return pieces[at - 1].text in _OPERATORS or after[:1] in _OPERATORS or after == "!="


def _divides(pieces: Sequence[Piece], words: dict[int, str], start: int, end: int) -> bool:
    """Return whether an expression may have a decimal as its value, although all operands are integers."""
    return any(words.get(at) == "AVG" or pieces[at].text == "/" for at in range(start, end))


def _wrap(made: list[str], pieces: Sequence[Piece], function: NamedNode, start: int, end: int) -> None:
    # A space keeps the IRI apart from a sign before it, with which it would be something else.
    first, last = pieces[start].at, pieces[end - 1].at
    made[first] = f" {function}({made[first]}"
    made[last] += ")"
