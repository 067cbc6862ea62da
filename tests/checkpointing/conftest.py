"""Fixtures for tests of managers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkpointing.managers import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.manager.close()
