"""Every store of ours, for the tests of what all of them have to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import CheckpointStore


@pytest.fixture(params=["files", "database"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CheckpointStore]:
    opened: CheckpointStore = (
        FileStore(tmp_path / "checkpoints")
        if request.param == "files"
        else DatabaseStore(f"sqlite:///{tmp_path}/index.db")
    )
    yield opened
    opened.close()
