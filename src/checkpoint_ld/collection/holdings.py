"""The holdings of a collection: graphs and their entries, which change together.

An entry says `loading` before the first statement of its graph is touched, and `done` when all of them were counted
and are in the merge of all graphs.
Each change of the manifest is one transaction of the store (SPARQL 1.1 Update §3). So whatever is interrupted, no half
graph counts as a whole one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, QuerySolutions, Triple

from checkpoint_ld.collection import lexical_forms, merge
from checkpoint_ld.collection.directory import Directory, explained
from checkpoint_ld.collection.entry import DONE, LEXICAL_FORMS, LOADING, MANIFEST, STATUS, Entry, entry_of
from checkpoint_ld.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_BULK = 10_000
"""More statements than this are loaded in bulk, which is faster and no transaction."""
_MUCH = 10
"""So many times what was loaded in bulk is less than all: then the store is worth being put in order."""


@dataclass(frozen=True)
class Load:
    """A checkpoint to be loaded: its entry, its graph's statements as the store will hold them, and how they read."""

    entry: Entry
    statements: tuple[Triple, ...]
    forms: str


class Holdings:
    """The graphs and entries in an open folder."""

    def __init__(self, directory: Directory) -> None:
        self.directory = directory
        self._in_bulk = 0

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        by_graph: dict[str, list[Quad]] = defaultdict(list)
        for quad in self.directory.store.quads_for_pattern(None, None, None, MANIFEST):
            if isinstance(quad.subject, NamedNode) and quad.predicate != LEXICAL_FORMS:
                by_graph[quad.subject.value].append(quad)
        return {graph: entry_of(graph, quads) for graph, quads in sorted(by_graph.items())}

    @cached_property
    def _by_source(self) -> dict[str, dict[str, None]]:
        found: dict[str, dict[str, None]] = {}
        for entry in self._entries.values():
            found.setdefault(entry.source, {})[entry.graph] = None
        return found

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The entries by the names of their graphs."""
        return MappingProxyType(self._entries)

    def of_source(self, source: str) -> tuple[Entry, ...]:
        """Return the entries of what came from one file."""
        return tuple(self._entries[graph] for graph in self._by_source.get(source, ()))

    def unfinished(self) -> tuple[Entry, ...]:
        """Return the entries whose loading was interrupted."""
        found = self.directory.store.quads_for_pattern(None, STATUS, Literal(LOADING), MANIFEST)
        graphs = sorted(quad.subject.value for quad in found if isinstance(quad.subject, NamedNode))
        return tuple(self.entries[graph] for graph in graphs)

    def statements(self, graph: str) -> list[Triple]:
        """Return the statements of a graph as they were written, sorted by what N-Triples says of them."""
        forms = self._forms(graph)
        quads = self.directory.store.quads_for_pattern(None, None, None, NamedNode(graph))
        found = lexical_forms.restored((quad.triple for quad in quads), forms)
        return sorted(found, key=str)

    def count(self, graph: str) -> int:
        """Return how many statements the store holds in a graph."""
        name = NamedNode(graph)
        rows = self.directory.store.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", default_graph=[name])
        assert isinstance(rows, QuerySolutions)  # noqa: S101 - it is a SELECT
        [row] = rows
        counted = row["n"]
        return int(counted.value) if isinstance(counted, Literal) else 0

    def load(self, loads: Sequence[Load]) -> set[str]:
        """Put checkpoints in the place of what is there under their names, and return those that do not count right.

        Their graphs are empty then, and their entries not done.
        """
        self.check_writable()
        with explained(self.directory.folder):
            self._tell(loads)
            store = self.directory.store
            for one in loads:
                self._empty(one.entry.graph)
            quads = [named_quad(statement, NamedNode(one.entry.graph)) for one in loads for statement in one.statements]
            self._write(quads)
            failed = {one.entry.graph for one in loads if self.count(one.entry.graph) != one.entry.triples}
            for graph in failed:
                store.remove_graph(NamedNode(graph))
            whole = (one.statements for one in loads if one.entry.graph not in failed)
            self._write([quad for triples in whole for quad in merge.statements(triples)])
            self._finish([one.entry for one in loads if one.entry.graph not in failed])
        return failed

    def amend(self, load: Load) -> None:
        """Put a graph in the place of the one of its name by what is different, which is seen at once or not at all.

        For small changes: unlike `load`, an interruption never leaves the graph empty.
        """
        self.check_writable()
        name = NamedNode(load.entry.graph)
        with explained(self.directory.folder):
            before = {quad.triple for quad in self.directory.store.quads_for_pattern(None, None, None, name)}
            gone, new = before.difference(load.statements), set(load.statements).difference(before)
            steps = [merge.withdrawing_one(one, load.entry.graph) for one in gone]
            steps.append(f"DELETE DATA {{ GRAPH {name} {{ {_lines(gone)} }} }}")
            steps.append(f"INSERT DATA {{ {_lines(new)} GRAPH {name} {{ {_lines(new)} }} }}")
            self.directory.store.update(" ; ".join(steps))
            self._tell([replace(load, entry=replace(load.entry, status=DONE))])

    def retell(self, entry: Entry) -> None:
        """Put an entry in the place of the one that its graph has; the graph stays."""
        self.check_writable()
        with explained(self.directory.folder):
            self._tell([Load(entry, (), self._forms(entry.graph))])

    def drop(self, graphs: Iterable[str]) -> None:
        """Take out graphs and their entries."""
        self.check_writable()
        with explained(self.directory.folder):
            for graph in graphs:
                name = NamedNode(graph)
                update = f"{merge.withdrawing(graph)} ; DROP SILENT GRAPH {name} ; {_forgetting(graph)}"
                self.directory.store.update(update)
                self._forget(graph)

    def settle(self) -> None:
        """Put the store in order for queries after much was loaded in bulk; it takes seconds for a million."""
        held = sum(one.triples for one in self._entries.values())
        if self._in_bulk * _MUCH > held:
            with explained(self.directory.folder):
                self.directory.store.optimize()
        self._in_bulk = 0

    def clear_unfinished(self) -> None:
        """Empty the graphs whose loading was interrupted; their entries stay, and say so."""
        with explained(self.directory.folder):
            for entry in self.unfinished():
                self._empty(entry.graph)

    def strays(self, *, in_merge: bool) -> list[NamedNode | DefaultGraph]:
        """Return the graphs that the manifest does not know, and on request the merge if no graph says all of it."""
        store = self.directory.store
        named = [one for one in store.named_graphs() if isinstance(one, NamedNode) and one != MANIFEST]
        found: list[NamedNode | DefaultGraph] = [one for one in named if one.value not in self._entries]
        return [*found, DefaultGraph()] if in_merge and merge.has_strays(store) else found

    def is_merged(self, graph: str) -> bool:
        """Tell whether the merge holds all that a graph says."""
        return not merge.lacks(self.directory.store, graph)

    def take_out(self, stray: NamedNode | DefaultGraph) -> None:
        """Take out one of the strays; of the merge, only what is one."""
        self.check_writable()
        with explained(self.directory.folder):
            if isinstance(stray, NamedNode):
                self._empty(stray.value)
            else:
                merge.clear_strays(self.directory.store)

    def check_writable(self) -> None:
        """Raise StoreError where the collection was opened to be read only."""
        if self.directory.read_only:
            raise StoreError(f"{self.directory.folder}: the collection was opened to be read only")

    def _forms(self, graph: str) -> str:
        told = self.directory.store.quads_for_pattern(NamedNode(graph), LEXICAL_FORMS, None, MANIFEST)
        return "".join(quad.object.value for quad in told if isinstance(quad.object, Literal))

    def _tell(self, loads: Sequence[Load]) -> None:
        """Replace the entries of `loads` in one transaction."""
        quads = [quad for one in loads for quad in one.entry.quads()]
        quads += [
            Quad(NamedNode(one.entry.graph), LEXICAL_FORMS, Literal(one.forms), MANIFEST) for one in loads if one.forms
        ]
        forgetting = " ; ".join(_forgetting(one.entry.graph) for one in loads)
        self.directory.store.update(f"{forgetting} ; {_inserting(quads)}")
        for one in loads:
            self._forget(one.entry.graph)
            self._by_source.setdefault(one.entry.source, {})[one.entry.graph] = None
            self._entries[one.entry.graph] = one.entry

    def _forget(self, graph: str) -> None:
        if graph in self._entries:
            del self._by_source[self._entries.pop(graph).source][graph]

    def _finish(self, entries: Sequence[Entry]) -> None:
        loading = [_status(one, LOADING) for one in entries]
        done = [_status(one, DONE) for one in entries]
        if entries:
            self.directory.store.update(f"DELETE DATA {_block(loading)} ; {_inserting(done)}")
        self._entries.update({one.graph: replace(one, status=DONE) for one in entries})

    def _write(self, quads: Sequence[Quad]) -> None:
        store = self.directory.store
        if len(quads) <= _BULK:
            store.extend(quads)
            return
        # What is loaded in bulk goes straight to its files, past the journal that entries and smaller loads are in.
        store.flush()
        store.bulk_extend(quads)
        self._in_bulk += len(quads)

    def _empty(self, graph: str) -> None:
        self.directory.store.update(f"{merge.withdrawing(graph)} ; DROP SILENT GRAPH {NamedNode(graph)}")


def named_quad(statement: Triple, graph: NamedNode) -> Quad:
    """Return a statement as one of the graph `graph`."""
    return Quad(statement.subject, statement.predicate, statement.object, graph)


def digest(statements: Iterable[Triple]) -> str:
    """Return the SHA-256 of the sorted N-Triples of a graph, in hexadecimal."""
    return sha256("".join(sorted(f"{one} .\n" for one in statements)).encode()).hexdigest()


def _status(entry: Entry, status: str) -> Quad:
    return Quad(NamedNode(entry.graph), STATUS, Literal(status), MANIFEST)


def _forgetting(graph: str) -> str:
    return f"DELETE WHERE {{ GRAPH {MANIFEST} {{ {NamedNode(graph)} ?p ?o }} }}"


def _inserting(quads: Iterable[Quad]) -> str:
    return f"INSERT DATA {_block(quads)}"


def _block(quads: Iterable[Quad]) -> str:
    # The terms write themselves, escaped; a name that is no IRI cannot be made into one.
    return f"{{ GRAPH {MANIFEST} {{ {_lines(quad.triple for quad in quads)} }} }}"


def _lines(statements: Iterable[Triple]) -> str:
    return " ".join(f"{one} ." for one in statements)
