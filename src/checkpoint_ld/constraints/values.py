"""RDF terms as the JSON values that they stand for, which is what the functions judge."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from rdflib import Literal, URIRef

from checkpoint_ld.dialects.properties import container
from checkpoint_ld.graph.literals import (
    DATETIME,
    RDF_JSON,
    XSD_BOOLEAN,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_FLOAT,
    XSD_INTEGER,
    XSD_STRING,
)

if TYPE_CHECKING:
    from rdflib.term import Node

_TEXTS = frozenset({XSD_STRING, URIRef(DATETIME)})
_FLOATS = frozenset({XSD_DOUBLE, XSD_FLOAT, XSD_DECIMAL})


OBJECT = object()
"""What stands for a node: its IRI is a text to Python, and nothing that the document says."""


def value_of(term: Node) -> Any:
    """Return the JSON value of a literal, its text where it is ill-formed; OBJECT for a node."""
    if not isinstance(term, Literal):
        return OBJECT
    datatype = term._datatype  # noqa: SLF001 - this is asked of every value, and the property takes twice as long
    return str(term) if datatype is None or datatype in _TEXTS else _value(str(term), datatype)


@lru_cache(maxsize=256)
def contained(text: str) -> Any:
    """Return the object or array that a text spells, None for any other text; it is shared, and never changed.

    As `container`, in less than half of its time where the text is written as Karenina or its GUI writes it: what comes
    out as the very same text again has lost nothing. Of most texts that shows without writing them.
    """
    try:
        value = orjson.loads(text)
        is_usual = _is_whole(value, text) or _written(value) == text or orjson.dumps(value).decode() == text
    except (ValueError, RecursionError, TypeError):
        is_usual = False
    return value if is_usual and isinstance(value, (dict, list)) else container(text)


def _is_whole(value: Any, text: str) -> bool:
    """Tell whether a text surely spells an object without objects in it, or an array of such, and no key repeats.

    In a text that has no space before a colon, there is a quote before the colon of every key: as many as keys.
    """
    keys = 0
    for one in value if type(value) is list else (value,):
        if type(one) is not dict or not _UNCHANGED.issuperset(map(type, one.values())):
            return False
        keys += len(one)
    return text.count('":') == keys and " :" not in text and text.isprintable()


_UNCHANGED = frozenset((str, bool, type(None)))
"""The types of values that are spelt in one way only."""
_written = json.JSONEncoder(check_circular=False).encode


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
