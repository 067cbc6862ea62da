"""Limits: how much of a document is taken in before it is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace

from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding


@dataclass(frozen=True, slots=True)
class Limits:
    """What a document may cost: `size` in bytes, `depth` in objects and arrays inside one another (`[[]]` is 2)."""

    size: int = 1 << 30
    depth: int = 200


DEFAULT_LIMITS = Limits()


def inside(levels: int) -> Limits:
    """Return the limits for what stands inside of so many objects and arrays."""
    return replace(DEFAULT_LIMITS, depth=DEFAULT_LIMITS.depth - levels)


def too_large(size: int | None, source: str | None, limits: Limits) -> ReadError:
    """Return the error for a document above `limits.size`; `size` is its length in bytes, None if not known."""
    amount = "" if size is None else f"has {size:,} bytes, which "
    fault = finding("size", f"the document {amount}is more than the limit of {limits.size:,} bytes")
    return ReadError.of([replace(fault, place=Place(source, ""))])
