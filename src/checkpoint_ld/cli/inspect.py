"""The commands `inspect` and `site`, which show checkpoints, and `fingerprint`, `sign` and `verify-signature`."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from checkpoint_ld.cli import EXIT_FAILED, options, streams
from checkpoint_ld.cli.options import EXIT_FOUND, Command
from checkpoint_ld.errors import BadKeyError, BadSignatureError, ReadError, SettingsError
from checkpoint_ld.phrases import counted, harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.families.inspection import AgentInspection, Inspection
    from checkpoint_ld.findings import Finding

_MOST_KEYWORDS = 12
_MOST_LINES = 8
_MOST_OF_A_CODE = 3


@click.command(cls=Command)
def inspect(
    *,
    file: str = options.argument("FILE", "The checkpoint to read; - for standard input."),
    as_json: bool = options.JSON,
    syntax: str | None = options.SYNTAX,
) -> None:
    """Show the content of a checkpoint: name, dialect, counts of questions and traits, and all findings."""
    # Reading takes its time to import; --help should not wait for it.
    from rich.table import Table
    from rich.text import Text

    from checkpoint_ld.families import inspection

    overview = inspection.inspect(streams.read(file, syntax=syntax, checked=True))
    if as_json:
        streams.show_json(overview.as_json())
        return
    lines = _findings(overview.findings)
    if isinstance(overview, inspection.AgentInspection):
        from checkpoint_ld.cli.agent import show_checkpoint

        show_checkpoint(overview.checkpoint)
        rows = _rows_of_agent(overview)
    else:
        rows = _rows(overview)
        lines = [*_suspicious_ids(overview), *lines]
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in rows.items():
        if value:
            table.add_row(label, Text(value))
    console = streams.console()
    console.print(table)
    for line, style in lines:
        console.print(Text(line, style=style), soft_wrap=True)


def _rows(overview: Inspection) -> dict[str, str]:
    from checkpoint_ld.benchmark.editing import published_text

    keywords = [f"{keyword} ({count})" for keyword, count in list(overview.keywords.items())[:_MOST_KEYWORDS]]
    more = len(overview.keywords) - len(keywords)
    contents = (
        {"scenarios": str(overview.scenarios)}
        if overview.scenarios
        else {"questions": f"{overview.questions}: {overview.templates} with a template, {overview.finished} finished"}
    )
    return {
        "name": overview.name,
        "version": overview.version or "",
        "creator": overview.creator or "",
        "dates": " to ".join(date for date in (overview.created, overview.modified) if date),
        **{
            "about" if name == "keywords" else name: published_text(value) or ""
            for name, value in overview.published.items()
        },
        "dialect": _dialect(overview),
        "graph": f"{overview.root}, {overview.triples} triples",
        **contents,
        "traits": ", ".join(f"{count} {scope} {kind}" for (scope, kind), count in overview.traits.items()),
        "keywords": ", ".join(keywords) + (f" and {more} more" if more else ""),
    }


def _rows_of_agent(overview: AgentInspection) -> dict[str, str]:
    return {
        "dialect": _dialect(overview),
        "graph": f"{overview.root}, {overview.triples} triples",
        "types": ", ".join(f"{count} {kind}" for kind, count in overview.thoughts.items()),
        "tools": ", ".join(f"{name or 'unknown'} ({count})" for name, count in overview.calls.items()),
        "calls": f"{overview.failed} failed, {overview.in_flight} in flight" if overview.calls else "",
    }


def _dialect(overview: Inspection | AgentInspection) -> str:
    return overview.dialect if overview.syntax == "json" else f"{overview.dialect}, as {overview.syntax}"


def _suspicious_ids(overview: Inspection) -> Iterator[tuple[str, str]]:
    if overview.suspicious_ids:
        shown = overview.suspicious_ids[:_MOST_LINES]
        yield f"\nsuspicious identifiers: {len(overview.suspicious_ids)}", "bold"
        yield from ((f"  {suspicious.identifier!r} {suspicious.reason}", "") for suspicious in shown)
        yield from _more(len(overview.suspicious_ids) - len(shown))


def _findings(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    if not findings:
        return [("\nno findings", "green")]
    counts = Counter(finding.code for finding in findings)
    shown = [
        (f"  {finding}", "")
        for code in counts
        for finding in [finding for finding in findings if finding.code == code][:_MOST_OF_A_CODE]
    ]
    codes = ", ".join(f"{count} {code}" for code, count in counts.items())
    return [(f"\nwarnings: {codes}", "bold yellow"), *shown, *_more(len(findings) - len(shown))]


def _more(count: int) -> list[tuple[str, str]]:
    return [(f"  … and {count} more: --json lists them all", "")] if count else []


@click.command(cls=Command)
def site(
    *,
    paths: tuple[str, ...] = options.PATHS,
    folder: str = options.folder("The folder to write.", required=True),
    answers: tuple[str, ...] = options.file(
        "--answers", multiple=True, help="Recorded answers to show with their verdicts; may be repeated."
    ),
    title: str = options.value("--title", default="Benchmarks", help="The title of the site."),
    url: str | None = options.value("--url", help="The address of the site, for canonical links of pages."),
    force: bool = options.flag("--force", help="Replace the site that is in the folder; other files stay."),
    syntax: str | None = options.SYNTAX,
    quiet: bool = options.QUIET,
) -> None:
    """Write static pages about benchmarks and runs of agents, to read and to search from a folder."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld.site import write_site

    # The files of an older site in the folder are no sources.
    older = Path(folder).resolve()
    files = streams.discovered(paths, "show", quiet=quiet).files
    sources = [source for source in files if older not in Path(source).resolve().parents]
    written = write_site(sources, folder, answers=answers, title=title, url=url, overwrite=force, syntax=syntax)
    streams.note_first(written.remarks, "more of these")
    if not quiet:
        named = ("benchmark", written.benchmarks), ("question", written.questions), ("run", written.runs)
        counts = [counted(number, noun) + " of agents" * (noun == "run") for noun, number in named if number]
        streams.show(f"{folder}: {counted(written.pages, 'page')} about {', '.join(counts)}")


