"""The hash of canonical statements, computed in a process that ends after a time limit.

RDF Dataset Canonicalization (RDFC-1.0 §7.1) takes factorial time where many blank nodes refer to one another, and
requires a limit. pyoxigraph has none, and cannot be interrupted.
"""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING, Any, Final

import pyoxigraph

from checkpoint_ld.errors import EvaluationError, ReadError
from checkpoint_ld.rules import finding
from checkpoint_ld.workers.process import TimeLimitError, Worker, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from checkpoint_ld.workers.process import ChunkedReader

SECONDS: Final = 30.0
"""The time limit."""


def canonical_hash(lines: bytes) -> str:
    """Return the SHA-256 of N-Triples in canonical N-Quads, whose lines are in the order of their code points.

    Only statements with blank nodes need a process. Raises ReadError where their labels take too long.
    """
    if b"_:" not in lines:  # a dataset takes eighty times the memory of its file
        return _hash(pyoxigraph.parse(lines, format=pyoxigraph.RdfFormat.N_TRIPLES))
    try:
        worker = Worker(start, send_data=lambda stream: stream.write(lines))
        with contextlib.closing(worker):
            return str(worker.call(None, SECONDS))
    except TimeLimitError as error:
        message = f"the blank nodes refer to one another so that canonical labels take more than {SECONDS:g} s"
        raise ReadError.of([finding("rdf-syntax", message, remedy="name these nodes by IRIs")]) from error
    except (OSError, WorkerError) as error:
        raise EvaluationError(f"the statements cannot be canonicalized: the process {error}") from error


def start(_: object, stream: ChunkedReader) -> Callable[[Any], str]:
    """Return the function that answers the one request in the process."""
    parts = []
    while part := stream.read():
        parts.append(part)
    lines = b"".join(parts)

    def answer(_: object) -> str:
        dataset = pyoxigraph.Dataset(pyoxigraph.parse(lines, format=pyoxigraph.RdfFormat.N_TRIPLES))
        dataset.canonicalize(pyoxigraph.CanonicalizationAlgorithm.RDFC_1_0)
        return _hash(dataset)

    return answer


def _hash(statements: Iterable[pyoxigraph.Quad]) -> str:
    lines = pyoxigraph.serialize(statements, format=pyoxigraph.RdfFormat.N_QUADS) or b""
    found = hashlib.sha256()
    for line in sorted({*lines.splitlines(keepends=True)}):  # RDFC-1.0 §4.4.3, step 8
        found.update(line)
    return found.hexdigest()
