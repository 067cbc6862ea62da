"""Questions out of tables and JSON lines: which column is what, what is kept, what is stated about the rest."""

import importlib.util
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld import ImportedBenchmark, export_benchmark, import_benchmark
from checkpoint_ld.benchmark.question_columns import DRAFT_ANSWER
from checkpoint_ld.entities import RegexRubricTrait
from checkpoint_ld.errors import (
    LookupFailedError,
    ReadError,
    SettingsError,
    SourceMissingError,
    TargetExistsError,
    WriteError,
)
from checkpoint_ld.tables import Sheet, workbook
from checkpoint_ld.templates import read_template, spec_of
from tests.formats.benchmarks import made
from tests.trials import examples


def imported(folder: Path, *rows: Any, **settings: Any) -> ImportedBenchmark:
    """Return what is imported from JSON lines."""
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return import_benchmark(file, **settings)


def questions_and_answers(found: ImportedBenchmark) -> list[tuple[str, str]]:
    return [(one.question, one.raw_answer) for one in found.benchmark.questions]


@pytest.mark.parametrize(
    ("row", "question", "answer"),
    [
        ({"question": "Which?", "answer": "Au"}, "Which?", "Au"),
        ({"Question Text": "Which?", "Raw-Answer": " Au "}, "Which?", "Au"),
        ({"input": "Which?", "target": ["Au", "gold"]}, "Which?", "Au"),
        ({"problem": "1 + 1", "solution": 2}, "1 + 1", "2"),
        ({"question": "Is it?", "answer": True}, "Is it?", "true"),
        ({"question": "Who?", "answers": {"text": ["Ada", "A. L."], "answer_start": [0, 4]}}, "Who?", "Ada"),
        ({"question": "Who?", "answer": {"value": "Ada", "aliases": ["A. L."]}}, "Who?", "Ada"),
        ({"question": "Q", "choices": ["x", "y"], "answer": 1}, "Q\n\nA) x\nB) y", "y"),
        ({"input": "Q", "choices": ["x", "y"], "target": "A"}, "Q\n\nA) x\nB) y", "x"),
        (
            {"question": "Q", "choices": {"text": ["x", "y"], "label": ["1", "2"]}, "answerKey": "2"},
            "Q\n\n1) x\n2) y",
            "y",
        ),
        ({"question": "Q", "choices": ["x", "y"], "answer": "1"}, "Q\n\nA) x\nB) y", "y"),
        ({"question": "Q", "choices": ["7", "1"], "answer": "1"}, "Q\n\nA) 7\nB) 1", "1"),
        ({"question": "Q", "choices": ["x", "y"], "answer": 1.0}, "Q\n\nA) x\nB) y", "y"),
        ({"question": "Q", "choices": ["x", "y"], "answer": 0.5}, "Q\n\nA) x\nB) y", "0.5"),
        ({"question": "Q", "choices": ["x", "y"], "answer": "2"}, "Q\n\nA) x\nB) y", "2"),
        ({"question": "Q", "options": {"A": "x", "B": "y", "C": None}, "answer": "B"}, "Q\n\nA) x\nB) y", "y"),
        ({"input": [{"role": "user", "content": "Q"}], "target": "A"}, "Q", "A"),
        ({"input": [{"role": "user", "content": [{"type": "text", "text": "Q"}]}], "target": "A"}, "Q", "A"),
    ],
)
def test_questions_and_answers_are_found_as_others_write_them(
    tmp_path: Path, row: dict[str, Any], question: str, answer: str
) -> None:
    assert questions_and_answers(imported(tmp_path, row)) == [(question, answer)]


@pytest.mark.parametrize("answer", [27, "27", "AB"])
def test_no_choice_is_left_out(tmp_path: Path, answer: int | str) -> None:
    choices = [f"choice {number}" for number in range(30)]
    [(question, chosen)] = questions_and_answers(
        imported(tmp_path, {"question": "Q", "choices": choices, "answer": answer})
    )
    assert question.endswith("\nZ) choice 25\nAA) choice 26\nAB) choice 27\nAC) choice 28\nAD) choice 29")
    assert chosen == "choice 27"


