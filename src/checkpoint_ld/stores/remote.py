"""Checkpoints pushed to a triple store, one graph each, and pulled from it; an interrupted push can be repeated.

`mirror` has the manifest of a push, `endpoint` the URLs, the profile and the credentials of a store, `request` the HTTP
requests, `server` the client.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from checkpoint_ld import families
from checkpoint_ld.errors import CountMismatchError, LookupFailedError, ServerUnreachableError, SettingsError
from checkpoint_ld.phrases import unknown
from checkpoint_ld.stores.backend import (
    FileState,
    Outgoing,
    Spooled,
    beside,
    outgoing,
    outgoing_of_quads,
    outgoing_of_vocabularies,
    quads_of,
)
from checkpoint_ld.stores.endpoint import Credentials, Endpoint, EndpointProfile, credentials, endpoint, profiles
from checkpoint_ld.stores.literals import altered, differences, values_of
from checkpoint_ld.stores.manifest import DONE, LOADING, Entry
from checkpoint_ld.stores.mirror import Manifest
from checkpoint_ld.stores.server import SparqlClient, connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from checkpoint_ld.families import Checkpoint
    from checkpoint_ld.stores.backend import NamedGraphs

__all__ = [
    "Credentials",
    "Endpoint",
    "EndpointProfile",
    "Entry",
    "FileState",
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
    "outgoing_of_vocabularies",
    "profiles",
    "prune",
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
    """The outcome for one graph.

    `action` is `sent`, `skipped` (the store has it), `verified`, `removed` (its source is gone), `moved` (its source
    has another name now) or `surplus` (it would be removed or moved).
    """

    graph: str
    source: str
    triples: int
    sha256: str
    action: str

    @classmethod
    def of(cls, one: Outgoing | Entry, action: str) -> Self:
        """Return the outcome for a graph."""
        triples = one.triples if isinstance(one, Entry) else one.count
        return cls(one.graph, one.source, triples, one.sha256, action)


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

    At the end, a former graph of a source that keep-both gave another name is removed, as `moved`. Other graphs stay;
    `prune` removes those whose sources are gone.

    Raises SettingsError as `distinct` and for `fast` with another profile, CountMismatchError for a store that holds
    other triples than were sent, with the warnings, and any other StoreError for a store that fails. The manifest keeps
    the graphs that were verified before, and nothing is removed.
    """
    records = manifest or Manifest()
    roots: set[tuple[str, str]] = set()
    pushed: list[Pushed] = []
    warnings: list[str] = []

    def done(one: Outgoing | Entry, action: str) -> None:
        pushed.append(Pushed.of(one, action))
        progress(pushed[-1])

    try:
        for batch in _batches(distinct(graphs, on_conflict, conflict)):
            known = [load for load in batch if records.has(load)]
            settled = {load.graph for load in known}.difference(_differing(known, client, full=full))
            records.note([load for load in known if load.graph in settled], DONE)
            to_send = [load.whole() for load in batch if load.graph not in settled]
            warnings += [warning for load in to_send for warning in _warnings(load, client)]
            differing = _send(to_send, client, records, full=full, fast=fast)
            if differing:
                raise CountMismatchError("\n".join(differing.values()), tuple(differing), tuple(warnings))
            for load in batch:
                done(load, "skipped" if load.graph in settled else "sent")
            roots |= {(load.source, load.root) for load in batch}
        kept = records.surplus({one.graph for one in pushed})
        for gone in (entry for entry in kept if (entry.source, entry.root) in roots):
            client.drop(gone.graph)
            records.forget(gone.graph)
            done(gone, "moved")
    except ServerUnreachableError:
        raise  # it cannot be written to, either
    except BaseException:
        records.write()
        raise
    records.write()
    return PushReport(tuple(pushed), tuple(warnings))


def _send(
    graphs: Sequence[Outgoing], client: SparqlClient, records: Manifest, *, full: bool, fast: bool
) -> dict[str, str]:
    """Send graphs, and record those that arrived; return the faults of the others."""
    # Graphs that are about to be replaced no longer count as done.
    records.note(graphs, LOADING)
    counts = client.count(load.graph for load in graphs) if fast else {}
    new = [load for load in graphs if fast and not counts[load.graph]]
    if new:
        client.add_all(Spooled(quads_of(new)), len(new))
    for load in graphs:
        if load not in new:
            client.replace(load.graph, load.triples, source=load.source)
    differing = _differing(graphs, client, full=full)
    records.note([load for load in graphs if load.graph not in differing], DONE)
    return differing


def verify(  # noqa: PLR0913 - as push
    graphs: Iterable[Outgoing],
    client: NamedGraphs,
    manifest: Manifest | None = None,
    *,
    full: bool = False,
    on_conflict: str = "error",
    conflict: Callable[[str], None] | None = None,
) -> PushReport:
    """Compare a store with these graphs without sending any, such as after a load with the store's tools.

    Graphs of `manifest` that are not among them are reported as `surplus`. `on_conflict` and `conflict` are those of
    `distinct`. Raises CountMismatchError, which names all graphs that differ.
    """
    pushed: list[Pushed] = []
    differing: dict[str, str] = {}
    for batch in _batches(distinct(graphs, on_conflict, conflict)):
        differing = {graph: fault for graph, fault in differing.items() if graph not in {sent.graph for sent in batch}}
        differing |= _differing(batch, client, full=full)
        pushed += [Pushed.of(load, "verified") for load in batch if load.graph not in differing]
    if differing:
        raise CountMismatchError("\n".join(differing.values()), tuple(differing))
    if manifest is not None:
        pushed += [Pushed.of(gone, "surplus") for gone in manifest.surplus({one.graph for one in pushed})]
    return PushReport(tuple(pushed))


def prune(
    report: PushReport, client: NamedGraphs, manifest: Manifest, progress: Callable[[Pushed], None] = lambda _: None
) -> PushReport:
    """Remove the graphs of a manifest that a push did not name; return the report of the push with them.

    They are `moved` if their source was pushed under another name, otherwise `removed`. Raises StoreError for a store
    that fails; the manifest keeps what was not removed.
    """
    sources = {one.source for one in report.pushed}
    gone: list[Pushed] = []
    try:
        for entry in manifest.surplus({one.graph for one in report.pushed if one.action != "moved"}):
            client.drop(entry.graph)
            manifest.forget(entry.graph)
            gone.append(Pushed.of(entry, "moved" if entry.source in sources else "removed"))
            progress(gone[-1])
    finally:
        manifest.write()
    return replace(report, pushed=(*report.pushed, *gone))


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


def _differing(batch: Sequence[Outgoing], client: NamedGraphs, *, full: bool) -> dict[str, str]:
    """Return the faults of graphs in the store, by their names."""
    batch = [load.whole() for load in batch] if full else batch
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
    return found == load.count or (found < load.count and len(values_of(load.whole().triples)) <= found)


def _warnings(load: Outgoing, client: SparqlClient) -> Iterator[str]:
    profile = client.endpoint.profile
    for text, becomes in altered(load.triples, profile).items():
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        yield f"{load.source or load.graph}: {profile.title} makes of {shown!r} {becomes}"


_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 60


def pull(store: NamedGraphs, graphs: Iterable[str] = ()) -> Iterator[tuple[str, Checkpoint]]:
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
