"""Questions out of tables: comma- or tab-separated text (RFC 4180), and Excel workbooks."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from datetime import date, datetime, time
from itertools import chain
from typing import TYPE_CHECKING, Any

from checkpoint_ld.arguments import checked, renamed
from checkpoint_ld.data import library
from checkpoint_ld.documents.files import extension_of, read_bytes, unpacked
from checkpoint_ld.entities import Question
from checkpoint_ld.errors import LookupFailedError, ReadError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Row = Mapping[str | None, Any]

_END = "end"
"""A row after the last one, which is one of its own unless a quotation mark is still open."""
_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_BOMS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_OLD = ".xls"
# What is written in another way than JSON writes a number, such as 007, is a name.
NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
"""What is read as a number."""
_TRUTH = re.compile("true|false", re.IGNORECASE)


@checked
@renamed(path="file_path")
def extract_questions_from_file(  # noqa: PLR0913, PLR0917 - the names and the order are Karenina's
    file_path: str | os.PathLike[str],
    question_column: str,
    answer_column: str,
    sheet_name: str | None = None,
    author_name_column: str | None = None,
    author_email_column: str | None = None,
    author_affiliation_column: str | None = None,
    url_column: str | None = None,
    keywords_columns: Sequence[Mapping[str, str]] | None = None,
    answer_notes_column: str | None = None,
    custom_metadata_columns: Sequence[str] | None = None,
) -> list[Question]:
    """Return the questions in a table: `.csv` (with commas or semicolons), `.tsv`, `.txt` (with tabs) or `.xlsx`.

    The first row names the columns. Texts are stripped, and rows without a question or an answer left out. A column of
    `keywords_columns` is `{"column": …, "separator": …}`, the separator a comma unless given; keywords come sorted,
    each once. The url and `custom_metadata_columns` go into the custom metadata, where numbers, truth values and dates
    stay such (dates as ISO 8601 texts); in a table of text that is for columns that have nothing else. A column that
    is not there is passed over, but for those of question and answer. Workbooks need the extra `openpyxl`; their first
    sheet is read unless `sheet_name` is given.

    Raises SettingsError for another extension, LookupFailedError for a sheet or one of the two columns that is not
    there, SourceMissingError (a FileNotFoundError), and ReadError for a file that is no table.
    """
    rows = table_rows(os.fspath(file_path), sheet_name)
    header = [cell_text(name).strip() for name in next(rows, ())]
    for name in (question_column, answer_column):
        if name not in header:
            raise LookupFailedError(
                f"there is no column {name!r} in {os.fspath(file_path)}: there are {', '.join(header)}"
            )
    # Of several columns with one name the first counts.
    held: list[dict[str | None, Any]] = [
        dict(reversed([*zip(header, map(_stripped, row), strict=False)])) for row in rows
    ]
    customs = custom_metadata_columns or ()
    if extension_of(file_path) in _SEPARATORS:
        _type(held, customs)
    about_author = {"name": author_name_column, "email": author_email_column, "affiliation": author_affiliation_column}
    found = []
    for row in held:
        text, answer, url = (cell_text(row.get(name)) for name in (question_column, answer_column, url_column))
        if text and answer:
            author = {name: cell for name, column in about_author.items() if (cell := cell_text(row.get(column)))}
            custom = {name: _value(row[name]) for name in customs if row.get(name) not in {None, ""}}
            question = Question(
                question=text,
                raw_answer=answer,
                author={"@type": "Person", **author} if author else None,
                keywords=_keywords(row, keywords_columns or ()),
                answer_notes=cell_text(row.get(answer_notes_column)) or None,
                custom_metadata={**({"url": url} if url else {}), **custom} or None,
            )
            found.append(question)
    return found


def _type(rows: list[dict[str | None, Any]], columns: Sequence[str]) -> None:
    """Put numbers, or truth values, in the place of the texts of a column, where all of them are such."""
    for name in columns:
        written = [row for row in rows if row.get(name)]
        if any(all(kind.fullmatch(row[name]) for row in written) for kind in (NUMBER, _TRUTH)):
            for row in written:
                row[name] = json.loads(row[name].lower())


def _keywords(row: Row, columns: Sequence[Mapping[str, str]]) -> list[str]:
    parts = (part for one in columns for part in cell_text(row.get(one["column"])).split(one.get("separator") or ","))
    return sorted({part.strip() for part in parts} - {""})


def table_rows(path: str, sheet: str | None) -> Iterator[list[Any]]:
    """Yield the rows of a table, the header first. Raises what `extract_questions_from_file` raises of a file."""
    extension = extension_of(path)
    if extension == _OLD:
        raise SettingsError(f"{path}: .xls cannot be read; save it as .xlsx or .csv")
    if extension != ".xlsx" and extension not in _SEPARATORS:
        raise SettingsError(f"{path}: give a table as {', '.join(_SEPARATORS)} or .xlsx")
    data, _ = bytes_of(path)
    return iter(
        _workbook_rows(path, data, sheet) if extension == ".xlsx" else _text_rows(path, data, _SEPARATORS[extension])
    )


def bytes_of(path: str) -> tuple[bytes, str]:
    """Return what a file holds, packed or not, and its name. Raises what `read_bytes` and `unpacked` raise."""
    return unpacked(read_bytes(path)[0], path), path


def _text_rows(path: str, data: bytes, separator: str) -> list[list[str]]:
    try:
        text = data.decode(_BOMS.get(data[:2], "utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not UTF-8 at byte {error.start}; save it as UTF-8") from None
    first = text.partition("\n")[0]
    if separator == "," and "," not in first and ";" in first:
        separator = ";"  # as spreadsheets write it where the comma is in numbers
    usual = csv.field_size_limit(len(text) + len(_END))  # the usual limit is below what a long answer takes
    try:
        *rows, end = csv.reader(chain(io.StringIO(text, newline=""), [_END]), delimiter=separator)
    except csv.Error as error:
        raise ReadError(f"{path}: is no table: {error}") from None
    finally:
        csv.field_size_limit(usual)
    if end != [_END]:
        raise ReadError(f"{path}: row {len(rows) + 1} opens a quotation mark and does not close it; close or double it")
    return rows


def _workbook_rows(path: str, data: bytes, sheet: str | None) -> list[list[Any]]:
    openpyxl = library("openpyxl")
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except Exception as error:  # openpyxl raises whatever zipfile, XML and its own checks raise
        raise ReadError(f"{path}: is no workbook: {error}") from error
    try:
        if sheet is not None and sheet not in book.sheetnames:
            names = ", ".join(book.sheetnames)
            raise LookupFailedError(f"there is no sheet {sheet!r} in {path}: there are {names}")
        page = book[book.sheetnames[0] if sheet is None else sheet]
        return [list(row) for row in page.iter_rows(values_only=True)]
    finally:
        book.close()


def _stripped(cell: Any) -> Any:
    return cell.strip() if isinstance(cell, str) else cell


def cell_text(cell: Any) -> str:
    """Return what a cell holds as a text, empty for an empty one."""
    value = _value(cell)
    return "" if value is None else str(value)


def _value(cell: Any) -> Any:
    """Return what JSON has for a cell: whole numbers as such, dates and times in ISO 8601."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, date | time):
        return cell.isoformat()
    return cell if cell is None or isinstance(cell, str | int | float) else str(cell)
