"""What an edit costs, side by side in one run: `python benchmarks/edits.py [--base PYTHON] 1000 10000`.

One question is edited, then the benchmark is validated or queried; or its text is edited in an editor, whose language
server then finds, outlines, explains and completes. Each figure is the median of some edits: CPU time, and in an editor
the time that somebody waits. With `--base`, the Python of an environment with another build, the same jobs run there
too, and the ratio is to that build. The documents are those of `documents.py` and `rich_documents.py`. The last row is
a second `validate` of a folder of files that have not changed, as a whole process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_documents
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from rich.console import Console
from rich.table import Table

from checkpoint_ld import Benchmark, families
from documents import document

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

EDITS = 5
FILES = 300
QUERY = "SELECT ?date { <%s> <https://schema.org/dateModified> ?date }"


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of `work`."""
    start = time.process_time()
    work()
    return time.process_time() - start


def jobs(file: Path) -> dict[str, float]:
    """Return the median times of the jobs after an edit of one question, in this build."""
    data = file.read_bytes()
    profiles = families.Profiles()
    benchmark = Benchmark.load(file)
    query = QUERY % benchmark.id
    taken: dict[str, list[float]] = {
        "whole verdict": [seconds(partial(families.check, data, profiles)) for _ in range(3)]
    }
    benchmark.validate()
    other = Benchmark.load(file)  # a store of queries with the inferred statements
    other.query(query, inferred=True)
    benchmark.query(query)
    for number, identifier in enumerate(benchmark.get_question_ids()[: EDITS + 1]):
        for one in (benchmark, other):
            one.update_question_metadata(identifier, raw_answer=f"answer {number}")
        jobs: dict[str, Callable[[], object]] = {
            "edit, then validate": benchmark.validate,
            "edit, then query": partial(benchmark.query, query),
            "the same query again": partial(benchmark.query, query),
            "edit, then query with inferred statements": partial(other.query, query, inferred=True),
            "the same query with them again": partial(other.query, query, inferred=True),
        }
        for name, job in jobs.items():
            taken.setdefault(name, []).append(seconds(job))
    taken |= asyncio.run(in_editor(file))
    return {name: statistics.median(times[1:] or times) for name, times in taken.items()}


async def in_editor(file: Path) -> dict[str, list[float]]:
    """Return the times of a language server for each key stroke in a text, and for what is wanted after it."""
    editor, published = LanguageClient("benchmark", "1"), asyncio.Queue[int | None]()

    @editor.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]  # pygls' own
    def _(params: types.PublishDiagnosticsParams) -> None:
        published.put_nowait(params.version)

    def edit(version: int, text: str) -> None:
        named = types.VersionedTextDocumentIdentifier(version, file.as_uri())
        changes: list[Any] = [types.TextDocumentContentChangeWholeDocument(text)]
        if sync == types.TextDocumentSyncKind.Incremental:
            changes = [types.TextDocumentContentChangePartial(types.Range(place, place), "x")]
        editor.text_document_did_change(types.DidChangeTextDocumentParams(named, changes))

    text = file.read_text()
    at = text.index('"text"', len(text) // 2) + len('"text": "')
    line = text.count("\n", 0, at)
    place = types.Position(line, at - text.rfind("\n", 0, at) - 1)
    command = "from checkpoint_ld.cli import main; import sys; sys.argv = ['checkpoint-ld', 'lsp']; main()"
    await editor.start_io(sys.executable, "-c", command)
    began = await editor.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
    sync: Any = getattr(began.capabilities.text_document_sync, "change", None)
    document = types.TextDocumentIdentifier(file.as_uri())
    editor.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(document.uri, "json", 0, text))
    )
    await published.get()
    wanted: dict[str, Callable[[], Awaitable[Any]]] = {
        "editor: findings after a key stroke": published.get,
        "editor: outline after it": partial(
            editor.text_document_document_symbol_async, types.DocumentSymbolParams(document)
        ),
        "editor: hover after it": partial(editor.text_document_hover_async, types.HoverParams(document, place)),
        "editor: completion after it": partial(
            editor.text_document_completion_async, types.CompletionParams(document, place)
        ),
    }
    taken: dict[str, list[float]] = {}
    for version in range(1, EDITS + 2):
        text = text[:at] + "x" + text[at:]
        for name, answer in wanted.items():
            before = time.perf_counter()
            if answer == published.get:
                edit(version, text)
            await answer()
            taken.setdefault(name, []).append(time.perf_counter() - before)
    await editor.shutdown_async(None)
    editor.exit(None)
    await editor.stop()  # type: ignore[no-untyped-call]  # pygls' own
    return taken


def by_build(python: str, file: Path) -> dict[str, float]:
    """Return the times of the jobs with the build in an environment."""
    command = [python, __file__, "--child", str(file)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)  # noqa: S603 - this program
    return found


def second_validation(python: str) -> tuple[float, float]:
    """Return the times of the first and of the second `validate` of files, each a whole process."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(FILES):
            (Path(folder) / f"{number}.jsonld").write_bytes(document(20, number))
        command = [python, "-c", "from checkpoint_ld.cli import main; main()", "validate", ".", "--quiet"]
        taken = []
        for _ in range(2):
            start = time.perf_counter()
            subprocess.run(command, check=False, capture_output=True, cwd=folder)  # noqa: S603 - this package
            taken.append(time.perf_counter() - start)
    return taken[0], taken[1]


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[1_000, 10_000])
    parser.add_argument("--base", help="the Python of an environment with another build")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        print(json.dumps(jobs(given.child)))  # noqa: T201 - for the process that started this one
        return

    table = Table("questions", "job", "ms", "base, ms", "base / this", title="what an edit costs")
    with tempfile.TemporaryDirectory() as folder:
        for size in given.sizes:
            for kind, make in {"clean": document, "rich": rich_documents.document}.items():
                file = Path(folder) / f"{kind}-{size}.jsonld"
                file.write_bytes(make(size, 1))
                ours = by_build(sys.executable, file)
                theirs: dict[str, Any] = {} if given.base is None else by_build(given.base, file)
                for name, cost in ours.items():
                    other = theirs.get(name)
                    beside = ("-", "-") if other is None else (f"{other * 1000:.1f}", f"{other / cost:.1f}")
                    table.add_row(f"{size}, {kind}", name, f"{cost * 1000:.1f}", *beside)
    first, second = second_validation(sys.executable)
    beside = f"{first * 1000:.0f}", f"{first / second:.1f}"
    table.add_row(f"{FILES} files", "second validate (beside the first)", f"{second * 1000:.0f}", *beside)
    Console().print(table)


if __name__ == "__main__":
    main()
