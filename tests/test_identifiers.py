"""Identifiers of questions, templates and traits, as Karenina and its GUI compute them."""

import codecs
import csv
import io
import json
import sys
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, LookupFailedError, ReadError, SettingsError, SourceMissingError, identifiers
from checkpoint_ld.benchmark.table_import import extract_questions_from_file
from checkpoint_ld.identifiers import gui_key, gui_question_id, question_id, question_object_id, template_id
from checkpoint_ld.identifiers import unique_question_id as unique
from tests.trials import examples

SAME = question_id("Same?")
CLASS = "class A:\n    x: int"


@pytest.mark.parametrize(
    ("compute", "given", "expected"),
    [
        # the text in small letters, cut after fifty characters, and eight digits of its hash
        (question_id, "What is the capital of France?", "urn:uuid:question-what-is-the-capital-of-france-cb0b4aaf"),
        (question_id, "", "urn:uuid:question--d41d8cd9"),
        (question_id, "What is 2+2?", "urn:uuid:question-what-is-2+2-936dbc87"),
        (question_id, 'Quotes "stay", so\tdo tabs', 'urn:uuid:question-quotes-"stay"-so\tdo-tabs-43e91068'),
        (question_id, "İ" * 30, "urn:uuid:question-" + "i̇" * 25 + "-0d75ee2c"),
        # the hash of the exact text
        (question_object_id, "a", "0cc175b9c0f1b6a831c399e269772661"),
        (question_object_id, " ", "7215ee9c7d9dc229d2921a40e899ec5f"),
        # letters and digits of ASCII only, lone surrogates as code units
        (gui_question_id, "What is the capital of France?", "urn:uuid:question-what-is-the-capital-of-france-41620d5c"),
        (gui_question_id, "", "urn:uuid:question--0"),
        (gui_question_id, "What is 2+2?", "urn:uuid:question-what-is-22-4dc98640"),
        (gui_question_id, "🧬 emoji", "urn:uuid:question--emoji-17d7a8ec"),
        (gui_question_id, "a\u00a0\ufeff b", "urn:uuid:question-a-b-95ce2c2"),
        (gui_question_id, "a\u0085b", "urn:uuid:question-ab-17c9e"),
        (gui_question_id, "\ud800", "urn:uuid:question--d800"),
        (identifiers.gui_element_id, "4f1c", "urn:uuid:4f1c"),
        (identifiers.gui_element_id, "urn:uuid:4f1c", "urn:uuid:4f1c"),
        (identifiers.gui_answer_id, "4f1c", "urn:uuid:answer-4f1c"),
        (identifiers.gui_template_id, "4f1c", "urn:uuid:template-4f1c"),
        (identifiers.gui_rating_id, "Very \u00a0 Good\tÉ", "urn:uuid:rating-very-good-é"),
        # the first free suffix
        (lambda taken: unique("Same?", taken), (), SAME),
        (lambda taken: unique("Same?", taken), {SAME}, f"{SAME}-1"),
        (lambda taken: unique("Same?", taken), {SAME, f"{SAME}-1", f"{SAME}-3"}, f"{SAME}-2"),
        # an element without identifier has a key by its index
        (lambda given: gui_key(given, 3), None, "question_3"),
        (lambda given: gui_key(given, 3), "urn:uuid:4f1c", "4f1c"),
        # layout does not change a template, its indentation does; the margin is what all lines share
        *((template_id, blank, "no_template") for blank in (None, "", " \n\t", "\r\n\r\n")),
        (template_id, "class A:\n    x: int\n", template_id(CLASS)),
        (template_id, "\n    class A:\n        x: int   \n\n", template_id(CLASS)),
        (template_id, "\tclass A:\r\n\t    x: int", template_id(CLASS)),
        (template_id, "class A:\r    x: int", template_id(CLASS)),
        (template_id, "  class A:  \n      x: int\t", template_id(CLASS)),
        (template_id, "class A:\n  x: int", question_object_id("class A:\n  x: int")),
        (template_id, "  \ta\n   b", question_object_id("a\n b")),
        (template_id, "    a\r\n\r\n    b", question_object_id("a\n\n    b")),
    ],
)
def test_an_identifier_is_what_karenina_and_its_gui_compute(
    compute: Callable[[Any], str], given: object, expected: str
) -> None:
    assert compute(given) == expected


