"""Questions and rubrics from tables: comma- or tab-separated text (RFC 4180), and Excel workbooks.

`extract_questions_from_file` and `import_rubrics` are public; `checkpoint_ld.integrations.formats` reads tables with
`table_rows`.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import zipfile
from dataclasses import replace
from datetime import datetime, time
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from checkpoint_ld.benchmark.content import QuestionNames
from checkpoint_ld.data import library
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import extension_of, read_bytes, unpacked
from checkpoint_ld.documents.values import DEFAULT_LIMITS, too_large
from checkpoint_ld.entities import DynamicRubric, Question, Rubric
from checkpoint_ld.entities.entity import json_value
from checkpoint_ld.errors import CheckpointLdError, LookupFailedError, ReadError, SettingsError
from checkpoint_ld.findings import Place
from checkpoint_ld.host import LONGEST_FIELD, csv_of, without_warnings
from checkpoint_ld.mapping.traits import FAMILIES
from checkpoint_ld.phrases import shown, unknown
from checkpoint_ld.rules import finding
from checkpoint_ld.tables import unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.benchmark.benchmark import Benchmark
    from checkpoint_ld.entities import AnyTrait
    from checkpoint_ld.findings import Finding

    Row = Mapping[str | None, Any]

    Cells = Mapping[str, Any]

    Scope = tuple[str | None, bool]

    """The question whose rubric it is, None for that of the benchmark, and whether it is the dynamic one."""

CURATION_COLUMNS = (
    *("Item Number", "Source ID", "Question", "Reference Answer", "Functional Area", "Subcategory", "Complexity"),
    *("Curation Status", "Field Name", "Field Type", "Judge Instruction", "Reference Value", "Verification Method"),
    "Template Parse Status",
)
"""The columns of the table for curators, which has a row for each verified field of a question."""
FIELD_COLUMNS = CURATION_COLUMNS[CURATION_COLUMNS.index("Field Name") : -1]
TEMPLATE_SHEET, RUBRIC_SHEET = "Templates", "Rubric"
"""Sheets of the workbook for curators: identifiers and templates as they were exported, and the traits."""
TEMPLATE_COLUMNS = ("Item Number", "Question ID", "Answer Template")
HEADERS = 5
"""The header of a table is among so many first rows; titles may be above it."""
_END = "end"
"""A row after the last one, by which an open quotation mark is detected."""
_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_STATED = re.compile(r"sep=(.)\r?", re.IGNORECASE)
"""A first line by which a table of text names its separator to a spreadsheet; it is no row."""
_OLD = ".xls"
COMPUTE = "open the file in a spreadsheet program, and save it, or correct the cell"
"""The remedy for cells that have no value."""
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
"""A character that XML cannot hold, in a text of a workbook (ECMA-376 part 1, §22.9.2.19)."""
# A text such as 007, which is no number in JSON, is a name.
NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
"""The texts that are read as numbers."""
_TRUTH = re.compile("true|false", re.IGNORECASE)


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

    The first row has the names of the columns; a line such as `sep=;` may be above it. Texts are stripped, and rows
    without a question or an answer left out. The rows of one question in a table for curators count as one, whose
    cells about fields are lists. A column of `keywords_columns` is `{"column": …, "separator": …}`; the default
    separator is a comma. Keywords are sorted, without repetitions. The url and `custom_metadata_columns` go into the
    custom metadata, where numbers, truth values and dates keep their types (dates as ISO 8601 texts); in a table of
    text only if the whole column has that type. Missing columns are ignored, except those of question and answer.
    Workbooks need the extra `openpyxl`; their first sheet is read unless `sheet_name` is given.

    Raises SettingsError for another extension, LookupFailedError for a missing sheet or a missing column of question or
    answer, SourceMissingError (a FileNotFoundError), and ReadError for a file that is no table.
    """
    rows = table_rows(os.fspath(file_path), sheet_name)
    header = [cell_text(name).strip() for name in next(rows, ())]
    for name in (question_column, answer_column):
        if name not in header:
            raise LookupFailedError(f"{os.fspath(file_path)}: {unknown('column', name, header)}")
    # Of several columns with the same name the first counts.
    records: list[dict[str | None, Any]] = [
        dict(reversed([*zip(header, (cell.strip() if isinstance(cell, str) else cell for cell in row), strict=False)]))
        for row in rows
    ]
    customs = custom_metadata_columns or ()
    if extension_of(file_path) in _SEPARATORS:
        _type(records, customs)
    about_author = {"name": author_name_column, "email": author_email_column, "affiliation": author_affiliation_column}
    found = []
    for row in records:
        text, answer, url = (cell_text(row.get(name)) for name in (question_column, answer_column, url_column))
        if text and answer:
            author = {name: cell for name, column in about_author.items() if (cell := cell_text(row.get(column)))}
            custom = {name: cell_value(row[name]) for name in customs if row.get(name) not in (None, "")}
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
    """Convert the texts of a column to numbers or truth values, if all of them have that form."""
    for name in columns:
        written = [row for row in rows if row.get(name) and isinstance(row[name], str)]
        if any(all(kind.fullmatch(row[name]) for row in written) for kind in (NUMBER, _TRUTH)):
            for row in written:
                row[name] = json.loads(row[name].lower())


