"""Answer templates for the forms: the problems that the static reader finds, by the rule that reports them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.templates.reading import read_template
from checkpoint_ld.templates.self_checks import EMPTY, LEAK, OWN_TRUTH, TOLERANCE, may_be_faulty, self_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from checkpoint_ld.templates.template import Template
    from checkpoint_ld.templates.text_outlines import Outline

_CLASS = frozenset({"no-answer-class", "several-answer-classes"})
_REMARKS = frozenset({"nullable", "unknown-parameter", "limit", "not-static"})
"""Problems that are no faults."""
_UNREAD = frozenset({"syntax", "limit"})
_OTHER_RULES = frozenset(
    {*_CLASS, *_REMARKS, "incomplete", "placeholder", "syntax", "empty", OWN_TRUTH, TOLERANCE, LEAK, EMPTY}
)
_HARMLESS = frozenset({"nullable", "unknown-parameter"})
"""Problems that no rule reports."""
_SEEN, _MOST = 1024, 4096
"""So many templates and outlines are remembered at most."""
FEW = 16
"""So many templates are read before outlines are made, because outlines do not pay for a few."""

_alike: dict[Outline | None, bool | None] = {}
"""The outlines of templates that were read and that no rule reports: whether that holds for all with such an
outline, None for those that were met but once."""


class _ReadTemplates(dict[str, tuple[tuple[str, str], ...]]):
    """The problems of templates that were read; several rules need them."""

    def __missing__(self, source: str) -> tuple[tuple[str, str], ...]:
        if len(self) >= _SEEN:
            self.clear()
        problems = self[source] = _problems(source)
        return problems


_known = _ReadTemplates()


def _problems(source: str) -> tuple[tuple[str, str], ...]:
    """Return the problems of a template, none for one that is certainly like another one without problems."""
    if not _alike and len(_known) < FEW:
        return _problems_of(read_template(source))
    from checkpoint_ld.templates.text_outlines import is_typical, outline_of  # noqa: PLC0415 - see FEW

    if len(_known) == FEW:  # the templates that were read so far are examples of their outlines
        for known, problems in [*_known.items()]:  # a copy, as other threads read templates too
            if not problems and (outline := outline_of(known)) is not None:
                _alike.setdefault(outline, None)
    outline = outline_of(source)
    is_alike = _alike.get(outline, False)
    if is_alike is None:
        is_alike = _alike[outline] = is_typical(source)
    if is_alike and not may_be_faulty(source):
        return ()
    problems = _problems_of(read := read_template(source))
    if outline is not None and outline not in _alike and _HARMLESS.issuperset(one.kind for one in read.problems):
        if len(_alike) >= _MOST:
            _alike.clear()
        if {TOLERANCE, EMPTY}.isdisjoint(kind for kind, _ in problems):  # outlines do not keep the other values
            _alike[outline] = None
    return problems


def _problems_of(read: Template) -> tuple[tuple[str, str], ...]:
    found = [(str(one.kind), one.line, one.message) for one in read.problems if one.kind not in _HARMLESS]
    found += self_faults(read)
    return tuple((kind, f"line {line}: {message}" if line else message) for kind, line, message in found)


def forget() -> None:
    """Forget all templates, for measurements."""
    from checkpoint_ld.templates.text_outlines import forget_lines  # noqa: PLC0415 - see FEW

    _known.clear()
    _alike.clear()
    forget_lines()


def unsound(values: Sequence[Any]) -> list[int]:
    """Return the indexes of the templates that a rule may report."""
    return [at for at, one in enumerate(values) if type(one) is not str or _known[one] or not one.strip()]


def _first(source: Any, is_meant: Callable[[str], bool]) -> str | None:
    problems = _known[source] if isinstance(source, str) else ()
    if not problems or not source.strip():
        return None
    return next((message for kind, message in problems if is_meant(kind)), None)


def answer_class(source: Any) -> str | None:
    """Return why a template does not have exactly one answer class."""
    return _first(source, _CLASS.__contains__)


def complete(source: Any) -> str | None:
    """Return why a template cannot distinguish a right answer from a wrong one."""
    return _first(source, "incomplete".__eq__)


def written(source: Any) -> str | None:
    """Return whether a template is still the placeholder of a new question, in words."""
    return _first(source, "placeholder".__eq__)


def fields(source: Any) -> str | None:
    """Return which verified field of a template cannot work."""
    return _first(source, lambda kind: kind not in _OTHER_RULES)


def own_truth(source: Any) -> str | None:
    """Return which ground truth of a template does not pass it."""
    return _first(source, OWN_TRUTH.__eq__)


def tolerance(source: Any) -> str | None:
    """Return which tolerance of a template lets everything or nothing pass."""
    return _first(source, TOLERANCE.__eq__)


def untold(source: Any) -> str | None:
    """Return which ground truth of a template the judge reads."""
    return _first(source, LEAK.__eq__)


def refusing(source: Any) -> str | None:
    """Return which check of a template an empty answer passes."""
    return _first(source, EMPTY.__eq__)


def is_read(source: str) -> bool:
    """Return whether a text is certainly Python, because it was read as a template."""
    problems = _known[source]
    return bool(source.strip()) and (not problems or _UNREAD.isdisjoint(kind for kind, _ in problems))
