"""Headers: the metadata of a benchmark, read from the start of its file, for long lists of files.

Karenina writes the metadata of a benchmark before its questions. For such a file, with the context of Karenina or of
this package, a few kilobytes suffice: the header of a file of 1,000 questions (3.5 MB) takes 0.1 ms, the whole file
60 ms. Every other file is read whole.
"""

from __future__ import annotations

import codecs
import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld import data, dialects
from checkpoint_ld.dialects.dialect import as_list, text_of
from checkpoint_ld.documents.document import members_before
from checkpoint_ld.documents.files import read_bytes
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from checkpoint_ld.dialects.reading import Reading


Json = dict[str, Any]

_STARTS = (1 << 13, 1 << 17)
"""The bytes that are read at first, enough without global traits, and then, enough with many global traits."""
_MEMBERS = {
    "id": "@id",
    "name": "name",
    "description": "description",
    "version": "version",
    "created": "dateCreated",
    "modified": "dateModified",
}
"""The members of a document by the fields of its header that have their values."""
_KEYWORDS = ("@context", "@type", "@id")
_ELEMENTS = "dataFeedElement"
_EXTENSIONS = ("", ".json", ".jsonld")
_CONTEXTS = ("karenina-plain.jsonld", "karenina.jsonld")


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a checkpoint.

    `source` is the name of the file, None for bytes. Absent members are None; other values than texts are JSON texts.
    Dates are texts as in the file, by convention ISO 8601. `questions` and `scenarios` are None unless counted.
    """

    source: str | None
    syntax: str
    dialect: str
    id: str | None
    name: str | None
    description: str | None
    version: str | None
    creator: str | None
    created: str | None
    modified: str | None
    questions: int | None = None
    scenarios: int | None = None


def read_header(
    source: str | os.PathLike[str] | BinaryIO | bytes, *, counts: bool = False, limits: Limits = DEFAULT_LIMITS
) -> Header:
    """Read the header of a checkpoint, with the values that `load` gives, from the start of the file if possible.

    With `counts`, questions and scenarios are counted, which needs the whole file. Without it, faults after the start
    of a file may stay undetected. Raises ReadError for an unreadable checkpoint, SourceMissingError if there is no such
    file.
    """
    if not counts:
        name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
        for start in _starts(source):
            members = _members_at(start)
            if members is not None:
                return _header(members, name, "json", dialects.CANONICAL.name)
    from checkpoint_ld.dialects import reading  # noqa: PLC0415 - it takes long to import

    return header_of(reading.examine_bytes(*read_bytes(source, limits), limits=limits), counts=counts)


def header_of(reading: Reading, *, counts: bool = False) -> Header:
    """Return the header of a reading."""
    numbers: dict[str, int] = {}
    if counts:
        from checkpoint_ld.mapping.questions import is_scenario  # noqa: PLC0415 - as above

        items = [item for item in as_list(reading.tree.get(_ELEMENTS)) if isinstance(item, dict)]
        numbers["questions"] = len(items)
        numbers["scenarios"] = sum(map(is_scenario, as_list(reading.tree.get("hasPart"))))
    return _header(reading.tree, reading.source, reading.syntax, reading.dialect, **numbers)


def _header(root: Json, source: str | None, syntax: str, dialect: str, **counts: int) -> Header:
    members = {field: None if root.get(name) is None else text_of(root[name]) for field, name in _MEMBERS.items()}
    creators = (
        text_of(creator.get("name") if isinstance(creator, dict) else creator)
        for creator in as_list(root.get("creator"))
    )
    creator = ", ".join(filter(None, creators)) or None
    stated: Json = {**members, **counts}
    return Header(source=source, syntax=syntax, dialect=dialect, creator=creator, **stated)


def _starts(source: object) -> Iterator[bytes]:
    """Yield the start of a source, then more of it; nothing if the source can be read only once or not at all."""
    if isinstance(source, bytes):
        yield from (source[:size] for size in _STARTS)
    elif isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() in _EXTENSIONS:
        try:
            if Path(source).is_file():  # reading a pipe would use it up
                with Path(source).open("rb") as file:
                    yield (start := file.read(_STARTS[0]))
                    yield start + file.read(_STARTS[1] - len(start))
        except (OSError, ValueError):  # reading it whole reports the error
            return


def _members_at(start: bytes) -> Json | None:
    """Return the members of a canonical checkpoint before its questions, None if others may follow."""
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(start)
        members, place = members_before(_ELEMENTS, text)
        element = _first_element(text, place)
    except (ValueError, RecursionError):
        return None
    if not _is_usual(members):
        return None
    detected = dialects.detect({**members, _ELEMENTS: element})
    return members if detected is dialects.CANONICAL else None


def _first_element(text: str, start: int) -> list[Json]:
    """Return the array of elements at `at`, with only the members of its first element that show whether it is bare."""
    if text[start : start + 1] != "[":
        raise ValueError("the elements are no array")
    if text[start + 1 :].lstrip(" \t\n\r")[:1] == "]":
        return []
    members, _ = members_before("item", text, start + 1)
    return [{**members, "item": {}}]


def _is_usual(root: Json) -> bool:
    """Return whether all members of a root are plain, so that they are its whole metadata without expansion."""
    context = root.get("@context")
    return (
        isinstance(context, dict)
        and "@vocab" in context
        and any(context.items() <= known.items() for known in _contexts())
        and root.get("@type") == "DataFeed"
        and all(isinstance(root.get(name), str) for name in _MEMBERS.values())
        and (isinstance(root.get("creator"), str) or _is_agent(root.get("creator")))
        and all(":" not in name and (name[:1] != "@" or name in _KEYWORDS) for name in root)
    )


def _is_agent(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.get("@type") in ("Person", "Organization")
        and isinstance(value.get("name"), str)
        and all(isinstance(member, str) and ":" not in name for name, member in value.items())
    )


@cache
def _contexts() -> tuple[Json, ...]:
    return tuple(json.loads(data.text("contexts", file))["@context"] for file in _CONTEXTS)
