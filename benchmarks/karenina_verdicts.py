"""What Karenina makes of documents with one fault each, and whether the profile `karenina` says the same.

    python benchmarks/karenina_verdicts.py record TABLE BENCHMARK...   # in an environment with Karenina
    python benchmarks/karenina_verdicts.py compare TABLE               # prints where the two agree

`record` changes each value of each benchmark in ten ways, has Karenina load, read and save the result, and writes one
JSON array a line: the name of the benchmark, the JSON Pointer of the value, the change, what Karenina did, and how.
`compare` validates the same documents, which stand beside the table. It holds the rules to benchmarks that they were
not derived from: each row of what it prints is one benchmark.

A verdict agrees if Karenina refuses the document, or fails on it later, and there is a violation; if it loads another
value than the document has, or none, and there is a warning or a violation; and if it keeps the value and there is no
violation.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

import checkpoint_ld

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DELETE = "delete"
VALUES: dict[str, Any] = {
    "null": None,
    "5": 5,
    "negative": -1,
    "true": True,
    "text": "x",
    "empty": "",
    "array": [],
    "array of text": ["x"],
    "object": {},
}
"""What replaces a value, by the name of the change."""
Row = tuple[str, str, str, str, str]


def places(value: Any, pointer: str = "") -> Iterator[str]:
    """Yield the JSON Pointers (RFC 6901) of all values in a document, its context aside."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        if key != "@context":
            place = f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"
            yield place
            yield from places(member, place)


def changed(document: Any, pointer: str, change: str) -> Any:
    """Return a copy of a document with one value deleted or replaced."""
    made = copy.deepcopy(document)
    *steps, last = (step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])
    holder = made
    for step in steps:
        holder = holder[int(step) if isinstance(holder, list) else step]
    key = int(last) if isinstance(holder, list) else last
    if change == DELETE:
        del holder[key]
    else:
        holder[key] = VALUES[change]
    return made


def held(document: Any, pointer: str) -> Any:
    """Return the value at a JSON Pointer, `places` itself where there is none."""
    for step in pointer.split("/")[1:]:
        try:
            key = step.replace("~1", "/").replace("~0", "~")
            document = document[int(key) if isinstance(document, list) else key]
        except (KeyError, IndexError, ValueError, TypeError):
            return places
    return document


def outcome(document: Any, pointer: str, folder: Path) -> tuple[str, str]:
    """Return what Karenina does with a changed document."""
    from karenina.benchmark import Benchmark  # noqa: PLC0415 - only the recording needs Karenina

    path, saved = folder / "changed.jsonld", folder / "saved.jsonld"
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    try:
        benchmark = Benchmark.load(path)
    except Exception as error:  # noqa: BLE001 - whatever a foreign program raises is its answer
        return "refuses", type(error).__name__
    try:
        benchmark.get_all_questions()
        benchmark.get_global_rubric()
        benchmark.save(saved, save_deep_judgment_config=True)
    except Exception as error:  # noqa: BLE001 - as above
        return "loads", f"fails later: {type(error).__name__}"
    before, after = held(document, pointer), held(json.loads(saved.read_text(encoding="utf-8")), pointer)
    if after is places:
        return "loads", "kept" if before is places else "gone"
    return "loads", "kept" if json.dumps(before) == json.dumps(after) else "changed"


def record(table: Path, benchmarks: Iterable[Path]) -> None:
    """Write the table of what Karenina does."""
    with gzip.open(table, "wt", encoding="utf-8") as out, tempfile.TemporaryDirectory() as folder:
        for path in benchmarks:
            document = json.loads(path.read_text(encoding="utf-8"))
            for pointer in places(document):
                for change in (DELETE, *VALUES):
                    if change == DELETE or held(document, pointer) != VALUES[change]:
                        made = changed(document, pointer, change)
                        row = path.name, pointer, change, *outcome(made, pointer, Path(folder))
                        out.write(json.dumps(row, ensure_ascii=False) + "\n")


def rows(table: Path) -> Iterator[Row]:
    """Yield the rows of a table."""
    with gzip.open(table, "rt", encoding="utf-8") as lines:
        yield from map(tuple, map(json.loads, lines))


def is_alike(document: Any, row: Row, known: frozenset[str]) -> bool:
    """Return whether the profile has the verdict of a row about a changed document.

    `known` are the codes of the warnings about the document before the change.
    """
    report = checkpoint_ld.validate(json.dumps(document, ensure_ascii=False).encode())
    is_refused = not report.conforms
    if row[3] == "refuses" or row[4].startswith("fails"):
        return is_refused
    if row[4] == "kept":
        return not is_refused
    return is_refused or any(one.code not in known for one in report.at_least(checkpoint_ld.Severity.WARNING))


def compare(table: Path) -> int:
    """Print the agreement for each benchmark, and the rows that differ; return how many these are."""
    counts: dict[str, Counter[bool]] = defaultdict(Counter)
    documents: dict[str, Any] = {}
    known: dict[str, frozenset[str]] = {}
    console = Console(width=140)
    for row in rows(table):
        name, pointer, change = row[:3]
        if name not in documents:
            documents[name] = json.loads((table.parent / name).read_text(encoding="utf-8"))
            before = checkpoint_ld.validate(table.parent / name).at_least(checkpoint_ld.Severity.WARNING)
            known[name] = frozenset(one.code for one in before)
        verdict = is_alike(changed(documents[name], pointer, change), row, known[name])
        counts[name][verdict] += 1
        if not verdict:
            console.print(" ".join(row), markup=False)
    shown = Table("benchmark", "documents", "alike", title="the profile karenina and Karenina")
    for name, found in counts.items():
        shown.add_row(name, f"{found.total():,}", f"{found[True] / found.total():.2%}")
    console.print(shown)
    return sum(found[False] for found in counts.values())


def main() -> None:
    """Record a table, or compare one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=("record", "compare"))
    parser.add_argument("table", type=Path, help="the table, a file of JSON lines packed with gzip")
    parser.add_argument("benchmarks", type=Path, nargs="*", help="the benchmarks to change")
    given = parser.parse_args()
    if given.job == "record":
        record(given.table, given.benchmarks)
    elif compare(given.table):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
