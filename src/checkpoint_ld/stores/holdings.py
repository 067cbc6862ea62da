"""The holdings of a collection: graphs, their entries in the manifest, and the merge of all graphs.

An entry has the status `loading` before its graph is changed, and `done` when all statements were counted and are in
the merge. Each change of the manifest is one transaction of the store (SPARQL 1.1 Update §3). So an interruption never
leaves an incomplete graph with the status `done`.

The merge is the default graph of the store, with each statement of all graphs once. Queries that name no graph are
about it (SPARQL 1.1 §13.1). Oxigraph's union of all graphs would repeat a statement for each graph, and include the
manifest. A graph is complete before its first statement is added to the merge, and until its last one is removed. So
the graphs show the remains of an interruption.

The Oxigraph store holds values: `7.5E-1` is returned as `0.75`, `01` as `1`, and two lexical forms of a value become
one statement. The manifest therefore has the statements that the store rewrites, as N-Triples, so that a graph is
returned exactly. Those whose value is no longer in the graph are ignored.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from itertools import chain
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, Self, cast

import pyoxigraph
from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, QueryBoolean, QuerySolutions, RdfFormat, Triple
from rdflib import URIRef

from checkpoint_ld import families
from checkpoint_ld.errors import StoreError
from checkpoint_ld.graph import emission
from checkpoint_ld.guard.checking import PREFIXES, bound
from checkpoint_ld.sparql.large_integers import NOTE, digits_in
from checkpoint_ld.stores.backend import NO_PARAMETERS, FileState, Joined, block, blocks, parsed, software
from checkpoint_ld.stores.literals import in_store_form, restored
from checkpoint_ld.stores.manifest import DONE, LOADING, OURS, STATUS, Entry
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.graph.store import StatementGraph
    from checkpoint_ld.guard.terms import Term
    from checkpoint_ld.stores.backend import Body, Row
    from checkpoint_ld.stores.directory import Directory

MANIFEST = NamedNode("urn:checkpoint-ld:manifest")
"""The graph of the entries; no checkpoint may have this name."""
_LEXICAL_FORMS = NamedNode(OURS + "lexicalForms")
"""The predicate for the statements that the store rewrites, as they were written."""
_NAME = NamedNode(SCHEMA + "name")
_END = b" .\n"
_COUNTED = 100
"""The number of graphs that a query counts."""
_BULK = 10_000
"""The number of statements above which they are loaded in bulk, which is faster and no transaction."""
_MUCH = 10
"""The store is compacted when more than 1/10 of it was loaded in bulk."""
_STRAYS = f"?s ?p ?o FILTER NOT EXISTS {{ GRAPH ?g {{ ?s ?p ?o }} FILTER (?g != {MANIFEST}) }}"


@dataclass(frozen=True)
class Load:
    """A checkpoint to load: its entry, its N-Triples in the form of the store, and their original forms.

    `digits` are the most digits of an integer in it that is no number to the engine.
    """

    entry: Entry
    triples: bytes = b""
    forms: str = ""
    digits: int = 0

    @property
    def quads(self) -> bytes:
        """The N-Quads of the graph of the checkpoint."""
        return self.triples.replace(_END, f" {NamedNode(self.entry.graph)} .\n".encode())

    @property
    def statements(self) -> list[Triple]:
        """The statements in the form of the store."""
        return [quad.triple for quad in parsed(self.triples)]

    @classmethod
    def of_triples(cls, triples: bytes, graph: str, **members: Any) -> Self:
        """Return the load for the sorted N-Triples of a graph; `members` are the other members of its entry."""
        held, forms = in_store_form(triples)
        entry = Entry(
            graph=graph,
            root=graph,
            sha256=sha256(triples).hexdigest(),
            triples=held.count(b"\n"),
            loaded=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            software=software(),
            **members,
        )
        return cls(entry, held, forms, digits_in(held))

    def but(self, **members: Any) -> Self:
        """Return this load with other members of the entry."""
        return replace(self, entry=replace(self.entry, **members))


class Holdings:
    """The graphs and entries in an open folder."""

    def __init__(self, directory: Directory) -> None:
        self.directory = directory
        self._in_bulk = 0

    @classmethod
    def opened(cls, directory: Directory) -> Self:
        """Return the holdings in a folder that was just opened; unless it is read only, unfinished graphs are emptied.

        Their entries stay. If it fails, the folder is closed.
        """
        holdings = cls(directory)
        try:
            if not directory.read_only:
                with directory.writing():
                    for graph in holdings.unfinished():
                        holdings._empty(graph)
        except BaseException:
            directory.close()
            raise
        return holdings

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        by_graph: dict[str, list[Triple]] = defaultdict(list)
        for quad in self.directory.store.quads_for_pattern(None, None, None, MANIFEST):
            if isinstance(quad.subject, NamedNode) and quad.predicate != _LEXICAL_FORMS:
                by_graph[quad.subject.value].append(quad.triple)
        return {graph: Entry.of_statements(graph, stated) for graph, stated in sorted(by_graph.items())}

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
        """Return the entries of the graphs that came from one file."""
        return tuple(self._entries[graph] for graph in self._by_source.get(source, ()))

    @property
    def where(self) -> str:
        """The folder, for messages."""
        return str(self.directory.folder)

    def checkpoints(self) -> list[str]:
        """Return the sorted names of all graphs that are done, of both families."""
        return sorted(name for name, entry in self._entries.items() if entry.is_done)

    def unfinished(self) -> frozenset[str]:
        """Return the names of the graphs whose loading was interrupted, which count as absent."""
        found = self.directory.store.quads_for_pattern(None, STATUS, Literal(LOADING), MANIFEST)
        return frozenset(quad.subject.value for quad in found if isinstance(quad.subject, NamedNode))

    def statements(self, graph: str) -> list[Triple]:
        """Return the statements of a graph in their original forms, in the order of their N-Triples."""
        quads = self.directory.store.quads_for_pattern(None, None, None, NamedNode(graph))
        return sorted(restored((quad.triple for quad in quads), self._forms(graph)), key=str)

    def triples(self, graph: str) -> bytes:
        """Return the sorted N-Triples of a graph in their original forms."""
        return pyoxigraph.serialize(self.statements(graph), format=RdfFormat.N_TRIPLES) or b""

    def graph_of(self, graph: str) -> StatementGraph:
        """Return a copy of a graph, with its root."""
        entry = self._entries[graph]
        index = emission.parse(self.triples(graph), "nt")
        return families.family(entry.family).restored(index, URIRef(entry.root))

    def whole(self) -> list[str]:
        """Return the sorted names of all graphs. Raises StoreError while a graph is unfinished."""
        unfinished = [entry.graph for entry in self._entries.values() if not entry.is_done]
        if unfinished:
            message = f"{len(unfinished)} checkpoints were not loaded to their end, such as {unfinished[0]}"
            raise StoreError(f"{message}; run `checkpoint-ld store verify --repair` first")
        return sorted(self._entries)

    def select(self, text: str, parameters: Mapping[str, Term] = NO_PARAMETERS) -> Sequence[Row]:
        """Return the solutions of a query of this package."""
        found = self.directory.store.query(bound(text, parameters), prefixes=PREFIXES)
        assert isinstance(found, QuerySolutions)  # noqa: S101 - it is a SELECT
        return [tuple(row) for row in found]

    def count(self, graphs: Iterable[str]) -> dict[str, int]:
        """Return the number of statements of each of the graphs in the store, 0 for a missing graph."""
        found = dict.fromkeys(graphs, 0)
        names = [*found]
        for part in (names[start : start + _COUNTED] for start in range(0, len(names), _COUNTED)):
            pattern = f"VALUES ?g {{ {' '.join(str(NamedNode(graph)) for graph in part)} }} GRAPH ?g {{ ?s ?p ?o }}"
            rows = self.directory.store.query(f"SELECT ?g (COUNT(*) AS ?n) {{ {pattern} }} GROUP BY ?g")
            assert isinstance(rows, QuerySolutions)  # noqa: S101 - it is a SELECT
            for graph, count in rows:
                if isinstance(graph, NamedNode) and isinstance(count, Literal):
                    found[graph.value] = int(count.value)
        return found

    def read(self, graph: str) -> bytes | None:
        """Return the sorted N-Triples of a graph in their original forms, None if there is no such graph."""
        triples = None if graph in self.unfinished() else self.triples(graph)
        return triples if triples or graph in self._entries else None

    def holds(self, graph: str, triples: Body) -> bool:
        """Return whether a graph holds exactly these N-Triples, and its entry and the merge of all graphs match."""
        entry = self._entries.get(graph)
        is_same = entry is not None and entry.sha256 == sha256(b"".join(blocks(triples))).hexdigest()
        return is_same and not self.fault(graph)

    def add(self, graph: str, triples: Body, *, source: str = "") -> bool:
        """Add the graph of an agent checkpoint unless its name exists; return whether it was added."""
        there = self._entries.get(graph)
        if there is not None and there.is_done:
            return False
        self.replace(graph, triples, source=source)
        return True

    def change(self, graph: str, triples: Body, before: bytes) -> bool:  # noqa: ARG002 - it cannot have changed
        """Write the differences of a graph, in one transaction; no other process can have changed it meanwhile."""
        self.amend(self._load_of(graph, triples))
        return True

    def replace(self, graph: str, triples: Body, *, source: str = "") -> None:
        """Replace the graph of an agent checkpoint; without `source` it keeps the previous source."""
        if self.load([self._load_of(graph, triples, source)]):
            raise StoreError(f"{self.where}: {graph} could not be written as a whole; try again")

    def _load_of(self, graph: str, triples: Body, source: str = "") -> Load:
        """Return the load for the graph of an agent checkpoint, with its stated name."""
        there = self._entries.get(graph)
        load = Load.of_triples(
            b"".join(blocks(triples)),
            graph,
            source=source or (there.source if there is not None else ""),
            family="agent",
            dialect="agent-canonical",
            file=FileState(),
        )
        root = NamedNode(graph)
        named = (one.object for one in load.statements if one.predicate == _NAME and one.subject == root)
        return load.but(name=next((term.value for term in named if isinstance(term, Literal)), ""))

    def fault(self, graph: str) -> str:
        """Return the fault of a graph, compared with its entry statement by statement; empty if there is none."""
        entry = self._entries[graph]
        if not entry.is_done:
            return "its loading was interrupted"
        counted = self.count([graph])[graph]
        if counted != entry.triples:
            return f"holds {counted} statements, not {entry.triples}"
        if digest(self.statements(graph)) != entry.sha256:
            return "holds other statements than those that were loaded"
        lacking = f"GRAPH {NamedNode(graph)} {{ ?s ?p ?o }} FILTER NOT EXISTS {{ ?s ?p ?o }}"
        return "is not in the default graph as a whole" if self._exists(lacking) else ""

    def load(self, loads: Sequence[Load]) -> set[str]:
        """Write or replace graphs, and return the names of those with a wrong count afterwards.

        Graphs with a wrong count are emptied, and their entries stay unfinished. A small number of new statements is
        written in one transaction.
        """
        with self.directory.writing() as store:
            names = {pending.entry.graph for pending in loads}
            there = {name for name in names if name in self._entries or store.contains_named_graph(NamedNode(name))}
            if not there and len(names) == len(loads) and 2 * _size(loads) <= _BULK:
                done = [pending.but(status=DONE) for pending in loads]
                self._write_at_once(done)
                failed = self._miscounted(loads)
                self._replace_entries([pending for pending in loads if pending.entry.graph in failed])
                for graph in failed:
                    self._empty(graph)
                return failed
            if next(store.quads_for_pattern(None, None, None), None) is None:
                # The entries are part of the bulk load: with a transaction beside it, the store would need compacting.
                done = [pending.but(status=DONE) for pending in loads]
                with self.directory.first_load():
                    entries = pyoxigraph.serialize(_entry_quads(done), format=RdfFormat.N_QUADS) or b""
                    failed = self._write_whole(loads, entries)
                    self._in_bulk = 0  # it is as compact as it can be
                    for pending in done:
                        self._register(pending.entry)
                    self._replace_entries([pending for pending in loads if pending.entry.graph in failed])
                return failed
            self._replace_entries(loads)
            for graph in there:
                self._empty(graph)
            failed = self._write_whole(loads)
            self._finish([pending.entry for pending in loads if pending.entry.graph not in failed])
        return failed

    def _write_whole(self, loads: Sequence[Load], entries: bytes = b"") -> set[str]:
        """Write graphs, and the merge of those that are whole; empty the others, and return their names."""
        self._write(chain((pending.quads for pending in loads), [entries]), _size(loads))
        failed = self._miscounted(loads)
        for graph in failed:
            self.directory.store.remove_graph(NamedNode(graph))
        whole = [pending for pending in loads if pending.entry.graph not in failed]
        self._write((pending.triples for pending in whole), _size(whole))
        return failed

    def _write_at_once(self, loads: Sequence[Load]) -> None:
        """Write new graphs with their entries, in one transaction."""
        both = b"".join(part for pending in loads for part in (pending.quads, pending.triples))
        self.directory.store.extend(chain(_entry_quads(loads), pyoxigraph.parse(both, format=RdfFormat.N_QUADS)))
        for pending in loads:
            self._register(pending.entry)

    def _miscounted(self, loads: Iterable[Load]) -> set[str]:
        wanted = {pending.entry.graph: pending.entry.triples for pending in loads}
        return {graph for graph, count in self.count(wanted).items() if count != wanted[graph]}

    def amend(self, load: Load) -> None:
        """Replace a graph by writing the differences, in one transaction, which an interruption never leaves empty."""
        graph = load.entry.graph
        name = NamedNode(graph)
        with self.directory.writing() as store:
            before = {quad.triple for quad in store.quads_for_pattern(None, None, None, name)}
            wanted = set(load.statements)
            gone, new = before - wanted, wanted - before
            alone = (
                f"DELETE {{ {term} }} WHERE {{ FILTER NOT EXISTS {{ {_in_others(graph, str(term))} }} }} ; "
                for term in gone
            )
            store.update(
                f"{''.join(alone)}DELETE DATA {{ GRAPH {name} {{ {block(gone)} }} }} ; "
                f"INSERT DATA {{ {block(new)} GRAPH {name} {{ {block(new)} }} }}"
            )
            self._replace_entries([load.but(status=DONE)])

    def replace_entry(self, entry: Entry) -> None:
        """Replace the entry of a graph; the graph stays."""
        with self.directory.writing():
            noted = self.directory.store.quads_for_pattern(NamedNode(entry.graph), NOTE, None, MANIFEST)
            digits = max((int(quad.object.value) for quad in noted if isinstance(quad.object, Literal)), default=0)
            self._replace_entries([Load(entry, forms=self._forms(entry.graph), digits=digits)])

    def drop(self, graph: str) -> bool:
        """Remove a graph and its entry; return whether it was complete."""
        entry = self._entries.get(graph)
        with self.directory.writing() as store:
            store.update(f"{_emptying(graph)} ; {_forgetting(graph)}")
            self._unregister(graph)
        return entry is not None and entry.is_done

    def settle(self) -> None:
        """Compact the store for fast queries after large bulk loads; a million statements take seconds."""
        held = sum(entry.triples for entry in self._entries.values())
        if self._in_bulk * _MUCH > held:
            with self.directory.writing() as store:
                store.optimize()
        self._in_bulk = 0

    def strays(self, *, in_merge: bool) -> list[NamedNode | DefaultGraph]:
        """Return the graphs that the manifest lacks and, with `in_merge`, the merge if it has surplus statements."""
        named = [
            graph for graph in self.directory.store.named_graphs() if isinstance(graph, NamedNode) and graph != MANIFEST
        ]
        found: list[NamedNode | DefaultGraph] = [graph for graph in named if graph.value not in self._entries]
        return [*found, DefaultGraph()] if in_merge and self._exists(_STRAYS) else found

    def remove_stray(self, stray: NamedNode | DefaultGraph) -> None:
        """Remove a stray graph, or the surplus statements of the merge."""
        with self.directory.writing():
            if isinstance(stray, NamedNode):
                self._empty(stray.value)
            else:
                self.directory.store.update(f"DELETE {{ ?s ?p ?o }} WHERE {{ {_STRAYS} }}")

    def _exists(self, pattern: str) -> bool:
        found = self.directory.store.query(f"ASK {{ {pattern} }}")
        assert isinstance(found, QueryBoolean)  # noqa: S101 - it is an ASK
        return bool(found)

    def _forms(self, graph: str) -> str:
        forms = self.directory.store.quads_for_pattern(NamedNode(graph), _LEXICAL_FORMS, None, MANIFEST)
        return "".join(quad.object.value for quad in forms if isinstance(quad.object, Literal))

    def _replace_entries(self, loads: Sequence[Load]) -> None:
        """Replace the entries of `loads` in one transaction."""
        if not any(pending.entry.graph in self._entries for pending in loads):
            self.directory.store.extend(_entry_quads(loads))
        else:
            forgetting = "".join(f"{_forgetting(pending.entry.graph)} ; " for pending in loads)
            entries = block(quad.triple for quad in _entry_quads(loads))
            self.directory.store.update(f"{forgetting}INSERT DATA {{ GRAPH {MANIFEST} {{ {entries} }} }}")
        for pending in loads:
            self._register(pending.entry)

    def _finish(self, entries: Sequence[Entry]) -> None:
        """Give entries the status `done`, in one transaction."""

        def stated(status: str) -> str:
            return " ".join(f"{NamedNode(entry.graph)} {STATUS} {Literal(status)} ." for entry in entries)

        loading, done = (f"GRAPH {MANIFEST} {{ {stated(status)} }}" for status in (LOADING, DONE))
        self.directory.store.update(f"DELETE DATA {{ {loading} }} ; INSERT DATA {{ {done} }}")
        for entry in entries:
            self._register(replace(entry, status=DONE))

    def _register(self, entry: Entry) -> None:
        self._unregister(entry.graph)
        self._by_source.setdefault(entry.source, {})[entry.graph] = None
        self._entries[entry.graph] = entry

    def _unregister(self, graph: str) -> None:
        if graph in self._entries:
            del self._by_source[self._entries.pop(graph).source][graph]

    def _write(self, quads: Iterable[bytes], count: int) -> None:
        """Write N-Quads with about `count` statements."""
        store = self.directory.store
        if count <= _BULK:
            store.extend(pyoxigraph.parse(b"".join(quads), format=RdfFormat.N_QUADS))
            return
        # A bulk load is written to files directly, without the journal of entries and smaller loads.
        store.flush()
        # Our own writers made the lines, so that they need not be validated again.
        store.bulk_load(cast("IO[bytes]", Joined(quads)), format=RdfFormat.N_QUADS, lenient=True)
        self._in_bulk += count

    def _empty(self, graph: str) -> None:
        self.directory.store.update(_emptying(graph))


def _size(loads: Iterable[Load]) -> int:
    return sum(pending.entry.triples for pending in loads)


def _entry_quads(loads: Iterable[Load]) -> Iterator[Quad]:
    for pending in loads:
        yield from in_graph(pending.entry.statements(), MANIFEST)
        if pending.forms:
            yield Quad(NamedNode(pending.entry.graph), _LEXICAL_FORMS, Literal(pending.forms), MANIFEST)
        if pending.digits:
            yield Quad(NamedNode(pending.entry.graph), NOTE, Literal(pending.digits), MANIFEST)


def in_graph(statements: Iterable[Triple], graph: NamedNode | DefaultGraph) -> Iterator[Quad]:
    """Yield statements as quads of a graph."""
    return (Quad(statement.subject, statement.predicate, statement.object, graph) for statement in statements)


def digest(statements: Iterable[Triple]) -> str:
    """Return the SHA-256 of sorted N-Triples, in hexadecimal."""
    found = sha256()
    for line in sorted(f"{statement} .\n" for statement in statements):
        found.update(line.encode())
    return found.hexdigest()


def _in_others(graph: str, pattern: str) -> str:
    return f"GRAPH ?other {{ {pattern} }} FILTER (?other NOT IN ({NamedNode(graph)}, {MANIFEST}))"


def _emptying(graph: str) -> str:
    """Return the update that removes the statements of only this graph from the merge, and then the graph."""
    name, others = NamedNode(graph), _in_others(graph, "?s ?p ?o")
    alone = f"GRAPH {name} {{ ?s ?p ?o }} FILTER NOT EXISTS {{ {others} }}"
    return f"DELETE {{ ?s ?p ?o }} WHERE {{ {alone} }} ; DROP SILENT GRAPH {name}"


def _forgetting(graph: str) -> str:
    return f"DELETE WHERE {{ GRAPH {MANIFEST} {{ {NamedNode(graph)} ?p ?o }} }}"
