"""`GraphStore`: agent checkpoints as named graphs, in a collection on disk (`embedded`) or on a server (`server`).

A list takes two queries: for the keys of all matching checkpoints, then for the headers of a page. Keys are sorted in
Python, because ids are ordered by code points, and their IRIs are not.
"""

from __future__ import annotations

import operator
import os
import threading
from collections import defaultdict
from dataclasses import MISSING, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pyoxigraph import Literal, NamedNode

from checkpoint_ld.agents import schema
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.schema import derived, iri
from checkpoint_ld.agents.values import real, sha256_of
from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import (
    CountMismatchError,
    FindingsError,
    IntegrityError,
    ReadError,
    StoreBusyError,
    WriteError,
)
from checkpoint_ld.findings import Place
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.emission import ntriples_of
from checkpoint_ld.guard.terms import written
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding
from checkpoint_ld.sparql.result import value_of
from checkpoint_ld.stores.embedded import LentGraphs, shared
from checkpoint_ld.stores.holdings import Holdings
from checkpoint_ld.stores.protocol import (
    CAPABILITIES,
    EVERYTHING,
    RESET,
    Header,
    Put,
    amended,
    not_found,
    other_content,
    store_path,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.agents.schema import Kind
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.guard.terms import Term
    from checkpoint_ld.stores.backend import NamedGraphs, Row
    from checkpoint_ld.stores.collection import Collection
    from checkpoint_ld.stores.embedded import SharedGraphs
    from checkpoint_ld.stores.protocol import Filter, Key
    from checkpoint_ld.stores.server import SparqlClient


_NAMES: Final = "SELECT DISTINCT ?c { GRAPH ?c { { ?c a caf:Checkpoint } UNION { ?c caf:snapshot ?snapshot } } }"
"""The query for the names of all graphs that hold an agent checkpoint of that name, or a part of it."""
_HASHES: Final = "SELECT DISTINCT ?sha256 { GRAPH ?c { ?c cafd:sha256 ?sha256 } }"
"""The query for the hash that is stored with the checkpoint ?c."""

_PATTERNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "version": "?c schema:schemaVersion ?version .",
        "timestamp": "?c caf:timestampMs ?timestamp ; caf:metadata ?metadata .",
        "execution_id": "?c prov:wasGeneratedBy ?execution_id .",
        "agent_id": "?c prov:wasAttributedTo ?agent_id .",
        "step_number": "?metadata caf:stepNumber ?step_number .",
        "tokens_used": "?metadata caf:tokensUsed ?tokens_used .",
        "duration_ms": "?metadata caf:durationMs ?duration_ms .",
        "checkpoint_reason": "?metadata caf:checkpointReason ?checkpoint_reason .",
        "parent_checkpoint_id": "?c caf:parent ?link . ?link caf:parentCheckpoint ?parent_checkpoint_id .",
        "is_branch": "?link caf:isBranch ?is_branch .",
        "branch_reason": "?link caf:branchReason ?branch_reason .",
        "name": "?c schema:name ?name .",
        "description": "?c schema:description ?description .",
        "about_benchmark": "?c caf:about/caf:benchmark ?about_benchmark .",
        "about_question": "?c caf:about/caf:question ?about_question .",
        "sha256": "?c cafd:sha256 ?sha256 .",
    }
)
"""The patterns for the members of a header; the variable has the name of the member."""
_KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {"execution_id": "execution", "agent_id": "agent", "parent_checkpoint_id": "checkpoint"}
)
"""The members of headers that are IRIs in graphs."""
_IN_LINK: Final = ("parent_checkpoint_id", "is_branch", "branch_reason")
_SIGNS: Final = {operator.ge: ">=", operator.lt: "<"}
_SOME: Final = "some"
_FAILED: Final = "?call caf:success false ."


def _header_query() -> str:
    """Return the query for the headers of some checkpoints, whose names replace `_SOME`.

    For an OPTIONAL of one pattern, Oxigraph scans the names in all graphs; for an OPTIONAL of two, it uses an index.
    """
    nullable = {field.name for field in fields(Header) if field.default is not MISSING}.difference(_IN_LINK)
    required = [pattern for name, pattern in _PATTERNS.items() if name not in {*nullable, *_IN_LINK}]
    parent, *of_link = (_PATTERNS[name] for name in _IN_LINK)
    link = f"OPTIONAL {{ {parent} {' '.join(f'OPTIONAL {{ {pattern} }}' for pattern in of_link)} }}"
    rest = [f"OPTIONAL {{ ?c a caf:Checkpoint . {_PATTERNS[name]} }}" for name in _PATTERNS if name in nullable]
    inside = " ".join([*required, link, *rest])
    variables = " ".join(f"?{name}" for name in _PATTERNS)
    return f"SELECT ?c {variables} {{ VALUES ?c {{ {_SOME} }} GRAPH ?c {{ {inside} }} }}"


