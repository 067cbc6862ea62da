"""Agent checkpoints as files in one folder, each written once, wholly or not at all."""

from checkpoint_ld.stores.files.names import file_name
from checkpoint_ld.stores.files.store import FileStore

__all__ = ["FileStore", "file_name"]
