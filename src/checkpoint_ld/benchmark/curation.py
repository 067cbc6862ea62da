"""The table that curators of a benchmark work with: a row for each verified field, and a summary."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from checkpoint_ld.benchmark.exports import flat
from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.mapping.properties import text_of
from checkpoint_ld.tables import Sheet, table, workbook
from checkpoint_ld.templates import Level

if TYPE_CHECKING:
    from checkpoint_ld.benchmark.content import BenchmarkContent, QuestionContent
    from checkpoint_ld.templates import TemplateField

Json = dict[str, Any]
Cell: TypeAlias = str | int | float

COLUMNS = (
    "Item Number",
    "Source ID",
    "Question",
    "Reference Answer",
    "Functional Area",
    "Subcategory",
    "Complexity",
    "Curation Status",
    "Field Name",
    "Field Type",
    "Judge Instruction",
    "Reference Value",
    "Verification Method",
    "Template Parse Status",
)

_SOURCE = ("Source ID", "source_id", "id")
_AREA = ("Area", "Functional Area", "functional_area")
_SUBCATEGORY = ("Subcategories", "Subcategory", "subcategory")
_COMPLEXITY = ("Complexity", "complexity")
"""The keys of custom metadata that a column is filled from, the first that is there."""

_UNREADABLE = (Level.SYNTAX_ERROR, Level.NO_ANSWER_CLASS)


def export(content: BenchmarkContent, path: str | os.PathLike[str]) -> Json:
    """Write the table to exactly `path`, a workbook (`.xlsx`) or comma-separated values (`.csv`); return the counts.

    Raises SettingsError for another extension and where openpyxl is not installed, WriteError if `path` cannot be
    written.
    """
    extension = PurePath(os.fspath(path)).suffix.lower()
    if extension not in (".xlsx", ".csv"):
        raise SettingsError(f"{os.fspath(path)}: a curation table is written as .xlsx or .csv")
    rows: list[list[Cell]] = [list(COLUMNS), *curation_rows(content)]
    counts = _counts(content)
    if extension == ".csv":
        replace_file(path, table(rows, formulas="escape").encode(errors="replace"))
    else:
        sheets = (Sheet("Curation Review", rows), Sheet("Summary", _summary(content, counts)))
        replace_file(path, workbook(sheets))
    return {"output_path": os.fspath(path), **counts}


def curation_rows(content: BenchmarkContent) -> list[list[Cell]]:
    """Return the rows of the table: one for each verified field, one without a field for a question without any."""
    rows: list[list[Cell]] = []
    for number, one in enumerate(content.questions, 1):
        told = _told(number, one)
        fields = [_field(field) for field in one.template.fields] or [[""] * 5]
        rows += [[*told, *field, _status(one)] for field in fields]
    return rows


def _told(number: int, one: QuestionContent) -> list[Cell]:
    custom = one.members["custom_metadata"] or {}

    def said(keys: tuple[str, ...]) -> Cell:
        return next((_cell(custom[key]) for key in keys if custom.get(key) is not None), "")

    texts = [one.members["question"], one.members["raw_answer"]]
    state = "Finished" if one.finished else "Draft"
    return [number, said(_SOURCE), *texts, said(_AREA), said(_SUBCATEGORY), said(_COMPLEXITY), state]


def _cell(value: Any) -> Cell:
    """Return a value as a cell: a number as such, a truth value by Python's name for it, as Karenina does."""
    if isinstance(value, bool):
        return str(value)
    return value if isinstance(value, int | float) else text_of(flat(value))


def _field(field: TemplateField) -> list[Cell]:
    parameters = ", ".join(f"{name}={value!r}" for name, value in field.parameters.items())
    method = "" if field.primitive is None else f"{field.primitive}({parameters})"
    return [field.name, field.type, field.description or "", _cell(field.ground_truth), method]


def _status(one: QuestionContent) -> str:
    if not one.has_template:
        return "No generated template"
    if one.template.level in _UNREADABLE:
        return f"Parse error: {'; '.join(problem.message for problem in one.template.problems)}"
    return "Parsed" if one.template.fields else "No verified fields found"


def _counts(content: BenchmarkContent) -> Json:
    finished = sum(one.finished for one in content.questions)
    return {
        "question_count": len(content.questions),
        "field_count": sum(len(one.template.fields) for one in content.questions),
        "draft_count": len(content.questions) - finished,
        "finished_count": finished,
        "template_parse_error_count": sum(
            one.has_template and one.template.level in _UNREADABLE for one in content.questions
        ),
    }


def _summary(content: BenchmarkContent, counts: Json) -> list[list[Cell]]:
    labels = ("Questions", "Fields", "Drafts", "Finished", "Template Parse Errors")
    return [
        ["Benchmark", content.name],
        *([label, counts[key]] for label, key in zip(labels, counts, strict=True)),
    ]
