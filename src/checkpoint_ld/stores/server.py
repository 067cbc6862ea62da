"""The backend on a server: operations of SPARQL 1.1 on named graphs, over one connection.

`Connection` sends requests within limits, repeats them after temporary failures, and explains refusals. `SparqlClient`
has the operations. Types and exceptions of httpx do not leave this module.

HTTP has no lock. Where the service takes updates, a graph is added by an update that does nothing if a graph of its
name exists, and changed by an update that does nothing if the graph has changed meanwhile. A mark in the graph shows
whose update it was. So one of two concurrent writers of an id wins, on a store whose updates are atomic (SPARQL 1.1
Update §2.2 recommends that; Oxigraph's are). A graph that is too large for an update, or for a store without long
updates, is read first and then written by PUT. There, the later of two concurrent writers wins silently. Added
statements are counted afterwards.
"""

from __future__ import annotations

import random
import secrets
import ssl
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, Self

from pyoxigraph import Literal, NamedNode, Triple

from checkpoint_ld.connections import check_timeout, is_loopback
from checkpoint_ld.errors import (
    AuthFailedError,
    CountMismatchError,
    ServerRefusedError,
    ServerUnreachableError,
    SettingsError,
    StoreError,
    TruncatedResultError,
)
from checkpoint_ld.guard.checking import PREFIXES, bound, checked, limited
from checkpoint_ld.sparql.result import term_of
from checkpoint_ld.stores import request
from checkpoint_ld.stores.backend import NO_PARAMETERS, block, opened, parsed, software
from checkpoint_ld.stores.endpoint import (
    AUTO,
    GENERIC,
    PASSWORD,
    TOKEN,
    USER,
    Credentials,
    checked_url,
    credentials,
    endpoint,
    origin_of,
    recognized,
)
from checkpoint_ld.stores.literals import of_virtuoso, values_of
from checkpoint_ld.stores.request import Request, Response, printable
from checkpoint_ld.vocabulary import CAF_DERIVED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import httpx

    from checkpoint_ld.guard.checking import Form
    from checkpoint_ld.guard.terms import Term
    from checkpoint_ld.sparql.result import QueryResult
    from checkpoint_ld.stores.backend import Body, Row
    from checkpoint_ld.stores.endpoint import Endpoint

