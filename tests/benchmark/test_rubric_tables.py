"""Rubrics out of tables: what each column says, and what is stated about rows that do not fit."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Benchmark, Finding, LookupFailedError, SettingsError
from checkpoint_ld.entities import LLMRubricTrait, RegexRubricTrait
from checkpoint_ld.identifiers import question_object_id
from tests.documents import canonical, rating

TEXT = "Which metal is liquid?"


def benchmark() -> Benchmark:
    made = Benchmark.create("metals")
    made.add_question(TEXT, "Mercury")
    return made


def imported(folder: Path, *rows: dict[str, str], into: Benchmark | None = None) -> tuple[Benchmark, list[str]]:
    """Return a benchmark with the traits of a table, and what did not fit."""
    made, file = into or benchmark(), folder / "traits.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        table = csv.DictWriter(opened, list(dict.fromkeys(name for row in rows for name in row)))
        table.writeheader()
        table.writerows(rows)
    findings = made.import_rubrics(file)
    assert all(one.place.file == str(file) and one.condition == "W-LOSS" for one in findings)
    return made, [words_of(one) for one in findings]


def words_of(one: Finding) -> str:
    return f"{one.message}; {one.remedy}"


@pytest.mark.parametrize(
    ("row", "model", "settings"),
    [
        ({"name": "a"}, "LLMRubricTrait", {"kind": "boolean", "higher_is_better": True}),
        ({"name": "a", "Min": "0", "max": "10"}, "LLMRubricTrait", {"kind": "score", "min_score": 0, "max_score": 10}),
        ({"Trait": "a", "Kind": "LLM", "direction": "Lower"}, "LLMRubricTrait", {"higher_is_better": False}),
        ({"name": "a", "higher is better": "none"}, "LLMRubricTrait", {"higher_is_better": None}),
        ({"name": "a", "classes": "dry: no word; warm: kind"}, "LLMRubricTrait", {"kind": "literal", "max_score": 1}),
        ({"name": "a", "classes": '{"x: y": "1", "z": "2"}'}, "LLMRubricTrait", {"classes": {"x: y": "1", "z": "2"}}),
        ({"name": "a", "summary": "12", "description": "7"}, "LLMRubricTrait", {"summary": "12", "description": "7"}),
        (
            {"name": "a", "pattern": r"\[\d+\]", "case-sensitive": "no", "kind": "boolean"},
            "RegexRubricTrait",
            {"pattern": r"\[\d+\]", "case_sensitive": False},
        ),
        (
            {"name": "a", "metrics": "precision; recall", "tp_instructions": "melts\nis liquid", "kind": "metric"},
            "MetricRubricTrait",
            {"metrics": ["precision", "recall"], "tp_instructions": ["melts", "is liquid"]},
        ),
        (
            {"name": "a", "code": "def a(text):\n    return True", "kind": "boolean"},
            "CallableRubricTrait",
            {"callable_code": b"def a(text):\n    return True"},
        ),
        (
            {"name": "a", "type": "agentic", "description": "Look", "max_turns": "3"},
            "AgenticRubricTrait",
            {"max_turns": 3},
        ),
    ],
)
def test_the_cells_of_a_row_are_the_settings_of_a_trait(
    tmp_path: Path, row: dict[str, str], model: str, settings: dict[str, Any]
) -> None:
    made, findings = imported(tmp_path, row)
    rubric = made.global_rubric
    assert rubric is not None
    [trait] = rubric.traits()
    assert (type(trait).__name__, trait.name, findings) == (model, "a", [])
    assert {name: getattr(trait, name) for name in settings} == settings


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"Trait": "", "kind": "score"}, "row 2, column 'Trait': the trait has no name, and the row is left out; fill"),
        ({"name": "a", "kind": "bolean"}, "row 2, column 'kind': \"bolean\" does not fit: input should be 'boolean'"),
        ({"name": "a", "type": "lmm"}, "row 2, column 'type': \"lmm\" is no type of trait"),
        ({"name": "a", "Min": "x"}, "row 2, column 'Min': \"x\" does not fit: input should be a valid integer"),
        ({"name": "a", "min": "5", "max": "1"}, "row 2: trait 'a': min_score 5 is not less than max_score 1"),
        (
            {"name": "a", "direction": "up"},
            "row 2, column 'direction': \"up\" is no direction, and the row is left out",
        ),
        ({"name": "a", "pattern": "("}, "row 2, column 'pattern': the pattern '(' is no Python regular expression"),
        ({"name": "a", "classes": "{no"}, "row 2, column 'classes': \"{no\" is no JSON"),
        ({"name": "a", "classes": "one: only"}, "row 2: trait 'a': 1 classes, where 2 to 20 are allowed"),
        ({"name": "a", "type": "agentic"}, "row 2, column 'description': the trait has no description"),
        ({"name": "a", "type": "callable", "kind": "score"}, "row 2: trait 'a': no callable_code (set callable_code)"),
        ({"name": "a.b"}, "row 2: the trait name 'a.b' holds a dot (rename the trait), and the row is left out"),
        ({"name": "a", "dynamic": "yes"}, "row 2: trait 'a': neither summary nor description names its concept"),
        ({"name": "a", "dynamic": "maybe"}, "row 2, column 'dynamic': \"maybe\" is no truth value"),
        ({"name": "a", "question": "Who?"}, "row 2, column 'question': there is no question \"Who?\", and the row is"),
        ({"name": "a", "scope": "question"}, "row 2, column 'question_id': the question is not named"),
    ],
)
def test_a_row_that_does_not_fit_is_left_out_and_reported(tmp_path: Path, row: dict[str, str], message: str) -> None:
    made, findings = imported(tmp_path, row, {"name": "good"})
    assert made.get_rubric_trait_names() == ["good"]
    assert [one.startswith(message) for one in findings] == [True]


def test_cells_and_columns_that_state_nothing_are_left_out_and_reported(tmp_path: Path) -> None:
    row = {"name": "a", "pattern": "x", "min": "1", "max": "3", "remarks": "?"}
    made, findings = imported(tmp_path, row, row)
    assert made.get_rubric_trait_names() == ["a"]
    assert [one.partition(";")[0] for one in findings] == [
        "the column 'remarks' is no member of a trait and is left out",
        "row 2, column 'min': a trait of type regex has no min_score, which is left out",
        "row 2, column 'max': a trait of type regex has no max_score, which is left out",
        "row 3, column 'min': a trait of type regex has no min_score, which is left out",
        "row 3, column 'max': a trait of type regex has no max_score, which is left out",
        "row 3, column 'name': a row above has a trait 'a' of the same rubric, and the row is left out",
    ]


@pytest.mark.parametrize("name", [TEXT, question_object_id(TEXT), benchmark().get_question_ids()[0]])
def test_a_question_is_known_by_text_hash_and_identifier(tmp_path: Path, name: str) -> None:
    made, findings = imported(
        tmp_path,
        {"question_id": name, "name": "own"},
        {"question_id": name, "name": "rare", "dynamic": "yes", "summary": "hazards"},
    )
    [question] = made.get_question_ids()
    rare = made.get_question_dynamic_rubric(question)
    assert (findings, made.get_rubric_trait_names(question), made.global_rubric) == ([], ["own"], None)
    assert rare is not None
    assert rare.get_trait_names() == ["rare"]


def test_a_trait_takes_the_place_of_its_namesake_and_the_others_stay(tmp_path: Path) -> None:
    made = benchmark()
    made.set_global_rubric([LLMRubricTrait(name="a", kind="boolean"), RegexRubricTrait(name="b", pattern="x")])
    imported(tmp_path, {"name": "a", "min": "1", "max": "3"}, into=made)
    rubric = made.global_rubric
    assert rubric is not None
    assert [(one.name, getattr(one, "max_score", None)) for one in rubric.traits()] == [("a", 3), ("b", None)]


def test_both_of_two_namesakes_in_a_file_stay(tmp_path: Path) -> None:
    tree = canonical() | {"rating": [rating("a", "Global"), rating("b", "Global"), rating("a", "Global")]}
    made, _ = imported(tmp_path, {"name": "c", "pattern": "x"}, into=Benchmark.load(json.dumps(tree).encode()))
    assert made.get_rubric_trait_names() == ["a", "b", "a", "c"]
    imported(tmp_path, {"name": "a", "pattern": "x"}, into=made)
    assert made.get_rubric_trait_names() == ["a", "b", "c"]


def test_a_workbook_is_read_by_its_sheet(tmp_path: Path) -> None:
    openpyxl: Any = pytest.importorskip("openpyxl", reason="the extra openpyxl is not installed")
    book = openpyxl.Workbook()
    for row in (["name", "min", "max", "direction"], ["a", 1, 5, True], [None, None, None, None]):
        book.active.append(row)
    book.active.title = "Rubric"
    book.save(tmp_path / "a.xlsx")
    made = benchmark()
    assert made.import_rubrics(tmp_path / "a.xlsx", "Rubric") == ()
    assert made.get_rubric_trait_names() == ["a"]
    with pytest.raises(LookupFailedError, match='there is no sheet "None"; use one of'):
        made.import_rubrics(tmp_path / "a.xlsx", "None")


def test_a_table_without_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,answer\n")
    with pytest.raises(LookupFailedError, match=r'a\.csv: there is no column "name"; use one of question, answer'):
        benchmark().import_rubrics(tmp_path / "a.csv")
    with pytest.raises(SettingsError, match="give a table as"):
        benchmark().import_rubrics(tmp_path / "a.json")


def test_of_two_columns_for_one_member_the_first_filled_cell_counts(tmp_path: Path) -> None:
    file = tmp_path / "traits.csv"
    file.write_text("name,min,max,min_score\na,1,5,2\nb,,5,3\nc,1,5,1\n", encoding="utf-8")
    made = benchmark()
    (found,) = made.import_rubrics(file)
    rubric = made.get_global_rubric()
    assert rubric is not None
    assert [trait.min_score for trait in rubric.llm_traits] == [1, 3, 1]
    assert words_of(found) == (
        "row 2, column 'min': another column has the same member; the first one counts; empty one of both cells"
    )
