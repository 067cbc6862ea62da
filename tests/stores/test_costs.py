"""The measurements of agent checkpoints run, and say what they promise."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY


@pytest.mark.slow
def test_what_agents_cost_can_be_measured() -> None:
    """The stores are queried the same there, and it fails unless they agree."""
    command = [sys.executable, "benchmarks/agents.py", "30", "--thoughts", "20", "--steps", "3"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=200)

    assert done.returncode == 0, done.stderr
    for row in ("save one", "all headers, first time", "that used a tool", "restore", "diff"):
        assert row in done.stdout
