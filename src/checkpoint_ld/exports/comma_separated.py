"""A benchmark as comma-separated values (RFC 4180), one row to a question."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.mapping.properties import text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from checkpoint_ld.content import BenchmarkContent, QuestionContent

Formulas: TypeAlias = Literal["keep", "escape"]
"""What to do with a text that a spreadsheet would take for a formula."""

COLUMNS = ("Question ID", "Question", "Raw Answer", "Has Template", "Finished", "Author", "Created", "Modified")
EXTRA = ("keywords", "sources", "custom")
"""What may be asked for beside the eight columns."""

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - spreadsheets read these full-width signs as formulas too

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def question_table(content: BenchmarkContent, *, extra: Collection[str] = (), formulas: Formulas = "keep") -> str:
    """Return the table of questions with the columns `COLUMNS`, and after them those asked for.

    `extra`: `keywords` (separated by `; `), `sources` (how many), `custom` (a column for each key). Raises
    SettingsError for anything else.
    """
    from checkpoint_ld.exports.records import custom_keys  # noqa: PLC0415 - tables of answers need no entities

    unknown = [name for name in extra if name not in EXTRA]
    if unknown:
        raise SettingsError(f"there is no extra column {unknown[0]!r}: choose from {', '.join(EXTRA)}")
    keys = custom_keys(content) if "custom" in extra else []
    header = [*COLUMNS, *(name.capitalize() for name in EXTRA[:2] if name in extra), *keys]
    return table([header, *(_row(one, extra, keys) for one in content.questions)], formulas=formulas)


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
    """Return a text with an apostrophe before what a spreadsheet would take for a formula; a mere number is none."""
    return f"'{cell}" if cell.startswith(_STARTS_FORMULA) and not _NUMBER.fullmatch(cell) else cell


def _row(one: QuestionContent, extra: Collection[str], keys: list[str]) -> list[str]:
    from checkpoint_ld.exports.records import flat  # noqa: PLC0415 - as above

    asked = one.question
    row = [one.id, asked.question, asked.raw_answer, _word(one.has_template), _word(one.finished), one.author]
    row += [asked.date_created, asked.date_modified]
    if "keywords" in extra:
        row.append("; ".join(asked.keywords))
    if "sources" in extra:
        row.append(str(len(asked.sources or ())))
    return row + [text_of(flat((asked.custom_metadata or {}).get(key))) for key in keys]


def _word(truth: bool) -> str:
    return "Yes" if truth else "No"
