"""JSON lines: recorded answers in, results out, one to a line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from checkpoint_ld.assessment.recorded_answer import RecordedAnswer
from checkpoint_ld.characters import encodable
from checkpoint_ld.documents.document import parse, syntax_fault, too_deep
from checkpoint_ld.documents.values import DEFAULT_LIMITS
from checkpoint_ld.errors import ReadError, SourceMissingError
from checkpoint_ld.findings import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.assessment.assessment import Assessment
    from checkpoint_ld.findings import Finding

LONGEST_LINE = 1 << 26
"""A line may have this many bytes, so that no file is taken in as a whole because its line ends are missing."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_answers(source: str | os.PathLike[str] | BinaryIO, name: str | None = None) -> Iterator[RecordedAnswer]:
    """Yield the recorded answers in a file of JSON lines, in UTF-8, one after the other.

    A line that is none gives an answer with a `fault`; empty lines are passed over. `source` is a path or a file that
    is open for reading bytes, `name` what places call it. Raises SourceMissingError for a path that cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        with open_answers(source) as opened:
            yield from _answers(opened, name or os.fspath(source))
    else:
        yield from _answers(source, name)


def open_answers(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file of JSON lines for `read_answers`. Raises SourceMissingError if it cannot be read."""
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:  # ValueError: U+0000 in the path
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise SourceMissingError(f"{path}: cannot be read: {reason[:1].lower()}{reason[1:]}; check the path") from error


def line_of(assessment: Assessment) -> bytes:
    """Return the line of results for an assessment, with its line end."""
    return encodable(json.dumps(assessment.as_json(), ensure_ascii=False)).encode() + b"\n"


def _answers(file: BinaryIO, name: str | None) -> Iterator[RecordedAnswer]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if len(line) > LONGEST_LINE:
            _skip_line(file, line)
            message = f"the line has more than {LONGEST_LINE:,} bytes: write one answer to a line"
            yield RecordedAnswer(None, place=Place(name, line=number), fault=message)
        elif line.strip():
            yield _answer(line, Place(name, line=number))


def _skip_line(file: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = file.readline(LONGEST_LINE)


def _answer(line: bytes, place: Place) -> RecordedAnswer:
    try:
        if too_deep(line, DEFAULT_LIMITS.depth) is not None:
            return _unusable(place, None, f"the line is nested more than {DEFAULT_LIMITS.depth} levels deep")
        return RecordedAnswer.of(parse(line.decode().rstrip("\r\n")), place)
    except UnicodeDecodeError as error:
        return _unusable(place, None, f"the line is not UTF-8: byte {error.start + 1} is 0x{line[error.start]:02x}")
    except json.JSONDecodeError as error:
        return _not_json(place, syntax_fault(error))
    except ReadError as error:
        return _not_json(place, error.findings[0])


def _not_json(place: Place, fault: Finding) -> RecordedAnswer:
    return _unusable(place, fault.place.column, f"the line is not JSON: {fault.message}")


def _unusable(place: Place, column: int | None, message: str) -> RecordedAnswer:
    where = Place(place.file, line=place.line, column=column)
    return RecordedAnswer(None, place=where, fault=f"{message}: write one JSON object to a line")
