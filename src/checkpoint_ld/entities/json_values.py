"""Python values as JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticSerializationError, to_jsonable_python

from checkpoint_ld.errors import EvaluationError

if TYPE_CHECKING:
    from pydantic import JsonValue


def json_value(value: Any, *, finite: bool = False) -> JsonValue:
    """Return a value as JSON holds it: tuples as lists, sets as lists in the order of their texts, dates in ISO 8601.

    What has no form in JSON becomes its text; so do numbers that are not finite, if `finite`. Raises `EvaluationError`
    for a value that is nested as deeply as Python can go.
    """
    try:
        return _json_value(value, finite=finite)
    except RecursionError as error:
        raise EvaluationError("the value is nested too deeply: give a flatter one") from error


def _json_value(value: Any, *, finite: bool) -> JsonValue:
    if value is None or type(value) in {bool, int, str}:
        scalar: JsonValue = value
        return scalar
    if isinstance(value, float):
        return float(value) if not finite or math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(name): _json_value(part, finite=finite) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(part, finite=finite) for part in value]
    if isinstance(value, set | frozenset):
        return [_json_value(part, finite=finite) for part in sorted(value, key=str)]
    try:
        plain: JsonValue = to_jsonable_python(value, fallback=str)
    except (PydanticSerializationError, ValueError):
        return str(value)
    return plain
