"""The commands `fingerprint`, `sign` and `verify-signature`: the name of what a checkpoint states."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from checkpoint_ld.cli import EXIT_FAILED, streams
from checkpoint_ld.cli.parameters import EXIT_FOUND, Command, argument, files, output, syntax
from checkpoint_ld.errors import ReadError

if TYPE_CHECKING:
    from checkpoint_ld.cli.streams import Output


@click.command(cls=Command)
@argument("paths", "[PATH]…", "Files, folders and patterns; - for standard input.", nargs=-1)
@click.option(
    "--check", "sums", shell_complete=files, help="A list that this command printed: hold its files against it."
)
@syntax
def fingerprint(*, paths: tuple[str, ...], sums: str | None, syntax: str | None) -> None:
    """Print the fingerprints of checkpoints, which depend on what they state alone; or check a list of them."""
    from checkpoint_ld.documents.files import read_bytes
    from checkpoint_ld.families import identity

    if (sums is None) == (not paths):
        raise click.UsageError("Name files, or a list by --check.")
    code = 0
    expected: list[tuple[str | None, str]]
    if sums is None:
        expected = [(None, one) for one in streams.discovered(paths, "fingerprint").files]
    else:
        expected = [*identity.read_sums(read_bytes(sums)[0].decode("utf-8", "replace"), sums)]
    for wanted, file in expected:
        try:
            source = file if file != streams.STANDARD else sys.stdin.buffer
            found = identity.fingerprint(source, syntax=syntax)
        except ReadError as error:
            streams.say(str(error))
            code = EXIT_FAILED
            continue
        if wanted is None:
            streams.show(f"{found}  {file}")
        else:
            streams.show(f"{file}: {'OK' if found == wanted else 'FAILED'}")
            code = code or (0 if found == wanted else EXIT_FOUND)
    raise Exit(code)


PASSWORD = "CHECKPOINT_LD_KEY_PASSWORD"  # noqa: S105 - the name of a variable
"""The environment variable with the password of the key."""


@click.command(cls=Command)
@argument("file", "FILE", "The checkpoint.")
@click.option("--key", required=True, shell_complete=files, help="The private key: Ed25519, in PEM.")
@output("The file to write the signature to; - for standard output.")
@syntax
def sign(*, file: str, key: str, output: Output, syntax: str | None) -> None:
    """Sign a checkpoint: what it states, whatever its syntax and layout."""
    from checkpoint_ld.documents.files import read_bytes
    from checkpoint_ld.families import identity

    output.check(file, key)
    password = os.environ.get(PASSWORD)
    held, _ = read_bytes(key)
    signature = identity.sign(file, held, password=None if password is None else password.encode(), syntax=syntax)
    output.write(signature.encode())


@click.command("verify-signature", cls=Command)
@argument("file", "FILE", "The checkpoint.")
@argument("signature", "SIGNATURE", "The file that sign wrote.")
@click.option("--key", required=True, shell_complete=files, help="The public key: Ed25519, in PEM.")
@syntax
def verify_signature(*, file: str, signature: str, key: str, syntax: str | None) -> None:
    """Tell whether a signature is one of a checkpoint; exit with 1 if it is not."""
    from checkpoint_ld.documents.files import read_bytes
    from checkpoint_ld.families import identity

    if identity.verify_signature(file, read_bytes(signature)[0], read_bytes(key)[0], syntax=syntax):
        streams.show("the signature is good")
        return
    streams.show("the signature is not one of this checkpoint with this key")
    raise Exit(EXIT_FOUND)
