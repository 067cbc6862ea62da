"""The commands under one name."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from checkpoint_ld.cli import convert, diff, inspect, rules, schema, validate, verify

app = typer.Typer(
    name="checkpoint-ld",
    help="Read, convert, validate, compare and verify the checkpoints of AI evaluations as linked data.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("convert")(convert.convert)
app.command("inspect")(inspect.inspect)
app.command("validate")(validate.validate)
app.command("rules")(rules.rules)
app.command("verify")(verify.verify)
app.command("diff")(diff.diff)
app.command("schema")(schema.schema)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"checkpoint-ld {version('checkpoint-ld')}")
        raise typer.Exit


@app.callback()
def _options(
    _show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