def test_what_has_no_column_of_ours_is_custom_metadata(tmp_path: Path) -> None:
    row = {
        "id": "urn:example:gold",
        "question": "Which?",
        "answer": "Au",
        "keywords": ["metals", "symbols"],
        "author": "Ada",
        "answer_notes": "no notes",
        "finished": True,
        "level": 3,
        "custom.tested": [2024, 2025],
        "metadata": {"area": "chemistry"},
        "empty": None,
    }
    found = imported(tmp_path, row, name="Metals")
    [question] = found.benchmark.get_all_questions()

    assert found.findings == ()
    assert found.benchmark.name == "Metals"
    assert question["id"] == "urn:example:gold"
    assert question["keywords"] == ["metals", "symbols"]
    assert question["author"] == {"@type": "Person", "name": "Ada"}
    assert question["answer_notes"] == "no notes"
    assert question["finished"]
    assert question["custom_metadata"] == {"area": "chemistry", "level": 3, "tested": [2024, 2025]}


PERSON = {"@type": "Person"}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"sources": "https://example.org"}, {"custom_metadata": {"sources": "https://example.org"}}),
        ({"sources": ["an atlas"]}, {"custom_metadata": {"sources": ["an atlas"]}}),
        (
            {"few_shot_examples": [{"q": "1 + 1", "a": 2}]},
            {"custom_metadata": {"few_shot_examples": [{"q": "1 + 1", "a": 2}]}},
        ),
        ({"custom_metadata": '{"level": 1}'}, {"custom_metadata": {"level": 1}}),
        ({"custom_metadata": "easy"}, {"custom_metadata": {"custom_metadata": "easy"}}),
        ({"choices": "A) x B) y"}, {"question": "Q", "custom_metadata": {"choices": "A) x B) y"}}),
        ({"choices": '["x", "y"]'}, {"question": "Q\n\nA) x\nB) y", "custom_metadata": None}),
        ({"author": {"name": "Ada"}}, {"author": {**PERSON, "name": "Ada"}}),
        ({"author": {"name": "Ada"}, "author_email": "a@b.c"}, {"author": {**PERSON, "name": "Ada", "email": "a@b.c"}}),
        ({"author": ["Ada", "Bo"]}, {"author": None, "custom_metadata": {"author": ["Ada", "Bo"]}}),
        ({"keywords": [{"a": 1}, None, 2]}, {"keywords": ["2", '{"a": 1}']}),
        ({"keywords": '["metals", "a; b"]'}, {"keywords": ["a; b", "metals"]}),
        ({"answer_notes": ["a", "b"]}, {"answer_notes": '["a", "b"]'}),
        ({"id": 'urn:uuid:question-"q"\n-1'}, {"id": 'urn:uuid:question-"q"\n-1', "custom_metadata": None}),
        ({"modified": "2026-03-01"}, {"date_created": "2026-03-01", "date_modified": "2026-03-01"}),
    ],
)
def test_a_cell_that_a_question_has_no_place_for_is_custom_metadata(
    tmp_path: Path, row: dict[str, Any], expected: dict[str, Any]
) -> None:
    [question] = imported(tmp_path, {"question": "Q", "answer": "A", **row}).benchmark.get_all_questions()
    assert expected.items() <= question.items()


@pytest.mark.parametrize(
    ("row", "custom"),
    [
        ({"metadata": "easy", "level": "easy"}, {"metadata": "easy", "level": "easy"}),
        ({"metadata": {"target": "B", "input": "R"}}, {"target": "B", "input": "R"}),
        ({"metadata": {"level": 1}, "level": 2}, {"level": 2, "custom.level": 1}),
        ({"custom.level": 1, "level": 2}, {"level": 2, "custom.level": 1}),
        ({"custom_metadata": {"level": 1}, "level": 2}, {"level": 1, "custom.level": 2}),
    ],
)
def test_metadata_of_a_row_take_no_place_of_its_columns(
    tmp_path: Path, row: dict[str, Any], custom: dict[str, Any]
) -> None:
    found = imported(tmp_path, {"question": "Q", "answer": "A", **row}, {"question": "R", "answer": "B"})
    assert questions_and_answers(found) == [("Q", "A"), ("R", "B")]
    assert found.benchmark.questions[0].custom_metadata == custom


def test_the_second_use_of_an_identifier_is_custom_metadata(tmp_path: Path) -> None:
    row = {"id": "urn:example:gold", "question": "Q", "answer": "A"}
    found = imported(tmp_path, row, {**row, "question": "R"}).benchmark
    assert found.get_question_ids() == ["urn:example:gold", "urn:uuid:question-r-e1e1d3d4"]
    assert found.questions[1].custom_metadata == {"id": "urn:example:gold"}


