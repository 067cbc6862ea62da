"""The fields of an answer, judged by what its template says about them, and the verdict that they come to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from checkpoint_ld.entities.entity import json_value
from checkpoint_ld.entities.primitives import TracePrimitive, safe_check
from checkpoint_ld.entities.primitives.primitive import named
from checkpoint_ld.entities.template_spec import AnyOf, AtLeastN, evaluate_strategy, granular_score
from checkpoint_ld.entities.verified_field import resolve_truth
from checkpoint_ld.errors import EvaluationError, SettingsError
from checkpoint_ld.mapping.properties import faults_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pydantic import JsonValue

    from checkpoint_ld.entities.primitives import CheckResult, VerificationPrimitive
    from checkpoint_ld.entities.template_spec import StrategyNode, TemplateFieldSpec
    from checkpoint_ld.templates import Level


@dataclass(frozen=True, slots=True)
class FieldResult:
    """What was found about one field.

    `passed` and `score`, the credit from 0.0 to 1.0, are None if nobody can tell without something that is missing;
    `reason` says in words why. `primitive` is the name of the primitive that decided; `value` is the value of the
    answer in the type of the field, `expected` the ground truth that counted. A field of the answer that the template
    does not have is listed as well, without a result and without weight.
    """

    name: str
    passed: bool | None
    score: float | None
    reason: str
    weight: float = 1.0
    primitive: str | None = None
    value: JsonValue = None
    expected: JsonValue = None

    def as_json(self) -> dict[str, JsonValue]:
        """Return the result as a JSON object."""
        members: dict[str, JsonValue] = {
            "name": self.name,
            "passed": self.passed,
            "score": self.score,
            "reason": self.reason,
            "weight": _number(self.weight),
            "primitive": self.primitive,
            "value": json_value(self.value, finite=True),
            "expected": json_value(self.expected, finite=True),
        }
        return members


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """What was found about one answer.

    `passed` is whether the fields pass and, where the template has regular expressions, these as well; None if nobody
    can tell, and then `reason` says why and what to do about it. `level` is that of the template.
    `fields` are in the template's order. `granular_score` says how right the answer is, from 0.0 to 1.0, by the rules
    of `checkpoint_ld.entities.template_spec`; `karenina_granular_score` is what Karenina computes, which looks at the
    root of the strategy only. Both are None if they cannot be told. `regex` is what the expressions of the template
    found in the response, as `checkpoint_ld.entities.verified_field.check_regexes` returns it, None if there are none.
    `executed` tells whether code of the template was run.
    """

    passed: bool | None
    reason: str
    level: Level
    fields: tuple[FieldResult, ...] = ()
    granular_score: float | None = None
    karenina_granular_score: float | None = None
    regex: Mapping[str, Any] | None = None
    executed: bool = False

    def as_json(self) -> dict[str, JsonValue]:
        """Return the result as a JSON object."""
        return {
            "passed": self.passed,
            "reason": self.reason,
            "level": self.level.value,
            "fields": [field.as_json() for field in self.fields],
            "granular_score": _number(self.granular_score),
            "karenina_granular_score": _number(self.karenina_granular_score),
            "regex": json_value(self.regex, finite=True),
            "executed": self.executed,
        }


def _number(value: float | None) -> float | None:
    return value if value is None or math.isfinite(value) else None


_TYPES: Final[Mapping[str, tuple[TypeAdapter[Any], str]]] = MappingProxyType(
    {
        "bool": (TypeAdapter(bool), "neither true nor false"),
        "int": (TypeAdapter(int), "no whole number"),
        "float": (TypeAdapter(float), "no number"),
        "list_str": (TypeAdapter(list[Any]), "no list"),
    }
)


def fitted(field: TemplateFieldSpec, value: JsonValue) -> JsonValue:
    """Return a value in the type of its field, as pydantic takes it: "10" is a number, and "yes" is true.

    Texts and dates are left to the primitive, and so is null. Raises `EvaluationError` for a value that does not fit.
    """
    if value is None:
        return None
    if field.type in _TYPES:
        adapter, fault = _TYPES[field.type]
        try:
            typed: JsonValue = adapter.validate_python(value)
        except ValidationError as error:
            raise EvaluationError(f"{named(value)} is {fault}") from error
        return typed
    literals = field.literal_values or []
    if field.type == "literal" and literals and str(value) not in literals:
        raise EvaluationError(f"{named(value)} is not one of {', '.join(named(literal) for literal in literals)}")
    return value


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


def verdict_of(node: StrategyNode | None, fields: Sequence[FieldResult]) -> bool | None:
    """Return whether the fields pass: all of them, or those that the tree asks for; None if unknown results decide.

    Raises `LookupFailedError` if the tree names a field without a result.
    """
    worst, best = (_verdict(node, _results(fields, unknown=unknown)) for unknown in (False, True))
    return best if best is worst else None


def scores_of(node: StrategyNode | None, fields: Sequence[FieldResult]) -> tuple[float | None, float | None]:
    """Return the granular score and the one that Karenina computes; None for one that depends on unknown results."""
    weights = {field.name: field.weight for field in fields}
    pairs = []
    for unknown in (False, True):
        results = _results(fields, unknown=unknown)
        scores = {field.name: float(unknown) if field.score is None else field.score for field in fields}
        pairs.append((granular_score(node, results, scores, weights), karenina_score(node, scores, weights)))
    (worst, karenina_worst), (best, karenina_best) = pairs
    return (best if best == worst else None), (karenina_best if karenina_best == karenina_worst else None)


def karenina_score(node: StrategyNode | None, scores: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the granular score as Karenina computes it, from the credit and the weight of each field by name.

    Only the root of the tree counts, and the weight of all fields, be they in the tree or not: the best credit for
    AnyOf, the `n` largest for AtLeastN, the sum for all else, each times its weight and divided by that of all. It
    may therefore be below 1.0 for an answer that is right, and outside of 0.0 to 1.0 for negative weights.
    """
    total = sum(weights.values())
    if not total:
        return 0.0
    earned = sorted((scores[name] * weight for name, weight in weights.items()), reverse=True)
    if isinstance(node, AnyOf):
        return max(earned, default=0.0) / total
    if isinstance(node, AtLeastN):
        return sum(earned[: node.n]) / total
    return sum(earned) / total


def _verdict(node: StrategyNode | None, results: Mapping[str, bool]) -> bool:
    return all(results.values()) if node is None else evaluate_strategy(node, results)


def _results(fields: Sequence[FieldResult], *, unknown: bool) -> dict[str, bool]:
    return {field.name: unknown if field.passed is None else field.passed for field in fields}


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
