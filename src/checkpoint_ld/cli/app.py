"""The commands under one name.

A command is imported when it is called: `--help` and `--version` take half the time that importing all of them took.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import click

from checkpoint_ld.cli.parameters import Group

if TYPE_CHECKING:
    from typing import Any

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
"""What each command does. The command of that name in the module of that name says it, too."""


class _Commands(Group):
    """All commands; they are listed without being imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in SUMMARIES:
            return None
        command: click.Command = getattr(import_module(f"checkpoint_ld.cli.{cmd_name}"), cmd_name)
        return command

    def _summary(self, ctx: click.Context, name: str) -> str:  # noqa: ARG002 - as above
        return SUMMARIES[name]


def _show_version(ctx: click.Context, _: click.Parameter, is_wanted: bool) -> Any:
    if is_wanted:
        from importlib.metadata import version

        click.echo(f"checkpoint-ld {version('checkpoint-ld')}")
        ctx.exit()


app = _Commands(
    "checkpoint-ld",
    help="Read, convert, validate, compare and verify the checkpoints of AI evaluations as linked data.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Show the version and exit.",
        )
    ],
)
