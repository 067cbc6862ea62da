"""Finding what can be fixed in a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld import dialects
from checkpoint_ld.dialects.properties import name_of, property_value
from checkpoint_ld.documents.text import Spans
from checkpoint_ld.errors import ReadError
from checkpoint_ld.fixes.fix import Edit, Fix
from checkpoint_ld.fixes.names import name_fixes
from checkpoint_ld.fixes.parts import parts
from checkpoint_ld.fixes.values import value_fixes
from checkpoint_ld.reading import json_ld as forms
from checkpoint_ld.vocabulary import FORMAT_VERSION, FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY
from checkpoint_ld.writing.amendment import patched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.documents.document import Document

MARK, FORMAT = "byte-order-mark", "format-version-missing"

_CANONICAL = dialects.CANONICAL.name
_BY_KARENINA = (_CANONICAL, "datafeed-legacy")
"""The dialects that Karenina wrote as DataFeeds: what it asks for can be told there."""


def fixes_of(document: Document) -> tuple[Fix, ...]:
    """Return everything that can be fixed in `document`, in the order of its text.

    Values are repaired in the DataFeed dialects of Karenina, names only in today's: an older dialect is right to use
    older names. A byte order mark goes from any document.
    """
    text = document.data.decode("utf-8")
    found = [Fix((MARK,), "", "remove the byte order mark", (Edit(0, 1, ""),))] if text.startswith("\ufeff") else []
    tree = _plain(document.value)
    detected = None if tree is None else dialects.detect(tree)
    dialect = detected.name if detected else None
    if dialect in _BY_KARENINA:
        spans = Spans(text)
        for part in parts(document.value):
            found += value_fixes(part, spans)
            if dialect == _CANONICAL:
                found += name_fixes(part, spans)
        if dialect == _CANONICAL:
            found += _format_version(document, _properties(tree), spans)
    return tuple(sorted(found, key=lambda fix: fix.edits))


def _plain(value: Any) -> dict[str, Any] | None:
    """Return a document in plain keys, None unless it is one object: an array or a graph around it is no oddity."""
    if not isinstance(value, dict) or "@graph" in value:
        return None
    try:
        tree = forms.plain(value).tree
    except ReadError:
        return None
    return tree if isinstance(tree, dict) else None


def _properties(tree: dict[str, Any] | None) -> list[Any]:
    held = (tree or {}).get("additionalProperty", [])
    return held if isinstance(held, list) else [held]


def _format_version(document: Document, properties: list[Any], spans: Spans) -> Iterator[Fix]:
    """Yield the fix that adds the format version, where it is read as one more of the benchmark's `properties`."""
    tree = document.value
    entries = tree.get("additionalProperty", [])
    # A name that is no text may mean the same.
    if not {FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY, None}.isdisjoint(map(name_of, properties)):
        return
    # Where nothing stands in plain keys, a plain key would only add to the confusion.
    if "dataFeedElement" not in tree or not isinstance(entries, list):
        return
    added = property_value(FORMAT_VERSION_PROPERTY, FORMAT_VERSION)
    repaired = {**tree, "additionalProperty": [*entries, added]}
    if _properties(_plain(repaired)) != [*properties, added]:
        return
    if entries:
        at = end = spans.value(("additionalProperty", len(entries) - 1)).end
    elif "additionalProperty" in tree:
        at, end = spans.value(("additionalProperty",))
    else:
        at = end = spans.value((list(tree)[-1],)).end
    whole = patched(document, repaired).decode("utf-8")
    edit = Edit(at, end, whole[at : len(whole) - (len(spans.text) - end)])
    title = f'add the property {FORMAT_VERSION_PROPERTY} with the value "{FORMAT_VERSION}"'
    yield Fix((FORMAT,), f"/additionalProperty/{len(entries)}", title, (edit,))
