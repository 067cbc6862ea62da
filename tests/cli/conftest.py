"""Running the command as a user does, in this process."""

import io
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from checkpoint_ld.cli import main

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and the code that it ended with."""

    code: int
    out: bytes
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    def run_command(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "argv", ["checkpoint-ld", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return Outcome(code, captured.out, captured.err.decode())

    return run_command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the empty folder that commands run in, as on a terminal of 100 columns without colours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def examples(here: Path) -> Path:
    """Return a folder with the documents and answers of `docs/examples`, in which commands run."""
    for pattern in ("*.json*", "*.ttl"):
        for file in EXAMPLES.glob(pattern):
            shutil.copy(file, here)
    return here
