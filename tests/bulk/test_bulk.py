"""Bulk conversion: the same bytes whoever does it, an interrupted run is completed, a bad file stops nothing."""

import copy
import errno
import gzip
import importlib.util
import json
import os
import pickle
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from pyoxigraph import RdfFormat

import checkpoint_ld
from checkpoint_ld import json_schema
from checkpoint_ld.batch.bulk import ConvertOptions, Shard, convert_shard, plan_shards, records, run
from checkpoint_ld.errors import (
    ReadError,
    SettingsError,
    SourceMissingError,
    TargetUnwritableError,
    WriteError,
)
from checkpoint_ld.graph import emission
from checkpoint_ld.sparql import queries
from checkpoint_ld.stores.collection import Collection, Kind
from checkpoint_ld.validation import validator
from tests.bulk import workers
from tests.collection.conftest import checkpoint, iri
from tests.documents import Json, rich

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


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_refusal_of_the_system_has_its_number_in_any_process(files: list[Path], tmp_path: Path, jobs: int) -> None:
    shards = plan(files, tmp_path / "out")
    for shard in shards:
        (tmp_path / "out" / f"{shard.stem}.nq").mkdir(parents=True)
    with pytest.raises(TargetUnwritableError) as raised:
        run(shards, OPTIONS, jobs=jobs)
    assert raised.value.errno == errno.EISDIR


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
    members = json_schema("report")["$defs"]["finding"]["properties"].keys()
    assert all(one.keys() == members - {"fixable"} | {"record"} for one in found)
    violations = {(Path(one["file"]).name, one["record"]) for one in found if one["severity"] == "violation"}
    assert violations == {("1.jsonld", None), ("many.ndjson.gz", 3), ("broken.jsonld.gz", None)}
    assert next(one for one in found if one["file"] == str(files[1]))["line"] == 2
    assert next((one["rule"], one["remedy"] != "") for one in found if one["file"] == str(broken)) == (
        "agent-gzip",
        True,
    )
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
def test_a_process_that_dies_takes_nothing_with_it_and_leaves_nothing(files: list[Path], tmp_path: Path) -> None:
    run(plan(files, tmp_path / "whole"), OPTIONS)
    report = run(plan(files, tmp_path / "out"), OPTIONS, jobs=2, convert=workers.dies_once)
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
    first = subprocess.Popen(command, stdout=subprocess.PIPE)
    while not list(out.glob("part-*.done.json")) and first.poll() is None:
        time.sleep(0.01)
    first.kill()
    first.communicate(timeout=30)  # its processes end as well: nobody holds its output any more
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
        (lambda: plan_shards(["\0"], "o"), SettingsError),
        (lambda: run([], OPTIONS, jobs=0), SettingsError),
        (lambda: convert_shard(Shard(0, (), "\0"), OPTIONS), SettingsError),
        (lambda: [*records("\0")], ReadError),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_a_file_that_cannot_be_read_is_named_with_a_remedy(tmp_path: Path) -> None:
    for path, message in ((tmp_path, "is a directory; pass the file"), (tmp_path / "no", "no such file or directory")):
        with pytest.raises(SourceMissingError, match=f"^{path}: cannot be read: {message}"):
            convert_shard(Shard(0, (str(path),), str(tmp_path / "out")), OPTIONS)


# --- The recipes for other engines write what one process writes.


RECIPES = Path(__file__).parents[2] / "docs" / "recipes"
ENGINES = {"bulk_dask.py": "distributed", "bulk_pyspark.py": "pyspark", "bulk_ray.py": "ray"}
TRIED = [name for name, module in ENGINES.items() if module != "ray" or importlib.util.find_spec(module) is not None]


def test_every_recipe_is_known() -> None:
    assert {one.name for one in RECIPES.glob("bulk_*.py")} == ENGINES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("recipe", TRIED)
