"""Recorded answers in a plain table: a row for each, with the columns question, answer, model and replicate."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from checkpoint_ld.assessment.answers import RecordedAnswer
from checkpoint_ld.benchmark.answer_columns import UnfitAnswerError, number_in, parts_of
from checkpoint_ld.benchmark.table_import import cell_text, cell_value, table_rows
from checkpoint_ld.benchmark.table_layouts import usual
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import extension_of
from checkpoint_ld.errors import LookupFailedError, ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.phrases import BOOLEAN_WORDS, some_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.templates import Template

EXTENSIONS = (".csv", ".tsv", ".xlsx")
_NAMES = {
    "question": ("question", "question_id", "question_text", "prompt", "input"),
    "answer": ("answer", "response", "output", "completion", "model_answer"),
    "model": ("model", "model_name"),
    "replicate": ("replicate", "run", "attempt", "sample", "epoch"),
    "trace": ("trace", "raw_response"),
    "answer_id": ("answer_id",),
    "date": ("date",),
}
"""The usual names of columns, in small letters with `_` for spaces."""
_FIELD = "answer."
"""What the name of a column with the value of one field begins with."""


def read_table(path: str | os.PathLike[str]) -> Iterator[RecordedAnswer]:
    """Yield the recorded answers of a table, one after the other.

    A column `answer.FIELD` has the values of a field of the template; the column `answer` has the answer as text, which
    is the value of a template with one field. Further columns are kept. Raises LookupFailedError for a missing column,
    and as `table_rows` does.
    """
    name = os.fspath(path)
    rows = table_rows(name, None)
    header = [cell_text(cell).strip() for cell in next(rows, ())]
    by_name = {usual(column): number for number, column in reversed([*enumerate(header)])}
    of = {role: next((by_name[role] for role in names if role in by_name), None) for role, names in _NAMES.items()}
    fields = {title[len(_FIELD) :]: number for number, title in enumerate(header) if title.lower().startswith(_FIELD)}
    if of["question"] is None or (of["answer"] is None and of["trace"] is None and not fields):
        missing = "question" if of["question"] is None else "answer"
        named = some_of([*filter(None, header)]) or "none"
        message = f"{name}: which column holds the {missing}? there are {named}; call it {missing}"
        raise LookupFailedError(f"{message}, beside model and replicate")
    used = {*of.values(), *fields.values()}
    for number, row in enumerate(rows, 2):
        if any(cell_text(cell).strip() for cell in row):
            cells = [cell_value(cell) for cell in row] + [None] * (len(header) - len(row))
            yield _answer(header, cells, of, fields, used, Place(name, line=number))


def _answer(  # noqa: PLR0913, PLR0917 - the columns of a table by their use
    header: list[str],
    cells: list[Any],
    of: Mapping[str, int | None],
    fields: Mapping[str, int],
    used: set[int | None],
    place: Place,
) -> RecordedAnswer:
    of_role = {role: None if number is None or cells[number] == "" else cells[number] for role, number in of.items()}
    question, text = cell_text(of_role["question"]).strip(), of_role["answer"]
    filled = ((name, cells[number]) for name, number in fields.items())
    stated: dict[str, Any] = {name: _read(cell) for name, cell in filled if cell not in (None, "")}
    trace = of_role["trace"] if of_role["trace"] is not None else text
    record = {
        "question_id": question or None,
        "question_text": question or None,
        "answer": stated or None,
        "trace": None if trace is None else cell_text(trace),
        "model": of_role["model"],
        "replicate": of_role["replicate"],
        "answer_id": of_role["answer_id"],
        "date": None if of_role["date"] is None else cell_text(of_role["date"]),
    }
    record |= {
        name: cell
        for number, (name, cell) in enumerate(zip(header, cells, strict=False))
        if number not in used and cell and name
    }
    made = RecordedAnswer.of(record, place)
    if not question:
        return replace(made, fault="the row has no question: write its text or its identifier")
    if trace is None and not stated:
        return replace(made, fault="the row has no answer: write it, or leave the row out")
    return made if text is None else replace(made, text=cell_text(text))


def _read(cell: Any) -> Any:
    if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "{"):
        with suppress(ReadError, UnicodeEncodeError):
            return read_json(cell.encode()).value
    return cell


def values_of(text: str, template: Template) -> dict[str, Any] | None:
    """Return the values of a template's fields in an answer of plain text; None if it has several, or is not read.

    For several fields, the text may be a JSON object. A text that is no value of the field is its value as it stands.
    """
    value = _read(text)
    if isinstance(value, dict):
        return value
    fields = [field for field in template.fields if not field.is_trace]
    if len(fields) != 1 or template.plain_fields:
        return None
    (field,) = fields
    return {field.name: _value(text.strip(), field.type, field.literal_values)}


def _value(text: str, kind: str, literals: tuple[Any, ...] | None) -> Any:
    match kind:
        case "int" | "float":
            try:
                number, beside = number_in(text)
            except UnfitAnswerError:
                return text
            # A sentence that begins with a number is no number.
            return number if len(beside.split()) <= 1 else text
        case "bool":
            return BOOLEAN_WORDS.get(text.lower(), text)
        case _ if kind.startswith("list"):
            value = _read(text)
            return value if isinstance(value, list) else parts_of(text)
        case _ if literals:
            known = {literal.lower(): literal for literal in reversed(literals) if isinstance(literal, str)}
            return known.get(text.lower(), text)
    return text


def is_table(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a table by its extension."""
    return extension_of(path) in EXTENSIONS
