"""Sweeps: secrets and very large integers, wherever in a checkpoint they stand.

The text of the whole tree is searched at the speed of regular expressions; only where that finds a trace all values
are looked at one by one.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.constraints.secrets import secret
from checkpoint_ld.documents.places import pointer
from checkpoint_ld.documents.values import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 2**53
_MANY_DIGITS = re.compile(rb"[\[:,]-?\d{16,}[\],}]")
_TRACE_OF_SECRET = re.compile(
    rb'(?i:api_?key|secret|password|passwd|token|access_?key|private_?key|authorization|credentials?)":"[^"]'
    rb"|[spr]k-[A-Za-z0-9_-]{16}|gh[pousr]_[A-Za-z0-9]{20}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30}|hf_[A-Za-z0-9]{20}"
    rb"|xox[abprs]-[A-Za-z0-9-]{10}|Bearer\\?[\sntr]|-----BEGIN [A-Z ]*PRIVATE KEY"
)


def sweep(tree: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what was found: the local name of the derived property, the JSON Pointer, what is said about it."""
    try:
        text = orjson.dumps(tree)
    except TypeError:  # an integer beyond 64 bits, or half a surrogate pair
        text = json.dumps(tree, separators=(",", ":"), ensure_ascii=True, default=str).encode()
        is_large = True
    else:
        is_large = _MANY_DIGITS.search(text) is not None
    if is_large or _TRACE_OF_SECRET.search(text):
        yield from _looked_at(tree)


def _looked_at(tree: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for path, value in walk(tree):
        if isinstance(value, str):
            key = next((step for step in reversed(path) if isinstance(step, str)), "")
            told = secret({key: value}) if value and key not in ("id", "execution_id") else None
            if told:
                yield "secretAt", pointer(path), told
        elif isinstance(value, int) and not -LARGEST <= value <= LARGEST:
            yield "largeIntegerAt", pointer(path), ""
