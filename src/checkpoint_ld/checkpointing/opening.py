"""Stores as they may be given: as such, as a path, as a URL."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.errors import WrongTypeError
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import CheckpointStore

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.checkpointing.kinds import Kind

_FORMS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "files": "the path of a folder",
        "database": "a path, a URL such as sqlite:///checkpoints.db",
        "graph": "the path of a collection, the URL of a SPARQL service, an open Collection",
    }
)
"""What may be given in place of a store."""


def opened(kind: Kind, given: Any, *, follows_files: bool = False) -> CheckpointStore | None:
    """Return the store that is given as such or by its place; None where none is.

    A database that `follows_files` need not be flushed. Nothing is opened or made yet, but a place that cannot be that
    of such a store is refused: raises WrongTypeError and SettingsError.
    """
    if given is None or (isinstance(given, CheckpointStore) and not isinstance(given, type)):
        return given
    is_place = isinstance(given, (str, os.PathLike))
    if is_place and kind == "files":
        return FileStore(given)
    if is_place and kind == "database":
        from checkpoint_ld.stores.database import DatabaseStore  # noqa: PLC0415 - SQLAlchemy, which files do without

        return DatabaseStore(given, follows_files=follows_files)
    if kind == "graph":
        from checkpoint_ld.stores.collection import Collection  # noqa: PLC0415 - pyoxigraph, which the others do without
        from checkpoint_ld.stores.graphs import GraphStore  # noqa: PLC0415 - as above

        if is_place or isinstance(given, Collection):
            return GraphStore(given)
    raise WrongTypeError(f"{kind} is of type {type(given).__name__}: give {_FORMS[kind]}, or a store")
