"""The spreadsheet goes round: columns about the answer, drafts, updates, tables for curators, and faulty sheets."""

from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld import Benchmark, import_benchmark, verify
from checkpoint_ld.benchmark.question_columns import DRAFT_ANSWER
from checkpoint_ld.entities import DynamicRubric, LLMRubricTrait, RegexRubricTrait
from checkpoint_ld.tables import Sheet, workbook
from tests.cli.conftest import Run

HEADER = "question,answer,answer type,tolerance,unit,synonyms,allowed values\n"


def sheet(folder: Path, text: str, name: str = "sheet.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def book(folder: Path, *rows: list[Any], merged: tuple[str, ...] = ()) -> Path:
    openpyxl: Any = pytest.importorskip("openpyxl")
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    for area in merged:
        made.active.merge_cells(area)
    made.save(folder / "sheet.xlsx")
    return folder / "sheet.xlsx"


@pytest.mark.parametrize(
    ("cells", "right", "wrong"),
    [
        ("1064 °C,number,1%,,,", 1070, 1080),
        ("1064,number,5,°C,,", 1069, 1070),
        ('"1,064",integer,,,,', 1064, 1065),
        ("24,integer,,,,", 24, 23),
        ("1064,,5,,,", 1060, 1050),
        ("Mercury,text,,,quicksilver; hydrargyrum,", "Quicksilver", "gold"),
        ("Mercury,,,,quicksilver,", "mercury", "not mercury"),
        ("yes,yes/no,,,,", True, False),
        ("liquid,,,,,solid; Liquid; gas", "Liquid", "gas"),
        ("2024-02-29,date,,,,", "2024-02-29", "2024-03-01"),
        ("2024-02-29,date,2 days,,,", "2024-03-02", "2024-03-03"),
        ("helium; neon,list,,,,", ["neon", "helium"], ["neon"]),
    ],
)
def test_columns_about_the_answer_make_a_template_that_its_own_truth_passes(
    tmp_path: Path, cells: str, right: Any, wrong: Any
) -> None:
    benchmark, findings = import_benchmark(sheet(tmp_path, f"{HEADER}Which?,{cells}\n"))
    template = benchmark.questions[0].answer_template
    assert template
    assert verify(template, {"answer": right}).passed is True
    assert verify(template, {"answer": wrong}).passed is False
    assert findings == ()
    assert benchmark.get_finished_questions(ids_only=True)
    assert benchmark.validate()[0]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ("about 3,number,,,,", 'the answer "about 3" is no number'),
        ("3,colour,,,,", '"colour" is no type of answer'),
        ("3.5,integer,,,,", "is no whole number"),
        ("3,number,100%,,,", "a tolerance of 100% lets every answer from 0 on pass"),
        ("0,number,5%,,,", "a tolerance of 5% of 0 is 0"),
        ("3,number,-1,,,", '"-1" is no tolerance'),
        ("3 m,number,,cm,,", 'the answer has the unit "m", and the column "cm"'),
        ("maybe,yes/no,,,,", "is neither yes nor no"),
        ("blue,,,,,solid; liquid", "is none of the allowed values"),
        ("blue,choice,,,,", "a choice needs its allowed values"),
        ("yes,yes/no,5,,,", "an answer of the type bool has no tolerance"),
    ],
)
def test_cells_that_fit_no_template_are_kept_and_named(tmp_path: Path, cells: str, reason: str) -> None:
    benchmark, (finding,) = import_benchmark(sheet(tmp_path, f"{HEADER}Which?,{cells}\n"))
    assert finding.subject == "row 2"
    assert reason in finding.message
    (question,) = benchmark.questions
    assert not question.answer_template
    written = [*(question.custom_metadata or {}).values()]
    assert written == [cell for cell in cells.split(",")[1:] if cell]


