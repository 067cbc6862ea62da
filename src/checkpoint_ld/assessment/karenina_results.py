"""Results that Karenina exported (JSON of format versions 2.0 to 2.2 or of none, and CSV), as recorded answers.

They are read result by result, so that an export may be larger than memory. Recorded values are kept with the answer as
they are; they do not influence its assessment.
"""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import replace
from functools import lru_cache
from io import TextIOWrapper
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.assessment.answers import (
    LONGEST_LINE,
    Recorded,
    RecordedAnswer,
    finite,
    open_answers,
    text_in,
    verdicts,
)
from checkpoint_ld.dialects.dialect import step
from checkpoint_ld.documents.files import extension_of
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.host import csv_of
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO


Json = dict[str, Any]

_BEGINNING = 4096
_CHUNK = 1 << 18
_TOKEN = 32
"""The most characters of a token that may be cut at the end of the window, except texts."""
_RESULTS = "results"
_FIRST = re.compile(rb'([^"]*)"(?:metadata|row_index)"')
"""The beginning of an export without a version, up to the first name."""
_HEADER = re.compile(rb"(?=.*question_id).*parsed_(llm_)?(response|answer)")
_RENAMED = {
    "parsed_gt_answer": "parsed_gt_response",
    "parsed_llm_answer": "parsed_llm_response",
    "parsed_response": "parsed_llm_response",
}
"""The names that differ in exports of the web interface, and before the parsed ground truth was stated."""
_INTERFACE = re.compile(r"^[a-z_]+:(?=.)")
"""What newer exports write before the name of a model. A name may have a colon of its own: ollama/llama3.1:8b."""
_SHARE = re.compile(r"\d+/\d+")
"""How many of the traits of a row passed: the value of a column that is named as if it were a trait."""
_FAMILIES = ("llm", "regex", "callable", "metric", "agentic")
_RESULT = re.compile(r'\n\s*\{\s*"metadata"')
_GAP = re.compile(r"[\s,]*")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)", re.ASCII)
_OVERRIDES = ("abstention", "sufficiency", "embedding")
_TAKEN = {
    "metadata": ("question_id", "question_text", "template_id", "answering", "timestamp", "result_id", "replicate"),
    "template": (
        *("raw_llm_response", "parsed_llm_response", "verify_result", "verify_granular_result", "field_results"),
    ),
    "rubric": tuple(f"{family}_trait_scores" for family in (*_FAMILIES, "")),
}
"""The members of a result that have a place of their own in a recorded answer; others are kept as they are."""
_KNOWN = {
    "": "deep_judgment deep_judgment_rubric evaluation_input used_full_trace trace_extraction_error row_index success "
    "failure_category failure_group failure_stage failure_reason caveats",
    "metadata": "failure completed_without_errors error caveats warnings raw_answer keywords parsing answering_* "
    "parsing_* execution_time run_name job_id few_shot_* evaluation_mode scenario_* partial_content retry_counts",
    "template": "trace_messages conversation_context parsed_gt_response template_verification_performed field_scores "
    "composition_strategy field_verification_error embedding_* regex_* abstention_* sufficiency_* agentic_* verify_* "
    "investigation_trace dynamic_* recursion_limit_reached response_timeout_partial usage_* agent_metrics "
    "answering_mcp_servers",
    "rubric": "rubric_evaluation_* llm_trait_labels metric_trait_confusion_lists agentic_trait_* dynamic_rubric_* "
    "trait_provenance",
}
_NAMES = {
    part: re.compile("|".join([*_TAKEN.get(part, _TAKEN), *(name.replace("*", ".*") for name in names.split())]))
    for part, names in _KNOWN.items()
}
_CSV = re.compile(
    "|".join(pattern.pattern for pattern in _NAMES.values())
    + "|success|error|rubric_.*|question_specific_rubrics|(answering|parsing)_model|export_timestamp|karenina_version"
    "|job_id|failure_.*|deep_judgment_.*|extracted_.*|attribute_reasoning|attributes_.*|.*hallucination_risk_assessment"
    "|standard_rubric_scores|trait_metadata|traits_without_.*|total_.*|metric_trait_metrics"
)
"""The columns that are known."""
_NO_TRAITS = frozenset(
    f"rubric_{name}"
    for name in ("evaluation_performed", "evaluation_strategy", "trait_reasoning", "hallucination_risk_assessment")
)
"""The columns that are called like those of traits."""
_OF_TRAITS = "question_specific_rubrics", "verify_rubric"
"""The columns of objects that have the values of traits by name."""
_TEXTS = re.compile(
    "question_(id|text)|result_id|template_id|timestamp|raw_llm_response|(answering|parsing)_model|error"
    "|failure_(category|stage|reason)|raw_answer|run_name|job_id"
)
"""The columns of texts, which may read like numbers, such as 12e45678."""


