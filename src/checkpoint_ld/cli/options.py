"""The declaration of commands' arguments and options, and the options that several commands have.

A command is a function whose keyword parameters have their options as defaults: `def show(*, file: str = argument(…))`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from checkpoint_ld.batch.configuration import FAIL_ON
from checkpoint_ld.cli.streams import STANDARD, Output
from checkpoint_ld.phrases import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from click.shell_completion import CompletionItem

EXIT_FOUND = 1
"""The exit code for results that are not clean: findings, differences, refused files, answers that fail.

`checkpoint_ld.cli.EXIT_FAILED` has precedence.
"""
INPUTS = ("json", "turtle", "nt", "nq", "trig", "xml", "ntriples", "nquads")
"""The syntaxes of inputs whose extension and content are ambiguous: JSON, and the names of `rdf.SYNTAXES`."""
CONFLICTS = ("error", "replace", "skip", "keep-both")
"""The ways to handle two checkpoints of the same name: `stores.loading.OnConflict`, `stores.remote.CONFLICTS`."""
STORES = ("auto", "oxigraph", "virtuoso", "fuseki", "rdf4j", "graphdb", "checkpoint-ld", "generic")
"""The kinds of triple stores: the names of `stores.endpoint.profiles`, and auto, which detects the kind."""
METHODS = ("auto", "none", "basic", "digest", "bearer")
"""The methods of authentication: `stores.endpoint.credentials`."""


class CombinedOptions:
    """Several options of one parameter of a command: its value is the result of `make` for their values, by name."""

    def __init__(self, make: Callable[..., Any], /, **options: click.Parameter) -> None:
        self.make = make
        self.options = options


class Argument(click.Argument):
    """An argument with a description. A shell completes it as a file name, unless it has a `type`."""

    def __init__(self, *names: Any, description: str, **settings: Any) -> None:
        if "type" not in settings:
            settings.setdefault("shell_complete", _files)
        super().__init__(*names, **settings)
        self.description = description


class Command(click.Command):
    """A command whose function declares its options; its help describes arguments."""

    def __init__(self, name: str | None, *, callback: Callable[..., None], **settings: Any) -> None:
        settings["params"] = [*_declared(callback)]
        super().__init__(name, callback=_with_several(callback), **settings)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options."""
        rows = [
            (parameter.make_metavar(ctx), parameter.description)
            for parameter in self.params
            if isinstance(parameter, Argument)
        ]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)


class Group(click.Group):
    """A group of commands whose help has the summary of each as a whole."""

    command_class = Command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of the commands and their summaries."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summary(ctx, name)) for name in self.list_commands(ctx)])

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order in which they were added."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names. Raises UsageError with similar names if there is none."""
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(unknown("command", args[0], names), ctx)
        return super().resolve_command(ctx, args)

    def summary(self, ctx: click.Context, name: str) -> str:
        """Return the summary of a command."""
        command = self.get_command(ctx, name)
        return command.get_short_help_str(1 << 10) if command else ""


def _declared(function: Callable[..., None]) -> Iterator[click.Parameter]:
    """Yield the options of a function: the defaults of its parameters, under the names of the parameters."""
    for name, declared in (function.__kwdefaults__ or {}).items():
        several = declared.options if isinstance(declared, CombinedOptions) else {"": declared}
        for inner, shared in several.items():
            option = copy(shared)
            option.name = f"{name}.{inner}" if inner else name
            if isinstance(option, click.Argument):
                option.opts = [option.name]
            yield option
            if "--from" in option.opts:
                yield EXPANSION


def _with_several(function: Callable[..., None]) -> Callable[..., None]:
    defaults = (function.__kwdefaults__ or {}).items()
    several = {name: declared for name, declared in defaults if isinstance(declared, CombinedOptions)}

    @wraps(function)
    def run(**values: Any) -> None:
        for name, declared in several.items():
            values[name] = declared.make(**{inner: values.pop(f"{name}.{inner}") for inner in declared.options})
        function(**values)

    return run


def _files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 - click's signature
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def argument(metavar: str, description: str, **settings: Any) -> Any:
    """Declare an argument."""
    return Argument(["argument"], metavar=metavar, description=description, **settings)


def value(*names: str, **settings: Any) -> Any:
    """Declare an option with a value; `settings` are those of click."""
    return click.Option(names, **settings)


def flag(*names: str, help: str) -> Any:  # noqa: A002 - click's name
    """Declare an option without a value."""
    return click.Option(names, is_flag=True, help=help)


def file(*names: str, **settings: Any) -> Any:
    """Declare an option that is the name of a file or folder, as which a shell completes it."""
    return click.Option(names, shell_complete=_files, **settings)


def one_file(*names: str, **settings: Any) -> Any:
    """Declare an option as `file` does, but refuse to have it twice, where click drops all files but the last."""
    return file(*names, multiple=True, callback=_only, **settings)


