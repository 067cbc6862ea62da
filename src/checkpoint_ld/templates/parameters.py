"""Whether a value fits a parameter of a primitive, and what becomes of it there."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from checkpoint_ld.templates.primitives import FLAGS, NORMALIZERS
from checkpoint_ld.templates.showing import listed, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue, TypeAdapter

    from checkpoint_ld.templates.primitives import Parameter, Primitive

_EXACT = 2**53
"""Integers up to here are numbers with a fraction without loss (IEEE 754 binary64)."""


class MisfitError(Exception):
    """A value does not fit; the text says what would."""


def fitted(parameter: Parameter, value: JsonValue) -> JsonValue:
    """Return the value as the parameter holds it: 1 becomes 1.0 where a number is asked for, as pydantic does.

    Raises MisfitError.
    """
    if value is None:
        if parameter.nullable:
            return None
        raise MisfitError("is null")
    match parameter.kind:
        case "number":
            return _bounded(parameter, _number(value))
        case "integer":
            return value if type(value) is int else _as_pydantic_has_it(int, value, "an integer")
        case "boolean":
            return value if type(value) is bool else _as_pydantic_has_it(bool, value, "true or false")
        case "choice":
            if value not in parameter.choices:
                raise MisfitError(f"is {shown(value)}, not one of {listed(parameter.choices)}")
        case "text" | "pattern":
            if not isinstance(value, str):
                raise MisfitError(f"is {shown(value)}, not a text")
        case _:
            _check_items(parameter.kind, value)
    return value


def check_together(primitive: Primitive, values: Mapping[str, JsonValue]) -> None:
    """Raise MisfitError for values that fit one by one and not together."""
    for parameter in primitive.parameters:
        value, bound = values.get(parameter.name), values.get(parameter.below or "")
        if isinstance(value, float) and isinstance(bound, float) and value >= bound:
            raise MisfitError(f"parameter {parameter.name} is {value}, not below {parameter.below} ({bound})")


def _number(value: JsonValue) -> float:
    if (type(value) is float and math.isfinite(value)) or (type(value) is int and abs(value) <= _EXACT):
        return float(value)
    return float(_as_pydantic_has_it(float, value, "a number"))


def _bounded(parameter: Parameter, number: float) -> float:
    if parameter.above is not None and number <= parameter.above:
        raise MisfitError(f"is {number}, not above {parameter.above}")
    if parameter.at_least is not None and number < parameter.at_least:
        raise MisfitError(f"is {number}, below {parameter.at_least}")
    return number


def _as_pydantic_has_it(kind: type, value: JsonValue, wanted: str) -> Any:
    """Return a value that is not of a kind as it stands: what fits a field of a primitive is what pydantic says."""
    from pydantic import ValidationError  # noqa: PLC0415 - it takes longer to import than a checkpoint to read

    try:
        return _adapter(kind).validate_python(value)
    except ValidationError:
        raise MisfitError(f"is {shown(value)}, not {wanted}") from None


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    from pydantic import FiniteFloat, TypeAdapter  # noqa: PLC0415 - as above

    return TypeAdapter(FiniteFloat if kind is float else kind)


def _check_items(kind: str, value: JsonValue) -> None:
    if not isinstance(value, list):
        raise MisfitError(f"is {shown(value)}, not a list")
    for item in value:
        if kind == "normalizers" and not isinstance(item, str):
            _check_synonyms(item)
        elif not isinstance(item, str):
            raise MisfitError(f"has the item {shown(item)}, which is not a text")
        elif kind == "normalizers" and item not in NORMALIZERS:
            raise MisfitError(f"has the unknown normaliser {shown(item)}; there are {listed(NORMALIZERS)}")
        elif kind == "flags" and item not in FLAGS:
            raise MisfitError(f"has the unknown flag {shown(item)}; there are {listed(tuple(FLAGS))}")


def _check_synonyms(item: JsonValue) -> None:
    mapping = item.get("mapping") if isinstance(item, dict) else None
    if not isinstance(mapping, dict) or not all(isinstance(text, str) for text in mapping.values()):
        raise MisfitError(f"has the item {shown(item)}, which is neither a normaliser's name nor a map of synonyms")