@pytest.mark.parametrize(
    ("rows", "settings", "expected"),
    [
        (
            [{"question": "Q", "answer": "A"}, {"question": "Q"}, {"question": "R", "answer": None}],
            {},
            "line 2: no answer is in the column 'answer', and the question is kept as a draft (as in line 3)",
        ),
        ([{"question": " ", "answer": "A"}, {"question": "Q", "answer": "A"}], {}, "no question is in the column"),
        ([{"question": "Q", "answer": ["A", "B"]}], {}, "of several answers in 'answer' the first counts"),
        (
            [{"input": [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}], "target": "A"}],
            {},
            "only the user's text is kept, not the system's messages",
        ),
        (
            [{"input": [{"role": "user", "content": [{"type": "image"}, "Q"]}], "target": "A"}],
            {},
            "not content other than text",
        ),
        (
            [{"question": "Q", "answer": "A", "level": 1, "area": "x"}],
            {"custom_metadata_columns": ["level"]},
            "the columns area were not requested and are left out",
        ),
    ],
)
def test_what_does_not_fit_is_named(
    tmp_path: Path, rows: list[dict[str, Any]], settings: dict[str, Any], expected: str
) -> None:
    found = imported(tmp_path, *rows, **settings)
    assert len(found.benchmark) == sum(row.get("question") != " " for row in rows)
    [finding] = found.findings
    assert expected in str(finding)


