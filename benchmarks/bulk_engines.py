"""One bulk conversion by several engines: what each takes, and whether all write the same bytes.

`python benchmarks/checkpoints.py 40000 lines --lines 1000` makes something to convert;
`python benchmarks/bulk_engines.py lines OUT` converts it by one process, by two, and by each of the recipes in
`docs/recipes` that are named, which have two workers.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import subprocess
import sys
import time
from pathlib import Path

from checkpoint_ld.batch.bulk import ConvertOptions, plan_shards, run

RECIPES = Path(__file__).parents[1] / "docs" / "recipes"
BYTES = 1 << 20
"""The size of a shard in the recipes: what is in which file depends on it."""


def converted(engine: str, files: list[str], out: Path) -> None:
    """Convert files: `1` and `2` are numbers of processes, everything else is a recipe."""
    if engine.isdigit():
        run(plan_shards(files, out, target_bytes=BYTES), ConvertOptions(), jobs=int(engine))
    else:
        recipe = RECIPES / f"bulk_{engine}.py"
        subprocess.run([sys.executable, str(recipe), str(out), *files], check=True, capture_output=True)  # noqa: S603 - our own recipe


def digest(folder: Path) -> str:
    """Return a hash of the names and contents of all files in a folder."""
    hashed = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        with file.open("rb") as opened:
            hashed.update(f"{file.name} {hashlib.file_digest(opened, 'sha256').hexdigest()}\n".encode())
    return hashed.hexdigest()


def main() -> int:
    """Convert by each engine; say what it took and the hash of what it wrote; return 1 if these differ."""
    parser = argparse.ArgumentParser(prog="python benchmarks/bulk_engines.py", description=__doc__)
    parser.add_argument("files", type=Path, help="the folder of what is to be converted")
    parser.add_argument("out", type=Path, help="the folder in which each engine gets one of its own")
    parser.add_argument("--engines", nargs="+", default=["1", "2", "dask", "pyspark"])
    given = parser.parse_args()
    files = sorted(map(str, given.files.iterdir()))
    digests = set()
    for engine in given.engines:
        out = given.out / engine
        start, before = time.perf_counter(), _processor_time()
        converted(engine, files, out)
        clock, used = time.perf_counter() - start, _processor_time() - before
        digests.add(found := digest(out))
        size = sum(file.stat().st_size for file in out.iterdir()) >> 20
        sys.stdout.write(f"{engine:8} {clock:7.1f} s  CPU {used:7.1f} s  {size} MiB  {found}\n")
        sys.stdout.flush()
    return int(len(digests) > 1)


def _processor_time() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    sys.exit(main())
