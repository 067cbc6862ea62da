"""The command `lsp`: a language server for editors, over standard input and output."""

from __future__ import annotations

import click

from checkpoint_ld.cli.parameters import Command


@click.command(cls=Command)
def lsp() -> None:
    """Serve an editor: findings while you type, fixes, completion; over standard input and output."""
    from checkpoint_ld.integrations.language_server import server

    server().start_io()
