"""Spooled bodies: what is too much to be held in memory, in a temporary file from which it is sent."""

from __future__ import annotations

import io
import weakref
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO, Self, TypeAlias, cast

from checkpoint_ld.documents.files import packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BLOCK = 1 << 20
"""Bytes that are handed on at a time."""


class Spooled:
    """Bytes in a temporary file, which goes when nobody refers to it any more. One reads at a time."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._file = cast("BinaryIO", TemporaryFile(prefix="checkpoint-ld-"))  # noqa: SIM115 - it lives as long as this
        weakref.finalize(self, self._file.close)
        self._file.writelines(parts)
        self._size = self._file.tell()

    def __len__(self) -> int:
        return self._size

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes from the first on."""
        for start in range(0, self._size, BLOCK):
            self._file.seek(start)
            yield self._file.read(min(BLOCK, self._size - start))

    def opened(self) -> BinaryIO:
        """Return the file, to be read from its start."""
        self._file.seek(0)
        return self._file

    def compressed(self) -> Self:
        """Return the same bytes, packed with gzip."""
        return type(self)(packed(self.blocks()))


Body: TypeAlias = bytes | Spooled
"""What is sent."""


def blocks(body: Body) -> Iterator[bytes]:
    """Yield a body in blocks."""
    if isinstance(body, Spooled):
        return body.blocks()
    # Slices of bytes are copies, so that no more than one block is there twice.
    return (body[start : start + BLOCK] for start in range(0, len(body), BLOCK))


def opened(body: Body) -> BinaryIO:
    """Return a body as a file to be read from its start."""
    return body.opened() if isinstance(body, Spooled) else io.BytesIO(body)


def compressed(body: Body) -> Body:
    """Return a body packed with gzip; the same body gives the same bytes."""
    return body.compressed() if isinstance(body, Spooled) else b"".join(packed([body]))
