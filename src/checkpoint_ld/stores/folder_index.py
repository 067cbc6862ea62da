"""The index of a folder of agent checkpoints: the headers of its files, kept in memory as long as they are unchanged.

A header is read from the two ends of a file: in the text form the snapshot is between the first and the last members of
a checkpoint, and only members of the root begin a line with two spaces and a quotation mark. So a few kilobytes
suffice, however long a chain of thoughts is. A file in any other form is read whole.
"""

from __future__ import annotations

import logging
import os
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import ValidationError

from checkpoint_ld.agents import values
from checkpoint_ld.agents.shapes import detect_shape
from checkpoint_ld.documents.document import parse
from checkpoint_ld.mapping.traits import faults_of
from checkpoint_ld.stores.folder import is_checkpoint, names
from checkpoint_ld.stores.protocol import Facts, Header, Heading

if TYPE_CHECKING:
    from pathlib import Path

    from checkpoint_ld.stores.protocol import Filter

_logger = logging.getLogger("checkpoint_ld.stores")

_START = 1 << 13
_END = 1 << 14
_SNAPSHOT = b',\n  "snapshot": {\n    "thought_chain": ['
_METADATA = b'\n  },\n  "metadata": {'
_BEFORE = re.compile(rb'\n    (?:\}|"current_step_id": "[^\n]*)\Z')
"""The end of the snapshot in the text form; no part of the heading has this form."""


def header_at(path: Path) -> Header:
    """Return the header of the checkpoint in a file, without its hash.

    Raises ReadError for a file that is no agent checkpoint, or ValueError if its heading breaks rules.
    """
    if path.suffix == ".json":
        with suppress(OSError, ValueError, RecursionError):  # reading it whole reports the fault
            if (members := _heading(*_ends(path))) is not None:
                return Header.of(Heading.model_validate(members))
    return Header.of(Heading.model_validate(_tree(path)))


def facts_at(path: Path) -> Facts:
    """Return the facts about the snapshot in a file. Raises ReadError, or ValueError if it is damaged."""
    try:
        if path.suffix == ".json":
            with suppress(OSError, ValueError, TypeError, KeyError):  # reading it strictly reports the fault
                root = orjson.loads(path.read_bytes())
                if root["version"] == values.NEWEST and detect_shape(root) == "canonical":
                    return Facts.of(root["snapshot"])
        return Facts.of(_tree(path)["snapshot"])
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: its snapshot is broken: {error}") from error


def _tree(path: Path) -> dict[str, Any]:
    from checkpoint_ld.agents import serialization  # noqa: PLC0415 - loads rdflib

    return serialization.examine(path).tree


def _ends(path: Path) -> tuple[bytes, bytes]:
    with path.open("rb", buffering=0) as file:
        start = file.read(_START + _END)
        size = os.fstat(file.fileno()).st_size
        if size <= len(start):
            return start, start
        file.seek(size - _END)
        return start, file.read()


def _heading(start: bytes, end: bytes) -> dict[str, Any] | None:
    """Return the members of the root at a file's two ends, None unless it is in the text form. Raises ValueError."""
    first, last = start.find(_SNAPSHOT), end.rfind(_METADATA)
    if first < 0 or last < 0 or not end.endswith(b"\n}\n") or not _BEFORE.search(end, max(0, last - _START), last):
        return None
    head, tail = start[:first] + b"\n}", b"{" + end[last + len(b"\n  },") :]
    before, after = parse(head.decode()), parse(tail.decode())
    known = [name for name in after if name in values.AFTER_SNAPSHOT]
    is_canonical = tuple(before) == values.BEFORE_SNAPSHOT and before["version"] == values.NEWEST
    is_ordered = known == [name for name in values.AFTER_SNAPSHOT if name in after] and after.keys().isdisjoint(
        (*before, "snapshot")
    )
    return {**before, **after} if is_canonical and is_ordered else None


