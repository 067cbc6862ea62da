"""Verification of answers by running their templates, which the caller trusts, in a worker process.

`run_template` sends the template and the answer to the worker; `answer` is the function that the worker runs.
Templates that can be read without running them are verified in `checkpoint_ld.templates.verification`.
"""

from __future__ import annotations

import math
import sys
import typing
from dataclasses import replace
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import pydantic
from pydantic import ValidationError

from checkpoint_ld import entities
from checkpoint_ld.entities import PRIMITIVES, BaseAnswer, TemplateFieldSpec
from checkpoint_ld.entities.answer import strategy_of, verified_fields
from checkpoint_ld.entities.entity import json_value
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.phrases import brief
from checkpoint_ld.templates import Level, read_template
from checkpoint_ld.templates.fields import RESERVED
from checkpoint_ld.templates.verification import (
    Evidence,
    FieldResult,
    VerificationResult,
    decided,
    fault_of,
    judge,
    unknown_fields,
    with_regexes,
    with_verdict,
)
from checkpoint_ld.workers.patterns import match_here
from checkpoint_ld.workers.trusted import STORED, RefusedError, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from checkpoint_ld.workers.trusted import Trust


def run_template(
    source: str, answer: Mapping[str, Any], trace: str | None, context: Mapping[str, Any] | None, trust: Trust
) -> VerificationResult:
    """Return the result of a template's code for an answer, run in a process of its own under the limits of `trust`.

    The parameters are those of `checkpoint_ld.verify`. The template finds the entities of this package under the names
    and in the modules of Karenina; Karenina itself is not used. Values that do not fit the fields give a result with
    that reason. Warns with `StoredCodeWarning`. Raises `EvaluationError` if the code fails, takes too long or gives no
    verdict; the message has the reason and the line of the template.
    """
    template = read_template(source)
    what = f"the template {template.class_name!r}" if template.class_name else "the template"
    request = {
        "source": source,
        "class": template.class_name,
        "level": template.level.value,
        "answer": json_value(dict(answer)),
        "trace": trace if isinstance(trace, str) else None,
        "context": None if context is None else json_value(dict(context)),
    }
    reply = run(__name__, request, trust, what=what)
    try:
        fields = tuple(FieldResult(**field) for field in reply.pop("fields"))
        return VerificationResult(**{**reply, "fields": fields, "level": Level(reply["level"]), "executed": True})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise EvaluationError(f"{what} gave a reply that is no result") from error


PRELOADED: Final[dict[str, Any]] = {
    **PRIMITIVES,
    **{name: getattr(typing, name) for name in ("Any", "Dict", "List", "Literal", "Optional", "Union")},
    **{name: getattr(entities, name) for name in ("AllOf", "AnyOf", "AtLeastN", "BaseAnswer", "FieldCheck")},
    **{name: getattr(entities, name) for name in ("ConditionalGroundTruth", "GroundTruthCase", "SynonymMap")},
    "VerifiedField": entities.VerifiedField,
    "Field": pydantic.Field,
}
"""The names that templates use without an import."""
_MODULE: Final = "stored_template"


