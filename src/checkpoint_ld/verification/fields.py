"""One field of an answer, judged by what its template says about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from checkpoint_ld.entities.entity import json_value
from checkpoint_ld.entities.primitives import TracePrimitive, safe_check
from checkpoint_ld.entities.verified_field import resolve_truth
from checkpoint_ld.errors import EvaluationError, SettingsError
from checkpoint_ld.verification.result import FieldResult
from checkpoint_ld.verification.values import fitted
from checkpoint_ld.verification.wording import fault_of, outcome, trace_outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pydantic import JsonValue

    from checkpoint_ld.entities.primitives import VerificationPrimitive
    from checkpoint_ld.entities.template_spec import TemplateFieldSpec

RESERVED: Final = ("id", "correct", "regex")
"""Members of an answer that are no fields to verify."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of an answer: values by field name, the raw response, what chooses conditional ground truths."""

    values: Mapping[str, Any]
    trace: str | None = None
    context: Mapping[str, Any] | None = None


def judge(field: TemplateFieldSpec, evidence: Evidence, *, has_default: bool = False) -> FieldResult:
    """Return the result of one field; nothing is raised.

    `has_default` tells that the template may fill in a value where the answer has none, which is then not known.
    """
    try:
        primitive, expected = resolve_truth(field.verify_with, field.ground_truth, evidence.context)
    except (SettingsError, ValidationError) as error:
        reason = f"the template does not say how to judge it: {fault_of(error)}"
        return FieldResult(field.name, None, None, reason, field.weight)
    name = type(primitive).__name__
    found = partial(FieldResult, field.name, weight=field.weight, primitive=name, expected=expected)
    if primitive.needs:
        return found(None, None, f"{name} needs {primitive.needs}, which is not part of this package")
    if isinstance(primitive, TracePrimitive):
        return _judge_trace(found, primitive, expected, evidence.trace)
    if field.name not in evidence.values:
        if has_default:
            return found(None, None, "no value is given, and which one the template fills in is not known: give one")
        return found(passed=False, score=0.0, reason=f"no value for {field.name}")
    return _judge_value(found, primitive, expected, field, evidence.values[field.name])


def unknown_field(name: str, value: Any, known: Iterable[str]) -> FieldResult:
    """Return the result of a value that the template has no field for."""
    reason = f"the template has no such field; there are {', '.join(known) or 'none'}"
    return FieldResult(name, None, None, reason, 0.0, value=_shown_value(value))


def _judge_trace(
    found: Callable[..., FieldResult], primitive: VerificationPrimitive, expected: JsonValue, trace: str | None
) -> FieldResult:
    if not isinstance(trace, str):
        return found(None, None, f"{type(primitive).__name__} looks at the raw response: give its text as trace")
    result = safe_check(primitive, trace, expected)
    reason = result.error or trace_outcome(primitive, passed=result.passed, expected=bool(expected))
    return found(result.passed, result.score, reason)


def _judge_value(
    found: Callable[..., FieldResult],
    primitive: VerificationPrimitive,
    expected: JsonValue,
    field: TemplateFieldSpec,
    given: Any,
) -> FieldResult:
    value = None
    try:
        value = json_value(given)
        value = fitted(field, value)
    except EvaluationError as error:
        return found(passed=False, score=0.0, reason=str(error), value=value)
    result = safe_check(primitive, value, expected)
    if value is None and not result.passed:
        return found(passed=False, score=0.0, reason="the value is null")
    reason = result.error or outcome(primitive, value, expected, result)
    return found(result.passed, result.score, reason, value=value)


def _shown_value(value: Any) -> JsonValue:
    try:
        return json_value(value)
    except EvaluationError:
        return None