REPEATED = frozenset((408, 425, 429, 502, 503, 504))
"""Statuses of temporary failures (RFC 9110 §15, RFC 6585 §4, RFC 8470 §5.2)."""
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds to wait before each repetition."""
LONGEST_PAUSE = 60.0
TIMEOUT = 30.0
"""The most seconds for an answer."""
MOST_BYTES = 1 << 30
"""The most bytes of an answer."""
_SHOWN = 300
_COUNTED = 100
"""The number of graphs that a query counts."""
_PAGE = 5000
"""The number of names of graphs in the result of a query; Virtuoso sorts at most 10,000 rows."""
_COMPRESSED = 64 << 10
"""The fewest bytes of a body that is compressed."""
_MARK: Final = f"<{CAF_DERIVED}writer>"
"""The property by which a writer recognises its own update; it is removed at once."""
_HASH: Final = NamedNode(f"{CAF_DERIVED}sha256")
_MOST_TRIPLES: Final = 20_000
_MOST_BYTES: Final = 8 << 20
"""The most bytes of a graph for an update, which takes a server many times the memory of a PUT."""
_TRIES: Final = 3
"""The number of tries to read a graph that changes meanwhile."""
# On one line, so that line numbers in a server's messages are those of the given text.
_PREFIXES: Final = "".join(f"PREFIX {name}: <{namespace}> " for name, namespace in PREFIXES.items())


class Connection:
    """Sends requests to one server; credentials are only sent to its `origin`.

    `timeout` is the most seconds for a whole answer. `wait` is the function that waits, which tests replace. Raises
    SettingsError for a timeout that is none.
    """

    def __init__(
        self,
        origin: str,
        credentials: Credentials | None = None,
        *,
        timeout: float = TIMEOUT,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.origin = origin
        self.credentials = credentials or Credentials()
        check_timeout(timeout)
        self._timeout = timeout
        self._wait = wait
        self._client: httpx.Client | None = None
        self._auth: httpx.Auth | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def send(self, request: Request) -> Response:
        """Send a request and return the answer.

        Raises ServerUnreachableError without an answer, AuthFailedError and ServerRefusedError for a refusal,
        TruncatedResultError for an incomplete answer. After temporary failures it is tried up to six times.
        """
        for attempt in range(len(PAUSES) + 1):
            is_last, pause = attempt == len(PAUSES), None
            try:
                answer = self._exchange(request)
            except _BrokenOffError as broken:
                self.close()
                if is_last or not broken.may_pass:
                    where, reason = _shown(request), printable(self.credentials.hide(str(broken)))
                    if broken.begun:
                        message = f"{where}: the answer broke off: {reason}; nothing of it is used"
                        raise TruncatedResultError(message) from None
                    tries = f", at any of {attempt + 1} tries" if attempt else ""
                    message = f"{where}: {reason}{tries}; is the server running at {self.origin}?"
                    raise ServerUnreachableError(message) from None
            else:
                if is_last or answer.status not in REPEATED:
                    if answer.status not in request.accepted:
                        raise self._refusal(request, answer)
                    return answer
                pause = _pause_of(answer.headers.get("retry-after"))
            # A random part keeps many clients from coming back at the same moment.
            self._wait(PAUSES[attempt] * random.uniform(0.75, 1.25) if pause is None else pause)  # noqa: S311 - no secret
        raise AssertionError  # the last attempt returns or raises

    def _exchange(self, request: Request) -> Response:
        import httpx  # noqa: PLC0415 - it takes long to import

        headers = {**request.headers, "User-Agent": f"checkpoint-ld/{software()}"}
        is_known = origin_of(request.url) == self.origin
        if is_known and self.credentials.method == "bearer":
            headers["Authorization"] = f"Bearer {self.credentials.secret}"
        if request.body:
            headers["Content-Length"] = str(len(request.body))
        until = time.monotonic() + self._timeout
        begun = False
        try:
            client = self._opened()
            content = request if request.body else None
            auth = self._auth if is_known else None
            with client.stream(request.method, request.url, headers=headers, content=content, auth=auth) as response:
                begun = response.is_success
                body = bytearray()
                for part in response.iter_bytes():
                    body += part
                    if len(body) > MOST_BYTES:
                        raise StoreError(f"{_shown(request)}: the answer is larger than {MOST_BYTES >> 20} MiB")
                    if time.monotonic() > until:
                        raise httpx.ReadTimeout("")
                return Response(response.status_code, {k.lower(): v for k, v in response.headers.items()}, bytes(body))
        except httpx.TimeoutException:
            raise _BrokenOffError(f"no answer within {self._timeout:g} s") from None
        except (httpx.RequestError, httpx.StreamError) as error:
            cause: BaseException | None = error
            while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
                cause = cause.__cause__ or cause.__context__
            # Another try does not help against an invalid certificate.
            raise _BrokenOffError(str(error) or type(error).__name__, begun=begun, may_pass=cause is None) from None

    def _opened(self) -> httpx.Client:
        if self._client is None:
            import httpx  # noqa: PLC0415 - as above

            given = self.credentials
            if given.method == "basic":
                self._auth = httpx.BasicAuth(given.user, given.secret)
            elif given.method == "digest" and self._auth is None:  # it remembers the challenge of the server
                self._auth = httpx.DigestAuth(given.user, given.secret)
            # Requests to this machine use no proxy. Redirects are never followed.
            url = httpx.URL(self.origin)
            is_local = is_loopback(url.host)
            # Without TLS no certificates are needed, and reading them takes 40 ms.
            verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_local and url.scheme == "http" else True
            self._client = httpx.Client(
                timeout=self._timeout, trust_env=not is_local, follow_redirects=False, verify=verify
            )
        return self._client

    def _refusal(self, request: Request, answer: Response) -> ServerRefusedError:
        where, status = _shown(request), answer.status
        if 300 <= status < 400:
            target = printable(self.credentials.hide(answer.headers.get("location", "nowhere")))
            message = (
                f"{where}: the server sends us to {target} instead; "
                "redirects are not followed: if you trust that place, give its URL"
            )
            return ServerRefusedError(message, status)
        lines = filter(None, map(str.strip, self.credentials.hide(answer.text).splitlines()))
        reason = printable(next(lines, "")[:_SHOWN])
        message = f"{where}: the server answers {status}" + (f": {reason}" if reason else "")
        if status == 401:
            return AuthFailedError(f"{message}; {self._auth_remedy(answer)}", status)
        if status == 403:
            message += "; it does not let us do that: is it read-only, or are other credentials needed?"
        return ServerRefusedError(message, status)

    def _auth_remedy(self, answer: Response) -> str:
        wanted = answer.headers.get("www-authenticate", "").partition(" ")[0].lower()
        if self.credentials.method == "none":
            return f"it wants to know who asks: set {TOKEN}, or {USER} and {PASSWORD}, or give a file or a netrc entry"
        if wanted.isalpha() and wanted != self.credentials.method:
            return f"it wants {wanted} authentication, not {self.credentials.method}: choose that by --auth {wanted}"
        return f"the credentials of {self.credentials.origin} are not accepted: check them"


class _BrokenOffError(Exception):
    """No answer, or only the beginning of one (`begun`); `may_pass` is whether to try again."""

    def __init__(self, reason: str, *, begun: bool = False, may_pass: bool = True) -> None:
        super().__init__(reason)
        self.begun = begun
        self.may_pass = may_pass


def _pause_of(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110 §10.2.3), at most a minute, or None."""
    if not value:
        return None
    if value.isdecimal():
        return min(float(value), LONGEST_PAUSE)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    seconds = (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), LONGEST_PAUSE)


