"""JSON text to values, refusing what Python's json module lets pass (RFC 8259 §4, §6, §8.2)."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.places import Places, pointer
from checkpoint_ld.documents.values import lone_surrogate, shown, walk
from checkpoint_ld.errors import ReadError
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.findings import Finding, Place

_SHOWN_SPOTS = 5
_SPACE = re.compile(r"[ \t\n\r]*")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def parse(text: str, source: str | None = None) -> Any:
    """Return the value of the JSON `text`: integers of any size as int, other numbers as float.

    Raises ReadError with everything that is wrong with keys (E-DUPKEY), numbers (E-NUMBER) and escapes (E-SURROGATE),
    and lets the JSONDecodeError of a text that is not JSON and the RecursionError of a very deep one through.
    `source` is the file name for messages.
    """
    parser = _Parser()
    value = parser.decode(text)
    # Where nothing is marked and no surrogate is escaped, nothing can be wrong: the common case is a single pass.
    if parser.marked or _SURROGATE_ESCAPE.search(text):
        found = sorted(_faults(value, Places(text, source)), key=lambda fault: (fault.place.line, fault.place.column))
        if found:
            raise ReadError.of(found)
    return value


def members_before(name: str, text: str, at: int = 0) -> tuple[dict[str, Any], int]:
    """Return the members of an object that stand before the one called `name`, and where the value of that one starts.

    The object begins at `at`, perhaps after white space; `text` may end anywhere after that value has begun. Raises
    ValueError where the text is no such object, ends too early, or holds what `parse` would refuse, and RecursionError
    for a very deep one.
    """
    parser = _Parser()
    members: dict[str, Any] = {}
    at = _token(text, at, "{")
    while True:
        key, at = parser.raw_decode(text, _after_space(text, at))
        at = _after_space(text, _token(text, at, ":"))
        if not isinstance(key, str) or key in members:
            raise ValueError(f"{shown(str(key))} is no key, or stands twice")
        if key == name:
            break
        members[key], at = parser.raw_decode(text, at)
        at = _token(text, at, ",")
    if parser.marked or _SURROGATE_ESCAPE.search(text, 0, at):
        raise ValueError("something before it is no JSON that can be kept without loss")
    return members, at


def _token(text: str, at: int, token: str) -> int:
    """Return where `token`, the next thing in the text, ends. Raises ValueError if something else comes."""
    at = _after_space(text, at)
    if not text.startswith(token, at):
        raise ValueError(f"no {token} at {at}")
    return at + 1


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


@dataclass(frozen=True, slots=True)
class _BadNumber:
    """Stands in the value where the text has a number that cannot be taken as it is."""

    text: str


class _Doubled(dict[str, Any]):
    """An object that has a key more than once."""


class _Parser(json.JSONDecoder):
    """A decoder that marks in its result what should be refused, for `_faults` to find."""

    def __init__(self) -> None:
        self.marked = False
        super().__init__(
            object_pairs_hook=self._object,
            parse_float=self._float,
            parse_int=self._int,
            parse_constant=self._bad,
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) == len(pairs):
            return members
        self.marked = True
        return _Doubled(pairs)

    def _float(self, text: str) -> float | _BadNumber:
        number = float(text)
        return number if math.isfinite(number) else self._bad(text)

    def _int(self, text: str) -> int | _BadNumber:
        try:
            return int(text)
        except ValueError:  # more digits than sys.get_int_max_str_digits()
            return self._bad(text)

    def _bad(self, text: str) -> _BadNumber:
        self.marked = True
        return _BadNumber(text)


def _faults(value: Any, places: Places) -> Iterator[Finding]:
    for path, inner in walk(value):
        if isinstance(inner, _BadNumber):
            faults = _number_faults(inner, pointer(path), places)
        elif isinstance(inner, dict):
            faults = _key_faults(inner, pointer(path), places)
        elif isinstance(inner, str) and (half := lone_surrogate(inner)):
            faults = iter([_surrogate(f"the text {shown(inner)} holds {half}", places.of_value(pointer(path)))])
        else:
            continue
        # A key with half a pair is reported itself; what is inside cannot be pointed at before it is put right.
        if not any(isinstance(step, str) and lone_surrogate(step) for step in path):
            yield from faults


def _number_faults(number: _BadNumber, where: str, places: Places) -> Iterator[Finding]:
    message, remedy = f"{shown(number.text)} is not a JSON number", None
    if number.text.lstrip("-").isdigit():
        message = f"an integer of {len(number.text.lstrip('-'))} digits is longer than Python takes"
        remedy = "write it as text"
    elif number.text[-1].isdigit():
        message = f"the number {shown(number.text)} is too large: it would become infinite"
    yield replace(finding("number-not-finite", message, remedy=remedy), place=places.of_value(where))


def _key_faults(members: dict[str, Any], where: str, places: Places) -> Iterator[Finding]:
    if not isinstance(members, _Doubled) and not any(map(lone_surrogate, members)):
        return
    for name, spots in places.of_keys(where).items():
        half = lone_surrogate(name)
        if half:
            yield _surrogate(f"the key {shown(name)} holds {half}", spots[0])
        if len(spots) > 1:
            lines = " and ".join(f"line {spot.line} column {spot.column}" for spot in spots[:_SHOWN_SPOTS])
            message = f"the key {shown(name)} occurs {len(spots)} times in one object: {lines}"
            second = spots[1] if half else replace(spots[1], pointer=where + pointer([name]))
            yield replace(finding("duplicate-key", message), place=second)


def _surrogate(message: str, place: Place) -> Finding:
    return replace(finding("surrogate", f"{message}, half a surrogate pair"), place=place)
