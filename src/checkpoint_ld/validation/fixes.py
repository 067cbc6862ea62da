"""Fixes: safe repairs of the JSON text of a checkpoint, each as small as possible.

A fix changes how something is written, never its meaning. It does not decide for the author (a scope, a range, a date,
an identifier that does not fit its text), and it does not change the dialect, which `convert` does.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld import dialects
from checkpoint_ld.dialects import reading
from checkpoint_ld.dialects.amendment import patched
from checkpoint_ld.dialects.dialect import name_of, property_value
from checkpoint_ld.dialects.ratings import PREFIX, trait_type
from checkpoint_ld.dialects.reading import json_ld as forms
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import read_bytes, unpacked
from checkpoint_ld.documents.text import Spans, pointer
from checkpoint_ld.documents.values import walk
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts
from checkpoint_ld.phrases import BOOLEAN_WORDS, is_boolean_like, number, shown
from checkpoint_ld.rules import FIXED, by_slug
from checkpoint_ld.vocabulary import (
    FORMAT_VERSION,
    FORMAT_VERSION_PROPERTY,
    GUI_FORMAT_VERSION_PROPERTY,
    KARENINA,
    SCHEMA,
    SCHEMA_HTTP,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.documents.text import Extent, Path
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.validation.results import Checked
    from checkpoint_ld.validation.selection import Selection

_NO_END = "\\ No newline at end of file\n"
_CONTEXT = 3
"""So many unchanged lines stand around changes in a diff."""

_Block = tuple[int, int, list[str]]
"""The first changed line, the one after the last, and the new lines."""


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The characters from `start` up to `end` of a text, replaced by `text`; offsets count from 0."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit], start: int, end: int) -> str:
    """Return the part of `text` from `start` up to `end` with `edits`, all of which are within it."""
    parts, at = [], start
    # At the same offset, an edit that ends there comes before one that inserts there.
    for edit in sorted(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join((*parts, text[at:end]))


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends; only a line feed ends one.

    JSON may contain other separators.
    """
    lines = text.split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *filter(None, lines[-1:])]


def unified_diff(text: str, edits: Iterable[Edit], name: str) -> str:
    """Return the unified diff of `edits` in `text`, which is called `name`; empty if there are none.

    The edits give the lines that differ, so that large texts take no longer than small ones.
    """
    lines, hunks = lines_of(text), list[list[_Block]]()
    for block in _blocks(text, lines, sorted(edits)):
        if hunks and block[0] - hunks[-1][-1][1] <= 2 * _CONTEXT:
            hunks[-1].append(block)
        else:
            hunks.append([block])
    parts = [f"--- {name}\n+++ {name}\n"] if hunks else []
    shift = 0
    for hunk in hunks:
        first, last = max(hunk[0][0] - _CONTEXT, 0), min(hunk[-1][1] + _CONTEXT, len(lines))
        grown = shift + sum(len(new) - (end - start) for start, end, new in hunk)
        parts.append(f"@@ -{_range(first, last)} +{_range(first + shift, last + grown)} @@\n")
        at, shift = first, grown
        for start, end, new in hunk:
            parts += (*_marked(" ", lines[at:start]), *_marked("-", lines[start:end]), *_marked("+", new))
            at = end
        parts += _marked(" ", lines[at:last])
    return "".join(parts)


def _blocks(text: str, lines: list[str], edits: list[Edit]) -> Iterator[_Block]:
    """Yield what changes: edits of the same lines as one block, without unchanged lines at its ends."""
    starts = [0, *accumulate(map(len, lines))]

    def line(offset: int) -> int:
        return min(bisect_right(starts, offset) - 1, len(starts) - 2)

    at = 0
    while at < len(edits):
        start, end, after = line(edits[at].start), line(edits[at].end) + 1, at + 1
        while after < len(edits) and line(edits[after].start) < end:
            end, after = max(end, line(edits[after].end) + 1), after + 1
        new = lines_of(edited(text, edits[at:after], starts[start], starts[end]))
        while new and start < end and new[0] == lines[start]:
            start, new = start + 1, new[1:]
        while new and start < end and new[-1] == lines[end - 1]:
            end, new = end - 1, new[:-1]
        if new or start < end:
            yield start, end, new
        at = after


