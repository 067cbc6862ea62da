"""Migrations: a new database, or an older one, brought to the newest schema, each in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, inspect, text

from checkpoint_ld.errors import StoreError, UnsupportedVersion
from checkpoint_ld.stores.database import first_schema, sqlite
from checkpoint_ld.stores.database.schema import NUMBER, UNKNOWN, executions, metadata, thoughts

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

_OURS = frozenset(metadata.tables)
_OLD = "old_"
_PARENT = """CASE WHEN EXISTS (
  SELECT 1 FROM old_thoughts p WHERE p.checkpoint_id = o.checkpoint_id AND p.id = o.parent_id) THEN parent_id END"""


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
    if sqlite.number(connection):
        _rebuild(connection)
    elif inspect(connection).get_table_names():
        first_schema.migrate(connection, path)
    else:
        metadata.create_all(connection)
    sqlite.set_number(connection, NUMBER)


def _rebuild(connection: Connection) -> None:
    """Bring schema 1 to the newest, where what is unknown is not NULL, and parents of thoughts are in the chain."""
    for table in metadata.sorted_tables:
        for index in table.indexes:
            connection.execute(text(f"DROP INDEX IF EXISTS {index.name}"))
        connection.execute(text(f"ALTER TABLE {table.name} RENAME TO {_OLD}{table.name}"))
    metadata.create_all(connection)
    for table in metadata.sorted_tables:
        values = {column.name: column.name for column in table.columns}
        values |= {name: f"coalesce({name}, {UNKNOWN[name]!r})" for name in values.keys() & UNKNOWN.keys()}
        if table is thoughts:
            values["parent_id"] = _PARENT
        chosen = f"SELECT {', '.join(values.values())} FROM {_OLD}{table.name} o"  # noqa: S608 - names are ours
        connection.execute(text(f"INSERT INTO {table.name} ({', '.join(values)}) {chosen}"))
    for table in reversed(metadata.sorted_tables):
        connection.execute(text(f"DROP TABLE {_OLD}{table.name}"))


def empty(connection: Connection) -> None:
    """Delete all rows."""
    connection.execute(delete(executions))