_HEADERS: Final = _header_query()


def _keys_query(wanted: Filter) -> tuple[str, dict[str, Term]]:
    """Return the query for the keys of all matching checkpoints, without the cursor, and its parameters."""
    inside = ["?c a caf:Checkpoint .", _PATTERNS["timestamp"], _PATTERNS["step_number"]]
    outside: list[str] = []
    parameters: dict[str, Term] = {}
    for name, compare, value in wanted.conditions:
        if compare is operator.eq:
            inside.append(_PATTERNS[name])
            is_iri, literal = name in _KINDS, value == 1 if name == "is_branch" else value
            parameters[name] = NamedNode(schema.iri(_KINDS[name], value)) if is_iri else Literal(literal)
        elif name != "key":
            limit = f"limit{len(outside)}"
            outside.append(f"FILTER (?{name} {_SIGNS[compare]} ?{limit})")
            parameters[limit] = Literal(value)
    if wanted.tool is not None:
        inside.append("?c caf:snapshot/caf:toolState/caf:toolCall/caf:tool ?tool .")
        parameters["tool"] = NamedNode(schema.iri("tool", wanted.tool))
    if wanted.confidence_below is not None:
        inside.append("?thought caf:confidence ?confidence .")
        outside.append("FILTER (?confidence < ?below)")
        parameters["below"] = Literal(real(wanted.confidence_below))
    if wanted.failed:
        inside.append(_FAILED)
    elif wanted.failed is not None:
        outside.append(f"MINUS {{ GRAPH ?c {{ {_FAILED} }} }}")
    pattern = f"GRAPH ?c {{ {' '.join(inside)} }} {' '.join(outside)}"
    return f"SELECT DISTINCT ?c ?timestamp ?step_number {{ {pattern} }}", parameters


def _keys_of(rows: Iterable[Row], wanted: Filter, left_out: frozenset[str]) -> list[Key]:
    """Return the keys in rows, except those of `left_out`, in the order of the filter, from its cursor to its limit."""
    found: set[Key] = set()
    for graph, timestamp, step_number in rows:
        known = None if _name(graph) in left_out else _identifier_of(_name(graph))
        moment, step = value_of(timestamp), value_of(step_number)
        if known is not None and type(moment) is int and type(step) is int:
            found.add((moment, step, known))
    for name, compare, value in wanted.conditions:
        if name == "key":
            found = {key for key in found if compare(key, value)}
    return sorted(found, reverse=wanted.order == "newest")[: wanted.limit]


def _headers_of(rows: Sequence[Row], keys: Iterable[Key]) -> Iterator[Header]:
    """Yield the headers in rows, in the order of `keys`, except missing ones (deleted) and duplicates (damaged)."""
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_name[_name(row[0])].append(row)
    for key in keys:
        mine = by_name[schema.iri("checkpoint", key[2])]
        if len(mine) == 1:
            members = dict(zip(_PATTERNS, map(value_of, mine[0][1:]), strict=True))
            for name in _KINDS:
                found = None if members[name] is None else schema.identifier(members[name])
                members[name] = members[name] if found is None else found[1]
            yield Header.of_members({"id": key[2], **members})


def _identifier_of(name: str) -> str | None:
    """Return the id of the checkpoint that an IRI names, None for any other IRI."""
    found = schema.identifier(name)
    # An IRI with another escaping of the id names another graph.
    return found[1] if found is not None and schema.iri("checkpoint", found[1]) == name else None


def _name(term: Term | None) -> str:
    return term.value if isinstance(term, NamedNode) else ""


_PAGE = 500
"""The number of headers in the result of a query."""
_TRIES = 5
"""The number of tries for an operation that other processes interfere with."""
_SERVERS = ("http://", "https://")


