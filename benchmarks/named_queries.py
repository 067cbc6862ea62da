"""All named queries over a large collection: how long each takes, and how many rows it has.

`python benchmarks/checkpoints.py 10000 files` and `checkpoint-ld store add collection files` make one of about five
million statements; `python benchmarks/named_queries.py collection` asks it. What a query needs is taken from its
example. A time is the median of some runs, of the processor and of the clock.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import sys
import time
from typing import Any

from checkpoint_ld.collection import Collection
from checkpoint_ld.queries import NamedQuery, catalogue


def parameters(query: NamedQuery) -> dict[str, str]:
    """Return the parameters of the example of a query that it cannot do without."""
    told = (one.partition("=") for one in shlex.split(query.example) if "=" in one)
    return {name: value for name, _, value in told if query.parameters[name].is_required}


def main() -> None:
    """Ask, and say what it took."""
    parser = argparse.ArgumentParser(prog="python benchmarks/named_queries.py", description=__doc__)
    parser.add_argument("collection")
    parser.add_argument("names", nargs="*", help="the queries to ask; all of them unless named")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_intermixed_args()
    with Collection.open(given.collection, read_only=True) as collection:
        sys.stdout.write(f"{len(collection)} checkpoints\n")
        for name, query in catalogue().items():
            if given.names and name not in given.names:
                continue
            used, clock, rows = [], [], 0
            asked: dict[str, Any] = {**parameters(query)}
            for _ in range(given.runs):
                start, before = time.perf_counter(), time.process_time()
                rows = len(collection.query(name, **asked))
                used.append(time.process_time() - before)
                clock.append(time.perf_counter() - start)
            sys.stdout.write(f"{name:18} {rows:7} rows  {statistics.median(used):7.2f} s CPU  ")
            sys.stdout.write(f"{statistics.median(clock):7.2f} s\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