def is_results(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is an export of results: JSON or CSV that begins as those do."""
    kind = extension_of(path)
    if kind not in {".json", ".csv"} or not Path(path).is_file():
        return False
    with open_answers(path) as opened:
        beginning = opened.read(_BEGINNING)
    return is_beginning(beginning, kind)


def is_beginning(beginning: bytes, kind: str) -> bool:
    """Return whether an export of results begins like this; `kind` is .csv, or .json for JSON."""
    if kind == ".csv":
        return _HEADER.match(beginning) is not None
    first = _FIRST.match(beginning)
    without_version = first is not None and (b"[" in first[1] or b'"results"' in beginning)
    return b'"@context"' not in beginning and (b'"format_version"' in beginning or without_version)


def read_results(path: str | os.PathLike[str]) -> Iterator[RecordedAnswer]:
    """Yield the recorded answers of an export, one after the other.

    A result that cannot be read, that is a repetition, or whose run failed gives an answer with a `fault`. Raises
    SourceMissingError for a path that cannot be read, ReadError for a file that is no export of results.
    """
    name = os.fspath(path)
    seen = set[int]()
    with (
        open_answers(path) as opened,
        TextIOWrapper(opened, encoding="utf-8-sig", errors="surrogateescape", newline="") as text,
    ):
        results = _rows(text, name) if extension_of(name) == ".csv" else _Export(text, name).results()
        for result in results:
            answer = _answer(result)
            key = hash(str(answer.answer_id) if answer.answer_id is not None else repr(result.members))
            if key in seen and not answer.fault:
                answer = replace(answer, fault="the same result stands in this file before: it counts once")
            elif not result.fault:
                seen.add(key)
            yield answer


class _Result(NamedTuple):
    """A result, or the fault that prevents reading it; `by` is the version of Karenina, `unknown` as in `Recorded`."""

    place: Place
    members: Json = {}  # noqa: RUF012 - never changed
    fault: str = ""
    by: object = None
    unknown: tuple[str, ...] = ()


def _fault(text: str) -> str:
    """Return the fault of the text of a result: invalid UTF-8, whose bytes are half surrogate pairs in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "the result is not UTF-8: save the file as UTF-8"
    return ""


class _Export:
    """The text of an export, read as a JSON stream: only a window of it is in memory."""

    def __init__(self, text: TextIO, name: str) -> None:
        self._text, self._name = text, name
        self._held, self._at, self._line, self._fault = "", 0, 1, ""
        self._decoder = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=lambda _: None)

    def results(self) -> Iterator[_Result]:
        about: Json = {}
        pointer = "" if self._next() == "[" else f"/{_RESULTS}"
        try:
            if pointer:
                self._expect("{")
                while (key := self._value()) != _RESULTS:
                    self._expect(":")
                    about[str(key)] = self._value()
                self._expect(":")
            self._expect("{" if (is_named := self._next() == "{") else "[")  # the first exporters named results
        except ValueError as error:
            message = f"{self._place()} is no export of results: {error}; give one that Karenina wrote"
            raise ReadError(message) from None
        by = _object(about.get("metadata")).get("karenina_version")
        for number in count():
            if self._next() == ("}" if is_named else "]"):
                return
            place = self._place(f"{pointer}/{number}")
            try:
                value = self._value()
                if is_named:
                    self._expect(":")
                    place = self._place(step(pointer, str(value)))
                    value = self._value()
            except ValueError as error:
                yield _Result(place, fault=f"the result is half-written: {error}; run the export again")
                if not self._recover():
                    return
            else:
                yield _of_value(value, place, self._fault, by)

    def _place(self, pointer: str | None = None) -> Place:
        return Place(self._name, pointer=pointer, line=self._line)

    def _next(self) -> str:
        """Return the next character that is no separator, empty at the end of the text."""
        while True:
            gap = _GAP.match(self._held, self._at)
            self._pass(self._at if gap is None else gap.end())
            if self._at < len(self._held) or not self._more():
                return self._held[self._at : self._at + 1]

    def _expect(self, character: str) -> None:
        if (next_one := self._next()) != character:
            raise ValueError(f"{character!r} is expected, not {next_one or 'the end of the file'!r}")
        self._pass(self._at + 1)

    def _value(self) -> Any:
        """Return the next value, reading more text if needed. Raises ValueError for invalid JSON."""
        if not self._next():
            raise ValueError("the file ends before its results do")
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._at)
            except json.JSONDecodeError as error:
                is_cut = error.pos > len(self._held) - _TOKEN or error.msg.startswith("Unterminated")
                if not is_cut or len(self._held) - self._at > LONGEST_LINE:
                    raise ValueError(f"{error.msg[:1].lower()}{error.msg[1:]}") from None
                if not self._more():
                    raise ValueError("the file ends within it") from None
            except RecursionError:
                raise ValueError("it is nested too deeply") from None
            else:
                if end < len(self._held) or not self._more():  # a number may go on after the window
                    self._fault = _fault(self._held[self._at : end])
                    self._pass(end)
                    return value

    def _recover(self) -> bool:
        while True:
            if match := _RESULT.search(self._held, self._at + 1):
                self._pass(match.start())
                return True
            self._pass(max(len(self._held) - _TOKEN, self._at))
            if not self._more():
                return False

    def _more(self) -> bool:
        rest = self._held[self._at :]
        read = self._text.read(max(_CHUNK, len(rest)))  # twice as much, so that a long value is not tried often
        self._held, self._at = rest + read, 0
        return bool(read)

    def _pass(self, end: int) -> None:
        self._line += self._held.count("\n", self._at, end)
        self._at = end


