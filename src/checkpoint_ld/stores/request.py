"""Requests to a triple store, and complete answers of it.

The requests are those of the SPARQL 1.1 Protocol and the SPARQL 1.1 Graph Store HTTP Protocol. A request that writes or
deletes names its graph; no request replaces a whole dataset.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import pyoxigraph

from checkpoint_ld.documents.files import FORM, MEDIA_TYPES
from checkpoint_ld.errors import EvaluationError, SettingsError, TruncatedResultError
from checkpoint_ld.graph.emission import too_long
from checkpoint_ld.sparql.result import QueryResult, of_results_json
from checkpoint_ld.stores.backend import Body, blocks, compressed, opened, parsed
from checkpoint_ld.vocabulary import CAF, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from checkpoint_ld.guard.checking import Form
    from checkpoint_ld.stores.backend import Outgoing
    from checkpoint_ld.stores.endpoint import Credentials, Endpoint


N_TRIPLES, N_QUADS, TURTLE = MEDIA_TYPES[".nt"], MEDIA_TYPES[".nq"], MEDIA_TYPES[".ttl"]
QUERY, UPDATE, RESULTS = MEDIA_TYPES[".rq"], MEDIA_TYPES[".ru"], MEDIA_TYPES[".srj"]

MOST_TRIPLES = 1000
MOST_BYTES = 256 << 10
"""The most bytes in one update; Virtuoso runs out of memory at twice the number."""
BLANK = "urn:checkpoint-ld:bnode:"
_END_OF_BODY = "END_OF_BODY"
_LINES = 5
"""The number of lines of a body in a preview."""
_LONGEST_URL = 4000
"""The most characters in a URL; RFC 9110 §4.1 recommends twice as many, Oxigraph's limit for all headers together."""
ANY_BUT_UNAUTHORIZED = frozenset(range(200, 600)) - {401}
"""The accepted statuses where only the headers of the answer matter."""


@dataclass(frozen=True)
class Request:
    """An idempotent HTTP request.

    `accepted` are the statuses that mean success. `writes` is whether it changes the store. `purpose` is a phrase for
    messages that follows "cannot".
    """

    method: str
    url: str
    purpose: str
    headers: dict[str, str] = field(default_factory=dict)
    body: Body = field(default=b"", repr=False)
    accepted: frozenset[int] = frozenset((200,))
    writes: bool = False

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body in parts, always from its start, because HTTP Digest authentication sends it again."""
        return blocks(self.body)


@dataclass(frozen=True)
class Response:
    """The answer of a server: the status, the headers with their names in lower case, the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def text(self) -> str:
        """The body as text, for messages."""
        return self.body.decode("utf-8", "replace")


def printable(text: str) -> str:
    """Return a text of a server without control characters."""
    return "".join(character if character.isprintable() else " " for character in text)


def query(endpoint: Endpoint, text: str, *, accept: str = RESULTS, purpose: str = "query") -> Request:
    """Build a query operation (SPARQL 1.1 Protocol §2.1) by POST, directly or as a form, as the profile has it."""
    kind, body = (FORM, urlencode({"query": text})) if endpoint.profile.form_encoded else (QUERY, text)
    return Request("POST", endpoint.query, purpose, {"Content-Type": kind, "Accept": accept}, body.encode())


def update(endpoint: Endpoint, text: str, purpose: str) -> Request:
    """Build an update operation (SPARQL 1.1 Protocol §2.2). Raises SettingsError for a store without updates."""
    if endpoint.update is None:
        raise SettingsError("nothing can be written to this store: give the URL of its update or graph store service")
    kind, body = (FORM, urlencode({"update": text})) if endpoint.profile.form_encoded else (UPDATE, text)
    headers = {"Content-Type": kind, "Accept": "*/*"}
    return Request("POST", endpoint.update, purpose, headers, body.encode(), frozenset((200, 204)), writes=True)


def replace_graph(endpoint: Endpoint, graph: str, triples: Body, *, compress: bool = False) -> Iterator[Request]:
    """Yield the requests that replace a graph by these N-Triples.

    That is one PUT (Graph Store Protocol §5.3) or, for a store without it, an update that drops the graph and updates
    that insert. `compress` packs the body of the PUT with gzip.
    """
    purpose, url = f"replace the graph {graph}", _url_for(endpoint, graph)
    if url is None:
        yield update(endpoint, f"DROP SILENT GRAPH {iri(graph)}", purpose)
        for text in insertions(graph, triples):
            yield update(endpoint, text, purpose)
    else:
        yield _sent("PUT", url, purpose, N_TRIPLES, triples, compress=compress)