class GraphStore:
    """Agent checkpoints in a collection: given as such, by its path, or by the URL of a SPARQL service.

    Each is one named graph, named by the checkpoint's IRI, with its PROV-O statements. Other graphs, such as those of
    benchmarks, stay unchanged. It is opened at first use, and a missing collection is made. Only one process at a time
    may write a collection: the methods wait ten seconds for others, and then raise StoreBusyError. All methods raise
    IntegrityError for a damaged collection or graph, and StoreError for other failures.

    Credentials for a server come from environment variables or a netrc file, as for a push. `stores.server` describes
    concurrent writers of one id on a server. Raises SettingsError for a text that is neither the path of a folder nor a
    URL of http. `path` is that of a collection that was given by its path.
    """

    capabilities = CAPABILITIES | {RESET}

    def __init__(self, collection: Collection | str | os.PathLike[str]) -> None:
        self._given = collection
        self.path: Path | None = None
        is_served = isinstance(collection, str) and collection.lower().startswith(_SERVERS)
        if isinstance(collection, (str, os.PathLike)) and not is_served:
            self._given = self.path = store_path(collection, is_folder=True)
        self._opened: SharedGraphs | SparqlClient | None = None
        self._guard = threading.Lock()

    def put(
        self,
        checkpoint: AgentCheckpoint,
        *,
        file_name: str | None = None,
        source_sha256: str | None = None,  # noqa: ARG002 - there is no place for it
    ) -> Put:
        """Add the checkpoint's graph; `file_name` becomes its source in the manifest.

        Raises CheckpointExists if the id has other content.
        """
        name, triples, sha256 = iri("checkpoint", checkpoint.id), _triples(checkpoint), checkpoint.sha256
        for _ in range(_TRIES):
            with self._graphs.working(writing=True) as graphs:
                created = graphs.add(name, triples, source=file_name or "")
                stated = [] if created else graphs.select(_HASHES, {"c": NamedNode(name)})
            held = {sha256} if created else {term.value for (term,) in stated if isinstance(term, Literal)}
            if held:
                break  # otherwise another process deleted it between the two steps, or it is damaged
        if held != {sha256}:
            raise other_content(self._graphs.where, checkpoint, ", ".join(sorted(held)) or "not there")
        return Put(None, created=created)

    def replace(
        self,
        checkpoint: AgentCheckpoint,
        *,
        file_name: str | None = None,
        source_sha256: str | None = None,  # noqa: ARG002 - as for put
    ) -> None:
        """Write the checkpoint's graph, or replace the one of its id, as a repair from its file."""
        with self._graphs.working(writing=True) as graphs:
            _make_hold(graphs, checkpoint, file_name or "")

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        """Return the checkpoint.

        Raises CheckpointNotFound, and IntegrityError if the graph does not match its stored hash.
        """
        return self._restored(self._read(checkpoint_id), checkpoint_id)

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield the headers of all matching checkpoints with their hashes, by pages of some hundreds."""
        if wanted.limit == 0:
            return
        with self._graphs.working() as graphs:
            keys = _keys_of(graphs.select(*_keys_query(wanted)), wanted, graphs.unfinished())
        for start in range(0, len(keys), _PAGE):
            page = keys[start : start + _PAGE]
            checkpoints = " ".join(written(NamedNode(schema.iri("checkpoint", key[2]))) for key in page)
            with self._graphs.working() as graphs:
                rows = graphs.select(_HEADERS.replace(_SOME, checkpoints))
            yield from _headers_of(rows, page)

    def update_metadata(
        self,
        checkpoint_id: str,
        /,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        """Change only name, description or metadata of the checkpoint, and return it; ABSENT leaves a value."""
        for _ in range(_TRIES):
            with self._graphs.working(writing=True) as graphs:
                read = self._read(checkpoint_id)
                before = self._restored(read, checkpoint_id)
                changed = amended(before, name=name, description=description, metadata=metadata)
                if graphs.change(iri("checkpoint", checkpoint_id), _triples(changed), read):
                    return changed
        raise StoreBusyError(f"{self._graphs.where}: others change {checkpoint_id!r} all the time; try again")

    def delete(self, checkpoint_id: str, /) -> bool:
        """Remove the checkpoint's graph; return whether it existed."""
        name = iri("checkpoint", checkpoint_id)
        with self._graphs.working() as graphs:
            if isinstance(graphs, Holdings) and name not in graphs.entries:
                return False  # a missing collection is not made
        with self._graphs.working(writing=True) as graphs:
            return graphs.drop(name)

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield findings about graphs that are unfinished, do not match their hash, or have other derived statements.

        With `repair`, unfinished graphs are removed, and derived statements are made again from the checkpoints.
        """
        with self._graphs.working() as graphs:
            names = {term.value for (term,) in graphs.select(_NAMES) if isinstance(term, NamedNode)}
            names |= {*graphs.checkpoints(), *graphs.unfinished()}
        for name in sorted(names):
            known = _identifier_of(name)
            found = None if known is None else self._fault(name, known, repair=repair)
            if found is not None:
                yield replace(found, place=Place(self._graphs.where))

    def reset(self) -> None:
        """Remove all agent checkpoints, and nothing else; a damaged collection is renamed first."""
        self._graphs.renew()
        for known in self._identifiers():
            self.delete(known)

    def close(self) -> None:
        """Close the connection, or the collection unless it was given open."""
        if self._opened is not None:
            self._opened.close()

    @property
    def _graphs(self) -> SharedGraphs | SparqlClient:
        with self._guard:
            given = self._given
            if self._opened is not None:
                return self._opened
            if isinstance(given, str):
                from checkpoint_ld.stores.server import connect  # noqa: PLC0415 - a store on disk needs no client

                self._opened = connect(given)
            else:
                self._opened = shared(Path(given)) if isinstance(given, os.PathLike) else LentGraphs(given)
            return self._opened

    def _read(self, checkpoint_id: str) -> bytes:
        with self._graphs.working() as graphs:
            found = graphs.read(iri("checkpoint", checkpoint_id))
        if found is None:
            raise not_found(checkpoint_id, self._identifiers(), self._graphs.where)
        return found

    def _identifiers(self) -> list[str]:
        with self._graphs.working() as graphs:
            found = [_identifier_of(_name(row[0])) for row in graphs.select(_NAMES)]
        return [identifier for identifier in found if identifier is not None]

    def _fault(self, name: str, known: str, *, repair: bool) -> Finding | None:
        subject = shown(known)
        with self._graphs.working(writing=repair) as graphs:
            if name in graphs.unfinished():
                if repair:
                    graphs.drop(name)
                message = f"the writing of its graph was interrupted{', which was taken out' if repair else ''}"
                return finding("agent-graph-unfinished", message, subject=subject)
            triples = graphs.read(name)
            if triples is None:  # deleted meanwhile
                return None
            try:
                checkpoint = self._restored(triples, known)
            except IntegrityError as error:
                return finding("agent-graph-damaged", str(error), subject=subject)
            if _make_hold(graphs, checkpoint) if repair else graphs.holds(name, _triples(checkpoint)):
                return None
        message = f"other statements than those that its checkpoint makes{', which were made again' if repair else ''}"
        return finding("agent-graph-statements", message, subject=subject)

    def _restored(self, triples: bytes, checkpoint_id: str) -> AgentCheckpoint:
        """Return the checkpoint of a graph. Raises IntegrityError unless its id and its stored hash match."""
        where = f"{self._graphs.where}: the graph of {shown(checkpoint_id)}"
        try:
            graph = AgentGraph.of_index(emission.parse(triples, "nt"))
            tree = graph.tree()
            sha256 = sha256_of(tree)
            checkpoint = AgentCheckpoint.of_tree(tree)
        except (ReadError, FindingsError, WriteError) as error:
            raise IntegrityError(f"{where} is damaged: {error}") from error
        stored = sorted(map(str, graph.objects(graph.root, derived("sha256"))))
        if stored != [sha256]:
            raise IntegrityError(f"{where} does not fit its hash {', '.join(stored) or '(there is none)'}; reindex")
        if checkpoint.id != checkpoint_id:
            raise IntegrityError(f"{where} is that of {shown(checkpoint.id)}; reindex")
        return checkpoint


def _triples(checkpoint: AgentCheckpoint) -> bytes:
    """Return the graph of a checkpoint with its provenance layer, as N-Triples."""
    return ntriples_of(AgentGraph.of_tree(checkpoint.tree(), prov=True, sha256=checkpoint.sha256))


def _make_hold(graphs: NamedGraphs, checkpoint: AgentCheckpoint, source: str = "") -> bool:
    """Write a checkpoint's graph unless it is there; return whether it was."""
    name, triples = iri("checkpoint", checkpoint.id), _triples(checkpoint)
    if graphs.holds(name, triples):
        return True
    graphs.replace(name, triples, source=source)
    if not graphs.holds(name, triples):
        raise CountMismatchError(f"{name}: the store holds something else than was sent; try again", (name,))
    return False
