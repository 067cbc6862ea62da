"""Workbooks that lie about their size or are damaged, cells far out, and tables of very many columns."""

import io
import json
import re
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from checkpoint_ld import LookupFailedError, ReadError, import_benchmark

SHEET = "xl/worksheets/sheet1.xml"
ROWS = 5


def workbook(folder: Path, *, far: str | None = None, edit: Callable[[bytes], bytes] | None = None) -> Path:
    """Write a workbook; `far` is one more cell, `edit` damages the sheet."""
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.append(["Question", "Answer", "Level"])
    for number in range(ROWS):
        page.append([f"What {number}?", f"a{number}", number])
    if far is not None:
        page[far] = "far"
    made = io.BytesIO()
    book.save(made)
    file = folder / "book.xlsx"
    with zipfile.ZipFile(made) as read, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for name in read.namelist():
            data = read.read(name)
            written.writestr(name, edit(data) if edit is not None and name == SHEET else data)
    return file


def replaced(pattern: bytes, by: bytes) -> Callable[[bytes], bytes]:
    def edit(data: bytes) -> bytes:
        changed, times = re.subn(pattern, by, data, count=1)
        assert times
        return changed

    return edit


@pytest.mark.parametrize("stated", [b"A1:C3", b"A1", b"A1:XFD1048576"])
def test_the_size_that_a_sheet_states_is_not_believed(tmp_path: Path, stated: bytes) -> None:
    file = workbook(tmp_path, edit=replaced(b'<dimension ref="[^"]*"', b'<dimension ref="' + stated + b'"'))
    found = import_benchmark(file)
    assert len(found.benchmark.get_question_ids()) == ROWS
    assert not found.findings


@pytest.mark.parametrize("cell", ["XFD1048576", "XFD3", "XFD1", "A1048576"])
def test_a_cell_that_is_far_out_takes_little_memory(tmp_path: Path, cell: str) -> None:
    file = workbook(tmp_path, far=cell)
    tracemalloc.start()
    try:
        rows = ROWS + (cell[0] == "A")  # a question without an answer is a draft
        assert len(import_benchmark(file).benchmark.get_question_ids()) == rows
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()


DAMAGES = {
    "no number": replaced(b't="n"><v>1</v>', b't="n"><v>abc</v>'),
    "no truth value": replaced(b't="n"><v>1</v>', b't="b"><v>abc</v>'),
    "no date": replaced(b't="n"><v>1</v>', b't="d"><v>abc</v>'),
    "no text of that number": replaced(b't="n"><v>1</v>', b't="s"><v>99</v>'),
    "no place": replaced(b'r="B3"', b'r="??"'),
    "no row": replaced(b'<row r="3"', b'<row r="x"'),
    "a row twice": replaced(b'<row r="4"', b'<row r="3"'),
    "a row beyond the last": replaced(b'<row r="6"', b'<row r="99999999999"'),
    "no style": replaced(b'<c r="C3"', b'<c r="C3" s="zz"'),
    "cut off": lambda data: data[: len(data) // 2],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_sheet_is_an_error_with_its_name_and_a_cell(tmp_path: Path, damage: str) -> None:
    file = workbook(tmp_path, edit=DAMAGES[damage])
    with pytest.raises(
        ReadError, match=r'book\.xlsx: sheet "Sheet", at or after cell [A-C]\d+ is damaged: .*save it again'
    ):
        import_benchmark(file)


@pytest.mark.parametrize("size", [0, 50, 2000])
def test_half_a_workbook_is_an_error(tmp_path: Path, size: int) -> None:
    file = workbook(tmp_path)
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(ReadError, match=r"book\.xlsx: is no workbook"):
        import_benchmark(file)


def test_a_workbook_that_unpacks_to_too_much_is_refused_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from checkpoint_ld.benchmark import table_import  # noqa: PLC0415 - its limit is lowered
    from checkpoint_ld.documents.values import Limits  # noqa: PLC0415 - as above

    file = workbook(tmp_path)
    monkeypatch.setattr(table_import, "DEFAULT_LIMITS", Limits(size=file.stat().st_size - 1))
    with pytest.raises(ReadError, match="E-SIZE"):
        import_benchmark(file)


def imported(file: Path) -> None:
    """Import a file in a process that is ended where time grows with the square: that would take minutes."""
    program = f"from checkpoint_ld import import_benchmark; import_benchmark({str(file)!r})"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=90)


def table(folder: Path, columns: int) -> Path:
    file = folder / f"{columns}.csv"
    names, cells = (",".join(f"{name}{at}" for at in range(columns)) for name in ("c", ""))
    file.write_text(f"question,answer,{names}\nq,a,{cells}\n", encoding="utf-8")
    return file


def lines(folder: Path, rows: int, *, nested: bool) -> Path:
    """Write as many rows as each has keys, all of which are different."""
    file = folder / f"{rows}.jsonl"
    with file.open("w", encoding="utf-8") as opened:
        for row in range(rows):
            keys = {f"k{row}_{at}": at for at in range(rows)}
            more = {"metadata": keys} if nested else keys
            opened.write(json.dumps({"question": f"q{row}", "answer": "a", **more}) + "\n")
    return file


@pytest.mark.slow
def test_a_table_may_have_200_000_columns(tmp_path: Path) -> None:
    imported(table(tmp_path, 200_000))


@pytest.mark.slow
@pytest.mark.parametrize("nested", [True, False])
def test_each_of_600_rows_may_have_600_keys_of_its_own(tmp_path: Path, nested: bool) -> None:
    imported(lines(tmp_path, 600, nested=nested))


def test_a_message_names_some_of_very_many_columns(tmp_path: Path) -> None:
    with pytest.raises(LookupFailedError, match="4,952 more") as refused:
        import_benchmark(table(tmp_path, 5_000), question_column="zzzz")
    assert len(str(refused.value)) < 2_000
