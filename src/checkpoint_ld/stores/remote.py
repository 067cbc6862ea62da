"""Checkpoints pushed to a triple store, one graph each, and pulled from it; an interrupted push can be repeated.

The manifest of a push lists the graphs that the server is known to hold, in a local file of JSON Lines. The first line
names the store, each other line has the state of a graph; the last line about a graph counts. Lines are only added, so
that a kill loses the last line at most.

`endpoint` has the URLs, the profile and the credentials of a store, `request` the HTTP requests, `server` the client.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from checkpoint_ld import families
from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import CountMismatchError, LookupFailedError, SettingsError, WriteError
from checkpoint_ld.phrases import unknown
from checkpoint_ld.stores.backend import Outgoing, Spooled, beside, outgoing, outgoing_of_quads, quads_of
from checkpoint_ld.stores.endpoint import Credentials, Endpoint, EndpointProfile, credentials, endpoint, profiles
from checkpoint_ld.stores.literals import altered, differences, values_of
from checkpoint_ld.stores.server import SparqlClient, connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from checkpoint_ld.families import Checkpoint

__all__ = [
    "Credentials",
    "Endpoint",
    "EndpointProfile",
    "Manifest",
    "Outgoing",
    "PushReport",
    "Pushed",
    "SparqlClient",
    "connect",
    "credentials",
    "distinct",
    "endpoint",
    "outgoing",
    "outgoing_of_quads",
    "profiles",
    "pull",
    "push",
    "verify",
]

CONFLICTS = ("error", "replace", "skip", "keep-both")
"""The treatments of two different checkpoints of one name."""
_CHOICES = "a store can hold one of them; choose with --on-conflict replace, skip or keep-both, or rename one"
BATCH = 100
BATCH_BYTES = 64 << 20
"""The size of a batch, which is sent, verified and recorded together; an interruption loses one at most."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """The outcome for one graph: `action` is `sent`, `skipped` (the store has it) or `verified`."""

    graph: str
    source: str
    triples: int
    sha256: str
    action: str

    @classmethod
    def of(cls, load: Outgoing, action: str) -> Self:
        """Return the outcome for a graph."""
        return cls(load.graph, load.source, load.count, load.sha256, action)


@dataclass(frozen=True, slots=True)
class PushReport:
    """The outcomes of a push, in the order of the graphs, and warnings."""

    pushed: tuple[Pushed, ...]
    warnings: tuple[str, ...] = ()

    def having(self, action: str) -> tuple[Pushed, ...]:
        """Return the graphs with this action."""
        return tuple(pushed for pushed in self.pushed if pushed.action == action)


def push(  # noqa: PLR0913 - all but the first three are named
    graphs: Iterable[Outgoing],
    client: SparqlClient,
    manifest: Manifest | None = None,
    *,
    full: bool = False,
    fast: bool = False,
    progress: Callable[[Pushed], None] = lambda _: None,
    on_conflict: str = "error",
    conflict: Callable[[str], None] | None = None,
) -> PushReport:
    """Replace graphs of a store, and verify the result.

    With `fast`, the new graphs of a batch are sent by one request, if the store's profile allows that. After each batch
    the triples of its graphs are counted; with `full` the graphs are read back and compared by value. A graph with the
    same content in `manifest` that the store still has, by the same comparison, is not sent again. `progress` is called
    with the outcome of each graph. `on_conflict` and `conflict` are those of `distinct`.

    Raises SettingsError as `distinct` and for `fast` with another profile, CountMismatchError for a store that holds
    other triples than were sent, with the warnings, and any other StoreError for a store that fails. The manifest keeps
    the graphs that were verified before.
    """
    records = manifest or Manifest()
    pushed: list[Pushed] = []
    warnings: list[str] = []
    for batch in _batches(distinct(graphs, on_conflict, conflict)):
        known = [load for load in batch if records.is_done(load)]
        settled = {load.graph for load in known}.difference(_differing(known, client, full=full))
        to_send = [load for load in batch if load.graph not in settled]
        warnings += [warning for load in to_send for warning in _warnings(load, client)]
        # Graphs that are about to be replaced no longer count as done.
        records.note(to_send, LOADING)
        counts = client.count(load.graph for load in to_send) if fast else {}
        new = [load for load in to_send if fast and not counts[load.graph]]
        if new:
            client.add_all(Spooled(quads_of(new)), len(new))
        for load in to_send:
            if load not in new:
                client.replace(load.graph, load.triples, source=load.source)
        differing = _differing(to_send, client, full=full)
        records.note([load for load in to_send if load.graph not in differing], DONE)
        if differing:
            raise CountMismatchError("\n".join(differing.values()), tuple(differing), tuple(warnings))
        for load in batch:
            pushed.append(Pushed.of(load, "skipped" if load.graph in settled else "sent"))
            progress(pushed[-1])
    return PushReport(tuple(pushed), tuple(warnings))


def verify(
    graphs: Iterable[Outgoing],
    client: SparqlClient,
    *,
    full: bool = False,
    on_conflict: str = "error",
    conflict: Callable[[str], None] | None = None,
) -> PushReport:
    """Compare a store with these graphs without sending any, such as after a load with the store's tools.

    `on_conflict` and `conflict` are those of `distinct`. Raises CountMismatchError, which names all graphs that differ.
    """
    pushed: list[Pushed] = []
    differing: dict[str, str] = {}
    for batch in _batches(distinct(graphs, on_conflict, conflict)):
        differing = {graph: fault for graph, fault in differing.items() if graph not in {sent.graph for sent in batch}}
        differing |= _differing(batch, client, full=full)
        pushed += [Pushed.of(load, "verified") for load in batch if load.graph not in differing]
    if differing:
        raise CountMismatchError("\n".join(differing.values()), tuple(differing))
    return PushReport(tuple(pushed))


def distinct(
    graphs: Iterable[Outgoing], on_conflict: str = "error", conflict: Callable[[str], None] | None = None
) -> Iterator[Outgoing]:
    """Yield the graphs to send: versions of a benchmark share its name, and a store holds one graph of a name.

    `on_conflict` is the treatment of different checkpoints of one name: `error` and `skip` yield only the first,
    `replace` also the later ones, and `keep-both` yields later ones under other names. `conflict` is called for each
    pair of which one is left out; without it, `error` raises SettingsError. Raises SettingsError for another treatment.
    """
    if on_conflict not in CONFLICTS:
        raise SettingsError(unknown("treatment of conflicts", on_conflict, CONFLICTS))
    seen: dict[str, tuple[str, str]] = {}
    for graph in graphs:
        sha256, source = seen.get(graph.graph, (graph.sha256, graph.source))
        if sha256 != graph.sha256 and on_conflict == "keep-both":
            graph = replace(graph, graph=beside(graph.graph, graph.sha256))  # noqa: PLW2901 - another name
        if graph.graph not in seen or (sha256 != graph.sha256 and on_conflict == "replace"):
            seen[graph.graph] = graph.sha256, graph.source
            yield graph
        elif seen[graph.graph][0] != graph.sha256:
            first, second = source or "one checkpoint", graph.source or "another"
            pair = f"{first} and {second} differ but have the same name {graph.graph}"
            if conflict is not None:
                conflict(f"{pair}: the second is left out" if on_conflict == "skip" else f"{pair}: {_CHOICES}")
            elif on_conflict == "error":
                raise SettingsError(f"{pair}: {_CHOICES}")


def _batches(graphs: Iterable[Outgoing]) -> Iterator[list[Outgoing]]:
    batch: dict[str, Outgoing] = {}
    size = 0
    for graph in graphs:
        batch[graph.graph] = graph  # a later graph of the same name replaces it
        size += len(graph.triples)
        if len(batch) >= BATCH or size >= BATCH_BYTES:
            yield list(batch.values())
            batch, size = {}, 0
    if batch:
        yield list(batch.values())


def _differing(batch: Sequence[Outgoing], client: SparqlClient, *, full: bool) -> dict[str, str]:
    """Return the faults of graphs in the store, by their names."""
    counts = client.count(load.graph for load in batch)
    wrong = {
        load.graph: f"{load.graph}: {load.count} triples were sent from {load.source or 'memory'}, "
        f"{counts[load.graph]} are in the store"
        for load in batch
        if not _is_right(load, counts[load.graph])
    }
    for load in batch if full else ():
        found = client.read(load.graph) or b""
        if lines := "\n  ".join(differences(load.triples, found)):
            fault = wrong.get(load.graph) or f"{load.graph}: the store holds other values than were sent"
            source = "" if load.graph in wrong else f" from {load.source or 'memory'}"
            wrong[load.graph] = f"{fault}{source}\n  {lines}"
    return wrong


def _is_right(load: Outgoing, found: int) -> bool:
    """Return whether a count is right; a store that rewrites literals merges triples of the same value."""
    return found == load.count or len(values_of(load.triples)) <= found < load.count


def _warnings(load: Outgoing, client: SparqlClient) -> Iterator[str]:
    profile = client.endpoint.profile
    for text, becomes in altered(load.triples, profile).items():
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        yield f"{load.source or load.graph}: {profile.title} makes of {shown!r} {becomes}"


_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 60


def pull(store: SparqlClient, graphs: Iterable[str] = ()) -> Iterator[tuple[str, Checkpoint]]:
    """Yield the checkpoints of a store, by default all, each with its name and its reading.

    Raises LookupFailedError for a missing graph, ReadError for a graph that is no checkpoint, and StoreError for an
    incomplete answer.
    """
    for graph in list(graphs) or store.checkpoints():
        triples = store.read(graph)
        if triples is None:
            raise LookupFailedError(f"the store has no graph {graph}")
        yield graph, families.examine_bytes(triples, graph, syntax="nt")


def file_name(graph: str, extension: str) -> str:
    """Return a file name for a graph that is readable, safe in every file system, and unique."""
    stem = _UNSAFE.sub("-", graph.removeprefix("urn:uuid:")).strip("-.")[:_LONGEST] or "graph"
    return f"{stem}-{hashlib.sha256(graph.encode()).hexdigest()[:8]}{extension}"


LOADING, DONE = "loading", "done"
"""The state of a graph: `loading` from before the first byte until its count was verified."""
_MEMBERS = ("graph", "sha256", "triples", "source", "state")


class Manifest:
    """The states of the graphs that were pushed to a store; without a file, they are not saved."""

    def __init__(self, file: Path | None = None, url: str = "") -> None:
        self._file = file
        self._url = url
        self._entries: dict[str, dict[str, object]] = {}

    @classmethod
    def opened(cls, file: Path, url: str, *, restart: bool = False) -> Manifest:
        """Return the manifest in `file`, an empty one if there is none or with `restart`.

        Raises SettingsError for another file, or the manifest of another store than that at `url`.
        """
        manifest, found = cls(file, url), _entries(file, url)
        if not restart:
            manifest._entries = found
        return manifest

    def is_done(self, load: Outgoing) -> bool:
        """Return whether this content was sent and verified."""
        entry = self._entries.get(load.graph, {})
        return entry.get("state") == DONE and entry["sha256"] == load.sha256

    def note(self, graphs: Iterable[Outgoing], state: str) -> None:
        """Record the state of graphs: `loading` graphs are about to be replaced, `done` graphs were verified."""
        new: dict[str, dict[str, object]] = {
            graph.graph: dict(zip(_MEMBERS, (graph.graph, graph.sha256, graph.count, graph.source, state), strict=True))
            for graph in graphs
        }
        is_first = not self._entries
        self._entries |= new
        if self._file is None or not new:
            return
        try:
            if is_first:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._file, _line({"store": self._url}))
            with self._file.open("ab") as file:
                file.write(b"".join(_line(entry) for entry in new.values()))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteError(f"{self._file}: the manifest cannot be written: {error.strerror}") from None


def default_file(url: str, environment: dict[str, str] | None = None) -> Path:
    """Return the path of the manifest of a store, below XDG_STATE_HOME or `~/.local/state`."""
    state = (os.environ if environment is None else environment).get("XDG_STATE_HOME")
    folder = Path(state) if state else Path("~/.local/state").expanduser()
    return folder / "checkpoint-ld" / f"push-{hashlib.sha256(url.encode()).hexdigest()[:16]}.jsonl"


def _entries(file: Path, url: str) -> dict[str, dict[str, object]]:
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
        found = {line["graph"]: {name: line[name] for name in _MEMBERS} for line in lines}
        store = first["store"]
    except (ValueError, TypeError, KeyError):
        raise SettingsError(f"{file}: this is no manifest of a push; name another file, or delete it") from None
    if store != url:
        raise SettingsError(f"{file}: this is the manifest of {store}, not of {url}; name another file")
    if torn:  # a killed process left an incomplete line
        replace_file(file, whole + b"\n" if whole else b"")
    return found


def _line(entry: dict[str, object]) -> bytes:
    return json.dumps(entry, ensure_ascii=True).encode() + b"\n"
