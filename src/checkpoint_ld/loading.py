"""Loading: a checkpoint of any family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.benchmark import Benchmark

if TYPE_CHECKING:
    import os
    from typing import BinaryIO

    from rdflib import Graph

    from checkpoint_ld.benchmark import Validate


def load(
    source: str | os.PathLike[str] | BinaryIO | bytes | Graph,
    *,
    syntax: str | None = None,
    strict: bool = False,
    validate: Validate = "off",
) -> Benchmark:
    """Read a checkpoint and return the object of its family, today always a `Benchmark`.

    Parameters and errors are those of `Benchmark.load`.
    """
    return Benchmark.load(source, syntax=syntax, strict=strict, validate=validate)
