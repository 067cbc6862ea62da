"""Where the values of a JSON text stand: JSON Pointer (RFC 6901) to line and column."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING

from checkpoint_ld.documents.spans import Spans
from checkpoint_ld.findings import Place

if TYPE_CHECKING:
    from collections.abc import Iterable


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON Pointer of the value that is reached by the keys and indexes of `path`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


class Places:
    """The places of all values of one well-formed JSON `text`, found when they are asked for.

    `source` is the file name that the places carry. Where a key stands twice, the last one counts; `is_unrepeated` says
    that none does, so that nothing behind a value has to be looked at.
    """

    def __init__(self, text: str, source: str | None = None, *, is_unrepeated: bool = False) -> None:
        self._spans = Spans(text)
        self._source = source
        self._is_unrepeated = is_unrepeated

    def of_value(self, pointer: str) -> Place:
        """Return the place of the value at `pointer`, or of the nearest value above it if there is none."""
        return self.at(self._nearest(pointer)[1], pointer)

    def of_key(self, pointer: str) -> Place:
        """Return the place of the key of the member at `pointer`; array elements and the root have only a value."""
        return self.at(self._nearest(pointer)[0], pointer)

    def of_keys(self, pointer: str) -> dict[str, list[Place]]:
        """Return the places of all keys of the object at `pointer`, of a key that occurs twice both."""
        places: dict[str, list[Place]] = {}
        for member in self._spans.members(self._nearest(pointer)[1]):
            places.setdefault(member.name, []).append(self.at(member.key.start, pointer))
        return places

    def at(self, offset: int, pointer: str = "") -> Place:
        """Return the place of the character at `offset`, with `pointer` as its pointer."""
        before = bisect_left(self._line_ends, offset)
        start = self._line_ends[before - 1] + 1 if before else 0
        return Place(self._source, pointer, before + 1, offset - start + 1)

    @cached_property
    def _line_ends(self) -> array[int]:
        return array("Q", (match.start() for match in re.finditer("\n", self._spans.text)))

    def _nearest(self, pointer: str) -> tuple[int, int]:
        """Return where key and value start of what is at `pointer`, or of the nearest value above it."""
        key = value = self._spans.start
        for token in pointer.split("/")[1:]:
            name = token.replace("~1", "/").replace("~0", "~")
            found = self._spans.begin(value, name) if self._is_unrepeated else self._spans.index(value).get(name)
            if found is None:
                return value, value
            key, value = found.key.start, found.start
        return key, value
