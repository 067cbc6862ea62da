"""Stored code in a process of its own: what it gives, and what is stated when it goes wrong."""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import pytest

from checkpoint_ld import StoredCodeWarning
from checkpoint_ld.workers import trusted
from checkpoint_ld.workers.process import Worker
from checkpoint_ld.workers.trusted import Trust, run
from tests.agents.states import together
from tests.workers import WORKER, confined, failure, linux, posix


@pytest.mark.slow
@pytest.mark.parametrize("value", [None, True, 3, 2.5, "é\ud800\n", ["a", {"b": None}]])
def test_code_gives_a_value(value: object) -> None:
    assert confined(f"result = {value!r}") == value


def test_a_warning_points_at_who_requested_it() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(WORKER, {"code": "result = 1"}, Trust(), what="the test")
    assert [Path(one.filename).name for one in caught] == [Path(__file__).name]


def test_a_warning_that_is_an_error_keeps_the_code_from_running() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(StoredCodeWarning):
            run(WORKER, {"code": "result = 1"}, Trust(), what="the test")


@pytest.mark.slow
def test_an_endless_loop_is_ended() -> None:
    started = time.monotonic()
    assert failure("while True: pass", Trust(seconds=0.5)) == (
        "the test took longer than 0.5 s: correct it, or trust it for more seconds"
    )
    assert time.monotonic() - started < 20


@pytest.mark.slow
def test_code_that_will_not_be_interrupted_is_ended() -> None:
    code = """
import signal, time
for one in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(one, signal.SIG_IGN)
while True:
    try:
        time.sleep(60)
    except BaseException:
        pass
"""
    assert "longer than 0.5 s" in failure(code, Trust(seconds=0.5))


MUTE = "class Mute(Exception):\n  def __str__(self): raise self\nraise Mute"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x = 1\nraise ValueError('no such metal')", "raised ValueError: no such metal (line 2)"),
        ("def f():\n  return 1 / 0\nf()", "raised ZeroDivisionError: division by zero (line 2)"),
        ("import json\njson.loads('{')", "raised JSONDecodeError: "),
        ("def f(", "raised SyntaxError: '(' was never closed (<stored code>, line 1) (line 1)"),
        ("raise SystemExit(3)", "raised SystemExit: 3 (line 1)"),
        ("import sys\nsys.exit()", "raised SystemExit (line 2)"),
        ("raise KeyboardInterrupt", "raised KeyboardInterrupt (line 1)"),
        ("def f(): f()\nf()", "raised RecursionError: maximum recursion depth exceeded"),
        ("result = object()", "raised TypeError: Object of type object is not JSON serializable"),
        ("import nowhere_at_all", "raised ModuleNotFoundError: No module named 'nowhere_at_all' (line 1)"),
        ("import os\nos._exit(7)", "ended the process without a result (exit code 7)"),
        ("import os\nos._exit(0)", "ended the process without a result (exit code 0)"),
        (MUTE, "ended the process without a result (exit code 1)"),
        ("result = 'x' * 2_000_000", "gave a reply of more than 1000000 bytes"),
        ("raise ValueError('x' * 100_000)", "raised ValueError: xxx"),
    ],
)
def test_what_went_wrong_is_reported_in_short(code: str, message: str) -> None:
    held = failure(code)
    assert held.startswith(f"the test {message}")
    assert len(held) < 1000


@posix
def test_a_crash_is_named_by_its_signal() -> None:
    assert "crashed (signal SIGABRT)" in failure("import os\nos.abort()")
    assert "took too much time of the processor" in failure("import signal\nsignal.raise_signal(signal.SIGXCPU)")


@linux
def test_a_signal_without_a_name_is_named_by_its_number() -> None:
    assert "crashed (signal 40)" in failure("import signal\nsignal.raise_signal(40)")


def test_what_code_prints_is_lost_and_its_input_is_empty() -> None:
    code = """
import os, sys
for stream in (sys.stdout, sys.stderr, sys.__stdout__):
    for _ in range(300):
        stream.write('{"answer": "forged"}\\n' * 1000)
    stream.flush()
os.write(1, b'{"answer": "forged"}\\n')
result = ["true", sys.stdin.read()]
"""
    assert confined(code) == ["true", ""]


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply", ["nonsense", '"fault"', "[]", "{}", "[" * 100_000, '{"answer"', '{"answer": 1, "answer"']
)
def test_a_forged_reply_that_is_none_is_refused(reply: str) -> None:
    code = f"""
import os
for number in range(3, 20):
    try:
        os.write(number, {reply!r}.encode() + b"\\n")
    except OSError:
        pass
os._exit(0)
"""
    assert "gave a reply that is" in failure(code)


@pytest.mark.slow
def test_a_reply_way_that_was_closed_is_no_reply() -> None:
    code = "import os, time\nos.closerange(0, 100)\ntime.sleep(60)"
    assert failure(code, Trust(seconds=30)) == "the test gave no reply"


def test_a_listener_that_was_interrupted_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Worker, "call", interrupt)
    with pytest.raises(KeyboardInterrupt):
        confined("while True: pass")


def test_code_imports_what_can_be_imported_here_and_may_have_a_loop_of_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside_the_script.py").write_text("VALUE = 5")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert confined("import beside_the_script\nresult = beside_the_script.VALUE") == 5
    assert confined("import asyncio\nasync def late(): return 5\nresult = asyncio.run(late())") == 5


@pytest.mark.slow
def test_results_come_back_from_several_threads() -> None:
    found: list[object] = []

    def ask(number: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(run(WORKER, {"code": f"result = {number}"}, Trust(), what="the test"))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        together(*(partial(ask, number) for number in range(4)))
    assert sorted(found, key=str) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("of", "name", "value", "expected"),
    [
        (sys, "executable", "/nowhere/python", "the test cannot be run: no process can be started ("),
        (tempfile, "tempdir", "/nowhere", "the test cannot be run: "),
        (trusted, "START_LIMIT", 0.001, "did not start within 0.001 s"),
    ],
)
def test_what_keeps_code_from_running_is_reported(
    of: object, name: str, value: object, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of, name, value)
    assert expected in failure("result = 1")
