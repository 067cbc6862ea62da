"""What a command reads and writes: a file, or `-` for the standard streams."""

from __future__ import annotations

import contextlib
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from checkpoint_ld.documents.files import already_there, is_packed, replace_file
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import BinaryIO

    from checkpoint_ld.families import Source
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.reading import Reading

STANDARD = "-"
MOST_FINDINGS = 10
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output if it exists; what is read never is.")]


class Input(StrEnum):
    """What can be read, for sources of which nothing tells: JSON, and the names of `rdf.SYNTAXES`."""

    JSON = "json"
    TURTLE = "turtle"
    N_TRIPLES = "nt"
    N_QUADS = "nq"
    TRIG = "trig"
    RDF_XML = "xml"


def read(file: str, *, syntax: str | None, strict: bool = False) -> Source:
    """Read the checkpoint in `file`, of whatever family."""
    from checkpoint_ld import families

    return families.read(_opened(file), syntax=syntax, strict=strict)


def read_benchmark(file: str, *, syntax: str | None) -> Reading:
    """Read the benchmark in `file`."""
    from checkpoint_ld import reading

    return reading.read(_opened(file), syntax=syntax)


def _opened(file: str) -> str | BinaryIO:
    return sys.stdin.buffer if file == STANDARD else file


def check_outputs(inputs: Iterable[str | None], *outputs: str | None, force: bool) -> None:
    """Refuse to write over what is read, to one file twice, or, without `force`, over any file: before work begins.

    `inputs` are files, folders, patterns and collections; links and other spellings of a path lead to the same file.
    Raises SettingsError and TargetExistsError.
    """
    targets = [one for one in outputs if one is not None and one != STANDARD]
    if len(set(map(os.path.realpath, targets))) < len(targets):
        raise SettingsError(f"{targets[-1]} would be written twice: choose another file for one of the outputs")
    there = [one for one in targets if _file_of(one)]
    read = set(map(_file_of, _read_by(inputs))) if there else set()
    for one in there:
        if not read.isdisjoint(map(_file_of, (one, *map(str, Path(one).resolve().parents)))):
            raise SettingsError(f"{one} is read by this command: choose another file to write")
        if not force and not Path(one).is_dir():
            raise already_there(one)


def _read_by(paths: Iterable[str | None]) -> Iterable[str]:
    from checkpoint_ld.discovery import discover  # few commands find their output there already

    for path in paths:
        if path is not None:
            is_collection = (Path(path) / "collection.json").is_file()
            yield from [path] if is_collection else discover([path]).files


def _file_of(path: str) -> tuple[int, int] | None:
    """Return what tells a file from all others, whatever it is called; None where there is none."""
    with contextlib.suppress(OSError, ValueError):
        state = os.fstat(sys.stdin.fileno()) if path == STANDARD else os.stat(path)  # noqa: PTH116 - U+0000 in a path
        return state.st_dev, state.st_ino
    return None


def write(file: str, data: bytes, *, force: bool = False) -> None:
    """Write `data` to `file`, all of it or nothing."""
    if file != STANDARD:
        replace_file(file, data, overwrite=force, pack=is_packed(file))
        return
    sys.stdout.buffer.write(data)
    if sys.stdout.isatty() and not data.endswith(b"\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


def report(findings: Sequence[Finding], *, most: int = MOST_FINDINGS) -> None:
    """Say on standard error what was found, one finding to a line, and how much more there is."""
    for finding in findings[:most]:
        sys.stderr.write(f"{finding.severity.name.lower()}: {finding}\n")
    if len(findings) > most:
        sys.stderr.write(f"… and {len(findings) - most} more; checkpoint-ld inspect --json lists them all\n")
