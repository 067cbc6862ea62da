"""Parameters of a query: bound by one block of VALUES at the start of its pattern (SPARQL 1.1 §10.2)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from checkpoint_ld.errors import QueryError
from checkpoint_ld.sparql.terms import written
from checkpoint_ld.sparql.tokens import Token, tokens_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from checkpoint_ld.sparql.terms import Term

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def bound(text: str, parameters: Mapping[str, Term]) -> str:
    """Return a query in which the variables that `parameters` name have those values.

    The values hold in the outermost pattern and in its filters; inside of a sub-select, or in a filter of MINUS, a
    variable of the same name is another one. Raises QueryError where the query has no such variable or no pattern.
    """
    if not parameters:
        return text
    tokens = list(tokens_of(text))
    known = _variables(tokens)
    for name in parameters:
        if not _NAME.fullmatch(name) or name not in known:
            raise QueryError(f"the query has no variable ?{name} that could be given a value")
    start = _start_of_pattern(tokens)
    if start is None:
        raise QueryError("the query has no pattern { … } in which parameters could be given values")
    names = " ".join(f"?{name}" for name in parameters)
    values = " ".join(map(written, parameters.values()))
    block = f" VALUES ({names}) {{ ({values}) }}"
    return (
        "".join(token.text for token in tokens[: start + 1]) + block + "".join(one.text for one in tokens[start + 1 :])
    )


def limited(text: str, most: int) -> str:
    """Return a query that gives `most` solutions at most: under a LIMIT, its own one if that is smaller."""
    tokens = [token.text for token in tokens_of(text)]
    kinds = [token.kind for token in tokens_of(text)]
    depth, end = 0, len(tokens)
    for at, piece in enumerate(tokens):
        if kinds[at] == "other":
            depth += (piece in "({[") - (piece in ")}]")
        elif kinds[at] == "word" and depth == 0 and tokens[at - 1] not in ("?", "$", ":"):
            if piece.upper() == "LIMIT":
                start = at + 1 if kinds[at + 1] != "space" else at + 2
                after = next((one for one in range(start, end) if not tokens[one].isdecimal()), len(tokens))
                number = min(most, int("".join(tokens[start:after])))
                return "".join((*tokens[:start], str(number), *tokens[after:]))
            if piece.upper() == "VALUES":
                end = at
    return "".join((*tokens[:end], f" LIMIT {most} ", *tokens[end:]))


def _variables(tokens: Sequence[Token]) -> set[str]:
    return {token.text for before, token in pairwise(tokens) if token.kind == "word" and before.text in ("?", "$")}


def _start_of_pattern(tokens: Sequence[Token]) -> int | None:
    """Return where the brace stands that opens the pattern: not that of a template or of an expression."""
    depth = 0
    last = Token("space", "")
    template = False
    for at, token in enumerate(tokens):
        if token.kind == "other":
            if token.text == "{" and depth == 0:
                template = last.kind == "word" and last.text.upper() == "CONSTRUCT"
                if not template:
                    return at
            depth += (token.text in "({") - (token.text in ")}")
        if token.kind != "space":
            last = token
    return None
