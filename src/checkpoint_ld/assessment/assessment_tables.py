"""Assessments as tables: data frames, CSV, workbooks, Markdown and HTML; of answers, fields and verdicts of judges."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.assessment.assessing import COLUMNS, TraitStatus
from checkpoint_ld.documents.files import extension_of
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.frames import columns_of, data_frame
from checkpoint_ld.phrases import encodable, harmless, unknown
from checkpoint_ld.tables import Sheet, line, table, workbook
from checkpoint_ld.validation.reports.page import page_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.assessment.assessing import Assessment
    from checkpoint_ld.frames import FrameLibrary

Record = dict[str, Any]
AssessmentTable: TypeAlias = Literal["assessments", "fields", "traits", "verdicts"]
_KEY = ("question_id", "question", "model", "replicate", "answer_id")
_CELLS = "td, th { text-align: left; vertical-align: top; padding: .2em .8em .2em 0; }"
_FIELDS = (*_KEY, "field", "passed", "score", "value", "expected", "reason")
_TRAITS = (*_KEY, "trait", "kind", "status", "value", "recorded", "judge", "reason")


def to_dataframe(
    assessments: Iterable[Assessment], table: AssessmentTable = "assessments", *, library: FrameLibrary = "pandas"
) -> Any:
    """Return assessments as a data frame of pandas or polars.

    `table` is `assessments`, with a row for each answer; `fields`, for each field of a template; `traits`, for each
    trait; or `verdicts`, for each value that a judge gave. Raises SettingsError for another table or library, and where
    the library is not installed.
    """
    columns = {"assessments": COLUMNS, "fields": _FIELDS, "traits": _TRAITS, "verdicts": _TRAITS}
    if table not in columns:
        raise SettingsError(unknown("table", table, columns))
    rows = [row for each in assessments for row in _rows(each, table)]
    return data_frame(columns_of(rows, columns[table]), library)


def _rows(assessment: Assessment, table: str) -> Iterator[Record]:
    if table == "assessments":
        yield dict(assessment)
        return
    key = {name: assessment[name] for name in _KEY}
    for field in assessment.result.fields if table == "fields" and assessment.result else ():
        yield {**key, "field": field.name, **{name: getattr(field, name) for name in _FIELDS[len(_KEY) + 1 :]}}
    for trait in assessment.traits if table != "fields" else ():
        if table == "traits" or trait.status is TraitStatus.JUDGED:
            members = {name: getattr(trait, name) for name in _TRAITS[len(_KEY) + 1 :]}
            yield {**key, "trait": trait.name, **members, "status": trait.status.value}


FORMATS = {".csv": "csv", ".xlsx": "workbook", ".html": "HTML", ".md": "Markdown"}
"""The tables that `written` makes, by the extensions of files."""


def form_of(path: str) -> str | None:
    """Return the table that a file has by its extension, None for JSON lines. Raises SettingsError for any other."""
    kind = extension_of(path)
    if kind in (".jsonl", ".ndjson", "") or path == "-":
        return None
    if kind not in FORMATS:
        known = ", ".join((".jsonl", *FORMATS))
        raise SettingsError(f"{path}: results are not written as {kind}: give it one of the extensions {known}")
    return kind


def written(assessments: Iterable[Assessment], kind: str) -> bytes:
    """Return assessments as a table of the kind of one of `FORMATS`; in CSV no text is run as a formula."""
    rows = [[_cell(assessment[name]) for name in COLUMNS] for assessment in assessments]
    if kind == ".csv":
        return encodable(table([COLUMNS, *rows], formulas="escape")).encode()
    if kind == ".xlsx":
        return workbook([Sheet("Assessments", [COLUMNS, *rows])])
    if kind == ".md":
        listed = [
            COLUMNS,
            ["---"] * len(COLUMNS),
            *([line(str(cell)).replace("|", "\\|") for cell in row] for row in rows),
        ]
        return encodable("".join(f"| {' | '.join(row)} |\n" for row in listed)).encode()
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in COLUMNS)
    lines = ("".join(f"<td>{escape(harmless(str(cell)))}</td>" for cell in row) for row in rows)
    body = "\n".join(f"<tr>{cells}</tr>" for cells in lines)
    page = page_of("Assessments", f"<table>\n<tr>{head}</tr>\n{body}\n</table>", style=_CELLS)
    return encodable(page).encode()


def _cell(value: Any) -> str | float:
    if value is None:
        return ""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
