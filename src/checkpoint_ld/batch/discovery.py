"""Discovery of the files for given paths, folders and patterns."""

from __future__ import annotations

import glob
import gzip
import json
import os
import re
import zlib
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.documents.files import PACKED, no_path, unreadable
from checkpoint_ld.documents.packed import PACK, names_in
from checkpoint_ld.documents.values import DEFAULT_LIMITS
from checkpoint_ld.graph import emission
from checkpoint_ld.validation import selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

STANDARD = "-"
"""The path that stands for standard input."""
EXTENSIONS = tuple(extension + end for extension in (".json", ".jsonld", *emission.EXTENSIONS) for end in ("", PACKED))
"""Extensions of the files in a folder that are read."""
LARGE = 64 << 20
"""The least bytes of a file that is processed in windows unless a number of processes is given."""
SKIPPED = frozenset(("node_modules", "venv", "__pycache__", "site-packages"))
"""Folders that are never entered, in addition to hidden ones."""

# Instances of the classes in checkpoints; contexts and shapes only name a class. The expressions are compiled when a
# folder is searched.
_SIGN = (
    rb'"@?type"\s*:\s*(?:\[\s*)?"(?:[^"]*[/:])?(?:DataFeed|DataFeedItem|Question|Rating|SoftwareSourceCode)"'
    rb'|"dataFeedElement"\s*:\s*\['
    rb"|(?:\ba|type>|:type)\s+(?:[\w-]*:|<[^>\s]*/)DataFeed\b"
    rb"|<(?:[\w-]+:)?DataFeed[\s>]|resource=[\"'][^\"']*/DataFeed[\"']"
)
_SIGNS = (
    (_SIGN,),
    (rb'"version"\s*:\s*"2\.0"', rb'"(?:checkpoint|questions)"\s*:'),  # of the GUI's state
    (rb'"execution_id"\s*:', rb'"snapshot"\s*:'),  # of agent checkpoints
    (rb"urn:caf:vocab:Checkpoint\b|\bcaf:Checkpoint\b",),
)
"""A checkpoint has all signs of one of these."""


class Discovery(NamedTuple):
    """The result: `files` sorted, without repetition; the number of other files; patterns without a match.

    `unreadable` has the folders that could not be read, with the message about each; `excluded` are the patterns that
    excluded something.
    """

    files: tuple[str, ...]
    passed_over: int = 0
    unmatched: tuple[str, ...] = ()
    unreadable: Mapping[str, str] = MappingProxyType({})
    excluded: tuple[str, ...] = ()


def discover(  # noqa: PLR0913 - all but the first two are named
    paths: Iterable[str],
    exclude: Sequence[str] = (),
    *,
    root: str | Path = ".",
    extensions: tuple[str, ...] = EXTENSIONS,
    force_exclude: bool = False,
    input_name: str | None = None,
) -> Discovery:
    """Find the files for `paths`: files, folders with all below them, patterns with `*`, `**`, `?` and `[…]`.

    A named file is included, even if it does not exist, which reading it reports; with `force_exclude`, unless it
    matches one of `exclude`, as does `input_name`, the name of standard input. A file that matches a pattern is
    included, unless it matches one of `exclude`, which are relative to `root`. A file in a folder is included if it
    has one of `extensions` and a sign of a checkpoint. `-` stays as it is.

    Raises SettingsError for a text that is no path.
    """
    search = _Search(exclude, Path(root).resolve(), extensions, is_forced=force_exclude)
    search.input_name = input_name
    unmatched = []
    for path in paths:
        is_pattern = path != STANDARD and selection.MAGIC.search(path) and not os.path.lexists(path)
        found = search.matching(path) if is_pattern else [path]
        unmatched += [] if found else [path]
        for match in found:
            try:
                search.add(match)
            except ValueError:  # U+0000, or half a surrogate pair
                raise no_path(match, "file") from None
    passed_over = len(search.passed_over - search.files.keys())
    files, excluded = tuple(sorted(search.files.values())), tuple(search.excluded)
    return Discovery(files, passed_over, tuple(unmatched), search.unreadable, excluded)


