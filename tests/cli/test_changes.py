"""Only what changed, names for standard input, exclusions of named files, and reports for other services."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.documents import canonical, item


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def write(name: str, number: int, *, is_faulty: bool = True) -> None:
    document = canonical(item(f"What {number} é?", f"urn:uuid:question-{number}"))
    document["@id"] = f"urn:uuid:karenina-checkpoint-{number}"
    if is_faulty:
        question = document["dataFeedElement"][0]["item"]
        question["acceptedAnser"] = question.pop("acceptedAnswer")
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(json.dumps(document, indent=2, ensure_ascii=False), encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with two commits: in the second, `b` changed. `d` is new, `ignored` unseen."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    git("init", "--initial-branch", "main")
    for number, name in enumerate("abc"):
        write(f"in/{name}.jsonld", number)
    Path(".gitignore").write_text("ignored.jsonld\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-m", "first")
    write("in/b.jsonld", 7)
    git("commit", "-am", "second")
    write("in/d d é.jsonld", 3)
    write("in/ignored.jsonld", 4)
    return tmp_path


def files_of(run: Run, *arguments: object) -> list[str]:
    outcome = run("validate", *arguments, "--format", "json")
    return sorted(Path(one["file"]).name for one in json.loads(outcome.out)["files"])


@pytest.mark.usefixtures("repository")
def test_only_what_changed_is_validated(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert files_of(run, "in", "--changed-since", "HEAD~1") == ["b.jsonld", "d d é.jsonld"]
    assert files_of(run, "in", "--changed-since", "HEAD") == ["d d é.jsonld"]
    monkeypatch.chdir("in")
    assert files_of(run, ".", "--changed-since", "main~1") == ["b.jsonld", "d d é.jsonld"]


@pytest.mark.usefixtures("repository")
def test_a_branch_counts_from_where_it_began(run: Run) -> None:
    git("checkout", "-q", "-b", "branch", "HEAD~1")
    write("in/c.jsonld", 9)
    git("commit", "-am", "on the branch")
    assert files_of(run, "in", "--changed-since", "main") == ["c.jsonld", "d d é.jsonld"]


@pytest.mark.usefixtures("repository")
def test_where_the_rules_changed_everything_is_validated(run: Run) -> None:
    Path(".checkpoint-ld.toml").write_text('ignore = ["KT"]\n', encoding="utf-8")
    assert len(files_of(run, "in", "--changed-since", "HEAD")) == 5
    outcome = run("validate", "in", "--changed-since", "HEAD")
    assert ".checkpoint-ld.toml changed since HEAD, so that all files are validated" in outcome.err


@pytest.mark.usefixtures("repository")
def test_nothing_changed_is_no_failure_but_an_unknown_reference_is(run: Run, tmp_path: Path) -> None:
    outcome = run("validate", "in/a.jsonld", "--changed-since", "HEAD")
    assert (outcome.code, outcome.err) == (0, "none of 1 file changed since HEAD\n")
    for reference in ("nowhere", "--output=x", "HEAD~99"):
        outcome = run("validate", "in", f"--changed-since={reference}")
        assert outcome.code == 2
        assert "is no commit, branch or tag of this repository" in outcome.err
    assert not (tmp_path / "x").exists()


def test_outside_of_a_repository_it_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    write("in/a.jsonld", 1)
    outcome = run("validate", "in", "--changed-since", "HEAD")
    assert outcome.code == 2
    assert "--changed-since needs a repository of git" in outcome.err


@pytest.mark.usefixtures("repository")
def test_the_configuration_of_a_repository_runs_no_program(run: Run, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\n", encoding="utf-8")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "diff.x.textconv"):
        git("config", name, str(program))
    Path(".gitattributes").write_text("*.jsonld diff=x\n", encoding="utf-8")
    write("in/a.jsonld", 8)
    assert "a.jsonld" in files_of(run, "in", "--changed-since", "HEAD")
    assert not marker.exists()


@pytest.mark.usefixtures("repository")
def test_standard_input_has_the_name_that_it_is_given(run: Run) -> None:
    data = Path("in/a.jsonld").read_bytes()
    found = run("validate", "-", "--stdin-filename", "in/edited.jsonld", "--format", "json", stdin=data)
    assert [one["file"] for one in json.loads(found.out)["files"]] == ["in/edited.jsonld"]
    turtle = run("convert", "in/a.jsonld", "--to", "turtle").out
    found = run("validate", "-", "--stdin-filename", "x.ttl", "--format", "json", stdin=turtle)
    assert json.loads(found.out)["files"][0]["file"] == "x.ttl"


@pytest.mark.usefixtures("repository")
def test_named_files_are_excluded_by_force_alone(run: Run) -> None:
    Path(".checkpoint-ld.toml").write_text('exclude = ["in/a.jsonld"]\n', encoding="utf-8")
    assert files_of(run, "in/a.jsonld", "in/b.jsonld") == ["a.jsonld", "b.jsonld"]
    assert files_of(run, "in/a.jsonld", "in/b.jsonld", "--force-exclude") == ["b.jsonld"]
    for arguments in (("in/a.jsonld",), ("-", "--stdin-filename", "in/a.jsonld")):
        outcome = run("validate", *arguments, "--force-exclude", stdin=b"{")
        assert (outcome.code, outcome.out) == (0, b"")
        assert "in/a.jsonld in exclude of" in outcome.err
    Path(".checkpoint-ld.toml").write_text('exclude = ["in"]\n', encoding="utf-8")
    outcome = run("validate", "in")
    assert outcome.code == 2
    assert "nothing to validate in in: in in exclude of" in outcome.err
    assert ".checkpoint-ld.toml excludes everything" in outcome.err


@pytest.mark.usefixtures("repository")
def test_paths_for_services_begin_at_the_repository(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("in")
    sarif = json.loads(run("validate", "a.jsonld", "--format", "sarif").out)
    assert sarif["runs"][0]["artifacts"][0]["location"]["uri"] == "in/a.jsonld"
    gitlab = json.loads(run("validate", "a.jsonld", "--format", "gitlab").out)
    assert {one["location"]["path"] for one in gitlab} == {"in/a.jsonld"}
    assert len({one["fingerprint"] for one in gitlab}) == len(gitlab) > 0
    assert {one["severity"] for one in gitlab} <= {"info", "minor", "major", "critical", "blocker"}
    assert all(one["description"] and one["check_name"] and one["location"]["lines"]["begin"] for one in gitlab)
    assert b"::error file=in/a.jsonld," in run("validate", "a.jsonld", "--format", "github").out


@pytest.mark.usefixtures("repository")
def test_reviewdog_counts_bytes(run: Run) -> None:
    document = canonical(item("é" * 10))
    question = document["dataFeedElement"][0]["item"]
    question["acceptedAnser"] = question.pop("acceptedAnswer")
    Path("in/x.jsonld").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    found = json.loads(run("validate", "in/x.jsonld", "--format", "rdjson").out)
    assert found["source"] == {"name": "checkpoint-ld"}
    assert {one["severity"] for one in found["diagnostics"]} <= {"ERROR", "WARNING", "INFO"}
    text = Path("in/x.jsonld").read_bytes()
    columns = [
        one["location"]["range"]["start"]["column"] for one in found["diagnostics"] if "range" in one["location"]
    ]
    assert columns
    assert all(0 < column <= len(text) for column in columns)
    assert any(text[column - 1 :].startswith(b'"acceptedAnser"') for column in columns)
