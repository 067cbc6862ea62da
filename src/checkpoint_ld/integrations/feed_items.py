"""The feed items of a benchmark's text: of an edited text, only those are read that the edit touches."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.text import Extent, Path, Spans
from checkpoint_ld.documents.values import DEFAULT_LIMITS
from checkpoint_ld.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Sequence

ELEMENTS = "dataFeedElement"
_OPENING = f'{{"{ELEMENTS}":['


@dataclass(frozen=True)
class FeedItems:
    """A JSON text with the spans and the values of its feed items.

    `tree` is the value of the text, in which the items are `values`. In an edited text, the value of an unchanged item
    is the same object as before.
    """

    text: str
    tree: dict[str, Any]
    spans: Sequence[Extent]
    values: list[Any]

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Read a text; return None for one that is no JSON object."""
        try:
            tree = read_json(text.encode("utf-8", "surrogatepass")).value
        except ReadError:
            return None
        if not isinstance(tree, dict):
            return None
        values = tree.get(ELEMENTS)
        if not isinstance(values, list):
            return cls(text, tree, [], [])
        spans = Spans(text)
        start, _ = spans.value((ELEMENTS,))
        return cls(text, tree, [member.value for member in spans.members(start)], values)

    def edited(self, text: str) -> Self | None:
        """Return the items of an edited text; None if the edit may concern more than items, and for broken JSON."""
        start, old_end, new_end = difference(self.text, text)
        spans, shift = self.spans, new_end - old_end
        if start == old_end == new_end:
            return self
        # The items that the edit touches; the value of a number would change by what is put beside it.
        first = bisect_left(spans, start, key=lambda span: span.end)
        last = bisect_right(spans, old_end, key=lambda span: span.start)
        around = ""
        if first < last and spans[first].start < start and old_end < spans[last - 1].end:
            begin, end = spans[first].start, spans[last - 1].end
        elif first > 0 and last < len(spans):
            begin, end, around = spans[first - 1].end, spans[last].start, "null"
        else:
            return None
        wrapped = f"{_OPENING}{around}{text[begin : end + shift]}{around}]}}"
        try:
            read = read_json(wrapped.encode("utf-8", "surrogatepass")).value
        except ReadError:
            return None
        if read.keys() != {ELEMENTS} or len(text) > DEFAULT_LIMITS.size // 4:
            return None
        # Without the nulls that stand for the items around.
        kept = slice(1, -1) if around else slice(None)
        moved = begin - len(_OPENING) - len(around)
        found = [member.value for member in Spans(wrapped).members(len(_OPENING) - 1)][kept]
        items = [*self.values[:first], *read[ELEMENTS][kept], *self.values[last:]]
        places = [*spans[:first], *_shifted(found, moved), *_shifted(spans[last:], shift)]
        return type(self)(text, {**self.tree, ELEMENTS: items}, places, items)

    def begin_before(self, text: str, offset: int) -> tuple[int, int]:
        """Return the ends of the head and of complete items before an offset in an edited text, both 0 if unknown."""
        start, _, _ = difference(self.text, text)
        at = bisect_right(self.spans, min(start, offset), key=lambda span: span.start)
        return (self.spans[0].start, self.spans[at - 1].start) if at else (0, 0)

    def span(self, path: Path) -> Extent:
        """Return the span of the value at a path. Raises KeyError if there is none."""
        if len(path) > 1 and path[0] == ELEMENTS and self.spans:
            start, end = self.spans[int(path[1])]
            return _shifted([Spans(self.text[start:end]).value(path[2:])], start)[0]
        start, end = self._head.value(path)
        return Extent(start + self._beyond(start), end + self._beyond(end))

    @cached_property
    def _head(self) -> Spans:
        """The text without its items."""
        if not self.spans:
            return Spans(self.text)
        return Spans(self.text[: self.spans[0].start] + self.text[self.spans[-1].end :])

    def _beyond(self, offset: int) -> int:
        """Return how much farther an offset of the head is in the whole text."""
        if not self.spans or offset <= self.spans[0].start:
            return 0
        return self.spans[-1].end - self.spans[0].start


def _shifted(spans: Sequence[Extent], by: int) -> Sequence[Extent]:
    return [Extent(start + by, end + by) for start, end in spans] if by else spans


def difference(old: str, new: str) -> tuple[int, int, int]:
    """Return where two texts begin to differ, and the ends of the difference in the old one and in the new one."""
    most = min(len(old), len(new))
    start = low = 0
    high = most
    while start < high:
        middle = (start + high + 1) // 2
        if old[start:middle] == new[start:middle]:
            start = middle
        else:
            high = middle - 1
    high = most - start
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return start, len(old) - low, len(new) - low