def add_graphs(endpoint: Endpoint, quads: Body, number: int, *, compress: bool = False) -> Request:
    """Build the request that adds N-Quads, in which every line names its graph; existing statements stay.

    The protocol has no such request. Raises SettingsError for a store whose profile does not allow it.
    """
    if endpoint.store is None or not endpoint.profile.quads:
        raise SettingsError(f"{endpoint.profile.title} takes one graph at a time: leave --fast out")
    return _sent("POST", endpoint.store, f"add {number} graphs", N_QUADS, quads, compress=compress)


def _sent(method: str, url: str, purpose: str, kind: str, body: Body, *, compress: bool) -> Request:  # noqa: PLR0913
    headers = {"Content-Type": kind, "Accept": "*/*", **({"Content-Encoding": "gzip"} if compress else {})}
    sent = compressed(body) if compress else body
    return Request(method, url, purpose, headers, sent, frozenset((200, 201, 204)), writes=True)


def read_graph(endpoint: Endpoint, graph: str) -> Request:
    """Build the request for a graph, in the syntax in which the store writes numbers in full.

    404 means that there is none (Graph Store Protocol §5.2).
    """
    purpose, url = f"read the graph {graph}", _url_for(endpoint, graph)
    accept = TURTLE if endpoint.profile.exact_in == "turtle" else N_TRIPLES
    if url is None:
        text = f"CONSTRUCT {{ ?s ?p ?o }} WHERE {{ {_pattern(endpoint, [graph])} }}"
        return query(endpoint, text, accept=accept, purpose=purpose)
    return Request("GET", url, purpose, {"Accept": accept}, accepted=frozenset((200, 404)))


def decimals_of(endpoint: Endpoint, graph: str) -> str:
    """Return the query for the statements of a graph with decimals that are no integers."""
    of_kind = "FILTER (DATATYPE(?o) = xsd:decimal && CONTAINS(STR(?o), '.'))"
    return f"SELECT ?s ?p ?o WHERE {{ {_pattern(endpoint, [graph])} {of_kind} }}"


def drop_graph(endpoint: Endpoint, graph: str) -> Request:
    """Build the request that removes a graph; 404 means that there was none (Graph Store Protocol §5.4)."""
    purpose, url = f"drop the graph {graph}", _url_for(endpoint, graph)
    if url is None:
        return update(endpoint, f"DROP SILENT GRAPH {iri(graph)}", purpose)
    return Request("DELETE", url, purpose, {"Accept": "*/*"}, accepted=frozenset((200, 204, 404)), writes=True)


def introduction(endpoint: Endpoint) -> Request | None:
    """Build the request that settles Digest authentication before a body is sent, None without a URL for it."""
    # This graph is always empty, so the answer is short.
    url = _url_for(endpoint, "urn:checkpoint-ld:nothing") or endpoint.update
    return Request("GET", url, "introduce ourselves", {"Accept": "*/*"}, accepted=ANY_BUT_UNAUTHORIZED) if url else None


def count_of(endpoint: Endpoint, graphs: Sequence[str]) -> str:
    """Return the query for the number of triples of each graph; a missing graph has no row."""
    return f"SELECT ?g (COUNT(*) AS ?n) WHERE {{ {_pattern(endpoint, graphs)} }} GROUP BY ?g"


_OF_ANY_FAMILY = f"{{ ?root a <{SCHEMA}DataFeed> }} UNION {{ ?root a <{CAF}Checkpoint> }}"


def checkpoints_after(graph: str, most: int) -> str:
    """Return the query for the names of the next graphs that hold a checkpoint, in their order.

    Their names are those of the checkpoints, or made of these by `beside`. A page starts after the last name of the
    previous page, because stores cut and sort only a part of a long result.
    """
    return (
        f"SELECT DISTINCT ?g WHERE {{ GRAPH ?g {{ {_OF_ANY_FAMILY} }} FILTER (STR(?g) > {pyoxigraph.Literal(graph)} "
        f"&& STRSTARTS(CONCAT(STR(?g), '#'), CONCAT(STR(?root), '#'))) }} ORDER BY STR(?g) LIMIT {most}"
    )


