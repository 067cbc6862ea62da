"""The server of a read-only SPARQL 1.1 Protocol service over a store, with a query page for browsers.

cheroot speaks HTTP. `Server` listens, and `_Request` turns a request into a `QueryOperation`, which `service` answers.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import socket
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from cheroot import wsgi
from cheroot.errors import MaxSizeExceeded

from checkpoint_ld.connections import check_timeout, is_loopback
from checkpoint_ld.data import packaged
from checkpoint_ld.documents.files import FORM, MEDIA_TYPES, extension_of
from checkpoint_ld.errors import QueryError, SettingsError
from checkpoint_ld.guard.checking import PREFIXES, bound
from checkpoint_ld.guard.terms import is_iri
from checkpoint_ld.sparql import describing, queries
from checkpoint_ld.sparql.formats import chosen, prefers_page
from checkpoint_ld.sparql.result import QueryResult, term_of
from checkpoint_ld.sparql.service import TEXT, VOID, Answer, Pool, QueryOperation, rendered
from checkpoint_ld.validation.reports.page import look

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from wsgiref.types import StartResponse

SERVICE = "/sparql"
NAMED = "/queries"
RESOURCE = "/resource"
GRAPH = "/graph"
FILES = {"/": "page.html", "/page.css": "page.css", "/page.js": "page.js", "/editor.js": "editor.js"}
KNOWN_PREFIXES = "/prefixes"
QUERY, UPDATE = MEDIA_TYPES[".rq"], MEDIA_TYPES[".ru"]
_PAGE, _TURTLE = MEDIA_TYPES[".html"], MEDIA_TYPES[".ttl"]
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
_MOST_HEADERS = 1 << 17
"""The most bytes in the headers of a request."""
PATIENCE = 30
"""The most seconds between two parts of a request."""
_THREADS = 32
"""The number of requests at a time, most of which wait for a worker."""


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


class _Http(wsgi.Server):
    def bind(self, family: int, type: int, proto: int = 0) -> socket.socket:  # noqa: A002, ARG002 - cheroot's names
        """Bind to the address; cheroot's own leaves the socket open where that fails."""
        bound_to = socket.create_server(self.bind_addr, family=family)
        self.socket, self.bind_addr = bound_to, bound_to.getsockname()[:2]
        return bound_to

    def error_log(self, *_: object, **__: object) -> None:
        """Log nothing about a faulty request, or a client that closed the connection."""


