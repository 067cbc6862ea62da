"""Primitives used without exceptions, for reports that go on whatever happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checkpoint_ld.entities.primitives.primitive import TracePrimitive, VerificationPrimitive
from checkpoint_ld.errors import EvaluationError


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a primitive says about one value.

    `score` is the credit from 0.0 to 1.0. `error` says why the value could not be judged, None if it could; it has
    then not passed. `remarks` say what is odd about a value that was judged, such as an incomplete date.
    """

    passed: bool
    score: float
    error: str | None = None
    remarks: tuple[str, ...] = ()


def safe_check(primitive: VerificationPrimitive, extracted: Any, expected: Any) -> CheckResult:
    """Return what `primitive` says about a value, given its ground truth; what cannot be judged does not pass.

    For a trace primitive `extracted` is the text of the response, and the ground truth false means that it must not be
    as the primitive asks.
    """
    try:
        if isinstance(primitive, TracePrimitive):
            passed = primitive.check_trace(extracted) is bool(expected)
            return CheckResult(passed, float(passed))
        passed = primitive.check(extracted, expected)
        score = primitive.score(extracted, expected) if primitive.graded else float(passed)
    except EvaluationError as error:
        return CheckResult(passed=False, score=0.0, error=str(error))
    return CheckResult(passed, score, remarks=() if passed else primitive.remarks(extracted, expected))
