"""Answers verified by their templates, which are read and not run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from checkpoint_ld.entities.answer import BaseAnswer
from checkpoint_ld.entities.primitives.primitive import named
from checkpoint_ld.entities.template_spec import TemplateSpec
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.templates import Template, read_template
from checkpoint_ld.templates.specification import spec_of
from checkpoint_ld.verification.declarative import evaluate
from checkpoint_ld.verification.fields import Evidence
from checkpoint_ld.verification.obstacles import RUNNABLE, obstacle
from checkpoint_ld.verification.result import VerificationResult

if TYPE_CHECKING:
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
        from checkpoint_ld.verification.execution import run_template  # noqa: PLC0415 - few trust stored code

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