def test_a_sheet_updates_by_number_or_text_and_tells_what_changed(tmp_path: Path, run: Run) -> None:
    file, target = tmp_path / "sheet.csv", tmp_path / "metals.jsonld"
    sheet(tmp_path, "id,question,answer,tags,area\n1,Which melts?,gold,a;b,x\n2,Who?,Ada,,\n3,When?,,,\n")
    assert run("import", file, "-o", target).code == 0
    first = checkpoint_ld.load(target)
    assert [question.keywords for question in first.questions] == [["a", "b"], [], []]
    assert [question.raw_answer for question in first.questions] == ["gold", "Ada", DRAFT_ANSWER]
    assert first.get_finished_questions() == []

    before = target.read_bytes()
    done = run("import", file, "--into", target)
    assert "0 questions added, 0 updated, 3 unchanged" in done.err
    assert target.read_bytes() == before

    sheet(tmp_path, "id,question,answer,tags,area\n1,What melts?,gold,a;b,y\n3,When?,1815,,\n4,Where?,London,,\n")
    done = run("import", file, "--into", target, "--keywords", "tags")
    assert done.code == 0
    assert '"Which melts?": question "Which melts?" → "What melts?"' in done.err
    assert '"Which melts?": area "x" → "y"' in done.err
    assert f'"When?": raw answer "{DRAFT_ANSWER}" → "1815"' in done.err
    assert "1 question added, 2 updated, 0 unchanged, 1 not in it and left as they are" in done.err
    changed = checkpoint_ld.load(target)
    assert changed.get_question_ids()[:3] == first.get_question_ids()
    texts = [(question.question, question.raw_answer) for question in changed.questions]
    assert texts == [("What melts?", "gold"), ("Who?", "Ada"), ("When?", "1815"), ("Where?", "London")]


def test_a_draft_that_gets_answer_and_template_is_finished(tmp_path: Path) -> None:
    benchmark = import_benchmark(sheet(tmp_path, "question,answer,answer type\nA?,,\nB?,,\n")).benchmark
    assert benchmark.get_finished_questions() == []
    done = benchmark.import_questions(sheet(tmp_path, "question,answer,answer type\nA?,3,integer\nB?,b,\n"))
    assert benchmark.get_finished_questions(ids_only=True) == benchmark.get_question_ids()[:1]
    assert '"A?": finished false → true' in done.changes


def test_an_empty_cell_takes_nothing_away(tmp_path: Path) -> None:
    benchmark = Benchmark("Metals")
    benchmark.add_question("Which?", "Au", keywords=["a"], custom_metadata={"level": 1}, answer_notes="n")
    done = benchmark.import_questions(sheet(tmp_path, "question,answer,keywords,notes,level\nWhich?,,,,\n"))
    assert (done.added, done.updated, len(done.unchanged)) == ((), (), 1)
    (question,) = benchmark.questions
    assert (question.raw_answer, question.keywords, question.answer_notes) == ("Au", ["a"], "n")


@pytest.mark.parametrize("separator", [",", ";"])
def test_a_named_column_of_keywords_splits_as_the_found_one(tmp_path: Path, run: Run, separator: str) -> None:
    file = sheet(tmp_path, f'question,answer,keywords\nWhich?,Au,"b{separator} a"\n')
    for more in ((), ("--keywords", "keywords")):
        assert run("import", file, "-o", tmp_path / "a.jsonld", "--force", *more).code == 0
        assert checkpoint_ld.load(tmp_path / "a.jsonld").questions[0].keywords == ["a", "b"]


def curated() -> Benchmark:
    benchmark = Benchmark("Metals")
    template = (
        "class Answer(BaseAnswer):\n"
        '    metal: str = VerifiedField(description="d", ground_truth="Au", verify_with=ExactMatch(), weight=2.0)\n'
        '    when: int = VerifiedField(description="w", ground_truth=3, verify_with=NumericExact())\n\n'
        "    class VerificationStrategy:\n"
        '        verify_strategy = AnyOf(conditions=[FieldCheck(field="metal"), FieldCheck(field="when")])\n'
    )
    benchmark.add_question("Which?", "Au", template, custom_metadata={"source_id": 7, "area": "x"})
    benchmark.add_question("Who?", "Ada")
    score = LLMRubricTrait(name="depth", kind="score", description="How deep?", min_score=0, max_score=10)
    classes = LLMRubricTrait(name="tone", kind="literal", classes={"dry": "no words", "rich": "many"})
    benchmark.set_global_rubric(
        [score, classes, RegexRubricTrait(name="cited", pattern=r"\[\d+\]", case_sensitive=False)]
    )
    benchmark.set_global_dynamic_rubric(
        DynamicRubric(llm_traits=[LLMRubricTrait(name="if", kind="boolean", summary="doubt")])
    )
    benchmark.set_question_rubric(benchmark.get_question_ids()[0], [LLMRubricTrait(name="own", kind="boolean")])
    return benchmark


