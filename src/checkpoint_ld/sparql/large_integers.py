"""Integers beyond 64 bits, which are no numbers to Oxigraph: comparisons, arithmetic and sums of them by decimals.

Oxigraph's decimals reach 170141183460469231731. In a query over data with such integers, each variable and each large
constant that is an operand, and each argument of SUM and AVG, is read as a decimal; a sum that is projected becomes an
integer again.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pyoxigraph import Literal, NamedNode

from checkpoint_ld.guard.checking import tokens_of
from checkpoint_ld.guard.rewriting import Piece, keywords
from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyoxigraph import Store

    from checkpoint_ld.guard.rewriting import Known
    from checkpoint_ld.guard.terms import Term

_INTEGER, _DECIMAL = NamedNode(XSD + "integer"), NamedNode(XSD + "decimal")
_LEAST, _MOST, _MOST_DECIMAL = -(2**63), 2**63 - 1, (2**127 - 1) // 10**18
_WHOLE = re.compile(r"([+-]?[0-9]+)(?:\.0*)?")
_DIGITS = len(str(_MOST))
_OPERATORS = frozenset("<>=+-*/")
_SUMS = frozenset(("SUM", "AVG"))
_NO_CALLS = frozenset(("VALUES", "A", "WHERE", "SELECT", "CONSTRUCT", "ASK"))
LARGE: Final = "large-integers"
"""The key in what is known about a store that says whether it has such integers."""


def number_of(term: Term) -> Term:
    """Return a decimal for an integer beyond 64 bits, and any other term as it is."""
    is_large = isinstance(term, Literal) and term.datatype == _INTEGER and is_large_integer(term.value)
    return Literal(term.value, datatype=_DECIMAL) if is_large and isinstance(term, Literal) else term


def integer_of(term: Term) -> Term:
    """Return an integer for a whole decimal beyond 64 bits, and any other term as it is."""
    found = _WHOLE.fullmatch(term.value) if isinstance(term, Literal) and term.datatype == _DECIMAL else None
    return Literal(found[1], datatype=_INTEGER) if found is not None and is_large_integer(found[1]) else term


def is_large_integer(text: str) -> bool:
    """Return whether a text is a whole number beyond 64 bits, and within Oxigraph's decimals."""
    if len(text) < _DIGITS or not _WHOLE.fullmatch(text):
        return False
    return len(text) <= 2 * _DIGITS and not _LEAST <= int(text) <= _MOST and abs(int(text)) <= _MOST_DECIMAL


_NUMBER, _AS_INTEGER = NamedNode("urn:checkpoint-ld:number-of"), NamedNode("urn:checkpoint-ld:integer-of")
FUNCTIONS: dict[NamedNode, Callable[..., Term | None]] = {_NUMBER: number_of, _AS_INTEGER: integer_of}
"""The functions that such a query calls."""


MOST: Final = 2_000_000
"""The most statements among which large integers are looked for, a million in a second."""


def has_large_integers(store: Store, digits: int = _DIGITS) -> bool:
    """Return whether there is an integer of at least so many digits that is no number to Oxigraph."""
    text = f"ASK {{ ?s ?p ?o FILTER (DATATYPE(?o) = <{XSD}integer> && !ISNUMERIC(?o) && STRLEN(STR(?o)) >= {digits}) }}"
    return bool(store.query(text, use_default_graph_as_union=True))


def has_too_large_integers(store: Store) -> bool:
    """Return whether there is an integer that may be beyond Oxigraph's decimals."""
    return has_large_integers(store, len(str(_MOST_DECIMAL)))


def text_for(text: str, store: Store, known: Known | None) -> str:
    """Return the text of a query that counts large integers, if the store has any.

    To find that takes a look at all statements, so it is found only where `known` keeps it.
    """
    found = text if known is None else with_decimals(text)
    if known is None or found == text:
        return text
    if LARGE not in known:
        is_large = len(store) <= MOST and has_large_integers(store)
        known[LARGE] = frozenset(("number",)) if is_large else frozenset()
    return found if known[LARGE] else text


def note_added(terms: Iterable[Term], known: Known) -> None:
    """Take over that terms came to a store."""
    if LARGE in known and any(isinstance(one, Literal) and is_large_integer(one.value) for one in terms):
        known[LARGE] = frozenset(("number",))


@lru_cache(maxsize=128)
def with_decimals(text: str) -> str:
    """Return a query in which operands are read as decimals where they are large integers."""
    tokens = list(tokens_of(text))
    pieces = [Piece(token.text, token.kind, at) for at, token in enumerate(tokens) if token.kind != "space"]
    words = dict(keywords(pieces))
    made = [token.text for token in tokens]
    is_in_select = False
    open_: list[bool] = []
    at = 0
    while at < len(pieces):
        piece, word = pieces[at], words.get(at)
        if word == "SELECT" or piece.text == "{" or word == "WHERE":
            is_in_select = word == "SELECT"
        if piece.kind == "other" and piece.text in "({[":
            before = words.get(at - 1)
            is_call = before is not None and before not in _NO_CALLS
            open_.append(piece.text == "(" and (is_call or is_in_select or open_[-1:] == [True]))
        elif piece.kind == "other" and piece.text in ")}]" and open_:
            open_.pop()
        elif open_[-1:] == [True]:
            end = _operand(pieces, at)
            if end > at:
                if _is_operand(pieces, words, at, end):
                    _wrap(made, pieces, _NUMBER, at, end)
                at = end
                continue
            if word == "SUM" and not _is_beside_operator(pieces, at, end_of := _closing(pieces, at + 1)):
                _wrap(made, pieces, _AS_INTEGER, at, end_of)
        at += 1
    return "".join(made)


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
    is_summed = pieces[before].text == "(" and words.get(before - 1) in _SUMS and pieces[end].text == ")"
    return is_summed or _is_beside_operator(pieces, at, end)


def _is_beside_operator(pieces: Sequence[Piece], at: int, end: int) -> bool:
    after = "".join(piece.text for piece in pieces[end : end + 2])
    return pieces[at - 1].text in _OPERATORS or after[:1] in _OPERATORS or after == "!="


def _closing(pieces: Sequence[Piece], at: int) -> int:
    depth = 0
    for place in range(at, len(pieces)):
        depth += (pieces[place].text == "(") - (pieces[place].text == ")")
        if not depth:
            return place + 1
    return len(pieces)


def _wrap(made: list[str], pieces: Sequence[Piece], function: NamedNode, start: int, end: int) -> None:
    # A space keeps the IRI apart from a sign before it, with which it would be something else.
    first, last = pieces[start].at, pieces[end - 1].at
    made[first] = f" {function}({made[first]}"
    made[last] += ")"
