"""`checkpoint-ld bulk`: shards of N-Quads and findings."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.collection.conftest import checkpoint, iri


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:
    (here / "files").mkdir()
    for number in range(4):
        Path("files", f"{number}.jsonld").write_text(json.dumps(checkpoint(number)), encoding="utf-8")


def test_files_are_converted_in_shards(run: Run) -> None:
    result = run("bulk", "convert", "files", "--output", "out", "--shard-size", "0.005", "--gzip")
    assert (result.code, result.err) == (0, "")
    assert result.out.decode().startswith("4 checkpoints, ")
    manifest = json.loads(Path("out", "manifest.json").read_bytes())
    assert len(list(Path("out").glob("part-*.nq.gz"))) == len(manifest["shards"]) > 1
    again = run("bulk", "convert", "files", "--output", "out", "--shard-size", "0.005", "--gzip")
    assert again.out == result.out
    assert b", 1 shard\n" in run("bulk", "convert", "files", "--output", "one", "--shard-size", "inf").out


@pytest.mark.parametrize("name", ["many.ndjson", "many.JSONL", "many.jsonl.gz", "many.NDJSON.GZ"])
def test_files_of_lines_in_a_folder_are_converted(run: Run, name: str) -> None:
    lines = b"".join(json.dumps(checkpoint(number)).encode() + b"\n" for number in (7, 8))
    Path("files", name).write_bytes(gzip.compress(lines) if name.lower().endswith(".gz") else lines)
    Path("files", "answers.jsonl").write_text('{"question_id": "q"}\n', encoding="utf-8")
    result = run("bulk", "convert", "files", "--output", "out")
    assert (result.code, result.err) == (0, "1 file in a folder is no checkpoint and passed over\n")
    assert result.out.startswith(b"6 checkpoints, ")


def test_findings_are_written_and_failures_counted(run: Run) -> None:
    Path("files", "1.jsonld").write_text("{", encoding="utf-8")
    Path("files", "2.jsonld").write_text(json.dumps(checkpoint(0, "Another?")), encoding="utf-8")
    result = run("bulk", "convert", "files", "none*", "--output", "out")
    assert result.code == 1
    assert f"{iri(0)}: several checkpoints have this IRI" in result.err
    assert "none*: no file matches" in result.err
    assert b"1 failed" in result.out
    checked = run("bulk", "validate", "files", "--output", "found")
    assert checked.code == 1
    assert "files/1.jsonld" in Path("found", "part-00000.findings.jsonl").read_text(encoding="utf-8")
    assert not list(Path("found").glob("*.nq"))


def test_a_folder_with_more_shards_is_refused_with_a_remedy_that_works(run: Run) -> None:
    assert run("bulk", "convert", "files", "--output", "out", "--shard-size", "0.001").code == 0
    plain, forced = (run("bulk", "convert", "files", "--output", "out", *more) for more in ((), ("--force",)))
    remedy = "write to a folder of its own, or remove the files of that run"
    assert (plain.code, plain.err) == (2, f"out/part-00001.done.json: is of a run with more shards; {remedy}\n")
    assert forced.err == plain.err
    for path in Path("out").iterdir():
        path.unlink()
    assert run("bulk", "convert", "files", "--output", "out").code == 0
