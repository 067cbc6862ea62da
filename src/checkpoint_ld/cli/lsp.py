"""The command `lsp`: a language server for editors, over standard input and output."""

from __future__ import annotations

import os
import sys

import click

from checkpoint_ld.cli.parameters import Command


@click.command(cls=Command)
def lsp() -> None:
    """Serve an editor: findings while you type, fixes, completion; over standard input and output."""
    from checkpoint_ld.integrations.language_server import server

    # The server closes its output when the editor leaves; that of the process stays open.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:
        server().start_io(stdout=output)
