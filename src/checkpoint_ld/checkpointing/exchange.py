"""Checkpoints that come and go: restored as a state, imported from files, exported, brought to today's version."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.values import EXTENSIONS, NEWEST, SHAPES, ExportShape
from checkpoint_ld.arguments import checked
from checkpoint_ld.documents.files import PACKED, is_packed, kind_of, read_bytes, replace_file
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import SettingsError, SourceMissingError, WriteError, WrongTypeError

if TYPE_CHECKING:
    from checkpoint_ld.agent.values import Snapshot
    from checkpoint_ld.findings import Finding


def counted(checkpoint: AgentCheckpoint) -> Snapshot:
    """Return the snapshot to go on from; its counters are the larger of the two that a checkpoint has."""
    snapshot, told = checkpoint.snapshot, checkpoint.metadata
    progress = snapshot.progress.but(
        step_number=max(snapshot.progress.step_number, told.step_number),
        tokens_used=max(snapshot.progress.tokens_used or 0, told.tokens_used),
        duration_ms=max(snapshot.progress.duration_ms or 0, told.duration_ms),
    )
    return snapshot.but(progress=progress)


@dataclass(frozen=True, slots=True)
class Upgraded:
    """A file, the version that it had, and the newest, which it has now unless it was only asked."""

    path: Path
    before: str
    after: str

    @property
    def changed(self) -> bool:
        """Whether there was anything to do."""
        return self.before != self.after


@checked
def upgrade(path: str | os.PathLike[str], *, dry_run: bool = False) -> Upgraded:
    """Bring a checkpoint's file to the newest version, in the shape that it has; one of that version is not touched.

    The old file is there until the new one is safely on the disk. Raises ReadError for what cannot be read,
    InvalidCheckpoint for what breaks rules, and WriteError where the file cannot be written.
    """
    from checkpoint_ld.agent.serialization import examine  # noqa: PLC0415 - loads rdflib

    reading = examine(path)
    done = Upgraded(Path(path), reading.version, NEWEST)
    if done.changed and not dry_run:
        if reading.document is None or reading.shape not in SHAPES:
            raise WriteError(f"{path}: only JSON files are upgraded; convert it to JSON first")
        content = AgentCheckpoint.of_reading(reading).content(reading.shape)
        replace_file(path, gzip.compress(content, mtime=0) if done.path.name.endswith(PACKED) else content)
    return done


Source = str | Path | bytes | Mapping[str, Any] | AgentCheckpoint
"""Where a checkpoint may come from: a path, bytes, JSON, or a checkpoint."""

EXPORT_SHAPES: Final[tuple[ExportShape, ...]] = get_args(ExportShape)
"""The shapes in which a checkpoint can leave a store; all after JSON-LD have the statements of PROV-O in them."""
_ENDINGS: Final = tuple(one + end for one in EXTENSIONS for end in ("", PACKED))


def export(
    checkpoint: AgentCheckpoint, to: str | os.PathLike[str], shape: ExportShape | None = None, *, overwrite: bool
) -> Path:
    """Write a checkpoint to a file, wholly or not at all, and return its path.

    Without a `shape` the extension tells it, and `.gz` after that packs the file. Raises SettingsError for a shape that
    there is not, TargetExistsError for a file that is there unless it may be overwritten, and WriteError if it cannot
    be written.
    """
    content = content_of(checkpoint, kind_of(to, EXTENSIONS, "canonical") if shape is None else shape)
    replace_file(to, content, overwrite=overwrite, pack=is_packed(to))
    return Path(to)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A checkpoint from a store or from elsewhere, with what was odd about the place or the form in which it came.

    `sha256` is the hash of the bytes that it was read from, None for an object and out of a store.
    """

    checkpoint: AgentCheckpoint
    findings: tuple[Finding, ...] = ()
    sha256: str | None = None


def loaded(source: Source) -> Loaded:
    """Return the checkpoint of a source.

    Raises ReadError for what cannot be read, InvalidCheckpoint for what breaks rules, WrongTypeError and WriteError for
    what is no JSON.
    """
    if isinstance(source, AgentCheckpoint):
        return Loaded(source.refusing())
    from checkpoint_ld.agent.serialization import examine_bytes  # noqa: PLC0415 - loads rdflib

    if isinstance(source, Mapping):
        reading = examine_bytes(dump_json(dict(source)))
        return Loaded(AgentCheckpoint.of_reading(reading), reading.findings)
    if not isinstance(source, (str, os.PathLike, bytes)):
        raise WrongTypeError(f"{type(source).__name__} is no source: give an id, a path, bytes, JSON or a checkpoint")
    data, name = read_bytes(source)
    reading = examine_bytes(data, name)
    return Loaded(AgentCheckpoint.of_reading(reading), reading.findings, hashlib.sha256(data).hexdigest())


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that may hold a checkpoint, by name. Raises SourceMissingError."""
    try:
        names = sorted(folder.iterdir())
    except OSError as error:
        raise SourceMissingError(f"{folder}: cannot be read: {error.strerror}") from error
    yield from (path for path in names if path.name.endswith(_ENDINGS) and path.name[0] != "." and path.is_file())


def content_of(checkpoint: AgentCheckpoint, shape: ExportShape = "canonical") -> bytes:
    """Return what `export` writes. Raises SettingsError for a shape that there is not, WriteError for no JSON."""
    if shape not in EXPORT_SHAPES:
        raise SettingsError(f"there is no shape {shape!r}: use one of {', '.join(EXPORT_SHAPES)}")
    return checkpoint.content(shape)