class Server:
    """Serves the store in a folder until it is closed.

    `location` is that folder, which must not be written meanwhile, or a function that returns the folder for each
    operation. Raises SettingsError for an address that it cannot listen at.
    """

    def __init__(self, location: str | os.PathLike[str] | Callable[[], str], settings: Settings) -> None:
        self.settings = settings
        self._http = _Http(
            (settings.host, settings.port),
            self._respond,
            numthreads=_THREADS,
            server_name="checkpoint-ld",
            timeout=PATIENCE,
            shutdown_timeout=1,
        )
        self._http.max_request_body_size = MOST_BYTES
        self._http.max_request_header_size = _MOST_HEADERS
        try:
            self._http.prepare()
        except (OSError, OverflowError, UnicodeError) as error:
            reason = str(error).rpartition("] ")[2].rstrip(")")
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
        host, port = self._http.bind_addr[:2]
        shown = f"[{host!s}]" if ":" in str(host) else str(host)
        return f"http://{shown}:{port}/"

    def serve_forever(self) -> None:
        """Answer requests until `shutdown`, or until Ctrl-C, which raises KeyboardInterrupt."""
        self._http.serve()

    def shutdown(self) -> None:
        """Let `serve_forever` return."""
        self._http.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.stop()
        self.pool.close()

    def _respond(self, environment: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        request = _Request(self, environment)
        answer = request.answer()
        body = answer.text.encode("utf-8", "replace")
        own = {"Content-Type": f"{answer.media_type}; charset=utf-8"}
        if answer.status == HTTPStatus.OK and request.method != "POST":
            # It is weak, because the body may be packed (RFC 9110 §8.8.1).
            own["ETag"] = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
            if own["ETag"] in request.header("If-None-Match"):
                answer, body = replace(answer, status=HTTPStatus.NOT_MODIFIED), b""
        if len(body) >= _SHORTEST_PACKED and _accepts_gzip(request.header("Accept-Encoding")):
            body, own["Content-Encoding"] = gzip.compress(body, 6, mtime=0), "gzip"
        own["Content-Length"] = str(len(body))
        shared = _SHARED if self.settings.cors else {}
        status = HTTPStatus(answer.status)
        start(f"{status:d} {status.phrase}", [*{**own, **_SAFE, **shared, **answer.headers}.items()])
        if self.settings.log is not None:
            path = request.target.path if request.target.path.isprintable() else "?"
            at = datetime.now(UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
            line = f'"{request.method} {path}" {answer.status:d} {len(body)}'
            self.settings.log(f"{environment.get('REMOTE_ADDR', '-')} - - [{at}] {line}")
        return [] if request.method == "HEAD" else [body]


class _Request:
    """One request to a server, and the answer to it."""

    def __init__(self, server: Server, environment: Mapping[str, Any]) -> None:
        self.server = server
        self.method = str(environment["REQUEST_METHOD"])
        self._environment = environment
        self.target = SplitResult("", "", "", "", "")

    def header(self, name: str) -> str:
        """Return the value of a header, empty if it is missing."""
        key = name.upper().replace("-", "_")
        return str(self._environment.get(key if key in _UNPREFIXED else f"HTTP_{key}", ""))

    def answer(self) -> Answer:
        """Return the answer."""
        names = self.server.names
        try:
            host = urlsplit(f"//{self.header('Host')}").hostname
        except ValueError:
            host = None
        if names is not None and host not in names:
            # This stops a page of another site from reading data by DNS rebinding.
            return Answer.plain(421, f"this server answers only under its own name: use {self.server.url}")
        try:
            self.target = urlsplit(str(self._environment["REQUEST_URI"]))
            path = unquote(self.target.path, errors="strict")
            unquote(self.target.query.encode("latin-1").decode(), errors="strict")
        except ValueError:
            message = "this is no target of a request: write it in ASCII, other characters as %XX of UTF-8"
            return Answer.plain(HTTPStatus.BAD_REQUEST, message)
        if self.method == "OPTIONS" and self.server.settings.cors:
            return Answer(HTTPStatus.NO_CONTENT, TEXT, "", _PREFLIGHT)
        if path == SERVICE:
            return self._queried(self.target.query)
        if self.method not in {"GET", "HEAD"}:
            return _not_allowed("GET, HEAD")
        return self._found(path, self.target.query)

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
        if path == KNOWN_PREFIXES:
            return Answer(200, MEDIA_TYPES[".json"], json.dumps(PREFIXES))
        if path == NAMED:
            return Answer(200, MEDIA_TYPES[".json"], _catalogue())
        if path.startswith(f"{NAMED}/"):
            return _bound(path.removeprefix(f"{NAMED}/"), query)
        return Answer.plain(404, f"there is nothing at {path!r}: the service is at {SERVICE}")

    def _described(self, accept: str) -> Answer:
        host = self.header("Host")
        if not _HOST.fullmatch(host):
            return Answer.plain(400, "say the name of this server in the header Host")
        site = f"{(self.server.settings.public_url or f'http://{host}').rstrip('/')}/"
        if not prefers_page(accept):
            return self._description(accept, site)
        answer = self._description(_TURTLE, site)
        # A browser shows plain text, and downloads unknown media types.
        is_browser = _PAGE in accept and answer.status == HTTPStatus.OK
        return replace(answer, media_type=TEXT) if is_browser else answer

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
                return rendered(QueryResult("construct", triples=stated), media, {})
            return Answer.plain(404, f"nothing here mentions <{iri}>")
        answer = pool.answer(QueryOperation(describing.rows(iri), MEDIA_TYPES[".srj"]))
        if answer.status != HTTPStatus.OK:
            return answer
        found = [*describing.vocabulary_rows(iri), *json.loads(answer.text)["results"]["bindings"]]
        page = describing.page(packaged("sparql/resource.html"), iri, found)
        return Answer(200 if found else 404, _PAGE, page)

    def _queried(self, query: str) -> Answer:
        given = parse_qs(query, keep_blank_values=True)
        if self.method == "POST":
            kind = self.header("Content-Type").partition(";")[0].strip().lower()
            if kind == UPDATE:
                return _NO_UPDATES
            body = self._body()
            if isinstance(body, Answer):
                return body
            try:
                text = body.decode()
                form = parse_qs(text, keep_blank_values=True, errors="strict") if kind == FORM else {"query": [text]}
            except UnicodeDecodeError:
                return Answer.plain(400, "the body is no UTF-8")
            if kind not in {FORM, QUERY}:
                return Answer.plain(415, f"a body is {QUERY} or {FORM}, not {kind or 'of no type'}")
            given |= form
        elif self.method not in {"GET", "HEAD"}:
            return _not_allowed("GET, HEAD, POST")
        if "update" in given:
            return _NO_UPDATES
        if "query" not in given and self.method != "POST":
            return Answer(200, _TURTLE, packaged("sparql/description.ttl"))
        if len(given.get("query", ())) != 1:
            return Answer.plain(400, "give one query")
        default, named = (given.get(f"{kind}-graph-uri", ()) for kind in ("default", "named"))
        return self.server.pool.answer(
            QueryOperation(given["query"][0], self._accepted(), default, named, self.server.settings.max_rows)
        )

    def _body(self) -> bytes | Answer:
        """Return the body, or the answer for one that is too large or ends too early."""
        stream, length = self._environment["wsgi.input"], self.header("Content-Length")
        try:
            body = bytes(stream.read(int(length)) if length else stream.read())
        except (MaxSizeExceeded, OSError):  # the latter for one that comes in parts
            return Answer.plain(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST_BYTES} bytes")
        except ValueError:
            body, length = b"", "1"
        is_whole = not length or len(body) == int(length)
        return body if is_whole else Answer.plain(HTTPStatus.BAD_REQUEST, "the body ends before its end")

    def _accepted(self) -> str:
        """Return the header `Accept`, of which several are one list (RFC 9110 §5.3)."""
        return self.header("Accept")


_UNPREFIXED = ("CONTENT_TYPE", "CONTENT_LENGTH")
"""The headers that WSGI gives without a prefix (PEP 3333)."""


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
