"""The commands `lsp` and `completion`: for editors and for shells."""

from __future__ import annotations

import os
import sys

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from checkpoint_ld.cli import PROGRAM, VARIABLE, streams
from checkpoint_ld.cli.parameters import Command, argument


@click.command(cls=Command)
def lsp() -> None:
    """Serve an editor: findings while you type, fixes, completion; over standard input and output."""
    from checkpoint_ld.integrations.language_server import server

    # The server closes its output when the editor leaves; that of the process stays open.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:
        server().start_io(stdout=output)


_SCRIPTS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command(cls=Command)
@argument("shell", "SHELL", "bash (4.4 or newer), zsh or fish.", type=click.Choice(tuple(_SCRIPTS)))
def completion(*, shell: str) -> None:
    """Print what makes a shell complete commands, options and files."""
    script = _SCRIPTS[shell](click.get_current_context().find_root().command, {}, PROGRAM, VARIABLE)
    streams.write(streams.STANDARD, script.source().encode())
