"""Verification of answers by their templates, which are read and not run, unless the caller trusts them.

`verify` is public. `judge` verifies one field, `decided` combines the fields, and `evaluate` a whole specification.
Trusted templates with code run in `checkpoint_ld.templates.execution`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from dataclasses import fields as members_of
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from checkpoint_ld.documents.values import plain
from checkpoint_ld.entities.answer import BaseAnswer, check_regexes, resolve_truth
from checkpoint_ld.entities.entity import json_value
from checkpoint_ld.entities.template_spec import TemplateSpec, evaluate_strategy, granular_score, karenina_score
from checkpoint_ld.entities.verification_primitive import TracePrimitive, safe_check
from checkpoint_ld.errors import EvaluationError, LookupFailedError, SettingsError
from checkpoint_ld.mapping.traits import faults_of
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.phrases import brief
from checkpoint_ld.templates import Level, ProblemKind, Template, read_template
from checkpoint_ld.templates.fields import RESERVED
from checkpoint_ld.templates.reading import HOOKS
from checkpoint_ld.templates.specification import spec_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from pydantic import JsonValue

    from checkpoint_ld.entities.template_spec import StrategyNode, TemplateFieldSpec
    from checkpoint_ld.entities.verification_primitive import CheckResult, VerificationPrimitive
    from checkpoint_ld.templates import TemplateField
    from checkpoint_ld.workers.trusted import Trust


@dataclass(frozen=True, slots=True)
class FieldResult:
    """The result of one field.

    `passed` and `score`, the credit from 0.0 to 1.0, are None if evidence is missing; `reason` explains the result in
    words. `primitive` is the name of the primitive that decided. `value` is the value of the answer in the type of the
    field, `expected` the ground truth that counted. A field of the answer that the template does not have is listed as
    well, without a result and without weight.
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
        members = {member.name: json_value(getattr(self, member.name), finite=True) for member in members_of(self)}
        return members | {"weight": _number(self.weight)}


@dataclass(frozen=True, slots=True)
class VerificationResult(Shown):
    """The result of one answer.

    `passed` is whether the fields pass and, where the template has regular expressions, these as well. It is None if
    that cannot be decided, and `reason` is then the reason and the remedy. `level` is that of the template. `fields`
    are in the template's order. `granular_score` is how right the answer is, from 0.0 to 1.0, by the rules of
    `checkpoint_ld.entities.template_spec`; `karenina_granular_score` is the score that Karenina computes, from the root
    of the strategy only. Both are None if they are not known. `regex` is the result of the template's expressions, as
    `checkpoint_ld.entities.answer.check_regexes` returns it, None if there are none. `executed` is whether code of the
    template was run.
    """

    passed: bool | None
    reason: str
    level: Level
    fields: tuple[FieldResult, ...] = ()
    granular_score: float | None = None
    karenina_granular_score: float | None = None
    regex: Mapping[str, Any] | None = None
    executed: bool = False

    def _card(self) -> Card:
        name = {True: "passed", False: "failed", None: "not decided"}[self.passed]
        facts = {"score": self.granular_score, "level": self.level, "code was run": self.executed or None}
        return Card("VerificationResult", name, self.reason, facts, [self.table()])

    def table(self) -> Rows:
        """Return the fields as a table for a notebook."""
        columns = "field", "passed", "score", "value", "expected", "reason"
        names = "name", *columns[1:]
        return Rows("Fields", columns, ([getattr(field, name) for name in names] for field in self.fields))

    def as_json(self) -> dict[str, JsonValue]:
        """Return the result as a JSON object."""
        return {member.name: getattr(self, member.name) for member in members_of(self)} | {
            "level": self.level.value,
            "fields": [field.as_json() for field in self.fields],
            "granular_score": _number(self.granular_score),
            "karenina_granular_score": _number(self.karenina_granular_score),
            "regex": json_value(self.regex, finite=True),
        }


def _number(value: float | None) -> float | None:
    return value if value is None or math.isfinite(value) else None


