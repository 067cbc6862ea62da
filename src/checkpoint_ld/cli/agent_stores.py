"""Where the commands of `agent` find checkpoints: a folder, a database, a graph store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from checkpoint_ld.checkpointing import CheckpointManager

FOLDER = "./checkpoints"

Dir = Annotated[str | None, typer.Option("--dir", help=f"The folder of the files; {FOLDER} where no store is named.")]
Database = Annotated[
    str | None, typer.Option("--db", metavar="URL", help="The database that follows them: sqlite:///FILE.")
]
Store = Annotated[
    str | None, typer.Option("--store", metavar="DIR|URL", help="The collection or SPARQL service that follows them.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def manager(folder: str | None, database: str | None, store: str | None) -> CheckpointManager:
    """Return the manager of the stores that were named, of the files in `FOLDER` where none was; close it after use."""
    # A database and graphs take their time to import; --help should not wait for them.
    from checkpoint_ld.checkpointing import CheckpointManager

    files = _folder(folder, database, store)
    graphs = None
    if store is not None:
        from checkpoint_ld.stores.graphs import GraphStore

        graphs = GraphStore(store)
    return CheckpointManager(files, database, graphs)


def files_of(folder: str | None, database: str | None, store: str | None) -> list[str | None]:
    """Return the files and folders of the stores that `manager` opens."""
    return [_folder(folder, database, store), database and database.rpartition(":///")[2], store]


def _folder(folder: str | None, database: str | None, store: str | None) -> str | None:
    return FOLDER if folder is None and database is None and store is None else folder


def milliseconds(text: str) -> int:
    """Return the moment that a date (ISO 8601, UTC where it says nothing) or epoch milliseconds name.

    Raises SettingsError for another text.
    """
    from datetime import UTC, datetime

    if text.isdecimal():
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise SettingsError(f"{text!r} is no time: write 2026-01-31, 2026-01-31T12:00 or milliseconds") from None
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
