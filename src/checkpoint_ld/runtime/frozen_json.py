"""JSON that nobody can change: values of a state, checked and copied once, then shared by all its snapshots."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from checkpoint_ld.documents.values import DEFAULT_LIMITS, lone_surrogate
from checkpoint_ld.errors import WriteError, WrongTypeError

DEEPEST: Final = DEFAULT_LIMITS.depth - 10
"""How deep a value may be nested, so that the checkpoint around it can be read back."""


def _refused(self: object, *_: Any, **__: Any) -> NoReturn:
    raise WrongTypeError(f"a {type(self).__name__} of a state cannot be changed in place: give the state a new value")


class JsonObject(dict[str, Any]):
    """A JSON object that refuses changes; `copy.deepcopy` gives one that can be changed."""

    __setitem__ = __delitem__ = __ior__ = _refused
    clear = pop = popitem = setdefault = update = _refused

    def __copy__(self) -> JsonObject:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return thawed(self)  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return frozen, (dict(self),)


class JsonArray(list[Any]):
    """A JSON array that refuses changes; `copy.deepcopy` gives one that can be changed."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused
    append = extend = insert = pop = remove = clear = sort = reverse = _refused

    def __copy__(self) -> JsonArray:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return thawed(self)  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return frozen, (list(self),)


def frozen(value: Any, what: str = "a value", deepest: int = DEEPEST) -> Any:
    """Return `value` as JSON that cannot be changed, sharing what is frozen already; tuples become arrays.

    `what` is what messages call it. Raises WrongTypeError for what is no JSON, WriteError for numbers that JSON has no
    form for, halves of surrogate pairs, and values that are nested deeper than `deepest` (one inside itself, too).
    """
    if value is None or isinstance(value, (bool, JsonObject, JsonArray)):
        return value
    if isinstance(value, str):
        return _text(value, what)
    if isinstance(value, int):
        try:
            str(int(value))
        except ValueError:
            raise WriteError(f"{what} holds an integer of more digits than Python writes: give it as text") from None
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise WriteError(f"{what} holds {value}, which JSON has no form for: give a finite number or null")
        return float(value)
    if not deepest:
        raise WriteError(
            f"{what} is nested too deeply (more than {DEEPEST} levels), or holds itself: give something flatter"
        )
    if isinstance(value, Mapping):
        return JsonObject({frozen_key(key, what): frozen(inner, what, deepest - 1) for key, inner in value.items()})
    if isinstance(value, (list, tuple)):
        return JsonArray([frozen(inner, what, deepest - 1) for inner in value])
    raise WrongTypeError(
        f"{what} holds a {type(value).__name__}, which is no JSON: give texts, numbers, lists, objects"
    )


def frozen_key(key: object, what: str) -> str:
    """Return the key of a member. Raises WrongTypeError for one that is no text."""
    if not isinstance(key, str):
        raise WrongTypeError(f"{what} has the key {key!r}, which is no text: keys of JSON objects are texts")
    return _text(key, what)


def thawed(value: Any) -> Any:
    """Return a copy of JSON that can be changed."""
    if isinstance(value, dict):
        return {key: thawed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [thawed(inner) for inner in value]
    return value


def _text(text: str, what: str) -> str:
    half = lone_surrogate(text)
    if half:
        raise WriteError(f"{what} holds {half}, half a surrogate pair, which has no form in UTF-8: leave it out")
    return str(text)
