"""Migrations: a new database, or an older one, brought to the newest schema, each in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, inspect

from checkpoint_ld.errors import StoreError, UnsupportedVersion
from checkpoint_ld.stores.database import first_schema, sqlite
from checkpoint_ld.stores.database.schema import NUMBER, executions, metadata

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

_OURS = frozenset(metadata.tables)


def is_current(connection: Connection, path: Path) -> bool:
    """Tell whether a database has the newest schema.

    Raises StoreError for a database of somebody else, and UnsupportedVersion for one of a newer checkpoint-ld.
    """
    number, tables = sqlite.number(connection), frozenset(inspect(connection).get_table_names())
    is_new = not number and not tables
    if not (is_new or tables >= _OURS) or (not number and tables and not first_schema.is_it(connection)):
        raise StoreError(f"{path}: is a database, but none of agent checkpoints; name another file")
    if number > NUMBER:
        raise UnsupportedVersion(
            f"{path}: the database has schema {number}, the newest that can be read is {NUMBER}; upgrade checkpoint-ld"
        )
    return number == NUMBER


def migrate(connection: Connection, path: Path) -> None:
    """Bring a database to the newest schema, within the transaction of `connection`.

    Raises what `is_current` raises, and StoreError for rows that are no checkpoints; then nothing is changed.
    """
    if is_current(connection, path):  # another process was first
        return
    if inspect(connection).get_table_names():
        first_schema.migrate(connection, path)
    else:
        metadata.create_all(connection)
    sqlite.set_number(connection, NUMBER)


def empty(connection: Connection) -> None:
    """Delete all rows."""
    connection.execute(delete(executions))
