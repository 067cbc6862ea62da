"""Tables of other harnesses: found by themselves, or asked for; and the report of what was read and written."""

import json
from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld import export_benchmark, import_benchmark
from checkpoint_ld.benchmark.question_columns import DRAFT_ANSWER
from checkpoint_ld.errors import FindingsError, LookupFailedError
from tests.cli.conftest import Run

METALS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "metals.jsonld"


def read(folder: Path, *rows: Any, **settings: Any) -> Any:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return import_benchmark(folder / "rows.jsonl", **settings)


def call(prompt: str, ending: Any) -> Any:
    return {"arg_0": prompt, "arg_1": ending}


ENDINGS = {f"gen_args_{at}": call("Q: Which? A:", f" {text}") for at, text in enumerate(("Tin", "Iron"))}
DETAIL = {"query": "Which?", "choices": [" Tin", " Iron"], "gold_index": [1]}
CASE = {
    "vars": {"question": "Which?", "n": 1},
    "assert": [{"type": "llm-rubric", "value": "short"}, {"type": "equals", "value": "Iron"}],
}


@pytest.mark.parametrize(
    ("row", "question", "answer"),
    [
        ({"instruction": "Say it.", "input": "", "output": "Iron"}, "Say it.", "Iron"),
        ({"instruction": "Say", "input": "it", "output": "Iron"}, "Say\n\nit", "Iron"),
        ({"input": "Which?", "actual_output": "Tin", "expected_output": "Iron"}, "Which?", "Iron"),
        ({"user_input": "Which?", "response": "Tin", "reference": "Iron"}, "Which?", "Iron"),
        ({"question": "Which?", "answer": "Tin", "ground_truth": "Iron", "contexts": []}, "Which?", "Iron"),
        (CASE, "Which?", "Iron"),
        ({"testCase": CASE, "testIdx": 0, "vars": CASE["vars"], "response": {"output": "Tin"}}, "Which?", "Iron"),
        ({"question": "Which?", "__expected": "icontains: Iron"}, "Which?", "Iron"),
        ({"doc_id": 0, "doc": {"question": "Which?"}, "target": "Iron", "resps": [["Tin"]]}, "Which?", "Iron"),
        (
            {
                "doc_id": 0,
                "doc": {"q": "Which?"},
                "target": "Iron",
                "arguments": {"gen_args_0": call("Q: Which? A:", {})},
            },
            "Q: Which? A:",
            "Iron",
        ),
        (
            {"doc_id": 0, "doc": {"question": "Which?"}, "target": "1", "arguments": ENDINGS},
            "Which?\n\nA) Tin\nB) Iron",
            "Iron",
        ),
        ({"doc": DETAIL, "model_response": {"text": ["Tin"]}, "metric": {}}, "Which?", "Iron"),
        ({"inputs": {"question": "Which?"}, "outputs": {"answer": "Iron"}}, "Which?", "Iron"),
        ({"Question": "Which?", "Correct Answer": "Iron", "Incorrect Answer 1": "Tin"}, "Which?", "Iron"),
        ({"problem": "Which?", "solution": "Since …", "answer": "Iron"}, "Which?", "Iron"),
        ({"ctx": "Which?", "endings": ["Tin", "Iron"], "label": "1"}, "Which?\n\nA) Tin\nB) Iron", "Iron"),
        ({"goal": "Which?", "sol1": "Tin", "sol2": "Iron", "label": 1}, "Which?\n\nA) Tin\nB) Iron", "Iron"),
        (
            {"sentence": "It is _", "option1": "Tin", "option2": "Iron", "answer": "2"},
            "It is _\n\nA) Tin\nB) Iron",
            "Iron",
        ),
        ({"question": "Which?", "best_answer": "Iron", "incorrect_answers": ["Tin"]}, "Which?", "Iron"),
        (
            {"question": "Which?", "mc1_targets": {"choices": ["Tin", "Iron"], "labels": [0, 1]}},
            "Which?\n\nA) Tin\nB) Iron",
            "Iron",
        ),
        ({"QUESTION": "Which?", "final_decision": "yes"}, "Which?", "yes"),
        ({"metadata": "{'topic': 'x'}", "problem": "Which?", "answer": "Iron"}, "Which?", "Iron"),
    ],
)
def test_a_known_layout_is_found_by_itself(tmp_path: Path, row: Any, question: str, answer: str) -> None:
    [found] = read(tmp_path, row).benchmark.questions
    assert (found.question, found.raw_answer) == (question, answer)
    for other, value in row.items():
        if other in ("actual_output", "response", "contexts", "solution", "resps") and value:
            assert value in (found.custom_metadata or {}).values()


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Q", "answer": "a", "solution": "b"},
        {"question": "Q", "response": "a", "output": "b"},
        {"prompt": "Q", "input": "R", "answer": "a"},
        {"question": "Q", "opa": "a", "opb": "b", "cop": 1},
        {"prompt": "def f():", "canonical_solution": "return 1"},
    ],
)
def test_where_several_columns_could_be_meant_none_is_taken(tmp_path: Path, row: Any) -> None:
    with pytest.raises(LookupFailedError, match=r"which column of .* holds the (question|answer)"):
        read(tmp_path, row)
    names = [*row]
    assert len(read(tmp_path, row, question_column=names[0], answer_column=names[-1]).benchmark) == 1


