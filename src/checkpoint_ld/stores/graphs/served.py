"""Graphs behind a SPARQL service (SPARQL 1.1 Protocol, SPARQL 1.1 Update, Graph Store HTTP Protocol).

HTTP has no lock. Where the service takes updates, a graph is made by one update that does nothing if there is one of
its name, and changed by one that does nothing if it has become another one meanwhile; a mark in it tells whose update
it was. So of two who write one id at once one wins, on a store that carries out an update as a whole (SPARQL 1.1 Update
§2.2 asks for that without demanding it; Oxigraph does). Graphs that are too large for an update, and stores that take
none or only short ones, are looked at first and then written by PUT: there, the later of two who do so at the very
same moment wins unseen. Whatever was written is counted afterwards.
"""

from __future__ import annotations

import secrets
import threading
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import pyoxigraph
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple

from checkpoint_ld.agent.names import CAF_DERIVED
from checkpoint_ld.errors import CountMismatchError
from checkpoint_ld.remote import connect, request, results
from checkpoint_ld.remote.literal_values import values_of
from checkpoint_ld.remote.spooled import opened
from checkpoint_ld.sparql.guard import PREFIXES
from checkpoint_ld.sparql.parameters import bound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.remote import Outgoing, SparqlClient
    from checkpoint_ld.remote.spooled import Body
    from checkpoint_ld.sparql.terms import Term
    from checkpoint_ld.stores.graphs.graphs import Row

_MARK: Final = f"<{CAF_DERIVED}writer>"
"""The property by which a writer knows its own update; it is taken away at once."""
_HASH: Final = NamedNode(f"{CAF_DERIVED}sha256")
_MOST_TRIPLES: Final = 20_000
_MOST_BYTES: Final = 8 << 20
"""How large a graph may be for an update; parsing one takes a server many times the memory of a PUT."""
_TRIES: Final = 3
"""How often a graph is read that changes while it is read."""
_PREFIXES: Final = "".join(f"PREFIX {name}: <{namespace}> " for name, namespace in PREFIXES.items())


class ServedGraphs:
    """The graphs of one triple store. What each method does is told by `Graphs`."""

    def __init__(self, url: str) -> None:
        self.where = url
        self._guard = threading.RLock()
        self._client: SparqlClient | None = None

    @contextmanager
    def working(self, *, writing: bool) -> Iterator[None]:  # noqa: ARG002 - there is nothing to keep others out by
        """Keep other threads out; other processes cannot be."""
        with self._guard:
            yield

    def select(self, text: str, parameters: Mapping[str, Term] = MappingProxyType({})) -> Sequence[Row]:
        """Return the solutions of a query."""
        with self._asking() as client:
            endpoint = client.endpoint
            answer = client.send(request.query(endpoint, _PREFIXES + bound(text, parameters)))
            return results.result_of(answer, "select", most_rows=endpoint.profile.most_rows).rows

    def read(self, graph: str) -> bytes | None:
        """Return the N-Triples of a graph, read again where it changed between being read and being counted."""
        with self._asking() as client:
            for _ in range(_TRIES):
                with suppress(CountMismatchError):
                    return client.read(graph)
            return client.read(graph)

    def add(self, graph: Outgoing, title: str) -> bool:
        """Make a graph unless there is one."""
        name = NamedNode(graph.graph)
        with self._asking() as client:
            if not _takes_updates(client) or graph.count > _MOST_TRIPLES or len(graph.triples) > _MOST_BYTES:
                is_new = not client.count([graph.graph])[graph.graph]
                if is_new:
                    self.replace(graph, title)
                return is_new
            mark = f"{name} {_MARK} {Literal(secrets.token_hex(16))} ."
            absent = f"FILTER NOT EXISTS {{ GRAPH {name} {{ ?s ?p ?o }} }}"
            inserted = f"GRAPH {name} {{ {_block(_statements(graph.triples))} {mark} }}"
            _update(client, f"INSERT {{ {inserted} }} WHERE {{ {absent} }}", graph.graph)
            is_ours = self._says(name, mark)
            if is_ours:
                _update(client, f"DELETE DATA {{ GRAPH {name} {{ {mark} }} }}", graph.graph)
                _check(client, graph)
            return is_ours

    def change(self, graph: Outgoing, title: str, before: bytes) -> bool:
        """Change what is different in a graph, if its hash is still the one that it had."""
        name = NamedNode(graph.graph)
        old, new = _statements(before), _statements(graph.triples)
        with self._asking() as client:
            if not _takes_updates(client):
                is_same = client.holds(graph.graph, before)
                if is_same:
                    self.replace(graph, title)
                return is_same
            gone, come = (f"GRAPH {name} {{ {_block(part)} }}" for part in (old - new, new - old))
            same = f"GRAPH {name} {{ {_hash(old)} }}"
            _update(client, f"DELETE {{ {gone} }} INSERT {{ {come} }} WHERE {{ {same} }}", graph.graph)
            return self._says(name, _hash(new))

    def replace(self, graph: Outgoing, title: str) -> None:  # noqa: ARG002 - as for add
        """Write a graph anew."""
        with self._asking() as client:
            client.replace(graph.graph, graph.triples)
            _check(client, graph)

    def drop(self, graph: str) -> bool:
        """Take a graph away; two who do so at the same moment may both be told that it was there."""
        with self._asking() as client:
            was_there = bool(client.count([graph])[graph])
            client.drop(graph)
            return was_there

    def holds(self, graph: Outgoing) -> bool:
        """Tell whether a graph says this, by value: stores write literals in their own ways."""
        return values_of(self.read(graph.graph) or b"") == values_of(graph.triples)

    def unfinished(self) -> frozenset[str]:
        """Return nothing: a server makes a graph as a whole."""
        return frozenset()

    def listed(self) -> frozenset[str]:
        """Return nothing: there is no manifest."""
        return frozenset()

    def renew(self) -> None:
        """Do nothing: the server looks after its files."""

    def close(self) -> None:
        """Close the connection."""
        with self._guard:
            if self._client is not None:
                self._client.close()

    @contextmanager
    def _asking(self) -> Iterator[SparqlClient]:
        with self._guard:
            if self._client is None:
                self._client = connect(self.where)
            yield self._client

    def _says(self, name: NamedNode, pattern: str) -> bool:
        return bool(self.select(f"SELECT ?said {{ GRAPH {name} {{ {pattern} }} BIND (1 AS ?said) }}"))


def _takes_updates(client: SparqlClient) -> bool:
    """Tell whether a store takes long updates, and finds a statement whose literals it writes in its own way."""
    return client.endpoint.update is not None and not client.endpoint.profile.form_encoded


def _update(client: SparqlClient, text: str, graph: str) -> None:
    client.send(request.update(client.endpoint, text, f"write the graph {graph}"))


def _check(client: SparqlClient, graph: Outgoing) -> None:
    found = client.count([graph.graph])[graph.graph]
    if found != graph.count and not client.holds(graph.graph, graph.triples):
        message = f"{graph.graph}: {graph.count} triples were sent, {found} are in the store; try again"
        raise CountMismatchError(message, (graph.graph,))


def _statements(triples: Body) -> set[Triple]:
    return {quad.triple for quad in pyoxigraph.parse(opened(triples), format=RdfFormat.N_TRIPLES)}


def _hash(statements: Iterable[Triple]) -> str:
    return _block(one for one in statements if one.predicate == _HASH)


def _block(statements: Iterable[Triple]) -> str:
    # The terms write themselves, escaped; a name that is no IRI cannot be made into one.
    return " ".join(f"{one} ." for one in statements)
