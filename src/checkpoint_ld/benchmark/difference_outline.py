"""Differences as an outline for people: plain text, or nested lists in Markdown."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from checkpoint_ld.characters import harmless, head
from checkpoint_ld.reports.markdown import code, escaped
from checkpoint_ld.reports.summary import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import JsonValue

    from checkpoint_ld.benchmark.difference import Change, PartsDiff, QuestionDiff, SemanticDiff, TemplateDiff

Mark = Literal["+", "-", "~"]

_MARKS: dict[str, Mark] = {"added": "+", "removed": "-", "changed": "~"}
_WORDS: dict[Mark, str] = {"+": "added", "-": "removed", "~": "changed"}
_ROOM = 60
_BEFORE = 20
"""How many characters stand before the first difference of two long texts."""

SAME = "no differences"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line: how deep it stands, what happened, to what, and the details, which are values of the document."""

    depth: int
    mark: Mark
    what: str
    name: str = ""
    details: tuple[str, ...] = ()


def text_of(diff: SemanticDiff) -> str:
    """Return the differences as indented lines; what terminals would obey is replaced."""
    return "\n".join(map(_text_line, _entries(diff))) or SAME


def markdown_of(diff: SemanticDiff) -> str:
    """Return the differences as nested lists in Markdown, in which values of the document are code."""
    return "\n".join(map(_markdown_line, _entries(diff))) or SAME


def _text_line(entry: Entry) -> str:
    title = " ".join(part for part in (entry.what, harmless(entry.name)) if part)
    details = " → ".join(map(harmless, entry.details))
    return f"{'  ' * entry.depth}{entry.mark} {title}{f': {details}' if details else ''}"


def _markdown_line(entry: Entry) -> str:
    title = " ".join(part for part in (escaped(entry.what), code(entry.name)) if part)
    details = " → ".join(map(code, entry.details))
    return f"{'  ' * entry.depth}- {_WORDS[entry.mark]} {title}{f': {details}' if details else ''}"


def _entries(diff: SemanticDiff) -> Iterator[Entry]:
    yield from _changes(diff.metadata, 0)
    yield from _changes(diff.properties, 0, "property")
    yield from _parts(diff.global_rubric, 0, "global trait")
    yield from _parts(diff.global_dynamic_rubric, 0, "global dynamic trait")
    yield from _parts(diff.scenarios, 0, "scenario")
    if diff.questions_reordered:
        yield Entry(0, "~", "order of questions")
    yield from (Entry(0, "-", "question", one.id, (head(one.question, _ROOM),)) for one in diff.questions_removed)
    yield from (Entry(0, "+", "question", one.id, (head(one.question, _ROOM),)) for one in diff.questions_added)
    for question in diff.questions_changed:
        yield from _question(question)


def _question(question: QuestionDiff) -> Iterator[Entry]:
    yield Entry(0, "~", "question", question.id, (head(question.question, _ROOM),))
    yield from _changes(question.changes, 1)
    if question.template is not None:
        yield from _template(question.template)
    yield from _parts(question.rubric, 1, "trait")
    yield from _parts(question.dynamic_rubric, 1, "dynamic trait")


def _template(template: TemplateDiff) -> Iterator[Entry]:
    source = template.source
    if source.kind != "changed":
        yield Entry(1, _MARKS[source.kind], "template")
        return
    yield Entry(1, "~", "template", details=(_lines(str(source.before), str(source.after)),))
    yield from _changes(template.changes, 2)
    yield from _parts(template.fields, 2, "field")


def _lines(before: str, after: str) -> str:
    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    return f"{counted((new - old).total(), 'line')} added, {counted((old - new).total(), 'line')} removed"


def _parts(parts: PartsDiff, depth: int, what: str) -> Iterator[Entry]:
    if parts.reordered:
        yield Entry(depth, "~", f"order of {what}s")
    yield from (Entry(depth, "-", what, name) for name in parts.removed)
    yield from (Entry(depth, "+", what, name) for name in parts.added)
    for part in parts.changed:
        yield Entry(depth, "~", what, part.name)
        yield from _changes(part.changes, depth + 1)


def _changes(changes: tuple[Change, ...], depth: int, what: str = "") -> Iterator[Entry]:
    for one in changes:
        yield Entry(depth, _MARKS[one.kind], what, one.member, tuple(_shown(one)))


def _shown(change: Change) -> list[str]:
    texts = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in _values(change)]
    start = 0
    if len(texts) == 2 and max(map(len, texts)) > _ROOM:
        start = max(0, _difference(*texts) - _BEFORE)
    return [f"{'…' if start else ''}{head(text[start:], _ROOM)}" for text in texts]


def _difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _values(change: Change) -> list[JsonValue]:
    both = {"added": [change.after], "removed": [change.before]}
    return both.get(change.kind, [change.before, change.after])
