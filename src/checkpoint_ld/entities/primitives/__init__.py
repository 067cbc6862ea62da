"""Verification primitives: the ways in which the value of a field is compared with its ground truth.

A primitive is a small object of parameters with `check` and `score`, or with `check_trace` where the whole response is
looked at. `safe_check` uses any of them without exceptions; `primitive_of` builds one from what a template holds.

Names, parameters and results are Karenina's, with these exceptions: parameters that fail at every use are refused when
a primitive is built; an incomplete date is none, where Karenina fills it up from today's; null equals null only and
contains no text; a bare text is a list of one item, not of characters; true is no 1 for LiteralMatch; words count by
their meaning for BooleanMatch; and what cannot be compared, or not in time, is an `EvaluationError`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from checkpoint_ld.entities.primitives.dates import DateMatch, DateRange, DateTolerance
    from checkpoint_ld.entities.primitives.numbers import (
        NumericExact,
        NumericGraded,
        NumericMaximum,
        NumericMinimum,
        NumericRange,
        NumericRangeGraded,
        NumericThresholdGraded,
        NumericTolerance,
    )
    from checkpoint_ld.entities.primitives.primitive import (
        NORMALIZERS,
        CheckResult,
        SynonymMap,
        TracePrimitive,
        VerificationPrimitive,
        apply_normalizer,
        apply_normalizers,
        safe_check,
    )
    from checkpoint_ld.entities.primitives.registry import PRIMITIVES, AnyPrimitive, primitive_of
    from checkpoint_ld.entities.primitives.texts import (
        BooleanMatch,
        ContainsAll,
        ContainsAny,
        ExactMatch,
        LiteralMatch,
        OrderedMatch,
        RegexMatch,
        SemanticMatch,
        SetContainment,
        TraceContains,
        TraceLength,
        TraceRegex,
    )

__all__ = [
    "NORMALIZERS",
    "PRIMITIVES",
    "AnyPrimitive",
    "BooleanMatch",
    "CheckResult",
    "ContainsAll",
    "ContainsAny",
    "DateMatch",
    "DateRange",
    "DateTolerance",
    "ExactMatch",
    "LiteralMatch",
    "NumericExact",
    "NumericGraded",
    "NumericMaximum",
    "NumericMinimum",
    "NumericRange",
    "NumericRangeGraded",
    "NumericThresholdGraded",
    "NumericTolerance",
    "OrderedMatch",
    "RegexMatch",
    "SemanticMatch",
    "SetContainment",
    "SynonymMap",
    "TraceContains",
    "TraceLength",
    "TracePrimitive",
    "TraceRegex",
    "VerificationPrimitive",
    "apply_normalizer",
    "apply_normalizers",
    "primitive_of",
    "safe_check",
]

_HOMES = {
    "AnyPrimitive": "registry",
    "BooleanMatch": "texts",
    "CheckResult": "primitive",
    "ContainsAll": "texts",
    "ContainsAny": "texts",
    "DateMatch": "dates",
    "DateRange": "dates",
    "DateTolerance": "dates",
    "ExactMatch": "texts",
    "LiteralMatch": "texts",
    "NORMALIZERS": "primitive",
    "NumericExact": "numbers",
    "NumericGraded": "numbers",
    "NumericMaximum": "numbers",
    "NumericMinimum": "numbers",
    "NumericRange": "numbers",
    "NumericRangeGraded": "numbers",
    "NumericThresholdGraded": "numbers",
    "NumericTolerance": "numbers",
    "OrderedMatch": "texts",
    "PRIMITIVES": "registry",
    "RegexMatch": "texts",
    "SemanticMatch": "texts",
    "SetContainment": "texts",
    "SynonymMap": "primitive",
    "TraceContains": "texts",
    "TraceLength": "texts",
    "TracePrimitive": "primitive",
    "TraceRegex": "texts",
    "VerificationPrimitive": "primitive",
    "apply_normalizer": "primitive",
    "apply_normalizers": "primitive",
    "primitive_of": "registry",
    "safe_check": "primitive",
}


def __getattr__(name: str) -> Any:
    # Who only wants to know what JSON values are need not wait for all primitives (PEP 562).
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
