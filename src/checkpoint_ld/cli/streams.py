"""What a command reads and writes: a file, or `-` for the standard streams."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING

from checkpoint_ld.documents.files import replace_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from checkpoint_ld.families import Source
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.reading import Reading

STANDARD = "-"
MOST_FINDINGS = 10


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


def write(file: str, data: bytes, *, overwrite: bool) -> None:
    """Write `data` to `file`, all of it or nothing."""
    if file != STANDARD:
        replace_file(file, data, overwrite=overwrite)
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