class _Search:
    """A search; `files` maps real paths to the given names, `passed_over` has the real paths of other files."""

    def __init__(self, exclude: Sequence[str], root: Path, extensions: tuple[str, ...], *, is_forced: bool) -> None:
        self.exclude = exclude
        self.root = root
        self.extensions = extensions
        self.is_forced = is_forced
        self.input_name: str | None = None
        self.excluded: dict[str, None] = {}
        self.files: dict[str, str] = {}
        self.passed_over: set[str] = set()
        self.unreadable: dict[str, str] = {}

    def matching(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern."""
        if "**" in pattern:
            return [path for path in self._below(selection.base_of(pattern)) if selection.matches(pattern, path)]
        for above in Path(pattern).parents:
            for folder in filter(os.path.isdir, glob.glob(str(above))):  # noqa: PTH207 - it takes absolute ones
                try:
                    os.scandir(folder).close()
                except OSError as error:  # which `glob` passes over
                    self._note_unreadable(error)
        return [path for path in glob.glob(pattern) if self._is_included(path)]  # noqa: PTH207 - as above

    def _note_unreadable(self, error: OSError) -> None:
        self.unreadable[os.path.normpath(error.filename)] = unreadable(error)

    def add(self, path: str) -> None:
        """Add a file, or the checkpoints in a folder."""
        if path == STANDARD or not os.path.isdir(path):  # noqa: PTH112 - pathlib raises for a name that is too long
            name = self.input_name if path == STANDARD else path
            if self.is_forced and name is not None and not self._is_included(name):
                return
            self.files.setdefault(path if path == STANDARD else os.path.realpath(path), path)
            return
        for file in self._below(path):
            real = os.path.realpath(file)
            if not file.lower().endswith(self.extensions) or real in self.files or real in self.passed_over:
                continue
            if shows_a_checkpoint(Path(file)):
                self.files[real] = file
            else:
                self.passed_over.add(real)

    def _below(self, path: str) -> Iterator[str]:
        """Yield the files below a folder, except those in hidden and SKIPPED folders."""
        visited: set[str] = set()
        for folder, below, names in os.walk(path, followlinks=True, onerror=self._note_unreadable):
            real = os.path.realpath(folder)
            if real in visited:  # a link leads back to a visited folder
                below.clear()
                continue
            visited.add(real)
            inner = _placed(folder, below)
            below[:] = sorted(name for name, place in inner if name not in SKIPPED and self._is_wanted(name, place))
            if PACK in names:
                names += [f"{PACK}/{name}" for name in self._packed(folder)]
            yield from (place for name, place in _placed(folder, sorted(names)) if self._is_wanted(name, place))

    def _packed(self, folder: str) -> list[str]:
        """Return the names of the packed texts of a folder that are no files as well."""
        try:
            return [name for name in names_in(Path(folder)) if not os.path.lexists(Path(folder, name))]
        except OSError as error:
            self.unreadable[os.path.normpath(Path(folder, PACK))] = str(error)
            return []

    def _is_wanted(self, name: str, path: str) -> bool:
        return not name.startswith(".") and self._is_included(path)

    def _is_included(self, path: str) -> bool:
        relative = os.path.relpath(Path(path).absolute(), self.root) if self.exclude else ""
        found = next((pattern for pattern in self.exclude if selection.matches(pattern, relative)), None)
        if found is not None:
            self.excluded[found] = None
        return found is None


def is_in_windows(file: str, jobs: int | None = None) -> bool:
    """Return whether a file is processed in windows: a large one, or any if a number of processes is given."""
    try:
        return Path(file).is_file() and (jobs is not None or Path(file).stat().st_size >= LARGE)
    except (OSError, ValueError):  # reading it reports the error
        return False


def _placed(folder: str, names: Iterable[str]) -> list[tuple[str, str]]:
    """Return names in a folder, each with its normalized path."""
    # Strings instead of paths, because folders can be large.
    return [(name, os.path.normpath(os.path.join(folder, name))) for name in names]  # noqa: PTH118 - see above


def shows_a_checkpoint(file: Path) -> bool:
    """Return whether a file in a folder may be a checkpoint, valid or not.

    The result is True for a file that cannot be opened, is too large or, as .jsonld, is no JSON, so that validation
    reports it.
    """
    if file.parent.name == PACK:
        return True
    try:
        if file.exists() and not file.is_file():  # reading a pipe or a device may never end
            return False
        if not file.is_file() or file.stat().st_size > DEFAULT_LIMITS.size:
            return True
        with gzip.open(file) if file.suffix.lower() == PACKED else file.open("rb") as opened:
            data = opened.read(DEFAULT_LIMITS.size)
    except (OSError, EOFError, zlib.error):
        return True
    return is_checkpoint(data) or (file.suffix == ".jsonld" and not _is_json(data))


def is_checkpoint(data: bytes) -> bool:
    """Return whether a text has a sign of a checkpoint, valid or not."""
    return _shows(data, _SIGNS)


def is_feed(data: bytes) -> bool:
    """Return whether a text has a sign of a benchmark in terms of schema.org, valid or not."""
    return _shows(data, _SIGNS[:1])


def _shows(data: bytes, wanted: Iterable[Iterable[bytes]]) -> bool:
    text = data.replace(b"\0", b"")  # without zero bytes, signs are also found in UTF-16
    return any(all(re.search(sign, text) for sign in signs) for signs in wanted)


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