State = tuple[int, int, int]
"""Size, time of the last change in nanoseconds, and inode; a file with the same state is unchanged."""


@dataclass(slots=True)
class ListedFile:
    """A file of the folder: its header, None if it has none, and its facts once a filter needed them."""

    path: Path
    state: State
    header: Header | None
    facts: Facts | None = None

    def matches(self, wanted: Filter) -> bool:
        """Return whether the checkpoint in the file matches a filter."""
        if self.header is None or not wanted.admits(self.header):
            return False
        if not wanted.needs_facts:
            return True
        try:
            self.facts = self.facts or facts_at(self.path)
        except ValueError:
            return False
        return wanted.admits_facts(self.facts)


class FolderIndex:
    """The files of a folder that may be checkpoints. All methods raise OSError for a folder that cannot be read.

    `listed` has the files by name, `names` the names of those that hold a checkpoint, by its id.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.listed: dict[str, ListedFile] = {}
        self.names: dict[str, list[str]] = {}
        self._folded: Counter[str] = Counter()
        self._seen: int | None = None

    def refresh(self, *, again: bool = True) -> None:
        """Update the index for files that are new or gone and, with `again`, for changed ones.

        Without `again` it costs next to nothing if the folder is unchanged.
        """
        changed = self._folder.stat().st_mtime_ns
        if not again and changed == self._seen:
            return
        known, states = self.listed, dict[str, State]()
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if not is_checkpoint(entry.name):
                    continue
                if not again and entry.name in known:
                    states[entry.name] = known[entry.name].state
                    continue
                with suppress(OSError):  # it was deleted meanwhile, or is a broken link
                    if entry.is_file():
                        states[entry.name] = state_of(entry.stat())
        self.listed, self.names, self._folded = {}, {}, Counter()
        for name, state in states.items():
            file = known.get(name)
            self._insert(file if file is not None and file.state == state else self._read(self._folder / name, state))
        self._seen = changed

    def add(self, path: Path, header: Header) -> None:
        """Add a file that this process wrote."""
        self.remove(path)
        self._insert(ListedFile(path, state_of(path.stat()), header))
        self._seen = self._folder.stat().st_mtime_ns

    def remove(self, path: Path) -> None:
        """Remove a file that this process deleted."""
        file = self.listed.pop(path.name, None)
        self._folded[path.name.lower()] -= file is not None
        if file is not None and file.header is not None:
            self.names[file.header.id].remove(path.name)
            if not self.names[file.header.id]:
                del self.names[file.header.id]
        self._seen = self._folder.stat().st_mtime_ns

    def is_taken(self, name: str) -> bool:
        """Return whether another file has the name, regardless of case, as on some disks."""
        return self._folded[name.lower()] > (name in self.listed)

    def files(self, checkpoint_id: str) -> list[ListedFile]:
        """Return the files that hold the checkpoint, those with its names first."""
        held = self.names.get(checkpoint_id, [])
        if len(held) > 1:
            rank = {name: at for at, name in enumerate(names(checkpoint_id))}
            held = sorted(held, key=lambda name: (rank.get(name, len(rank)), name))
        return [self.listed[name] for name in held]

    def _insert(self, entry: ListedFile) -> None:
        self.listed[entry.path.name] = entry
        self._folded[entry.path.name.lower()] += 1
        if entry.header is not None:
            self.names.setdefault(entry.header.id, []).append(entry.path.name)

    def _read(self, path: Path, state: State) -> ListedFile:
        try:
            return ListedFile(path, state, header_at(path))
        except ValueError as error:
            if path.exists():  # it was not deleted meanwhile
                reason = faults_of(error) if isinstance(error, ValidationError) else error
                _logger.warning("%s is left out, for it cannot be read: %s", path, reason)
            return ListedFile(path, state, None)


def state_of(status: os.stat_result) -> State:
    """Return what tells whether a file was changed."""
    return status.st_size, status.st_mtime_ns, status.st_ino
