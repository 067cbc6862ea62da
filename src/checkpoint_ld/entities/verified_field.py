"""Fields of an answer that say how they are verified."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic import ConfigDict, Field, JsonValue

from checkpoint_ld.documents.values import shown
from checkpoint_ld.entities.entity import Entity
from checkpoint_ld.entities.json_values import json_value
from checkpoint_ld.entities.primitives import TracePrimitive, VerificationPrimitive, primitive_of, safe_check
from checkpoint_ld.entities.primitives.values import means_number, means_truth_value, named
from checkpoint_ld.entities.template_spec import ConditionalGroundTruth
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    stored: dict[str, Any] = {
        "ground_truth": _stored_truth(ground_truth),
        "verify_with": verify_with.serialised(),
        "weight": weight,
        "extraction_hint": extraction_hint,
    }
    _warn_of_misfit(verify_with, stored["ground_truth"])
    if isinstance(verify_with, TracePrimitive) and "default_factory" not in kwargs:
        kwargs.setdefault("default", None)
    return Field(description=description, json_schema_extra={**(given or {}), KEY: stored}, **kwargs)


def _stored_truth(value: Any) -> JsonValue:
    if isinstance(value, ConditionalGroundTruth):
        return value.serialised()
    return json_value(value)


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
