"""Fields of an answer that say how they are verified, and its checks by regular expressions."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic import ConfigDict, Field, JsonValue

from checkpoint_ld.documents.values import means_number, means_truth_value
from checkpoint_ld.entities.comparison import TracePrimitive, VerificationPrimitive, named, safe_check
from checkpoint_ld.entities.entity import Entity, json_value
from checkpoint_ld.entities.primitives import primitive_of
from checkpoint_ld.entities.template_spec import ConditionalGroundTruth
from checkpoint_ld.errors import EvaluationError, SettingsError
from checkpoint_ld.phrases import shown
from checkpoint_ld.workers.patterns import find_all

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


KEY: Final = "__verification__"
"""The member of a field's `json_schema_extra` that holds how the field is verified."""


_log = logging.getLogger(__name__)


class VerificationMeta(Entity):
    """How a field is verified, as a template holds it; members that nobody knows are dropped.

    `ground_truth` is a JSON value; an object with the member `__conditional__` stands for a conditional one.
    `verify_with` is a primitive in serialised form. `weight` may be any number, 0 and negative ones included.
    """

    model_config = ConfigDict(extra="ignore")

    ground_truth: Any = Field(
        description="What is right; an object with the member __conditional__ stands for a conditional ground truth"
    )
    verify_with: dict[str, Any] = Field(description="The parameters of a primitive, then its name as type")
    weight: float = Field(default=1.0, description="How much the field counts in the granular score")
    extraction_hint: str | None = Field(default=None, description="How to find the value in an answer")

    @classmethod
    def of(cls, field: FieldInfo) -> Self | None:
        """Return how a pydantic field is verified, None if it does not say so."""
        extra = field.json_schema_extra
        stored = extra.get(KEY) if isinstance(extra, dict) else None
        return cls.model_validate(stored) if isinstance(stored, dict) else None

    def resolve(self, context: Mapping[str, Any] | None = None) -> tuple[VerificationPrimitive, JsonValue]:
        """Return the primitive and the ground truth that count; see `resolve_truth`."""
        return resolve_truth(self.verify_with, self.ground_truth, context)


def resolve_truth(
    verify_with: Mapping[str, Any], ground_truth: JsonValue, context: Mapping[str, Any] | None
) -> tuple[VerificationPrimitive, JsonValue]:
    """Return the primitive and the ground truth of a field: those of the case that `context` chooses, if it has cases.

    Raises `SettingsError` and `pydantic.ValidationError` (both are ValueErrors) for a primitive that cannot be built,
    and the latter for an object that is marked as a conditional ground truth and is none.
    """
    conditional = ConditionalGroundTruth.read(ground_truth)
    if conditional is None:
        return primitive_of(verify_with), ground_truth
    case = conditional.resolve(context)
    return primitive_of(verify_with if case.verify_with is None else case.verify_with), case.value


def VerifiedField(  # noqa: N802 - templates call it by this name
    description: str,
    ground_truth: Any,
    verify_with: VerificationPrimitive,
    weight: float = 1.0,
    extraction_hint: str | None = None,
    **kwargs: Any,
) -> Any:
    """Return a pydantic field that says how it is verified, for the body of a class derived from `BaseAnswer`.

    `description` is what the judge of an answer is asked for. `ground_truth` is what is right: a value, or a
    `ConditionalGroundTruth`; sets and tuples are kept as lists, dates as ISO 8601 text. `weight` is the field's share
    in the granular score. All other arguments go to `pydantic.Field`. Without a default the field is required, except
    that one with a trace primitive, whose value nobody looks at, is then None.

    Raises `SettingsError` (a ValueError) for a blank description and for a `verify_with` that is no primitive. A
    ground truth that hardly fits the primitive is logged as a warning.
    """
    if not isinstance(description, str) or not description.strip():
        raise SettingsError("a verified field needs a description: say what to look for in an answer")
    if not isinstance(verify_with, VerificationPrimitive):
        raise SettingsError(f"verify_with is {named(verify_with)}: give a primitive, such as ExactMatch()")
    given = kwargs.pop("json_schema_extra", None)
    if not isinstance(given, dict | None):
        raise SettingsError("json_schema_extra of a verified field is no dictionary: give one")
    is_conditional = isinstance(ground_truth, ConditionalGroundTruth)
    stored: dict[str, Any] = {
        "ground_truth": ground_truth.serialised() if is_conditional else json_value(ground_truth),
        "verify_with": verify_with.serialised(),
        "weight": weight,
        "extraction_hint": extraction_hint,
    }
    _warn_of_misfit(verify_with, stored["ground_truth"])
    if isinstance(verify_with, TracePrimitive) and "default_factory" not in kwargs:
        kwargs.setdefault("default", None)
    return Field(description=description, json_schema_extra={**(given or {}), KEY: stored}, **kwargs)


