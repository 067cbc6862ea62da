"""Agent checkpoints in an SQLite database: an index of files, or a store of its own."""

from checkpoint_ld.stores.database.store import DatabaseStore

__all__ = ["DatabaseStore"]
