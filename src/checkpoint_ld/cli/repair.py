"""What `validate --fix` and `validate --diff` do: repair files, or show how they would be."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint_ld import fixes, reading
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import read_bytes
from checkpoint_ld.errors import ReadError
from checkpoint_ld.rules import by_slug

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from checkpoint_ld.fixes import Fix
    from checkpoint_ld.selection import Selection

_NO_END = "\\ No newline at end of file\n"


@dataclass(frozen=True)
class Repair:
    """A source called `name`, its bytes `before` and `after` all `fixes`."""

    name: str
    before: bytes
    after: bytes
    fixes: tuple[Fix, ...] = ()


def repair(source: str | BinaryIO, selection: Selection, syntax: str | None = None) -> Repair:
    """Return `source` with every fix of a rule that counts in `selection`.

    What is no JSON has nothing that could be fixed. Raises SourceMissingError for a file that is not there.
    """
    data, name = read_bytes(source)
    name = name or "<stdin>"
    if (syntax or reading.syntax_of(name, data)) != reading.JSON_SYNTAX:
        return Repair(name, data, data)
    try:
        document = read_json(data, name)
    except ReadError:  # what is wrong with it is for its validation to say
        return Repair(name, data, data)
    known = by_slug()
    wanted = [
        fix for fix in fixes.fixes_of(document) if any(selection.allows(known[rule].code, name) for rule in fix.rules)
    ]
    return Repair(name, data, fixes.apply(document, wanted), tuple(wanted))


def diff(repaired: Repair) -> str:
    """Return what a repair changes, as a unified diff; empty if it changes nothing."""
    before, after = (_lines(data) for data in (repaired.before, repaired.after))
    return "".join(_ended(difflib.unified_diff(before, after, repaired.name, repaired.name)))


def _lines(data: bytes) -> list[str]:
    # Only line feeds end a line here: JSON text may hold other separators as they are.
    lines = data.decode("utf-8", errors="replace").split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *filter(None, lines[-1:])]


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n{_NO_END}"
