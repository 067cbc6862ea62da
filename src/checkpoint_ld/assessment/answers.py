"""Recorded answers: the response of a model to a question, and the values that a judge took from it."""

from __future__ import annotations

import codecs
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from checkpoint_ld.documents.document import other_form, parse, syntax_fault, too_deep
from checkpoint_ld.documents.files import GZIP, is_packed, read_bytes, reading, unpacked
from checkpoint_ld.documents.values import DEFAULT_LIMITS
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


Json = Any
"""A value of a JSON text."""

_KNOWN = (
    *("question_id", "question_text", "answer", "trace", "context", "answer_id", "model", "replicate", "date"),
    *("traits", "judge"),
)
_RESULT = frozenset(("question", "status", "verification", "traits"))
"""The members of each line of results, together in no other record."""
_TEXTS = ("question_id", "question_text", "trace", "date", "judge")
_OBJECTS = ("answer", "context", "traits")


@dataclass(frozen=True, slots=True)
class RecordedTrait:
    """The value of a trait of an answer that a judge gave: a truth value, a score, or the name or index of a class.

    A trait with several values, such as metrics, has one of these for each, called `trait.metric`. `kind` is the kind
    of the trait, empty where the record does not state it. `judge` is the model that judged.
    """

    name: str
    value: Json
    kind: str = ""
    judge: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The result of a verification elsewhere that was recorded with an answer.

    `passed` is the verdict, None where there is none, `score` the granular score from 0 to 1. `fields` has, for each
    field, whether it passed. `overrides` names the checks that decided in place of the template, `failure` the error.
    `template_id` is the identifier of the template that was used, `by` the program. `unknown` are the names of members
    that are not known; they are kept.
    """

    passed: bool | None = None
    score: float | None = None
    fields: Mapping[str, Json] = field(default_factory=dict)
    traits: tuple[RecordedTrait, ...] = ()
    overrides: tuple[str, ...] = ()
    failure: str = ""
    template_id: str | None = None
    by: str | None = None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One recorded answer.

    `question_id` names the question. `values` are the values of the template's fields, None if none were taken from the
    response; `trace` is the raw response, None if it was not kept. `context` chooses the case of conditional ground
    truths. `answer_id`, `model`, `replicate` and `date` are as in the record, None where it does not state them.
    `extra` holds all other members. `question_text` is the text that the model got; it identifies the question if
    `question_id` does not. `text` is the answer in a plain table, the value of a template with one field. `recorded` is
    the result of a verification elsewhere. `place` is the place of the record.

    `fault` is the reason why a record cannot be used. It is empty for a usable record.
    """

    question_id: str | None
    values: Mapping[str, Json] | None = None
    trace: str | None = None
    context: Mapping[str, Json] | None = None
    answer_id: Json = None
    model: Json = None
    replicate: Json = None
    date: str | None = None
    extra: Mapping[str, Json] = field(default_factory=dict)
    place: Place = field(default_factory=Place)
    fault: str = ""
    question_text: str | None = None
    recorded: Recorded | None = None
    text: str | None = None

    @classmethod
    def of(cls, record: object, place: Place | None = None) -> Self:
        """Return the answer in a JSON value; an unusable `record` gives one with a `fault`, and nothing is raised."""
        place = place or Place()
        if not isinstance(record, Mapping):
            return cls(None, place=place, fault=f"{_shown(record)} is no recorded answer: write an object")
        if _RESULT.issubset(record):
            record, recorded = _of_result(record)
        else:
            recorded = None
        stated = record.get("traits")
        traits = verdicts(stated if isinstance(stated, Mapping) else {}, judge=text_in(record.get("judge")))
        return cls(
            question_id=text_in(record.get("question_id")),
            values=answer if isinstance(answer := record.get("answer"), Mapping) else None,
            trace=text_in(record.get("trace")),
            context=context if isinstance(context := record.get("context"), Mapping) else None,
            answer_id=record.get("answer_id"),
            model=record.get("model"),
            replicate=record.get("replicate"),
            date=text_in(record.get("date")),
            extra={key: value for key, value in record.items() if key not in _KNOWN},
            place=place,
            fault=_fault(record, traits),
            question_text=text_in(record.get("question_text")),
            recorded=recorded or (Recorded(traits=traits) if traits else None),
        )

    @property
    def model_name(self) -> str | None:
        """The model as a text, None where the record names none."""
        return self.model if self.model is None or isinstance(self.model, str) else _dumped(self.model)


