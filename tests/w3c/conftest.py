"""Where the W3C's test suites are."""

import os
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY


@pytest.fixture(scope="session")
def w3c() -> Path:
    folder = (REPOSITORY / os.environ.get("CHECKPOINT_LD_W3C", "../shared/w3c")).resolve()
    if not folder.is_dir():
        pytest.skip(f"no test suites of the W3C at {folder}: set CHECKPOINT_LD_W3C to their folder to run this test")
    return folder
