"""Values of a state made out of what its user gives: checked, with JSON that cannot be changed any more."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from checkpoint_ld.agent.values import LATEST_MS, Value
from checkpoint_ld.errors import WriteError
from checkpoint_ld.mapping.properties import faults_of
from checkpoint_ld.runtime.frozen_json import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

Made = TypeVar("Made", bound=Value)


def made(model: type[Made], members: Mapping[str, Any], what: str) -> Made:
    """Return the value with these members; a known member that is None is absent.

    `what` is what messages call it. Raises WriteError for members that it may not have, WrongTypeError for values that
    are no JSON.
    """
    known = model.model_fields
    given = {
        name: value if isinstance(value, str) and name in known else frozen(value, f"{name} of {what}")
        for name, value in members.items()
        if value is not None or name not in known
    }
    try:
        value = model.model_validate(given)
    except ValidationError as error:
        raise WriteError(f"{what} is refused: {faults_of(error)}") from None
    # pydantic copies objects and arrays; what is frozen is to be shared instead.
    parts = {name: one for name, one in given.items() if isinstance(one, (dict, list)) and name != "children"}
    return value.model_copy(update=parts) if parts else value


def changed(value: Made, changes: Mapping[str, Any], what: str) -> Made:
    """Return `value` with other members; None takes a known one away. Raises as `made` does."""
    given = {name: getattr(value, name) for name in value.model_fields_set}
    return made(type(value), {**given, **(value.model_extra or {}), **changes}, what)


def is_alternative(value: Any) -> bool:
    """Return whether a value is one of the `alternatives` of a thought."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("option"), str)
        and isinstance(value.get("reason_rejected"), str)
        and ("confidence" not in value or (_is_amount(value["confidence"]) and value["confidence"] <= 1))
    )


def is_memory(value: Any) -> bool:
    """Return whether a value is an entry of the `memory` of a context."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("key"), str)
        and "value" in value
        and _is_amount(value.get("importance"))
        and type(value.get("timestamp")) is int
        and 0 <= value["timestamp"] <= LATEST_MS
    )


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf
