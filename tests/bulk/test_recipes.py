"""The recipes for other engines write what one process writes.

Ray is tried only where somebody installed it: it binds to all addresses and looks for those of networks, whatever it
is reported.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint_ld.batch.bulk import ConvertOptions, plan_shards, run
from tests.collection.conftest import checkpoint

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
