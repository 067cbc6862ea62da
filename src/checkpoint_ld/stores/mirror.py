"""What was pushed to a store: a manifest in the store itself, one graph for each set of sources.

The manifest lists the graphs that a push put there, each with its content and the state of its source. So the next push
knows what is unchanged, and what may be removed. It is written as a whole: when something recorded is about to change,
so often that it takes a twentieth of the time, and at the end. What a kill leaves unrecorded is sent again.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Self

import pyoxigraph
from pyoxigraph import Literal, NamedNode, Triple

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.stores.backend import FileState, parsed, software
from checkpoint_ld.stores.manifest import LOADING, Entry
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from checkpoint_ld.stores.backend import NamedGraphs, Outgoing

NAME: Final = "urn:checkpoint-ld:pushed"
"""The graph of the manifest; that of a named set ends with `:` and its name."""
_VERSION: Final = "1"
_STATED_VERSION: Final = NamedNode(SCHEMA + "version")
_PATIENCE: Final = 20
"""The manifest is written again after this number of times the duration of its last writing."""


@dataclass
class Manifest:
    """The graphs of a set of sources that were pushed to a store; without a client, they are not saved."""

    client: NamedGraphs | None = None
    name: str = NAME
    layers: str = ""
    entries: dict[str, Entry] = field(default_factory=dict)
    sent_anew: bool = False
    """Whether everything is sent, whatever was sent before."""
    _next_writing: float = 0.0
    _is_changed: bool = False

    @classmethod
    def of(cls, client: NamedGraphs | None, set_name: str = "", *, layers: str = "", restart: bool = False) -> Self:
        """Read the manifest of a set from a store, an empty one without a client.

        With `restart` all counts as changed. Raises SettingsError for one of another version, StoreError for a store
        that does not answer.
        """
        name = f"{NAME}:{set_name}" if set_name else NAME
        if client is None:
            return cls(None, name, layers, {}, restart)
        stated: dict[str, list[Triple]] = defaultdict(list)
        for quad in parsed(client.read(name) or b""):
            if isinstance(quad.subject, NamedNode):
                stated[quad.subject.value].append(quad.triple)
        of_manifest = {one.predicate: getattr(one.object, "value", "") for one in stated.pop(name, [])}
        version = of_manifest.get(_STATED_VERSION, _VERSION)
        if version != _VERSION:
            raise SettingsError(
                f"{client.where}: {name} is the manifest of a push by another checkpoint-ld, version {version}; "
                "use that one, or name another set by --set. Nothing was changed"
            )
        try:
            entries = {graph: Entry.of_statements(graph, statements) for graph, statements in stated.items()}
        except ValueError:
            entries = {}
        if len(entries) < len(stated) or not all(entry.sha256 and entry.software for entry in entries.values()):
            raise SettingsError(
                f"{client.where}: the graph {name} is no manifest of a push; name another set by --set, or drop it"
            )
        return cls(client, name, layers, entries, restart)

    def unchanged(self, source: str, file: FileState) -> Entry | None:
        """Return the graph of a source whose content is that of `file`, or whose size and time are."""
        if self.sent_anew:
            return None
        if file.sha256:
            found = self._by_content.get(file.sha256)
            return replace(found, source=source, file=file) if found is not None else None
        found = self._by_source.get(source)
        is_same = found is not None and (found.file.size, found.file.modified) == (file.size, file.modified)
        return found if is_same else None

    def has(self, load: Outgoing) -> bool:
        """Return whether this content was sent and verified."""
        entry = self.entries.get(load.graph)
        return not self.sent_anew and entry is not None and self._is_current(entry) and entry.sha256 == load.sha256

    def note(self, graphs: Iterable[Outgoing], status: str) -> None:
        """Record the status of graphs: `loading` for graphs that are about to be replaced, `done` for verified ones."""
        overwrites = False
        for one in graphs:
            new = Entry(
                one.graph,
                one.root or one.graph,
                one.source,
                one.sha256,
                one.count,
                software(),
                one.file,
                layers=self.layers,
                status=status,
            )
            overwrites |= status == LOADING and one.graph in self.entries
            self._is_changed |= self.entries.get(one.graph) != new
            self.entries[one.graph] = new
        if overwrites or time.monotonic() > self._next_writing:
            self.write()

    def forget(self, graph: str) -> None:
        """Remove a graph from the manifest."""
        self._is_changed |= self.entries.pop(graph, None) is not None

    def surplus(self, graphs: Collection[str]) -> list[Entry]:
        """Return the entries of all other graphs than these."""
        return [entry for graph, entry in sorted(self.entries.items()) if graph not in graphs]

    def write(self) -> None:
        """Write the manifest to the store, if it changed."""
        started = time.monotonic()
        if self.client is not None and self._is_changed:
            if self.entries:
                version = Triple(NamedNode(self.name), _STATED_VERSION, Literal(_VERSION))
                statements = [version, *(one for entry in self.entries.values() for one in entry.statements())]
                self.client.replace(self.name, pyoxigraph.serialize(statements, format=_N_TRIPLES) or b"")
            else:
                self.client.drop(self.name)
        self._is_changed = False
        ended = time.monotonic()
        self._next_writing = ended + _PATIENCE * (ended - started)

    def _is_current(self, entry: Entry) -> bool:
        return entry.status != LOADING and entry.layers == self.layers and entry.software == software()

    @property
    def _by_source(self) -> dict[str, Entry]:
        return self._indices()[0]

    @property
    def _by_content(self) -> dict[str, Entry]:
        return self._indices()[1]

    def _indices(self) -> tuple[dict[str, Entry], dict[str, Entry]]:
        if self._indexed is None:
            current = [entry for entry in self.entries.values() if self._is_current(entry)]
            by_content = {one.file.sha256: one for one in current}
            if not self.layers:  # of a collection, the content is the graph itself
                by_content |= {one.sha256: one for one in current}
            self._indexed = ({one.source: one for one in current}, by_content)
        return self._indexed

    _indexed: tuple[dict[str, Entry], dict[str, Entry]] | None = None


_N_TRIPLES: Final = pyoxigraph.RdfFormat.N_TRIPLES
