"""The table that curators work with."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Benchmark, SettingsError
from checkpoint_ld.entities import TemplateFieldSpec, TemplateSpec
from checkpoint_ld.tables import LONGEST, Sheet, workbook
from tests.benchmark.samples import benchmark

COUNTS = {
    "question_count": 3,
    "field_count": 2,
    "draft_count": 2,
    "finished_count": 1,
    "template_parse_error_count": 1,
}


def test_a_row_for_each_field_and_one_for_a_question_without_any(tmp_path: Path) -> None:
    path = tmp_path / "curation.csv"
    assert benchmark().export_curation_workbook(path) == {"output_path": str(path), **COUNTS}
    header, metal, celsius, broken, blank = csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))
    assert header[:5] == ["Item Number", "Source ID", "Question", "Reference Answer", "Functional Area"]
    assert metal[:8] == ["1", "", "Which metal is liquid?", "Mercury", "chemistry", "", "", "Finished"]
    assert metal[8:] == ["metal", "str", "The metal", "mercury", "ExactMatch(normalize=['lowercase'])", "Parsed"]
    assert celsius[:4] == metal[:4]
    assert celsius[11:13] == ["-38.8", "NumericTolerance(tolerance=0.5, mode='absolute')"]
    assert broken[7:13] == ["Draft", "", "", "", "", ""]
    assert broken[13].startswith("Parse error: ")
    assert blank[13] == "No generated template"


def test_a_template_without_verified_fields_says_so(tmp_path: Path) -> None:
    made = Benchmark("Classic")
    made.add_question("What?", "That", "class Answer(BaseAnswer):\n    a: str\n    def verify(self): return True\n")
    made.export_curation_workbook(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text("utf-8").splitlines()[1].endswith(",No verified fields found")


def test_a_workbook_has_the_table_and_a_summary(tmp_path: Path) -> None:
    openpyxl: Any = pytest.importorskip("openpyxl")
    made, path = benchmark(), tmp_path / "curation.xlsx"
    assert made.export_curation_workbook(str(path)) == {"output_path": str(path), **COUNTS}
    made.export_curation_workbook(tmp_path / "curation.csv")
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Curation Review", "Summary"]
    assert [row[0] for row in book["Curation Review"].values][1:4] == [1, 1, 2]
    rows = [["" if cell is None else str(cell) for cell in row] for row in book["Curation Review"].values]
    assert rows == list(csv.reader(io.StringIO((tmp_path / "curation.csv").read_bytes().decode(), newline="")))
    assert list(book["Summary"].values) == [
        ("Benchmark", "Metals"),
        ("Questions", 3),
        ("Fields", 2),
        ("Drafts", 2),
        ("Finished", 1),
        ("Template Parse Errors", 1),
    ]


def test_numbers_are_numbers_and_truth_values_have_the_names_of_python(tmp_path: Path) -> None:
    openpyxl: Any = pytest.importorskip("openpyxl")
    made = Benchmark("Typed")
    fields = [
        TemplateFieldSpec(name=name, type=kind, description="d", ground_truth=truth, verify_with={"type": primitive})
        for name, kind, truth, primitive in (
            ("liquid", "bool", True, "BooleanMatch"),
            ("melts", "float", -38.8, "NumericExact"),
            ("number", "int", 80, "NumericExact"),
        )
    ]
    custom = {"Complexity": 3, "id": 10**18, "Area": False}
    made.add_question("Which?", "5", TemplateSpec(fields=fields), custom_metadata=custom)
    made.export_curation_workbook(tmp_path / "a.xlsx")
    _, *rows = openpyxl.load_workbook(tmp_path / "a.xlsx")["Curation Review"].values
    assert [row[11] for row in rows] == ["True", -38.8, 80]
    assert [rows[0][at] for at in (0, 1, 3, 4, 6)] == [1, str(10**18), "5", "False", 3]
    made.export_curation_workbook(tmp_path / "a.csv")
    texts = list(csv.reader(io.StringIO((tmp_path / "a.csv").read_bytes().decode(), newline="")))
    assert texts[1:] == [["" if cell is None else str(cell) for cell in row] for row in rows]


def test_a_workbook_runs_nothing_and_holds_what_xml_cannot() -> None:
    openpyxl: Any = pytest.importorskip("openpyxl")
    data = workbook([Sheet("a", [["=1+1", "\x00b\x0b", "c" * (LONGEST + 1), "#N/A"]])])
    cells = openpyxl.load_workbook(io.BytesIO(data))["a"][1]
    assert [cell.data_type for cell in cells] == ["s", "s", "s", "s"]
    assert [cell.value for cell in cells[:2]] == ["=1+1", "\ufffdb\ufffd"]
    assert len(cells[2].value) == LONGEST
    assert cells[2].value.endswith("c…")


def test_another_extension_and_a_missing_library_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match=r"\.xlsx or \.csv"):
        benchmark().export_curation_workbook(tmp_path / "a.ods")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(SettingsError, match=r"checkpoint-ld\[openpyxl\]"):
        benchmark().export_curation_workbook(tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []
