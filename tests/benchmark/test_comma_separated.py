"""The CSV of questions: it reads back as it was, and no spreadsheet runs what is in it."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, SettingsError
from checkpoint_ld.tables import escaped, table
from tests.benchmark.samples import BLANK, LIGHT, LIQUID, benchmark
from tests.trials import examples

HEADER = "Question ID,Question,Raw Answer,Has Template,Finished,Author,Created,Modified"

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_eight_columns_in_their_order_with_crlf() -> None:
    written = benchmark().to_csv()
    assert written.startswith(HEADER + "\r\n")
    assert written.count("\n") == written.count("\r\n") == 4
    assert rows(written)[1] == [
        LIQUID,
        "Which metal is liquid?",
        "Mercury",
        "Yes",
        "Yes",
        "Ada Smith",
        "2026-01-01T00:00:00",
        "2026-01-02T00:00:00.123456",
    ]


def test_a_placeholder_is_no_template() -> None:
    told = {row[0]: row[3:5] for row in rows(benchmark().to_csv())[1:]}
    assert told == {LIQUID: ["Yes", "Yes"], LIGHT: ["Yes", "No"], BLANK: ["No", "No"]}


def test_more_columns_on_request() -> None:
    header, first, second, _ = rows(benchmark().to_csv(extra=["custom", "keywords", "sources"]))
    assert header[8:] == ["Keywords", "Sources", "Area", "years"]
    assert first[8:] == ["metals; liquids", "1", "chemistry", "[2024, 2025]"]
    assert second[8:] == ["", "0", "", ""]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"])
def test_formulas_are_escaped_on_request_only(start: str) -> None:
    made = Benchmark("Formulas")
    made.add_question("What?", f"{start}cmd|' /C calc'!A0")
    assert rows(made.to_csv())[1][2] == f"{start}cmd|' /C calc'!A0"
    assert rows(made.to_csv(formulas="escape"))[1][2] == f"'{start}cmd|' /C calc'!A0"


def test_a_number_is_no_formula() -> None:
    for number in ("-38.8", "+1", "-1e-6"):
        assert escaped(number) == number
    for formula in ("-1+2", "-", "+1 ", "-x", "-1e", "-\u0661"):
        assert escaped(formula) == f"'{formula}"


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(SettingsError, match="keywords, sources, custom"):
        benchmark().to_csv(extra=["colour"])
    with pytest.raises(SettingsError, match="keep"):
        benchmark().to_csv(formulas="drop")  # type: ignore[arg-type]


@settings(max_examples=examples(50))
@given(asked=st.lists(st.tuples(texts.filter(str.strip), texts), min_size=1, max_size=4))
def test_csv_and_records_read_back_as_the_questions_were(asked: list[tuple[str, str]]) -> None:
    made = Benchmark("Any")
    ids = [made.add_question(text, answer) for text, answer in asked]
    read = rows(made.to_csv())[1:]
    records = made.to_records()
    expected = [(one, text, answer) for one, (text, answer) in zip(ids, asked, strict=True)]
    assert [tuple(row[:3]) for row in read] == expected
    assert [(one["question_id"], one["question"], one["raw_answer"]) for one in records] == expected


@settings(max_examples=examples(50))
@given(cells=st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5))
def test_an_escaped_cell_starts_no_formula_and_loses_nothing(cells: list[str]) -> None:
    # A row of one empty cell is the one thing that the format cannot tell from no row.
    read = rows(table([[*cells, "end"]], formulas="escape"))[0][:-1]
    for cell, shown in zip(cells, read, strict=True):
        assert shown == escaped(cell)
        assert shown in (cell, f"'{cell}")
        assert not shown.startswith(("=", "@", "\t", "\r", "\n"))
        assert not shown.startswith(("+", "-")) or isinstance(float(shown), float)
