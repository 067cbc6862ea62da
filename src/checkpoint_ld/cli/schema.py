"""The command `schema`: JSON Schemas for editors and for other programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import Command, argument, flag, output

if TYPE_CHECKING:
    from checkpoint_ld.cli.streams import Output


@click.command(cls=Command)
@argument("name", "[NAME]", "checkpoint, or an entity such as question; without it, all are listed.", required=False)
@flag("--list", "list_all", help="List the names of all schemas.")
@output()
def schema(name: str | None, list_all: bool, output: Output) -> None:
    """Print the JSON Schema of the checkpoint document, or of an entity."""
    from checkpoint_ld import json_schemas

    if name is None or list_all:
        for known, summary in json_schemas.summaries().items():
            streams.show(f"{known:<24}  {summary}")
    else:
        text = json.dumps(json_schemas.json_schema(name), ensure_ascii=False, indent=2)
        output.write(f"{text}\n".encode())