@click.command(cls=Command)
def fingerprint(
    *,
    paths: tuple[str, ...] = options.argument(
        "[PATH]…", "Files, folders and patterns; - for standard input.", nargs=-1
    ),
    sums: str | None = options.file(
        "--check", help="A list that this command printed, - for standard input: compare its files with it."
    ),
    syntax: str | None = options.SYNTAX,
) -> None:
    """Print the fingerprints of checkpoints, which depend on what they state alone; or check a list of them."""
    from checkpoint_ld.documents.files import read_bytes
    from checkpoint_ld.families import identity

    if (sums is None) == (not paths):
        raise click.UsageError("Name files, or a list by --check.")
    code = 0
    expected: list[tuple[str | None, str]]
    if sums is None:
        expected = [(None, file) for file in streams.discovered(paths, "fingerprint").files]
    else:
        listed = read_bytes(streams.source_of(sums))[0].decode("utf-8", "surrogateescape")
        expected = [*identity.read_sums(listed, sums)]
    for wanted, file in expected:
        try:
            digits = identity.fingerprint(streams.source_of(file), syntax=syntax)
        except ReadError as error:
            streams.note(str(error))
            code = EXIT_FAILED
            continue
        if wanted is None:
            streams.write(streams.STANDARD, identity.sum_line(digits, file).encode("utf-8", "surrogateescape"))
        else:
            streams.show(f"{harmless(file)}: {'OK' if digits == wanted else 'FAILED'}")
            code = code or (0 if digits == wanted else EXIT_FOUND)
    raise Exit(code)


PASSWORD = "CHECKPOINT_LD_KEY_PASSWORD"  # noqa: S105 - the name of a variable
"""The environment variable with the password of the key."""


@click.command(cls=Command)
def sign(
    *,
    file: str = options.argument("FILE", "The checkpoint; - for standard input."),
    key: str = options.file("--key", required=True, help="The private key: Ed25519, in PEM."),
    output: Output = options.output("The file to write the signature to; - for standard output."),
    syntax: str | None = options.SYNTAX,
) -> None:
    """Sign a checkpoint: what it states, whatever its syntax and layout."""
    from checkpoint_ld.documents.files import read_bytes
    from checkpoint_ld.families import identity

    output.check(file, key)
    password = os.environ.get(PASSWORD) or None  # a pipeline sets the variable of an absent secret to nothing
    private, _ = read_bytes(key)
    secret = None if password is None else password.encode()
    try:
        signature = identity.sign(streams.source_of(file), private, password=secret, syntax=syntax)
    except BadKeyError as error:
        raise SettingsError(f"{key}: {error}") from error
    output.write(signature.encode())


@click.command("verify-signature", cls=Command)
def verify_signature(
    *,
    file: str = options.argument("FILE", "The checkpoint; - for standard input."),
    signature: str = options.argument("SIGNATURE", "The file that sign wrote."),
    key: str = options.file("--key", required=True, help="The public key: Ed25519, in PEM."),
    syntax: str | None = options.SYNTAX,
) -> None:
    """Check whether a signature is one of a checkpoint; exit with 1 if it is not."""
    from checkpoint_ld.documents.files import read_bytes
    from checkpoint_ld.families import identity

    stated, public = read_bytes(signature)[0], read_bytes(key)[0]
    try:
        is_good = identity.verify_signature(streams.source_of(file), stated, public, syntax=syntax)
    except (BadKeyError, BadSignatureError) as error:
        which = key if isinstance(error, BadKeyError) else signature
        raise SettingsError(f"{which}: {error}") from error
    if is_good:
        streams.show("the signature is good")
        return
    streams.show("the signature is not one of this checkpoint with this key")
    raise Exit(EXIT_FOUND)
