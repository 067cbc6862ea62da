"""What the commands share: options in one wording, former spellings, and help that describes arguments."""

from __future__ import annotations

import warnings
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from checkpoint_ld.cli.streams import STANDARD, Output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from click.shell_completion import CompletionItem

    Run = Callable[..., None]

EXIT_FOUND = 1
"""The exit code where something was found: findings, differences, files that were refused, answers that fail.

`checkpoint_ld.cli.EXIT_FAILED` goes before it.
"""
INPUTS = ("json", "turtle", "nt", "nq", "trig", "xml")
"""What can be read where neither extension nor content tells: JSON, and the names of `rdf.SYNTAXES`."""
FAIL_ON = ("violation", "warning", "info", "never")
"""From which severity on findings make a run fail: `configuration.FAIL_ON`."""
CONFLICTS = ("error", "replace", "skip", "keep-both")
"""What to do about two different checkpoints of one name: `stores.loading.OnConflict`, `stores.remote.CONFLICTS`."""
STORES = ("auto", "oxigraph", "virtuoso", "fuseki", "rdf4j", "graphdb", "checkpoint-ld", "generic")
"""The kinds of triple stores: the names of `stores.endpoint.profiles`, and to ask the store itself."""
METHODS = ("auto", "none", "basic", "digest", "bearer")
"""How to tell a server who asks: `stores.endpoint.credentials`."""
_FORMER = {"--out": "--output", "--derived": "--inferred", "--shape": "--to"}
"""Former spellings of options, which keep working where the option of today is."""


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 - click's signature
    """Leave it to the shell to complete the name of a file."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


class Argument(click.Argument):
    """An argument with a description. A shell completes it as the name of a file, unless it is one of some values."""

    def __init__(self, *names: Any, description: str, **settings: Any) -> None:
        if "type" not in settings:
            settings.setdefault("shell_complete", files)
        super().__init__(*names, **settings)
        self.description = description


class Command(click.Command):
    """A command that knows former spellings of its options, and whose help describes its arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments, former spellings among them."""
        known = {spelling for one in self.params for spelling in one.opts}
        return super().parse_args(ctx, [_of_today(one, known) for one in args])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options."""
        rows = [(one.make_metavar(ctx), one.description) for one in self.params if isinstance(one, Argument)]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)


def _of_today(argument: str, known: set[str]) -> str:
    name, sign, value = argument.partition("=")
    today = _FORMER.get(name)
    if today not in known or name in known:
        return argument
    warnings.warn(f"{name} is called {today} now: write that", DeprecationWarning, stacklevel=2)
    return f"{today}{sign}{value}"


class Group(click.Group):
    """A group of commands whose help has the summary of each as a whole."""

    command_class = Command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of the commands and their summaries."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._summary(ctx, name)) for name in self.list_commands(ctx)])

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order in which they were added."""
        return list(self.commands)

    def _summary(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        return command.get_short_help_str(1 << 10) if command else ""


def argument(name: str, metavar: str, description: str, **settings: Any) -> Callable[[Run], Run]:
    """Return the decorator for an argument of a command."""
    return click.argument(name, cls=Argument, metavar=metavar, description=description, **settings)


def flag(*names: str, help: str) -> Callable[[Run], Run]:  # noqa: A002 - click's name
    """Return the decorator for an option without a value."""
    return click.option(*names, is_flag=True, help=help)


def choice(*names: str, values: Iterable[str], **settings: Any) -> Callable[[Run], Run]:
    """Return the decorator for an option that has one of some values."""
    return click.option(*names, type=click.Choice(tuple(values)), **settings)


def whole(name: str, *, least: int = 1, **settings: Any) -> Callable[[Run], Run]:
    """Return the decorator for an option that is a whole number."""
    return click.option(name, type=click.IntRange(min=least), **settings)


def seconds(name: str, *, least: float = 0.001, **settings: Any) -> Callable[[Run], Run]:
    """Return the decorator for an option that is a time."""
    return click.option(name, type=click.FloatRange(min=least), **settings)


def together(*parameters: Callable[[Run], Run]) -> Callable[[Run], Run]:
    """Return the decorator for several parameters, in this order."""

    def with_all(command: Run) -> Run:
        for one in reversed(parameters):
            command = one(command)
        return command

    return with_all


def written_as(name: str, values: Iterable[str], what: str, otherwise: str) -> Callable[[Run], Run]:
    """Return the decorator for the option, called `kind`, that tells in which format something is written.

    Where it is not given, `documents.files.kind_of` tells by the extension of the output; see `otherwise`.
    """
    text = f"{what}; without it the output's extension tells, else {otherwise}."
    return click.option(name, "kind", type=click.Choice(tuple(values)), help=text)


FORCE = "Overwrite the output if it exists; what is read never is."


def output(
    description: str = "The file to write; - for standard output.", *, default: str | None = STANDARD, **settings: Any
) -> Callable[[Run], Run]:
    """Return the decorator for `--output` and `--force`, which a command gets as one `streams.Output`."""

    def with_output(command: Run) -> Run:
        @click.option(
            "-o", "--output", "file_to_write", default=default, help=description, shell_complete=files, **settings
        )
        @flag("--force", help=FORCE)
        @wraps(command)
        def run(file_to_write: str, force: bool, **values: Any) -> None:
            command(output=Output(file_to_write, force=force), **values)

        return run

    return with_output


def output_folder(description: str, **settings: Any) -> Callable[[Run], Run]:
    """Return the decorator for `--output` where it is a `folder`."""
    return click.option("-o", "--output", "folder", callback=_named, shell_complete=files, help=description, **settings)


def _named(ctx: click.Context, param: click.Parameter, value: str) -> str:  # noqa: ARG001 - click's signature
    if value == STANDARD:
        raise click.BadParameter("a folder is written, which standard output cannot hold: name it")
    return value


paths = argument("paths", "PATH…", "Files, folders and patterns.", nargs=-1, required=True)
syntax = choice("--from", "syntax", values=INPUTS, help="What is read, where neither extension nor content tells.")
as_json = flag("--json", "as_json", help="Print JSON.")
quiet = flag("-q", "--quiet", help="Print no more than what went wrong.")
prov = click.option(
    "--prov/--no-prov", default=True, help="Add the provenance of agent checkpoints to RDF, or leave it out."
)
jobs = whole("--jobs", help="Work on some questions at a time, by so many processes; on large files it is done anyway.")
conflict = choice(
    "--on-conflict", values=CONFLICTS, default="error", help=("What to do about two different checkpoints of one name.")
)
threshold = choice("--fail-on", values=FAIL_ON, default="violation", help="The severity that gives exit code 1.")
identified = together(
    choice("--profile", values=STORES, default="auto", help="Which kind of store it is; auto asks it."),
    choice("--auth", values=METHODS, default="auto", help="How to tell who asks; auto goes by what there is."),
    click.option("--credentials", shell_complete=files, help="A file whose first line is NAME:PASSWORD, or a token."),
)
"""Which kind of server a triple store is, and who asks."""
served = together(
    identified,
    click.option("--query-url", help="The URL of its query service, if elsewhere."),
    click.option("--store-url", help="The URL of its graph store service."),
    seconds("--timeout", default=120.0, help="Seconds for one answer."),
)
"""How a triple store is reached."""
