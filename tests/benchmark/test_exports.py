"""Exports: records, comma-separated values, Markdown, plain JSON, data frames, files, and the table for curators."""

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from checkpoint_ld import Benchmark, SettingsError, WriteError
from checkpoint_ld.entities import RegexRubricTrait, Rubric, TemplateFieldSpec, TemplateSpec
from checkpoint_ld.errors import TargetExistsError
from checkpoint_ld.tables import LONGEST, Sheet, escaped, table, unescaped, workbook
from tests.benchmark.samples import BLANK, LIGHT, LIQUID, VERIFIED, benchmark, load, question, tree
from tests.documents import canonical, rating, scenario
from tests.trials import examples


def test_a_record_states_the_columns_of_the_table_and_more() -> None:
    first, second, third = benchmark().to_records()
    assert first == {
        "question_id": LIQUID,
        "question": "Which metal is liquid?",
        "raw_answer": "Mercury",
        "has_template": True,
        "finished": True,
        "author": "Ada Smith",
        "created": "2026-01-01T00:00:00",
        "modified": "2026-01-02T00:00:00.123456",
        "keywords": ["metals", "liquids"],
        "has_rubric": True,
        "template_mode": "verified",
        "verified_field_count": 2,
        "custom.Area": "chemistry",
        "custom.years": "[2024, 2025]",
    }
    assert (second["template_mode"], second["has_template"], second["custom.Area"]) == ("syntax-error", True, None)
    assert (third["template_mode"], third["has_template"], third["finished"]) == ("placeholder", False, False)
    assert first.keys() == second.keys() == third.keys()


def test_a_record_for_each_verified_field_none_for_a_broken_template() -> None:
    metal, celsius = benchmark().fields_records()
    assert (metal["question_id"], metal["field_name"], metal["field_type"]) == (LIQUID, "metal", "str")
    assert (metal["primitive"], metal["ground_truth"], metal["weight"]) == ("ExactMatch", "mercury", 1.0)
    assert (celsius["ground_truth"], celsius["weight"], celsius["is_trace"]) == (-38.8, 2.0, False)
    assert json.loads(celsius["parameters"]) == {"tolerance": 0.5, "mode": "absolute"}


def test_a_record_for_each_trait_of_all_kinds_dynamic_ones_too() -> None:
    found = benchmark().traits_records()
    assert [(one["scope"], one["question_id"], one["type"], one["name"], one["dynamic"]) for one in found] == [
        ("global", None, "llm", "depth", False),
        ("global", None, "regex", "tone", False),
        ("global", None, "regex", "cites", True),
        ("question", LIQUID, "llm", "certainty", False),
        ("question", LIQUID, "regex", "cites", False),
    ]
    depth, tone = found[:2]
    assert (depth["kind"], depth["min"], depth["max"]) == ("score", 0, 1)
    assert (tone["kind"], tone["min"], tone["max"]) == ("boolean", None, None)
    assert tone["description"] == "names its sources"


def test_an_empty_benchmark_has_no_records() -> None:
    empty = Benchmark("Nothing")
    assert empty.to_records() == empty.fields_records() == empty.traits_records() == []


def test_an_own_column_of_custom_metadata_cannot_hide_another() -> None:
    [record] = load(canonical(question("One?", LIGHT, None, custom_question="mine"))).to_records()
    assert (record["question"], record["custom.question"]) == ("One?", "mine")


def test_a_missing_author_and_missing_metadata_are_empty() -> None:
    record = next(one for one in benchmark().to_records() if one["question_id"] == BLANK)
    assert (record["author"], record["custom.years"], record["keywords"]) == ("", None, [])


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
    held = {row[0]: row[3:5] for row in rows(benchmark().to_csv())[1:]}
    assert held == {LIQUID: ["Yes", "Yes"], LIGHT: ["Yes", "No"], BLANK: ["No", "No"]}


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


