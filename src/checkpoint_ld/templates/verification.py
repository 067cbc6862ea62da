"""Answers verified by their templates, which are read and not run, unless somebody trusts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from checkpoint_ld.arguments import checked
from checkpoint_ld.entities.answer import BaseAnswer
from checkpoint_ld.entities.primitives.primitive import named
from checkpoint_ld.entities.template_spec import TemplateSpec
from checkpoint_ld.entities.verified_field import check_regexes
from checkpoint_ld.errors import EvaluationError, LookupFailedError
from checkpoint_ld.templates import Level, ProblemKind, Template, read_template
from checkpoint_ld.templates.specification import spec_of
from checkpoint_ld.templates.verdicts import (
    RESERVED,
    Evidence,
    VerificationResult,
    fault_of,
    judge,
    scores_of,
    summary,
    unknown_field,
    verdict_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.entities.template_spec import TemplateFieldSpec
    from checkpoint_ld.templates import CustomCode
    from checkpoint_ld.templates.verdicts import FieldResult
    from checkpoint_ld.workers.trusted import Trust


def verify(
    template: str | TemplateSpec | Template | None,
    answer: Mapping[str, Any] | BaseAnswer,
    trace: str | None = None,
    *,
    context: Mapping[str, Any] | None = None,
    trust: Trust | None = None,
) -> VerificationResult:
    """Return whether an answer is right, by what its template says about its fields.

    `template` is the source of an answer template, what `read_template` made of it, or a specification. `answer` has
    the values of the fields by name; unset and unknown ones, null and values of a wrong type are told in the results.
    A `BaseAnswer` brings along what is attached to it. `trace` is the text of the raw response, which trace primitives
    and regular expressions look at. `context` chooses the cases of conditional ground truths.

    No code of the template is run, so a template whose code decides gives a result whose `passed` is None. With
    `trust`, templates that have code of their own are run in a process apart, under the limits of `trust`; that needs
    the source. Raises `EvaluationError` for an `answer` that is no object, and where code that was run fails.
    """
    evidence = _evidence(answer, trace, context)
    if isinstance(template, TemplateSpec):
        return evaluate(template, None, evidence)
    read = template if isinstance(template, Template) else read_template(template)
    spec = spec_of(read)
    fault = obstacle(read, is_read=spec is not None)
    if trust is not None and isinstance(template, str) and read.level in RUNNABLE and (fault or read.custom_code):
        from checkpoint_ld.templates.execution import run_template  # noqa: PLC0415 - few trust stored code

        return run_template(template, evidence.values, evidence.trace, evidence.context, trust)
    if fault is not None:
        needs_source = " (give its source text)" if trust is not None and read.level in RUNNABLE else ""
        return VerificationResult(None, f"{fault}{needs_source}", read.level)
    return evaluate(spec or TemplateSpec(fields=[]), read, evidence)


def _evidence(answer: Mapping[str, Any] | BaseAnswer, trace: str | None, context: Mapping[str, Any] | None) -> Evidence:
    if isinstance(answer, BaseAnswer):
        attached_trace, attached_context, null_fields = answer.attached()
        values = {name: value for name, value in answer if name not in null_fields}
        return Evidence(
            values,
            attached_trace if trace is None else trace,
            attached_context if context is None else context,
        )
    if not isinstance(answer, Mapping):
        raise EvaluationError(f"{named(answer)} is no answer: give an object of values by field name")
    return Evidence(answer, trace, context)


_FILLING: Final = frozenset({"default", "default_factory", "alias", "validation_alias"})
"""Arguments for pydantic with which a field may have a value that the answer does not name."""


def evaluate(spec: TemplateSpec, read: Template | None, evidence: Evidence) -> VerificationResult:
    """Return what a specification says about an answer; `read` is the template that it is of, if there is one."""
    level = Level.VERIFIED if read is None else read.level
    filled = set() if read is None else {field.name for field in read.fields if _FILLING & set(field.options)}
    fields = [judge(field, evidence, has_default=field.name in filled) for field in spec.fields]
    listed = (*fields, *_unknown_fields(spec, read, evidence))
    if fields:
        result = _of_fields(spec, VerificationResult(None, "", level, listed), fields)
    elif level is Level.CLASSIC:
        result = VerificationResult(passed=True, reason="", level=level, fields=listed)
    else:
        return VerificationResult(None, "the template has no fields: add one", level, listed)
    if read is not None and any(part.name == "verify_granular" for part in read.custom_code):
        result = replace(result, granular_score=None, karenina_granular_score=None)
    return result if read is None or not read.regexes else _with_regexes(result, read, evidence.trace)


def _of_fields(spec: TemplateSpec, result: VerificationResult, fields: list[FieldResult]) -> VerificationResult:
    try:
        node = None if spec.verify_strategy is None else spec.verify_strategy.node()
        passed = verdict_of(node, fields)
        granular, karenina = scores_of(node, fields)
    except (ValidationError, LookupFailedError) as error:
        return replace(result, reason=f"the strategy cannot be evaluated: {fault_of(error)}")
    reason = summary(fields, passed=passed, has_strategy=node is not None)
    return replace(result, passed=passed, reason=reason, granular_score=granular, karenina_granular_score=karenina)


def _with_regexes(result: VerificationResult, read: Template, trace: str | None) -> VerificationResult:
    """Return a result that the regular expressions of the template are part of."""
    if not isinstance(trace, str):
        missing = "the regular expressions look at the raw response: give its text as trace"
        passed = False if result.passed is False else None
        return replace(result, passed=passed, reason=_joined(result.reason, missing))
    found = check_regexes({name: asdict(check) for name, check in (read.regexes or {}).items()}, trace)
    # An expression with a fault never passes, be it among those that could be read or not.
    success = found["success"] and all(problem.kind is not ProblemKind.REGEX for problem in read.problems)
    passed = result.passed if success else False
    failing = [name for name, there in found["results"].items() if not there]
    said = "all regular expressions are met" if success else f"regular expressions not met: {', '.join(failing)}"
    return replace(result, passed=passed, reason=_joined(result.reason, said), regex={**found, "success": success})


def _unknown_fields(spec: TemplateSpec, read: Template | None, evidence: Evidence) -> Iterator[FieldResult]:
    names = [field.name for field in spec.fields]
    names += [] if read is None else [field.name for field in read.plain_fields]
    for name, value in evidence.values.items():
        if name not in names and name not in RESERVED:
            yield unknown_field(str(name), value, names)


def _joined(*reasons: str) -> str:
    return "; ".join(reason for reason in reasons if reason)


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
_HOOKS: Final = ("ground_truth", "model_post_init")
_HARMLESS: Final = frozenset({("decorator", "capture_answer_source"), ("method", "verify_granular")})
_UNREAD: Final = (
    *(ProblemKind.NOT_STATIC, ProblemKind.STRATEGY, ProblemKind.FIELD_DEFINITION, ProblemKind.LITERAL_VALUES),
    *(ProblemKind.UNKNOWN_PRIMITIVE, ProblemKind.DESCRIPTION),
)


def obstacle(template: Template, *, is_read: bool) -> str | None:
    """Return why a template cannot be evaluated without running it, with the remedy; None if it can.

    `is_read` tells that its fields and its strategy are known (`checkpoint_ld.templates.specification.spec_of`). A
    hook that sets `self.correct` or `self.regex` to something static is taken to do nothing else.
    """
    if template.level in _UNWRITTEN:
        return _UNWRITTEN[template.level]
    deciding = next((part for part in template.custom_code if not _is_harmless(part, template)), None)
    if deciding is not None:
        decides = "decides" if deciding.name == "verify" else "may decide anything"
        return f"the {deciding.kind} {deciding.name} of the template (line {deciding.line}) {decides}: {REMEDY}"
    if _has_unread_regexes(template):
        return f"the regular expressions of the template are not written out: {REMEDY}"
    if template.level is Level.CLASSIC:
        return None if template.regexes else f"the template has nothing that can be evaluated: {REMEDY}"
    if is_read:
        return None
    problem = next((one for one in template.problems if one.kind in _UNREAD), None)
    what = "not all of the template is written out" if problem is None else problem.message
    return f"{what}: {REMEDY}"


def _is_harmless(part: CustomCode, template: Template) -> bool:
    if part.kind == "method" and part.name in _HOOKS:
        return template.ground_truth is not None or template.regexes is not None
    return part.kind == "constant" or (part.kind, part.name) in _HARMLESS


def _has_unread_regexes(template: Template) -> bool:
    """Tell whether there are expressions that only running the template would tell."""
    if template.regexes is not None:
        return False
    if any(field.name == "regex" for field in template.plain_fields):
        return True
    return any("self.regex" in problem.message for problem in template.problems)


_TYPES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "bool": {"type": "boolean"},
        "str": {"type": "string"},
        "int": {"type": "integer"},
        "float": {"type": "number"},
        "list_str": {"type": "array", "items": {"type": "string"}},
        "literal": {"type": "string"},
        "date": {"type": "string", "format": "date"},
    }
)


@checked
def judge_schema(spec: TemplateSpec) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the object that a judge finds in a response, which tells no ground truth.

    It asks for a value for each field in order, but for those that look at the raw response themselves. Its texts are
    the author's: descriptions and, on a line after it, how to find the value. An unknown type is asked for as a text.
    """
    fields = [field for field in spec.fields if not field.is_trace]
    return {
        "type": "object",
        "title": spec.class_name,
        "properties": {field.name: _property(field) for field in fields},
        "required": list(dict.fromkeys(field.name for field in fields)),
        "additionalProperties": False,
    }


def _property(field: TemplateFieldSpec) -> dict[str, Any]:
    description = "\n".join(text for text in (field.description, field.extraction_hint) if text)
    schema: dict[str, Any] = {**_TYPES.get(field.type, _TYPES["str"]), "description": description}
    if field.type == "literal" and field.literal_values:
        schema["enum"] = list(field.literal_values)
    if field.type == "list_str":
        schema["items"] = {"type": "string"}  # a list of its own for each caller
    return schema
