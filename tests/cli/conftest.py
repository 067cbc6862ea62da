"""Running the command as a user does, in this process."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from checkpoint_ld.cli import main


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
