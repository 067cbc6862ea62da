"""Answers verified by running their templates, which somebody trusts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.entities.entity import json_value
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.templates import Level, read_template
from checkpoint_ld.verification.result import FieldResult, VerificationResult
from checkpoint_ld.workers.trusted import run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.workers.trusted import Trust

_WORKER: Final = "checkpoint_ld.verification.template_worker"


def run_template(
    source: str, answer: Mapping[str, Any], trace: str | None, context: Mapping[str, Any] | None, trust: Trust
) -> VerificationResult:
    """Return what the code of a template says about an answer, run by a process of its own under the limits of `trust`.

    The parameters are those of `checkpoint_ld.verification.verify`. The template finds our entities under the names
    and in the modules of Karenina; Karenina itself is not used, be it installed or not. Values that do not fit the
    fields give a result that says so. Warns with `StoredCodeWarning`. Raises `EvaluationError` if the code fails, takes
    too long or gives no verdict; the message says what happened, and in which line of the template.
    """
    template = read_template(source)
    what = f"the template {template.class_name!r}" if template.class_name else "the template"
    request = {
        "source": source,
        "level": template.level.value,
        "answer": json_value(dict(answer)),
        "trace": trace if isinstance(trace, str) else None,
        "context": None if context is None else json_value(dict(context)),
    }
    reply = run(_WORKER, request, trust, what=what)
    try:
        fields = tuple(FieldResult(**field) for field in reply.pop("fields"))
        return VerificationResult(**{**reply, "fields": fields, "level": Level(reply["level"]), "executed": True})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise EvaluationError(f"{what} gave a reply that is no result") from error
