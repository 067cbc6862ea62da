"""What every test of stored code is held to."""

import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.workers import alive, wait_until


@pytest.fixture(autouse=True)
def nothing_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Hold each test to leaving no process, no thread and no folder behind."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = threading.active_count()
    yield
    if sys.platform == "linux":
        assert alive(str(tmp_path)) == []
    wait_until(lambda: threading.active_count() <= before)
    assert list(tmp_path.glob("checkpoint-ld-*")) == []