def test_other_engines_write_the_same_bytes(recipe: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(ENGINES[recipe]) is None:
        pytest.skip(f"{ENGINES[recipe]} is not installed: install it to run this test")
    if recipe == "bulk_pyspark.py" and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed: install a JRE, 17 or newer, to run this test")
    files = []
    for number in range(6):
        files.append(str(tmp_path / f"{number}.ndjson"))
        lines = (json.dumps(checkpoint(100 * number + line)) for line in range(40))
        Path(files[-1]).write_text("\n".join(lines), encoding="utf-8")
    quick_start = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # of Java, which has little to do here
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "JAVA_TOOL_OPTIONS": quick_start}
    command = [sys.executable, str(RECIPES / recipe), str(tmp_path / "out"), *files]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "240 checkpoints"
    run(plan_shards(files, tmp_path / "one", target_bytes=1 << 20), ConvertOptions())
    one, out = ({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("one", "out"))
    assert one == out


# --- A checkpoint that one command refuses is refused by all that make statements of it.


_VALUES: tuple[Json, ...] = (
    "",
    5,
    -1.5,
    True,
    None,
    [],
    {},
    ["x"],
    {"@id": "urn:x"},
    {"@type": "Dataset", "name": "n"},
)


def places(value: Json, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all members and entries."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*place, key)
        yield from places(one, (*place, key))


def mutants(seed: int, count: int) -> Iterator[Json]:
    """Yield documents with one member taken away or replaced, each with an identifier of its own."""
    chance = random.Random(seed)
    document = rich()
    among = list(places(document))
    for number in range(count):
        changed: Any = copy.deepcopy(document)
        *above, last = chance.choice(among)
        inner = changed
        for step in above:
            inner = inner[step]
        if chance.random() < 0.3:
            del inner[last]
        else:
            inner[last] = chance.choice(_VALUES)
        yield {**changed, "@id": f"urn:uuid:karenina-checkpoint-{number}.5"}


@pytest.mark.slow
def test_bulk_store_and_load_refuse_the_same(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    refused = set()
    for number, document in enumerate(mutants(7, 24)):
        file = tmp_path / "files" / f"{number}.json"
        file.write_text(json.dumps(document))
        try:
            checkpoint_ld.load(file)
        except ReadError:
            refused.add(str(file))
    assert 3 < len(refused) < 21

    [shard] = plan_shards(sorted((tmp_path / "files").iterdir()), tmp_path / "out")
    for profile in (None, "karenina"):
        result = convert_shard(shard, ConvertOptions(profile))
        lines = (tmp_path / "out" / "part-00000.graphs.jsonl").read_text().splitlines()
        written = [json.loads(line) for line in lines]
        assert {str(one["file"]) for one in written} == set(shard.paths) - refused
        assert result.failed == len(refused)

    quads = (tmp_path / "out" / "part-00000.nq").read_bytes().splitlines(keepends=True)
    for one in written:
        own, quads = quads[: one["quads"]], quads[one["quads"] :]
        again = checkpoint_ld.Benchmark.load(rdf_file(tmp_path, b"".join(own)))
        assert again == checkpoint_ld.Benchmark.load(one["file"]), one["file"]
    assert quads == []

    with Collection.open(tmp_path / "store") as collection:
        outcomes = collection.add(tmp_path / "files").outcomes
        assert {one.source for one in outcomes if one.kind is Kind.REFUSED} == refused


def rdf_file(folder: Path, quads: bytes) -> Path:
    (folder / "one.nq").write_bytes(quads)
    return folder / "one.nq"


# --- The programs that measure bulk runs and collections do their work, on a few checkpoints.


BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def program(name: str, *arguments: object) -> str:
    command = [sys.executable, str(BENCHMARKS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_checkpoints_are_the_same_every_time_in_files_and_in_lines(tmp_path: Path) -> None:
    for folder, options in (("files", ()), ("again", ()), ("lines", ("--lines", 4))):
        program("checkpoints.py", 6, tmp_path / folder, *options)
    files, again = ([one.read_bytes() for one in sorted((tmp_path / name).iterdir())] for name in ("files", "again"))
    assert files == again
    assert len({json.loads(one)["@id"] for one in files}) == 6
    lines = [one for file in sorted((tmp_path / "lines").iterdir()) for one in file.read_bytes().splitlines()]
    assert lines == files
    assert 3 < sum(len(json.loads(one)["dataFeedElement"]) for one in files) / 6 < 7


@pytest.mark.slow
def test_engines_are_compared_by_what_they_write(tmp_path: Path) -> None:
    program("checkpoints.py", 4, tmp_path / "lines", "--lines", 2)
    result = program("bulk_engines.py", tmp_path / "lines", tmp_path / "out", "--engines", 1, 2).splitlines()
    assert [line.split()[0] for line in result] == ["1", "2"]
    assert len({line.split()[-1] for line in result}) == 1


@pytest.mark.slow
def test_every_named_query_is_timed(tmp_path: Path) -> None:
    program("checkpoints.py", 3, tmp_path / "files")
    with Collection.open(tmp_path / "kept") as collection:
        assert len(collection.add(tmp_path / "files").outcomes) == 3
        collection.derive()
    result = program("named_queries.py", tmp_path / "kept", "--runs", 1).splitlines()
    assert result[0] == "3 checkpoints; seconds for the first 100 rows, and for all"
    assert [line.split()[0] for line in result[1:]] == list(queries.catalogue())
