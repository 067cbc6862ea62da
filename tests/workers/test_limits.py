"""The limits of stored code: what it cannot have, and what it may not do."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import SettingsError, Trust
from checkpoint_ld.workers import trusted
from tests.workers import WORKER, alive, confined, failure, linux, posix, wait_until


@pytest.mark.slow
@linux
@pytest.mark.parametrize(
    "code",
    [
        "result = len(bytearray(10 ** 10))",
        "kept = []\nwhile True: kept.append('x' * 10_000)",
        "kept = []\nwhile True: kept = [kept]",
        "kept = {}\nfor number in iter(int, 1): kept[len(kept)] = number",
    ],
)
def test_code_that_wants_all_memory_is_reported_so(code: str) -> None:
    assert failure(code, Trust(seconds=60, megabytes=200)) == (
        "the test needed more than 200 MB: correct it, or trust it with more megabytes"
    )


def test_the_environment_holds_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "s3cret")
    monkeypatch.setenv("PYTHONPATH", "/s3cret")
    found = confined("import os\nresult = dict(os.environ)")
    allowed = {*trusted.PASSED_ON, "OMP_NUM_THREADS", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
    assert found.keys() <= allowed
    assert "s3cret" not in json.dumps(found)


def test_the_folder_is_empty_and_goes_away() -> None:
    folder, content, first = confined("import os, sys\nresult = [os.getcwd(), os.listdir(), sys.path[0]]")
    assert content == []
    assert not Path(folder).exists()
    assert first not in ("", folder)


def test_the_request_cannot_be_read_twice_and_the_command_line_holds_no_code() -> None:
    assert confined("import sys\nsecret = 1\nresult = 'secret' in str(sys.argv) + str(sys.orig_argv)") is False


REFUSED = [
    ("import os\nos.fork()", "os.fork"),
    ("import os\nos.system('true')", "os.system"),
    ("import subprocess\nsubprocess.run(['true'])", "subprocess.Popen"),
    ("import os\nos.posix_spawn('/bin/true', ['true'], {})", "os.posix_spawn"),
    ("import os\nos.execv('/bin/true', ['true'])", "os.exec"),
    ("import os, signal\nos.kill(os.getppid(), signal.SIGTERM)", "os.kill"),
    ("import os, signal\nos.killpg(os.getpgid(os.getppid()), signal.SIGTERM)", "os.killpg"),
    ("import socket\nsocket.socket().connect(('127.0.0.1', 9))", "socket.connect"),
    ("import socket\nsocket.socket().bind(('127.0.0.1', 0))", "socket.bind"),
    ("import socket\nsocket.getaddrinfo('localhost', 1)", "socket.getaddrinfo"),
    ("open('new.txt', 'w')", "open 'new.txt'"),
    ("import os\nos.open('new.txt', os.O_CREAT)", "open 'new.txt'"),
    ("import pathlib\npathlib.Path('new').mkdir()", "os.mkdir"),
    ("import sqlite3\nsqlite3.connect('new.db')", "sqlite3.connect"),
    ("import ctypes\nctypes.CDLL('libc.so.6')", "ctypes.dlopen"),
    ("import ctypes\nctypes.pythonapi.Py_GetVersion", "ctypes.dlsym"),
]


@pytest.mark.slow
@posix
@pytest.mark.parametrize(("code", "named"), REFUSED)
def test_code_has_no_other_processes_no_connections_and_changes_no_files(code: str, named: str) -> None:
    message = failure(code)
    assert "raised PermissionError: stored code may " in message
    assert named in message


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    "change", ["open({0!r}, 'a')", "os.remove({0!r})", "os.truncate({0!r}, 0)", "os.rename({0!r}, 'x')"]
)
def test_files_outside_stay_as_they_are(change: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("kept")
    assert "may not change files" in failure(f"import os\n{change.format(str(kept))}")
    assert kept.read_text() == "kept"


@posix
def test_a_file_that_was_open_for_writing_all_the_same_cannot_grow(tmp_path: Path) -> None:
    # The code gets past the hook, as code that means harm does: the system still holds the size.
    code = f"""
import os
from checkpoint_ld.workers import trusted as limits
limits.FILES, limits._WRITING = (), 0
with open({str(tmp_path / "grown.txt")!r}, "w") as grown:
    grown.write("x")
"""
    assert "raised OSError: [Errno 27]" in failure(code)


@linux
def test_a_child_that_got_past_the_hook_is_killed_with_its_parent(tmp_path: Path) -> None:
    code = """
import os, time
from checkpoint_ld.workers import trusted as limits
limits.PROCESSES = ()
for _ in range(20):
    if os.fork() == 0:
        time.sleep(100)
result = "born"
"""
    if os.geteuid() == 0:
        assert confined(code) == "born"
    else:
        assert "raised BlockingIOError" in failure(code)
    wait_until(lambda: alive(str(tmp_path)) == [])


@posix
def test_the_process_leads_a_session_of_its_own() -> None:
    code = "import os\nresult = [os.getpid() == os.getpgrp() == os.getsid(0), os.getpgid(os.getppid())]"
    leads, other = confined(code)
    assert leads
    assert other == os.getpgrp()


@posix
def test_limits_cannot_be_lifted() -> None:
    code = """
import resource
result = []
for name in ("RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_CORE", "RLIMIT_NPROC"):
    soft, hard = resource.getrlimit(getattr(resource, name))
    result.append(soft == hard and 0 <= hard < 100)
"""
    assert confined(code) == [True] * 4


@pytest.mark.slow
@linux
def test_code_ends_by_itself_when_nobody_is_left_to_end_it(tmp_path: Path) -> None:
    code = f"import os\nos.chdir({str(tmp_path)!r})\nwhile True: pass"
    program = f"""
import tempfile
from checkpoint_ld.workers.trusted import Trust, run
tempfile.tempdir = {str(tmp_path)!r}
run({WORKER!r}, {{"code": {code!r}}}, Trust(seconds=1), what="the test")
"""
    asking = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", program], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    wait_until(lambda: any(line.endswith(f" in {tmp_path}") for line in alive(str(tmp_path))))
    asking.kill()
    asking.wait()
    wait_until(lambda: alive(str(tmp_path)) == [])
    for folder in tmp_path.glob("checkpoint-ld-*"):
        folder.rmdir()


LIMITS = [
    *(({"seconds": one}, "more than 0, 3600 at most") for one in (0, -1, math.nan, math.inf, 3601, True, "5", None)),
    *(({"megabytes": one}, "a whole number from 128 on") for one in (0, 127, -1, 512.0, True, "512", None, 10**9)),
]


@pytest.mark.parametrize(("limits", "message"), LIMITS)
def test_a_time_or_an_amount_of_memory_that_is_none_is_refused(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=f"{next(iter(limits))}: give {message}"):
        Trust(**limits)


def test_trust_has_limits_and_cannot_be_widened_afterwards() -> None:
    assert (Trust().seconds, Trust().megabytes) == (10.0, 512)
    assert Trust(seconds=2, megabytes=1024) == Trust(2.0, 1024)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Trust().seconds = 100  # type: ignore[misc]