class _Library(MetaPathFinder, Loader):
    """Finds every module name of Karenina, with all names in each: their modules changed from version to version."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        parts = fullname.split(".")
        # `from karenina.x import Name` looks for a module Name when there is no such name.
        known = parts[0] == "karenina" and all(part.islower() for part in parts)
        return ModuleSpec(fullname, self, is_package=True) if known else None

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update({"__getattr__": _library_name, "__all__": [*PRELOADED]})


def _library_name(name: str) -> Any:
    if name == "capture_answer_source":
        return lambda answer: answer  # the source is in the checkpoint
    if name in PRELOADED:
        return PRELOADED[name]
    if name in entities.__all__:
        return getattr(entities, name)
    raise AttributeError(f"checkpoint-ld has nothing that is called {name!r} in Karenina")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run the template `source` on the values `answer`; return a `VerificationResult` of the level `level` as JSON.

    Raises `RefusedError` if the text defines no answer class, or if its methods return no valid result. Exceptions of
    the methods are not caught.
    """
    match_here()
    made = _answer_class(request["source"], request["class"])
    values = request["answer"]
    evidence = Evidence(values, request["trace"], request["context"])
    # An answer contains no ground truths and expressions, unless the template declares them as fields.
    given = [name for name in values if name in made.model_fields or name not in ("correct", "regex")]
    result = VerificationResult(None, "", Level(request["level"]), executed=True)
    try:
        instance = made.model_validate({name: values[name] for name in given})
    except ValidationError as error:
        return replace(result, reason=f"the answer does not fit the template: {fault_of(error)}").as_json()
    BaseAnswer.attach(instance, evidence.trace, context=evidence.context)  # a field may be called attach
    metas = verified_fields(made)
    typed = replace(evidence, values={name: getattr(instance, name) for name in metas})  # as the template made them
    fields = []
    for name, meta in metas.items():
        spec = TemplateFieldSpec(
            name=name,
            type="any",
            description="",
            ground_truth=meta.ground_truth,
            verify_with=meta.verify_with,
            weight=meta.weight,
        )
        fields.append(judge(spec, typed))
    names = [name for name in made.model_fields if name not in RESERVED]
    result = replace(result, fields=(*fields, *unknown_fields(values, names)))
    result = _verdict(instance, result, fields)
    if getattr(instance, "regex", None):
        result = with_regexes(result, evidence.trace, partial(_searched, instance))
    return result.as_json()


def _answer_class(source: str, name: str) -> type[BaseAnswer]:
    """Run a template; of several answer classes that no other derives from, take `name` or else the last."""
    sys.meta_path.insert(0, _Library())
    module = ModuleType(_MODULE)
    vars(module).update(PRELOADED)
    sys.modules[_MODULE] = module  # pydantic resolves annotations that are texts there
    exec(compile(source, STORED, "exec", dont_inherit=True), vars(module))  # noqa: S102 - trusted, in its own process
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, BaseAnswer) and value.__module__ == _MODULE
    ]
    leaves = [answer for answer in found if not any(answer in other.__mro__[1:] for other in found)]
    if not leaves:
        raise RefusedError("defines no class that derives from BaseAnswer")
    return next((answer for answer in leaves if answer.__name__ == name), leaves[-1])


def _verdict(instance: BaseAnswer, result: VerificationResult, fields: list[FieldResult]) -> VerificationResult:
    node = strategy_of(type(instance))
    if fields:
        result = with_verdict(result, node, fields)
    if _own(instance, "verify_granular"):
        score = instance.verify_granular()
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise RefusedError(f"has a method verify_granular that returned {brief(score)}, not a number")
        result = replace(result, granular_score=float(score), karenina_granular_score=float(score))
    if not _own(instance, "verify"):
        if not fields and not getattr(instance, "regex", None):
            return replace(result, reason="the template does not say how its fields are verified: define verify")
        return result if fields else replace(result, passed=decided(node, fields)[0])
    try:
        passed = instance.verify()
    except EvaluationError as error:  # of `super().verify()` and the like
        return replace(result, passed=None, reason=str(error))
    if not isinstance(passed, bool):
        raise RefusedError(f"has a method verify that returned {brief(passed)}, not true or false")
    found = "right" if passed else "wrong"
    return replace(result, passed=passed, reason=f"the template's own verify finds the answer {found}")


def _searched(instance: BaseAnswer, trace: str) -> tuple[dict[str, Any], str]:
    found = instance.verify_regex(trace)
    success = found.get("success") if isinstance(found, dict) else None
    if not isinstance(success, bool):
        raise RefusedError(f"has a method verify_regex that returned {brief(found)}, which has no success")
    return found, "not all regular expressions are met"


def _own(instance: BaseAnswer, method: str) -> bool:
    return getattr(type(instance), method) is not getattr(BaseAnswer, method)
