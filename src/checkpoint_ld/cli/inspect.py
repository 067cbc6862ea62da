"""The commands `inspect` and `site`: what checkpoints hold, as text, as JSON or as static pages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import Command, argument, as_json, files, flag, output_folder, paths, quiet, syntax

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checkpoint_ld.families.inspection import AgentInspection, Inspection
    from checkpoint_ld.findings import Finding

_MOST_KEYWORDS = 12
_MOST_LINES = 8
_MOST_OF_A_CODE = 3


@click.command(cls=Command)
@argument("file", "FILE", "The checkpoint to read; - for standard input.")
@as_json
@syntax
def inspect(file: str, as_json: bool, syntax: str | None) -> None:
    """Show what a checkpoint holds: name, dialect, counts of questions and traits, and everything odd about it."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld.families import inspection

    found = inspection.inspect(streams.read(file, syntax=syntax))
    if as_json:
        streams.show_json(found.as_json())
        return
    console = streams.console()
    if isinstance(found, inspection.AgentInspection):
        from checkpoint_ld.cli.agent import show_checkpoint

        show_checkpoint(found.checkpoint)
        console.print(_table(_rows_of_agent(found)))
        lines = tuple(_findings(found.findings))
    else:
        console.print(_table(_rows(found)))
        lines = (*_suspicious_ids(found), *_findings(found.findings))
    for line in lines:
        console.print(line, soft_wrap=True)


def _table(rows: Iterable[tuple[str, str]]) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in rows:
        if value:
            table.add_row(label, Text(value))
    return table


def _rows(found: Inspection) -> Iterator[tuple[str, str]]:
    from checkpoint_ld.benchmark.editing import published_text

    yield "name", found.name
    yield "version", found.version or ""
    yield "creator", found.creator or ""
    yield "dates", " to ".join(one for one in (found.created, found.modified) if one)
    for name, value in found.published.items():
        yield ("about" if name == "keywords" else name), published_text(value) or ""
    yield "dialect", _dialect(found)
    yield "graph", f"{found.root}, {found.triples} triples"
    if found.scenarios:
        yield "scenarios", str(found.scenarios)
    else:
        yield "questions", f"{found.questions}: {found.templates} with a template, {found.finished} finished"
    yield "traits", ", ".join(f"{count} {scope} {kind}" for (scope, kind), count in found.traits.items())
    keywords = [f"{keyword} ({count})" for keyword, count in list(found.keywords.items())[:_MOST_KEYWORDS]]
    more = len(found.keywords) - len(keywords)
    yield "keywords", ", ".join(keywords) + (f" and {more} more" if more else "")


def _rows_of_agent(found: AgentInspection) -> Iterator[tuple[str, str]]:
    yield "dialect", _dialect(found)
    yield "graph", f"{found.root}, {found.triples} triples"
    yield "types", ", ".join(f"{count} {kind}" for kind, count in found.thoughts.items())
    yield "tools", ", ".join(f"{name or 'unknown'} ({count})" for name, count in found.calls.items())
    yield "calls", f"{found.failed} failed, {found.in_flight} in flight" if found.calls else ""


def _dialect(found: Inspection | AgentInspection) -> str:
    return found.dialect if found.syntax == "json" else f"{found.dialect}, as {found.syntax}"


def _suspicious_ids(found: Inspection) -> Iterator[Text]:
    if found.suspicious_ids:
        shown = found.suspicious_ids[:_MOST_LINES]
        yield Text(f"\nsuspicious identifiers: {len(found.suspicious_ids)}", style="bold")
        yield from (Text(f"  {one.identifier!r} {one.reason}") for one in shown)
        yield from _more(len(found.suspicious_ids) - len(shown))


def _findings(findings: Sequence[Finding]) -> Iterator[Text]:
    if not findings:
        yield Text("\nnothing odd was found", style="green")
        return
    counts = Counter(one.code for one in findings)
    codes = ", ".join(f"{count} {code}" for code, count in counts.items())
    yield Text(f"\nwarnings: {codes}", style="bold yellow")
    shown = 0
    for code in counts:
        for one in [one for one in findings if one.code == code][:_MOST_OF_A_CODE]:
            shown += 1
            yield Text(f"  {one}")
    yield from _more(len(findings) - shown)


def _more(count: int) -> Iterator[Text]:
    if count:
        yield Text(f"  … and {count} more: --json lists them all")


@click.command(cls=Command)
@paths
@output_folder("The folder to write.", required=True)
@click.option(
    "--answers",
    multiple=True,
    shell_complete=files,
    help="Recorded answers to show with their verdicts; may be repeated.",
)
@click.option("--title", default="Benchmarks", help="What the site is called.")
@click.option("--url", help="Where the site will be, so that pages name their own address.")
@flag("--force", help="Replace the site that is in the folder; other files stay.")
@syntax
@quiet
def site(*, paths: tuple[str, ...], folder: str, force: bool, quiet: bool, **settings: Any) -> None:
    """Write static pages about benchmarks and runs of agents, to read and to search from a folder."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld.phrases import counted
    from checkpoint_ld.site import write_site

    # The files that an older site offers are no versions of what it was made of.
    older = Path(folder).resolve()
    found = streams.discovered(paths, "show", quiet=quiet).files
    sources = [one for one in found if older not in Path(one).resolve().parents]
    written = write_site(sources, folder, overwrite=force, **settings)
    streams.say_first(written.remarks, "more of these")
    if not quiet:
        named = ("benchmark", written.benchmarks), ("question", written.questions), ("run", written.runs)
        counts = [counted(number, noun) + " of agents" * (noun == "run") for noun, number in named if number]
        streams.show(f"{folder}: {counted(written.pages, 'page')} about {', '.join(counts)}")
