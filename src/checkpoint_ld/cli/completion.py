"""The command `completion`: what makes a shell complete commands, options and files."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from checkpoint_ld.cli import PROGRAM, VARIABLE, streams
from checkpoint_ld.cli.parameters import Command, argument

_SCRIPTS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command(cls=Command)
@argument("shell", "SHELL", "bash (4.4 or newer), zsh or fish.", type=click.Choice(tuple(_SCRIPTS)))
def completion(*, shell: str) -> None:
    """Print what makes a shell complete commands, options and files."""
    script = _SCRIPTS[shell](click.get_current_context().find_root().command, {}, PROGRAM, VARIABLE)
    streams.write(streams.STANDARD, script.source().encode())
