"""Records: the checkpoints in a file, one after the other, so that no more than one is in memory."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from checkpoint_ld.documents.values import DEFAULT_LIMITS, too_large
from checkpoint_ld.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPRESSED = ".gz"
LINES = (".ndjson", ".jsonl")
"""Extensions of files with one checkpoint to a line."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Record:
    """One checkpoint: its bytes, the name that tells its syntax, and its line where its file has one to a line."""

    data: bytes
    name: str
    line: int | None = None


def records(path: str) -> Iterator[Record]:
    """Yield the checkpoints of a file, unpacked if its name ends with `.gz`.

    Raises ReadError for a file that cannot be read or unpacked, or that holds what is too large.
    """
    name = path.removesuffix(COMPRESSED)
    with _explained(path), _opened(path) as file:
        if not name.endswith(LINES):
            yield Record(_read(file, path), name)
            return
        line = 0
        while data := file.readline(DEFAULT_LIMITS.size + 1):
            line += 1
            if len(data) > DEFAULT_LIMITS.size:
                raise too_large(None, path, DEFAULT_LIMITS)
            if data.strip():
                yield Record(data, f"{name}.json", line)


def state(path: str) -> dict[str, str | int]:
    """Return path, size and SHA-256 of a file as it lies. Raises ReadError."""
    hashed, size = hashlib.sha256(), 0
    with _explained(path), Path(path).open("rb") as file:
        while block := file.read(_BLOCK):
            hashed.update(block)
            size += len(block)
    return {"path": path, "size": size, "sha256": hashed.hexdigest()}


def _opened(path: str) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.endswith(COMPRESSED) else Path(path).open("rb")


def _read(file: IO[bytes], path: str) -> bytes:
    content = bytearray()
    while block := file.read(_BLOCK):
        content += block
        if len(content) > DEFAULT_LIMITS.size:
            raise too_large(None, path, DEFAULT_LIMITS)
    return bytes(content)


@contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except ReadError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError(f"{path}: cannot be read: {error}") from error
