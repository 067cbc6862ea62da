"""The command `fingerprint`: what names the content of checkpoints, whatever their syntax and layout."""

from __future__ import annotations

import sys

import click
from click.exceptions import Exit

from checkpoint_ld.cli import EXIT_FAILED, streams
from checkpoint_ld.cli.parameters import EXIT_FOUND, Command, argument, files, syntax
from checkpoint_ld.errors import ReadError


@click.command(cls=Command)
@argument("paths", "[PATH]…", "Files, folders and patterns; - for standard input.", nargs=-1)
@click.option(
    "--check", "sums", shell_complete=files, help="A list that this command printed: hold its files against it."
)
@syntax
def fingerprint(*, paths: tuple[str, ...], sums: str | None, syntax: str | None) -> None:
    """Print the fingerprints of checkpoints, which depend on what they state alone; or check a list of them."""
    from checkpoint_ld import identity
    from checkpoint_ld.documents.files import read_bytes

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
