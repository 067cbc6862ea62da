"""Where the commands of `agent` find checkpoints: a folder, a database, a graph store."""

from __future__ import annotations

from pathlib import Path
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


def manager(
    folder: str | None, database: str | None, store: str | None, *sources: str, may_be_new: bool = False
) -> CheckpointManager:
    """Return the manager of the stores that are named, of the files in the usual folder where none is.

    Close it after use. Raises SettingsError where there is no first store, unless it `may_be_new` or one of the
    `sources` that a command works on is a file.
    """
    # A database and graphs take their time to import; --help should not wait for them.
    from checkpoint_ld.checkpointing import CheckpointManager

    made = CheckpointManager(folder, database, store)
    truth = made.store.truth
    place: Path | None = getattr(truth, "directory", None) or getattr(truth, "path", None)
    may_be_new = may_be_new or any(Path(one).is_file() for one in sources)
    if not (may_be_new or place is None or place.exists()):
        option = {"files": "--dir", "database": "--db", "graph": "--store"}[made.store.first]
        raise SettingsError(f"{place}: there are no checkpoints, as it does not exist; name where they are by {option}")
    return made


def files_of(folder: str | None, database: str | None, store: str | None) -> list[str | None]:
    """Return the files and folders of the stores that `manager` opens."""
    files = FOLDER if folder is None and database is None and store is None else folder
    return [files, database and database.rpartition(":///")[2], store]


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
