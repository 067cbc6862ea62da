"""Every store of ours, for the tests of what all of them have to do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.stores import sqlite
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.graphs import GraphStore
from checkpoint_ld.stores.protocol import CheckpointStore
from checkpoint_ld.stores.sqlite import Database


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close the databases that a test opened: those that are left open are complained of, sooner or later."""
    opened: list[Database] = []
    made = Database.__init__

    def noted(self: Database, *given: Any, **named: Any) -> None:
        made(self, *given, **named)
        opened.append(self)

    monkeypatch.setattr(Database, "__init__", noted)
    yield
    for one in opened:
        one.close()


@pytest.fixture
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for others longer than a user would: on a busy machine, they take longer."""
    monkeypatch.setattr(sqlite, "_PATIENCE_MS", 120_000)


@pytest.fixture(params=[FileStore, DatabaseStore, GraphStore])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CheckpointStore]:
    opened: CheckpointStore = request.param(tmp_path / "kept")
    yield opened
    opened.close()