def _keywords(row: Row, columns: Sequence[Mapping[str, str]]) -> list[str]:
    parts = (
        part
        for column in columns
        for part in cell_text(row.get(column["column"])).split(column.get("separator") or ",")
    )
    return sorted({part.strip() for part in parts} - {""})


def table_rows(path: str, sheet: str | None, faults: list[str] | None = None) -> Iterator[list[Any]]:
    """Yield the rows of a table, the header first. Raises as `extract_questions_from_file` does for a file.

    Sentences about cells that are empty, but look as if they had a value, are added to `faults`.
    """
    extension = extension_of(path)
    if extension == _OLD:
        raise SettingsError(f"{path}: .xls cannot be read; save it as .xlsx or .csv")
    if extension != ".xlsx" and extension not in _SEPARATORS:
        raise SettingsError(f"{path}: give a table as {', '.join(_SEPARATORS)} or .xlsx")
    data, _ = bytes_of(path)
    is_book = extension == ".xlsx"
    if is_book:
        rows = workbook_rows(path, data, sheet, [] if faults is None else faults)
    else:
        rows = text_rows(path, data, _SEPARATORS[extension])
    is_curated = bool(rows) and tuple(rows[0][: len(CURATION_COLUMNS)]) == CURATION_COLUMNS
    return iter(_curated(rows, is_escaped=not is_book) if is_curated else rows)


def _curated(rows: list[list[Any]], *, is_escaped: bool) -> list[list[Any]]:
    """Return the table for curators with a row for each question; its cells about several fields are lists."""
    groups: dict[Any, list[list[Any]]] = {}
    for number, row in enumerate(rows):
        cells = [unescaped(cell) if is_escaped and isinstance(cell, str) else cell for cell in row]
        cells += [None] * (len(CURATION_COLUMNS) - len(cells))
        key = (cells[0], *cells[2:4]) if cells[0] not in (None, "") else number
        groups.setdefault(key, []).append(cells)
    first, last = (CURATION_COLUMNS.index(name) for name in ("Field Name", "Verification Method"))
    merged = []
    for group in groups.values():
        row = group[0]
        if len(group) > 1:
            row[first : last + 1] = map(list, zip_longest(*(one[first : last + 1] for one in group)))
        merged.append(row)
    return merged


def bytes_of(path: str) -> tuple[bytes, str]:
    """Return the bytes of a file, unpacked, and its name. Raises as `read_bytes` and `unpacked` do."""
    return unpacked(read_bytes(path)[0], path), path


def text_rows(path: str, data: bytes, separator: str) -> list[list[str]]:
    """Return the rows of separated values, all as texts. Raises ReadError for what is no table."""
    encoding = "UTF-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "UTF-8"
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not {encoding} at byte {error.start}; save it as UTF-8") from None
    if text.count("\0") > len(text) // 4:
        raise ReadError(f"{path}: is UTF-16 without a byte order mark; save it as UTF-8")
    first, _, below = text.partition("\n")
    if stated := _STATED.fullmatch(first):
        text, separator = below, stated[1]
    elif separator == "," and "," not in first and ";" in first:
        separator = ";"  # as spreadsheets write it where the comma is in numbers
    csv = csv_of(LONGEST_FIELD)  # a long answer may exceed the limit of Python's
    try:
        rows: list[list[str]]
        *rows, end = csv.reader(chain(io.StringIO(text, newline=""), [_END]), delimiter=separator)
    except csv.Error as error:
        raise ReadError(f"{path}: is no table: {error}") from None
    if end != [_END]:
        raise ReadError(f"{path}: row {len(rows) + 1} opens a quotation mark and does not close it; close or double it")
    # Of the first rows, those with one cell are titles.
    header = next((row for row in rows[:HEADERS] if sum(1 for cell in row if cell.strip()) > 1), [*rows[:1], []][0])
    for number, row in enumerate(rows, 1):
        if any(map(str.strip, row[len(header) :])):
            message = f"{path}: row {number} has {len(row)} cells, and the header {len(header)}"
            raise ReadError(f"{message}; quote a cell that holds the separator {separator!r}")
    return rows


