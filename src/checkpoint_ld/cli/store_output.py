"""What the commands of `store` read and print."""

from __future__ import annotations

import tempfile
import textwrap
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import orjson

from checkpoint_ld.characters import harmless
from checkpoint_ld.cli import streams
from checkpoint_ld.cli.progress import bar
from checkpoint_ld.documents.files import is_packed, replace_file
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from checkpoint_ld.collection import Collection, LoadReport, Problem, Statistics

_IN_MEMORY = 1 << 24
_WIDTH = 80
"""Columns of a usual terminal."""
_QUIET_KINDS = frozenset(("unchanged", "added", "replaced"))
"""What needs no line of its own: the counts say it."""


def say(message: str) -> None:
    """Print a line on standard error."""
    streams.say(message)


def severity(name: str) -> Severity | None:
    """Return the severity of an option; None for `never`."""
    return Severity[name.upper()] if name != "never" else None


@contextmanager
def progress(*, quiet: bool, title: str = "loading") -> Iterator[Callable[[str, int], None] | None]:
    """Give a function that is told of each file and how many there are; None where nobody would see its bar."""
    with bar(title, quiet=quiet) as moved:
        if moved is None:
            yield None
        else:
            done = count()
            yield lambda _file, total: moved(next(done), total)


def show_outcomes(loaded: LoadReport, *, as_json: bool, quiet: bool) -> None:
    """Print what became of files: what is worth knowing of each, and how many there are of each kind."""
    for pattern in loaded.unmatched:
        say(f"{pattern}: no file matches")
    if as_json:
        _print_json(
            {
                "outcomes": [one.as_json() for one in loaded.outcomes],
                "counts": {str(kind): count for kind, count in loaded.counts.items()},
                "unmatched": loaded.unmatched,
                "passed_over": loaded.passed_over,
            }
        )
        return
    for one in loaded.refused:
        say("\n  ".join(f"refused: {one.message}".splitlines()))
    if quiet:
        return
    for one in loaded.outcomes:
        if one not in loaded.refused and str(one.kind) not in _QUIET_KINDS:
            about = f": {one.message}" if one.message else ""
            streams.show(f"{one.kind}: {one.source} ({one.graph}){about}")
    counts = ", ".join(f"{count} {kind}" for kind, count in loaded.counts.items())
    passed_over = f"; {loaded.passed_over} passed over, for they are no checkpoints" if loaded.passed_over else ""
    streams.show(f"{counts or 'nothing to load'}{passed_over}")


def show_entries(collection: Collection, *, as_json: bool) -> None:
    """Print the manifest: of each checkpoint its name, what is in it, its graph and its file."""
    if as_json:
        _print_json([collection.entries[graph].as_json() for graph in collection])
        return
    for graph in collection:
        entry = collection.entries[graph]
        findings = ", ".join(
            f"{count} {weight.name.lower()}{'' if count == 1 else 's'}"
            for weight, count in sorted(entry.findings.items(), reverse=True)
            if count
        )
        state = (findings or "no findings") if entry.is_done else "not loaded to its end"
        streams.show(harmless(textwrap.shorten(entry.name, _WIDTH, placeholder=" …")))
        streams.show(harmless(f"  {entry.triples} triples, {state}, {entry.dialect}"))
        streams.show(harmless(f"  {graph}"))
        streams.show(harmless(f"  {collection.source(graph)}"))


def show_statistics(found: Statistics, *, as_json: bool) -> None:
    """Print the statistics of a collection."""
    if as_json:
        _print_json(found.as_json())
        return
    streams.show(f"checkpoints  {found.checkpoints}" + (f", {found.unfinished} unfinished" if found.unfinished else ""))
    streams.show(f"triples      {found.triples}")
    streams.show("dialects     " + ", ".join(f"{name} ({count})" for name, count in found.dialects.items()))
    streams.show("findings     " + ", ".join(f"{count} {name}s" for name, count in found.findings.items()))
    streams.show(f"on disk      {found.bytes / 1e6:.1f} MB")


def show_problems(problems: Sequence[Problem], checkpoints: int, *, as_json: bool) -> None:
    """Print what `verify` found."""
    if as_json:
        _print_json([one.as_json() for one in problems])
        return
    for one in problems:
        streams.show(f"{one.graph or 'default graph'}: {one.message}" + (f"; {one.repair}" if one.repair else ""))
    left = sum(not one.repair for one in problems)
    if left:
        say(f"{left} problems: --repair loads again what it can")
    else:
        streams.show(f"{checkpoints} checkpoints, all as the manifest says")


def check_export(out: str, *, shards: int | None, compressed: bool, is_trig: bool) -> None:
    """Raise SettingsError for options of `export` that do not go together."""
    if shards is None and compressed:
        raise SettingsError("--gzip is for the files of --shards: give their number")
    if shards is not None and (out == streams.STANDARD or is_trig):
        raise SettingsError("--shards writes N-Quads into a folder: name it with --out, and leave out --to")


def write_dump(collection: Collection, out: str, syntax: str, *, force: bool) -> None:
    """Write a collection to a file, all of it or nothing, or to standard output."""
    if out == streams.STANDARD:
        collection.dump(streams.out(), syntax)
        return
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
        target = cast("BinaryIO", file)
        collection.dump(target, syntax)
        file.seek(0)
        replace_file(out, target, overwrite=force, pack=is_packed(out))


def _print_json(value: Any) -> None:
    streams.out().write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