_TYPES: Final = {
    "bool": (TypeAdapter[Any](bool), "neither true nor false"),
    "int": (TypeAdapter[Any](int), "no whole number"),
    "float": (TypeAdapter[Any](float), "no number"),
    "list_str": (TypeAdapter[Any](list[Any]), "no list"),
    "list_bool": (TypeAdapter[Any](list[bool]), "no list of true and false"),
    "list_int": (TypeAdapter[Any](list[int]), "no list of whole numbers"),
    "list_float": (TypeAdapter[Any](list[float]), "no list of numbers"),
}


def fitted(field: TemplateFieldSpec, value: JsonValue, kind: str) -> JsonValue:
    """Return a value in the type `kind` of its field, as pydantic takes it: "10" is a number, and "yes" is true.

    Dates and null are left to the primitive, and so are numbers where a text is wanted. Raises `EvaluationError` for a
    value that does not fit.
    """
    if value is None:
        return None
    if kind in ("str", "date") and isinstance(value, list | dict):
        raise EvaluationError(f"{brief(value)} is no text")
    if kind in _TYPES or kind.startswith("list_"):
        adapter, fault = _TYPES.get(kind, _TYPES["list_str"])
        try:
            return adapter.validate_python(value)  # type: ignore[no-any-return]
        except ValidationError as error:
            raise EvaluationError(f"{brief(value)} is {fault}") from error
    literals = field.literal_values or []
    if field.type == "literal" and literals and str(value) not in literals:
        raise EvaluationError(f"{brief(value)} is not one of {', '.join(brief(literal) for literal in literals)}")
    return value


_WITHOUT_TRUTH: Final = frozenset(
    {"ContainsAny", "ContainsAll", "RegexMatch", "NumericRange", "NumericRangeGraded", "DateRange"}
)
"""The primitives that ignore the ground truth."""


def _outcome(primitive: VerificationPrimitive, value: JsonValue, expected: JsonValue, result: CheckResult) -> str:
    truth = "" if type(primitive).__name__ in _WITHOUT_TRUTH else f" against {brief(expected)}"
    passes = "passes" if result.passed else "does not pass"
    credit = "" if result.score == float(result.passed) else f", but earns {result.score:.4g}"
    remarks = "".join(f"; {remark}" for remark in result.remarks)
    return f"{brief(value)} {passes} {_described(primitive)}{truth}{credit}{remarks}"


def _described(primitive: VerificationPrimitive) -> str:
    """Return a primitive with those of its parameters that differ from their defaults."""
    fields = type(primitive).model_fields
    parameters = [
        f"{name}={brief(value)}"
        for name, value in primitive.serialised().items()
        if name in fields and name != "type" and value != fields[name].get_default(call_default_factory=True)
    ]
    return f"{type(primitive).__name__}({', '.join(parameters)})" if parameters else type(primitive).__name__


def fault_of(error: ValueError) -> str:
    """Return the message of an exception, on one line for exceptions of pydantic."""
    return faults_of(error) if isinstance(error, ValidationError) else str(error)


