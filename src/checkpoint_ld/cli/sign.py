"""The command `sign`: a detached signature over the fingerprint of a checkpoint."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from checkpoint_ld.cli.parameters import Command, argument, files, output, syntax

if TYPE_CHECKING:
    from checkpoint_ld.cli.streams import Output

PASSWORD = "CHECKPOINT_LD_KEY_PASSWORD"  # noqa: S105 - the name of a variable
"""The environment variable with the password of the key."""


@click.command(cls=Command)
@argument("file", "FILE", "The checkpoint.")
@click.option("--key", required=True, shell_complete=files, help="The private key: Ed25519, in PEM.")
@output("The file to write the signature to; - for standard output.")
@syntax
def sign(*, file: str, key: str, output: Output, syntax: str | None) -> None:
    """Sign a checkpoint: what it states, whatever its syntax and layout."""
    from checkpoint_ld import identity
    from checkpoint_ld.documents.files import read_bytes

    output.check(file, key)
    password = os.environ.get(PASSWORD)
    held, _ = read_bytes(key)
    signature = identity.sign(file, held, password=None if password is None else password.encode(), syntax=syntax)
    output.write(signature.encode())
