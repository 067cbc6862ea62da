"""`checkpoint-ld diff` and `inspect`: what differs between two checkpoints, and what one holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark
from checkpoint_ld.identifiers import question_id
from tests.cli.conftest import Run
from tests.documents import canonical, item, rating, scenario


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before.jsonld", tmp_path / "after.jsonld"
    tree = canonical()
    before.write_text(json.dumps(tree), encoding="utf-8")
    tree["name"] = "Other"
    tree["dateModified"] = "2026-05-05T00:00:00"
    after.write_text(json.dumps(tree), encoding="utf-8")
    return before, after


def test_the_same_benchmark_in_two_syntaxes_is_the_same(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    Benchmark.load(files[0]).save(tmp_path / "before.ttl")
    result = run("diff", files[0], tmp_path / "before.ttl", "--dates", "--order")
    assert (result.code, result.out, result.err) == (0, b"no differences\n", "")


def test_a_difference_is_reported_and_gives_exit_code_1(run: Run, files: tuple[Path, Path]) -> None:
    result = run("diff", *files)
    assert (result.code, result.out.decode()) == (1, "~ name: Metals → Other\n")
    assert "modified_at" in run("diff", *files, "--dates").out.decode()


def test_other_formats_and_a_file(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    value = json.loads(run("diff", *files, "--format", "json").out)
    assert value["metadata"] == [{"member": "name", "kind": "changed", "before": "Metals", "after": "Other"}]
    assert run("diff", *files, "--format", "markdown").out.startswith(b"- changed <code>name</code>")
    done = run("diff", *files, "--output", tmp_path / "a.txt")
    assert (done.code, done.out) == (1, b"")
    assert (tmp_path / "a.txt").read_text("utf-8") == "~ name: Metals → Other\n"


def test_quiet_leaves_the_exit_code(run: Run, files: tuple[Path, Path]) -> None:
    result = run("diff", *files, "--quiet")
    assert (result.code, result.out) == (1, b"")


def test_one_may_come_from_standard_input(run: Run, files: tuple[Path, Path]) -> None:
    assert run("diff", "-", files[1], stdin=files[1].read_bytes()).code == 0
    result = run("diff", "-", "-")
    assert (result.code, result.out) == (2, b"")
    assert "standard input" in result.err


def test_what_cannot_be_read_gives_exit_code_2(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    for bad in (tmp_path / "broken.json", tmp_path / "missing.json"):
        result = run("diff", files[0], bad)
        assert (result.code, result.out) == (2, b"")
        assert bad.name in result.err


EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def test_the_overview_counts_what_is_there(run: Run) -> None:
    shown = run("inspect", EXAMPLES / "metals.jsonld")
    assert shown.code == 0
    text = " ".join(shown.out.decode().split())
    for expected in (
        "name Metals",
        "version 1.0.0",
        "dialect datafeed-ns-v3",
        "421 triples",
        "5: 4 with a template, 4 finished",
        "3 global llm",
        "1 global dynamic regex",
        "1 question metric",
        "chemistry (3)",
        "1 KR038",
    ):
        assert expected in text


def test_json_has_the_same_and_every_finding_with_its_place(run: Run, tmp_path: Path) -> None:
    tree = canonical(item("One?", question_id("One?")), item("Another?", "urn:uuid:question-something-else-00000000"))
    tree["dateModified"] = "yesterday"
    source = tmp_path / "odd.jsonld"
    source.write_text(json.dumps(tree, indent=2), encoding="utf-8")
    value = json.loads(run("inspect", source, "--json").out)
    assert value["questions"] == 2
    assert value["keywords"] == {"chemistry": 2}
    assert {"scope": "question", "kind": "regex", "count": 2} in value["traits"]
    [finding] = value["findings"]
    assert (finding["code"], finding["condition"]) == ("KB009", "W-DATE-FORMAT")
    assert finding["severity"] == "warning"
    assert finding["pointer"] == "/dateModified"
    line = source.read_text(encoding="utf-8").splitlines()[finding["line"] - 1]
    assert line[finding["column"] - 1 :].startswith('"yesterday"')
    assert [one["id"] for one in value["suspicious_ids"]] == ["urn:uuid:question-something-else-00000000"]


def test_an_upgraded_dialect_is_named(run: Run) -> None:
    assert "v2.0" in run("inspect", EXAMPLES / "metals-v2.json").out.decode()


def test_scenarios_are_counted_in_place_of_questions(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "scenario.jsonld"
    source.write_text(json.dumps(scenario()), encoding="utf-8")
    shown = run("inspect", source).out.decode()
    assert "scenarios" in shown
    assert "questions" not in shown


def test_an_rdf_source_is_read_too(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "metals.ttl"
    run("convert", EXAMPLES / "metals.jsonld", "-o", target)
    assert "as turtle" in run("inspect", target).out.decode()


def test_no_more_than_a_few_findings_of_a_kind_are_shown_to_people(run: Run, tmp_path: Path) -> None:
    traits = [rating(f"code {at}", "Global", callable_code="lambda text: True", kind="boolean") for at in range(9)]
    for one in traits:
        one["additionalType"] = "karenina:GlobalCallableTrait"
    source = tmp_path / "code.jsonld"
    source.write_text(json.dumps({**canonical(), "rating": traits}), encoding="utf-8")
    shown = run("inspect", source).out.decode()
    assert shown.count("W-CODE trait") == 3
    assert "and 6 more" in shown
    assert len(json.loads(run("inspect", source, "--json").out)["findings"]) == 9


@pytest.mark.parametrize("arguments", [("inspect",), ("convert",), ("frobnicate",), ("inspect", "x", "--frob")])
def test_a_wrong_call_ends_with_code_2(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).code == 2


def test_version_and_help(run: Run) -> None:
    assert run("--version").out.startswith(b"checkpoint-ld ")
    for arguments in (("--help",), ("convert", "--help"), ("inspect", "-h")):
        assert b"FILE" in run(*arguments).out or arguments == ("--help",)
