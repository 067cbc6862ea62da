"""Recorded answers: what a model once said to a question, and what a judge made of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from checkpoint_ld.documents.document import parse, syntax_fault, too_deep
from checkpoint_ld.documents.values import DEFAULT_LIMITS
from checkpoint_ld.errors import ReadError, SourceMissingError
from checkpoint_ld.findings import Place
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Iterator


Json = Any
"""A value of a JSON text."""

_KNOWN = ("question_id", "answer", "trace", "context", "answer_id", "model", "replicate", "date")
_TEXTS = ("question_id", "trace", "date")
_OBJECTS = ("answer", "context")


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One recorded answer.

    `question_id` names the question. `values` are the values of the template's fields; `trace` is the raw response
    that they were taken from, None if it was not kept. `context` chooses the case of conditional ground truths.
    `answer_id`, `model`, `replicate` and `date` are whatever the record says, None for what it does not say; `extra`
    holds all other members. `place` is where the record stands.

    `fault` says why a record cannot be used: it is empty for one that can.
    """

    question_id: str | None
    values: Mapping[str, Json] = field(default_factory=dict)
    trace: str | None = None
    context: Mapping[str, Json] | None = None
    answer_id: Json = None
    model: Json = None
    replicate: Json = None
    date: str | None = None
    extra: Mapping[str, Json] = field(default_factory=dict)
    place: Place = field(default_factory=Place)
    fault: str = ""

    @classmethod
    def of(cls, record: object, place: Place | None = None) -> Self:
        """Return the answer that the JSON value `record` is; one that is none has a `fault`, and nothing is raised."""
        place = place or Place()
        if not isinstance(record, Mapping):
            return cls(None, place=place, fault=f"{_shown(record)} is no recorded answer: write an object")
        name = record.get("question_id")
        return cls(
            question_id=name if isinstance(name, str) else None,
            values=answer if isinstance(answer := record.get("answer"), Mapping) else {},
            trace=trace if isinstance(trace := record.get("trace"), str) else None,
            context=context if isinstance(context := record.get("context"), Mapping) else None,
            answer_id=record.get("answer_id"),
            model=record.get("model"),
            replicate=record.get("replicate"),
            date=date if isinstance(date := record.get("date"), str) else None,
            extra={key: value for key, value in record.items() if key not in _KNOWN},
            place=place,
            fault=_fault(record),
        )

    @property
    def model_name(self) -> str | None:
        """The model as a text, None where the record names none."""
        return self.model if self.model is None or isinstance(self.model, str) else _dumped(self.model)


def _fault(record: Mapping[str, Json]) -> str:
    if record.get("question_id") is None:
        return 'there is no question_id: add {"question_id": "…"}'
    for key in _TEXTS:
        if not isinstance(record.get(key), str | None):
            return f"{key} is {_shown(record[key])}: write a text"
    for key in _OBJECTS:
        if not isinstance(record.get(key), Mapping | None):
            return f"{key} is {_shown(record[key])}: write an object"
    if record.get("answer") is None and record.get("trace") is None:
        return 'there is neither an answer nor a trace: add {"answer": {…}} or {"trace": "…"}'
    return ""


def _shown(value: object) -> str:
    return shown(value) if isinstance(value, str) else shown(_dumped(value))[1:-1].replace('\\"', '"')


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


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
            yield from _of_lines(opened, name or os.fspath(source))
    else:
        yield from _of_lines(source, name)


def open_answers(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file of JSON lines for `read_answers`. Raises SourceMissingError if it cannot be read."""
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:  # ValueError: U+0000 in the path
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise SourceMissingError(f"{path}: cannot be read: {reason[:1].lower()}{reason[1:]}; check the path") from error


def _of_lines(file: BinaryIO, name: str | None) -> Iterator[RecordedAnswer]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if len(line) > LONGEST_LINE:
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
            message = f"the line has more than {LONGEST_LINE:,} bytes: write one answer to a line"
            yield RecordedAnswer(None, place=Place(name, line=number), fault=message)
        elif line.strip():
            yield _answer(line, Place(name, line=number))


def _answer(line: bytes, place: Place) -> RecordedAnswer:
    column, message = None, ""
    try:
        if too_deep(line, DEFAULT_LIMITS.depth) is None:
            return RecordedAnswer.of(parse(line.decode().rstrip("\r\n")), place)
        message = f"the line is nested more than {DEFAULT_LIMITS.depth} levels deep"
    except UnicodeDecodeError as error:
        message = f"the line is not UTF-8: byte {error.start + 1} is 0x{line[error.start]:02x}"
    except (json.JSONDecodeError, ReadError) as error:
        fault = syntax_fault(error) if isinstance(error, json.JSONDecodeError) else error.findings[0]
        column, message = fault.place.column, f"the line is not JSON: {fault.message}"
    where = Place(place.file, line=place.line, column=column)
    return RecordedAnswer(None, place=where, fault=f"{message}: write one JSON object to a line")
