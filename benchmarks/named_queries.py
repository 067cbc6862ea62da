"""All named queries over a large collection: how long each takes for its first rows, and for all of them.

`python benchmarks/checkpoints.py 10000 files` and `checkpoint-ld store add collection files` make one of about five
million statements; `python benchmarks/named_queries.py collection` asks it. What a query needs is taken from its
example. A time is the median of some runs, in seconds of the processor.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import sys
import time
from typing import Any

from checkpoint_ld.sparql.queries import NamedQuery, catalogue
from checkpoint_ld.stores.collection import Collection


def parameters(query: NamedQuery) -> dict[str, Any]:
    """Return the parameters of the example of a query that it cannot do without."""
    told = (one.partition("=") for one in shlex.split(query.example) if "=" in one)
    return {name: value for name, _, value in told if query.parameters[name].is_required}


def asked(collection: Collection, query: NamedQuery, runs: int, max_rows: int | None) -> tuple[float, int]:
    """Return the median time of a query, in seconds of the processor, and how many rows it gave."""
    used, rows = [], 0
    for _ in range(runs):
        before = time.process_time()
        rows = len(collection.query(query.name, max_rows=max_rows, **parameters(query)))
        used.append(time.process_time() - before)
    return statistics.median(used), rows


def main() -> None:
    """Ask, and say what it took."""
    parser = argparse.ArgumentParser(prog="python benchmarks/named_queries.py", description=__doc__)
    parser.add_argument("collection")
    parser.add_argument("names", nargs="*", help="the queries to ask; all of them unless named")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--first", type=int, default=100, help="how many rows come first")
    given = parser.parse_intermixed_args()
    with Collection.open(given.collection, read_only=True) as collection:
        sys.stdout.write(f"{len(collection)} checkpoints; seconds for the first {given.first} rows, and for all\n")
        for name, query in catalogue().items():
            if not given.names or name in given.names:
                first, _ = asked(collection, query, given.runs, given.first)
                whole, rows = asked(collection, query, given.runs, None)
                sys.stdout.write(f"{name:18} {rows:7} rows  {first:7.2f} s  {whole:7.2f} s\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
