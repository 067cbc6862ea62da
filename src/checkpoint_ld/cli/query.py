"""The command `query`: questions in SPARQL about checkpoints, wherever they are."""

from __future__ import annotations

import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.push import Auth, AuthOption, CredentialsOption, ProfileOption, Store
from checkpoint_ld.cli.streams import Input
from checkpoint_ld.errors import SettingsError, SourceMissingError

if TYPE_CHECKING:
    from checkpoint_ld.sparql import QueryResult

EXIT_ROWS = 1
EXIT_FAILED = 2


class Engine(StrEnum):
    """What evaluates a query: the names of `sparql.running.ENGINES`."""

    OXIGRAPH = "oxigraph"
    RDFLIB = "rdflib"


class Format(StrEnum):
    """How results are written: the names of `sparql.formats.FORMATS`."""

    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    MARKDOWN = "markdown"
    TURTLE = "turtle"
    NTRIPLES = "ntriples"
    JSONLD = "jsonld"
    RDF_XML = "xml"


def query(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH]...", help="Files, folders and patterns, or a collection; - for standard input."),
    ] = None,
    text: Annotated[str | None, typer.Option("--query", help="The query, in SPARQL 1.1.")] = None,
    file: Annotated[str | None, typer.Option("--file", help="The file that holds it; - for standard input.")] = None,
    name: Annotated[str | None, typer.Option("--name", help="The name of a query that is shipped.")] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="A value for ?NAME; an IRI in <>. May be repeated."),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the named queries, or with --name explain one, and exit.")
    ] = False,
    format_: Annotated[
        Format | None,
        typer.Option(
            "--format", help="How to write it; without it the output's extension tells, else table or turtle."
        ),
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="The file to write it to.")] = streams.STANDARD,
    force: streams.Force = False,
    wide: Annotated[bool, typer.Option("--wide", help="Tables with full values, however wide.")] = False,
    inferred: Annotated[
        bool, typer.Option("--inferred", help="Add what follows from the checkpoints, as convert --inferred.")
    ] = False,
    derived: streams.Derived = False,
    engine: Annotated[Engine, typer.Option("--engine", help="What evaluates it.")] = Engine.OXIGRAPH,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="Give up after so many seconds.")
    ] = None,
    max_rows: Annotated[int | None, typer.Option("--max-rows", min=1, help="At most so many rows.")] = None,
    services: Annotated[
        list[str] | None,
        typer.Option("--allow-service", metavar="HOST", help="Let SERVICE ask HOST or HOST:PORT. May be repeated."),
    ] = None,
    fail_on_rows: Annotated[bool, typer.Option("--fail-on-rows", help="Exit with 1 if there are rows.")] = False,
    endpoint: Annotated[
        str | None, typer.Option("--endpoint", metavar="URL", help="Ask the triple store at this URL instead.")
    ] = None,
    profile: ProfileOption = Store.AUTO,
    auth: AuthOption = Auth.AUTO,
    credentials: CredentialsOption = None,
    syntax: Annotated[
        Input | None, typer.Option("--from", help="What is read, where neither extension nor content tells.")
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing but the result and what failed.")] = False,
) -> None:
    """Ask checkpoints in SPARQL, each a named graph, all of them together the default graph; nothing is fetched."""
    # The engine takes its time to import; --help should not wait for it.
    from checkpoint_ld.cli.query_run import Service, Sources, explained, listed, parameters_of
    from checkpoint_ld.documents.files import kind_of
    from checkpoint_ld.queries import Request, named, request
    from checkpoint_ld.sparql.formats import EXTENSIONS, default_format

    streams.check_outputs([*(paths or ()), file, credentials], output, force=force)
    kind = format_.value if format_ else kind_of(output, EXTENSIONS, None)
    if list_:
        streams.write_text(output, explained(named(name)) if name else listed(), force=force)
        return
    asked = _asked(text, file, name)
    values = parameters_of(parameters or (), typed=name is None)
    told = Request(asked, values) if name is None else request(asked, values)
    service = None if endpoint is None else Service(endpoint, profile.value, auth.value, credentials)
    sources = Sources(tuple(paths or ()), service, syntax, quiet=quiet)
    limits = {"engine": engine.value, "timeout": timeout, "max_rows": max_rows, "services": services or ()}
    result = sources.answer(told, inferred=inferred or derived, **limits)
    if result is not None:
        kind = kind or default_format(result)
        streams.write_report(output, _rendered(result, kind, output, wide=wide), kind, force=force)
        if not result and "http://schema.org/" in told.text:
            sources.say(
                "nothing fits http://schema.org/: in the graphs of checkpoints the vocabulary is https://schema.org/"
            )
        if result.is_cut:
            sources.fail(f"there is more: --max-rows {max_rows} cut the result")
    if sources.has_failed:
        raise typer.Exit(EXIT_FAILED)
    if fail_on_rows and result:
        raise typer.Exit(EXIT_ROWS)


def _asked(text: str | None, file: str | None, name: str | None) -> str:
    given = [one for one in (text, file, name) if one is not None]
    if len(given) != 1:
        raise SettingsError("give one query: --query TEXT, --file FILE or --name NAME; --list shows the names")
    if file is None:
        return given[0]
    try:
        if file == streams.STANDARD:
            return sys.stdin.buffer.read().decode("utf-8-sig")
        return Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceMissingError(f"{file}: the query cannot be read: {error}") from error


def _rendered(result: QueryResult, kind: str | None, output: str, *, wide: bool) -> str:
    from checkpoint_ld.sparql import formats

    width = shutil.get_terminal_size((100, 24)).columns if output == streams.STANDARD else None
    return formats.render(result, kind, width=width, wide=wide)
