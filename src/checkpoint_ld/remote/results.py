"""Results: what a server answered to a query, as data, and only if it is whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyoxigraph

from checkpoint_ld.errors import EvaluationError, TruncatedResultError
from checkpoint_ld.sparql.result import QueryResult
from checkpoint_ld.sparql.result_json import of_results_json

if TYPE_CHECKING:
    from checkpoint_ld.remote.connection import Answer
    from checkpoint_ld.sparql.guard import Form

_CUT_SIGN = "x-sparql-maxrows"
"""The header by which Virtuoso says that it has a limit."""
_TRUE = ("1", "true")


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
    told = _decoded(answer)
    try:
        result = of_results_json(told)
    except EvaluationError:
        raise _no_results(answer) from None
    if form == "ask":
        return QueryResult("ask", boolean=_truth(result))
    _refuse_cut(answer, len(result.rows), most_rows)
    return result


def triples_of(answer: Answer) -> bytes:
    """Return the N-Triples that a server answered, having read them to their end.

    Raises TruncatedResultError for what does not parse, or ends in the middle of a line. Whole lines that are missing
    at the end cannot be told from here: compare with a count.
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