def test_a_question_id_is_cut_after_fifty_characters_of_the_changed_text() -> None:
    assert question_id("?" * 60 + "a" * 60).rpartition("-")[0] == "urn:uuid:question-" + "a" * 50


@given(st.text(min_size=1).filter(lambda key: not key.startswith("urn:uuid:")))
def test_a_key_comes_back_from_its_element_id(key: str) -> None:
    assert gui_key(identifiers.gui_element_id(key), 0) == key


@given(st.lists(st.sampled_from(["a b", "a  b", "A b", "a?b"]), max_size=12))
def test_ids_given_one_after_the_other_are_all_different(texts: list[str]) -> None:
    taken: list[str] = []
    for text in texts:
        taken.append(unique(text, taken))
    assert len(set(taken)) == len(texts)


@given(st.text())
def test_question_ids_never_need_more_than_their_parts(text: str) -> None:
    found = question_id(text)
    assert found.startswith("urn:uuid:question-")
    assert found.endswith("-" + question_object_id(text)[:8])
    assert len(found) <= len("urn:uuid:question-") + 50 + 1 + 8


@pytest.mark.parametrize(
    ("compute", "file", "name"),
    [
        (question_id, "ids.json", "question_ids"),
        (question_object_id, "ids.json", "question_object_ids"),
        (template_id, "ids.json", "template_ids"),
        (gui_question_id, "gui_ids.json", None),
    ],
)
def test_identifiers_are_those_that_were_observed(
    corpus: Path, compute: Callable[[str], str], file: str, name: str | None
) -> None:
    table = json.loads((corpus / "tables" / file).read_text(encoding="utf-8"))
    rows = table if name is None else table[name]
    assert rows
    assert [compute(text) for text, _ in rows] == [expected for _, expected in rows]


# --- Questions out of tables.


HEADER = ["Question", "Answer", "Author", "Mail", "Of", "Link", "Topics", "More", "Notes", "Level", "Area"]
ROWS = [
    ["Which?", " That. ", "Ada", "a@example.org", "Uni", "https://example.org/", "b, a,b,", "x;y", "mind", "easy", ""],
    ["", "no question", *[""] * 9],
    ["No answer?", " ", *[""] * 9],
    ["Bare?", "Yes", *[""] * 9],
]
OPTIONS: dict[str, Any] = {
    "author_name_column": "Author",
    "author_email_column": "Mail",
    "author_affiliation_column": "Of",
    "url_column": "Link",
    "keywords_columns": [{"column": "Topics"}, {"column": "More", "separator": ";"}],
    "answer_notes_column": "Notes",
    "custom_metadata_columns": ["Level", "Area", "Nothing"],
}


def written(folder: Path, name: str, rows: list[list[str]], encoding: str = "utf-8") -> Path:
    text = io.StringIO()
    csv.writer(text, delimiter="," if name.endswith(".csv") else "\t").writerows(rows)
    path = folder / name
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def workbook(folder: Path, rows: list[list[Any]], sheet: str = "Questions") -> Path:
    openpyxl: Any = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Cover"
    page = book.create_sheet(sheet)
    for row in rows:
        page.append(row)
    book.save(folder / "a.xlsx")
    return folder / "a.xlsx"


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "A.TSV"])
def test_every_column_has_its_place(tmp_path: Path, name: str) -> None:
    full, bare = extract_questions_from_file(written(tmp_path, name, [HEADER, *ROWS]), "Question", "Answer", **OPTIONS)
    assert (full.question, full.raw_answer, full.id) == ("Which?", "That.", question_object_id("Which?"))
    assert full.author == {"@type": "Person", "name": "Ada", "email": "a@example.org", "affiliation": "Uni"}
    assert full.keywords == ["a", "b", "x", "y"]
    assert full.answer_notes == "mind"
    assert full.custom_metadata == {"url": "https://example.org/", "Level": "easy"}
    assert (bare.question, bare.author, bare.keywords, bare.custom_metadata) == ("Bare?", None, [], None)