def _only(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:  # noqa: ARG001 - as above
    if len(values) > 1:
        raise click.BadParameter(f"one file is read, not {len(values)}: run the command for each of them")
    return values[0] if values else None


def choice(*names: str, values: Iterable[str], **settings: Any) -> Any:
    """Declare an option that has one of some values."""
    return click.Option(names, type=click.Choice(tuple(values)), **settings)


def whole(name: str, *, least: int = 1, **settings: Any) -> Any:
    """Declare an option that is a whole number."""
    return click.Option([name], type=click.IntRange(min=least), **settings)


class _Real(click.FloatRange):
    """A number of at least some size, which NaN is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is no number.", param, ctx)
        return number


def real(name: str, *, least: float = 0.001, **settings: Any) -> Any:
    """Declare an option that is a number, such as a time."""
    return click.Option([name], type=_Real(min=least), **settings)


def written_as(name: str, kinds: Iterable[str] | Mapping[str, str], what: str, otherwise: str) -> Any:
    """Declare the option for the format of the output: one of `kinds`, which may be a mapping by extension.

    Without it `documents.files.kind_of` chooses by the extension of the output, and else `otherwise`.
    """
    values = dict.fromkeys(kinds.values() if isinstance(kinds, Mapping) else kinds)
    return choice(name, values=values, help=f"{what}; without it the output's extension decides, else {otherwise}.")


FORCE = "Overwrite the output if it exists, but never the input."


def output(description: str = "The file to write; - for standard output.", *, required: bool = False) -> Any:
    """Declare `--output` and `--force`, whose value is one `streams.Output`."""
    settings: dict[str, Any] = {"required": True} if required else {"default": STANDARD}
    return CombinedOptions(
        Output,
        file=file("-o", "--output", help=description, **settings),
        force=flag("--force", help=FORCE),
    )


def outputs(description: str) -> Any:
    """Declare `--output`, which may be repeated, and `--force`; the value is a list of at least one `Output`."""

    def made(files: Sequence[str], *, force: bool) -> list[Output]:
        return [Output(file, force=force) for file in files or (STANDARD,)]

    return CombinedOptions(
        made, files=file("-o", "--output", multiple=True, help=description), force=flag("--force", help=FORCE)
    )


def folder(description: str, **settings: Any) -> Any:
    """Declare `--output` for a folder."""
    return file("-o", "--output", callback=_named, help=description, **settings)


def _named(ctx: click.Context, param: click.Parameter, value: str) -> str:  # noqa: ARG001 - click's signature
    if value == STANDARD:
        raise click.BadParameter("a folder is written, which standard output cannot hold: name it")
    return value


PATHS = argument("PATH…", "Files, folders and patterns.", nargs=-1, required=True)
SYNTAX = choice("--from", values=INPUTS, help="The input format, if neither extension nor content decides.")


def _expand(ctx: click.Context, param: click.Parameter, value: str | None) -> None:  # noqa: ARG001 - click's signature
    if value is not None:
        from checkpoint_ld.graph.coverage import expanding

        ctx.with_resource(expanding(value))


EXPANSION = choice(
    "--expansion",
    values=("plans", "pyld"),
    callback=_expand,
    expose_value=False,
    help="Expand JSON-LD by compiled plans, where they cover the context, or always by PyLD. Both give the same.",
)
JSON = flag("--json", help="Print JSON.")
QUIET = flag("-q", "--quiet", help="Print only errors.")
PROV = value("--prov/--no-prov", default=True, help="Add the provenance of agent checkpoints to RDF, or leave it out.")
JOBS = whole("--jobs", help="Use this number of processes: each takes files, or parts of a single or a large file.")
CONFLICT = choice(
    "--on-conflict", values=CONFLICTS, default="error", help="What to do about two different checkpoints of one name."
)
CACHE_DIR = file("--cache-dir", help="The folder of the verdicts on unchanged files; .checkpoint_ld_cache unless set.")
NO_CACHE = flag("--no-cache", help="Neither read nor keep verdicts.")
THRESHOLD = choice("--fail-on", values=FAIL_ON, default="violation", help="The severity that gives exit code 1.")
_IDENTIFIED = {
    "profile": choice("--profile", values=STORES, default="auto", help="The kind of store; auto detects it."),
    "auth": choice(
        "--auth",
        values=METHODS,
        default="auto",
        help="The kind of authentication; auto uses the credentials that exist.",
    ),
    "credentials_file": file("--credentials", help="A file whose first line is NAME:PASSWORD, or a token."),
}
IDENTIFIED: Any = CombinedOptions(dict, **_IDENTIFIED)
"""The options for the kind of a triple store and for authentication: arguments of `stores.remote.connect`."""
SERVED: Any = CombinedOptions(
    dict,
    **_IDENTIFIED,
    query=value("--query-url", help="The URL of its query service, if elsewhere."),
    store=value("--store-url", help="The URL of its graph store service."),
    timeout=real("--timeout", default=120.0, help="Seconds for one answer."),
)
"""The options for the connection to a triple store, as above."""


WAIT = real(
    "--wait",
    least=0,
    help="Seconds to wait for other processes that use a collection; unless given, a reader waits a minute.",
)
