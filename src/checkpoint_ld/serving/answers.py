"""Answers: what a request is answered with, by the SPARQL 1.1 Protocol; the page and its queries beside it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

from checkpoint_ld.errors import QueryError
from checkpoint_ld.reports.page import look
from checkpoint_ld.serving.workers import Question
from checkpoint_ld.sparql import queries
from checkpoint_ld.sparql.guard import bound
from checkpoint_ld.sparql.result import term_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from checkpoint_ld.serving.workers import Found

SERVICE = "/sparql"
NAMED = "/queries"
FILES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}
FORM = "application/x-www-form-urlencoded"
QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"
POLICY = (
    "default-src 'none'; img-src data:; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADER = re.compile(r"\A(?:\s*(?:#[^\n]*)?\n)+")
"""What stands above a query and stands on the page in its own place."""
_SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came in."""

    method: str
    target: str
    content_type: str = ""
    accept: str = ""
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes out."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @classmethod
    def of(cls, status: int, media_type: str, text: str, **more: str) -> Answer:
        """Return an answer of a text in UTF-8."""
        headers = {"Content-Type": f"{media_type}; charset=utf-8", **_SAFE, **more}
        return cls(status, headers, text.encode("utf-8", "replace"))

    @classmethod
    def plain(cls, status: int, message: str, **more: str) -> Answer:
        """Return an answer of one sentence."""
        return cls.of(status, "text/plain", f"{message}\n", **more)


def answer(request: Request, evaluate: Callable[[Question], Found], max_rows: int | None) -> Answer:
    """Answer a request; `evaluate` answers queries."""
    parts = urlsplit(request.target)
    path = unquote(parts.path)
    if path == SERVICE:
        return _queried(request, parts.query, evaluate, max_rows)
    if request.method not in {"GET", "HEAD"}:
        return _not_allowed("GET, HEAD")
    if path in FILES:
        name, media_type = FILES[path]
        text = look() + _file(name) if name.endswith(".css") else _file(name)
        return Answer.of(200, media_type, text)
    if path == NAMED:
        return Answer.of(200, "application/json", _catalogue())
    if path.startswith(f"{NAMED}/"):
        return _bound(path.removeprefix(f"{NAMED}/"), parts.query)
    return Answer.plain(404, f"there is nothing at {path!r}: the service is at {SERVICE}")


def _queried(request: Request, query: str, evaluate: Callable[[Question], Found], max_rows: int | None) -> Answer:
    given = parse_qs(query, keep_blank_values=True)
    if request.method == "POST":
        kind = request.content_type.partition(";")[0].strip().lower()
        if kind == UPDATE:
            return _no_updates()
        try:
            text = request.body.decode()
        except UnicodeDecodeError:
            return Answer.plain(400, "the body is no UTF-8")
        if kind == FORM:
            given |= parse_qs(text, keep_blank_values=True)
        elif kind == QUERY:
            given["query"] = [text]
        else:
            return Answer.plain(415, f"a body is {QUERY} or {FORM}, not {kind or 'of no type'}")
    elif request.method not in {"GET", "HEAD"}:
        return _not_allowed("GET, HEAD, POST")
    if "update" in given:
        return _no_updates()
    if "query" not in given and request.method != "POST":
        return Answer.of(200, "text/turtle", _file("description.ttl"))
    if len(given.get("query", ())) != 1:
        return Answer.plain(400, "give one query")
    default, named = (tuple(given.get(f"{one}-graph-uri", ())) for one in ("default", "named"))
    found = evaluate(Question(given["query"][0], request.accept, default, named, max_rows))
    # The header is the one by which Virtuoso says the same.
    cut = {"X-SPARQL-MaxRows": str(max_rows)} if found.is_cut else {}
    return Answer.of(found.status, found.media_type, found.text, **cut)


def _no_updates() -> Answer:
    return Answer.plain(403, "this service only reads: updates are refused")


def _not_allowed(methods: str) -> Answer:
    return Answer.plain(405, f"this service only reads: use {methods}", Allow=methods)


def _bound(name: str, query: str) -> Answer:
    """Answer with the text of a named query with its parameters bound."""
    given = {key: values[-1] for key, values in parse_qs(query).items() if values[-1]}
    try:
        named = queries.request(name, given) if name in queries.catalogue() else None
        if named is None:
            return Answer.plain(404, f"there is no query {name!r}")
        text = bound(named.text, {key: term_of(value) for key, value in named.parameters.items()})
    except QueryError as error:
        return Answer.plain(400, str(error))
    return Answer.of(200, QUERY, _HEADER.sub("", text))


@cache
def _catalogue() -> str:
    listed = [
        {
            "name": one.name,
            "title": one.title,
            "description": one.description,
            "needs_derived": one.needs_derived,
            "columns": dict(one.columns),
            "parameters": [
                {"name": name, "kind": each.kind, "required": each.is_required, "words": each.words}
                for name, each in one.parameters.items()
            ],
            "text": _HEADER.sub("", one.text),
        }
        for one in queries.catalogue().values()
    ]
    return json.dumps(listed, ensure_ascii=False)


@cache
def _file(name: str) -> str:
    return (resources.files("checkpoint_ld.serving") / name).read_text(encoding="utf-8")
