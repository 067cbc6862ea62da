"""Results in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from checkpoint_ld.entities.primitives.primitive import named
from checkpoint_ld.mapping.properties import faults_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from checkpoint_ld.entities.primitives import CheckResult, VerificationPrimitive
    from checkpoint_ld.verification.result import FieldResult

_WITHOUT_TRUTH: Final = frozenset(
    {"ContainsAny", "ContainsAll", "RegexMatch", "NumericRange", "NumericRangeGraded", "DateRange"}
)
"""The primitives that do not look at the ground truth."""


def outcome(primitive: VerificationPrimitive, value: JsonValue, expected: JsonValue, result: CheckResult) -> str:
    """Say what a primitive made of a value."""
    truth = "" if type(primitive).__name__ in _WITHOUT_TRUTH else f" against {named(expected)}"
    passes = "passes" if result.passed else "does not pass"
    credit = "" if result.score == float(result.passed) else f", but earns {result.score:.4g}"
    remarks = "".join(f"; {remark}" for remark in result.remarks)
    return f"{named(value)} {passes} {described(primitive)}{truth}{credit}{remarks}"


def trace_outcome(primitive: VerificationPrimitive, *, passed: bool, expected: bool) -> str:
    """Say what a primitive made of a raw response, which was expected to pass it or not to."""
    passes = "passes" if passed is expected else "does not pass"
    wanted = "should" if expected else "should not"
    return f"the response {passes} {described(primitive)}, and {wanted}"


def described(primitive: VerificationPrimitive) -> str:
    """Return a primitive with those of its parameters that are not the usual ones."""
    fields = type(primitive).model_fields
    parameters = [
        f"{name}={named(value)}"
        for name, value in primitive.serialised().items()
        if name in fields and name != "type" and value != fields[name].get_default(call_default_factory=True)
    ]
    return f"{type(primitive).__name__}({', '.join(parameters)})" if parameters else type(primitive).__name__


def summary(fields: Sequence[FieldResult], *, passed: bool | None, has_strategy: bool) -> str:
    """Say what the fields come to; a result that is not known is said to be what keeps from telling."""
    names = [field.name for field in fields if field.passed is False]
    if passed is None:
        unknown = next((field for field in fields if field.passed is None), None)
        return "" if unknown is None else f"field {unknown.name}: {unknown.reason}"
    if has_strategy:
        failing = f"; not passed: {', '.join(names)}" if names else ""
        return f"the strategy {'passes' if passed else 'does not pass'}{failing}"
    return "all fields pass" if passed else f"{len(names)} of {len(fields)} fields do not pass: {', '.join(names)}"


def fault_of(error: ValueError) -> str:
    """Return what an exception says, on one line where it is pydantic's."""
    return faults_of(error) if isinstance(error, ValidationError) else str(error)