def _shown(request: Request) -> str:
    return f"cannot {request.purpose} ({request.method} {request.url})"


class SparqlClient:
    """A client of one triple store.

    Every method raises a StoreError if the server fails. Requests are idempotent and repeated after temporary failures.
    """

    def __init__(self, endpoint: Endpoint, connection: Connection, where: str = "") -> None:
        self.endpoint = endpoint
        self.where = where or endpoint.query
        self.credentials = connection.credentials
        self._connection = connection
        self._guard = threading.RLock()
        self._is_introduced = connection.credentials.method != "digest"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        with self._guard:
            self._connection.close()

    def send(self, prepared: Request) -> Response:
        """Send a request of `stores.request`, for which there is no other method."""
        with self._guard:
            if prepared.writes and not self._is_introduced:
                first = request.introduction(self.endpoint)
                if first is not None:
                    self._connection.send(first)
                self._is_introduced = True
            return self._connection.send(prepared)

    @contextmanager
    def working(self, *, writing: bool = False) -> Iterator[Self]:  # noqa: ARG002 - HTTP has no lock
        """Exclude other threads; other processes cannot be excluded."""
        with self._guard:
            yield self

    def query(self, text: str, *, max_rows: int | None = None, **parameters: Any) -> QueryResult:
        """Return the result of a query, with `parameters` bound as `sparql.run` binds them.

        A result with more than `max_rows` rows or statements is cut, and marked as cut.

        Raises SettingsError for an update, and TruncatedResultError for a result that the server cut.
        """
        query = checked(bound(text, {name: term_of(value) for name, value in parameters.items()}))
        is_limited = query.form == "select"  # LIMIT counts no statements
        sent = limited(query.text, max_rows + 1) if max_rows is not None and is_limited else query.text
        found = self._result(_PREFIXES + sent, query.form)
        if max_rows is None or len(found) <= max_rows:
            return found
        return replace(found, rows=found.rows[:max_rows], triples=found.triples[:max_rows], is_cut=True)

    def select(self, text: str, parameters: Mapping[str, Term] = NO_PARAMETERS) -> Sequence[Row]:
        """Return the solutions of a query of this package."""
        return self._result(_PREFIXES + bound(text, parameters), "select").rows

    def checkpoints(self) -> list[str]:
        """Return the sorted names of the graphs that hold a checkpoint, without other graphs."""
        names: list[str] = []
        while True:
            page = self._result(request.checkpoints_after(names[-1] if names else "", _PAGE), "select")
            found = sorted(map(_graph_name, page.rows))
            if names and found and found[0] <= names[-1]:
                raise TruncatedResultError("the server does not give the names of graphs in their order")
            names += found
            if len(page) < _PAGE:
                return names

    def unfinished(self) -> frozenset[str]:
        """Return no names, because a server writes a graph as a whole."""
        return frozenset()

    def count(self, graphs: Iterable[str]) -> dict[str, int]:
        """Return the number of triples of each of the graphs, 0 for a missing graph."""
        counts = dict.fromkeys(graphs, 0)
        names = tuple(counts)
        for parts in (names[start : start + _COUNTED] for start in range(0, len(names), _COUNTED)):
            for row in self._result(request.count_of(self.endpoint, parts), "select").rows:
                match row:
                    case (NamedNode(value=name), Literal(value=number)) if number.isdecimal():
                        counts[name] = int(number)
                    case _:
                        raise TruncatedResultError(f"the server does not say how many triples there are, but {row!r}")
        return counts

    def read(self, graph: str) -> bytes | None:
        """Return the N-Triples of a graph, None if there is no such graph.

        They are counted, because a text that is cut at the end of a line is valid. A graph that changed meanwhile is
        read again. Raises TruncatedResultError, or CountMismatchError for a graph that stays incomplete.
        """
        for _ in range(_TRIES + 1):
            answer = self.send(request.read_graph(self.endpoint, graph))
            try:
                triples = b"" if answer.status == 404 else self._statements(answer, graph)
            except TruncatedResultError as error:
                raise TruncatedResultError(f"{self.where}: {graph}: {error}") from None
            found, counted = len(set(triples.splitlines())), self.count([graph])[graph]
            if found == counted:
                return triples or None
        raise CountMismatchError(
            f"{graph}: the server says it holds {counted} triples, but gives {found}; try again", (graph,)
        )

    def holds(self, graph: str, triples: Body) -> bool:
        """Return whether a graph holds exactly these N-Triples, by value, because stores rewrite literals."""
        return values_of(self.read(graph) or b"").keys() == values_of(triples).keys()

    def add(self, graph: str, triples: Body, *, source: str = "") -> bool:  # noqa: ARG002 - there is no place for it
        """Add a graph unless its name exists; return whether it was added."""
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
            is_ours = self._holds(name, mark)
            if is_ours:
                self._update(f"DELETE DATA {{ GRAPH {name} {{ {mark} }} }}", graph)
        if is_ours:
            found = self.count([graph])[graph]
            if found != count and not self.holds(graph, triples):
                message = f"{graph}: {count} triples were sent, {found} are in the store; try again"
                raise CountMismatchError(message, (graph,))
        return is_ours

    def add_all(self, quads: Body, number: int) -> None:
        """Add the N-Quads of `number` graphs to these graphs. Raises SettingsError for most stores."""
        self.send(request.add_graphs(self.endpoint, quads, number, compress=self._compresses(quads)))

    def change(self, graph: str, triples: Body, before: bytes) -> bool:
        """Write the differences of a graph if its hash is still that of `before`; return whether it was."""
        if not self._takes_updates():
            is_same = self.holds(graph, before)
            if is_same:
                self.replace(graph, triples)
            return is_same
        name, old, new = NamedNode(graph), _statements(before), _statements(triples)
        gone, come = (f"GRAPH {name} {{ {block(part)} }}" for part in (old - new, new - old))
        was, becomes = (block(triple for triple in part if triple.predicate == _HASH) for part in (old, new))
        self._update(f"DELETE {{ {gone} }} INSERT {{ {come} }} WHERE {{ GRAPH {name} {{ {was} }} }}", graph)
        return self._holds(name, becomes)

    def replace(self, graph: str, triples: Body, *, source: str = "") -> None:
        """Replace a graph by these N-Triples; messages name their `source`."""
        for prepared in request.replace_graph(self.endpoint, graph, triples, compress=self._compresses(triples)):
            purpose = f"{prepared.purpose} by {source}" if source else prepared.purpose
            self.send(replace(prepared, purpose=purpose))

    def drop(self, graph: str) -> bool:
        """Remove a graph and return whether it existed."""
        prepared = request.drop_graph(self.endpoint, graph)
        was_there = prepared.method == "DELETE" or bool(self.count([graph])[graph])
        return self.send(prepared).status != 404 and was_there

    def renew(self) -> None:
        """Do nothing, because the server repairs its files."""

    def _statements(self, answer: Response, graph: str) -> bytes:
        if answer.headers.get("content-type", "").startswith("text/html"):
            raise request.no_answer(answer, "statements")
        if self.endpoint.profile.exact_in != "turtle":
            return request.triples_of(answer)

        def decimals() -> Sequence[Row]:
            return self.select(request.decimals_of(self.endpoint, graph))

        try:
            return of_virtuoso(answer.body, decimals)
        except (SyntaxError, ValueError):
            raise request.broken("Turtle", answer.body) from None

    def _result(self, text: str, form: Form) -> QueryResult:
        accept = request.N_TRIPLES if form in ("construct", "describe") else request.RESULTS
        answer = self.send(request.query(self.endpoint, text, accept=accept))
        try:
            return request.result_of(answer, form, most_rows=self.endpoint.profile.most_rows)
        except TruncatedResultError as error:
            raise TruncatedResultError(f"{self.where}: {error}") from None

    def _update(self, text: str, graph: str) -> None:
        self.send(request.update(self.endpoint, text, f"write the graph {graph}"))

    def _holds(self, name: NamedNode, pattern: str) -> bool:
        return bool(self.select(f"SELECT ?found {{ GRAPH {name} {{ {pattern} }} BIND (1 AS ?found) }}"))

    def _takes_updates(self) -> bool:
        """Return whether the store accepts long updates, and matches statements with literals that it rewrites."""
        return self.endpoint.update is not None and not self.endpoint.profile.form_encoded

    def _compresses(self, body: Body) -> bool:
        is_far = not is_loopback(self.endpoint.host)
        return self.endpoint.profile.gzip and is_far and len(body) >= _COMPRESSED


