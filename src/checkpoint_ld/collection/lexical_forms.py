"""Lexical forms: what the store rewrites, kept, so that a graph comes back to the letter.

The Oxigraph store holds values: `7.5E-1` comes out as `0.75`, `01` as `1`, and two forms of one value in one place
become one statement. Beside a graph stand therefore the statements that would come out otherwise, as N-Triples. They
only say how something is written: one whose value is no longer in the graph counts for nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import pyoxigraph
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple

from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PLACE = NamedNode("urn:checkpoint-ld:place")
_STRING = XSD + "string"


def rewritten(statements: Iterable[Triple]) -> dict[Triple, list[Triple]]:
    """Return what the store makes of `statements`: each statement that it will hold, with those that it stands for."""
    held: dict[Triple, list[Triple]] = {}
    for one in statements:
        held.setdefault(stored(one), []).append(one)
    return held


def kept(held: Mapping[Triple, list[Triple]]) -> str:
    """Return as sorted N-Triples those statements that the store does not hold as they are written."""
    lines = (str(one) + " .\n" for stands, written in held.items() if written != [stands] for one in written)
    return "".join(sorted(lines))


def restored(statements: Iterable[Triple], forms: str) -> list[Triple]:
    """Return `statements`, which come from the store, as they were written; `forms` is what `kept` gave."""
    read = pyoxigraph.parse(forms, format=RdfFormat.N_TRIPLES)
    written = rewritten(Triple(one.subject, one.predicate, one.object) for one in read)
    return [one for held in statements for one in written.get(held, (held,))]


def stored(statement: Triple) -> Triple:
    """Return the statement that the store holds for one that is written into it."""
    term = statement.object
    if not isinstance(term, Literal) or not _has_a_value(term):
        return statement
    held = _stored(term)
    return statement if held == term else Triple(statement.subject, statement.predicate, held)


def _has_a_value(term: Literal) -> bool:
    if term.language is not None:
        return True
    return term.datatype.value.startswith(XSD) and term.datatype.value != _STRING


@lru_cache(maxsize=4096)
def _stored(term: Literal) -> Literal:
    # The store itself is asked: whatever another version of it rewrites is told from what it does.
    store = pyoxigraph.Store()
    store.add(Quad(_PLACE, _PLACE, term))
    [quad] = store
    assert isinstance(quad.object, Literal)  # noqa: S101 - what was put in
    return quad.object