def workbook_rows(path: str, data: bytes, sheet: str | None, faults: list[str]) -> list[list[Any]]:
    """Return the rows of a sheet, by default the first. Raises as `table_rows` does."""
    openpyxl = library("openpyxl")
    try:
        size = sum(part.file_size for part in zipfile.ZipFile(io.BytesIO(data)).infolist())
        if size > DEFAULT_LIMITS.size:
            raise too_large(size, path, DEFAULT_LIMITS)
        with without_warnings():  # openpyxl warns of parts that it does not read, such as styles
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except (ReadError, MemoryError):
        raise
    except Exception as error:  # openpyxl raises whatever zipfile, XML and its own checks raise
        raise ReadError(f"{path}: is no workbook: {_reason(error)}") from error
    try:
        if sheet is not None and sheet not in book.sheetnames:
            raise LookupFailedError(f"{path}: {unknown('sheet', sheet, book.sheetnames)}")
        if not book.sheetnames:
            raise ReadError(f"{path}: is a workbook without a sheet")
        return _sheet_rows(path, book, book.sheetnames[0] if sheet is None else sheet, faults)
    finally:
        book.close()


_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
"""The rows and columns of a sheet (ECMA-376 part 1, §18.3.1.73)."""
_ROOM = 1_000_000
"""So many empty cells may be between the cells of a sheet, or ten times the number of its cells."""


def _sheet_rows(path: str, book: Any, name: str, faults: list[str]) -> list[list[Any]]:
    """Return the rows of a sheet. The size that the file states is not believed, as writers of streams get it wrong.

    Raises ReadError with the cell where a damaged sheet cannot be read.
    """
    place = f"{path}: sheet {shown(name)}"
    page = book[name]
    if not hasattr(page, "_get_source"):
        raise ReadError(f"{place} is a chart: name a sheet with a table")
    parser: Any = None
    try:
        # openpyxl's own rows are filled up to the size that the file states, or to a single cell that is far out.
        with page._get_source() as source, without_warnings():  # noqa: SLF001 - it has no other way to cells
            parser = library("openpyxl.worksheet._reader", "openpyxl").WorkSheetParser(
                source,
                page._shared_strings,  # noqa: SLF001 - as above
                data_only=True,
                epoch=book.epoch,
                date_formats=book._date_formats,  # noqa: SLF001 - as above
                timedelta_formats=book._timedelta_formats,  # noqa: SLF001 - as above
            )
            parser.parse_cell = _cell_parser(parser.parse_cell, f"sheet {shown(name)}, cell", faults)
            rows = _placed(parser.parse())
            _fill(rows, parser.merged_cells.mergeCell if parser.merged_cells else ())
            return rows
    except MemoryError:
        raise
    except Exception as error:  # as above
        at = ""
        if parser is not None and parser.col_counter:
            letters = library("openpyxl.utils", "openpyxl").get_column_letter(parser.col_counter)
            at = f", at or after cell {letters}{parser.row_counter}"
        message = f"{place}{at} is damaged: {_reason(error)}; open it in a spreadsheet program and save it again"
        raise ReadError(message) from error