def decided(
    node: StrategyNode | None, results: Sequence[FieldResult]
) -> tuple[bool | None, float | None, float | None]:
    """Return whether the fields pass, the granular score, and the score that Karenina computes.

    All fields have to pass, or those that the tree requires. A value that depends on unknown results is None. Raises
    `LookupFailedError` if the tree names a field without a result.
    """
    weights = {field.name: field.weight for field in results}
    outcomes = []
    for unknown in (False, True):
        passing = {field.name: unknown if field.passed is None else field.passed for field in results}
        scores = {field.name: float(unknown) if field.score is None else field.score for field in results}
        passed = all(passing.values()) if node is None else evaluate_strategy(node, passing)
        granular = granular_score(node, passing, scores, weights)
        outcomes.append((passed, granular, karenina_score(node, scores, weights)))
    (passed, granular, karenina), best = outcomes
    return (
        passed if passed is best[0] else None,
        granular if granular == best[1] else None,
        karenina if karenina == best[2] else None,
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """An answer to verify: values by field name, the raw response, and the context of conditional ground truths.

    `values` is None if no values were taken from the response.
    """

    values: Mapping[str, Any] | None
    trace: str | None = None
    context: Mapping[str, Any] | None = None


_FILLING: Final = frozenset({"default", "default_factory", "alias", "validation_alias"})
"""Arguments for pydantic with which a field may have a value that the answer does not name."""


def judge(field: TemplateFieldSpec, evidence: Evidence, stated: TemplateField | None = None) -> FieldResult:
    """Return the result of one field, which the template has as `stated`, if it was read; nothing is raised."""
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
        if not isinstance(evidence.trace, str):
            return found(None, None, f"{name} looks at the raw response: give its text as trace")
        result = safe_check(primitive, evidence.trace, expected)
        passes = "passes" if result.passed is bool(expected) else "does not pass"
        wanted = "should" if expected else "should not"
        reason = f"the response {passes} {_described(primitive)}, and {wanted}"
        return found(result.passed, result.score, result.error or reason)
    if evidence.values is None:
        return found(None, None, "no values were taken from the response: give them as answer")
    if field.name not in evidence.values:
        if stated is not None and not _FILLING.isdisjoint(stated.options):
            return found(None, None, "no value is given, and which one the template fills in is not known: give one")
        return found(passed=False, score=0.0, reason=f"no value for {field.name}")
    value = None
    try:
        value = json_value(evidence.values[field.name])
        value = fitted(field, value, field.type if stated is None else stated.taken_as)
    except EvaluationError as error:
        return found(passed=False, score=0.0, reason=str(error), value=value)
    result = safe_check(primitive, value, expected)
    if value is None and not result.passed:
        return found(passed=False, score=0.0, reason="the value is null")
    reason = result.error or _outcome(primitive, value, expected, result)
    return found(result.passed, result.score, reason, value=value)


def verify(
    template: str | TemplateSpec | Template | None,
    answer: Mapping[str, Any] | BaseAnswer,
    trace: str | None = None,
    *,
    context: Mapping[str, Any] | None = None,
    trust: Trust | None = None,
) -> VerificationResult:
    """Return whether an answer is right, verified field by field by its template.

    `template` is the source of an answer template, the result of `read_template`, or a specification. `answer` has the
    values of the fields by name; missing and unknown fields, null and values of a wrong type are reasons in the result.
    The trace, context and null fields attached to a `BaseAnswer` count, too. `trace` is the text of the raw response,
    which trace primitives and regular expressions check. `context` chooses the cases of conditional ground truths.

    No code of the template is run, so that `passed` is None for a template whose code decides. With `trust`, templates
    with code of their own run in a process of their own, under the limits of `trust`; that needs the source. Raises
    `EvaluationError` for an `answer` that is no object, and if the code fails.
    """
    return verified(template, _evidence(answer, trace, context), trust)


def verified(
    template: str | TemplateSpec | Template | None, evidence: Evidence, trust: Trust | None
) -> VerificationResult:
    """Return the result of `verify` for evidence, which need not have values."""
    if isinstance(template, TemplateSpec):
        return evaluate(template, None, evidence)
    read = template if isinstance(template, Template) else read_template(template)
    spec = spec_of(read)
    fault = obstacle(read, is_read=spec is not None)
    if trust is not None and isinstance(template, str) and read.level in RUNNABLE and (fault or read.custom_code):
        from checkpoint_ld.templates.execution import run_template  # noqa: PLC0415 - few trust stored code

        return run_template(template, evidence.values or {}, evidence.trace, evidence.context, trust)
    if fault is not None:
        needs_source = " (give its source text)" if trust is not None and read.level in RUNNABLE else ""
        return VerificationResult(None, f"{fault}{needs_source}", read.level)
    return evaluate(spec or TemplateSpec(fields=[]), read, evidence)


def _evidence(answer: Mapping[str, Any] | BaseAnswer, trace: str | None, context: Mapping[str, Any] | None) -> Evidence:
    if isinstance(answer, BaseAnswer):
        attached_trace, attached_context, null_fields = BaseAnswer.attached(answer)
        values = {name: value for name, value in answer if name not in null_fields}
        return Evidence(
            values, attached_trace if trace is None else trace, attached_context if context is None else context
        )
    if not isinstance(answer, Mapping):
        raise EvaluationError(f"{brief(answer)} is no answer: give an object of values by field name")
    values = dict(answer)
    with suppress(RecursionError):  # each field says that its value is nested too deeply
        values = plain(values)
    return Evidence(values, trace, context)


def evaluate(spec: TemplateSpec, read: Template | None, evidence: Evidence) -> VerificationResult:
    """Return the result of a specification for an answer; `read` is the template of the specification, if any."""
    level = Level.VERIFIED if read is None else read.level
    stated = {} if read is None else {field.name: field for field in read.fields}
    fields = [judge(field, evidence, stated.get(field.name)) for field in spec.fields]
    names = [field.name for field in spec.fields]
    names += [] if read is None else [field.name for field in read.plain_fields]
    result = VerificationResult(None, "", level, (*fields, *unknown_fields(evidence.values or {}, names)))
    if fields:
        try:
            node = None if spec.verify_strategy is None else spec.verify_strategy.node()
            result = with_verdict(result, node, fields)
        except (ValidationError, LookupFailedError) as error:
            result = replace(result, reason=f"the strategy cannot be evaluated: {fault_of(error)}")
    elif level is Level.CLASSIC:
        result = replace(result, passed=True)
    else:
        return replace(result, reason="the template has no fields: add one")
    if read is None:
        return result
    if any(part.name == "verify_granular" for part in read.custom_code):
        result = replace(result, granular_score=None, karenina_granular_score=None)
    regexes = {name: asdict(check) for name, check in (read.regexes or {}).items()}
    # An expression with a fault never passes, be it among those that could be read or not.
    is_faulty = any(problem.kind is ProblemKind.REGEX for problem in read.problems)

    def check(response: str) -> tuple[dict[str, Any], str]:
        found = check_regexes(regexes, response)
        failing = [name for name, passed in found["results"].items() if not passed]
        success = found["success"] and not is_faulty
        return {**found, "success": success}, f"regular expressions not met: {', '.join(failing)}"

    return with_regexes(result, evidence.trace, check) if regexes else result


def with_verdict(
    result: VerificationResult, node: StrategyNode | None, fields: Sequence[FieldResult]
) -> VerificationResult:
    """Return a result with the verdict and the scores of its fields. Raises as `decided` does."""
    passed, granular, karenina = decided(node, fields)
    failing = ", ".join(field.name for field in fields if field.passed is False)
    if passed is None:
        reason = next((f"field {field.name}: {field.reason}" for field in fields if field.passed is None), "")
    elif node is not None:
        reason = f"the strategy {'passes' if passed else 'does not pass'}{failing and f'; not passed: {failing}'}"
    else:
        count = sum(field.passed is False for field in fields)
        reason = "all fields pass" if passed else f"{count} of {len(fields)} fields do not pass: {failing}"
    return replace(result, passed=passed, reason=reason, granular_score=granular, karenina_granular_score=karenina)


def with_regexes(
    result: VerificationResult, trace: str | None, check: Callable[[str], tuple[dict[str, Any], str]]
) -> VerificationResult:
    """Return a result with that of `check` for a raw response: the matches, and the reason if they are no success."""
    found = None
    if not isinstance(trace, str):
        outcome = "the regular expressions look at the raw response: give its text as trace"
        passed = False if result.passed is False else None
    else:
        found, failure = check(trace)
        outcome = "all regular expressions are met" if found["success"] else failure
        passed = result.passed if found["success"] else False
    return replace(result, passed=passed, reason="; ".join(filter(None, (result.reason, outcome))), regex=found)


def unknown_fields(values: Mapping[str, Any], names: Collection[str]) -> Iterator[FieldResult]:
    """Yield the results of values for which the template has no field; `names` are those of its fields."""
    reason = f"the template has no such field; there are {', '.join(names) or 'none'}"
    for name, value in values.items():
        if name not in names and name not in RESERVED:
            shown = None
            with suppress(EvaluationError):  # nested too deeply
                shown = json_value(value)
            yield FieldResult(str(name), None, None, reason, 0.0, value=shown)


REMEDY: Final = "run it with trust=Trust(), or --trust-stored-code, if you trust its code"

RUNNABLE: Final = frozenset({Level.CLASSIC, Level.PLACEHOLDER, Level.VERIFIED, Level.MIXED})
"""The levels of templates that give a verdict when they are run."""

_UNWRITTEN: Final = {
    Level.EMPTY: "there is no template: write one",
    Level.SYNTAX_ERROR: "the template is no Python: correct it",
    Level.NO_ANSWER_CLASS: "no class of the template derives from BaseAnswer: write one",
    Level.PLACEHOLDER: "the template is the placeholder that stands where none was given: write one",
    Level.INCOMPLETE: "nothing says how the fields are verified: declare them with VerifiedField, or define verify",
}
_HARMLESS: Final = frozenset({("decorator", "capture_answer_source"), ("method", "verify_granular")})
_UNREAD: Final = (
    *(ProblemKind.NOT_STATIC, ProblemKind.STRATEGY, ProblemKind.FIELD_DEFINITION, ProblemKind.LITERAL_VALUES),
    *(ProblemKind.UNKNOWN_PRIMITIVE, ProblemKind.PRIMITIVE_PARAMETERS, ProblemKind.DESCRIPTION),
)


def obstacle(template: Template, *, is_read: bool) -> str | None:
    """Return why a template cannot be evaluated without running it, with the remedy; None if it can.

    `is_read` is whether its fields and its strategy are known (`checkpoint_ld.templates.specification.spec_of`). A
    hook that sets `self.correct` or `self.regex` to a static value is assumed to do nothing else.
    """
    if template.level in _UNWRITTEN:
        return _UNWRITTEN[template.level]
    has_static_hook = template.ground_truth is not None or template.regexes is not None
    for part in template.custom_code:
        is_static = part.kind == "method" and part.name in HOOKS and has_static_hook
        if not is_static and part.kind != "constant" and (part.kind, part.name) not in _HARMLESS:
            decides = "decides" if part.name == "verify" else "may decide anything"
            return f"the {part.kind} {part.name} of the template (line {part.line}) {decides}: {REMEDY}"
    has_regexes = any(field.name == "regex" for field in template.plain_fields)
    if template.regexes is None and (has_regexes or any("self.regex" in found.message for found in template.problems)):
        return f"the regular expressions of the template are not written out: {REMEDY}"
    if template.level is Level.CLASSIC:
        return None if template.regexes else f"the template has nothing that can be evaluated: {REMEDY}"
    if is_read:
        return None
    problem = next((found for found in template.problems if found.kind in _UNREAD), None)
    what = "not all of the template is written out" if problem is None else problem.message
    return f"{what}: {REMEDY}"


_SCHEMAS: Final = {
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "date": {"type": "string", "format": "date"},
}


def judge_schema(spec: TemplateSpec) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the object that a judge finds in a response, without ground truths.

    It requires a value for each field in order, except for fields that check the raw response. Its texts are the
    author's: the description and, on the next line, the extraction hint. An unknown type becomes a text.
    """
    properties = {}
    for field in spec.fields:
        if not field.is_trace:
            schema: dict[str, Any] = dict(_SCHEMAS.get(field.type, {"type": "string"}))
            if field.type == "list_str":
                schema = {"type": "array", "items": {"type": "string"}}
            schema["description"] = "\n".join(text for text in (field.description, field.extraction_hint) if text)
            if field.type == "literal" and field.literal_values:
                schema["enum"] = list(field.literal_values)
            properties[field.name] = schema
    return {
        "type": "object",
        "title": spec.class_name,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
