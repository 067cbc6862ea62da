"""Bulk conversion: the same bytes whoever does it, an interrupted run is completed, a bad file stops nothing."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from pyoxigraph import RdfFormat

from checkpoint_ld.batch.bulk import ConvertOptions, Shard, convert_shard, plan_shards, records, run
from checkpoint_ld.errors import ReadError, SettingsError, SourceMissingError, WriteError, WrongTypeError
from checkpoint_ld.graph import emission
from checkpoint_ld.validation import validator
from tests.bulk import workers
from tests.collection.conftest import checkpoint, iri

OPTIONS = ConvertOptions()
PROGRAM = """
import sys
from checkpoint_ld.batch.bulk import ConvertOptions, plan_shards, run
if __name__ == "__main__":
    run(plan_shards(sys.argv[2:], sys.argv[1], target_bytes=6_000), ConvertOptions(), jobs=2)
"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "files").mkdir()
    made = []
    for number in range(8):
        made.append(tmp_path / "files" / f"{number}.jsonld")
        made[-1].write_text(json.dumps(checkpoint(number)), encoding="utf-8")
    return made


def content(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in sorted(folder.iterdir())}


def plan(files: list[Path], out: Path) -> list[Shard]:
    return plan_shards(files, out, target_bytes=6_000)


def test_shards_are_planned_by_the_files_alone(files: list[Path]) -> None:
    shards = plan(files, Path("out"))
    assert len(shards) > 2
    assert shards == plan(files[::-1], Path("out")), "whatever the order in which they are named"
    assert [path for shard in shards for path in shard.paths] == sorted(map(str, files))
    assert [shard.index for shard in shards] == list(range(len(shards)))
    assert {shard.paths for shard in plan_shards(files, "out", target_bytes=1)} == {(str(one),) for one in files}
    assert pickle.loads(pickle.dumps(shards)) == shards
    with pytest.raises(SourceMissingError, match="missing"):
        plan_shards(["missing"], "out")
    with pytest.raises(SettingsError, match="1 or more"):
        plan_shards(files, "out", target_bytes=0)


def test_quads_are_those_of_each_file_in_turn(files: list[Path], tmp_path: Path) -> None:
    [shard] = plan_shards(files, tmp_path / "out")
    result = convert_shard(shard, OPTIONS)
    expected = b"".join(emission.nquads_of(validator.read(file).graph) for file in files)
    assert (tmp_path / "out" / "part-00000.nq").read_bytes() == expected
    assert (result.checkpoints, result.quads, result.failed) == (8, expected.count(b"\n"), 0)
    assert result.seconds > 0
    convert_shard(shard, ConvertOptions(compressed=True))
    assert gzip.decompress((tmp_path / "out" / "part-00000.nq.gz").read_bytes()) == expected
    assert not (tmp_path / "out" / "part-00000.nq").exists()


@pytest.mark.slow
def test_one_process_and_several_write_the_same_bytes(files: list[Path], tmp_path: Path) -> None:
    one = run(plan(files, tmp_path / "one"), OPTIONS)
    two = run(plan(files, tmp_path / "two"), OPTIONS, jobs=2)
    assert content(tmp_path / "one") == content(tmp_path / "two")
    assert one.as_json() == two.as_json()
    assert json.loads((tmp_path / "one" / "manifest.json").read_bytes())["checkpoints"] == 8


def test_a_shard_that_is_there_is_not_made_again(files: list[Path], tmp_path: Path) -> None:
    shards = plan(files, tmp_path / "out")
    first = run(shards, OPTIONS)
    times = {one: one.stat().st_mtime_ns for one in (tmp_path / "out").glob("part-*")}
    again = run(shards, OPTIONS)
    assert {one: one.stat().st_mtime_ns for one in times} == times
    assert again.as_json() == first.as_json()
    assert all(one.seconds == 0 for one in again.results)


@pytest.mark.slow
@pytest.mark.parametrize("change", ["input", "output", "options", "mark"])
def test_a_shard_that_does_not_fit_is_made_again(change: str, files: list[Path], tmp_path: Path) -> None:
    [shard] = plan_shards(files, tmp_path / "out")
    convert_shard(shard, OPTIONS)
    options = OPTIONS
    if change == "input":
        files[0].write_text(json.dumps(checkpoint(0, "New?")), encoding="utf-8")
    elif change == "output":
        (tmp_path / "out" / "part-00000.nq").write_bytes(b"")
    elif change == "options":
        options = ConvertOptions(profile="karenina")
    else:
        (tmp_path / "out" / "part-00000.done.json").write_bytes(b'{"asked": ')
    assert convert_shard(shard, options).seconds > 0
    expected = b"".join(emission.nquads_of(validator.read(file).graph) for file in files)
    assert (tmp_path / "out" / "part-00000.nq").read_bytes() == expected