def _cell_parser(parse: Callable[[Any], dict[str, Any]], place: str, faults: list[str]) -> Callable[[Any], Any]:
    """Return a function that parses a cell, but an error of a formula is no value, and escaped characters are read."""

    def parse_cell(element: Any) -> dict[str, Any]:
        cell = parse(element)
        if cell["data_type"] == "e":
            faults.append(f"{place} {element.get('r')}: has the error {cell['value']}, and is empty")
            cell["value"] = None
        elif cell["value"] is None and element.get("t") != "str" and any(child.tag.endswith("}f") for child in element):
            faults.append(f"{place} {element.get('r')}: its formula was never computed, and it is empty")
        elif isinstance(cell["value"], str) and "_x" in cell["value"]:
            cell["value"] = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), cell["value"])
        return cell

    return parse_cell


def _placed(parsed: Iterable[tuple[int, list[dict[str, Any]]]]) -> list[list[Any]]:
    """Return the values of cells at their places. Raises ValueError for cells out of their order or of the sheet."""
    rows: list[list[Any]] = []
    filled = empty = 0
    for number, cells in parsed:
        if not len(rows) < number <= _MOST_ROWS:
            raise ValueError("the rows are not in their order, or too many")
        values = {cell["column"]: cell["value"] for cell in cells if cell["value"] is not None}
        width = max(values, default=0)
        if width > _MOST_COLUMNS or min(values, default=1) < 1 or any(cell["row"] != number for cell in cells):
            raise ValueError("a cell stands outside of its row")
        filled, empty = filled + len(values), empty + width - len(values)
        if empty > _ROOM + 10 * filled:
            raise ValueError("its cells lie too far apart")
        rows += [[] for _ in range(number - len(rows) - 1)]
        rows.append([*map(values.get, range(1, width + 1))])
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _fill(rows: list[list[Any]], merged: Iterable[Any]) -> None:
    """Give each of merged cells the value of the first one, as far as the table goes."""
    width = max(map(len, rows), default=0)
    for area in merged:
        if area.min_row > len(rows) or area.min_col > len(rows[area.min_row - 1]):
            continue
        value = rows[area.min_row - 1][area.min_col - 1]
        first, last = area.min_col - 1, min(area.max_col, width)
        for row in rows[area.min_row - 1 : area.max_row]:
            row.extend([None] * (last - len(row)))
            row[first:last] = [value] * (last - first)


def sheets_of(path: str) -> list[str]:
    """Return the names of the sheets of a workbook, none for any other file."""
    if extension_of(path) != ".xlsx":
        return []
    with without_warnings():
        book = library("openpyxl").load_workbook(io.BytesIO(bytes_of(path)[0]), read_only=True)
    try:
        return [*book.sheetnames]
    finally:
        book.close()


