"""`checkpoint-ld diff`: what is different, and an exit code that tells whether anything is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark
from tests.cli.conftest import Run
from tests.documents import canonical


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
    told = run("diff", files[0], tmp_path / "before.ttl", "--dates", "--order")
    assert (told.code, told.out, told.err) == (0, b"no differences\n", "")


def test_a_difference_is_told_and_gives_exit_code_1(run: Run, files: tuple[Path, Path]) -> None:
    told = run("diff", *files)
    assert (told.code, told.out.decode()) == (1, "~ name: Metals → Other\n")
    assert "modified_at" in run("diff", *files, "--dates").out.decode()


def test_other_formats_and_a_file(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    told = json.loads(run("diff", *files, "--format", "json").out)
    assert told["metadata"] == [{"member": "name", "kind": "changed", "before": "Metals", "after": "Other"}]
    assert run("diff", *files, "--format", "markdown").out.startswith(b"- changed <code>name</code>")
    done = run("diff", *files, "--output", tmp_path / "a.txt")
    assert (done.code, done.out) == (1, b"")
    assert (tmp_path / "a.txt").read_text("utf-8") == "~ name: Metals → Other\n"


def test_quiet_leaves_the_exit_code(run: Run, files: tuple[Path, Path]) -> None:
    told = run("diff", *files, "--quiet")
    assert (told.code, told.out) == (1, b"")


def test_one_may_come_from_standard_input(run: Run, files: tuple[Path, Path]) -> None:
    assert run("diff", "-", files[1], stdin=files[1].read_bytes()).code == 0
    told = run("diff", "-", "-")
    assert (told.code, told.out) == (2, b"")
    assert "standard input" in told.err


def test_what_cannot_be_read_gives_exit_code_2(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    for bad in (tmp_path / "broken.json", tmp_path / "missing.json"):
        told = run("diff", files[0], bad)
        assert (told.code, told.out) == (2, b"")
        assert bad.name in told.err
