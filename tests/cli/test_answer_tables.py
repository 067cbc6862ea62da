"""Answers in plain tables, several files of them, and results written as tables."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Benchmark, LookupFailedError
from checkpoint_ld.assessment import assess, read_answers
from tests.cli.conftest import Run


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    made = Benchmark("Metals")
    made.import_questions(
        [
            {"question": "Which metal?", "answer": "Mercury", "synonyms": "quicksilver"},
            {"question": "How hot?", "answer": "1064 °C", "tolerance": "1%"},
            {"question": "Is it?", "answer": "yes", "answer type": "yes/no"},
            {"question": "Which gases?", "answer": "helium; neon", "answer type": "list"},
            {"question": "Which state?", "answer": "liquid", "allowed values": "solid; liquid"},
            {"question": "No template?", "answer": "any"},
        ]
    )
    made.save(tmp_path / "metals.jsonld", placeholders=True)
    return tmp_path / "metals.jsonld"


def statuses(benchmark: Path, answers: Path) -> list[str]:
    return [str(one.status) for one in assess(Benchmark.load(benchmark), read_answers(answers))]


def test_a_table_of_answers_is_verified(benchmark: Path, tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    identifier = Benchmark.load(benchmark).get_question_ids()[0]
    file.write_text(
        "question,model,replicate,answer,note\n"
        f"{identifier},a,1,quicksilver,x\nWhich metal?,a,2,gold,\nHow hot?,a,1,1070 °C,\nHow hot?,b,1,1000,\n"
        "How hot?,b,1,about a thousand,\nIs it?,a,1,Yes,\nWhich gases?,a,1,Neon; helium,\n"
        "Which gases?,a,1,neon; helium,\n"
        "Which state?,a,1,LIQUID,\nNo template?,a,1,any,\nNo question?,a,1,any,\n,a,1,any,\nIs it?,a,1,,\n",
        encoding="utf-8",
    )
    expected = "passed failed passed failed failed passed failed passed passed undecided error error error"
    assert statuses(benchmark, file) == expected.split()
    first, *_ = read_answers(file)
    assert (first.model, first.replicate, first.text, first.trace) == ("a", "1", "quicksilver", "quicksilver")
    assert (first.extra, first.place.line) == ({"note": "x"}, 2)


def test_a_workbook_and_columns_of_fields_are_verified(benchmark: Path, tmp_path: Path) -> None:
    openpyxl: Any = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["Question", "Model", "answer.answer"], ["How hot?", "a", 1064], ["How hot?", "a", 3]):
        book.active.append(row)
    book.save(tmp_path / "answers.xlsx")
    assert statuses(benchmark, tmp_path / "answers.xlsx") == ["passed", "failed"]


@pytest.mark.parametrize(("header", "missing"), [("text,answer", "question"), ("question,text", "answer")])
def test_a_table_without_the_columns_is_refused(tmp_path: Path, header: str, missing: str) -> None:
    file = tmp_path / "answers.csv"
    file.write_text(f"{header}\na,b\n", encoding="utf-8")
    with pytest.raises(LookupFailedError, match=f"which column holds the {missing}"):
        next(read_answers(file))


def test_several_files_of_answers_are_verified_together(benchmark: Path, tmp_path: Path, run: Run) -> None:
    table, lines = tmp_path / "a.csv", tmp_path / "b.jsonl"
    table.write_text("question,answer,model\nWhich metal?,Mercury,a\n", encoding="utf-8")
    identifier = Benchmark.load(benchmark).get_question_ids()[0]
    lines.write_text(json.dumps({"question_id": identifier, "answer": {"answer": "gold"}, "model": "b"}), "utf-8")
    done = run(
        "verify", benchmark, "--answers", table, "--answers", lines, "--format", "json", "-o", tmp_path / "o.jsonl"
    )
    assert done.code == 0
    held = json.loads(done.out)
    assert held["answers_file"] == [str(table), str(lines)]
    assert (held["total"]["passed"], held["total"]["failed"]) == (1, 1)
    written = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one["file"] for one in written] == [str(table), str(lines)]


def test_results_are_written_as_their_extension_says(benchmark: Path, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "a.csv"
    file.write_text("question,answer,model\nWhich metal?,=1+1|<b>,a\nHow hot?,1064,b\n", encoding="utf-8")
    for name in ("o.csv", "o.md", "o.html", "o.xlsx"):
        assert run("verify", benchmark, "--answers", file, "-o", tmp_path / name).code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "o.csv").read_bytes().decode(), newline="")))
    assert [(row["model"], row["status"]) for row in rows] == [("a", "failed"), ("b", "passed")]
    assert rows[0]["answer"] == "'=1+1|<b>"
    page = (tmp_path / "o.html").read_text(encoding="utf-8")
    assert "=1+1|&lt;b&gt;" in page
    assert "\\|" in (tmp_path / "o.md").read_text(encoding="utf-8")
    openpyxl: Any = pytest.importorskip("openpyxl")
    cells = [*openpyxl.load_workbook(tmp_path / "o.xlsx").active.values]
    assert [row[cells[0].index("status")] for row in cells] == ["status", "failed", "passed"]
