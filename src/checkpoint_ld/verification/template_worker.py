"""The worker that runs an answer template, in a process of its own."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from checkpoint_ld.entities.answer import BaseAnswer, strategy_of, verified_fields
from checkpoint_ld.entities.primitives.primitive import named
from checkpoint_ld.entities.template_spec import TemplateFieldSpec
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.templates import Level
from checkpoint_ld.verification.fields import RESERVED, Evidence, judge, unknown_field
from checkpoint_ld.verification.result import FieldResult, VerificationResult
from checkpoint_ld.verification.scoring import scores_of, verdict_of
from checkpoint_ld.verification.template_names import template_module
from checkpoint_ld.verification.wording import fault_of, summary
from checkpoint_ld.workers.confined import STORED, RefusedError
from checkpoint_ld.workers.patterns import match_here

if TYPE_CHECKING:
    from collections.abc import Iterator

_MODULE: Final = "stored_template"
_TRUTHS: Final = ("correct", "regex")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run the template `source` on the values `answer`; return a `VerificationResult` of the level `level` as JSON.

    Raises `RefusedError` if the text makes no answer class, or if what its methods return is no result; whatever they
    raise goes through.
    """
    match_here()
    made = _answer_class(request["source"])
    evidence = Evidence(request["answer"], request["trace"], request["context"])
    # An answer does not bring along what is right, unless the template asks for it.
    given = [name for name in evidence.values if name in made.model_fields or name not in _TRUTHS]
    result = VerificationResult(None, "", Level(request["level"]), executed=True)
    try:
        instance = made.model_validate({name: evidence.values[name] for name in given})
    except ValidationError as error:
        return replace(result, reason=f"the answer does not fit the template: {fault_of(error)}").as_json()
    instance.attach(evidence.trace, context=evidence.context)
    fields = [*_judged(instance, evidence)]
    result = replace(result, fields=(*fields, *_unknown(instance, evidence)))
    return _with_regexes(instance, evidence, _with_verdict(instance, result, fields)).as_json()


def _answer_class(source: str) -> type[BaseAnswer]:
    """Run a template; of several answer classes that no other derives from, take Answer or else the last."""
    module = template_module(_MODULE)
    exec(compile(source, STORED, "exec", dont_inherit=True), vars(module))  # noqa: S102 - trusted, in its own process
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, BaseAnswer) and value.__module__ == _MODULE
    ]
    leaves = [one for one in found if not any(one in other.__mro__[1:] for other in found)]
    if not leaves:
        raise RefusedError("defines no class that derives from BaseAnswer")
    return next((one for one in leaves if one.__name__ == "Answer"), leaves[-1])


def _judged(instance: BaseAnswer, evidence: Evidence) -> Iterator[FieldResult]:
    """Yield the results of the verified fields, from the values that the template made of those of the answer."""
    metas = verified_fields(type(instance))
    typed = replace(evidence, values={name: getattr(instance, name) for name in metas})
    for name, meta in metas.items():
        spec = TemplateFieldSpec(
            name=name,
            type="str",
            description="",
            ground_truth=meta.ground_truth,
            verify_with=meta.verify_with,
            weight=meta.weight,
        )
        yield judge(spec, typed)


def _unknown(instance: BaseAnswer, evidence: Evidence) -> Iterator[FieldResult]:
    names = [name for name in type(instance).model_fields if name not in RESERVED]
    for name, value in evidence.values.items():
        if name not in names and name not in RESERVED:
            yield unknown_field(name, value, names)


def _with_verdict(instance: BaseAnswer, result: VerificationResult, fields: list[FieldResult]) -> VerificationResult:
    node = strategy_of(type(instance))
    if fields:
        granular, karenina = scores_of(node, fields)
        result = replace(result, granular_score=granular, karenina_granular_score=karenina)
    if _own(instance, "verify_granular"):
        score = _number(instance.verify_granular())
        result = replace(result, granular_score=score, karenina_granular_score=score)
    if not _own(instance, "verify"):
        if not fields and not getattr(instance, "regex", None):
            return replace(result, reason="the template does not say how its fields are verified: define verify")
        passed = verdict_of(node, fields)
        reason = summary(fields, passed=passed, has_strategy=node is not None) if fields else ""
        return replace(result, passed=passed, reason=reason)
    try:
        passed = instance.verify()
    except EvaluationError as error:  # ours, out of what `super().verify()` and the like do
        return replace(result, reason=str(error))
    if not isinstance(passed, bool):
        raise RefusedError(f"has a method verify that returned {named(passed)}, not true or false")
    found = "right" if passed else "wrong"
    return replace(result, passed=passed, reason=f"the template's own verify finds the answer {found}")


def _with_regexes(instance: BaseAnswer, evidence: Evidence, result: VerificationResult) -> VerificationResult:
    if not getattr(instance, "regex", None):
        return result
    if evidence.trace is None:
        missing = "the regular expressions look at the raw response: give its text as trace"
        passed = False if result.passed is False else None
        return replace(result, passed=passed, reason="; ".join(filter(None, (result.reason, missing))))
    found = instance.verify_regex(evidence.trace)
    success = found.get("success") if isinstance(found, dict) else None
    if not isinstance(success, bool):
        raise RefusedError(f"has a method verify_regex that returned {named(found)}, which has no success")
    said = "all regular expressions are met" if success else "not all regular expressions are met"
    passed = result.passed if success else False
    return replace(result, passed=passed, reason="; ".join(filter(None, (result.reason, said))), regex=found)


def _own(instance: BaseAnswer, method: str) -> bool:
    """Tell whether the template has a method of its own in place of ours."""
    return getattr(type(instance), method) is not getattr(BaseAnswer, method)


def _number(score: object) -> float:
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise RefusedError(f"has a method verify_granular that returned {named(score)}, not a number")
    return float(score)
