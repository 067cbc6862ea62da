"""Shards: which files are converted together, how, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from checkpoint_ld.errors import SettingsError, SourceMissingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TARGET_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Shard:
    """The files that make one part of the output: `paths` in their order, `out` the folder to write to."""

    index: int
    paths: tuple[str, ...]
    out: str

    @property
    def stem(self) -> str:
        """What the names of the shard's files begin with."""
        return f"part-{self.index:05}"


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """How shards are converted; it travels to other processes and machines.

    With a `profile` each checkpoint is held against its rules; without one, findings are those of reading, which is
    quicker. `quads` false writes findings only, `compressed` writes N-Quads with gzip.
    """

    profile: str | None = None
    quads: bool = True
    compressed: bool = False


@dataclass(frozen=True, slots=True)
class ShardResult:
    """What came of a shard; all but `seconds` and `peak_rss` depend on its input alone.

    `checkpoints` were converted, `failed` could not be; `findings` counts by code. `sha256` is that of the N-Quads
    before compression. `peak_rss` is the most memory that the process ever had, in bytes. Both are 0 for a shard that
    was there already.
    """

    index: int
    checkpoints: int
    quads: int
    failed: int
    findings: Mapping[str, int] = field(default_factory=dict)
    sha256: str = ""
    seconds: float = 0.0
    peak_rss: int = 0


def plan_shards(paths: Iterable[str | Path], out: str | Path, *, target_bytes: int = TARGET_BYTES) -> list[Shard]:
    """Divide files into shards of about `target_bytes`, sorted by path: the same files give the same shards.

    Raises SourceMissingError for a file that is not there, SettingsError for a target below 1.
    """
    if target_bytes < 1:
        raise SettingsError(f"shards of {target_bytes} bytes cannot be: give a size of 1 or more")
    files = sorted({str(path) for path in paths})
    sizes = [_size(file) for file in files]
    number = max(1, -(-sum(sizes) // target_bytes))
    share = max(1, -(-sum(sizes) // number))
    parts: dict[int, list[str]] = {}
    before = 0
    for file, size in zip(files, sizes, strict=True):
        # A file belongs where its middle is, so that shards differ by no more than one file.
        parts.setdefault((before + size // 2) // share, []).append(file)
        before += size
    return [Shard(index, tuple(part), str(out)) for index, part in enumerate(parts.values())]


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError as error:
        raise SourceMissingError(f"{file}: cannot be read: {error.strerror}; check the path") from error
