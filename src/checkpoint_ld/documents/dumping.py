"""A value to JSON text, byte for byte as Karenina would write it, or not at all."""

from __future__ import annotations

import json
import math
from itertools import chain
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.documents.layout import CANONICAL, Layout
from checkpoint_ld.documents.limits import DEFAULT_LIMITS, Limits
from checkpoint_ld.documents.places import pointer
from checkpoint_ld.documents.values import lone_surrogate, shown, walk
from checkpoint_ld.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Iterable

# Beyond these Python writes exponents, which orjson, depending on its version, writes in another way or not at all.
_PLAIN = (1e-4, 1e16)
_SCALARS = frozenset((str, int, float, bool, type(None)))
# By indentation, separators and whether other characters are escapes; None as separators stands for the usual ones.
_OPTIONS: dict[tuple[object, object, bool], int] = {
    (2, None, False): orjson.OPT_INDENT_2,
    (None, (",", ":"), False): 0,
}
_MARK = b"\xef\xbb\xbf"


def dump_json(value: Any, layout: Layout = CANONICAL, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return `value` as UTF-8 JSON text, exactly as `json.dumps` writes it in `layout`.

    Tuples are written as arrays. Raises WriteError with the JSON Pointer (RFC 6901) of the first value that cannot be
    written so that it can be read again: NaN and infinities, half a surrogate pair, keys that are not text, objects
    of other classes, nesting above `limits.depth`.
    """
    body = _quick(value, layout, limits)
    if body is None:
        _check(value, limits)
        body = _exact(value, layout)
    if layout.newline != "\n":
        body = body.replace(b"\n", layout.newline.encode())
    return _MARK * layout.bom + body + layout.end.encode()


def _quick(value: Any, layout: Layout, limits: Limits) -> bytes | None:
    """Return what orjson writes, None where the json module writes something else, or nothing should be written.

    orjson comes first: what it writes has an end, so that looking at all of it has one too. It refuses half a
    surrogate pair, keys that are not text and integers above 64 bits, but not all that is wrong.
    """
    option = _OPTIONS.get((layout.indent, layout.separators, layout.ascii))
    if option is None:
        return None
    try:
        body = orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:
        return None
    return body if _is_written_alike(value, limits) else None


def _is_written_alike(value: Any, limits: Limits) -> bool:
    """Tell whether orjson writes `value`, which it can write, as the json module does, and neither should refuse it.

    It goes down level by level, since a value at a time takes ten times as long as orjson does.
    """
    level = [value]
    for _ in range(limits.depth + 1):
        kinds = set(map(type, level))
        if float in kinds and not all(_is_plain(one) for one in level if type(one) is float):
            return False
        containers = kinds - _SCALARS
        if not containers:
            return True
        if not all(issubclass(kind, (dict, list)) or kind is tuple for kind in containers):
            return False
        objects = chain.from_iterable([one.values() for one in level if isinstance(one, dict)])
        arrays = chain.from_iterable([one for one in level if isinstance(one, (list, tuple))])
        level = [*objects, *arrays]
    return False


def _is_plain(number: float) -> bool:
    return number == 0 or _PLAIN[0] <= abs(number) < _PLAIN[1]


def _check(value: Any, limits: Limits) -> None:
    """Raise WriteError if `value` should not be written."""
    for path, inner in walk(value):
        fault = _fault(inner, len(path), limits)
        if fault:
            raise WriteError(f"the value at {shown(pointer(path))} cannot be written: {fault}")


def _fault(value: Any, depth: int, limits: Limits) -> str | None:
    if isinstance(value, str):
        return _text_fault([value])
    if isinstance(value, (dict, list, tuple)):
        if depth >= limits.depth:
            return f"it is nested deeper than {limits.depth} levels, or contains itself; flatten it"
        return _text_fault(value) if isinstance(value, dict) else None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{value} is not a JSON number; give a finite number or None"
    if isinstance(value, int):
        return _integer_fault(value)
    # The value itself stays out of the message: it may be a secret.
    return (
        None if value is None else f"{type(value).__name__} is not a JSON type; give text, a number, a list or a dict"
    )


def _text_fault(texts: Iterable[Any]) -> str | None:
    for text in texts:
        if not isinstance(text, str):
            return f"its key {text!r} is not text; give a text as key"
        half = lone_surrogate(text)
        if half:
            return f"{shown(text)} holds {half}, half a surrogate pair, which UTF-8 cannot hold; give a whole character"
    return None


def _integer_fault(value: int) -> str | None:
    if value.bit_length() <= 64:
        return None
    try:
        int.__repr__(value)
    except ValueError:
        return "its integer has more digits than Python writes; give it as text"
    return None


def _exact(value: Any, layout: Layout) -> bytes:
    try:
        text = json.dumps(
            value,
            indent=layout.indent,
            separators=layout.separators,
            ensure_ascii=layout.ascii,
            allow_nan=False,
        )
    except RecursionError:
        raise WriteError("the value cannot be written: it is nested deeper than Python can go; flatten it") from None
    return text.encode("utf-8")
