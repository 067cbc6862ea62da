"""Errors are called what they are, and a process that the system ends cleans up as after Ctrl-C."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from checkpoint_ld import SettingsError
from checkpoint_ld.cli import streams
from checkpoint_ld.data import library
from tests.cli.conftest import Run
from tests.documents import canonical, item

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "metals.jsonld"


def package(folder: Path, name: str, content: str) -> None:
    (folder / f"{name}.py").write_text(content, encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            "raise ImportError('libz.so.9: cannot open')",
            "cannot be imported: libz",
        ),
        ("import numpy_of_yesterday", "numpy_of_yesterday is missing"),
        ("raise AttributeError('module numpy has no attribute float')", "is installed, but cannot be imported: module"),
    ],
)
def test_a_broken_extra_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, reason: str
) -> None:
    package(tmp_path, "broken_extra", content)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SettingsError, match=reason) as refused:
        library("broken_extra", "table")
    assert "is not installed" not in str(refused.value)
    assert "checkpoint-ld[table]" in str(refused.value)


@pytest.mark.parametrize("name", ["no_such_extra", "no_such_extra.part", "json.no_such_part"])
def test_a_missing_extra_is_called_missing(name: str) -> None:
    with pytest.raises(SettingsError, match=rf"{name} is not installed: run pip install 'checkpoint-ld\[some\]'"):
        library(name, "some")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(errno.EMFILE, os.strerror(errno.EMFILE)), "the system refuses an operation: Too many open files\n"),
        (
            OSError(errno.EIO, os.strerror(errno.EIO), "some.file"),
            "some.file: the system refuses: Input/output error\n",
        ),
        (FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)), "the system refuses an operation: No such file"),
        (MemoryError(), "not enough memory: give the process more"),
        (MemoryError("Unable to allocate 7 GiB"), "not enough memory (Unable to allocate 7 GiB): give"),
        (KeyError("x"), "a fault of checkpoint-ld itself: KeyError('x'); please report it"),
    ],
)
def test_an_error_is_called_what_it_is(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(streams, "read", refuse)
    monkeypatch.setattr(streams, "read_benchmark", refuse)
    outcome = run("inspect", EXAMPLE)
    assert outcome.code == 2
    assert outcome.err.startswith(sentence)


def children_of(process: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def until(holds: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system does not show its processes")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_process_that_the_system_ends_cleans_up(tmp_path: Path, ending: signal.Signals) -> None:
    documents = tmp_path / "in"
    documents.mkdir()
    questions = [item(f"What {at}?", f"urn:uuid:question-{at}") for at in range(2000)]
    for number in range(8):
        (documents / f"{number}.jsonld").write_text(json.dumps(canonical(*questions)), encoding="utf-8")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    heard = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)"  # whoever runs the tests may ignore it
    program = f"{heard}; from checkpoint_ld.cli import main; main()"
    arguments = ["convert", documents / "0.jsonld", "-o", tmp_path / "out.nt", "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        until(lambda: len(children_of(process.pid)) >= 2 or process.poll() is not None, "no process was started")
        children = children_of(process.pid)
        assert children
        process.send_signal(ending)
        _, errors = process.communicate(timeout=60)
        assert (errors, process.returncode) == (b"", 130 if ending is signal.SIGINT else 143)
        until(lambda: not any(Path(f"/proc/{child}").exists() for child in children), "a process went on")
    finally:
        process.kill()
    assert [*temporary.iterdir()] == []
    assert sorted(file.name for file in tmp_path.iterdir()) == ["in", "temporary"]
