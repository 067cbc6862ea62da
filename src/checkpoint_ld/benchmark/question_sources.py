"""Sources of questions: tables, workbooks, JSON lines, data frames and mappings, as rows of named cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark.question_columns import CUSTOM, ROLES, Records, Row, lost
from checkpoint_ld.benchmark.table_import import (
    COMPUTE,
    CURATION_COLUMNS,
    HEADERS,
    TEMPLATE_COLUMNS,
    TEMPLATE_SHEET,
    bytes_of,
    cell_text,
    cell_value,
    sheets_of,
    table_rows,
)
from checkpoint_ld.benchmark.table_layouts import usual
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import extension_of
from checkpoint_ld.documents.values import plain
from checkpoint_ld.errors import ReadError, SettingsError, WrongTypeError
from checkpoint_ld.findings import Place
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding

_LINES = (".jsonl", ".ndjson")
_RUBRICS = ("global_rubric", "global_dynamic_rubric", "question_rubric", "question_dynamic_rubric")
"""The members of a benchmark that was exported as JSON, and of its questions, that are not imported."""
_ABOUT = ("name", "description", "version")
"""The texts about such a benchmark that are imported."""


def records(path: str, *, part: str | None = None, split: str | None = None) -> Records:
    """Return the rows of `.csv`, `.tsv`, `.txt` (tabs), `.xlsx`, `.jsonl`, `.ndjson`, or of a list or lines in `.json`.

    `part` is the sheet of a workbook. Raises SettingsError for another extension, ReadError for a file without a table.
    """
    if split is not None:
        raise SettingsError(f"{path}: a table has no splits: leave out split")
    extension = extension_of(path)
    if extension in _LINES or (extension == ".json" and _is_lines(bytes_of(path)[0])):
        return of_objects(_lines(path))
    if extension == ".json":
        value = read_json(*bytes_of(path)).value
        if (
            isinstance(value, dict)
            and isinstance(value.get("metadata"), dict)
            and isinstance(value.get("questions"), list)
        ):
            return _exported(value, path)
        if isinstance(value, dict) and isinstance(value.get("results"), dict) and "evalId" in value:
            value = value["results"].get("results")  # of promptfoo
        listed = value if isinstance(value, list) else [value]
        return of_objects(
            (item, f"item {number}", Place(path, f"/{number - 1}")) for number, item in enumerate(listed, 1)
        )
    faults = list[str]()
    rows = [*table_rows(path, part, faults)]
    names, first, findings = _header(rows, path)
    held = [
        Row({name: cell_value(cell) for name, cell in zip(names, row, strict=False) if name}, f"row {at}", Place(path))
        for at, row in enumerate(rows[first:], first + 1)
        if any(cell not in (None, "") for cell in row)
    ]
    if {*CURATION_COLUMNS} <= {*names} and TEMPLATE_SHEET in sheets_of(path):
        held, names = _identified(held, path), [*names, *TEMPLATE_COLUMNS[1:]]
    findings = [*(lost(fault, Place(path), remedy=COMPUTE) for fault in faults), *findings]
    return Records(held, [*filter(None, names)], findings=tuple(findings))


def _header(rows: list[list[Any]], path: str) -> tuple[list[str], int, list[Finding]]:
    """Return the names of the columns of a table, the place of the first row below them, and findings about them.

    The header is the first row with names for question and answer, else the first row; titles may stand above it, and
    below it a second row with the names of the columns of a group.
    """
    texts = [[cell_text(cell).strip() for cell in row] for row in rows[: HEADERS + 1]]
    roles = [[ROLES.get(usual(name)) for name in row] for row in texts]
    at = next((at for at, row in enumerate(roles[:HEADERS]) if {"question", "answer"} <= {*row}), 0)
    findings = []
    above = [text for row in texts[:at] for text in dict.fromkeys(filter(None, row))]
    if above:
        message = f"above the header in row {at + 1} stands {shown(' / '.join(above))}, which is no question"
        findings.append(lost(message, Place(path), remedy="give the benchmark a name or a description, if it is one"))
    names = texts[at] if texts else []
    below = texts[at + 1] if at + 1 < len(texts) else []
    names = names + [""] * (len(below) - len(names)) if _is_second(names, roles[at] if roles else [], below) else names
    if _is_second(names, roles[at] if roles else [], below):
        parts = zip_longest(names, below, fillvalue="")
        names = [
            second
            if second and second != name and (not name or names.count(name) > 1)
            else f"{name} {second}"
            if second and second != name
            else name
            for name, second in parts
        ]
        at += 1
    used = {column for row in rows[at + 1 :] for column, cell in enumerate(row) if cell not in (None, "")}
    names += [""] * (max(used, default=-1) + 1 - len(names))
    seen = set[str]()
    kept = list[str]()
    for column, name in enumerate(names):
        own = name or (f"column {column + 1}" if column in used else "")
        number = 2
        while own and own in seen:
            own, number = f"{name or f'column {column + 1}'} {number}", number + 1
        if own != name and column in used:
            kept.append(own)
        seen.add(own)
        names[column] = own
    if kept:
        message = f"columns without a name of their own are kept as {', '.join(map(shown, kept))}"
        findings.append(lost(message, Place(path), remedy="give each column a name of its own in the header"))
    return names, at + 1, findings


def _is_second(names: list[str], roles: list[str | None], below: list[str]) -> bool:
    """Return whether a row below a header names the columns of groups: it has no question, and stands under groups."""
    filled = [column for column, text in enumerate(below) if text and names[column : column + 1] != [text]]
    of_question = [column for column, role in enumerate(roles) if role in ("question", "answer")]
    counts = Counter(names)
    is_group = [not "".join(names[column : column + 1]) or counts[names[column]] > 1 for column in filled]
    return bool(filled) and not {*filled} & {*of_question} and all(is_group)


def _identified(rows: list[Row], path: str) -> list[Row]:
    """Return the rows of a table for curators with the identifiers and templates of its sheet about them."""
    _, *listed = table_rows(path, TEMPLATE_SHEET)
    known = {cell_text(row[0]): row[1:] for row in listed if len(row) == len(TEMPLATE_COLUMNS)}
    number = TEMPLATE_COLUMNS[0]
    return [
        replace(
            row,
            values={
                **row.values,
                **dict(zip(TEMPLATE_COLUMNS[1:], known.get(cell_text(row.values.get(number)), ()), strict=False)),
            },
        )
        for row in rows
    ]


def of_mappings(source: Any) -> Records:
    """Return the rows of a data frame of pandas or polars, or mappings. Raises WrongTypeError for anything else."""
    if hasattr(source, "to_dicts"):
        source = source.to_dicts()
    elif hasattr(source, "to_dict") and hasattr(source, "columns"):
        named = source.reset_index() if source.index.name is not None else source
        source = named.to_dict("records")
    rows = [*source] if isinstance(source, Iterable) and not isinstance(source, str | bytes) else [source]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            message = f"item {number} is {type(row).__name__}, and no row: give a data frame, or mappings by columns"
            raise WrongTypeError(message)
    values = [{str(name): cell_value(plain(cell, is_cell=True)) for name, cell in row.items()} for row in rows]
    return of_objects((row, f"row {number}", Place()) for number, row in enumerate(values, 1))


def _exported(value: dict[str, Any], path: str) -> Records:
    """Return the questions of a benchmark that was exported as JSON, without its rubrics."""
    questions = [one if isinstance(one, dict) else {} for one in value["questions"]]
    rubrics = [*map(value.get, _RUBRICS), *(one.get(name) for one in questions for name in _RUBRICS)]
    rows = of_objects(
        (
            {name: cell for name, cell in one.items() if name not in _RUBRICS},
            f"item {at + 1}",
            Place(path, f"/questions/{at}"),
        )
        for at, one in enumerate(questions)
    )
    about = {name: text for name in _ABOUT if isinstance(text := value["metadata"].get(name), str) and text}
    missing = lost("its rubrics are not read", Place(path), remedy="export the benchmark as .jsonld to keep them")
    return replace(rows, about=about, findings=(missing,) if any(rubrics) else ())


def _lines(path: str) -> Iterable[tuple[Any, str, Place]]:
    data, _ = bytes_of(path)
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                value = read_json(line).value
            except ReadError as error:
                fault = error.findings[0]
                raise ReadError(f"{Place(path, line=number)} line {number} is no JSON: {fault.message}") from None
            yield value, f"line {number}", Place(path, line=number)


def _is_lines(data: bytes) -> bool:
    """Return whether a text holds JSON lines: its first line is an object, and more follows."""
    first, _, others = data.partition(b"\n")
    with suppress(ReadError):
        return bool(others.strip()) and isinstance(read_json(first).value, dict)
    return False


def of_objects(objects: Iterable[tuple[Any, str, Place]]) -> Records:
    """Return objects as rows. The members of `metadata`, as Inspect's samples have it, are columns, too.

    Metadata are custom metadata where the objects have a column of the same name or use: a sample's target is its
    answer, whatever its metadata call so.
    """
    held = []
    for value, subject, place in objects:
        if not isinstance(value, dict):
            raise ReadError(f"{place}: {subject} is no object: write one JSON object for each question")
        own, inner = value, value.get("metadata")
        if isinstance(inner, dict):
            own = {name: cell for name, cell in value.items() if name != "metadata"}
        held.append((own, inner if isinstance(inner, dict) else {}, subject, place))
    names = {name for own, *_ in held for name in own}
    taken = {ROLES.get(usual(name)) for name in names} - {None}
    rows = [
        Row(
            own
            | {
                f"{CUSTOM}{name}" if name in names or ROLES.get(usual(name)) in taken else name: cell
                for name, cell in inner.items()
            },
            subject,
            place,
        )
        for own, inner, subject, place in held
    ]
    return Records(rows, [*dict.fromkeys(name for row in rows for name in row.values)])