def test_what_fails_is_a_finding_with_file_and_line(files: list[Path], tmp_path: Path) -> None:
    files[1].write_text('{"@type": "DataFeed",\n"dataFeedElement": [', encoding="utf-8")
    lines = [json.dumps(checkpoint(20)), "", "{", json.dumps(checkpoint(21))]
    packed = tmp_path / "files" / "many.ndjson.gz"
    packed.write_bytes(gzip.compress("\n".join(lines).encode()))
    broken = tmp_path / "files" / "broken.jsonld.gz"
    broken.write_bytes(packed.read_bytes()[:50])
    [shard] = plan_shards([*files, packed, broken], tmp_path / "out")
    result = convert_shard(shard, OPTIONS)
    assert (result.checkpoints, result.failed) == (9, 3)
    found = [json.loads(line) for line in (tmp_path / "out" / "part-00000.findings.jsonl").read_text().splitlines()]
    assert sum(result.findings.values()) == len(found)
    violations = {(Path(one["file"]).name, one["record"]) for one in found if one["severity"] == "violation"}
    assert violations == {("1.jsonld", None), ("many.ndjson.gz", 3), ("broken.jsonld.gz", None)}
    assert next(one for one in found if one["file"] == str(files[1]))["line"] == 2
    quads = pyoxigraph.parse(path=tmp_path / "out" / "part-00000.nq", format=RdfFormat.N_QUADS)
    graphs = {quad.graph_name.value for quad in quads}
    assert iri(20) in graphs
    assert iri(21) in graphs
    assert len(graphs) == 9


def test_validation_writes_no_quads(files: list[Path], tmp_path: Path) -> None:
    tree = {**checkpoint(0), "dateModified": "yesterday"}
    files[0].write_text(json.dumps(tree), encoding="utf-8")
    [shard] = plan_shards(files[:2], tmp_path / "out")
    result = convert_shard(shard, ConvertOptions(profile="karenina", quads=False))
    assert result.quads == 0
    assert not list((tmp_path / "out").glob("*.nq*"))
    assert "yesterday" in (tmp_path / "out" / "part-00000.findings.jsonl").read_text()
    with pytest.raises(SettingsError):
        convert_shard(shard, ConvertOptions(profile="none"))


def test_two_checkpoints_of_one_iri_are_reported(files: list[Path], tmp_path: Path) -> None:
    files[7].write_text(json.dumps(checkpoint(0, "Another?")), encoding="utf-8")
    files[6].write_text(files[5].read_text(encoding="utf-8"), encoding="utf-8")
    report = run(plan(files, tmp_path / "out"), OPTIONS)
    assert report.shared == (iri(0),)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed")
@pytest.mark.parametrize("convert", [workers.dies_once, workers.leaves_something])
def test_a_process_that_dies_takes_nothing_with_it(files: list[Path], tmp_path: Path, convert: Any) -> None:
    run(plan(files, tmp_path / "whole"), OPTIONS)
    report = run(plan(files, tmp_path / "out"), OPTIONS, jobs=2, convert=convert)
    assert report.lost == ()
    assert content(tmp_path / "out") == content(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed")
def test_a_shard_that_ends_every_process_is_named(files: list[Path], tmp_path: Path) -> None:
    shards = plan(files, tmp_path / "out")
    report = run(shards, OPTIONS, jobs=2, convert=workers.always_dies)
    assert report.lost == (shards[1],)
    assert [one.index for one in report.results] == [shard.index for shard in shards if shard.index != 1]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed")
def test_a_killed_run_is_completed_by_the_next(files: list[Path], tmp_path: Path) -> None:
    out, program = tmp_path / "out", tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, str(program), str(out), *map(str, files)]
    first = subprocess.Popen(command, start_new_session=True)
    while not list(out.glob("part-*.done.json")) and first.poll() is None:
        time.sleep(0.01)
    os.killpg(first.pid, 9)
    first.wait()
    left = {one.name: one.stat().st_mtime_ns for one in out.glob("*.done.json")}
    assert left
    subprocess.run(command, check=True)
    assert {name: (out / name).stat().st_mtime_ns for name in left} == left
    run(plan(files, tmp_path / "whole"), OPTIONS)
    assert content(out) == content(tmp_path / "whole")


def test_the_folder_of_another_run_is_left_alone(files: list[Path], tmp_path: Path) -> None:
    run(plan(files, tmp_path / "out"), OPTIONS)
    before = content(tmp_path / "out")
    with pytest.raises(WriteError, match="more shards"):
        run(plan_shards(files, tmp_path / "out"), OPTIONS)
    assert content(tmp_path / "out") == before
    with pytest.raises(WriteError, match="choose another folder"):
        run(plan(files, files[0] / "below"), OPTIONS)


def test_what_a_killed_run_left_unfinished_is_removed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / ".0123456789abcdef.tmp").write_bytes(b"half")
    (out / ".notes.tmp").write_bytes(b"somebody's")
    file = tmp_path / "one.jsonld"
    file.write_text(json.dumps(checkpoint(1)), encoding="utf-8")
    run(plan_shards([file], out), ConvertOptions())
    assert not (out / ".0123456789abcdef.tmp").exists()
    assert (out / ".notes.tmp").exists()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: plan_shards(3, "o"), WrongTypeError),  # type: ignore[arg-type]
        (lambda: plan_shards([], "o", target_bytes="x"), WrongTypeError),  # type: ignore[arg-type]
        (lambda: plan_shards(["\0"], "o"), SettingsError),
        (lambda: run([3], OPTIONS), WrongTypeError),  # type: ignore[list-item]
        (lambda: run([], 3), WrongTypeError),  # type: ignore[arg-type]
        (lambda: run([], OPTIONS, jobs=0), SettingsError),
        (lambda: ConvertOptions(profile=3), WrongTypeError),  # type: ignore[arg-type]
        (lambda: convert_shard(Shard(0, (), "\0"), OPTIONS), SettingsError),
        (lambda: [*records("\0")], ReadError),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()
