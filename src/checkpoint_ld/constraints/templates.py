"""Answer templates as the forms see them: what the static reader finds, sorted by the rule that speaks of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from checkpoint_ld.templates.reading import read_template

if TYPE_CHECKING:
    from collections.abc import Callable

_CLASS = frozenset({"no-answer-class", "several-answer-classes"})
_REMARKS = frozenset({"nullable", "unknown-parameter", "limit", "not-static"})
"""What the reader notes without saying that anything is wrong, and what the rule about syntax says."""
_UNREAD = frozenset({"syntax", "limit"})
_OTHER_RULES = frozenset({*_CLASS, *_REMARKS, "incomplete", "placeholder", "syntax", "empty"})


@lru_cache(maxsize=1024)
def _problems(source: str) -> tuple[tuple[str, str], ...]:
    found = read_template(source).problems
    return tuple((one.kind, f"line {one.line}: {one.message}" if one.line else one.message) for one in found)


def _first(source: Any, is_meant: Callable[[str], bool]) -> str | None:
    if not isinstance(source, str) or not source.strip():
        return None
    return next((message for kind, message in _problems(source) if is_meant(kind)), None)


def answer_class(source: Any) -> str | None:
    """Say why a template has not exactly one answer class."""
    return _first(source, _CLASS.__contains__)


def complete(source: Any) -> str | None:
    """Say why a template cannot tell a right answer from a wrong one."""
    return _first(source, "incomplete".__eq__)


def written(source: Any) -> str | None:
    """Say that a template is still the placeholder that a new question gets."""
    return _first(source, "placeholder".__eq__)


def fields(source: Any) -> str | None:
    """Say which verified field of a template cannot work."""
    return _first(source, lambda kind: kind not in _OTHER_RULES)


def is_read(source: str) -> bool:
    """Tell whether a text is surely Python, since it could be read as a template."""
    return bool(source.strip()) and _UNREAD.isdisjoint(kind for kind, _ in _problems(source))
