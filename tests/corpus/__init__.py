"""What the tests against real documents share: the tables that say what is in the documents."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from checkpoint_ld import Benchmark

Json = Any


@cache
def lines(corpus: Path, table: str) -> list[dict[str, Json]]:
    """Return the entries of a table with one JSON object to a line."""
    with gzip.open(corpus / table, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def expectations(corpus: Path, dialect: str) -> list[dict[str, Json]]:
    """Return what is expected of the documents of one dialect; there is always something."""
    found = [case for case in lines(corpus, "expected.jsonl.gz") if case["dialect"] == dialect]
    assert found
    return found


@cache
def loaded(path: Path) -> Benchmark:
    """Return the benchmark in a document, to look at and not to change: it is loaded once for all tests."""
    return Benchmark.load(path)


DIALECTS = (
    *("v2.0-other", "v2.0-traits-key", "v2.0", "flat", "datafeed-ns-v3"),
    *("gui-datafeed", "datafeed-legacy", "dataset-0", "dataset-1"),
)
WRITABLE = ("v2.0", "datafeed-ns-v3", "gui-datafeed", "dataset-1")


def templates_of(file: Path) -> list[str]:
    """Return the texts of all templates in a file, of none where it is no JSON."""
    found: list[str] = []

    def keep(node: dict[str, Any]) -> dict[str, Any]:
        if node.get("@type") == "SoftwareSourceCode" and isinstance(node.get("text"), str):
            found.append(node["text"])
        return node

    try:
        json.loads(file.read_bytes(), object_hook=keep)
    except ValueError:
        return []
    return found
