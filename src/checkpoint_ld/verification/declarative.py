"""Answers held against what a template says as data."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from checkpoint_ld.entities.verified_field import check_regexes
from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.templates import Level, ProblemKind
from checkpoint_ld.verification.fields import RESERVED, judge, unknown_field
from checkpoint_ld.verification.result import VerificationResult
from checkpoint_ld.verification.scoring import scores_of, verdict_of
from checkpoint_ld.verification.wording import fault_of, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.entities.template_spec import TemplateSpec
    from checkpoint_ld.templates import Template
    from checkpoint_ld.verification.fields import Evidence
    from checkpoint_ld.verification.result import FieldResult

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
