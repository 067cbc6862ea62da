"""What a terminal gets to see, and what becomes of standard streams that are full, closed or of another encoding."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from checkpoint_ld.agents.values import bytes_of
from checkpoint_ld.cli.app import SUMMARIES, app
from tests.agents.runs import call, thought, tree
from tests.cli.conftest import Run
from tests.documents import canonical, item, rating

BAD = "\x1b]0;owned\x07\x1b[2J\x9b31m"
"""A new title for the window, a cleared screen, and another colour by a single character of its own."""
TEXTS = [
    ["inspect", "bad.jsonld"],
    ["inspect", "k1.json"],
    ["convert", "bad.jsonld", "--dialect", "dataset-1", "--output", "old.json"],
    ["validate", "bad.jsonld"],
    ["validate", "bad.jsonld", "--format", "markdown"],
    ["validate", "bad.jsonld", "--format", "github"],
    ["diff", "bad.jsonld", "good.jsonld"],
    ["diff", "bad.jsonld", "good.jsonld", "--format", "markdown"],
    ["query", "bad.jsonld", "--query", "SELECT * { ?s schema:name ?o }"],
    ["query", "bad.jsonld", "--query", "SELECT * { ?s schema:name ?o }", "--format", "markdown"],
    ["store", "add", "store", "bad.jsonld"],
    ["store", "list", "store"],
    ["agent", "show", "k1.json"],
    ["agent", "timeline", "k1.json"],
    ["agent", "import", "k1.json"],
    ["agent", "list"],
    ["agent", "stats"],
]
"""Commands that print texts of documents for people."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    bad = canonical(item(f"Which metal{BAD}?"))
    bad["name"], bad["creator"] = f"Metals{BAD}", {"@type": "Person", "name": f"Ada{BAD}"}
    bad["rating"].append({**rating(f"depth{BAD}", "Global"), "bestRating": 1.0, "worstRating": 5.0})
    bad[f"unknown{BAD}"], bad["dateModified"] = BAD, f"today{BAD}"
    Path("bad.jsonld").write_text(json.dumps(bad), encoding="utf-8")
    Path("good.jsonld").write_text(json.dumps(canonical()), encoding="utf-8")
    thoughts, calls = [thought(1, content=f"so{BAD}")], [call(1, tool_id=f"bash{BAD}", success=False, error=BAD)]
    Path("k1.json").write_text(bytes_of(tree("k1", thoughts=thoughts, calls=calls)).decode(), encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_escape_sequences_of_a_document_are_printed_as_pictures(run: Run) -> None:
    for command in TEXTS:
        done = run(*command)
        assert done.code in {0, 1}, (command, done.err)
        for text in (done.out.decode(), done.err):
            assert not {"\x1b", "\x07", "\x9b"} & set(text), command


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_what_programs_read_is_as_it_is_but_on_a_terminal(run: Run) -> None:
    command = [
        "query",
        "bad.jsonld",
        "--query",
        "SELECT ?o { ?s a schema:DataFeed ; schema:name ?o }",
        "--format",
        "csv",
    ]
    assert run(*command).out.decode() == f"o\r\nMetals{BAD}\r\n"
    assert b"\x1b" not in on_a_terminal(*command)
    shown = on_a_terminal("convert", "bad.jsonld", "--to", "turtle").decode()
    assert not {"\x1b", "\x9b"} & set(shown)
    assert "Metals" in shown


def on_a_terminal(*arguments: str) -> bytes:
    """Return what a command writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1"}
    with subprocess.Popen(command_of(*arguments), stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        parts = []
        while part := read(ours):
            parts.append(part)
        os.close(ours)
    assert process.returncode == 0
    return b"".join(parts)


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # so Linux says that the other end is closed
        return b""


def command_of(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from checkpoint_ld.cli import main; main()", *arguments]


def shell(redirection: str, *arguments: str, encoding: str = "utf-8") -> subprocess.CompletedProcess[bytes]:
    """Run a command with a redirection of a shell."""
    return subprocess.run(
        ["bash", "-c", f'"$@" {redirection}', "bash", *command_of(*arguments)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=False,
    )


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_full_or_closed_standard_output_is_one_line() -> None:
    inspect, convert = ["inspect", "good.jsonld"], ["convert", "good.jsonld", "--to", "nt"]
    full, closed = (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")
    for command, (redirection, reason) in ((inspect, full), (convert, full), (convert, closed)):
        done = shell(redirection, *command)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode().splitlines()[-1] == (
            f"standard output cannot be written: {reason}; no more of it was written"
        )
    assert shell(">&-", "convert", "good.jsonld", "--quiet", "--output", "good.nt").returncode == 0
    assert Path("good.nt").stat().st_size
    assert shell("2>&-", "convert", "bad.jsonld").returncode == 0
    assert shell("<&-", "convert", "-").stderr == b"the input: cannot be read: bad file descriptor; check the path\n"


LINE = json.dumps({"question_id": "urn:uuid:question-metal-1", "trace": "long " * 2000})
ANSWERS = ["verify", "good.jsonld", "--answers", "answers.jsonl"]
TOO_LARGE = "cannot be written: file too large; choose another path"


def limited(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command that cannot make files of more than 4 kB."""
    # A compiled module would be cut off as well.
    return subprocess.run(
        ["bash", "-c", 'ulimit -f 4; "$@" > shown', "bash", *command_of(*arguments)],
        capture_output=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        check=False,
    )


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ["convert", "good.jsonld", "--to", "nt"],
            "standard output cannot be written: File too large; no more of it was written",
        ),
        ([*ANSWERS, "--output", "results.jsonl"], f"results.jsonl: {TOO_LARGE}"),
        ([*ANSWERS, "--rdf", "results.nt.gz"], f"results.nt.gz: {TOO_LARGE}"),
    ],
)
def test_an_output_that_takes_only_a_part_is_named(command: list[str], message: str, unbuffered: str) -> None:
    Path("answers.jsonl").write_text(f"{LINE}\n" * 20, encoding="utf-8")
    done = limited(*command, PYTHONUNBUFFERED=unbuffered)
    assert (done.returncode, done.stderr.decode().splitlines()[-1]) == (2, message)


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_folder_of_temporary_files_that_is_full_is_named(tmp_path: Path) -> None:
    done = limited("convert", "good.jsonld", "--to", "nt", "--jobs", "1", "--quiet", TMPDIR=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(str(tmp_path).encode())
    assert done.stderr.endswith(b": cannot be written: file too large; choose another path\n")


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", [["rules"], ["convert", "good.jsonld"]])
def test_a_reader_who_leaves_is_no_finding(command: list[str]) -> None:
    done = shell("| true; exit ${PIPESTATUS[0]}", *command)
    assert (done.returncode, done.stderr) == (2, b"")


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_query_that_does_not_end_can_be_interrupted() -> None:
    everything = " . ".join(f"?s{at} ?p{at} ?o{at}" for at in range(9))
    command = command_of("query", "good.jsonld", "--query", f"SELECT (COUNT(*) AS ?n) {{ {everything} }}")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        time.sleep(2)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(10) == -signal.SIGINT
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("moment", [0.05, 0.1, 0.2])
def test_processes_that_start_can_be_interrupted(moment: float) -> None:
    command = command_of("bulk", "convert", ".", "--output", "out", "--jobs", "2")
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            process.kill()
            pytest.skip("this system does not tell the children of a process")
        while len(children.read_text(encoding="utf-8").split()) < 2 and process.poll() is None:  # one tracks resources
            time.sleep(0.01)
        time.sleep(moment)
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60)[1] == b""
        assert process.returncode == 130


