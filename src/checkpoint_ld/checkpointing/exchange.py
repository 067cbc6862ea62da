"""Checkpoints out of a store into a file of any syntax, and into a store from anywhere."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.values import EXTENSIONS, ExportShape, ParentLink
from checkpoint_ld.documents.files import PACKED, is_packed, kind_of, read_bytes, replace_file
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import SettingsError, SourceMissingError, WrongTypeError
from checkpoint_ld.runtime.ids import new_id

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding

Source = str | Path | bytes | Mapping[str, Any] | AgentCheckpoint
"""Where a checkpoint may come from: a path, bytes, JSON, or a checkpoint."""

SHAPES: Final[tuple[ExportShape, ...]] = get_args(ExportShape)
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
    """A checkpoint from elsewhere, with what was odd about the form in which it came.

    `sha256` is the hash of the bytes that it was read from, None for an object.
    """

    checkpoint: AgentCheckpoint
    sha256: str | None = None
    findings: tuple[Finding, ...] = ()


def loaded(source: Source) -> Loaded:
    """Return the checkpoint of a source.

    Raises ReadError for what cannot be read, InvalidCheckpoint for what breaks rules, WrongTypeError and WriteError for
    what is no JSON.
    """
    if isinstance(source, AgentCheckpoint):
        return Loaded(source.refusing())
    from checkpoint_ld.agent.reading import examine_bytes  # noqa: PLC0415 - loads rdflib

    if isinstance(source, Mapping):
        reading = examine_bytes(dump_json(dict(source)))
        return Loaded(AgentCheckpoint.of_reading(reading), findings=reading.findings)
    if not isinstance(source, (str, os.PathLike, bytes)):
        raise WrongTypeError(f"{type(source).__name__} is no source: give an id, a path, bytes, JSON or a checkpoint")
    data, name = read_bytes(source)
    reading = examine_bytes(data, name)
    return Loaded(AgentCheckpoint.of_reading(reading), hashlib.sha256(data).hexdigest(), reading.findings)


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that may hold a checkpoint, by name. Raises SourceMissingError."""
    try:
        names = sorted(folder.iterdir())
    except OSError as error:
        raise SourceMissingError(f"{folder}: cannot be read: {error.strerror}") from error
    yield from (path for path in names if path.name.endswith(_ENDINGS) and path.name[0] != "." and path.is_file())


def as_copy(checkpoint: AgentCheckpoint) -> AgentCheckpoint:
    """Return the same checkpoint under a new id, which names the other one as its parent."""
    return checkpoint.but(id=new_id("ckpt_"), parent=ParentLink(checkpoint_id=checkpoint.id))


def content_of(checkpoint: AgentCheckpoint, shape: ExportShape = "canonical") -> bytes:
    """Return what `export` writes. Raises SettingsError for a shape that there is not, WriteError for no JSON."""
    if shape not in SHAPES:
        raise SettingsError(f"there is no shape {shape!r}: use one of {', '.join(SHAPES)}")
    return checkpoint.content(shape)
