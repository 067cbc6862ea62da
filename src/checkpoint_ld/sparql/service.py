"""A read-only SPARQL 1.1 Protocol service over a store, with a query page for browsers.

It uses the standard library's HTTP server. `Server` listens, `_Handler` turns a request into a `QueryOperation`, and a
`Pool` of processes answers it. A process that takes too long is killed.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import queue
import re
import socket
import sys
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

import pyoxigraph

from checkpoint_ld.connections import check_timeout, is_loopback
from checkpoint_ld.data import packaged
from checkpoint_ld.documents.files import FORM, MEDIA_TYPES, extension_of
from checkpoint_ld.errors import CheckpointLdError, QueryError, SettingsError, WriteError
from checkpoint_ld.graph.store import sparql_parser
from checkpoint_ld.sparql import describing, queries
from checkpoint_ld.sparql.describing import Publication, described
from checkpoint_ld.sparql.formats import chosen, offered_for, prefers_page, render, results_xml
from checkpoint_ld.sparql.guard import bound, checked
from checkpoint_ld.sparql.result import QueryResult, is_iri, term_of
from checkpoint_ld.sparql.running import START_LIMIT, evaluated
from checkpoint_ld.validation.reports.page import look
from checkpoint_ld.workers.process import TimeLimitError, Worker, WorkerError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from checkpoint_ld.sparql.rewriting import Known


@dataclass(frozen=True, slots=True)
class QueryOperation:
    """A query, the accepted media types, and the graphs of its dataset, by default all of the store.

    `default_graphs` and `named_graphs` are those of the protocol, which override those of the query (SPARQL 1.1
    Protocol §2.1.4). With `site`, the URL of the endpoint, the operation is the description of the service.
    """

    text: str
    accept: str = ""
    default_graphs: Sequence[str] = ()
    named_graphs: Sequence[str] = ()
    max_rows: int | None = None
    site: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: an HTTP status, a media type, a text, and headers in addition to those of all answers."""

    status: int
    media_type: str
    text: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def plain(cls, status: int, message: str, **headers: str) -> Answer:
        """Return an answer of one sentence."""
        return cls(status, _TEXT, f"{message}\n", headers)