@pytest.mark.slow
def test_a_working_folder_that_is_gone_is_reported(tmp_path: Path) -> None:
    gone = f'cd "{tmp_path}" && mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    done = subprocess.run(
        ["bash", "-c", gone, "bash", *command_of("validate", "x.jsonld")], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"the folder that this runs in does not exist any more: change to another one\n"


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_another_encoding_shows_people_what_it_can_and_leaves_data_as_it_is() -> None:
    Path("good.jsonld").write_text(json.dumps(canonical(item("20 °C — 二十?")), ensure_ascii=False), encoding="utf-8")
    data = ["convert", "good.jsonld", "--quiet", "--context", "plain"]
    assert shell("", *data, encoding="ascii").stdout == shell("", *data).stdout
    assert json.loads(shell("", "inspect", "good.jsonld", "--json", encoding="ascii").stdout)["questions"] == 1
    query = ["query", "good.jsonld", "--query", "SELECT ?o { ?s a schema:Question ; schema:text ?o }"]
    for encoding, degree in (("ascii", b"\\xb0"), ("latin-1", b"\xb0")):
        shown = shell("", *query, encoding=encoding)
        assert (shown.returncode, shown.stdout.splitlines()[-1]) == (0, b"20 " + degree + b"C \\u2014 \\u4e8c\\u5341?")
        assert set(shown.stdout.splitlines()[1]) == {ord("-")}
    assert shell("", "validate", "good.jsonld", encoding="ascii").returncode == 0


