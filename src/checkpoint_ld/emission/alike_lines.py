"""The lines of N-Triples and N-Quads about alike nodes, of which the same predicates say something.

They have one pattern, in which only names and values differ, and what is sorted is the pattern: that takes half the
time of making and sorting the lines of each node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TRIPLE = " .\n"
"""How a line of N-Triples ends."""
NO_OBJECT: tuple[str, ...] = ()
"""What a column is whose start has the object in it, too."""


def blocks(subjects: Sequence[str], columns: Mapping[str, Sequence[Any]], end: str = TRIPLE) -> list[str]:
    """Return the lines about each of `subjects`, sorted.

    `columns` has what is said of each, a text or a list of texts, by what stands between subject and object.
    """
    pattern = ""
    slots: list[Sequence[Any]] = []
    for start, column in sorted(columns.items()):
        has_objects = column is not NO_OBJECT
        pattern += f"%s{_literally(start)}{'%s' if has_objects else ''}{_literally(end)}"
        slots.append(subjects)
        if has_objects:
            slots.append(_objects(subjects, start, column, end))
    return [*map(pattern.__mod__, zip(*slots, strict=True))]


def _literally(text: str) -> str:
    return text.replace("%", "%%")


def _objects(subjects: Sequence[str], start: str, column: Sequence[Any], end: str) -> Sequence[str]:
    """Return what stands between `start` and `end` if each node has one text there: several make several lines."""
    if list not in map(type, column):
        return column
    return [
        f"{end}{subject}{start}".join(sorted(one)) if type(one) is list else one
        for subject, one in zip(subjects, column, strict=True)
    ]
