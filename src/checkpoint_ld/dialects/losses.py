"""What a dialect cannot hold, as findings with a place in the canonical document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.trail import step
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.findings import Finding

_LISTS = {"additionalProperty": "property", "rating": "trait"}


def loss(message: str, pointer: str, dialect: str) -> Finding:
    """Return the finding that `dialect` has no place for what is at `pointer` in the canonical document."""
    return finding("loss", message, pointer=pointer, dialect=dialect)


def losses_of(left: dict[str, Any], original: Any, pointer: str, dialect: str) -> Iterator[Finding]:
    """Yield a finding for everything in `left`, which could not be mapped of the object `original` at `pointer`."""
    for member, value in left.items():
        place = step(pointer, member)
        held = original.get(member) if isinstance(original, dict) else None
        if member in _LISTS and isinstance(value, list):
            for entry in value:
                name = entry.get("name") if isinstance(entry, dict) else None
                message = f'the {_LISTS[member]} "{name}" has no place in {dialect}; it is kept under x_karenina'
                yield loss(message, named_place(held, name, place), dialect)
        elif isinstance(value, dict) and isinstance(held, dict) and member in ("item", "acceptedAnswer", "hasPart"):
            yield from losses_of(value, held, place, dialect)
        else:
            yield loss(f"{member} has no place in {dialect}; it is kept under x_karenina", place, dialect)


def named_place(entries: Any, name: object, pointer: str) -> str:
    """Return the pointer of the entry called `name` in the array at `pointer`, or of the array if it has none."""
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and entry.get("name") == name:
            return step(pointer, index)
    return pointer