def _warn_of_misfit(primitive: VerificationPrimitive, truth: JsonValue) -> None:
    if ConditionalGroundTruth.marks(truth):
        return
    name = type(primitive).__name__
    if isinstance(primitive, TracePrimitive):
        fits = isinstance(truth, bool)
    elif name == "BooleanMatch":
        fits = means_truth_value(truth)
    elif name.startswith("Numeric"):
        fits = means_number(truth)
    elif name in {"SetContainment", "OrderedMatch"}:
        fits = isinstance(truth, list) and safe_check(primitive, truth, truth).error is None
    elif name in {"DateMatch", "DateTolerance"}:
        fits = not primitive.remarks(truth, truth)
    else:
        return
    if not fits:
        _log.warning("the ground truth %s hardly fits %s: correct one of them", shown(str(truth)), name)


_NAMED_SCHEMAS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SCHEMAS: Final = (
    *("items", "prefixItems", "additionalItems", "contains", "additionalProperties", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties", "anyOf", "allOf", "oneOf", "not", "if", "then", "else"),
)
_PLAIN: Final = (
    *("$schema", "$ref", "type", "title", "description", "enum", "const", "format"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"),
    *("minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties"),
    *("required", "dependentRequired", "contentEncoding", "contentMediaType", "discriminator"),
)
"""The keywords of JSON Schema 2020-12 that describe a value, and the one of OpenAPI that pydantic uses."""


def without_ground_truths(schema: Any) -> Any:
    """Return a copy of a JSON Schema with the keywords that describe values, and no others.

    Examples go, and so does whatever somebody added (`__verification__` is one of these). A default stays only where
    it is null, and goes from verified fields altogether. Names of properties are names, whatever they are.
    """
    if isinstance(schema, list):
        return [without_ground_truths(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NAMED_SCHEMAS and isinstance(value, dict):
            kept[key] = {name: without_ground_truths(part) for name, part in value.items()}
        elif key in _SCHEMAS:
            kept[key] = without_ground_truths(value)
        elif key in _PLAIN or (key == "default" and value is None and KEY not in schema):
            kept[key] = value
    return kept


MATCH_TYPES = ("exact", "contains", "count", "all")


def check_regexes(regexes: Mapping[str, Any] | None, trace: str) -> dict[str, Any]:
    """Return what expressions find in a response: `success`, `results` by name, and `details` by name.

    An expression is an object of `pattern`, `expected` and `match_type`: *exact* (one match, which is what is
    expected), *contains* (what is expected is among the matches), *count* (as many matches as expected) and *all*
    (each of the expected is among the matches). Matches are those of Python's `findall`: the content of the group if
    there is one, a tuple if there are several. Details have `pattern`, `expected`, `match_type`, and then
    `matches_found`, `match_count` and `success_reason` or `failure_reason`, or else `error`: why the expression could
    not be searched for, which includes that it takes too long. Nothing is raised.
    """
    details = {name: _detail(said, trace) for name, said in (regexes or {}).items()}
    results = {name: "success_reason" in detail for name, detail in details.items()}
    return {"success": all(results.values()), "results": results, "details": details}


def _detail(said: Any, trace: str) -> dict[str, Any]:
    if not isinstance(said, Mapping):
        error = f"{named(said)} is no object of pattern, expected and match_type"
        return {"error": error, "pattern": "", "expected": None, "match_type": "exact"}
    pattern, expected, match_type = said.get("pattern", ""), said.get("expected"), said.get("match_type", "exact")
    detail: dict[str, Any] = {"pattern": pattern, "expected": expected, "match_type": match_type}
    try:
        if not isinstance(pattern, str) or not isinstance(trace, str):
            raise EvaluationError(f"the pattern {named(pattern)} cannot be searched for in {named(trace)}")
        matches = find_all(pattern, trace)
        passed, reason = _judged(match_type, expected, matches)
    except (EvaluationError, RecursionError) as error:
        return {"error": str(error), **detail}
    detail |= {"matches_found": matches, "match_count": len(matches)}
    return {**detail, "success_reason" if passed else "failure_reason": reason}


def _judged(match_type: Any, expected: Any, matches: list[Any]) -> tuple[bool, str]:
    count = f"{len(matches)} {'match' if len(matches) == 1 else 'matches'}"
    match match_type:
        case "exact" if len(matches) == 1:
            return matches[0] == expected, f"the one match is {named(matches[0])}, expected is {named(expected)}"
        case "exact":
            return False, f"{count}, where one is expected"
        case "contains":
            there = expected in matches
            return there, f"{named(expected)} is {'' if there else 'not '}among the {count}"
        case "count" if isinstance(expected, int):
            return len(matches) == expected, f"{count}, expected are {int(expected)}"
        case "all" if isinstance(expected, list):
            missing = [item for item in expected if item not in matches]
            return not missing, f"missing are {named(missing)}" if missing else f"all expected are among the {count}"
        case "count" | "all":
            return False, f"{match_type} cannot be compared with {named(expected)}"
    return False, f"there is no match_type {named(match_type)}: use one of {', '.join(MATCH_TYPES)}"
