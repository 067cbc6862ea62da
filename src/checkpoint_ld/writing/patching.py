"""Patching: a JSON text with another value, in which whatever stayed the same stands as it stood, to the last space."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.documents.values import inside
from checkpoint_ld.writing.amendment import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.documents.layout import Layout

_SPACE = re.compile(r"[ \t\n\r]*")
_COLON = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_COMMA = re.compile(r"[ \t\n\r]*,?[ \t\n\r]*")
# Values are only stepped over here: what a number amounts to does not matter.
_STEPPER = json.JSONDecoder(parse_int=len, parse_float=len, parse_constant=len)


def patched(document: Document, value: Any) -> bytes:
    """Return the text of `document` with `value` in the place of its own.

    Objects and arrays of `value` that are those of the document, the very same, keep their text, and so does what
    surrounds the others. New text is laid out like the document. Raises WriteError for what cannot be written.
    """
    text = document.data.decode("utf-8")
    start = _after(_SPACE, text, int(text.startswith("\ufeff")))
    _, end = _STEPPER.raw_decode(text, start)
    whole = _Text(text, document.layout).of(value, document.value, _Member(start, start, end), "")
    return (text[:start] + whole + text[end:]).encode()


class _Member(NamedTuple):
    """Offsets of a member of an object, or of an entry of an array: of its start, of its value, of the end of both."""

    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    layout: Layout

    def of(self, value: Any, own: Any, place: _Member, margin: str | None, depth: int = 0) -> str:
        """Return the text of `value`, which takes the place of `own`, in lines that begin with `margin`."""
        if value is own:
            return self.text[place.value : place.end]
        if value and own and type(value) is type(own) and isinstance(value, (dict, list)):
            return self._container(value, own, place, depth + 1)
        return self.new(value, margin, depth)

    def _container(self, value: Any, own: Any, place: _Member, depth: int) -> str:
        """Return the text of an object or array of which some members are new, some different, some gone."""
        members = list(self._members(place.value))
        opening = self.text[place.value : members[0].start]
        margin = opening.rpartition("\n")[2] if "\n" in opening else None
        keys, models = (list(value) if isinstance(value, dict) else None), _models(value, own)
        text = [opening]
        for at, model in enumerate(models):
            key = at if keys is None else keys[at]
            if at:
                text.append(self._gap(members, models[at - 1], model, opening))
            if model is None:
                text.append("" if keys is None else self.new(key, None, depth) + self._colon(members[0]))
                text.append(self.new(value[key], margin, depth))
            else:
                text.append(self.text[members[model].start : members[model].value])
                text.append(self.of(value[key], own[model if keys is None else key], members[model], margin, depth))
        return "".join((*text, self.text[members[-1].end : place.end]))

    def _gap(self, members: list[_Member], before: int | None, after: int | None, opening: str) -> str:
        """Return what stands between two members: what stood there, or else something of the same kind."""
        if before is not None and after == before + 1:
            return self.text[members[before].end : members[after].start]
        if "\n" in opening:
            return "," + opening[1:]
        if len(members) > 1:
            return self.text[members[0].end : members[1].start]
        return self.layout.separators[0] if self.layout.separators and self.layout.indent is None else ", "

    def _colon(self, member: _Member) -> str:
        _, end = _STEPPER.raw_decode(self.text, member.start)
        return self.text[end : member.value]

    def new(self, value: Any, margin: str | None, depth: int) -> str:
        """Return the text of a value that the document does not have; None as margin keeps it on one line."""
        layout = replace(self.layout, newline="\n", end="", bom=False)
        if margin is None and layout.indent is not None:
            layout = replace(layout, indent=None, separators=None)
        lines = dump_json(value, layout, inside(depth)).decode().split("\n")
        return f"{self.layout.newline}{margin}".join(lines)

    def _members(self, start: int) -> Iterator[_Member]:
        keyed, at = self.text[start] == "{", _after(_SPACE, self.text, start + 1)
        while self.text[at] not in "}]":
            value = at
            if keyed:
                _, end = _STEPPER.raw_decode(self.text, at)
                value = _after(_COLON, self.text, end)
            _, end = _STEPPER.raw_decode(self.text, value)
            yield _Member(at, value, end)
            at = _after(_COMMA, self.text, end)


def _models(value: Any, own: Any) -> list[int | None]:
    """Return for each member of a container the place of the one in `own` that it takes the place of."""
    if isinstance(value, list):
        return matches(value, own)
    places = {key: place for place, key in enumerate(own)}
    return [places.get(key) for key in value]


def _after(pattern: re.Pattern[str], text: str, offset: int) -> int:
    match = pattern.match(text, offset)
    return match.end() if match else offset
