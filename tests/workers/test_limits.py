"""The limits of stored code: what it cannot have, and what it may not do."""

import dataclasses
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import SettingsError, StoredCodeWarning, Trust
from checkpoint_ld.workers import trusted
from checkpoint_ld.workers.process import Worker
from checkpoint_ld.workers.trusted import run
from tests.agents.states import together
from tests.documents import canonical, item, rating
from tests.workers import WORKER, alive, confined, failure, linux, posix, wait_until
from tests.workers.hostile import callables, templates


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


EACH = """
import os
result = []
for code in {codes!r}:
    try:
        exec(code)
    except PermissionError as error:
        result.append(str(error))
    else:
        result.append("")
"""


@posix
def test_code_has_no_other_processes_no_connections_and_changes_no_files() -> None:
    messages = confined(EACH.format(codes=[code for code, _ in REFUSED]))
    for (_, named), message in zip(REFUSED, messages, strict=True):
        assert message.startswith("stored code may "), named
        assert named in message
    assert "raised PermissionError: stored code may " in failure(REFUSED[0][0])


@posix
def test_files_outside_stay_as_they_are(tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("kept")
    changes = ("open({0!r}, 'a')", "os.remove({0!r})", "os.truncate({0!r}, 0)", "os.rename({0!r}, 'x')")
    messages = confined(EACH.format(codes=[change.format(str(kept)) for change in changes]))
    assert ["may not change files" in message for message in messages] == [True] * 4
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
    *(({"megabytes": one}, "a whole number from 128 to ") for one in (0, 127, -1, 512.0, True, "512", None, 10**9)),
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


# --- Stored code in a process of its own: what it gives, and what is stated when it goes wrong.


@pytest.mark.parametrize("value", [None, [True, 3, 2.5, "é\ud800\n", ["a", {"b": None}]]])
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
        (MUTE, "raised Mute (line 3)"),
        ("result = 'x' * 2_000_000", "gave a reply of more than 1000000 bytes"),
        ("raise ValueError('x' * 100_000)", "raised ValueError: xxx"),
        pytest.param("import os\nos.abort()", "crashed (signal SIGABRT)", marks=posix),
        pytest.param("import signal\nsignal.raise_signal(40)", "crashed (signal 40)", marks=linux),
        pytest.param(
            "import signal\nsignal.raise_signal(signal.SIGXCPU)", "took too much time of the processor", marks=posix
        ),
    ],
)
def test_what_went_wrong_is_reported_in_short(code: str, message: str) -> None:
    held = failure(code)
    assert held.startswith(f"the test {message}")
    assert len(held) < 1000


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
    assert failure(code).endswith(("gave a reply that is no JSON", "gave an invalid reply"))


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


# --- Without trust, nothing that is stored in a checkpoint is run, imported or unpickled, however it is read.


REPOSITORY = Path(__file__).resolve().parents[2]
# Read first, so that what is read lazily, some of it only for many templates, is there before anything is watched.
HARMLESS = "class Answer(BaseAnswer):\n    x: str = VerifiedField('d', 't', verify_with=RegexMatch(pattern='(a+)+$'))\n"
FIELD = "str = VerifiedField('d', 't', verify_with=ExactMatch())"
PLAIN = [f"class Answer(BaseAnswer):\n    x{number}: {FIELD}" for number in range(40)]
FUNCTION = "def judge(text): return True"


def checkpoint(sources: dict[str, str], code: dict[str, str]) -> Any:
    questions = [item(f"{name}?", f"urn:uuid:question-{number}") for number, name in enumerate(sources)]
    for question, source in zip(questions, sources.values(), strict=True):
        question["item"]["hasPart"]["text"] = source
    usual = {"kind": "boolean", "invert_result": False, "higher_is_better": True}
    traits = [rating(name, "Global", callable_code=text, **usual) for name, text in code.items()]
    return {
        **canonical(*questions),
        "rating": [{**one, "additionalType": "karenina:GlobalCallableTrait"} for one in traits],
    }


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what happened when a checkpoint full of hostile code was read, in a process that was watched."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "harmful.py").write_text("open('sentinel', 'w').close()")
    for name, tree in (
        ("hostile", checkpoint(templates(), callables())),
        ("harmless", checkpoint({text: text for text in (*PLAIN, HARMLESS)}, {"harmless": FUNCTION})),
    ):
        (folder / f"{name}.jsonld").write_text(json.dumps(tree))
    program = str(Path(__file__).with_name("hostile.py"))
    done = subprocess.run(
        [sys.executable, "-B", program, "hostile.jsonld", "harmless.jsonld"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(folder)])},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {**json.loads(done.stdout), "folder": str(folder), "files": sorted(path.name for path in folder.iterdir())}


@pytest.mark.slow
def test_everything_was_read_and_left_no_trace(seen: Any) -> None:
    assert seen["counts"]["questions"] == len(templates())
    assert seen["counts"]["refused"] == len(callables())
    assert seen["counts"]["undecided"] > len(templates())
    assert seen["files"] == ["copy.jsonld", "harmful.py", "harmless.jsonld", "hostile.jsonld"]


def test_nothing_was_imported_executed_or_unpickled_and_no_process_started_but_ours(seen: Any) -> None:
    assert seen["modules"] == []
    kinds = {event.partition(" ")[0] for event in seen["events"]}
    forbidden = {"import", "exec", "pickle.find_class", "marshal.loads", "os.system", "os.fork", "code.__new__"}
    assert kinds & forbidden == set()
    assert [kind for kind in kinds if kind.startswith(("socket.", "ctypes.", "os.exec", "os.spawn"))] == []
    started = [event for event in seen["events"] if event.startswith("subprocess.Popen ")]
    assert [event for event in started if "'checkpoint_ld.workers.patterns:start']" not in event] == []


def test_texts_were_parsed_and_not_compiled(seen: Any) -> None:
    # `ast.parse` compiles under this name, to a tree and no further; other compilations would name another file.
    assert {event for event in seen["events"] if event.startswith("compile ")} != set()
    assert [one for one in seen["events"] if one.startswith("compile ") and not one.endswith("'<unknown>']")] == []


def test_only_the_files_of_the_checkpoint_were_opened(seen: Any) -> None:
    opened = {event.split("'")[1] for event in seen["events"] if event.startswith("open ['")}
    # An open file that is given another form; what processes read that have nothing to read; and Python, which looks
    # for the file of its name to show a line of it when a text is no Python. A list of conflicts may be there.
    opened -= {"int", "/dev/null", "<unknown>", "hostile.jsonld.conflicts.json"}
    assert "hostile.jsonld" in opened
    beside = [Path(name) for name in opened - {"hostile.jsonld"}]
    written = [path for path in beside if seen["folder"] in {str(path), str(path.parent)}]
    assert written == beside
    assert [path for path in written if "harmful" in path.name] == []
