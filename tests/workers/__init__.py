"""Tests of stored code that is run, and of how it never is; what these tests share."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import EvaluationError, StoredCodeWarning
from checkpoint_ld.workers.trusted import Trust, run

WORKER = "tests.workers.code_worker"
posix = pytest.mark.skipif(os.name != "posix", reason="this system has no such limits")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds this limit")


def confined(code: str, trust: Trust | None = None) -> Any:
    with pytest.warns(StoredCodeWarning, match=r"^the test is code that is stored"):
        return run(WORKER, {"code": code}, trust or Trust(), what="the test")


def failure(code: str, trust: Trust | None = None) -> str:
    with pytest.raises(EvaluationError) as caught:
        confined(code, trust)
    return str(caught.value)


def alive(marker: str) -> list[str]:
    """Return the other processes in whose command line or folder a marker occurs."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().decode(errors="replace")
            folder = str((process / "cwd").readlink())
        except OSError:
            continue
        if process.name != str(os.getpid()) and (marker in line or marker in folder):
            found.append(f"{process.name}: {line} in {folder}")
    return found


def wait_until(true: Callable[[], bool], seconds: float = 20) -> None:
    patience = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < patience
        time.sleep(0.02)
