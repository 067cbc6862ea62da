"""The kinds of stores: what they are called, and what they raise."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from checkpoint_ld.errors import DatabaseSyncError, FindingsError, GraphSyncError, IntegrityError, ReadError

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["files", "database", "graph"]
"""What the stores are called, in the order in which they are written."""

NOUNS: Final[Mapping[Kind, str]] = MappingProxyType({"files": "file", "database": "database", "graph": "graph"})
"""What a checkpoint's place in them is called in messages."""

SYNC_ERRORS: Final[Mapping[Kind, type[DatabaseSyncError | GraphSyncError]]] = MappingProxyType(
    {"database": DatabaseSyncError, "graph": GraphSyncError}
)
"""What is raised where a store of that kind could not follow the first one."""

DAMAGE: Final = (ReadError, FindingsError, IntegrityError)
"""What a store raises whose own copy of a checkpoint is not what was saved."""
