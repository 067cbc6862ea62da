"""The index of a folder: the headers of its files, kept in memory for as long as the files stay the same."""

from __future__ import annotations

import logging
import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checkpoint_ld.stores.files import heading
from checkpoint_ld.stores.files.names import is_checkpoint, names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from checkpoint_ld.stores.filters import Facts
    from checkpoint_ld.stores.header import Header

_logger = logging.getLogger("checkpoint_ld.stores")

State = tuple[int, int, int]
"""Size, time of the last change in nanoseconds, and inode: a file in which none of them differs is the same."""


@dataclass(slots=True)
class Listed:
    """A file of the folder: its header, None if it has none, and what else is known about it once it was asked for."""

    path: Path
    state: State
    header: Header | None
    facts: Facts | None = field(default=None)


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

    def paths(self, checkpoint_id: str) -> list[Path]:
        """Return the files that hold the checkpoint, those that are called after it first."""
        held = self._names.get(checkpoint_id, [])
        if len(held) > 1:
            rank = {name: at for at, name in enumerate(names(checkpoint_id))}
            held = sorted(held, key=lambda name: (rank.get(name, len(rank)), name))
        return [self._listed[name].path for name in held]

    def existing(self, checkpoint_id: str) -> list[Path]:
        """Return those of `paths` that nobody has deleted meanwhile."""
        return [path for path in self.paths(checkpoint_id) if path.is_file()]

    def is_taken(self, name: str) -> bool:
        """Tell whether a disk that does not tell a from A could not hold a file of that name as well."""
        return self._folded[name.lower()] > (name in self._listed)

    def ids(self) -> list[str]:
        """Return the ids of all checkpoints."""
        return list(self._names)

    def readable(self) -> Iterator[tuple[Listed, Header]]:
        """Yield one file of every checkpoint, with its header."""
        for checkpoint_id in list(self._names):
            one = self._listed[self.paths(checkpoint_id)[0].name]
            if one.header is not None:
                yield one, one.header

    def files(self) -> list[Path]:
        """Return all files, be they readable or not, in the order of their names."""
        return [self._listed[name].path for name in sorted(self._listed)]

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
            return Listed(path, state, heading.header_at(path))
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
    """Tell whether an entry is a file, or leads to one, and has not gone meanwhile."""
    try:
        entry.stat()
        return entry.is_file()
    except OSError:
        return False


def _state(status: os.stat_result) -> State:
    return status.st_size, status.st_mtime_ns, status.st_ino
