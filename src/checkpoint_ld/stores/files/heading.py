"""Headings: the header of a file from its two ends, without what is between them.

In the text form a snapshot stands between the first members of a checkpoint and the last, and only members of the root
begin a line with two spaces and a quotation mark. So a few kilobytes tell all, however long a chain of thoughts is. A
file in any other form is read whole.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.agent import versions
from checkpoint_ld.agent.shapes import detect_shape
from checkpoint_ld.stores.filters import Facts
from checkpoint_ld.stores.header import Heading, header_of_heading

if TYPE_CHECKING:
    from pathlib import Path

    from checkpoint_ld.stores.header import Header

_START = 1 << 13
_END = 1 << 14
_FIRST = ["version", "id", "timestamp", "execution_id", "agent_id"]
_LAST = ("metadata", "parent", "name", "description", "about", "diff")
_SNAPSHOT = b',\n  "snapshot": {\n    "thought_chain": ['
_METADATA = b'\n  },\n  "metadata": {'
_BEFORE = re.compile(rb'\n    (?:\}|"current_step_id": "[^\n]*)\Z')
"""How the snapshot ends in the text form: neither a parent nor any other part of the heading ends so."""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def header_at(path: Path) -> Header:
    """Return the header of the checkpoint in a file, without its hash.

    Raises ReadError for what is no agent checkpoint, or ValueError where its heading breaks rules.
    """
    header = _quick(path)
    return header or header_of_heading(Heading.model_validate(_tree(path)))


def facts_at(path: Path) -> Facts:
    """Return what filters ask about the snapshot in a file. Raises ReadError, or ValueError where it is broken."""
    try:
        return Facts.of(_snapshot(path))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: its snapshot is broken: {error}") from error


def _snapshot(path: Path) -> Any:
    if path.suffix == ".json":
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):  # reading it with care says what is wrong
            root = orjson.loads(path.read_bytes())
            if root["version"] == versions.NEWEST and detect_shape(root) == "canonical":
                return root["snapshot"]
    return _tree(path)["snapshot"]


def _tree(path: Path) -> dict[str, Any]:
    from checkpoint_ld.agent import reading  # noqa: PLC0415 - loads rdflib

    return reading.examine(path).tree


def _quick(path: Path) -> Header | None:
    """Return the header of a file in the text form, None for one in another form."""
    if path.suffix != ".json":
        return None
    try:
        with path.open("rb", buffering=0) as file:
            start = file.read(_START + _END)
            size = os.fstat(file.fileno()).st_size
            if size <= len(start):
                end = start
            else:
                file.seek(size - _END)
                end = file.read()
        return _header(start, end)
    except (OSError, ValueError, RecursionError):  # reading all of it says what is wrong
        return None


def _header(start: bytes, end: bytes) -> Header | None:
    """Return the header that a file's two ends tell. Raises ValueError for what is not in the text form."""
    first, last = start.find(_SNAPSHOT), end.rfind(_METADATA)
    if first < 0 or last < 0 or not end.endswith(b"\n}\n") or not _BEFORE.search(end, max(0, last - _START), last):
        return None
    head, tail = start[:first] + b"\n}", b"{" + end[last + len(b"\n  },") :]
    if _SURROGATE.search(head) or _SURROGATE.search(tail):
        return None
    before, after = _parsed(head), _parsed(tail)
    known = [name for name in after if name in _LAST]
    if list(before) != _FIRST or before["version"] != versions.NEWEST or known != [n for n in _LAST if n in after]:
        return None
    if "snapshot" in after or not after.keys().isdisjoint(before):
        return None
    return header_of_heading(Heading.model_validate({**before, **after}))


def _parsed(text: bytes) -> dict[str, Any]:
    return dict(json.loads(text, parse_constant=_refused, object_pairs_hook=_members))


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key stands twice")
    return members


def _refused(text: str) -> None:
    raise ValueError(f"{text} is no number")
