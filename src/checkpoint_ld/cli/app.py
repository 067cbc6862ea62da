"""The program `checkpoint-ld` as a click application: its commands, with their summaries and modules.

A command is imported when it is called, which halves the time of `--help` and `--version`.
"""

from __future__ import annotations

import keyword
from importlib import import_module
from typing import TYPE_CHECKING

import click

from checkpoint_ld.cli.options import Group

if TYPE_CHECKING:
    from typing import Any

SUMMARIES = {
    "convert": "Convert a checkpoint: any dialect or RDF syntax in, JSON-LD or RDF out, nothing lost on the way.",
    "export": "Export a benchmark: as a table, document, citation, data set or crate, or for an evaluation framework.",
    "import": "Import questions from a table, JSON lines, a data set, or a log of an evaluation framework.",
    "inspect": "Show the content of a checkpoint: name, dialect, counts of questions and traits, and all findings.",
    "validate": "Validate checkpoints: every finding with its place and a remedy.",
    "shacl": "Validate any RDF by SHACL, with the options of pySHACL: exit with 0 if it conforms, and with 1 if not.",
    "clean": "Remove the cache of verdicts.",
    "rules": "List the rules, or explain some: the requirement, the reason, the remedy; for one of them also examples.",
    "verify": "Verify recorded answers: which of them pass, without asking a model again.",
    "compare": "Compare models by recorded answers: rates with intervals, all pairs, what is significant.",
    "diff": "Show the differences between two checkpoints, whatever their dialects; exit with 1 if there are any.",
    "merge": "Merge two edits of a checkpoint, in the terms of its authors; exit with 1 if they contradict.",
    "unpack": "Write a benchmark as a folder of texts: a Markdown file and a Python file for each question.",
    "pack": "Make the file of a benchmark from a folder of texts; what was not edited comes back byte for byte.",
    "git": "Set up git to compare and merge checkpoints in the terms of their authors.",
    "query": (
        "Query checkpoints in SPARQL: each is a named graph, their union is the default graph; nothing is fetched."
    ),
    "store": "Keep many checkpoints in a collection on disk: load, list, query, validate and export them.",
    "bulk": (
        "Convert or validate very many checkpoints in shards, by several processes; an interrupted run is completed."
    ),
    "push": "Push checkpoints to a triple store, each as a graph that is named by its root and replaced whole.",
    "pull": "Pull checkpoints out of a triple store, each into a file that is named after its graph.",
    "drop": "Remove graphs from a triple store, after a question.",
    "serve": "Serve checkpoints as a read-only SPARQL endpoint, with a query page.",
    "site": "Write static pages about benchmarks and runs of agents, to read and to search from a folder.",
    "agent": "Keep the checkpoints of agents: list, show, compare, draw, restore, fork and prune them.",
    "fingerprint": (
        "Print the fingerprints of checkpoints, which depend on what they state alone; or check a list of them."
    ),
    "sign": "Sign a checkpoint: what it states, whatever its syntax and layout.",
    "verify-signature": "Check whether a signature is one of a checkpoint; exit with 1 if it is not.",
    "lsp": "Serve an editor: findings while you type, fixes, completion; over standard input and output.",
    "completion": "Print the script by which a shell completes commands, options and files.",
    "schema": "Print the JSON Schema of the checkpoint document, or of an entity.",
    "vocabulary": "Print the vocabulary of benchmarks or of agents, in RDFS and OWL.",
}
"""The first line of each command's docstring, so that `--help` need not import the commands."""

_MODULES = {
    "bulk": "convert",
    "clean": "validate",
    "export": "convert",
    "import": "convert",
    "diff": "merge",
    "git": "merge",
    "pack": "unpack",
    "fingerprint": "inspect",
    "sign": "inspect",
    "verify-signature": "inspect",
    "schema": "rules",
    "vocabulary": "rules",
    "pull": "push",
    "drop": "push",
    "serve": "query",
    "site": "inspect",
    "lsp": "rules",
    "completion": "rules",
}
"""The modules of the commands that are not in the module of their own name."""


class _Commands(Group):
    """All commands; they are listed without being imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in SUMMARIES:
            return None
        name = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"checkpoint_ld.cli.{_MODULES.get(cmd_name, name)}"), name)
        return command

    def summary(self, ctx: click.Context, name: str) -> str:  # noqa: ARG002 - as above
        """Return the summary of a command."""
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