def _reason(error: Exception) -> str:
    """Return what an exception of a library says, on one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def cell_text(cell: Any) -> str:
    """Return the value of a cell as a text, empty for an empty one."""
    value = cell_value(cell)
    return "" if value is None else str(value)


def cell_value(cell: Any) -> Any:
    """Return the value of a cell as JSON: whole numbers as such, dates and times in ISO 8601."""
    if isinstance(cell, list):
        return [cell_value(one) for one in cell]
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1 << 53:
        return int(cell)
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    return json_value(cell)


_OTHER_NAMES = {
    "question": "question_id",
    "trait": "name",
    "trait_name": "name",
    "trait_type": "type",
    "min": "min_score",
    "max": "max_score",
    "direction": "higher_is_better",
    "code": "callable_code",
}
"""Other names of columns, in small letters with `_` for spaces."""
_OWN = frozenset(("question_id", "type", "dynamic", "scope"))
_TEXTS = frozenset(
    ("name", "description", "summary", "pattern", "callable_code", "evaluation_mode", "context_mode", "kind")
)
_LISTS = frozenset(("metrics", "tp_instructions", "tn_instructions"))
_WORDS = {"true": True, "yes": True, "false": False, "no": False, "higher": True, "lower": False, "none": None}
_FAMILY_OF_COLUMN = {"pattern": "regex", "callable_code": "callable", "metrics": "metric", "tp_instructions": "metric"}
"""The columns that imply the type of a trait where no column states it."""
_PARTS = re.compile(r"[;\n]")
_KINDS = ("boolean", "score", "literal", "template")
_SETTINGS = frozenset(name for model in FAMILIES.values() for name in model.model_fields)
_NEEDED = frozenset(("callable_code", "pattern"))
"""Members that are set to null if their cell is empty, since the message is then better."""


class _UnfitError(Exception):
    """The reason why a row is left out: the column, if any, the fault, and a remedy."""

    def __init__(self, column: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.column, self.remedy = column, remedy


def import_rubrics(
    self: Benchmark, file_path: str | os.PathLike[str], sheet_name: str | None = None
) -> tuple[Finding, ...]:
    """Add the traits of a table, one in each row, to the rubrics: `.csv`, `.tsv`, `.txt` (with tabs) or `.xlsx`.

    The first row has the names of the columns. `question_id` is the identifier of a question, its text or the MD5 hash
    of its text; a trait without it is global. `type` is llm, regex, callable, metric or agentic, `dynamic` is true for
    a trait of the dynamic rubric. The other columns have the names of fields of traits, such as `name`, `kind`,
    `description`, `min_score` (or `min`), `higher_is_better` (or `direction`: higher, lower, none), `pattern`,
    `classes` (JSON, or `name: description` separated by semicolons or lines). A trait replaces the trait of its name in
    the same rubric; others stay. Code is stored, never run.

    Returns findings about rows that did not fit and were left out, with row and column. Raises LookupFailedError for a
    missing sheet or a missing column `name`, and otherwise as `extract_questions_from_file` does for a file.
    """
    path = os.fspath(file_path)
    faults = list[str]()
    rows = table_rows(path, sheet_name, faults)
    written = [cell_text(cell).strip() for cell in next(rows, ())]
    columns = [_column(name) for name in written]
    if "name" not in columns:
        raise LookupFailedError(f"{path}: {unknown('column', 'name', [*filter(None, written)])}")
    table = _Table(path, dict(reversed([*zip(columns, written, strict=True)])), QuestionNames(self.graph))
    for fault in faults:
        table.note(fault, COMPUTE)
    for number, row in enumerate(rows, 2):
        filled = [(name, cell) for name, cell in zip(columns, row, strict=False) if name and cell_text(cell).strip()]
        if filled:
            table.add(number, filled)
    for (question, is_dynamic), traits in table.traits.items():
        _put(self, question, traits, is_dynamic=is_dynamic)
    return tuple(table.findings)


def _column(name: str) -> str:
    plain = re.sub(r"[\s-]+", "_", name.lower())
    return _OTHER_NAMES.get(plain, plain)


def _put(benchmark: Benchmark, question: str | None, traits: Mapping[str, AnyTrait], *, is_dynamic: bool) -> None:
    """Put traits into a rubric: each replaces the trait of its name, or is added at the end."""
    about = () if question is None else (question,)
    name = f"{'question' if about else 'global'}_{'dynamic_' if is_dynamic else ''}rubric"
    rubric = getattr(benchmark, f"get_{name}")(*about)
    new = dict(traits)
    current = [] if rubric is None else [*rubric.traits()]  # a file may hold two of one name
    kept = [new.pop(trait.name, trait) for trait in current if trait.name in new or trait.name not in traits]
    getattr(benchmark, f"set_{name}")(*about, [*kept, *new.values()])


class _Table:
    """The rows of a table so far: traits by rubric and name, and findings."""

    def __init__(self, path: str, written: Mapping[str, str], names: QuestionNames) -> None:
        self.traits: dict[Scope, dict[str, AnyTrait]] = {}
        self.findings: list[Finding] = []
        self._path, self._written, self._names = path, written, names
        for column, name in written.items():
            if column and column not in _SETTINGS | _OWN:
                message = f"the column {name!r} is no member of a trait and is left out"
                self.note(message, "call it as the field of a trait is called, if it is one")

    def note(self, message: str, remedy: str) -> None:
        """Add a finding about the file."""
        self.findings.append(replace(finding("loss", message, remedy=remedy), place=Place(self._path)))

    def add(self, number: int, filled: Sequence[tuple[str, Any]]) -> None:
        """Add the trait of a row with the `filled` cells, or a finding about it."""
        cells: dict[str, Any] = {}
        for name, cell in filled:
            if cells.setdefault(name, cell) != cell:
                message = f"{self._where(number, name)}: another column has the same member; the first one counts"
                self.note(message, "empty one of both cells")
        try:
            scope = self._scope(cells)
            trait = self._trait(number, cells)
            try:
                (DynamicRubric if scope[1] else Rubric).from_traits([trait])
            except ValidationError as error:
                raise _unfit(error) from None
            if trait.name in self.traits.setdefault(scope, {}):
                message = f"a row above has a trait {trait.name!r} of the same rubric"
                raise _UnfitError("name", message, "keep one of both")
            self.traits[scope][trait.name] = trait
        except _UnfitError as error:
            self.note(f"{self._where(number, error.column)}: {error}, and the row is left out", error.remedy)

    def _where(self, number: int, column: str) -> str:
        return f"row {number}" + (f", column {self._written.get(column, column)!r}" if column else "")

    def _scope(self, cells: Cells) -> Scope:
        name, is_dynamic = cell_text(cells.get("question_id")).strip(), _plain(cells.get("dynamic", False))
        if not isinstance(is_dynamic, bool):
            raise _UnfitError("dynamic", f"{shown(str(is_dynamic))} is no truth value", "write true or false")
        if not name:
            if cell_text(cells.get("scope")).strip().lower().startswith("question"):
                raise _UnfitError("question_id", "the question is not named", "give its identifier or its text")
            return None, is_dynamic
        try:
            return self._names.identifier(name, name), is_dynamic
        except LookupFailedError as error:
            message = str(error).partition(": give")[0]
            remedy = "give the identifier of a question or its text, or nothing for a trait of the whole benchmark"
            raise _UnfitError("question_id", message, remedy) from None

    def _trait(self, number: int, cells: Cells) -> AnyTrait:
        family = _family(cells)
        model = FAMILIES[family]
        settings = {name: _setting(name, cell) for name, cell in cells.items() if name in model.model_fields}
        for name in [name for name in cells if name in _SETTINGS and name not in settings]:
            if not (name == "kind" and cell_text(cells[name]).lower() in {family, *_KINDS}):
                where = self._where(number, name)
                message = f"{where}: a trait of type {family} has no {name}, which is left out"
                self.note(message, "empty the cell, or give the trait another type")
        if "kind" in model.model_fields and settings.get("kind", family) == family:
            ranged = {"min_score", "max_score"} & settings.keys()
            settings["kind"] = "literal" if "classes" in settings else "score" if ranged else "boolean"
        try:
            return model.model_validate({**dict.fromkeys(_NEEDED & model.model_fields.keys()), **settings})
        except ValidationError as error:
            raise _unfit(error) from None


def _family(cells: Cells) -> str:
    """Return the type of a trait, by `type`, or `kind`, or else the cells that are filled."""
    for column in ("type", "kind"):
        stated = cell_text(cells.get(column)).strip().lower()
        if stated in FAMILIES:
            return stated
        if stated and column == "type":
            raise _UnfitError("type", f"{shown(stated)} is no type of trait", f"write one of {', '.join(FAMILIES)}")
    return next((family for column, family in _FAMILY_OF_COLUMN.items() if column in cells), "llm")


def _setting(name: str, cell: Any) -> Any:
    text = cell_text(cell).strip()
    if text.startswith(("[", "{")) and name not in _TEXTS - {"kind"}:
        try:
            return read_json(text.encode()).value
        except (CheckpointLdError, UnicodeEncodeError) as error:
            raise _UnfitError(name, f"{shown(text)} is no JSON", "correct it, or write a part to a line") from error
    if name in _TEXTS:
        return text.lower() if name == "kind" else text
    if name in _LISTS:
        return _parts(text)
    if name == "classes":
        parts = (part.partition(":") for part in _parts(text))
        return {before.strip(): after.strip() for before, _, after in parts}
    return _plain(cell)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in _PARTS.split(text) if part.strip()]


def _plain(cell: Any) -> Any:
    text = cell_text(cell).strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return json.loads(text) if NUMBER.fullmatch(text) else cell


def _unfit(error: ValidationError) -> _UnfitError:
    fault = error.errors()[0]
    column = str(fault["loc"][0]) if fault["loc"] else ""
    message, value = fault["msg"].removeprefix("Value error, "), shown(str(fault.get("input")))
    if fault["type"] == "missing":
        return _UnfitError(column, f"the trait has no {column}", "fill the cell")
    if fault["type"] == "value_error":  # the message has the remedy
        return _UnfitError(column, message, "")
    if column == "higher_is_better":
        return _UnfitError(column, f"{value} is no direction", "write higher, lower or none")
    return _UnfitError(column, f"{value} does not fit: {message[:1].lower()}{message[1:]}", "correct it")