def _pattern(endpoint: Endpoint, graphs: Sequence[str]) -> str:
    """Return the graph pattern of all triples of graphs, as `?s ?p ?o`.

    Jena refuses `urn:uuid:` IRIs that are no UUIDs, such as those of Karenina, so it compares names as texts.
    """
    names = [iri(graph) for graph in graphs]
    if endpoint.profile.names == "text":
        texts = ", ".join(str(pyoxigraph.Literal(graph)) for graph in graphs)
        return f"GRAPH ?g {{ ?s ?p ?o }} FILTER (STR(?g) IN ({texts}))"
    return f"VALUES ?g {{ {' '.join(names)} }} GRAPH ?g {{ ?s ?p ?o }}"


def iri(text: str) -> str:
    """Return an IRI in the syntax of SPARQL and N-Triples; raise SettingsError for an invalid one."""
    try:
        return str(pyoxigraph.NamedNode(text))
    except ValueError:
        raise SettingsError(f"{text!r} is no IRI, so it cannot name a graph") from None


def _url_for(endpoint: Endpoint, graph: str) -> str | None:
    """Return the URL of a graph in the graph store, None without a graph store or for a name that is too long."""
    if endpoint.store is None:
        return None
    iri(graph)  # refuses an invalid IRI
    url = f"{endpoint.store}?{endpoint.profile.graph_parameter}={quote(graph, safe='')}"
    return None if len(url) > _LONGEST_URL and endpoint.update is not None else url


def insertions(graph: str, triples: Body) -> Iterator[str]:
    """Yield updates that add N-Triples to a graph (SPARQL 1.1 Update §3.1.1), each small enough for every store.

    Blank nodes become IRIs that are computed from the graph and their label, so that the updates are idempotent.
    """

    def written(term: object) -> str:
        if isinstance(term, pyoxigraph.BlankNode):
            return f"<{BLANK}{hashlib.sha256(f'{graph} {term.value}'.encode()).hexdigest()[:32]}>"
        return str(term)

    start, end = f"INSERT DATA {{ GRAPH {pyoxigraph.NamedNode(graph)} {{\n", "\n} }"
    held: list[str] = []
    size = 0
    for triple in parsed(triples):
        line = _ESCAPED.sub(_kept, f"{written(triple.subject)} {triple.predicate} {written(triple.object)} .")
        length = len(line.encode()) + 1
        if held and (len(held) >= MOST_TRIPLES or size + length > MOST_BYTES):
            yield start + "\n".join(held) + end
            held, size = [], 0
        held.append(line)
        size += length
    if held:
        yield start + "\n".join(held) + end


_ESCAPED = re.compile(r"\\(?:\\([uU])|.)")


def _kept(escaped: re.Match[str]) -> str:
    """Return the escape of a character; if it is a backslash before a `u`, the escapes of both.

    Some stores replace code points before they look for strings, as SPARQL 1.1 §19.2 says.
    """
    return f"\\\\\\U{ord(escaped[1]):08X}" if escaped[1] else escaped[0]


def preview_skipped(load: Outgoing) -> dict[str, Any]:
    """Return the preview of a graph that is done in the manifest."""
    reason = "skipped, if the store still has as many triples: this very content was sent and verified before"
    return {"source": load.source, "graph": load.graph, "triples": load.count, "skipped": reason}


def preview_as_json(load: Outgoing, endpoint: Endpoint, credentials: Credentials) -> Iterator[dict[str, Any]]:
    """Yield the requests that would replace a graph, as JSON objects; credentials are masked."""
    for request in replace_graph(endpoint, load.graph, load.triples):
        yield {
            "source": load.source,
            "graph": load.graph,
            "method": request.method,
            "url": request.url,
            "headers": _headers(request, credentials),
            "triples": load.count,
            "bytes": len(request.body),
        }


def preview_as_text(
    load: Outgoing, endpoint: Endpoint, credentials: Credentials, *, body: bool = False
) -> Iterator[str]:
    """Yield the requests that would replace a graph, as lines of text, on request with the start of each body."""
    for request in replace_graph(endpoint, load.graph, load.triples):
        yield f"{request.method} {request.url}"
        yield from (f"  {name}: {value}" for name, value in _headers(request, credentials).items())
        yield f"  {load.count} triples in all, {len(request.body)} bytes, from {load.source or 'memory'}"
        if body:
            lines = opened(request.body)
            yield from (f"  | {line.decode().rstrip()}" for line in islice(lines, _LINES))
            if more := sum(1 for _ in lines):
                yield f"  | … {more} lines more"