def _of_value(value: Any, place: Place, fault: str, by: object) -> _Result:
    """Return the result that a value is; the first exporters wrote all members beside each other, as in a table."""
    if not isinstance(value, dict):
        return _Result(place, fault=f"{shown(str(value))} is no result: write an object", by=by)
    if "metadata" in value or "question_id" not in value:
        return _Result(place, value, fault, by, tuple(_unknown(value)))
    columns = {_RENAMED.get(str(name), str(name)): cell for name, cell in value.items()}
    return _Result(place, _of_columns(columns), fault, by, _unknown_columns(columns))


def _rows(text: TextIO, name: str) -> Iterator[_Result]:
    first = text.readline()
    separator = ";" if ";" in first and "," not in first else ","  # as spreadsheets write it
    csv = csv_of(LONGEST_LINE)
    rows = csv.reader(chain([first], text), delimiter=separator, strict=True)
    header = [_RENAMED.get(column, column) for column in next(rows, [])]
    unknown = _unknown_columns(header)
    while True:
        place = Place(name, line=rows.line_num + 1)
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield _Result(place, fault=f"the row is half-written: {error}; run the export again")
            continue
        if row and len(row) != len(header):
            fault = f"the row has {len(row)} cells, and the header {len(header)}: run the export again"
            yield _Result(place, fault=fault)
        elif row:
            cells = {column: cell for column, cell in zip(header, row, strict=True) if cell}
            by = cells.get("karenina_version")
            yield _Result(place, _of_row(cells), _fault("".join(row)), by, unknown)


def _of_row(cells: dict[str, str]) -> Json:
    """Return the row of a table in the form of a result in JSON.

    The exporter leaves a false verdict empty, and also the verdict of a result that was not verified. Other columns
    distinguish the two. Older exporters quoted cells twice.
    """
    if cells.get("parsed_llm_response", "").startswith('"{'):
        cells = {name: _unquoted(cell) for name, cell in cells.items()}
    values: Json = {name: cell if _TEXTS.fullmatch(name) else _cell(cell) for name, cell in cells.items()}
    if values.get("template_verification_performed") is True and values.get("success") is True:
        values.setdefault("verify_result", False)
    return _of_columns(values)


def _of_columns(values: Json) -> Json:
    """Return a result whose values stand beside each other in the form of a result in JSON."""
    names = [name for name in values if name.startswith("rubric_") and name not in _NO_TRAITS]
    traits = {name.removeprefix("rubric_"): values.pop(name) for name in names}
    if _SHARE.fullmatch(str(traits.get("summary"))):
        del traits["summary"]
    for name in _OF_TRAITS:
        if isinstance(values.get(name), dict):  # another value is a fault of the result
            traits |= values.pop(name)
    models = (str(values.get(name) or "") for name in ("answering_model", "parsing_model"))
    answering, parsing = ({"model_name": _INTERFACE.sub("", model) or None} for model in models)
    template = {name: values.pop(name, None) for name in _TAKEN["template"]}
    overrides = {name: values.get(name) for name in values if name.endswith("_override_applied")}
    parts = ("category", "stage", "reason")
    failure = {part: values[f"failure_{part}"] for part in parts if values.get(f"failure_{part}")}
    is_failed = values.get("success", values.get("completed_without_errors")) is False
    reason = values.get("error") if is_failed else None
    return {
        "metadata": {**values, "answering": answering, "parsing": parsing, "failure": failure or reason},
        "template": {**template, **overrides},
        "rubric": {"_trait_scores": traits},
    }


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell[:1] == cell[-1:] == '"' else cell