def _of_result(record: Mapping[str, Json]) -> tuple[dict[str, Json], Recorded]:
    listed = record["traits"] if isinstance(record["traits"], list) else []
    traits = tuple(
        RecordedTrait(trait["name"], trait.get("value"), text_in(trait.get("kind")) or "", text_in(trait.get("judge")))
        for trait in listed
        if isinstance(trait, Mapping) and isinstance(trait.get("name"), str) and trait.get("status") == "judged"
    )
    verification = record["verification"] if isinstance(record["verification"], Mapping) else {}
    fields = [field for field in verification.get("fields") or () if isinstance(field, Mapping) and "name" in field]
    recorded = Recorded(
        passed={"passed": True, "failed": False}.get(str(record["status"])),
        score=finite(record.get("score")),
        fields={field["name"]: field.get("passed") for field in fields},
        traits=traits,
        failure=str(record.get("reason") or "") if record["status"] == "error" else "",
        by="checkpoint-ld",
    )
    left_out = _RESULT | {"file", "line", "reason", "score", "extra", "recorded", "differences", "question"}
    extra = record.get("extra")
    members = {key: value for key, value in record.items() if key not in left_out}
    members |= {"answer": {field["name"]: field.get("value") for field in fields}}
    return members | (dict(extra) if isinstance(extra, Mapping) else {}), recorded


def verdicts(stated: Mapping[str, Json], kind: str = "", judge: str | None = None) -> tuple[RecordedTrait, ...]:
    """Return the values of traits: each is a value, an object with `value`, `judge` and `reason`, or a list of these.

    In another object, such as metrics, each member is a value, called `trait.member`.
    """
    recorded = list[RecordedTrait]()
    for name, values in stated.items():
        for verdict in values if isinstance(values, list) else [values]:
            if isinstance(verdict, Mapping) and "value" in verdict:
                named_judge = text_in(verdict.get("judge")) or judge
                recorded.append(
                    RecordedTrait(name, verdict["value"], kind, named_judge, text_in(verdict.get("reason")) or "")
                )
            elif isinstance(verdict, Mapping):
                recorded += (RecordedTrait(f"{name}.{part}", value, kind, judge) for part, value in verdict.items())
            else:
                recorded.append(RecordedTrait(name, verdict, kind, judge))
    return tuple(verdict for verdict in recorded if verdict.value is not None)


