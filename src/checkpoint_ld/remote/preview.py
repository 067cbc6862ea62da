"""Previews: the requests of a push as text, as JSON or as curl commands, without sending any."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from checkpoint_ld.remote.request import replace_graph
from checkpoint_ld.remote.spooled import blocks, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.remote.credentials import Credentials
    from checkpoint_ld.remote.endpoint import Endpoint
    from checkpoint_ld.remote.outgoing import Outgoing
    from checkpoint_ld.remote.request import Request

_END = "END_OF_BODY"
_LINES = 5
"""How many lines of a body are shown."""


def skipped(one: Outgoing) -> dict[str, Any]:
    """Return what is told of a graph that the manifest knows."""
    reason = "skipped, if the store still has as many triples: this very content was sent and verified before"
    return {"source": one.source, "graph": one.graph, "triples": one.count, "skipped": reason}


def as_json(one: Outgoing, endpoint: Endpoint, credentials: Credentials) -> Iterator[dict[str, Any]]:
    """Yield the requests by which a graph would be replaced, as JSON objects; credentials are masked."""
    for request in replace_graph(endpoint, one.graph, one.triples):
        yield {
            "source": one.source,
            "graph": one.graph,
            "method": request.method,
            "url": request.url,
            "headers": _headers(request, credentials),
            "triples": one.count,
            "bytes": len(request.body),
        }


def as_text(one: Outgoing, endpoint: Endpoint, credentials: Credentials, *, body: bool = False) -> Iterator[str]:
    """Yield the same as lines for people, with the first lines of each body on request."""
    for request in replace_graph(endpoint, one.graph, one.triples):
        yield f"{request.method} {request.url}"
        yield from (f"  {name}: {value}" for name, value in _headers(request, credentials).items())
        yield f"  {one.count} triples in all, {len(request.body)} bytes, from {one.source or 'memory'}"
        if body:
            lines = opened(request.body)
            yield from (f"  | {line.decode().rstrip()}" for line in islice(lines, _LINES))
            if more := sum(1 for _ in lines):
                yield f"  | … {more} lines more"


def as_curl(one: Outgoing, endpoint: Endpoint, credentials: Credentials) -> Iterator[str]:
    """Yield the same as commands for a shell. Credentials stay where they are: the shell looks them up."""
    for request in replace_graph(endpoint, one.graph, one.triples):
        options = [f"-H '{name}: {value}'" for name, value in request.headers.items()]
        if credentials.for_shell:
            options.append(credentials.for_shell)
        quoted = request.url.replace("'", "%27")
        command = f"curl -sS --fail-with-body -X {request.method} {' '.join(options)}"
        yield f"{command} --data-binary @- '{quoted}' <<'{_END}'"
        yield f"{b''.join(blocks(request.body)).decode().removesuffix(chr(10))}\n{_END}"


def _headers(request: Request, credentials: Credentials) -> dict[str, str]:
    return {**request.headers, **({"Authorization": credentials.masked} if credentials.masked else {})}