def test_columns_that_nobody_requested_are_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", [HEADER, *ROWS])
    for options in ({}, {"author_name_column": "No such", "keywords_columns": [{"column": "No such"}]}):
        full = extract_questions_from_file(str(path), "Question", "Answer", **options)[0]  # type: ignore[arg-type]
        assert (full.author, full.keywords, full.answer_notes, full.custom_metadata) == (None, [], None, None)


def test_of_columns_with_one_name_the_first_counts_and_rows_may_be_short(tmp_path: Path) -> None:
    rows = [["Question", "Answer", "Answer"], ["1?", "a", "b", ""], ["2?"], [], ["3?", "d"]]
    found = extract_questions_from_file(written(tmp_path, "a.csv", rows), "Question", "Answer")
    assert [(one.question, one.raw_answer) for one in found] == [("1?", "a"), ("3?", "d")]
    longer = written(tmp_path, "b.csv", [*rows, ["4?", "e", "f", "g"]])
    with pytest.raises(ReadError, match="row 6 has 4 cells, and the header 3; quote a cell"):
        extract_questions_from_file(longer, "Question", "Answer")


def test_workbooks_are_tables_too(tmp_path: Path) -> None:
    path = workbook(tmp_path, [HEADER, *ROWS, ["How many?", 5, *[None] * 8, 2.5], ["Share?", 2.0]])
    with pytest.raises(LookupFailedError, match='no column "Question"'):
        extract_questions_from_file(path, "Question", "Answer")
    full, bare, many, share = extract_questions_from_file(path, "Question", "Answer", "Questions", **OPTIONS)
    assert (full.keywords, bare.question) == (["a", "b", "x", "y"], "Bare?")
    assert (many.raw_answer, many.custom_metadata, share.raw_answer) == ("5", {"Area": 2.5}, "2")
    with pytest.raises(LookupFailedError, match="Cover, Questions"):
        extract_questions_from_file(path, "Question", "Answer", "Sheet1")


def test_numbers_truth_values_and_dates_of_custom_columns_stay_such(tmp_path: Path) -> None:
    header = ["Question", "Answer", "Year", "Share", "Open", "Since", "Code", "Mixed"]
    options: dict[str, Any] = {"custom_metadata_columns": header[2:]}
    texts = [["1?", "5", "2026", "0.5", "TRUE", "2026-01-02", "007", "3"], ["2?", "6", "-1", "2", "", "", "8", "many"]]
    for name in ("a.csv", "a.tsv"):
        found = extract_questions_from_file(written(tmp_path, name, [header, *texts]), "Question", "Answer", **options)
        assert [one.raw_answer for one in found] == ["5", "6"]
        assert [one.custom_metadata for one in found] == [
            {"Year": 2026, "Share": 0.5, "Open": True, "Since": "2026-01-02", "Code": "007", "Mixed": "3"},
            {"Year": -1, "Share": 2, "Code": "8", "Mixed": "many"},
        ]
    moment, day = datetime(2026, 1, 2, 3, 4, 5), date(2026, 1, 2)
    cells: list[list[Any]] = [["1?", 5, 2026, 0.5, False, day, "007", "3"], ["2?", day, -1, 2.0, None, moment, 8, 0]]
    path = workbook(tmp_path, [header, *cells])
    found = extract_questions_from_file(path, "Question", "Answer", "Questions", **options)
    assert [one.raw_answer for one in found] == ["5", "2026-01-02"]
    assert [one.custom_metadata for one in found] == [
        {"Year": 2026, "Share": 0.5, "Open": False, "Since": "2026-01-02", "Code": "007", "Mixed": "3"},
        {"Year": -1, "Share": 2, "Since": "2026-01-02T03:04:05", "Code": 8, "Mixed": 0},
    ]
    benchmark = Benchmark("Tables")
    added = benchmark.add_questions(found)
    assert Benchmark.load(benchmark.to_ntriples().encode())[added[0]].custom_metadata == found[0].custom_metadata


