"""Bulk conversion: the same bytes whoever does it, an interrupted run is completed, a bad file stops nothing.

The recipes for other engines write them too, and the programs that measure it do their work on a few checkpoints.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyoxigraph
import pytest
from pyoxigraph import RdfFormat

from checkpoint_ld.batch.bulk import ConvertOptions, Shard, convert_shard, plan_shards, run
from checkpoint_ld.errors import SettingsError, SourceMissingError, WriteError
from checkpoint_ld.graph import emission
from checkpoint_ld.sparql import queries
from checkpoint_ld.stores.collection import Collection
from checkpoint_ld.validation import validator
from tests.bulk import workers
from tests.collection.conftest import checkpoint, iri
from tests.conftest import REPOSITORY

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
    made = [tmp_path / "files" / f"{number}.jsonld" for number in range(8)]
    for number, file in enumerate(made):
        file.write_text(json.dumps(checkpoint(number)), encoding="utf-8")
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


def test_a_shard_is_not_made_again_and_two_checkpoints_of_one_iri_are_told(files: list[Path], tmp_path: Path) -> None:
    files[7].write_text(json.dumps(checkpoint(0, "Another?")), encoding="utf-8")
    files[6].write_text(files[5].read_text(encoding="utf-8"), encoding="utf-8")
    shards = plan(files, tmp_path / "out")
    first = run(shards, OPTIONS)
    times = {one: one.stat().st_mtime_ns for one in (tmp_path / "out").glob("part-*")}
    again = run(shards, OPTIONS)
    assert {one: one.stat().st_mtime_ns for one in times} == times
    assert again.as_json() == first.as_json()
    assert all(one.seconds == 0 for one in again.results)
    assert first.shared == again.shared == (iri(0),)


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
    told = [json.loads(line) for line in (tmp_path / "out" / "part-00000.findings.jsonl").read_text().splitlines()]
    assert sum(result.findings.values()) == len(told)
    violations = {(Path(one["file"]).name, one["record"]) for one in told if one["severity"] == "violation"}
    assert violations == {("1.jsonld", None), ("many.ndjson.gz", 3), ("broken.jsonld.gz", None)}
    assert next(one for one in told if one["file"] == str(files[1]))["line"] == 2
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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed")
def test_a_process_that_dies_loses_nothing_but_a_shard_that_ends_every_one(files: list[Path], tmp_path: Path) -> None:
    run(plan(files, tmp_path / "whole"), OPTIONS)
    for name, convert in {"dies": workers.dies_once, "leaves": workers.leaves_something}.items():
        report = run(plan(files, tmp_path / name), OPTIONS, jobs=2, convert=convert)
        assert report.lost == ()
        assert content(tmp_path / name) == content(tmp_path / "whole")
    shards = plan(files, tmp_path / "ends")
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


def test_the_folder_of_another_run_is_left_but_for_what_a_killed_one_left(files: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / ".0123456789abcdef.tmp").write_bytes(b"half")
    (out / ".notes.tmp").write_bytes(b"somebody's")
    run(plan(files, out), OPTIONS)
    before = content(out)
    assert [name for name in before if name.endswith(".tmp")] == [".notes.tmp"]
    with pytest.raises(WriteError, match="more shards"):
        run(plan_shards(files, out), OPTIONS)
    assert content(out) == before
    with pytest.raises(WriteError, match="choose another folder"):
        run(plan(files, files[0] / "below"), OPTIONS)


RECIPES, BENCHMARKS = REPOSITORY / "docs" / "recipes", REPOSITORY / "benchmarks"
ENGINES = {"bulk_dask.py": "distributed", "bulk_pyspark.py": "pyspark", "bulk_ray.py": "ray"}
TRIED = [name for name, module in ENGINES.items() if module != "ray" or importlib.util.find_spec(module) is not None]
"""Ray binds to all addresses and looks for those of networks: it is tried only where somebody installed it."""


def test_every_recipe_is_known() -> None:
    assert {one.name for one in RECIPES.glob("bulk_*.py")} == ENGINES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("recipe", TRIED)
def test_other_engines_write_the_same_bytes(recipe: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(ENGINES[recipe]) is None:
        pytest.skip(f"{ENGINES[recipe]} is not installed: install it to run this test")
    if recipe == "bulk_pyspark.py" and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed: install a JRE, 17 or newer, to run this test")
    files = [tmp_path / f"{number}.ndjson" for number in range(6)]
    for number, file in enumerate(files):
        lines = (json.dumps(checkpoint(100 * number + line)) for line in range(40))
        file.write_text("\n".join(lines), encoding="utf-8")
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    command = [sys.executable, str(RECIPES / recipe), str(tmp_path / "out"), *map(str, files)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "240 checkpoints"
    run(plan_shards(files, tmp_path / "one", target_bytes=1 << 20), ConvertOptions())
    assert content(tmp_path / "one") == content(tmp_path / "out")


def program(name: str, *arguments: object) -> str:
    command = [sys.executable, str(BENCHMARKS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_measured_checkpoints_are_the_same_every_time_in_files_and_in_lines(tmp_path: Path) -> None:
    for folder, options in (("files", ()), ("again", ()), ("lines", ("--lines", 4))):
        program("checkpoints.py", 6, tmp_path / folder, *options)
    files = [*content(tmp_path / "files").values()]
    assert files == [*content(tmp_path / "again").values()]
    assert len({json.loads(one)["@id"] for one in files}) == 6
    assert [one for data in content(tmp_path / "lines").values() for one in data.splitlines()] == files
    assert 3 < sum(len(json.loads(one)["dataFeedElement"]) for one in files) / 6 < 7


@pytest.mark.slow
def test_engines_are_compared_by_what_they_write_and_every_named_query_is_timed(tmp_path: Path) -> None:
    program("checkpoints.py", 4, tmp_path / "lines", "--lines", 2)
    told = program("bulk_engines.py", tmp_path / "lines", tmp_path / "out", "--engines", 1, 2).splitlines()
    assert [line.split()[0] for line in told] == ["1", "2"]
    assert len({line.split()[-1] for line in told}) == 1

    program("checkpoints.py", 3, tmp_path / "files")
    with Collection.open(tmp_path / "kept") as collection:
        assert len(collection.add(tmp_path / "files").outcomes) == 3
        collection.derive()
    told = program("named_queries.py", tmp_path / "kept", "--runs", 1).splitlines()
    assert told[0] == "3 checkpoints; seconds for the first 100 rows, and for all"
    assert [line.split()[0] for line in told[1:]] == list(queries.catalogue())