def start(_setup: object, _data: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return the function that answers operations, each on the store in the folder `location`."""
    sparql_parser()  # imported before the time of a query starts
    opened: dict[str, tuple[pyoxigraph.Store, Known]] = {}

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        location = request.pop("location")
        if location not in opened:
            opened.clear()
            try:
                opened[location] = pyoxigraph.Store.read_only(location), {}
            except OSError:
                message = "what this server serves was removed: put it back, or start the server again"
                return asdict(Answer.plain(503, message))
        store, known = opened[location]
        return asdict(answered(store, QueryOperation(**request), known))

    return answer


def answered(store: pyoxigraph.Store, operation: QueryOperation, known: Known | None = None) -> Answer:
    """Return the answer of an operation, also for a faulty one."""
    try:
        query = None if operation.site else checked(operation.text)
        form = query.form if query else "construct"
        wanted = chosen(operation.accept, form)
        if wanted is None:
            offered = ", ".join(offered_for(form))
            return Answer.plain(406, f"the result of this query cannot be had as {operation.accept}: accept {offered}")
        if query is None:
            site, host = operation.site, urlsplit(operation.site).netloc
            about = Publication(
                site + VOID.removeprefix("/"), site=site, title=f"Checkpoints at {host}", publisher=host
            )
            return _rendered(described(store, about), wanted, {})
        default, named = tuple(operation.default_graphs), tuple(operation.named_graphs)
        if default or named:
            # With two default graphs or more, the engine merges them in a new store and ignores FROM.
            query = replace(query, default_graphs=(default or (describing.NOTHING,)) * 2, named_graphs=named)
        for name in (*query.default_graphs, *query.named_graphs):
            try:
                is_here = name == describing.NOTHING or store.contains_named_graph(pyoxigraph.NamedNode(name))
            except ValueError:
                raise QueryError(f"{name!r} is no IRI of a graph") from None
            if not is_here:
                raise QueryError(f"there is no graph <{name}> here, and nothing is fetched")
        result = evaluated(store, query, engine="oxigraph", max_rows=operation.max_rows, known=known)
        # The header is that of Virtuoso for the same purpose.
        return _rendered(result, wanted, {"X-SPARQL-MaxRows": str(operation.max_rows)} if result.is_cut else {})
    except WriteError as error:  # the media type cannot hold the result
        return Answer.plain(406, str(error))
    except CheckpointLdError as error:
        return Answer.plain(400 if isinstance(error, QueryError) else 500, str(error))


def _rendered(result: QueryResult, wanted: tuple[str, str], headers: Mapping[str, str]) -> Answer:
    media_type, kind = wanted
    text = results_xml(result) if kind == "xml" else render(result, "xml" if kind == "rdfxml" else kind)
    return Answer(200, media_type, text, headers)


class Pool:
    """Workers over the store in the folder that `location` returns for each operation, which has `timeout` seconds."""

    def __init__(self, location: Callable[[], str], *, size: int, timeout: float) -> None:
        self._location = location
        self._timeout = timeout
        self._idle: queue.Queue[Worker] = queue.Queue()
        self._all: set[Worker] = set()
        for _ in range(size):
            self._idle.put(self._started())

    def location(self) -> str:
        """Return the folder of the store of today."""
        return self._location()

    def health(self) -> Answer:
        """Return the numbers of workers, and of those that are free."""
        state = {"status": "ok", "workers": len(self._all), "free": self._idle.qsize()}
        return Answer(200, MEDIA_TYPES[".json"], json.dumps(state) + "\n", {"Cache-Control": "no-store"})

    def close(self) -> None:
        """Kill the workers."""
        for worker in self._all:
            worker.close()

    def answer(self, operation: QueryOperation) -> Answer:
        """Return the answer of the next free worker, or an error if there is none or it took too long."""
        try:
            worker = self._idle.get(timeout=self._timeout)
        except queue.Empty:
            return Answer.plain(503, "too many queries at a time: ask again later")
        request = {**asdict(operation), "location": self._location()}
        try:
            found = Answer(**worker.call(request, self._timeout))
        except (TimeLimitError, WorkerError) as error:
            worker.close()
            self._all.discard(worker)
            self._idle.put(self._started())
            if isinstance(error, TimeLimitError):
                return Answer.plain(500, f"the query took longer than {self._timeout:g} s: ask for less")
            return Answer.plain(503, f"the worker of the query was ended: it {error}; other queries are still answered")
        self._idle.put(worker)
        return found

    def _started(self) -> Worker:
        worker = Worker(start, start_limit=START_LIMIT)
        self._all.add(worker)
        return worker


SERVICE = "/sparql"
NAMED = "/queries"
VOID = "/.well-known/void"
RESOURCE = "/resource"
GRAPH = "/graph"
FILES = {"/": "page.html", "/page.css": "page.css", "/page.js": "page.js"}
QUERY, UPDATE = MEDIA_TYPES[".rq"], MEDIA_TYPES[".ru"]
_TEXT, _PAGE, _TURTLE = MEDIA_TYPES[".txt"], MEDIA_TYPES[".html"], MEDIA_TYPES[".ttl"]
POLICY = (
    "default-src 'none'; img-src data:; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADER = re.compile(r"\A(?:\s*(?:#[^\n]*)?\n)+")
"""The header of a query file, whose content the page shows elsewhere."""
_HOST = re.compile(r"[A-Za-z0-9._-]+(?::[0-9]+)?|\[[0-9A-Fa-f:.]+\](?::[0-9]+)?")
"""A header Host (RFC 9110 §7.2) that can stand in an IRI."""
_PUBLIC = re.compile(r"https?://[A-Za-z0-9._-]+(?::[0-9]+)?(?:/[A-Za-z0-9._~/-]*)?")
_SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
    "Vary": "Accept, Accept-Encoding",
}
_SHARED = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST",
    "Access-Control-Allow-Headers": "Accept, Content-Type",
    "Access-Control-Max-Age": "86400",
}
HEALTH = "/health"
_MOST_KEPT = 20
"""The most descriptions that are kept: one for each accepted media type and name of the server."""
_SHORTEST_PACKED = 1024
"""The fewest bytes that are worth being packed."""


_NO_UPDATES = Answer.plain(403, "this service only reads: updates are refused")


def _not_allowed(methods: str) -> Answer:
    return Answer.plain(405, f"this service only reads: use {methods}", Allow=methods)


def _bound(name: str, query: str) -> Answer:
    given = {key: values[-1] for key, values in parse_qs(query).items() if values[-1]}
    try:
        named = queries.request(name, given) if name in queries.catalogue() else None
        if named is None:
            return Answer.plain(404, f"there is no query {name!r}")
        text = bound(named.text, {key: term_of(value) for key, value in named.parameters.items()})
    except QueryError as error:
        return Answer.plain(400, str(error))
    return Answer(200, QUERY, _HEADER.sub("", text))


@cache
def _catalogue() -> str:
    listed = [
        {
            "name": query.name,
            "title": query.title,
            "description": query.description,
            "needs_derived": query.needs_derived,
            "columns": dict(query.columns),
            "parameters": [
                {"name": name, "kind": parameter.kind, "required": parameter.is_required, "words": parameter.words}
                for name, parameter in query.parameters.items()
            ],
            "text": _HEADER.sub("", query.text),
        }
        for query in queries.catalogue().values()
    ]
    return json.dumps(listed, ensure_ascii=False)


MOST_BYTES = 4 << 20
"""The most bytes in the body of a request; the longest query is shorter."""
_LONGEST_LENGTH = 20
"""The most digits of a header Content-Length that are read; Python converts no more than 4,300."""
_LAST_WORDS = 1.0
"""The most seconds between two parts that a refused client still sends."""
PATIENCE = 30.0
"""The most seconds between two parts of a request."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The address to listen at, and the limits.

    `timeout` is in seconds for each query, `workers` is the number of queries at a time. Port 0 is any free port.
    With `cors`, pages of other sites may read the answers. `public_url` is the URL under which a proxy offers the
    server. `log` gets a line for each request, in the Common Log Format without the query, which is private. Raises
    SettingsError for a timeout that is none, and for a public URL that is none.
    """

    host: str = "127.0.0.1"
    port: int = 0
    timeout: float = 30.0
    max_rows: int | None = None
    workers: int = 2
    cors: bool = False
    public_url: str | None = None
    log: Callable[[str], object] | None = None

    def __post_init__(self) -> None:
        check_timeout(self.timeout)
        if self.public_url is not None and not _PUBLIC.fullmatch(self.public_url):
            raise SettingsError(f"the public URL {self.public_url!r} is none: write it as https://example.org/data/")


class Server(ThreadingHTTPServer):
    """Serves the store in a folder until it is closed.

    `location` is that folder, which must not be written meanwhile, or a function that returns the folder for each
    operation. Raises SettingsError for an address that it cannot listen at.
    """

    daemon_threads = True

    def __init__(self, location: str | os.PathLike[str] | Callable[[], str], settings: Settings) -> None:
        self.settings = settings
        self.address_family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        try:
            super().__init__((settings.host, settings.port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SettingsError(
                f"cannot listen at {settings.host} port {settings.port}: {reason}; choose another --port or --host"
            ) from None
        self.names = _names(settings)
        self.descriptions: dict[tuple[str, str, str], Answer] = {}
        current = location if callable(location) else lambda: str(location)
        self.pool = Pool(current, size=settings.workers, timeout=settings.timeout)

    @property
    def url(self) -> str:
        """The URL of the page."""
        host, port = self.server_address[:2]
        shown = f"[{host!s}]" if ":" in str(host) else str(host)
        return f"http://{shown}:{port}/"

    def __exit__(self, *_: object) -> None:
        self.server_close()
        self.pool.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that closed the connection."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = PATIENCE
    server: Server

    def log_message(self, *_: Any) -> None:
        """Log nothing of a faulty request; `_handle` logs the others."""

    def version_string(self) -> str:
        return "checkpoint-ld"

    def _handle(self) -> None:
        answer, settings = self._answer(), self.server.settings
        body = answer.text.encode("utf-8", "replace")
        own = {"Content-Type": f"{answer.media_type}; charset=utf-8"}
        if answer.status == HTTPStatus.OK and self.command != "POST":
            own["ETag"] = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
            if own["ETag"] in self.headers.get("If-None-Match", ""):
                answer, body = replace(answer, status=HTTPStatus.NOT_MODIFIED), b""
        if len(body) >= _SHORTEST_PACKED and _accepts_gzip(self.headers.get("Accept-Encoding", "")):
            body, own["Content-Encoding"] = gzip.compress(body, 6, mtime=0), "gzip"
        own["Content-Length"] = str(len(body))
        self.send_response(answer.status)
        shared = _SHARED if settings.cors else {}
        for name, value in {**own, **_SAFE, **shared, **answer.headers}.items():
            self.send_header(name, value)
        if settings.log is not None:
            path = urlsplit(self.path).path if self.path.isascii() and self.path.isprintable() else "?"
            at = self.log_date_time_string()
            settings.log(f'{self.address_string()} - - [{at}] "{self.command} {path}" {answer.status:d} {len(body)}')
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        if answer.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            self._drain()

    def _drain(self) -> None:
        """Read the rest that a client sends; otherwise it would get a broken connection instead of its answer."""
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(_LAST_WORDS)
        left = 4 * MOST_BYTES
        with contextlib.suppress(OSError):
            while left > 0 and (part := self.connection.recv(1 << 16)):
                left -= len(part)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _handle  # noqa: N815 - http.server's names

    def _answer(self) -> Answer:
        names = self.server.names
        try:
            host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        except ValueError:
            host = None
        if names is not None and host not in names:
            # This stops a page of another site from reading data by DNS rebinding.
            return self._closing(421, f"this server answers only under its own name: use {self.server.url}")
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdecimal():
            return self._closing(411, "say the length of the body")
        if len(length) > _LONGEST_LENGTH or int(length) > MOST_BYTES:
            return self._closing(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST_BYTES} bytes")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return self._closing(HTTPStatus.BAD_REQUEST, "the body ends before its end")
        try:
            parts = urlsplit(self.path)
            unquote(self.path.encode("ascii"), errors="strict")
        except ValueError:  # such as a broken IPv6 address, or a text in Latin-1
            message = f"{self.path!r} is no target of a request: write it in ASCII, other characters as %XX of UTF-8"
            return Answer.plain(HTTPStatus.BAD_REQUEST, message)
        path = unquote(parts.path)
        if self.command == "OPTIONS" and self.server.settings.cors:
            return Answer(HTTPStatus.NO_CONTENT, _TEXT, "", _PREFLIGHT)
        if path == SERVICE:
            return self._queried(parts.query, body)
        if self.command not in {"GET", "HEAD"}:
            return _not_allowed("GET, HEAD")
        return self._found(path, parts.query)

    def _found(self, path: str, query: str) -> Answer:
        given = parse_qs(query)
        accept = given.get("format", [self._accepted()])[-1]
        if path == HEALTH:
            return self.server.pool.health()
        if path == VOID or (path == "/" and not prefers_page(accept) and chosen(accept, "construct")):
            return self._described(accept)
        if path in {GRAPH, RESOURCE}:
            return self._about(path, given, accept)
        if path in FILES:
            name, text = FILES[path], packaged(f"sparql/{FILES[path]}")
            return Answer(200, MEDIA_TYPES[extension_of(name)], look() + text if name.endswith(".css") else text)
        if path == NAMED:
            return Answer(200, MEDIA_TYPES[".json"], _catalogue())
        if path.startswith(f"{NAMED}/"):
            return _bound(path.removeprefix(f"{NAMED}/"), query)
        return Answer.plain(404, f"there is nothing at {path!r}: the service is at {SERVICE}")

    def _described(self, accept: str) -> Answer:
        host = self.headers.get("Host", "")
        if not _HOST.fullmatch(host):
            return Answer.plain(400, "say the name of this server in the header Host")
        site = f"{(self.server.settings.public_url or f'http://{host}').rstrip('/')}/"
        if not prefers_page(accept):
            return self._description(accept, site)
        answer = self._description(_TURTLE, site)
        # A browser shows plain text, and downloads unknown media types.
        is_browser = _PAGE in accept and answer.status == HTTPStatus.OK
        return replace(answer, media_type=_TEXT) if is_browser else answer

    def _description(self, accept: str, site: str) -> Answer:
        """Return the description of the store, which takes long, and is kept until the store changes."""
        pool, kept = self.server.pool, self.server.descriptions
        key = (pool.location(), accept, site)
        if key not in kept:
            answer = pool.answer(QueryOperation("", accept, site=site))
            if answer.status != HTTPStatus.OK:
                return answer
            if len(kept) >= _MOST_KEPT or any(location != key[0] for location, _, _ in kept):
                kept.clear()
            kept[key] = answer
        return kept[key]

    def _about(self, path: str, given: Mapping[str, Sequence[str]], accept: str) -> Answer:
        """Return a whole graph, or the statements about a resource, as a page or as RDF."""
        name = {GRAPH: "graph", RESOURCE: "iri"}[path]
        values = given.get(name, ())
        if len(values) != 1 or not is_iri(values[0]):
            return Answer.plain(400, f"give one absolute IRI, as {path}?{name}=urn%3Auuid%3A…")
        [iri] = values
        pool = self.server.pool
        if path == GRAPH:
            wanted = _TURTLE if prefers_page(accept) else accept
            answer = pool.answer(QueryOperation(describing.ALL, wanted, (iri,), (), self.server.settings.max_rows))
            return replace(answer, status=404) if answer.status == HTTPStatus.BAD_REQUEST else answer
        if not prefers_page(accept):
            answer = pool.answer(QueryOperation(describing.statements(iri), accept))
            if answer.status != HTTPStatus.OK:
                return answer
            known = pool.answer(QueryOperation(describing.mention(iri), MEDIA_TYPES[".srj"]))
            if known.status != HTTPStatus.OK or json.loads(known.text)["boolean"]:
                return answer
            stated, media = describing.of_vocabulary(iri), chosen(accept, "construct")
            if stated and media:
                return _rendered(QueryResult("construct", triples=stated), media, {})
            return Answer.plain(404, f"nothing here mentions <{iri}>")
        answer = pool.answer(QueryOperation(describing.rows(iri), MEDIA_TYPES[".srj"]))
        if answer.status != HTTPStatus.OK:
            return answer
        found = [*describing.vocabulary_rows(iri), *json.loads(answer.text)["results"]["bindings"]]
        page = describing.page(packaged("sparql/resource.html"), iri, found)
        return Answer(200 if found else 404, _PAGE, page)

    def _closing(self, status: int, message: str) -> Answer:
        self.close_connection = True
        return Answer.plain(status, message)

    def _queried(self, query: str, body: bytes) -> Answer:
        given = parse_qs(query, keep_blank_values=True)
        if self.command == "POST":
            kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            if kind == UPDATE:
                return _NO_UPDATES
            try:
                text = body.decode()
                form = parse_qs(text, keep_blank_values=True, errors="strict") if kind == FORM else {"query": [text]}
            except UnicodeDecodeError:
                return Answer.plain(400, "the body is no UTF-8")
            if kind not in {FORM, QUERY}:
                return Answer.plain(415, f"a body is {QUERY} or {FORM}, not {kind or 'of no type'}")
            given |= form
        elif self.command not in {"GET", "HEAD"}:
            return _not_allowed("GET, HEAD, POST")
        if "update" in given:
            return _NO_UPDATES
        if "query" not in given and self.command != "POST":
            return Answer(200, _TURTLE, packaged("sparql/description.ttl"))
        if len(given.get("query", ())) != 1:
            return Answer.plain(400, "give one query")
        default, named = (given.get(f"{kind}-graph-uri", ()) for kind in ("default", "named"))
        return self.server.pool.answer(
            QueryOperation(given["query"][0], self._accepted(), default, named, self.server.settings.max_rows)
        )

    def _accepted(self) -> str:
        """Return the header `Accept`, of which several are one list (RFC 9110 §5.3)."""
        return ", ".join(self.headers.get_all("Accept", ()))


def _accepts_gzip(header: str) -> bool:
    """Return whether a header Accept-Encoding accepts gzip (RFC 9110 §12.5.3)."""
    for entry in header.lower().split(","):
        coding, _, weight = entry.replace(" ", "").partition(";q=")
        if coding in ("gzip", "*"):
            return weight.rstrip("0").rstrip(".") not in ("0", "") if weight else True
    return False


def _names(settings: Settings) -> frozenset[str] | None:
    """Return the names of this server that requests may use, None for any, because only loopback names are known."""
    if not is_loopback(settings.host):
        return None
    public = {urlsplit(settings.public_url).hostname or ""} if settings.public_url else set()
    return frozenset({settings.host, "127.0.0.1", "localhost", "::1"} | public)