@pytest.mark.parametrize("cell", ["=1", "'=1", "''=1", "'-5", "-5", "'a", "'"])
def test_an_escaped_cell_can_be_read_back(cell: str) -> None:
    assert unescaped(escaped(cell)) == cell


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


HOSTILE = st.text(
    st.one_of(st.sampled_from("\n #*_`-+=>|~[]()!<>&\\1.:/\"'$@"), st.characters(categories=["L", "N", "P"])),
    min_size=1,
    max_size=40,
).filter(str.strip)


def shown(token: Token) -> str:
    """Return the text that a reader sees of an inline token."""
    parts = []
    for child in token.children or ():
        if child.type in ("text", "text_special"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        else:
            assert child.type in ("strong_open", "strong_close", "html_inline"), child.type
            assert child.type != "html_inline" or child.content == "<!-- -->"
    return "".join(parts)


def headings(text: str) -> list[str]:
    tokens = MarkdownIt().parse(text)
    return [shown(tokens[at + 1]) for at, token in enumerate(tokens) if token.type == "heading_open"]


def test_metadata_counts_traits_and_questions() -> None:
    lines = benchmark().to_markdown().splitlines()
    assert lines[:3] == ["# Metals", "", "Metals and their properties"]
    for expected in (
        "- **Version:** 0.2.0",
        "- **Creator:** A. Smith",
        "- **Questions:** 3",
        "- **Finished:** 1",
        "- **Progress:** 33.3%",
        "- **Has Templates:** 2",
        "### 1. Which metal is liquid?",
        "**Expected Answer:** Mercury",
    ):
        assert expected in lines
    assert [line for line in lines if line.startswith("**Status:**")] == [
        "**Status:** ✅ finished | **Template:** 📝 present",
        "**Status:** ❌ not finished | **Template:** 📝 present",
        "**Status:** ❌ not finished | **Template:** ❌ missing",
    ]


def test_traits_of_all_kinds_are_listed_in_their_place() -> None:
    written = benchmark().to_markdown()
    overall, _, rest = written.partition("## Questions")
    assert "- **depth** (llm, score): names its sources" in overall
    assert "- **tone** (regex, boolean): names its sources" in overall
    assert "- **cites** (dynamic regex, boolean): names its sources" in overall
    assert "- **certainty** (llm, score): names its sources" in rest


def test_an_empty_benchmark_has_neither_rubric_nor_questions() -> None:
    assert headings(Benchmark("Nothing").to_markdown()) == ["Nothing", "Metadata", "Statistics"]


def test_scenarios_are_listed_by_name() -> None:
    made = scenario()
    made["hasPart"][0]["description"] = "asks *twice*"
    lines = load(made).to_markdown().splitlines()
    assert lines[lines.index("## Scenarios") + 2 :] == ["- **retry**: asks \\*twice\\*"]


@settings(max_examples=examples(60))
@given(name=HOSTILE, text=HOSTILE, answer=HOSTILE)
def test_hostile_texts_are_shown_as_they_are(name: str, text: str, answer: str) -> None:
    made = Benchmark(name)
    made.add_question(text, answer)
    written = made.to_markdown()
    one_line = [" ".join(part.strip() for part in held.split("\n")).strip() for held in (name, text)]
    found = headings(written)
    assert [found[0], found[-1]] == [one_line[0], f"1. {one_line[1]}".strip()]
    assert len(found) == 5

    tokens = MarkdownIt().parse(written.rpartition("**Expected Answer:**")[2])
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    seen = [part for token in tokens if token.type == "inline" for part in shown(token).split("\n")]
    assert [part for part in seen if part] == [part.strip() for part in answer.split("\n") if part.strip()]


def test_everything_is_json_traits_and_state_included() -> None:
    document = json.loads(json.dumps(benchmark().to_dict()))
    assert document["metadata"] == {
        "name": "Metals",
        "description": "Metals and their properties",
        "version": "0.2.0",
        "creator": "A. Smith",
        "created_at": "2026-01-01T00:00:00",
        "modified_at": "2026-01-02T00:00:00",
    }
    assert document["statistics"] == benchmark().get_summary()
    assert [(one["id"], one["finished"]) for one in document["questions"]] == [
        (LIQUID, True),
        (LIGHT, False),
        (BLANK, False),
    ]
    first = document["questions"][0]
    assert first["custom_metadata"] == {"Area": "chemistry", "years": [2024, 2025]}
    assert Rubric.model_validate(first["question_rubric"]).get_trait_names() == ["certainty", "cites"]
    assert Rubric.model_validate(document["global_rubric"]).get_trait_names() == ["depth", "tone"]
    assert [one["name"] for one in document["global_dynamic_rubric"]["regex_traits"]] == ["cites"]


def test_what_is_reported_of_a_question_is_what_get_question_shows() -> None:
    made = benchmark()
    [first, *_] = made.to_dict()["questions"]
    held = made.get_question(LIQUID)
    plain = held.keys() - {"question_rubric", "question_dynamic_rubric", "keywords"}
    assert {name: first[name] for name in plain} == {name: held[name] for name in plain}


def test_keys_of_services_are_masked() -> None:
    secretive = tree()
    agentic = rating("checked", "Global", kind="boolean", model_override={"api_key": "abc-123", "model_name": "m"})
    agentic["additionalType"] = "karenina:GlobalAgenticRubricTrait"
    secretive["rating"].append(agentic)
    written = json.dumps(load(secretive).to_dict())
    assert "abc-123" not in written
    assert '"model_name": "m"' in written


@pytest.mark.slow
def test_pandas_has_a_row_for_each_record_and_keeps_types() -> None:
    pytest.importorskip("pandas")
    made = benchmark()
    frame: Any = made.to_dataframe()
    assert list(frame.columns) == list(made.to_records()[0])
    assert frame["question"].tolist() == [one["question"] for one in made.to_records()]
    assert frame["finished"].sum() == 1
    assert made.to_dataframe("traits")["max"].dropna().tolist() == [1, 1]
    assert made.to_dataframe("fields")["weight"].mean() == 1.5


def test_polars_has_the_same() -> None:
    pytest.importorskip("polars")
    made = benchmark()
    assert made.to_dataframe(library="polars").to_dicts() == made.to_records()
    assert made.to_dataframe("traits", library="polars").to_dicts() == made.traits_records()


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("table", ["questions", "fields", "traits"])
def test_a_table_without_rows_has_its_columns(table: Any, library: Any) -> None:
    pytest.importorskip(library)
    empty, plain = Benchmark("Nothing"), load(canonical(question("One?", LIQUID, VERIFIED)))
    plain.add_global_rubric_trait(RegexRubricTrait(name="cites", pattern="x"))
    columns = list(empty.to_dataframe(table, library=library).columns)
    assert columns == list(plain.to_dataframe(table, library=library).columns) != []


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_no_value_of_a_column_with_several_types_is_changed(library: Any) -> None:
    pytest.importorskip(library)
    held = Benchmark("Mixed")
    for number, (flag, size) in enumerate([(True, 2**53 + 1), (5, 1.5), (None, 0)]):
        held.add_question(f"{number}?", "a", custom_metadata={"flag": flag, "size": size})
    frame = held.to_dataframe(library=library)
    flags, sizes = (list(frame[f"custom.{name}"])[:2] for name in ("flag", "size"))
    assert [str(flag).lower() for flag in flags] == ["true", "5"]
    assert list(map(str, sizes)) == [str(2**53 + 1), "1.5"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_one_key_may_have_values_of_several_types(library: Any) -> None:
    pytest.importorskip(library)
    made = load(canonical(question("1?", LIQUID, custom_a=1), question("2?", LIGHT, custom_a="two")))
    held = made.to_dataframe(library=library)["custom.a"]
    assert [str(one) for one in held] == ["1", "two"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, library: Any) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(SettingsError, match=rf"checkpoint-ld\[{library}\]"):
        benchmark().to_dataframe(library=library)


def test_other_tables_and_libraries_are_refused() -> None:
    with pytest.raises(SettingsError, match="questions, fields, traits"):
        benchmark().to_dataframe("answers")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="polars"):
        benchmark().to_dataframe(library="arrow")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a.json", "a", "A.JSON", "a-1.0"])
def test_what_has_no_extension_of_its_own_is_json(tmp_path: Path, name: str) -> None:
    made = benchmark()
    made.export_to_file(tmp_path / name)
    assert json.loads((tmp_path / name).read_bytes()) == json.loads(json.dumps(made.to_dict()))


def test_the_extension_shows_the_format(tmp_path: Path) -> None:
    made = benchmark()
    for name in ("a.csv", "a.md", "a.Markdown", "a.jsonld"):
        made.export_to_file(tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes().decode() == made.to_csv()
    assert (tmp_path / "a.md").read_text("utf-8") == (tmp_path / "a.Markdown").read_text("utf-8") == made.to_markdown()
    assert Benchmark.load(tmp_path / "a.jsonld") == made


def test_records_are_lines_of_json_and_a_table_of_parquet(tmp_path: Path) -> None:
    polars: Any = pytest.importorskip("polars")
    made = benchmark()
    for name in ("a.jsonl", "a.ndjson", "a.parquet"):
        made.export_to_file(tmp_path / name)
    lines = (tmp_path / "a.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(one) for one in lines] == made.to_records()
    assert (tmp_path / "a.ndjson").read_text("utf-8").splitlines() == lines
    assert polars.read_parquet(tmp_path / "a.parquet").to_dicts() == made.to_records()


def test_a_number_of_more_than_64_bits_is_text_where_a_table_has_no_room_for_it(tmp_path: Path) -> None:
    polars: Any = pytest.importorskip("polars")
    made = Benchmark("Numbers")
    for value in (2**70, None, True):
        made.add_question("How many?", "Many", custom_metadata={"count": value})
    made.export_to_file(tmp_path / "a.parquet")
    assert polars.read_parquet(tmp_path / "a.parquet")["custom.count"].to_list() == [str(2**70), None, "True"]


def test_a_workbook_is_that_of_curators(tmp_path: Path) -> None:
    openpyxl: Any = pytest.importorskip("openpyxl")
    made = benchmark()
    made.export_to_file(tmp_path / "a.xlsx")
    made.export_curation_workbook(tmp_path / "b.xlsx")
    one, other = (openpyxl.load_workbook(tmp_path / name) for name in ("a.xlsx", "b.xlsx"))
    assert [list(sheet.values) for sheet in one] == [list(sheet.values) for sheet in other]


def test_a_file_that_is_there_may_be_kept(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("mine")
    with pytest.raises(TargetExistsError):
        benchmark().export_to_file(tmp_path / "a.csv", overwrite=False)
    assert (tmp_path / "a.csv").read_text() == "mine"


def test_a_format_counts_more_than_the_extension(tmp_path: Path) -> None:
    benchmark().export_to_file(str(tmp_path / "a.json"), format="csv")
    assert (tmp_path / "a.json").read_text("utf-8").startswith("Question ID,")
    for name in ("markdown", "md"):
        benchmark().export_to_file(tmp_path / "a.json", name)
        assert (tmp_path / "a.json").read_text("utf-8").startswith("# Metals")


def test_another_format_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="json, csv, markdown, jsonld"):
        benchmark().export_to_file(tmp_path / "a.json", format="yaml")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        benchmark().export_to_file(tmp_path / "no such folder" / "a.json")
    assert list(tmp_path.iterdir()) == []


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


def test_a_template_without_verified_fields_states_so(tmp_path: Path) -> None:
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
    assert book.sheetnames == ["Curation Review", "Summary", "Templates", "Rubric"]
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
