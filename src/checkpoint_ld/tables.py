"""Tables as comma-separated values (RFC 4180), Excel workbooks (ISO/IEC 29500) and data frames; text in Markdown."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.data import library
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.frames import data_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Formulas: TypeAlias = Literal["keep", "escape"]
"""What to do with a text that a spreadsheet would take for a formula."""

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - spreadsheets read these full-width signs as formulas too

_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


LONGEST = 32_767
"""The most characters in a cell of Excel."""

_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
"""What a workbook would read as an escaped character (ECMA-376 part 1, §22.9.2.19)."""
_WIDEST = 60
_EXACT = 10**15
_MARGIN = 2

_NUMBERED = re.compile(r"^(\d+)([.)])")
_MARKED = re.compile(r"^[-+=]")
_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def table(rows: Iterable[Sequence[str | float]], *, formulas: Formulas = "keep") -> str:
    """Return rows as comma-separated values with CRLF line ends.

    With `formulas="escape"` an apostrophe stands before a text that a spreadsheet would run. Raises SettingsError for
    another word.
    """
    if formulas not in ("keep", "escape"):
        raise SettingsError(f'formulas is {formulas!r}: use "keep" or "escape"')
    written = io.StringIO()
    writer = csv.writer(written)
    for row in rows:
        escapes = formulas == "escape"
        writer.writerow([escaped(cell) if escapes and isinstance(cell, str) else cell for cell in row])
    return written.getvalue()


def escaped(cell: str) -> str:
    """Return a cell, with an apostrophe before it if a spreadsheet would read it as a formula; a number is none.

    A text that looks like such a cell gets one more.
    """
    text = cell.lstrip("'")
    return f"'{cell}" if text.startswith(_STARTS_FORMULA) and not _PLAIN_NUMBER.fullmatch(text) else cell


def unescaped(cell: str) -> str:
    """Return the cell that `escaped` gave an apostrophe, any other as it is."""
    return cell[1:] if cell.startswith("'") and escaped(cell[1:]) == cell else cell


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table of a workbook; the first row is its header."""

    title: str
    rows: Sequence[Sequence[str | float]]


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """Return the workbook of these tables.

    Numbers are cells of numbers. Every other cell is text, so that nothing in it is ever run as a formula, and so is a
    number with more digits than Excel keeps (15). A character that XML cannot hold becomes a replacement character; a
    text that is too long for a cell ends with an ellipsis. Raises SettingsError where openpyxl is not installed.
    """
    openpyxl = library("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for sheet in sheets:
        page = book.create_sheet(sheet.title)
        for number, row in enumerate(sheet.rows, 1):
            for column, value in enumerate(row, 1):
                cell = page.cell(number, column)
                if isinstance(value, str) or abs(value) > _EXACT:
                    text = _ESCAPE.sub("_x005F_", _REFUSED.sub("\N{REPLACEMENT CHARACTER}", str(value)))
                    cell.value = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
                    cell.data_type = "s"
                else:
                    cell.value = value
        page.freeze_panes = "A2"
        for cells in page.columns:
            longest = max(len(str(cell.value or "")) for cell in cells)
            page.column_dimensions[cells[0].column_letter].width = min(longest, _WIDEST) + _MARGIN
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def parquet(columns: dict[str, list[Any]]) -> bytes:
    """Return columns as a table of Apache Parquet (https://parquet.apache.org/docs/file-format/), written by polars.

    Raises SettingsError where polars is not installed.
    """
    written = io.BytesIO()
    data_frame(columns, "polars").write_parquet(written)
    return written.getvalue()


def arrow(columns: dict[str, list[Any]]) -> bytes:
    """Return columns as a file of Apache Arrow (https://arrow.apache.org/docs/format/Columnar.html), as `parquet`."""
    written = io.BytesIO()
    data_frame(columns, "polars").write_ipc(written)
    return written.getvalue()


def line(text: str) -> str:
    """Return a text as one line that Markdown shows as it is; line breaks become spaces."""
    return _escaped(" ".join(part.strip() for part in _BREAK.split(text)).strip())


def paragraphs(text: str) -> str:
    """Return a text that Markdown shows with its line breaks and blank lines."""
    parts = [[_unmarked(piece.strip()) for piece in part.split("\n")] for part in _BREAK.sub("\n", text).split("\n\n")]
    return "\n\n".join("\\\n".join(piece for piece in part if piece) for part in parts if any(part))


def _unmarked(text: str) -> str:
    """Return a line with all markup escaped, also the numbers and signs of lists and headings."""
    return _NUMBERED.sub(r"\1\\\2", _MARKED.sub(lambda mark: f"\\{mark[0]}", _escaped(text)))


def _escaped(text: str) -> str:
    from checkpoint_ld.validation.reports.text import escaped  # noqa: PLC0415 - most who load a file write no Markdown

    return escaped(text)
