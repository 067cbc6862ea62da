"""Fixes of names: prefixes of trait types, and schema.org by its address with https."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.ratings import PREFIX, trait_type
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import shown, walk
from checkpoint_ld.fixes.fix import Edit, Fix
from checkpoint_ld.fixes.values import FORM, replaced
from checkpoint_ld.graph import contexts
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.documents.text import Path, Span, Spans
    from checkpoint_ld.fixes.parts import Part

PREFIXED, HTTP = "trait-prefix", "vocabulary-http"

_BARE = (SCHEMA.removesuffix("/"), SCHEMA_HTTP.removesuffix("/"))


def name_fixes(part: Part, spans: Spans) -> Iterator[Fix]:
    """Yield the fixes of the names that `part` uses: its context, keys and types."""
    if part.member == "rating":
        yield from _prefix(part, spans)
    for key in part.value:
        yield from _key(part, key, spans)
    for member in ("@context", "@type"):
        for steps, value in walk(part.value.get(member)):
            yield from _https((*part.path, member, *steps), value, spans)


def _prefix(part: Part, spans: Spans) -> Iterator[Fix]:
    said = part.value.get("additionalType")
    if not isinstance(said, str) or not trait_type(said) or said.startswith(PREFIX):
        return
    if not _is_taken(part.contexts):
        path = (*part.path, "additionalType")
        named = PREFIX + said.removeprefix(KARENINA)
        title = f"write the trait type as {shown(named)}"
        rule = FORM if said.startswith(KARENINA) else PREFIXED
        yield Fix((rule,), pointer(path), title, replaced(spans, path, json.dumps(named)))


def _is_taken(own: tuple[Any, ...]) -> bool:
    """Tell whether a document's own contexts, the outermost first, give our prefix another meaning."""
    told = [one[PREFIX[:-1]] for one in own if isinstance(one, dict) and PREFIX[:-1] in one]
    return bool(told) and told[-1] != KARENINA and _meaning(json.dumps(own)) not in (None, KARENINA)


@lru_cache(maxsize=64)
def _meaning(own: str) -> str | None:
    """Return what contexts, as JSON text, make of our prefix: JSON-LD alone can tell."""
    told = contexts.definitions(json.loads(own)).get(PREFIX[:-1])
    return None if told is None else told.iri


def _key(part: Part, key: str, spans: Spans) -> Iterator[Fix]:
    named = _with_https(key)
    # Two keys that come to be one would lose a value.
    if named != key and named not in part.value:
        path = (*part.path, key)
        yield Fix((HTTP,), pointer(path), f"write the key as {shown(named)}", _with_s(spans.key(path), named, spans))


def _https(path: Path, value: Any, spans: Spans) -> Iterator[Fix]:
    named = _with_https(value) if isinstance(value, str) else value
    if named != value:
        edits = _with_s(spans.value(path), named, spans)
        yield Fix((HTTP,), pointer(path), f"write the address as {shown(named)}", edits)


def _with_s(span: Span, named: str, spans: Spans) -> tuple[Edit, ...]:
    """Return the edit that makes a text `named`: one letter, unless somebody wrote the scheme in escapes."""
    if spans.text.startswith('"http:', span.start):
        at = span.start + len('"http')
        return (Edit(at, at, "s"),)
    return (Edit(*span, json.dumps(named)),)


def _with_https(name: str) -> str:
    https, http = _BARE
    return https + name.removeprefix(http) if name == http or name.startswith(SCHEMA_HTTP) else name
