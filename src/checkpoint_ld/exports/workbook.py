"""Tables as an Excel workbook (ISO/IEC 29500), through the optional library openpyxl."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint_ld.extras import library

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 32_767
"""How many characters a cell of Excel holds."""

_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WIDEST = 60
_EXACT = 10**15
_MARGIN = 2


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table of a workbook; the first row is its header."""

    title: str
    rows: Sequence[Sequence[str | float]]


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """Return the workbook of these tables.

    Numbers are cells of numbers. Every other cell is text, so that nothing in it is ever run as a formula, and so is a
    number with more digits than Excel keeps (15). What XML cannot hold becomes a replacement character; what is longer
    than a cell ends with an ellipsis. Raises SettingsError where openpyxl is not installed.
    """
    openpyxl = library("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for sheet in sheets:
        page = book.create_sheet(sheet.title)
        for at, row in enumerate(sheet.rows, 1):
            for column, value in enumerate(row, 1):
                cell = page.cell(at, column)
                if isinstance(value, str) or abs(value) > _EXACT:
                    cell.value, cell.data_type = _fit(str(value)), "s"
                else:
                    cell.value = value
        page.freeze_panes = "A2"
        for cells in page.columns:
            longest = max(len(str(cell.value or "")) for cell in cells)
            page.column_dimensions[cells[0].column_letter].width = min(longest, _WIDEST) + _MARGIN
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _fit(text: str) -> str:
    kept = _REFUSED.sub("\N{REPLACEMENT CHARACTER}", text)
    return kept if len(kept) <= LONGEST else f"{kept[: LONGEST - 1]}…"
