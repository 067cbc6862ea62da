"""The index of a folder: the headers of its files, kept in memory for as long as the files stay the same.

A header is read from the two ends of a file. In the text form a snapshot stands between the first members of a
checkpoint and the last, and only members of the root begin a line with two spaces and a quotation mark. So a few
kilobytes suffice, however long a chain of thoughts is. A file in any other form is read whole.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.agent import versions
from checkpoint_ld.agent.shapes import detect_shape
from checkpoint_ld.stores.folder import is_checkpoint, names
from checkpoint_ld.stores.protocol import Facts, Heading, header_of_heading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from checkpoint_ld.stores.protocol import Filter, Header

_logger = logging.getLogger("checkpoint_ld.stores")

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
    if path.suffix == ".json":
        with contextlib.suppress(OSError, ValueError, RecursionError):  # reading all of it says what is wrong
            if (members := _heading(*_ends(path))) is not None:
                return header_of_heading(Heading.model_validate(members))
    return header_of_heading(Heading.model_validate(_tree(path)))


def facts_at(path: Path) -> Facts:
    """Return what filters compare of the snapshot in a file. Raises ReadError, or ValueError where it is broken."""
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


def _ends(path: Path) -> tuple[bytes, bytes]:
    with path.open("rb", buffering=0) as file:
        start = file.read(_START + _END)
        size = os.fstat(file.fileno()).st_size
        if size <= len(start):
            return start, start
        file.seek(size - _END)
        return start, file.read()


def _heading(start: bytes, end: bytes) -> dict[str, Any] | None:
    """Return the members of the root at a file's two ends, None for what is not in the text form. Raises ValueError."""
    first, last = start.find(_SNAPSHOT), end.rfind(_METADATA)
    if first < 0 or last < 0 or not end.endswith(b"\n}\n") or not _BEFORE.search(end, max(0, last - _START), last):
        return None
    head, tail = start[:first] + b"\n}", b"{" + end[last + len(b"\n  },") :]
    if _SURROGATE.search(head) or _SURROGATE.search(tail):
        return None
    before, after = _parsed(head), _parsed(tail)
    known = [name for name in after if name in _LAST]
    is_canonical = list(before) == _FIRST and before["version"] == versions.NEWEST
    is_ordered = known == [name for name in _LAST if name in after] and after.keys().isdisjoint((*before, "snapshot"))
    return {**before, **after} if is_canonical and is_ordered else None


def _parsed(text: bytes) -> dict[str, Any]:
    return dict(json.loads(text, parse_constant=_refused, object_pairs_hook=_members))


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key stands twice")
    return members


def _refused(text: str) -> None:
    raise ValueError(f"{text} is no number")


State = tuple[int, int, int]
"""Size, time of the last change in nanoseconds, and inode: a file in which none of them differs is the same."""


@dataclass(slots=True)
class Listed:
    """A file of the folder: its header, None if it has none, and its facts once a filter needed them."""

    path: Path
    state: State
    header: Header | None
    facts: Facts | None = None

    def fits(self, wanted: Filter) -> bool:
        """Return whether the checkpoint in the file is one that is meant."""
        if self.header is None or not wanted.admits(self.header):
            return False
        if not wanted.asks_for_facts:
            return True
        try:
            self.facts = self.facts or facts_at(self.path)
        except ValueError:
            return False
        return wanted.admits_facts(self.facts)


class Index:
    """The files of a folder that are taken for checkpoints.

    All methods raise OSError where the folder cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listed: dict[str, Listed] = {}
        self._names: dict[str, list[str]] = {}
        self._folded: Counter[str] = Counter()
        self._seen: int | None = None

    def refresh(self) -> None:
        """Take notice of every file that is new, has changed or is gone."""
        self._seen = self._folder.stat().st_mtime_ns
        self._take({entry.name: _state(entry.stat()) for entry in self._entries() if _is_there(entry)})

    def catch_up(self) -> None:
        """Take notice of names that are new or gone, which costs next to nothing if the folder is as it was."""
        changed = self._folder.stat().st_mtime_ns
        if changed != self._seen:
            known = self._listed
            self._take(
                {
                    entry.name: known[entry.name].state if entry.name in known else _state(entry.stat())
                    for entry in self._entries()
                    if entry.name in known or _is_there(entry)
                }
            )
            self._seen = changed

    def add(self, path: Path, header: Header) -> None:
        """Take notice of a file that we wrote ourselves."""
        self._forget(path.name)
        self._listed[path.name] = Listed(path, _state(path.stat()), header)
        self._folded[path.name.lower()] += 1
        self._names.setdefault(header.id, []).append(path.name)
        self._seen = self._folder.stat().st_mtime_ns

    def remove(self, path: Path) -> None:
        """Take notice that we deleted a file."""
        self._forget(path.name)
        self._seen = self._folder.stat().st_mtime_ns

    def existing(self, checkpoint_id: str) -> list[Path]:
        """Return the files that hold the checkpoint and are still there, those that are called after it first."""
        return [path for path in self._paths(checkpoint_id) if path.is_file()]

    def is_taken(self, name: str) -> bool:
        """Return whether a disk that does not tell a from A could not hold a file of that name as well."""
        return self._folded[name.lower()] > (name in self._listed)

    def ids(self) -> list[str]:
        """Return the ids of all checkpoints."""
        return list(self._names)

    def fitting(self, wanted: Filter) -> list[Header]:
        """Return the header of one file of every checkpoint that fits."""
        listed = [self._listed[self._paths(checkpoint_id)[0].name] for checkpoint_id in self._names]
        return [one.header for one in listed if one.header is not None and one.fits(wanted)]

    def files(self) -> list[Path]:
        """Return all files, be they readable or not, in the order of their names."""
        return [self._listed[name].path for name in sorted(self._listed)]

    def _paths(self, checkpoint_id: str) -> list[Path]:
        held = self._names.get(checkpoint_id, [])
        if len(held) > 1:
            rank = {name: at for at, name in enumerate(names(checkpoint_id))}
            held = sorted(held, key=lambda name: (rank.get(name, len(rank)), name))
        return [self._listed[name].path for name in held]

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        with os.scandir(self._folder) as entries:
            yield from (entry for entry in entries if is_checkpoint(entry.name))

    def _take(self, states: dict[str, State]) -> None:
        known, self._listed, self._names = self._listed, {}, {}
        self._folded = Counter(map(str.lower, states))
        for name, state in states.items():
            one = known.get(name)
            if one is None or one.state != state:
                one = self._read(name, state)
            self._listed[name] = one
            if one.header is not None:
                self._names.setdefault(one.header.id, []).append(name)

    def _read(self, name: str, state: State) -> Listed:
        path = self._folder / name
        try:
            return Listed(path, state, header_at(path))
        except ValueError as error:
            if path.exists():  # and was not deleted meanwhile
                _logger.warning("%s is left out, for it cannot be read: %s", path, error)
            return Listed(path, state, None)

    def _forget(self, name: str) -> None:
        one = self._listed.pop(name, None)
        self._folded[name.lower()] -= one is not None
        if one is not None and one.header is not None:
            self._names[one.header.id].remove(name)
            if not self._names[one.header.id]:
                del self._names[one.header.id]


def _is_there(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a file, or leads to one, and has not gone meanwhile."""
    try:
        entry.stat()
        return entry.is_file()
    except OSError:
        return False


def _state(status: os.stat_result) -> State:
    return status.st_size, status.st_mtime_ns, status.st_ino
