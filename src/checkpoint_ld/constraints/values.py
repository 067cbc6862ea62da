"""RDF terms as the JSON values that they stand for, which is what the functions judge."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rdflib import Literal

from checkpoint_ld.graph.literals import (
    RDF_JSON,
    XSD_BOOLEAN,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_FLOAT,
    XSD_INTEGER,
)

if TYPE_CHECKING:
    from rdflib.term import Node

_FLOATS = frozenset({XSD_DOUBLE, XSD_FLOAT, XSD_DECIMAL})


OBJECT = object()
"""What stands for a node: its IRI is a text to Python, and nothing that the document says."""


def value_of(term: Node) -> Any:
    """Return the JSON value of a literal, its text where it is ill-formed; OBJECT for a node."""
    return _value(str(term), term.datatype) if isinstance(term, Literal) else OBJECT


@lru_cache(maxsize=4096)
def _value(text: str, datatype: object) -> Any:
    try:
        if datatype == RDF_JSON:
            return json.loads(text)
        if datatype == XSD_BOOLEAN:
            return {"true": True, "1": True, "false": False, "0": False}[text]
        if datatype == XSD_INTEGER:
            return int(text)
        if datatype in _FLOATS:
            return float(text)
    except (ValueError, KeyError, RecursionError):
        pass
    return text
