"""The programs that measure bulk runs and collections do their work, on a few checkpoints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint_ld.sparql import queries
from checkpoint_ld.stores.collection import Collection

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