def _statements(triples: Body) -> set[Triple]:
    return {quad.triple for quad in parsed(triples)}


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

    With the profile `auto`, the product is recognised by a request, and `found` is called with its name; with any other
    profile, the first operation opens the connection. `query`, `update` and `store` are URLs of services that differ
    from the profile. Raises SettingsError for invalid arguments, and StoreError for a store that does not answer.
    """
    checked_url(url)
    if profile == AUTO and query is None and update is None and store is None:
        # Without credentials, whose kind is not known yet. The header of any answer suffices, even of a refusal.
        accepted = frozenset(range(200, 600))
        greeting = Request("GET", url, "ask which store this is", {"Accept": "text/turtle, */*;q=0.5"}, b"", accepted)
        with Connection(origin_of(url), timeout=timeout, wait=wait) as connection:
            answer = connection.send(greeting)
        kind = recognized(answer.headers.get("server", ""), answer.text[:_COMPRESSED])
        if kind is None:
            place = answer.headers.get("location", "")
            heard = f"{answer.status}, to go to {place}" if place else str(answer.status)
            raise SettingsError(
                f"{url} answers {printable(heard)} and does not say which kind of store it is: name it by --profile, "
                f"or give its services and --profile {GENERIC}"
            )
        profile = kind.name
        found(profile)
    chosen = endpoint(url, GENERIC if profile == AUTO else profile, query=query, update=update, store=store)
    known = credentials(chosen.host, auth, preferred=chosen.profile.authentication, file=credentials_file)
    return SparqlClient(chosen, Connection(origin_of(url), known, timeout=timeout, wait=wait), url)


def _graph_name(row: Sequence[object]) -> str:
    match row:
        case (NamedNode(value=name),):
            return str(name)
    given = " and ".join(map(str, row))[:200] or "nothing"
    message = f"the server gives {given} where the name of a graph is expected: is that the URL of a SPARQL service?"
    raise TruncatedResultError(message)