def test_the_workbook_for_curators_goes_round_with_templates_and_rubric(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    benchmark, file = curated(), tmp_path / "curated.xlsx"
    benchmark.export_curation_workbook(file)
    again, findings = import_benchmark(file)
    assert findings == ()
    assert again.get_question_ids() == benchmark.get_question_ids()
    assert again.questions[0].answer_template == benchmark.questions[0].answer_template
    assert again.get_global_rubric() == benchmark.get_global_rubric()
    assert again.get_global_dynamic_rubric() == benchmark.get_global_dynamic_rubric()
    identifier = benchmark.get_question_ids()[0]
    assert again.get_question_rubric(identifier) == benchmark.get_question_rubric(identifier)
    done = benchmark.import_questions(file)
    assert (done.added, done.updated, done.changes) == ((), (), ())


def test_what_curators_edit_is_edited_and_the_rest_of_the_template_stays(tmp_path: Path) -> None:
    openpyxl: Any = pytest.importorskip("openpyxl")
    benchmark, file = curated(), tmp_path / "curated.xlsx"
    benchmark.export_curation_workbook(file)
    opened = openpyxl.load_workbook(file)
    page = opened["Curation Review"]
    columns = {cell.value: cell.column for cell in page[1]}
    page.cell(3, columns["Reference Value"]).value = 5
    page.cell(3, columns["Verification Method"]).value = "NumericTolerance(tolerance=1, mode='absolute')"
    opened.save(file)
    done = benchmark.import_questions(file)
    assert len(done.updated) == 1
    template = benchmark.questions[0].answer_template or ""
    assert "weight=2" in template
    assert "AnyOf" in template
    assert verify(template, {"metal": "gold", "when": 6}).passed is True
    assert verify(template, {"metal": "gold", "when": 7}).passed is False


def test_merged_cells_count_for_each_of_their_rows(tmp_path: Path) -> None:
    rows = (["question", "answer", "area"], ["A?", "a", "metals"], ["B?", "b", None], ["C?", "c", "gases"])
    found = import_benchmark(book(tmp_path, *rows, merged=("C2:C3",))).benchmark
    assert [question.custom_metadata for question in found.questions] == [
        {"area": "metals"},
        {"area": "metals"},
        {"area": "gases"},
    ]


def test_titles_above_the_header_and_a_second_header_are_no_questions(tmp_path: Path) -> None:
    rows = (
        ["Metals, 3rd round"],
        ["question", "answer", "about", None],
        [None, None, "area", "level"],
        ["A?", "a", "x", 1],
        ["B?", 2, "y", "hard"],
    )
    found, findings = import_benchmark(book(tmp_path, *rows, merged=("A1:D1", "C2:D2", "A2:A3", "B2:B3")))
    assert [(one.question, one.raw_answer, one.custom_metadata) for one in found.questions] == [
        ("A?", "a", {"area": "x", "level": 1}),
        ("B?", "2", {"area": "y", "level": "hard"}),
    ]
    assert 'above the header in row 2 stands "Metals, 3rd round"' in str(findings[0])


def test_one_identifier_for_two_questions_is_named_and_both_are_kept(tmp_path: Path) -> None:
    found, (finding,) = import_benchmark(sheet(tmp_path, "id,question,answer\n1,A?,a\n1,B?,b\n2,C?,c\n"))
    assert "row 3: the identifier '1' stands in a row above, too: both questions are kept" in str(finding)
    assert [(one.question, one.custom_metadata) for one in found.questions] == [
        ("A?", {"id": "1"}),
        ("B?", {"id": "1"}),
        ("C?", {"id": "2"}),
    ]


def test_two_questions_of_one_text_stay_two_however_often_they_are_imported(tmp_path: Path) -> None:
    file = sheet(tmp_path, "question,answer\nA?,a\nA?,b\n")
    benchmark = import_benchmark(file).benchmark
    done = benchmark.import_questions(file)
    assert (len(benchmark), len(done.unchanged)) == (2, 2)


def test_a_refused_row_changes_nothing(tmp_path: Path) -> None:
    benchmark = import_benchmark(sheet(tmp_path, "question,answer\nA?,a\n")).benchmark
    before = benchmark.to_ntriples()
    with pytest.raises(checkpoint_ld.WriteError):
        benchmark.import_questions([{"question": "A?", "answer": "b"}, {"question": "B\ud800?", "answer": "b"}])
    assert benchmark.to_ntriples() == before


def test_a_workbook_of_another_program_has_no_sheets_of_ours(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    pytest.importorskip("openpyxl")
    file.write_bytes(workbook([Sheet("Any", [["question", "answer"], ["A?", "a"]])]))
    assert len(import_benchmark(file).benchmark) == 1
