"""SPARQL parsed once: rdflib takes a tenth of a second for a query, and pySHACL asks one anew for every node."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from rdflib.plugins.sparql import algebra, parser


@cache
def _translated(text: str, base: str | None, names: tuple[tuple[str, Any], ...]) -> Any:
    return algebra.translateQuery(parser.parseQuery(text), base, dict(names))


def _translate(text: str, base: str | None = None, initNs: Mapping[str, Any] | None = None) -> Any:  # noqa: N803 - rdflib's
    return _translated(text, base, tuple((initNs or {}).items()))


@contextmanager
def parsed_once() -> Iterator[None]:
    """Let rdflib keep each query that it has parsed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rdflib.plugins.sparql.processor.parseQuery", str)
        patch.setattr("rdflib.plugins.sparql.processor.translateQuery", _translate)
        yield