def preview_as_curl(load: Outgoing, endpoint: Endpoint, credentials: Credentials) -> Iterator[str]:
    """Yield the requests that would replace a graph, as shell commands that read the credentials from their origin."""
    for request in replace_graph(endpoint, load.graph, load.triples):
        options = [f"-H '{name}: {value}'" for name, value in request.headers.items()]
        if credentials.for_shell:
            options.append(credentials.for_shell)
        quoted = request.url.replace("'", "%27")
        command = f"curl -sS --fail-with-body -X {request.method} {' '.join(options)}"
        yield f"{command} --data-binary @- '{quoted}' <<'{_END_OF_BODY}'"
        yield f"{b''.join(blocks(request.body)).decode().removesuffix(chr(10))}\n{_END_OF_BODY}"


def _headers(request: Request, credentials: Credentials) -> dict[str, str]:
    return {**request.headers, **({"Authorization": credentials.masked} if credentials.masked else {})}


_CUT_SIGN = "x-sparql-maxrows"
"""The header of Virtuoso for a result that it cut."""
_TRUE = ("1", "true")


def result_of(answer: Response, form: Form, *, most_rows: int | None = None) -> QueryResult:
    """Return the result of a query of a form.

    Raises TruncatedResultError for an answer that does not parse to its end, such as after a timeout, for one that is
    marked as cut, and for one of `most_rows` rows, at which the server cuts silently.
    """
    if form in ("construct", "describe"):
        quads = pyoxigraph.parse(triples_of(answer), format=pyoxigraph.RdfFormat.N_TRIPLES)
        result = QueryResult(form, triples=tuple(sorted((quad.triple for quad in quads), key=str)))
    else:
        result = _solutions(answer)
    if form == "ask":
        # Virtuoso returns one row, or none, instead of a truth value.
        in_rows = any(getattr(term, "value", "") in _TRUE for row in result.rows for term in row)
        return QueryResult("ask", boolean=in_rows if result.boolean is None else result.boolean)
    if result.boolean is not None:
        raise TruncatedResultError("the server answered a truth value where rows are expected")
    number = len(result.triples) or len(result.rows)
    if _CUT_SIGN in answer.headers or (most_rows is not None and number >= most_rows):
        raise TruncatedResultError(
            f"the server cut the result at {number} rows; ask for less at a time, by ORDER BY, LIMIT and OFFSET"
        )
    return result


def _solutions(answer: Response) -> QueryResult:
    is_object = answer.body.lstrip()[:1] == b"{"
    try:
        return of_results_json(json.loads(answer.body))
    except (ValueError, RecursionError):
        if is_object:
            raise broken("JSON", answer.body) from None
    except EvaluationError as error:
        if is_object:
            raise TruncatedResultError(f"the answer of the server is not used: {error}") from None
    raise no_answer(answer, "results of a query")


def no_answer(answer: Response, wanted: str) -> TruncatedResultError:
    """Return the error for an answer of another kind, such as a page of a proxy."""
    kind = repr(answer.headers.get("content-type", "something of no type")) if answer.body else "nothing"
    return TruncatedResultError(f"the server answered no {wanted} but {kind}: is that the URL of a SPARQL service?")


def triples_of(answer: Response) -> bytes:
    """Return the N-Triples in an answer after parsing them to their end.

    Raises TruncatedResultError for N-Triples that do not parse, or end in the middle of a line. It cannot detect
    missing lines at the end, so compare with a count.
    """
    body = answer.body
    try:
        for _ in pyoxigraph.parse(body, format=pyoxigraph.RdfFormat.N_TRIPLES):
            pass
    except (SyntaxError, ValueError):
        raise broken("N-Triples", body) from None
    except MemoryError as error:
        if reason := too_long(error):
            raise TruncatedResultError(f"the answer of the server is not used: {reason}") from error
        raise
    if body and not body.endswith(b"\n"):
        raise broken("N-Triples", body)
    return body


def broken(syntax: str, body: bytes) -> TruncatedResultError:
    """Return the error for an answer that does not parse to its end."""
    shown = printable(" ".join(body[-120:].decode("utf-8", "replace").split()))
    return TruncatedResultError(
        f"the answer is {syntax} that ends too early (at its end: {shown!r}); the query may have run out of time at "
        "the server. Nothing of it is used"
    )
