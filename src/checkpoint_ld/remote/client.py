"""A client of triple stores: the operations of SPARQL 1.1 that we need, on named graphs only."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import pyoxigraph

from checkpoint_ld.errors import CountMismatchError, SettingsError, TruncatedResultError
from checkpoint_ld.remote import request, results
from checkpoint_ld.remote.connection import TIMEOUT, Connection
from checkpoint_ld.remote.credentials import Credentials, credentials
from checkpoint_ld.remote.endpoint import AUTO, GENERIC, checked_url, endpoint, is_loopback, origin_of, recognized
from checkpoint_ld.remote.literal_values import values_of
from checkpoint_ld.sparql import guard
from checkpoint_ld.sparql.parameters import bound, limited
from checkpoint_ld.sparql.terms import term_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from checkpoint_ld.remote.connection import Answer
    from checkpoint_ld.remote.endpoint import Endpoint
    from checkpoint_ld.remote.spooled import Body
    from checkpoint_ld.sparql.result import QueryResult

_COUNTED = 100
"""Graphs that are counted by one query."""
_PAGE = 5000
"""Names of graphs that are asked for at a time; Virtuoso sorts no more than 10,000 rows."""
_COMPRESSED = 64 << 10
"""Bytes from which on a body is worth the work of compressing it."""


class SparqlClient:
    """Speaks to one triple store.

    Every method raises a StoreError for what the server does not do, and repeats by itself what may pass: whatever
    it sends can be sent twice without harm.
    """

    def __init__(self, endpoint: Endpoint, connection: Connection) -> None:
        self.endpoint = endpoint
        self._connection = connection
        self._is_introduced = connection.credentials.method != "digest"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def credentials(self) -> Credentials:
        """How this client tells the server who it is."""
        return self._connection.credentials

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        self._connection.close()

    def send(self, asked: request.Request) -> Answer:
        """Send a request of `remote.request` as it is, for what no other method does."""
        if asked.writes:
            self._introduce()
        return self._connection.send(asked)

    def query(self, text: str, *, max_rows: int | None = None, **parameters: Any) -> QueryResult:
        """Return the result of a query, with `parameters` bound as `sparql.run` binds them.

        The result is whole, unless it has more than `max_rows` rows or statements: it is cut then, and says so.

        Raises SettingsError for what is no query that only reads, and TruncatedResultError for a result that was cut.
        """
        query = guard.checked(bound(text, {name: term_of(value) for name, value in parameters.items()}))
        # On one line: the places that a server tells are those of the text.
        prefixes = "".join(f"PREFIX {name}: <{namespace}> " for name, namespace in guard.PREFIXES.items())
        is_limited = max_rows is not None and query.form == "select"  # LIMIT counts no statements
        asked = limited(query.text, max_rows + 1) if max_rows is not None and is_limited else query.text
        found = self._result(prefixes + asked, query.form)
        if max_rows is None or len(found) <= max_rows:
            return found
        return replace(found, rows=found.rows[:max_rows], triples=found.triples[:max_rows], is_cut=True)

    def replace(self, graph: str, triples: Body) -> None:
        """Make a graph hold these N-Triples and nothing else."""
        self._introduce()
        for one in request.replace_graph(self.endpoint, graph, triples, compress=self._compresses(triples)):
            self._connection.send(one)

    def add_all(self, quads: Body, number: int) -> None:
        """Add the N-Quads of so many graphs; what is in these graphs stays. Raises SettingsError for most stores."""
        self._introduce()
        compress = self._compresses(quads)
        self._connection.send(request.add_graphs(self.endpoint, quads, number, compress=compress))

    def read(self, graph: str) -> bytes | None:
        """Return the N-Triples of a graph, None where there is no such graph.

        They are held against a count, for a text that is cut at the end of a line looks whole. Raises
        TruncatedResultError, or CountMismatchError for a graph that does not come whole.
        """
        answer = self._connection.send(request.read_graph(self.endpoint, graph))
        triples = b"" if answer.status == 404 else results.triples_of(answer)
        found, counted = len(set(triples.splitlines())), self.count([graph])[graph]
        if found != counted:
            raise CountMismatchError(
                f"{graph}: the server says it holds {counted} triples, but gives {found}; try again", (graph,)
            )
        return triples or None

    def drop(self, graph: str) -> None:
        """Remove a graph, if it is there."""
        self._introduce()
        self._connection.send(request.drop_graph(self.endpoint, graph))

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

    def holds(self, graph: str, triples: Body) -> bool:
        """Tell whether a graph holds exactly these N-Triples, by value: stores write literals in their own ways."""
        return values_of(self.read(graph) or b"") == values_of(triples)

    def _result(self, text: str, form: guard.Form) -> QueryResult:
        accept = request.N_TRIPLES if form in ("construct", "describe") else request.RESULTS
        answer = self._connection.send(request.query(self.endpoint, text, accept=accept))
        return results.result_of(answer, form, most_rows=self.endpoint.profile.most_rows)

    def _compresses(self, body: Body) -> bool:
        is_far = not is_loopback(self.endpoint.host)
        return self.endpoint.profile.gzip and is_far and len(body) >= _COMPRESSED

    def _introduce(self) -> None:
        if self._is_introduced:
            return
        one = request.introduction(self.endpoint)
        if one is not None:
            self._connection.send(one)
        self._is_introduced = True


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

    With the profile `auto`, the store is asked who it is, and `found` is told; with any other nothing is opened before
    the first operation. `query`, `update` and `store` are URLs of services that are not where the profile has them.
    Raises SettingsError for what makes no sense, and StoreError for a store that does not answer.
    """
    checked_url(url)
    if profile == AUTO and query is None and update is None and store is None:
        # Without credentials: which kind they have to be of is not known yet.
        with Connection(origin_of(url), timeout=timeout, wait=wait) as asking:
            profile = _told(asking, url)
        found(profile)
    chosen = endpoint(url, GENERIC if profile == AUTO else profile, query=query, update=update, store=store)
    known = credentials(chosen.host, auth, preferred=chosen.profile.authentication, file=credentials_file)
    return SparqlClient(chosen, Connection(origin_of(url), known, timeout=timeout, wait=wait))


def _told(connection: Connection, url: str) -> str:
    """Ask a server which kind of store it is. Any answer will do, for its header tells, also that of a refusal."""
    headers = {"Accept": "text/turtle, */*;q=0.5"}
    introduction = request.Request("GET", url, "ask which store this is", headers, accepted=frozenset(range(200, 600)))
    answer = connection.send(introduction)
    profile = recognized(answer.headers.get("server", ""), answer.text[:_COMPRESSED])
    if profile is None:
        raise SettingsError(
            f"{url} does not say which kind of store it is: name it by --profile, "
            f"or give its services and --profile {GENERIC}"
        )
    return profile.name