# --- Nobody waits for what they do not use: what has been imported when a process ends.


METALS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "metals.jsonld"

RDF = {"rdflib", "pyld", "pydantic"}
SHACL = {"pyshacl", "pyparsing"}
SCREEN = {"rich", "click"}
REPAIR = {"checkpoint_ld.validation.fixes"}
OUTPUT = {f"checkpoint_ld.validation.reports.{name}" for name in ("programs", "page", "shacl_report")}
COMMAND = "import sys; sys.argv[1:] = {!r}; from checkpoint_ld.cli import main; main()"


def imported(code: str) -> set[str]:
    """Return the names of all modules that a process has imported when it has run `code`."""
    held = f"import atexit, sys; atexit.register(lambda: print('\\n', *sys.modules)); {code}"
    done = subprocess.run([sys.executable, "-c", held], capture_output=True, encoding="utf-8", check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import checkpoint_ld", RDF | SHACL | SCREEN | {"pyoxigraph"}),
        ("import checkpoint_ld.cli.app", RDF | SHACL | {"rich", "pyoxigraph"}),
        (COMMAND.format(["--version"]), RDF | SHACL | {"rich", "pyoxigraph"}),
        (COMMAND.format(["--help"]), RDF | SHACL | {"rich", "pyoxigraph", "importlib.metadata"}),
        (COMMAND.format(["validate", "--help"]), RDF | SHACL | {"rich", "checkpoint_ld.cli.inspect"}),
        (COMMAND.format(["agent", "--help"]), RDF | SHACL | {"rich"}),
        (f"import checkpoint_ld; checkpoint_ld.load({str(METALS)!r})", SHACL | SCREEN | {"pyld"}),
        (COMMAND.format(["validate", str(METALS)]), {"pyld", "pydantic"} | REPAIR | OUTPUT),
        (COMMAND.format(["validate", "--format", "sarif", str(METALS)]), {"pyld", "pydantic"} | REPAIR),
        *((COMMAND.format(["convert", "--to", one, str(METALS)]), {"pyld", "pydantic"}) for one in ("nt", "jsonld")),
        (COMMAND.format(["query", str(METALS), "--query", "ASK {}"]), {"pyld", "pydantic"}),
    ],
)
def test_what_takes_long_to_import_is_imported_when_it_is_used(code: str, unwanted: set[str]) -> None:
    assert imported(code) & unwanted == set()


@pytest.mark.slow
def test_what_is_used_is_imported() -> None:
    assert imported(f"import checkpoint_ld; checkpoint_ld.load({str(METALS)!r})") >= {"rdflib", "pydantic"}
    unusual = b'{"@type": "DataFeed", "schema:name": "x", "dataFeedElement": []}'
    assert "pyld" in imported(f"from checkpoint_ld.dialects import reading; reading.examine({unusual!r})")
    assert "click" in imported(COMMAND.format(["--help"]))


def test_commands_are_listed_with_what_they_state_themselves() -> None:
    found = {name: app.get_command(click.Context(app), name) for name in SUMMARIES}
    first = {name: (one.help or "").partition("\n\n")[0] for name, one in found.items() if one}
    assert first == SUMMARIES


def test_the_garbage_collector_looks_at_nothing_when_a_command_starts_and_when_it_ends() -> None:
    watching = "gc.callbacks.append(lambda phase, _: seen.append(phase))"
    telling = "atexit.register(lambda: print(seen, gc.get_freeze_count() > 10_000, len(gc.get_objects()) < 100))"
    held = f"import atexit, gc, checkpoint_ld.cli; seen = []; {watching}; {telling}"
    done = subprocess.run(
        [sys.executable, "-c", f"{held}; {COMMAND.format(['validate', str(METALS)])}"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[] True True"