@pytest.mark.parametrize(
    "row",
    [
        {"ctx": "Which?", "endings": ["Tin"], "label": ""},
        {"sentence": "It is _", "option1": "Tin", "option2": "Iron", "answer": "0"},
        {"question": "Which?", "mc1_targets": {"choices": ["a", "b"], "labels": [1, 1]}},
        {"vars": {"question": "Which?"}, "assert": [{"type": "llm-rubric", "value": "short"}]},
        {"question": "Which?", "__expected": "javascript: output.length < 3"},
        {"doc": {**DETAIL, "gold_index": [7]}, "model_response": {}},
    ],
)
def test_a_row_of_a_layout_without_an_answer_has_none(tmp_path: Path, row: Any) -> None:
    found = read(tmp_path, row)
    assert [question.raw_answer for question in found.benchmark.questions] == [DRAFT_ANSWER]
    assert "no answer is in the column" in str(found.findings[0])


def test_a_question_with_a_row_for_each_filter_counts_once(tmp_path: Path) -> None:
    rows = [
        {"doc_id": at, "doc": {"question": f"{at}?"}, "target": "x", "filter": name}
        for at in range(2)
        for name in ("strict", "flexible")
    ]
    assert len(read(tmp_path, *rows).benchmark) == 2


def test_the_report_of_an_import_has_counts_columns_and_losses(tmp_path: Path, run: Run) -> None:
    rows = [{"input": "A?", "expected_output": "a", "n": 1}, {"input": "B?", "expected_output": None}]
    file, report = tmp_path / "rows.jsonl", tmp_path / "report.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = run("import", file, "-o", tmp_path / "a.jsonld", "--report", report)
    assert done.code == 0
    held = json.loads(report.read_bytes())
    assert (held["kind"], held["format"], held["layout"], held["rows"], held["questions"]) == (
        "import",
        "table",
        "deepeval",
        2,
        2,
    )
    assert held["left_out"] == []
    assert held["columns"]["custom_metadata"] == ["n"]
    assert [loss["line"] for loss in held["losses"]] == [2]
    refused = run("import", file, "-o", tmp_path / "b.jsonld", "--strict", "--report", tmp_path / "again.json")
    assert refused.code != 0
    assert not (tmp_path / "b.jsonld").exists()
    assert json.loads((tmp_path / "again.json").read_bytes()) == held
    with pytest.raises(FindingsError, match="no answer"):
        import_benchmark(file, strict=True)


@pytest.mark.parametrize("kind", ["inspect", "citation", "csv"])
def test_the_report_of_an_export_has_files_and_losses_and_strict_refuses_these(
    tmp_path: Path, kind: str, run: Run
) -> None:
    if kind == "inspect":
        pytest.importorskip("inspect_ai")
    target, report = tmp_path / f"a.{ {'citation': 'cff'}.get(kind, kind) }", tmp_path / "report.json"
    benchmark = checkpoint_ld.load(METALS)
    assert export_benchmark(benchmark, target, format=kind, report=report) == export_benchmark(
        benchmark, tmp_path / f"b{target.suffix}", format=kind
    )
    held = json.loads(report.read_bytes())
    assert (held["kind"], held["format"], held["questions"]) == ("export", kind, len(benchmark))
    assert held["files"] == (["checkpoint.jsonld", "dataset.jsonl", "task.py"] if kind == "inspect" else [target.name])
    if held["losses"]:
        other = tmp_path / f"c{target.suffix}"
        with pytest.raises(FindingsError):
            export_benchmark(benchmark, other, format=kind, strict=True)
        assert not other.exists()
        assert run("export", METALS, "--to", kind, "-o", other, "--strict").code != 0
        assert not other.exists()
