"""Sweeps: secrets and very large integers, wherever in a checkpoint they stand.

The text of the whole tree is searched for traces, first for fixed words, which takes next to no time; only where that
finds something all values are looked at one by one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.constraints.secrets import secret
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 2**53
_WORDS = (
    *("apikey", "api_key", "accesskey", "access_key", "privatekey", "private_key", "secret", "password", "passwd"),
    *("token", "authorization", "credential", "credentials"),
)
_TRACES = {
    **{f'{word}":"'.encode(): None for word in _WORDS},
    **{one: re.compile(one + rb"[a-z0-9_-]{16}") for one in (b"sk-", b"pk-", b"rk-")},
    **{
        one: re.compile(one + rb"[a-z0-9]{16}")
        for one in (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"hf_", b"akia")
    },
    b"aiza": re.compile(rb"aiza[a-z0-9_-]{30}"),
    b"xox": re.compile(rb"xox[abprs]-"),
    b"bearer": None,
    b"private key": None,
}
"""Parts of the text, in small letters, that a secret has; and where they are usual in other words, too, more of it."""


def sweep(tree: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what was found: the local name of the derived property, the JSON Pointer, what is said about it."""
    try:
        has_trace = _has_trace(orjson.dumps(tree, option=orjson.OPT_STRICT_INTEGER))
    except TypeError:  # an integer of more than 53 bits, half a surrogate pair, or nesting that it does not go into
        has_trace = True
    if has_trace:
        yield from _looked_at(tree)


def _has_trace(text: bytes) -> bool:
    small = text.lower()
    return any(word in small and (more is None or more.search(small)) for word, more in _TRACES.items())


def _looked_at(tree: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for path, value in walk(tree):
        if isinstance(value, str):
            key = next((step for step in reversed(path) if isinstance(step, str)), "")
            told = secret({key: value}) if value else None
            if told:
                yield "secretAt", pointer(path), told
        elif isinstance(value, int) and not -LARGEST <= value <= LARGEST:
            yield "largeIntegerAt", pointer(path), ""
