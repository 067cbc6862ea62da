"""Fixes of values: what is understood, but written as another kind of value than the format asks for."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.text import pointer
from checkpoint_ld.fixes.fix import Edit, Fix
from checkpoint_ld.phrases import is_boolean_like, number, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.documents.text import Path, Spans
    from checkpoint_ld.fixes.parts import Part

FORM = "json-ld-form"
"""The rule against other forms of JSON-LD than the usual one."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_TRUE = frozenset(("1", "on", "t", "true", "y", "yes"))


def value_fixes(part: Part, spans: Spans) -> Iterator[Fix]:
    """Yield the fixes of the values that `part` holds itself."""
    match part.member:
        case "root":
            yield from _version(part, spans)
        case "dataFeedElement":
            yield from _keywords(part, spans)
            yield from _single(part, "item", spans)
        case "item":
            yield from _keywords(part, spans)
            yield from _single(part, "acceptedAnswer", spans)
            yield from _single(part, "hasPart", spans)
        case "rating":
            yield from _bounds(part, spans)
        case "additionalProperty":
            yield from _property(part, spans)


def replaced(spans: Spans, path: Path, text: str) -> tuple[Edit, ...]:
    """Return the edit that makes `text` the text of the value at `path`."""
    return (Edit(*spans.value(path), text),)


def _version(part: Part, spans: Spans) -> Iterator[Fix]:
    if number(part.value.get("version")) is not None:
        path = (*part.path, "version")
        # The digits as they stand: the number 1.10 has lost its last one.
        text = f'"{spans.of(path)}"'
        yield Fix(
            ("benchmark-version",), pointer(path), f"write the version as the text {text}", replaced(spans, path, text)
        )


def _keywords(part: Part, spans: Spans) -> Iterator[Fix]:
    if isinstance(part.value.get("keywords"), str):
        path = (*part.path, "keywords")
        edits = replaced(spans, path, f"[{spans.of(path)}]")
        yield Fix((FORM,), pointer(path), "write the keyword as an array of one", edits)


def _single(part: Part, member: str, spans: Spans) -> Iterator[Fix]:
    value = part.value.get(member)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        path = (*part.path, member)
        outer, inner = spans.value(path), spans.value((*path, 0))
        edits = (Edit(outer.start, inner.start, ""), Edit(inner.end, outer.end, ""))
        yield Fix((FORM,), pointer(path), f"write {member} as an object, not as an array of one", edits)


def _bounds(part: Part, spans: Spans) -> Iterator[Fix]:
    for member in ("bestRating", "worstRating"):
        said = part.value.get(member)
        text = said.strip() if isinstance(said, str) else ""
        if _NUMBER.fullmatch(text) and math.isfinite(float(text)):
            path = (*part.path, member)
            title = f"write {member} as the number {text}"
            yield Fix(("trait-bound-text",), pointer(path), title, replaced(spans, path, text))


def _property(part: Part, spans: Spans) -> Iterator[Fix]:
    name, value, path = part.value.get("name"), part.value.get("value"), (*part.path, "value")
    if part.owner == "item" and name == "finished" and not isinstance(value, bool) and is_boolean_like(value):
        text = json.dumps(_as_boolean(value))
        title = f"write finished as {text}, not as {shown(value)}"
        yield Fix(("finished-text",), pointer(path), title, replaced(spans, path, text))
    elif part.owner == "rating" and name == "kind" and value == "binary":
        title = 'write the kind as "boolean", its name in Karenina'
        yield Fix(("trait-kind-binary",), pointer(path), title, replaced(spans, path, '"boolean"'))


def _as_boolean(value: Any) -> bool:
    return value.casefold() in _TRUE if isinstance(value, str) else bool(value)
