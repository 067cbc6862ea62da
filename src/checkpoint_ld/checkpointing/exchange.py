"""Checkpoints out of a store into a file of any syntax, and into a store from anywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.values import ParentLink
from checkpoint_ld.documents.files import read_bytes, replace_file
from checkpoint_ld.errors import SettingsError, SourceMissingError
from checkpoint_ld.runtime.ids import new_id

if TYPE_CHECKING:
    import os

Source = str | Path | bytes | Mapping[str, Any] | AgentCheckpoint
"""Where a checkpoint may come from: a path, bytes, JSON, or a checkpoint."""
ExportShape = Literal["canonical", "second", "jsonld", "nquads", "turtle"]

_ENDINGS: Final = (".json", ".json.gz", ".jsonld", ".nq", ".nt", ".ttl", ".trig")

SHAPES: Final[tuple[ExportShape, ...]] = ("canonical", "second", "jsonld", "nquads", "turtle")
"""The shapes in which a checkpoint can leave a store; the last two have the statements of PROV-O in them."""


def export(
    checkpoint: AgentCheckpoint, to: str | os.PathLike[str], shape: ExportShape = "canonical", *, overwrite: bool
) -> Path:
    """Write a checkpoint to a file, wholly or not at all, and return its path.

    Raises SettingsError for a shape that there is not, TargetExistsError for a file that is there unless it may be
    overwritten, and WriteError if it cannot be written.
    """
    if shape not in SHAPES:
        raise SettingsError(f"there is no shape {shape!r}: use one of {', '.join(SHAPES)}")
    replace_file(to, _written(checkpoint, shape), overwrite=overwrite)
    return Path(to)


def loaded(source: Source) -> tuple[AgentCheckpoint, str | None]:
    """Return the checkpoint of a source and the hash of the foreign bytes that it was read from, None for an object.

    Raises ReadError for what cannot be read, InvalidCheckpoint for what breaks rules.
    """
    if isinstance(source, AgentCheckpoint):
        return source.refusing(), None
    if isinstance(source, Mapping):
        return AgentCheckpoint.load(json.dumps(dict(source)).encode()), None
    data, _ = read_bytes(source)
    return AgentCheckpoint.load(source), hashlib.sha256(data).hexdigest()


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


def _written(checkpoint: AgentCheckpoint, shape: ExportShape) -> bytes:
    if shape in {"canonical", "second"}:
        return checkpoint.content(shape)
    from checkpoint_ld.checkpointing.statements import WRITERS  # noqa: PLC0415 - loads rdflib, which files do without

    return WRITERS[shape](checkpoint)
