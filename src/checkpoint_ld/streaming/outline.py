"""The outline of a large file: where its windows of questions stand, and what stands around them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.document import read_json
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts
from checkpoint_ld.streaming import WINDOW
from checkpoint_ld.streaming.elements import Elements, UnusualFileError
from checkpoint_ld.streaming.survey import Survey, name_of
from checkpoint_ld.streaming.window import QUESTIONS, Frame, Window

if TYPE_CHECKING:
    from collections.abc import Set
    from typing import BinaryIO

    from checkpoint_ld.documents.values import Limits

_FRAME = 1 << 20
"""The most bytes that may stand around the questions: each window has them again."""


@dataclass(frozen=True)
class Source:
    """A file that is worked on in windows: what stands around them, and the limits that it keeps."""

    path: str
    frame: Frame
    limits: Limits


@dataclass(frozen=True)
class Outline:
    """Where the windows of a file stand, and the names of all objects in it that have one of their own.

    `stamp` tells whether the file was changed.
    """

    source: Source
    windows: tuple[Window, ...]
    names: Set[str]
    stamp: tuple[int, ...]

    def check_unchanged(self) -> None:
        """Raise ReadError if the file is not the one any more that was gone through."""
        if _stamp(self.source.path) != self.stamp:
            raise ReadError(f"{self.source.path}: the file was changed while it was read; try again")


def outline(path: str, limits: Limits, window: int = WINDOW) -> Outline:
    """Go through a file once; what reading finds wrong with a window of so many questions shows later.

    Raises UnusualFileError for a file that cannot be worked on in windows.
    """
    try:
        stamp = _stamp(path)
        with Path(path).open("rb") as file:
            if file.seek(0, 2) > limits.size:
                raise UnusualFileError("it is larger than the limit")
            file.seek(0)
            elements = Elements(file, QUESTIONS)
            survey = Survey(window)
            for element in elements:
                survey.add(element)
            survey.close()
            if not survey.windows:
                raise UnusualFileError("it has no questions")
            frame, root = _frame(file, elements, survey)
    except (OSError, ValueError):  # ValueError: U+0000 in the path; reading it whole says all this in our words
        raise UnusualFileError("it cannot be opened") from None
    names = survey.settled(root)
    return Outline(Source(path, frame, limits), tuple(survey.windows), names, stamp)


def _stamp(path: str) -> tuple[int, ...]:
    state = Path(path).stat()
    return state.st_ino, state.st_dev, state.st_size, state.st_mtime_ns


def _frame(file: BinaryIO, elements: Elements, survey: Survey) -> tuple[Frame, dict[str, Any]]:
    """Return what stands around the questions, and the root as JSON, without them."""
    opened, closed = elements.opened.offset, elements.closed
    start, end = survey.windows[0].start.offset, survey.windows[-1].end
    if start + file.seek(0, 2) - end > _FRAME:
        raise UnusualFileError(f"more than {_FRAME:,} bytes of it stand around the questions")
    file.seek(0)
    head = file.read(start)
    file.seek(end)
    foot = file.read(closed.offset - end)
    tail = file.read()
    try:
        root = read_json(head + foot + tail).value
    except ReadError:
        raise UnusualFileError("it is no sound JSON") from None
    identifier, context = root.get("@id"), root.get("@context")
    if not isinstance(identifier, str):
        raise UnusualFileError("its root has no @id, and is named by all of its content")
    if not (context is None or isinstance(context, dict)) or contexts.foreign_terms(context):
        raise UnusualFileError("it has a context of its own")
    return Frame(head, head[opened:], foot, tail, closed, name_of(identifier)), root
