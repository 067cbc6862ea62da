"""Saves that are killed at every step: what was kept is kept, what was not leaves no trace."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.trials import CI, kills

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked, so that each kill costs little")
@pytest.mark.parametrize(
    ("kind", "number", "least"),
    [(kind, 31 if CI else 1, 51) for kind in ("save", "amend", "prune")] + [("any", kills(40), 1)],
)
def test_a_process_may_be_killed_at_any_step(kind: str, number: int, least: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.checkpointing.killing", str(tmp_path), kind, str(number)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= least