def test_a_mandatory_column_must_be_there(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", [[" Question ", "Reply"], ["Which?", "That"]])
    with pytest.raises(ValueError, match='no column "Answer"; use one of Question, Reply'):
        extract_questions_from_file(path, "Question", "Answer")
    assert len(extract_questions_from_file(path, "Question", "Reply")) == 1
    with pytest.raises(LookupFailedError):
        extract_questions_from_file(written(tmp_path, "empty.csv", []), "Question", "Answer")


def test_files_that_are_no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.xls", "a.ods", "a"):
        with pytest.raises(SettingsError, match=r"\.xlsx"):
            extract_questions_from_file(tmp_path / name, "Question", "Answer")
    for name in ("a.csv", "a.xlsx"):
        with pytest.raises(SourceMissingError):
            extract_questions_from_file(tmp_path / name, "Question", "Answer")
    text = "Question,Answer\nWo?,K\xf6ln\n"
    for data, fault in (
        (text.encode("latin-1"), "is not UTF-8 at byte 21; save it as UTF-8"),
        (text.encode("utf-16")[:-1], "is not UTF-16 at byte 50; save it as UTF-8"),
        ("Question,Answer\nWho?,Ada\n".encode("utf-16-le"), "is UTF-16 without a byte order mark; save it as UTF-8"),
    ):
        (tmp_path / "a.csv").write_bytes(data)
        with pytest.raises(ReadError, match=fault):
            extract_questions_from_file(tmp_path / "a.csv", "Question", "Answer")
    (tmp_path / "a.xlsx").write_bytes(b"PK no workbook")
    pytest.importorskip("openpyxl")
    with pytest.raises(ReadError, match="no workbook"):
        extract_questions_from_file(tmp_path / "a.xlsx", "Question", "Answer")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(SettingsError, match=r"checkpoint-ld\[openpyxl\]"):
        extract_questions_from_file(tmp_path / "a.xlsx", "Question", "Answer")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_what_spreadsheets_write_is_read(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, "a.txt", [["Question", "Answer"], ["Où?", "Köln"]], encoding)
    [found] = extract_questions_from_file(path, "Question", "Answer")
    assert (found.question, found.raw_answer) == ("Où?", "Köln")
    assert path.read_bytes().startswith((codecs.BOM_UTF8, codecs.BOM_UTF16))


def test_semicolons_separate_where_the_header_has_no_comma(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('Question;Answer\r\nWie viel?;"1,5; oder 2"\r\n', encoding="utf-8")
    [found] = extract_questions_from_file(tmp_path / "a.csv", "Question", "Answer")
    assert (found.question, found.raw_answer) == ("Wie viel?", "1,5; oder 2")


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_quotation_mark_that_stays_open_takes_no_rows_away(tmp_path: Path, end: str) -> None:
    (tmp_path / "a.csv").write_text(f'Question,Answer\nOne?,1\nTwo?,"2\nThree?,3{end}', encoding="utf-8")
    with pytest.raises(ReadError, match="row 3 opens a quotation mark"):
        extract_questions_from_file(tmp_path / "a.csv", "Question", "Answer")


def test_a_long_answer_is_read_and_the_limit_of_others_stays(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    path = written(tmp_path, "a.csv", [["Question", "Answer"], ["Which?", "a" * (limit + 1)], ["NA", "nan"]])
    long, other = extract_questions_from_file(path, "Question", "Answer")
    assert len(long.raw_answer) == limit + 1
    assert (other.question, other.raw_answer) == ("NA", "nan")
    assert csv.field_size_limit() == limit


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(str.strip).filter(bool)


@settings(max_examples=examples(40))
@given(asked=st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_the_table_of_a_benchmark_gives_its_questions_back(
    tmp_path_factory: pytest.TempPathFactory, asked: list[tuple[str, str]]
) -> None:
    made = Benchmark("Any")
    for text, answer in asked:
        made.add_question(text, answer)
    path = tmp_path_factory.mktemp("table") / "a.csv"
    made.export_to_file(path)
    found = extract_questions_from_file(path, "Question", "Raw Answer")
    assert [(one.question, one.raw_answer) for one in found] == asked


def test_a_first_line_that_names_the_separator_for_spreadsheets_is_no_row(tmp_path: Path) -> None:
    for line, separator in (("sep=;\r\n", ";"), ("sep=|\n", "|"), ("", ";")):
        path = tmp_path / "questions.csv"
        path.write_text(f"{line}Question{separator}Answer\nWhich, if any?{separator}None\n", encoding="utf-8")
        (question,) = extract_questions_from_file(path, "Question", "Answer")
        assert (question.question, question.raw_answer) == ("Which, if any?", "None")
