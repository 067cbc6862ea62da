"""The command `schema`: JSON Schemas for editors and for other programs."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from checkpoint_ld.cli import streams


def schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="checkpoint, or an entity such as question; without it, all are listed."),
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the names of all schemas.")] = False,
    out: Annotated[
        str, typer.Option("-o", "--out", help="The file to write; - for standard output.")
    ] = streams.STANDARD,
    force: streams.Force = False,
) -> None:
    """Print the JSON Schema of the checkpoint document, or of an entity."""
    from checkpoint_ld.json_schemas import catalogue

    if name is None or list_all:
        for known, summary in catalogue.summaries().items():
            streams.show(f"{known:<24}  {summary}")
        return
    text = json.dumps(catalogue.json_schema(name), ensure_ascii=False, indent=2) + "\n"
    streams.write(out, text.encode(), force=force)
