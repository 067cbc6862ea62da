"""What a large file is divided into: windows of questions, and the frame around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checkpoint_ld.streaming.elements import Spot

QUESTIONS = "dataFeedElement"
"""The member of the root whose elements are worked on in windows."""


@dataclass(frozen=True)
class Frame:
    """What stands around the questions: `head` before the first one, `tail` from the bracket after the last one on.

    `gap` is the white space before the first question, also part of the head, and `foot` that after the last one, so
    that a window is laid out as the file is. `closed` is where the bracket stands, `root` the root's name.
    """

    head: bytes
    gap: bytes
    foot: bytes
    tail: bytes
    closed: Spot
    root: str


@dataclass(frozen=True)
class Window:
    """Questions that stand one after the other: the first one's number, how many, the place and the end of their text.

    `guests` are earlier questions, by number, start and end, that share a text or an identifier with one of these.
    `names` are those of earlier objects that a question of this window claims too.
    """

    first: int
    count: int
    start: Spot
    end: int
    guests: tuple[tuple[int, int, int], ...] = ()
    names: frozenset[str] = frozenset()
