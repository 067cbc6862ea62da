"""Rows of tables and of JSON lines, as `importing` takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark.table_import import bytes_of, table_rows
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import extension_of
from checkpoint_ld.errors import ReadError, SettingsError
from checkpoint_ld.findings import Place
from checkpoint_ld.integrations.formats.importing import Records, Row

if TYPE_CHECKING:
    from collections.abc import Iterable

_LINES = (".jsonl", ".ndjson")


def records(path: str, *, part: str | None = None, split: str | None = None) -> Records:
    """Return the rows of `.csv`, `.tsv`, `.txt` (tabs), `.xlsx`, `.jsonl`, `.ndjson`, or of a list in `.json`.

    `part` is the sheet of a workbook. Raises SettingsError for another extension, ReadError for what is no table.
    """
    if split is not None:
        raise SettingsError(f"{path}: a table has no splits: leave out split")
    extension = extension_of(path)
    if extension in _LINES:
        return _of_objects(_lines(path))
    if extension == ".json":
        value = read_json(*bytes_of(path)).value
        listed = value if isinstance(value, list) else [value]
        return _of_objects(
            (one, f"item {number}", Place(path, f"/{number - 1}")) for number, one in enumerate(listed, 1)
        )
    rows = table_rows(path, part)
    header = [str(name or "").strip() for name in next(rows, ())]
    held = [
        Row(dict(reversed([*zip(header, row, strict=False)])), f"row {number}", Place(path))
        for number, row in enumerate(rows, 2)
        if any(cell not in (None, "") for cell in row)
    ]
    return Records(held, [name for name in dict.fromkeys(header) if name])


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


def _of_objects(objects: Iterable[tuple[Any, str, Place]]) -> Records:
    """Return objects as rows. What stands in `metadata`, as Inspect's samples have it, are columns, too."""
    rows = []
    for value, subject, place in objects:
        if not isinstance(value, dict):
            raise ReadError(f"{place}: {subject} is no object: write one JSON object for each question")
        inner = value.get("metadata")
        values = {**inner, **value} if isinstance(inner, dict) else value
        rows.append(Row({name: one for name, one in values.items() if one is not inner}, subject, place))
    return Records(rows, [*dict.fromkeys(name for row in rows for name in row.values)])
