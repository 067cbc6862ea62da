"""The manifest of a push: which graphs a server is known to hold, in a local file that survives a kill at any moment.

JSON Lines: the first says for which store it is, each other one what became of a graph; the last one about a graph
counts. Lines are only ever added, so that a kill costs the last line at most.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import SettingsError, WriteError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.remote.outgoing import Outgoing

LOADING = "loading"
DONE = "done"


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of one graph: `state` is `loading` from before the first byte until its count was verified."""

    graph: str
    sha256: str
    triples: int
    source: str
    state: str


class Manifest:
    """What a store holds as far as we brought it there; without a file, nothing is remembered."""

    def __init__(self, file: Path | None = None, url: str = "") -> None:
        self._file = file
        self._url = url
        self._entries: dict[str, Entry] = {}

    @classmethod
    def opened(cls, file: Path, url: str, *, restart: bool = False) -> Manifest:
        """Return the manifest in `file`, an empty one if there is none or with `restart`.

        Raises SettingsError for a file that is something else, or the manifest of another store than that at `url`.
        """
        manifest, found = cls(file, url), _entries(file, url)
        if not restart:
            manifest._entries = found
        return manifest

    def is_done(self, one: Outgoing) -> bool:
        """Tell whether this very content was brought there and verified."""
        entry = self._entries.get(one.graph)
        return entry is not None and entry.state == DONE and entry.sha256 == one.sha256

    def loading(self, graphs: Iterable[Outgoing]) -> None:
        """Note that these graphs are about to be replaced: what was there before counts no longer."""
        self._note(graphs, LOADING)

    def done(self, graphs: Iterable[Outgoing]) -> None:
        """Note that these graphs are there and verified."""
        self._note(graphs, DONE)

    def _note(self, graphs: Iterable[Outgoing], state: str) -> None:
        new = [Entry(one.graph, one.sha256, one.count, one.source, state) for one in graphs]
        is_first = not self._entries
        self._entries.update((entry.graph, entry) for entry in new)
        if self._file is None or not new:
            return
        try:
            if is_first:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._file, _line({"store": self._url}))
            with self._file.open("ab") as file:
                file.write(b"".join(_line(asdict(entry)) for entry in new))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteError(f"{self._file}: the manifest cannot be written: {error.strerror}") from None


def default_file(url: str, environment: dict[str, str] | None = None) -> Path:
    """Return where the manifest of a store is kept: below XDG_STATE_HOME, or else `~/.local/state`."""
    state = (os.environ if environment is None else environment).get("XDG_STATE_HOME")
    folder = Path(state) if state else Path("~/.local/state").expanduser()
    return folder / "checkpoint-ld" / f"push-{hashlib.sha256(url.encode()).hexdigest()[:16]}.jsonl"


def _entries(file: Path, url: str) -> dict[str, Entry]:
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"{file}: the manifest cannot be read: {error.strerror}") from None
    whole, _, torn = data.rpartition(b"\n")
    is_begun = not whole and _line({"store": url}).startswith(torn)
    try:
        first, *lines = [json.loads(line) for line in (b"" if is_begun else whole or torn).splitlines()] or [
            {"store": url}
        ]
        found = {entry.graph: entry for entry in (Entry(**line) for line in lines)}
        store = first["store"]
    except (ValueError, TypeError, KeyError):
        raise SettingsError(f"{file}: this is no manifest of a push; name another file, or delete it") from None
    if store != url:
        raise SettingsError(f"{file}: this is the manifest of {store}, not of {url}; name another file")
    if torn:  # a kill came in the middle of a line
        replace_file(file, whole + b"\n" if whole else b"")
    return found


def _line(told: dict[str, object]) -> bytes:
    return json.dumps(told, ensure_ascii=True).encode() + b"\n"
