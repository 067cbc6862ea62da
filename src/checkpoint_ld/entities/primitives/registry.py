"""All primitives by their names, and from the form that templates hold back to a primitive."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import Field

from checkpoint_ld import suggestion
from checkpoint_ld.entities.primitives.dates import DateMatch, DateRange, DateTolerance
from checkpoint_ld.entities.primitives.numbers import (
    NumericExact,
    NumericGraded,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericRangeGraded,
    NumericThresholdGraded,
    NumericTolerance,
)
from checkpoint_ld.entities.primitives.primitive import named
from checkpoint_ld.entities.primitives.texts import (
    BooleanMatch,
    ContainsAll,
    ContainsAny,
    ExactMatch,
    LiteralMatch,
    OrderedMatch,
    RegexMatch,
    SemanticMatch,
    SetContainment,
    TraceContains,
    TraceLength,
    TraceRegex,
)
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from checkpoint_ld.entities.primitives.primitive import VerificationPrimitive

ParsedPrimitive: TypeAlias = (
    BooleanMatch
    | ExactMatch
    | ContainsAny
    | ContainsAll
    | RegexMatch
    | SemanticMatch
    | NumericExact
    | NumericTolerance
    | NumericRange
    | NumericMinimum
    | NumericMaximum
    | NumericGraded
    | NumericRangeGraded
    | NumericThresholdGraded
    | SetContainment
    | OrderedMatch
    | LiteralMatch
    | DateMatch
    | DateTolerance
    | DateRange
)
"""The primitives that look at a value that was extracted from a response."""

AnyTracePrimitive: TypeAlias = TraceRegex | TraceContains | TraceLength
"""The primitives that look at the whole response."""

AnyPrimitive: TypeAlias = Annotated[ParsedPrimitive | AnyTracePrimitive, Field(discriminator="type")]
"""Any primitive, for the fields of other models: told apart by `type`."""

PRIMITIVES: Final[Mapping[str, type[VerificationPrimitive]]] = MappingProxyType(
    {one.__name__: one for one in (*ParsedPrimitive.__args__, *AnyTracePrimitive.__args__)}
)
"""All 23 primitives by their exact names."""


def primitive_of(serialised: Mapping[str, Any]) -> VerificationPrimitive:
    """Build a primitive from its parameters and `type`, in any order; what has a default may be missing.

    Raises `SettingsError` (a ValueError) if `type` is missing or no primitive has that name, and
    `pydantic.ValidationError` (a ValueError) for parameters that do not fit.
    """
    name = serialised.get("type") if isinstance(serialised, Mapping) else None
    if not isinstance(name, str):
        raise SettingsError(
            f"a primitive has no name: set its type to one of {', '.join(PRIMITIVES)}, not {named(name)}"
        )
    if name not in PRIMITIVES:
        raise SettingsError(suggestion.unknown("primitive", name, PRIMITIVES))
    return PRIMITIVES[name].model_validate(dict(serialised))