@pytest.mark.parametrize(
    ("name", "content", "settings", "fault"),
    [
        ("nothing.csv", None, {}, (SourceMissingError, "no such file or directory; check the path")),
        ("x.csv", "a,b\n1,2\n", {}, (LookupFailedError, "which column of .* holds the question.* one of a, b")),
        ("x.csv", "question,b\n1,2\n", {}, (LookupFailedError, "which column of .* holds the answer")),
        (
            "x.csv",
            "q,answer\n1,2\n",
            {"question_column": "p"},
            (LookupFailedError, 'no column "p"; use one of q, answer'),
        ),
        ("x.csv", "question,answer\n", {"split": "test"}, (SettingsError, "a table has no splits")),
        (
            "x.csv",
            "question,answer\n",
            {"format": "word"},
            (SettingsError, 'no import format "word"; use .* table, croissant, hugging-face'),
        ),
        ("x.pdf", "%PDF", {}, (SettingsError, r"give a table as \.csv")),
        ("x.jsonl", '{"question": "Q", "answer": "A"}\n{"question"\n', {}, (ReadError, r"x\.jsonl:2 .*is no JSON")),
        ("x.jsonl", '["Q", "A"]\n', {}, (ReadError, r"x\.jsonl:1: line 1 is no object: write one JSON object")),
        ("x.json", '[{"question": "Q", "answer": "A"}, 1]', {}, (ReadError, "item 2 is no object")),
        ("x.jsonl", "", {}, (ReadError, "no questions are in it; give a file with a row for each")),
        ("x.csv", "", {}, (ReadError, "no questions are in it")),
        ("x.csv", "question,answer\n", {}, (ReadError, "no questions are in it")),
        ("x.csv", "question,answer\n,1\n", {}, (ReadError, "row 2: no question is .*left out\n.*no questions are in")),
        (
            "x.csv",
            "question,answer\n1,2 or 3,4\n",
            {},
            (ReadError, "row 2 has 3 cells, and the header 2; quote a cell"),
        ),
        ("x" * 300, None, {}, (SourceMissingError, "file name too long")),
        ("x.zip", "", {}, (SettingsError, "is an archive; unpack it, and give the folder")),
    ],
)
def test_what_cannot_be_read_states_why(
    tmp_path: Path, name: str, content: str | None, settings: dict[str, Any], fault: tuple[type[Exception], str]
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with pytest.raises(fault[0], match=fault[1]):
        import_benchmark(file, **settings)


def test_cells_of_a_workbook_are_what_the_reader_of_its_questions_gives(tmp_path: Path) -> None:
    openpyxl: Any = pytest.importorskip("openpyxl")
    day, file = datetime(2026, 1, 2), tmp_path / "x.xlsx"
    book = openpyxl.Workbook()
    rows = ("question", "answer", day, 2024), ("When?", day, day + timedelta(hours=3), timedelta(hours=30))
    for row in rows:
        book.active.append(row)
    book.save(file)
    columns = ["2026-01-02", "2024"]
    alone = checkpoint_ld.extract_questions_from_file(file, "question", "answer", custom_metadata_columns=columns)
    for [question] in (alone, import_benchmark(file).benchmark.questions):
        assert question.raw_answer == "2026-01-02"
        assert question.custom_metadata == {"2026-01-02": "2026-01-02T03:00:00", "2024": "P1DT6H"}


def test_a_column_without_a_name_of_its_own_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("question,answer,,level,level,\nQ,A,1,2,3,\n", encoding="utf-8")
    read, (finding,) = import_benchmark(file)
    assert read.questions[0].custom_metadata == {"column 3": "1", "level": "2", "level 2": "3"}
    assert 'columns without a name of their own are kept as "column 3", "level 2"' in str(finding)


@pytest.mark.parametrize("kind", ["csv", "records"])
def test_what_was_exported_and_packed_comes_back(tmp_path: Path, kind: str) -> None:
    benchmark = checkpoint_ld.Benchmark("Metals")
    benchmark.add_question("Which?", "Au")
    file = tmp_path / {"csv": "a.csv.gz", "records": "a.jsonl.gz"}[kind]
    export_benchmark(benchmark, file, format=kind)
    [question] = import_benchmark(file).benchmark.questions
    assert (question.question, question.raw_answer) == ("Which?", "Au")


def test_a_table_of_a_benchmark_comes_back(tmp_path: Path) -> None:
    benchmark = checkpoint_ld.Benchmark("Metals")
    benchmark.add_question("Which?", "Au", keywords=["metals", "a, b"], custom_metadata={"level": "easy"})
    file = tmp_path / "metals.csv"
    file.write_text(benchmark.to_csv(extra=["keywords", "custom"]), encoding="utf-8", newline="")

    for columns in (None, [{"column": "Keywords", "separator": ";"}]):
        [question] = import_benchmark(file, keywords_columns=columns).benchmark
        assert (question["id"], question["keywords"]) == (benchmark.get_question_ids()[0], ["a, b", "metals"])
    assert question["custom_metadata"]["level"] == "easy"


@pytest.mark.parametrize("extension", [".xlsx", ".csv"])
def test_a_curation_workbook_gives_one_question_for_each_of_the_benchmark(tmp_path: Path, extension: str) -> None:
    fields = "".join(
        f'    {name}: {kind} = VerifiedField(description="=d", ground_truth={value!r}, verify_with={method}())\n'
        for name, kind, value, method in (("metal", "str", "Au", "ExactMatch"), ("count", "int", 3, "NumericExact"))
    )
    benchmark = checkpoint_ld.Benchmark("Metals")
    for text in ("Which?", "=Who?"):
        benchmark.add_question(text, "Au", f"class Answer(BaseAnswer):\n{fields}", finished=text == "Which?")
    benchmark.add_question("No template?", "Au")
    file = tmp_path / f"curation{extension}"
    benchmark.export_curation_workbook(file)

    read = import_benchmark(file).benchmark
    assert [one.question for one in read.questions] == ["Which?", "=Who?", "No template?"]
    assert read.get_finished_questions(ids_only=True) == read.get_question_ids()[:1]
    for pair in zip(read.questions, benchmark.questions, strict=True):
        texts = [one.answer_template or "" for one in pair]
        specs = [spec_of(read_template(text)) for text in texts]
        assert specs[0] == specs[1]
        assert extension == ".csv" or texts[0] == texts[1]
    columns = ["Field Name", "Reference Value"]
    alone = checkpoint_ld.extract_questions_from_file(
        file, "Question", "Reference Answer", custom_metadata_columns=columns
    )
    assert [one.question for one in alone] == ["Which?", "=Who?", "No template?"]


def test_a_benchmark_that_was_exported_as_json_comes_back_without_its_rubrics(tmp_path: Path) -> None:
    benchmark = checkpoint_ld.Benchmark("Metals", "About metals", "1.2.0")
    template = "class Answer(BaseAnswer):\n    metal: str\n"
    benchmark.add_question("Which?", "Au", template, finished=True, keywords=["a"], custom_metadata={"level": [1, 2.0]})
    benchmark.add_question("Who?", "Ada", finished=False)
    file = tmp_path / "metals.json"
    export_benchmark(benchmark, file)
    read, findings = import_benchmark(file)
    assert findings == ()
    assert (read.name, read.description, read.version) == ("Metals", "About metals", "1.2.0")
    assert read.get_all_questions_as_objects() == benchmark.get_all_questions_as_objects()
    assert read.get_finished_questions(ids_only=True) == benchmark.get_finished_questions(ids_only=True)

    benchmark.set_global_rubric([RegexRubricTrait(name="cites", pattern="x")])
    export_benchmark(benchmark, file, overwrite=True)
    read, (missing,) = import_benchmark(file)
    assert (missing.condition, missing.message, read.question_count) == ("W-LOSS", "its rubrics are not read", 2)


def test_progress_is_read_from_words(tmp_path: Path) -> None:
    benchmark = checkpoint_ld.Benchmark("Metals")
    benchmark.add_question("Which?", "Au", finished=True)
    benchmark.add_question("Who?", "Ada", finished=False)
    file = tmp_path / "metals.csv"
    file.write_text(benchmark.to_csv() + "urn:q:3,What?,Fe,No,perhaps,,,\r\n", encoding="utf-8", newline="")
    read = import_benchmark(file).benchmark
    assert read.get_finished_questions(ids_only=True) == benchmark.get_question_ids()[:1]
    assert (read.questions[2].custom_metadata or {})["Finished"] == "perhaps"


def test_two_rows_of_one_identifier_are_two_questions(tmp_path: Path) -> None:
    row = {"id": "urn:example:1", "question": "Which?", "answer": "Au"}
    ids = imported(tmp_path, row, {**row, "question": "Who?"}, row).benchmark.get_question_ids()
    assert len(set(ids)) == 3


# --- What all folders that others read have in common.


FOLDERS = {"croissant": "mlcroissant", "hugging-face": "datasets", "inspect": "inspect_ai"}
"""The formats that are exported to a folder and read again, with the library that each needs."""


@pytest.fixture(params=FOLDERS)
def folder_format(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if importlib.util.find_spec(FOLDERS[name]) is None:
        pytest.skip(f"{FOLDERS[name]} is not installed: make .venv/.integrations-group")
    return name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of what the libraries import
def test_many_questions_and_a_file_of_the_corpus_come_back(folder_format: str, corpus: Path, tmp_path: Path) -> None:
    largest = max((corpus / "datafeed-ns-v3").glob("*.jsonld"), key=lambda one: one.stat().st_size)
    for name, benchmark in (("many", made(examples(1000))), ("largest", checkpoint_ld.load(largest))):
        export_benchmark(benchmark, tmp_path / name, format=folder_format)
        again = import_benchmark(tmp_path / name).benchmark
        assert again.get_question_ids() == benchmark.get_question_ids()
        assert len(again) > 0


@pytest.mark.filterwarnings("ignore")  # as above
def test_what_cannot_be_exported_states_why(folder_format: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"there are no questions to export to .*: add some"):
        export_benchmark(checkpoint_ld.Benchmark("Empty"), tmp_path / "x", format=folder_format)
    with pytest.raises(SettingsError, match='no export format "word"; use one of csv'):
        export_benchmark(made(1), tmp_path / "x", format="word")
    assert not (tmp_path / "x").exists()
    export_benchmark(made(1), tmp_path / "x", format=folder_format)
    with pytest.raises(TargetExistsError, match="exists already"):
        export_benchmark(made(1), tmp_path / "x", format=folder_format)
    export_benchmark(made(2), tmp_path / "x", format=folder_format, overwrite=True)
    assert len(import_benchmark(tmp_path / "x").benchmark) == 2


def test_formulas_without_a_value_and_errors_are_no_answers(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["question", "answer"], ["One?", "=1+1"], ["Two?", "#N/A"], ["_x0041_ or\nB?", 3]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    benchmark, findings = import_benchmark(tmp_path / "a.xlsx")
    answers = [(each.question, each.raw_answer) for each in benchmark.questions]
    assert answers == [("One?", DRAFT_ANSWER), ("Two?", DRAFT_ANSWER), ("A or\nB?", "3")]
    found = " ".join(map(str, findings))
    assert 'sheet "Sheet", cell B2: its formula was never computed, and it is empty' in found
    assert 'sheet "Sheet", cell B3: has the error #N/A, and is empty' in found


def test_a_text_that_looks_escaped_comes_back_from_a_workbook(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    (tmp_path / "a.xlsx").write_bytes(workbook([Sheet("a", [["question", "answer"], ["_x0041_", "__x000D__x_"]])]))
    [question] = import_benchmark(tmp_path / "a.xlsx").benchmark.questions
    assert (question.question, question.raw_answer) == ("_x0041_", "__x000D__x_")
