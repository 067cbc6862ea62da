"""The commands under one name.

A command is imported when it is called: `--help` and `--version` take half the time that importing all of them took.
Help is plain text for the same reason.
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from checkpoint_ld.cli.parameters import as_they_are, taken_as_they_are

if TYPE_CHECKING:
    from types import ModuleType

SUMMARIES = {
    "convert": "Convert a checkpoint: any dialect or RDF syntax in, JSON-LD or RDF out, nothing lost on the way.",
    "inspect": (
        "Show what a checkpoint holds: name, dialect, counts of questions and traits, and everything odd about it."
    ),
    "validate": "Validate checkpoints: every finding with its place and a remedy.",
    "rules": "List the rules, or explain some: what they ask for, why, and what to do; for one of them also examples.",
    "verify": "Verify recorded answers: which of them pass, without asking a model again.",
    "diff": "Show what is different between two checkpoints, whatever their dialects; exit with 1 if anything is.",
    "query": (
        "Ask checkpoints in SPARQL, each a named graph, all of them together the default graph; nothing is fetched."
    ),
    "store": "Keep many checkpoints in a collection on disk: load, list, query, validate and export them.",
    "bulk": (
        "Convert or validate very many checkpoints in shards, by several processes; an interrupted run is completed."
    ),
    "push": "Push checkpoints to a triple store, each as a graph that is named by its root and replaced whole.",
    "pull": "Pull checkpoints out of a triple store, each into a file that is named after its graph.",
    "serve": "Serve checkpoints as a read-only SPARQL endpoint, with a page to ask it.",
    "agent": "Keep the checkpoints of agents: list, show, compare, draw, restore, fork and prune them.",
    "schema": "Print the JSON Schema of the checkpoint document, or of an entity.",
}
"""What each command does. The function of that name, or else the `app`, in the module of that name says it, too."""


class _Commands(UserDict[str, Any]):
    """The commands by name, each made when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if self.data[name] is None:
            module = import_module(f"checkpoint_ld.cli.{name}")
            command = typer.main.get_command(getattr(module, "app", None) or _alone(name, module))
            self.data[name] = taken_as_they_are(command)
        return self.data[name]


def _alone(name: str, module: ModuleType) -> typer.Typer:
    alone = typer.Typer(rich_markup_mode=None, add_completion=False)
    alone.command(name)(getattr(module, name))
    return alone


class _Group(TyperGroup):
    """The group of all commands, which can be listed without being imported."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands(dict.fromkeys(SUMMARIES))

    def get_params(self, ctx: Any) -> Any:
        return as_they_are(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer's signature
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as above
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))


app = typer.Typer(
    name="checkpoint-ld",
    cls=_Group,
    help="Read, convert, validate, compare and verify the checkpoints of AI evaluations as linked data.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"checkpoint-ld {version('checkpoint-ld')}")
        raise typer.Exit


@app.callback()
def _options(
    _show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
