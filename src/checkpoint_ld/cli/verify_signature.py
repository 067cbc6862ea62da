"""The command `verify-signature`: whether a signature is one of a checkpoint by the holder of a key."""

from __future__ import annotations

import click
from click.exceptions import Exit

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import EXIT_FOUND, Command, argument, files, syntax


@click.command("verify-signature", cls=Command)
@argument("file", "FILE", "The checkpoint.")
@argument("signature", "SIGNATURE", "The file that sign wrote.")
@click.option("--key", required=True, shell_complete=files, help="The public key: Ed25519, in PEM.")
@syntax
def verify_signature(*, file: str, signature: str, key: str, syntax: str | None) -> None:
    """Tell whether a signature is one of a checkpoint; exit with 1 if it is not."""
    from checkpoint_ld import identity
    from checkpoint_ld.documents.files import read_bytes

    if identity.verify_signature(file, read_bytes(signature)[0], read_bytes(key)[0], syntax=syntax):
        streams.show("the signature is good")
        return
    streams.show("the signature is not one of this checkpoint with this key")
    raise Exit(EXIT_FOUND)
