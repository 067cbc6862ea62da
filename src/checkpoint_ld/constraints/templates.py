"""Answer templates as the forms see them: what the static reader finds, sorted by the rule that speaks of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from checkpoint_ld import shortcuts
from checkpoint_ld.checks import sources
from checkpoint_ld.templates.reading import read_template

if TYPE_CHECKING:
    from collections.abc import Callable

    from checkpoint_ld.checks.outlines import Outline
    from checkpoint_ld.templates.template import Template

_CLASS = frozenset({"no-answer-class", "several-answer-classes"})
_REMARKS = frozenset({"nullable", "unknown-parameter", "limit", "not-static"})
"""What the reader notes without saying that anything is wrong, and what the rule about syntax says."""
_UNREAD = frozenset({"syntax", "limit"})
_OTHER_RULES = frozenset({*_CLASS, *_REMARKS, "incomplete", "placeholder", "syntax", "empty"})


_HARMLESS = frozenset({"nullable", "unknown-parameter"})
_MOST = 4096
FEW = 16
"""So many templates are read before outlines are made: for a few it would take longer than reading them."""

_alike: dict[Outline, bool | None] = {}
"""The outlines of templates that were read and of which no rule says anything: whether that holds for all with such an
outline, None for those that were met but once."""


@lru_cache(maxsize=1024)
def _problems(source: str) -> tuple[tuple[str, str], ...]:
    """Return the problems of a template, none at all for one that is surely like another without fault."""
    if _problems.cache_info().currsize < FEW or not shortcuts.is_taken("template-outlines"):
        return _said(read_template(source))
    from checkpoint_ld.checks.outlines import outline_of  # noqa: PLC0415 - see FEW

    outline = outline_of(source)
    if outline in _alike:
        if _alike[outline] is None:
            _alike[outline] = _is_typical(source)
        if _alike[outline]:
            return ()
    read = read_template(source)
    if outline is not None and outline not in _alike and _HARMLESS.issuperset(one.kind for one in read.problems):
        if len(_alike) >= _MOST:
            _alike.clear()
        _alike[outline] = None
    return _said(read)


def _said(read: Template) -> tuple[tuple[str, str], ...]:
    return tuple((one.kind, f"line {one.line}: {one.message}" if one.line else one.message) for one in read.problems)


def _is_typical(source: str) -> bool:
    from checkpoint_ld.templates.outline import is_typical  # noqa: PLC0415 - see FEW

    return is_typical(source)


def forget() -> None:
    """Forget all templates that were seen, for measurements."""
    _problems.cache_clear()
    _alike.clear()
    sources.forget()


def _first(source: Any, is_meant: Callable[[str], bool]) -> str | None:
    problems = _problems(source) if isinstance(source, str) else ()
    if not problems or not source.strip():
        return None
    return next((message for kind, message in problems if is_meant(kind)), None)


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
    problems = _problems(source)
    return bool(source.strip()) and (not problems or _UNREAD.isdisjoint(kind for kind, _ in problems))
