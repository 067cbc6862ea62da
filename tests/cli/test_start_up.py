"""Nobody waits for what they do not use: what has been imported when a process ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from checkpoint_ld.cli.app import SUMMARIES, app

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


@pytest.mark.slow
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