def _marked(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{_NO_END}"


def _range(start: int, end: int) -> str:
    # Lines count from 1; an empty range is named by the line before it.
    return f"{start + 1 if end > start else start},{end - start}"


MARK, FORM, HTTP = "byte-order-mark", "json-ld-form", "vocabulary-http"

_CANONICAL = dialects.CANONICAL.name
_BY_KARENINA = (_CANONICAL, "datafeed-legacy")
"""The DataFeed dialects that Karenina wrote: what it requires is known for them."""
_MEMBERS = {
    "root": ("creator", "rating", "dataFeedElement", "additionalProperty"),
    "dataFeedElement": ("item", "additionalProperty"),
    "item": ("acceptedAnswer", "hasPart", "rating", "additionalProperty"),
    "rating": ("additionalProperty",),
}
"""The objects that are searched, by the member that holds them. Scenarios are not, because Karenina compares their
keys."""
_SINGLE = {"dataFeedElement": ("item",), "item": ("acceptedAnswer", "hasPart")}
"""Members that hold one object, not an array with one."""
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_BARE = (SCHEMA.removesuffix("/"), SCHEMA_HTTP.removesuffix("/"))


@dataclass(frozen=True, slots=True)
class Fix:
    """One repair: the rule that it satisfies (by slug), its place (RFC 6901), and a description.

    `edits` are about the whole text of the document, including a byte order mark. Edits of different fixes of one
    document never overlap.
    """

    rule: str
    pointer: str
    title: str
    edits: tuple[Edit, ...]


def apply(document: Document, fixes: Iterable[Fix]) -> bytes:
    """Return the text of `document` with `fixes`, which were found in it; all other characters stay."""
    text = document.data.decode("utf-8")
    return edited(text, (edit for fix in fixes for edit in fix.edits), 0, len(text)).encode()


def fixes_of(document: Document) -> tuple[Fix, ...]:
    """Return all possible fixes of `document`, in the order of its text.

    Values are repaired in the DataFeed dialects of Karenina, names only in the canonical one: older names are right in
    an older dialect. A byte order mark is removed from any document.
    """
    text = document.data.decode("utf-8")
    found = [Fix(MARK, "", "remove the byte order mark", (Edit(0, 1, ""),))] if text.startswith("\ufeff") else []
    tree = _plain(document.value)
    detected = None if tree is None else dialects.detect(tree)
    if detected is not None and detected.name in _BY_KARENINA:
        spans = Spans(text)
        for part in _parts(_Part((), "root", document.value, contexts=_contexts(document.value))):
            found += _values(part, spans)
            if detected is dialects.CANONICAL:
                found += _names(part, spans)
        if detected is dialects.CANONICAL:
            found += _format_version(document, _properties(tree), spans)
    return tuple(sorted(found, key=lambda fix: fix.edits))


class Repair(NamedTuple):
    """A source called `name`, its unpacked bytes `before` and `after` all `fixes`."""

    name: str
    before: bytes
    after: bytes
    fixes: tuple[Fix, ...] = ()
    is_packed: bool = False


def repair_of(source: str | BinaryIO, selection: Selection, syntax: str | None = None) -> Repair:
    """Return a file or a stream with every fix of a rule that counts in `selection`.

    Only JSON has fixes; a source that cannot be read has none. Raises SourceMissingError for a missing file.
    """
    content, name = read_bytes(source)
    name, data = name or "<stdin>", content
    try:
        data = unpacked(content, name)
        if (syntax or reading.syntax_of(name, data)) != reading.JSON_SYNTAX:
            return Repair(name, data, data)
        document = read_json(data, name)
    except ReadError:  # the validation reports it
        return Repair(name, data, data)
    wanted = selected(fixes_of(document), selection, name)
    return Repair(name, data, apply(document, wanted), wanted, data is not content)


def selected(fixes: Iterable[Fix], selection: Selection, source: str | None) -> tuple[Fix, ...]:
    """Return the fixes of rules that count in the file `source`."""
    return tuple(fix for fix in fixes if selection.allows(by_slug()[fix.rule].code, source))


_OF_ALL = frozenset((FORM, HTTP))
"""The rules with at most one finding for a document."""


def with_fixable(checked: Checked) -> Checked:
    """Return what was found in a source, with `fixable` set on the findings that `repair_of` corrects."""
    if checked.text is None or FIXED.isdisjoint(finding.rule for finding in checked.findings):
        return checked
    counts = Counter(finding.rule for finding in checked.findings)
    try:
        document = read_json(checked.text.encode("utf-8", "surrogatepass"))
        found = fixes_of(document)
        after = reading.examine_bytes(apply(document, found), syntax=reading.JSON_SYNTAX).of_form
    except ReadError:
        found, after = (), ()
    left = {finding.rule for finding in after}

    def is_fixable(finding: Finding) -> bool:
        if finding.rule == MARK:
            return True  # the text has no mark any more
        at = [fix.pointer for fix in found if finding.rule == fix.rule]
        if finding.rule in _OF_ALL:
            return bool(at) and finding.rule not in left
        within = f"{finding.place.pointer}/"
        # In some forms of JSON-LD, places are not those of the file; all findings of a rule have fixes then, or none.
        return len(at) >= counts[finding.rule] or any(f"{pointer}/".startswith(within) for pointer in at)

    return replace(
        checked, findings=tuple(replace(finding, fixable=is_fixable(finding)) for finding in checked.findings)
    )


def _plain(value: Any) -> dict[str, Any] | None:
    """Return a document in plain keys, None unless it is one object; it may stand in an array or a graph."""
    if not isinstance(value, dict) or "@graph" in value:
        return None
    try:
        tree = forms.plain(value).tree
    except ReadError:
        return None
    return tree if isinstance(tree, dict) else None


@dataclass(frozen=True, slots=True)
class _Part:
    """One object of a checkpoint: `member` is the key that holds it, `root` for the root.

    `owner` is the object around it. `contexts` are its own and those of the objects around it, the outermost first.
    """

    path: Path
    member: str
    value: dict[str, Any]
    owner: str = ""
    contexts: tuple[Any, ...] = ()

    def replaced(self, rule: str, member: str, text: str, title: str, spans: Spans) -> Fix:
        """Return the fix that replaces the text of the value of a member by `text`."""
        path = (*self.path, member)
        return Fix(rule, pointer(path), title, (Edit(*spans.value(path), text),))


def _contexts(value: dict[str, Any]) -> tuple[Any, ...]:
    own = value.get("@context", [])
    return tuple(own) if isinstance(own, list) else (own,)


def _parts(part: _Part) -> Iterator[_Part]:
    """Yield an object and those in it in the order of the file, whether their keys are plain or full IRIs."""
    yield part
    for key, value in part.value.items():
        member = key.removeprefix(SCHEMA).removeprefix(SCHEMA_HTTP)
        if member in _MEMBERS.get(part.member, ()):
            path = (*part.path, key)
            entries = enumerate(value) if isinstance(value, list) else ((None, value),)
            for at, entry in entries:
                if isinstance(entry, dict):
                    around = (*part.contexts, *_contexts(entry))
                    place = path if at is None else (*path, at)
                    yield from _parts(_Part(place, member, entry, part.member, around))


def _values(part: _Part, spans: Spans) -> Iterator[Fix]:
    """Yield the fixes of values that are understood, but have another type than the format requires."""
    held = part.value
    if part.member == "root" and number(held.get("version")) is not None:
        # The digits of the text: the parsed number 1.10 has lost its last digit.
        text = f'"{spans.of((*part.path, "version"))}"'
        yield part.replaced("benchmark-version", "version", text, f"write the version as the text {text}", spans)
    if part.member in _SINGLE and isinstance(held.get("keywords"), str):
        text = f"[{spans.of((*part.path, 'keywords'))}]"
        yield part.replaced(FORM, "keywords", text, "write the keyword as an array of one", spans)
    for member in _SINGLE.get(part.member, ()):
        value = held.get(member)
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            path = (*part.path, member)
            outer, inner = spans.value(path), spans.value((*path, 0))
            edits = (Edit(outer.start, inner.start, ""), Edit(inner.end, outer.end, ""))
            yield Fix(FORM, pointer(path), f"write {member} as an object, not as an array of one", edits)
    for member in ("bestRating", "worstRating") if part.member == "rating" else ():
        value = held.get(member)
        text = value.strip() if isinstance(value, str) else ""
        if _NUMBER.fullmatch(text) and math.isfinite(float(text)):
            yield part.replaced("trait-bound-text", member, text, f"write {member} as the number {text}", spans)
    if part.member == "additionalProperty":
        yield from _property(part, spans)


def _property(part: _Part, spans: Spans) -> Iterator[Fix]:
    name, value = part.value.get("name"), part.value.get("value")
    if part.owner == "item" and name == "finished" and not isinstance(value, bool) and is_boolean_like(value):
        text = json.dumps(BOOLEAN_WORDS[value.casefold()] if isinstance(value, str) else bool(value))
        yield part.replaced("finished-text", "value", text, f"write finished as {text}, not as {shown(value)}", spans)
    elif part.owner == "rating" and name == "kind" and value == "binary":
        title = 'write the kind as "boolean", its name in Karenina'
        yield part.replaced("trait-kind-binary", "value", '"boolean"', title, spans)


def _names(part: _Part, spans: Spans) -> Iterator[Fix]:
    """Yield the fixes of names: prefixes of trait types, and schema.org by its address with https."""
    kind = part.value.get("additionalType") if part.member == "rating" else None
    if isinstance(kind, str) and trait_type(kind) and not kind.startswith(PREFIX) and not _is_taken(part.contexts):
        named = PREFIX + kind.removeprefix(KARENINA)
        rule, title = FORM if kind.startswith(KARENINA) else "trait-prefix", f"write the trait type as {shown(named)}"
        yield part.replaced(rule, "additionalType", json.dumps(named), title, spans)
    for key in part.value:
        named = _with_https(key)
        # If two keys became one, a value would be lost.
        if named != key and named not in part.value:
            path = (*part.path, key)
            edit = _with_s(spans.key(path), named, spans)
            yield Fix(HTTP, pointer(path), f"write the key as {shown(named)}", (edit,))
    for member in ("@context", "@type"):
        for steps, value in walk(part.value.get(member)):
            if isinstance(value, str) and (named := _with_https(value)) != value:
                path = (*part.path, member, *steps)
                edit = _with_s(spans.value(path), named, spans)
                yield Fix(HTTP, pointer(path), f"write the address as {shown(named)}", (edit,))


def _is_taken(own: tuple[Any, ...]) -> bool:
    """Return whether a document's own contexts, the outermost first, give our prefix another meaning."""
    given = [one[PREFIX[:-1]] for one in own if isinstance(one, dict) and PREFIX[:-1] in one]
    return bool(given) and given[-1] != KARENINA and _meaning(json.dumps(own)) not in (None, KARENINA)


@lru_cache(maxsize=64)
def _meaning(own: str) -> str | None:
    """Return the IRI that contexts, as JSON text, give our prefix, by JSON-LD."""
    term = contexts.definitions(json.loads(own)).get(PREFIX[:-1])
    return None if term is None else term.iri


def _with_s(span: Extent, named: str, spans: Spans) -> Edit:
    """Return the edit that changes a text into `named` by one letter, unless its scheme has escapes."""
    if spans.text.startswith('"http:', span.start):
        at = span.start + len('"http')
        return Edit(at, at, "s")
    return Edit(*span, json.dumps(named))


def _with_https(name: str) -> str:
    https, http = _BARE
    return https + name.removeprefix(http) if name == http or name.startswith(SCHEMA_HTTP) else name


def _properties(tree: dict[str, Any] | None) -> list[Any]:
    held = (tree or {}).get("additionalProperty", [])
    return held if isinstance(held, list) else [held]


def _format_version(document: Document, properties: list[Any], spans: Spans) -> Iterator[Fix]:
    """Yield the fix that adds the format version, if it stands among the benchmark's `properties`."""
    tree = document.value
    entries = tree.get("additionalProperty", [])
    # A name that is no text may mean the format version too.
    if not {FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY, None}.isdisjoint(map(name_of, properties)):
        return
    # A document without plain keys should get none.
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
    yield Fix("format-version-missing", f"/additionalProperty/{len(entries)}", title, (edit,))


__all__ = [
    "MARK",
    "Edit",
    "Fix",
    "Repair",
    "apply",
    "fixes_of",
    "repair_of",
    "selected",
    "unified_diff",
    "with_fixable",
]