def finite(value: object) -> float | None:
    """Return a number that a double can hold; None for any other value, truth values included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:
        return None


def text_in(value: object) -> str | None:
    """Return `value` if it is a text, else None."""
    return value if isinstance(value, str) else None


def _fault(record: Mapping[str, Json], traits: tuple[RecordedTrait, ...]) -> str:
    if record.get("question_id") is None:
        return 'there is no question_id: add {"question_id": "…"}'
    for key in _TEXTS:
        if not isinstance(record.get(key), str | None):
            return f"{key} is {_shown(record[key])}: write a text"
    for key in _OBJECTS:
        if not isinstance(record.get(key), Mapping | None):
            return f"{key} is {_shown(record[key])}: write an object"
    if record.get("answer") is None and record.get("trace") is None and not traits:
        return 'there is neither an answer nor a trace: add {"answer": {…}} or {"trace": "…"}'
    return ""


def _shown(value: object) -> str:
    return shown(value) if isinstance(value, str) else shown(_dumped(value))[1:-1].replace('\\"', '"')


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


LONGEST_LINE = 1 << 26
"""The most bytes in a line, so that a file without line ends is not read as a whole."""
_REMEDY = (
    "give lines of JSON in UTF-8, or the name of a table of answers (.csv, .tsv, .xlsx), of results that Karenina "
    "exported (.json, .csv) or of a log of Inspect (.eval)"
)


def read_answers(source: str | os.PathLike[str] | BinaryIO, name: str | None = None) -> Iterator[RecordedAnswer]:
    """Yield the recorded answers in a file, one after the other.

    The file holds JSON lines in UTF-8, an export of Karenina's results (JSON or CSV), a log of Inspect, or a table
    (.csv, .tsv, .xlsx) with the columns question and answer. Lines and results may be packed. An unusable line gives an
    answer with a `fault`; empty lines are skipped. `source` is a path, or for JSON lines a file that is open for
    reading bytes. `name` is the file name in places. Raises SourceMissingError for a path that cannot be read,
    ReadError for a damaged file and for another kind of file, LookupFailedError for a table without these columns,
    SettingsError for a log where the extra `inspect` is missing.
    """
    if isinstance(source, str | os.PathLike):
        if read := _reader_of(source):
            yield from read(source)
            return
        with open_answers(source) as opened:
            yield from _of_lines(opened, name or os.fspath(source))
    else:
        yield from _of_lines(source, name)


def _reader_of(path: str | os.PathLike[str]) -> Callable[[str | os.PathLike[str]], Iterator[RecordedAnswer]] | None:
    from checkpoint_ld.assessment import answer_tables, inspect_logs, karenina_results  # noqa: PLC0415 - they import this module

    if inspect_logs.is_log(path):
        return inspect_logs.read_log_answers
    if karenina_results.is_results(path):
        return karenina_results.read_results
    return answer_tables.read_table if answer_tables.is_table(path) else None


def is_by_path(path: str | os.PathLike[str]) -> bool:
    """Return whether `read_answers` needs a path instead of an open file: that of a log, or of results."""
    return _reader_of(path) is not None


def open_answers(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file of JSON lines for `read_answers`, a packed one (`.gz`) unpacked.

    Raises SourceMissingError if it cannot be read, ReadError if a packed file is damaged or above the usual limit.
    """
    if is_packed(path):
        return BytesIO(unpacked(*read_bytes(path)))
    with reading(os.fspath(path)):
        return Path(path).open("rb")


def _of_lines(file: BinaryIO, name: str | None) -> Iterator[RecordedAnswer]:
    from checkpoint_ld.assessment.karenina_results import is_beginning  # noqa: PLC0415 - it imports this module

    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
            if line.startswith(GZIP):
                file, number = BytesIO(unpacked(line + read_bytes(file)[0], name)), 0
                continue
            if other := other_form(line):
                raise ReadError(f"{name or '<file>'}: it looks like {other[1]}; {_REMEDY}")
            if line.strip() in (b"{", b"["):
                raise ReadError(f"{name or '<file>'}:1: the line has a part of an object only; {_REMEDY}")
        if len(line) > LONGEST_LINE:
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
            message = f"the line has more than {LONGEST_LINE:,} bytes: write one answer to a line"
            yield RecordedAnswer(None, place=Place(name, line=number), fault=message)
        elif line.strip():
            answer = _answer(line, Place(name, line=number))
            if number == 1 and answer.fault and any(is_beginning(line, kind) for kind in (".csv", ".json")):
                raise ReadError(f"{name or '<file>'}: it looks like results that Karenina exported; {_REMEDY}")
            yield answer


def _answer(line: bytes, place: Place) -> RecordedAnswer:
    column, remedy = None, "write one JSON object to a line"
    try:
        if too_deep(line, DEFAULT_LIMITS.depth) is None:
            return RecordedAnswer.of(parse(line.decode().rstrip("\r\n")), place)
        message = f"the line is nested more than {DEFAULT_LIMITS.depth} levels deep"
    except UnicodeDecodeError as error:
        message = f"the line is not UTF-8: byte {error.start + 1} is 0x{line[error.start]:02x}"
        remedy = "save the file as UTF-8"
    except (json.JSONDecodeError, ReadError) as error:
        fault = syntax_fault(error) if isinstance(error, json.JSONDecodeError) else error.findings[0]
        column, message = fault.place.column, f"the line is not JSON: {fault.message}"
    where = Place(place.file, line=place.line, column=column)
    return RecordedAnswer(None, place=where, fault=f"{message}: {remedy}")
