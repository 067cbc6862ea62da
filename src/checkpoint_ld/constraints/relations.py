"""Relations between two values: dates, numbers, and identifiers that are computed from texts."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from checkpoint_ld.checks.readings import number, numeric_text
from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.identifiers import QUESTION, gui_question_id, question_id, question_object_id

_COMPUTED = re.compile(r"urn:uuid:question-.*-[0-9a-f]{6,8}(?:-\d+)?", re.DOTALL)
"""What Karenina and its GUI compute: words of the question, a hash, and a number where ids collide."""
_SUFFIX = re.compile(r"-\d+\Z")
_DIGEST = re.compile(r"[0-9a-f]{32}")
_ALIKE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?", re.ASCII)
"""Dates of one length and one offset in this form come in the order of their texts."""
_ZONES = timedelta(hours=14)
"""No two places on Earth are further from UTC than this."""


def is_before(one: Any, other: Any) -> bool:
    """Tell whether a date is surely before another; of two, one without offset, only when every offset says so."""
    if one == other or _is_told_later(one, other) or not is_iso_8601(one) or not is_iso_8601(other):
        return False
    first, second = datetime.fromisoformat(one), datetime.fromisoformat(other)
    if (first.tzinfo is None) == (second.tzinfo is None):
        return first < second
    return first.replace(tzinfo=None) + 2 * _ZONES < second.replace(tzinfo=None)


def _is_told_later(one: Any, other: Any) -> bool:
    """Tell whether a date is not before another one that is written alike, as their texts show."""
    if not isinstance(one, str) or not isinstance(other, str) or len(one) != len(other) or one < other:
        return False
    first, second = _ALIKE.fullmatch(one), _ALIKE.fullmatch(other)
    return first is not None and second is not None and first[1] == second[1]


def is_below(one: Any, other: Any) -> bool:
    """Tell whether a number is below another; what is no number is nobody's concern here."""
    first, second = _number(one), _number(other)
    return first is None or second is None or first < second


def is_same_number(one: Any, other: Any) -> bool:
    """Tell whether two numbers are one; what is no number is nobody's concern here."""
    first, second = number(one), _number(other)
    return first is None or second is None or first == second


def is_identifier_of(identifier: Any, text: Any) -> bool:
    """Tell whether an identifier may stand for a question with this text: only a computed one can be wrong."""
    if not isinstance(identifier, str) or not isinstance(text, str) or not text.strip():
        return True
    if identifier.startswith(QUESTION):
        computed = question_id(text)
        return (
            identifier == computed
            or _COMPUTED.fullmatch(identifier) is None
            or (identifier.startswith(computed) and bool(_SUFFIX.fullmatch(identifier[len(computed) :])))
            or identifier == gui_question_id(text)
        )
    return not _DIGEST.fullmatch(identifier) or identifier == question_object_id(text)


def _number(value: Any) -> float | None:
    return number(value) if number(value) is not None else numeric_text(value)