def _cell(cell: str) -> Any:
    """Return the value of a cell; Python writes `True`, a spreadsheet `TRUE`, and pandas 4 as `4.0` beside gaps."""
    try:
        value = json.loads(
            word if (word := cell.lower()) in {"true", "false"} else cell,
            parse_float=_finite,
            parse_constant=lambda _: None,
        )
    except (ValueError, RecursionError):
        return cell
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _finite(number: str) -> float | None:
    return value if math.isfinite(value := float(number)) else None


def _answer(result: _Result) -> RecordedAnswer:
    fault = result.fault
    parts = {part: _object(result.members.get(part)) for part in _TAKEN}
    about, template, rubric = parts.values()
    question, text = text_in(about.get("question_id")), text_in(about.get("question_text"))
    model, judge = (
        text_in(_object(about.get(role)).get("model_name") or about.get(f"{role}_model"))
        for role in ("answering", "parsing")
    )
    values, trace = template.get("parsed_llm_response"), text_in(template.get("raw_llm_response"))
    traits = tuple(
        verdict
        for family in (*_FAMILIES, "")
        for verdict in verdicts(
            _scores(rubric.get(f"{family}_trait_scores")), family, None if family in {"regex", "callable"} else judge
        )
    )
    failure = next((about[name] for name in ("failure", "error") if about.get(name) is not None), "")
    if isinstance(failure, dict):
        where = ", ".join(str(failure[key]) for key in ("category", "stage") if failure.get(key))
        failure = f"{failure.get('reason') or 'no reason is recorded'}{where and f' ({where})'}"
    if not fault and question is None and text is None:
        fault = "the result has neither a question_id nor a question_text"
    for name, stated in (("parsed_llm_response", values), *((name, about.get(name)) for name in _OF_TRAITS)):
        if not isinstance(stated, dict | None):
            fault = fault or f"{name} is {shown(stated)}, and no object: run the export again"
    if not fault and values is None and trace is None and not traits:
        fault = f"there is no answer, since the run failed: {failure}" if failure else "there is no answer in it"
    passed = template.get("verify_result")
    extra = dict.fromkeys(parts) | result.members
    for part, stated in parts.items():
        extra[part] = _filled({name: value for name, value in stated.items() if name not in _TAKEN[part]})
    return RecordedAnswer(
        question_id=question if question is not None else text,
        values=values if isinstance(values, dict) else None,
        trace=trace,
        answer_id=about.get("result_id"),
        model=model,
        replicate=next(
            (about[name] for name in ("replicate", "answering_replicate") if about.get(name) is not None), None
        ),
        date=_MOMENT.sub(r"\1T\2", moment) if (moment := text_in(about.get("timestamp"))) else None,
        extra=_filled(extra),
        place=result.place,
        fault=fault,
        question_text=text,
        recorded=Recorded(
            passed=passed if isinstance(passed, bool) else None,
            score=finite(template.get("verify_granular_result")),
            fields=_object(template.get("field_results")),
            traits=traits,
            overrides=tuple(check for check in _OVERRIDES if template.get(f"{check}_override_applied") is True),
            failure=str(failure),
            template_id=text_in(about.get("template_id")),
            by=text_in(result.by),
            unknown=result.unknown,
        ),
    )


def _scores(value: Any) -> Json:
    """Return the values of traits by name; a list is one value, that of a field of a form."""
    return {name: {"value": score} if isinstance(score, list) else score for name, score in _object(value).items()}


def _filled(members: Json) -> Json:
    return {name: value for name, value in members.items() if value not in (None, {}, [])}


def _unknown(members: Json) -> Iterator[str]:
    """Yield the names of members that no result is known to have."""
    for part in _NAMES:
        for name in _object(members.get(part)) if part else members:
            if not _is_known(part, name):
                yield f"{part}.{name}" if part else name


def _unknown_columns(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if not _CSV.fullmatch(name))


@lru_cache(maxsize=1000)
def _is_known(part: str, name: str) -> bool:
    return _NAMES[part].fullmatch(name) is not None


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
