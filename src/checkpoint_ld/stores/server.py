"""The backend on a server: the operations of SPARQL 1.1 that we need, on named graphs only.

HTTP has no lock. Where the service takes updates, a graph is added by one update that does nothing if there is one of
its name, and changed by one that does nothing if it has become another one meanwhile; a mark in it shows whose update
it was. So of two who write one id at once one wins, on a store that carries out an update as a whole (SPARQL 1.1 Update
§2.2 recommends that; Oxigraph does). Graphs that are too large for an update, and stores that take
none or only short ones, are read first and then written by PUT: there, the later of two who do so at the very same
moment wins unseen. What was added is counted afterwards.
"""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Self

import pyoxigraph
from pyoxigraph import Literal, NamedNode, Triple

from checkpoint_ld.agent.schema import CAF_DERIVED
from checkpoint_ld.errors import CountMismatchError, SettingsError, TruncatedResultError
from checkpoint_ld.sparql import guard
from checkpoint_ld.sparql.guard import bound, limited
from checkpoint_ld.sparql.result import term_of
from checkpoint_ld.stores import request
from checkpoint_ld.stores.backend import NO_PARAMETERS, block, opened, parsed
from checkpoint_ld.stores.connection import TIMEOUT, Connection
from checkpoint_ld.stores.endpoint import (
    AUTO,
    GENERIC,
    Credentials,
    checked_url,
    credentials,
    endpoint,
    is_loopback,
    origin_of,
    recognized,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from checkpoint_ld.sparql.result import QueryResult, Term
    from checkpoint_ld.stores.backend import Body, Row
    from checkpoint_ld.stores.connection import Answer
    from checkpoint_ld.stores.endpoint import Endpoint

_COUNTED = 100
"""Graphs that are counted by one query."""
_PAGE = 5000
"""Names of graphs that one query returns; Virtuoso sorts no more than 10,000 rows."""
_COMPRESSED = 64 << 10
"""Bytes from which on a body is worth the work of compressing it."""
_MARK: Final = f"<{CAF_DERIVED}writer>"
"""The property by which a writer knows its own update; it is taken away at once."""
_HASH: Final = NamedNode(f"{CAF_DERIVED}sha256")
_MOST_TRIPLES: Final = 20_000
_MOST_BYTES: Final = 8 << 20
"""How large a graph may be for an update; parsing one takes a server many times the memory of a PUT."""
_TRIES: Final = 3
"""How often a graph is read again that changes while it is read."""
# On one line: the places that a server names are those of the text.
_PREFIXES: Final = "".join(f"PREFIX {name}: <{namespace}> " for name, namespace in guard.PREFIXES.items())


class SparqlClient:
    """Speaks to one triple store.

    Every method raises a StoreError for what the server does not do, and repeats by itself what may pass: whatever
    it sends can be sent twice without harm.
    """

    def __init__(self, endpoint: Endpoint, connection: Connection, where: str = "") -> None:
        self.endpoint = endpoint
        self.where = where or endpoint.query
        self._connection = connection
        self._guard = threading.RLock()
        self._is_introduced = connection.credentials.method != "digest"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def credentials(self) -> Credentials:
        """How this client authenticates itself."""
        return self._connection.credentials

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        with self._guard:
            self._connection.close()

    def send(self, one: request.Request) -> Answer:
        """Send a request of `stores.request` as it is, for what no other method does."""
        with self._guard:
            if one.writes and not self._is_introduced:
                first = request.introduction(self.endpoint)
                if first is not None:
                    self._connection.send(first)
                self._is_introduced = True
            return self._connection.send(one)

    def working(self, *, writing: bool) -> AbstractContextManager[object]:  # noqa: ARG002 - HTTP has no lock
        """Keep other threads out; other processes cannot be."""
        return self._guard

    def query(self, text: str, *, max_rows: int | None = None, **parameters: Any) -> QueryResult:
        """Return the result of a query, with `parameters` bound as `sparql.run` binds them.

        The result is whole, unless it has more than `max_rows` rows or statements: it is cut then, and says so.

        Raises SettingsError for what is no query that only reads, and TruncatedResultError for a result that was cut.
        """
        query = guard.checked(bound(text, {name: term_of(value) for name, value in parameters.items()}))
        is_limited = max_rows is not None and query.form == "select"  # LIMIT counts no statements
        sent = limited(query.text, max_rows + 1) if max_rows is not None and is_limited else query.text
        found = self._result(_PREFIXES + sent, query.form)
        if max_rows is None or len(found) <= max_rows:
            return found
        return replace(found, rows=found.rows[:max_rows], triples=found.triples[:max_rows], is_cut=True)

    def select(self, text: str, parameters: Mapping[str, Term] = NO_PARAMETERS) -> Sequence[Row]:
        """Return the solutions of a query of ours."""
        return self._result(_PREFIXES + bound(text, parameters), "select").rows

    def checkpoints(self) -> list[str]:
        """Return the names of the graphs that hold a checkpoint of that name, sorted; stores have other graphs too."""
        names: list[str] = []
        while True:
            page = self._result(request.checkpoints_after(names[-1] if names else "", _PAGE), "select")
            if any(len(row) != 1 for row in page.rows):
                raise TruncatedResultError(f"the server does not give names of graphs alone, but {page.rows[0]!r}")
            found = sorted(row[0].value for row in page.rows if isinstance(row[0], pyoxigraph.NamedNode))
            if names and found and found[0] <= names[-1]:
                raise TruncatedResultError("the server does not give the names of graphs in their order")
            names += found
            if len(page) < _PAGE:
                return names

    def unfinished(self) -> frozenset[str]:
        """Return nothing: a server makes a graph as a whole."""
        return frozenset()

    def count(self, graphs: Iterable[str]) -> dict[str, int]:
        """Return how many triples each of the graphs holds, 0 for one that is not there."""
        names = list(dict.fromkeys(graphs))
        counts = dict.fromkeys(names, 0)
        for start in range(0, len(names), _COUNTED):
            text = request.count_of(self.endpoint, names[start : start + _COUNTED])
            for row in self._result(text, "select").rows:
                match row:
                    case (pyoxigraph.NamedNode(value=name), pyoxigraph.Literal(value=number)) if number.isdigit():
                        counts[name] = int(number)
                    case _:
                        raise TruncatedResultError(f"the server does not say how many triples there are, but {row!r}")
        return counts

    def read(self, graph: str) -> bytes | None:
        """Return the N-Triples of a graph, None where there is no such graph.

        They are held against a count, for a text that is cut at the end of a line looks whole; a graph that changed in
        between is read again. Raises TruncatedResultError, or CountMismatchError for a graph that does not come whole.
        """
        for _ in range(_TRIES + 1):
            answer = self.send(request.read_graph(self.endpoint, graph))
            triples = b"" if answer.status == 404 else request.triples_of(answer)
            found, counted = len(set(triples.splitlines())), self.count([graph])[graph]
            if found == counted:
                return triples or None
        raise CountMismatchError(
            f"{graph}: the server says it holds {counted} triples, but gives {found}; try again", (graph,)
        )

    def holds(self, graph: str, triples: Body) -> bool:
        """Tell whether a graph holds exactly these N-Triples, by value: stores write literals in their own ways."""
        return request.values_of(self.read(graph) or b"") == request.values_of(triples)

    def add(self, graph: str, triples: Body, *, source: str = "") -> bool:  # noqa: ARG002 - there is no place for it
        """Make a graph unless there is one of its name; return whether it was made."""
        name, count = NamedNode(graph), sum(1 for _ in opened(triples))
        if not self._takes_updates() or count > _MOST_TRIPLES or len(triples) > _MOST_BYTES:
            is_ours = not self.count([graph])[graph]
            if is_ours:
                self.replace(graph, triples)
        else:
            mark = f"{name} {_MARK} {Literal(secrets.token_hex(16))} ."
            absent = f"FILTER NOT EXISTS {{ GRAPH {name} {{ ?s ?p ?o }} }}"
            inserted = f"GRAPH {name} {{ {block(_statements(triples))} {mark} }}"
            self._update(f"INSERT {{ {inserted} }} WHERE {{ {absent} }}", graph)
            is_ours = self._says(name, mark)
            if is_ours:
                self._update(f"DELETE DATA {{ GRAPH {name} {{ {mark} }} }}", graph)
        if is_ours:
            found = self.count([graph])[graph]
            if found != count and not self.holds(graph, triples):
                message = f"{graph}: {count} triples were sent, {found} are in the store; try again"
                raise CountMismatchError(message, (graph,))
        return is_ours

    def add_all(self, quads: Body, number: int) -> None:
        """Add the N-Quads of so many graphs; what is in these graphs stays. Raises SettingsError for most stores."""
        self.send(request.add_graphs(self.endpoint, quads, number, compress=self._compresses(quads)))

    def change(self, graph: str, triples: Body, before: bytes) -> bool:
        """Change what is different in a graph, if its hash is still that of `before`; return whether it was."""
        if not self._takes_updates():
            is_same = self.holds(graph, before)
            if is_same:
                self.replace(graph, triples)
            return is_same
        name, old, new = NamedNode(graph), _statements(before), _statements(triples)
        gone, come = (f"GRAPH {name} {{ {block(part)} }}" for part in (old - new, new - old))
        same = f"GRAPH {name} {{ {_hash(old)} }}"
        self._update(f"DELETE {{ {gone} }} INSERT {{ {come} }} WHERE {{ {same} }}", graph)
        return self._says(name, _hash(new))

    def replace(self, graph: str, triples: Body, *, source: str = "") -> None:  # noqa: ARG002 - as for add
        """Make a graph hold these N-Triples and nothing else."""
        for one in request.replace_graph(self.endpoint, graph, triples, compress=self._compresses(triples)):
            self.send(one)

    def drop(self, graph: str) -> bool:
        """Remove a graph and return whether it was there."""
        one = request.drop_graph(self.endpoint, graph)
        if one.method == "DELETE":
            return self.send(one).status != 404
        was_there = bool(self.count([graph])[graph])
        self.send(one)
        return was_there

    def renew(self) -> None:
        """Do nothing: the server looks after its files."""

    def _result(self, text: str, form: guard.Form) -> QueryResult:
        accept = request.N_TRIPLES if form in ("construct", "describe") else request.RESULTS
        answer = self.send(request.query(self.endpoint, text, accept=accept))
        return request.result_of(answer, form, most_rows=self.endpoint.profile.most_rows)

    def _update(self, text: str, graph: str) -> None:
        self.send(request.update(self.endpoint, text, f"write the graph {graph}"))

    def _says(self, name: NamedNode, pattern: str) -> bool:
        return bool(self.select(f"SELECT ?found {{ GRAPH {name} {{ {pattern} }} BIND (1 AS ?found) }}"))

    def _takes_updates(self) -> bool:
        """Return whether the store takes long updates, and finds statements whose literals it writes in its own way."""
        return self.endpoint.update is not None and not self.endpoint.profile.form_encoded

    def _compresses(self, body: Body) -> bool:
        is_far = not is_loopback(self.endpoint.host)
        return self.endpoint.profile.gzip and is_far and len(body) >= _COMPRESSED


def _statements(triples: Body) -> set[Triple]:
    return {quad.triple for quad in parsed(triples)}


def _hash(statements: Iterable[Triple]) -> str:
    return block(one for one in statements if one.predicate == _HASH)


def connect(  # noqa: PLR0913 - all but the first are named
    url: str,
    *,
    profile: str = AUTO,
    auth: str = "auto",
    credentials_file: str | None = None,
    query: str | None = None,
    update: str | None = None,
    store: str | None = None,
    timeout: float = TIMEOUT,
    wait: Callable[[float], None] = time.sleep,
    found: Callable[[str], None] = lambda _: None,
) -> SparqlClient:
    """Return a client of the triple store at `url`.

    With the profile `auto`, the store itself says which kind it is, and `found` is called with that; with any other
    nothing is opened before the first operation. `query`, `update` and `store` are URLs of services that are not where
    the profile has them.
    Raises SettingsError for what makes no sense, and StoreError for a store that does not answer.
    """
    checked_url(url)
    if profile == AUTO and query is None and update is None and store is None:
        # Without credentials: which kind they have to be of is not known yet.
        # Any answer will do, for the header suffices, also of a refusal.
        accepted = frozenset(range(200, 600))
        asked = request.Request(
            "GET", url, "ask which store this is", {"Accept": "text/turtle, */*;q=0.5"}, b"", accepted
        )
        with Connection(origin_of(url), timeout=timeout, wait=wait) as connection:
            answer = connection.send(asked)
        kind = recognized(answer.headers.get("server", ""), answer.text[:_COMPRESSED])
        if kind is None:
            raise SettingsError(
                f"{url} does not say which kind of store it is: name it by --profile, "
                f"or give its services and --profile {GENERIC}"
            )
        profile = kind.name
        found(profile)
    chosen = endpoint(url, GENERIC if profile == AUTO else profile, query=query, update=update, store=store)
    known = credentials(chosen.host, auth, preferred=chosen.profile.authentication, file=credentials_file)
    return SparqlClient(chosen, Connection(origin_of(url), known, timeout=timeout, wait=wait), url)
