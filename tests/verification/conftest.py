"""Templates that are run in this process, where a test is not about the one of their own."""

import json
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from checkpoint_ld.errors import StoredCodeWarning, warn
from checkpoint_ld.templates import execution
from checkpoint_ld.workers import patterns


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run templates here: a process of their own takes a third of a second to start."""

    def run(_module: str, request: Any, _trust: object, *, what: str) -> Any:
        warn(StoredCodeWarning(f"{what} is code that is stored in a document"))
        return json.loads(json.dumps(execution.answer(json.loads(json.dumps(request)))))

    before = set(sys.modules)
    monkeypatch.setattr(execution, "run", run)
    monkeypatch.setattr(patterns, "_match_in_process", threading.Event())
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    yield
    for name in set(sys.modules) - before:
        if name.split(".")[0] in ("karenina", "stored_template"):
            del sys.modules[name]
