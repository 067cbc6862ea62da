"""The command `compare`: what it prints and writes, and what it refuses."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytest.importorskip("statsmodels", reason="statistics need the extra statistics")

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
ANSWERS, ELEMENTS = str(EXAMPLES / "answers.jsonl"), str(EXAMPLES / "elements.jsonld")


def test_models_are_compared_and_answers_that_stand_in_two_files_count_once(run: Run) -> None:
    once = run("compare", ANSWERS, "--benchmark", ELEMENTS)
    twice = run("compare", ANSWERS, ANSWERS, "--benchmark", ELEMENTS)
    assert once.code == twice.code == 0
    assert once.out.decode() == twice.out.decode()
    assert "aurum-1 is significantly better than borealis-2: by 0.39" in once.out.decode()
    assert "keyword symbols" in once.out.decode()
    assert "KA003 200 answers were given before" in twice.err


def test_results_of_verify_need_no_benchmark(run: Run, tmp_path: Path) -> None:
    results = str(tmp_path / "results.jsonl")
    run("verify", ELEMENTS, "--answers", ANSWERS, "--quiet", "-o", results)
    for name, words in (
        ("c.csv", "rate,,,aurum-1"),
        ("c.md", "## Pass rates"),
        ("c.html", "<!doctype"),
        ("c.json", "p_holm"),
    ):
        assert run("compare", results, "-o", str(tmp_path / name)).code == 0
        assert words in (tmp_path / name).read_text(encoding="utf-8")


def test_files_are_compared(run: Run, tmp_path: Path) -> None:
    lines = Path(ANSWERS).read_text(encoding="utf-8").splitlines()
    for name in ("aurum-1", "borealis-2"):
        kept = [line for line in lines if f'"{name}"' in line]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(kept), encoding="utf-8")
    files = [str(path) for path in sorted(tmp_path.iterdir())]
    assert "aurum-1.jsonl is significantly better" in run(
        "compare", *files, "--between", "file", "--benchmark", ELEMENTS
    ).out.decode().replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((ANSWERS,), "give the checkpoint whose templates decide"),
        ((ANSWERS, "--by", "keyword"), "give it with --benchmark"),
        ((ANSWERS, "--benchmark", ELEMENTS, "--by", "topic"), "no question has 'topic' to group by"),
        (("-", "--benchmark", "-"), "only one file can come from standard input"),
        ((ELEMENTS,), "is a checkpoint: give it with --benchmark"),
    ],
)
def test_what_cannot_be_compared_is_an_error(run: Run, arguments: tuple[str, ...], words: str) -> None:
    found = run("compare", *arguments)
    assert found.code == 2
    assert words in found.err
