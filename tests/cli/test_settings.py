"""Configurations that extend others, severities of one's own, required versions, and settings that are shown."""

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.documents import canonical, item

OWN = ".checkpoint-ld.toml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a checkpoint in `inner`, which becomes the working folder."""
    inner = tmp_path / "inner"
    (inner / "drafts").mkdir(parents=True)
    for name in ("a.jsonld", "drafts/b.jsonld"):
        document = canonical(item())
        document.pop("dateCreated", None)
        (inner / name).write_text(json.dumps(document), encoding="utf-8")
    monkeypatch.chdir(inner)
    return tmp_path


def settings(run: Run) -> dict[str, object]:
    outcome = run("validate", ".", "--show-settings")
    assert outcome.code == 0, outcome.err
    return dict(json.loads(outcome.out))


def test_settings_are_taken_from_the_file_that_is_extended(run: Run, folder: Path) -> None:
    base = 'profile = "strict"\nexclude = ["inner/drafts", "*.ttl"]\nselect = ["KB"]\n'
    base += '[per-file-ignores]\n"inner/a*" = ["KB007"]\n'
    (folder / OWN).write_text(base, encoding="utf-8")
    Path(OWN).write_text('extend = "../.checkpoint-ld.toml"\nselect = ["KB", "KQ"]\n', encoding="utf-8")
    assert settings(run) == {
        "file": str(folder / "inner" / OWN),
        "profile": "strict",
        "select": ["KB", "KQ"],
        "exclude": ["drafts", "*.ttl"],
        "per-file-ignores": {"a*": ["KB007"]},
    }
    outcome = run("validate", ".", "--format", "json", "--fail-on", "never")
    assert [Path(one["file"]).name for one in json.loads(outcome.out)["files"]] == ["a.jsonld"]


@pytest.mark.parametrize(
    ("base", "own", "message"),
    [
        ('extend = "inner/.checkpoint-ld.toml"', 'extend = "../.checkpoint-ld.toml"', "extend leads back to"),
        ("", 'extend = ".checkpoint-ld.toml"', "extend leads back to"),
        ("", 'extend = "missing.toml"', "missing.toml: cannot be read"),
        ("", "extend = 3", "write the path of a file"),
        ('profil = "x"', 'extend = "../.checkpoint-ld.toml"', 'there is no setting "profil"'),
    ],
)
def test_what_cannot_be_extended_is_named(run: Run, folder: Path, base: str, own: str, message: str) -> None:
    (folder / OWN).write_text(base, encoding="utf-8")
    Path(OWN).write_text(own, encoding="utf-8")
    outcome = run("validate", "a.jsonld")
    assert outcome.code == 2
    assert message in outcome.err


@pytest.mark.usefixtures("folder")
def test_severities_of_rules_are_those_of_the_project(run: Run) -> None:
    found = json.loads(run("validate", "a.jsonld", "--format", "json").out)
    codes = {one["code"]: one["severity"] for one in found["findings"]}
    code = next(name for name, severity in codes.items() if severity == "warning")
    Path(OWN).write_text(f'[severities]\n{code} = "violation"\n', encoding="utf-8")
    outcome = run("validate", "a.jsonld", "--format", "json")
    changed = {one["code"]: one["severity"] for one in json.loads(outcome.out)["findings"]}
    assert changed == {**codes, code: "violation"}
    assert outcome.code == 1
    for wrong in ('[severities]\nKB008 = "loud"\n', '[severities]\nnothing = "info"\n'):
        Path(OWN).write_text(wrong, encoding="utf-8")
        assert run("validate", "a.jsonld").code == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("wanted", "code"), [(">=0.1", 0), (version("checkpoint-ld"), 0), (">=99", 2), ("<0.1,>=0.0", 2), ("newest", 2)]
)
def test_a_project_may_require_a_version(run: Run, wanted: str, code: int) -> None:
    Path(OWN).write_text(f'required-version = "{wanted}"\nfail-on = "never"\n', encoding="utf-8")
    outcome = run("validate", "a.jsonld")
    assert outcome.code == code
    assert ("required-version is" in outcome.err) == bool(code)


def test_the_nearest_configuration_counts_for_each_file(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    Path(OWN).write_text('ignore = ["KB"]\nfail-on = "never"\n', encoding="utf-8")
    Path("inner/drafts", OWN).write_text('select = ["KB"]\nfail-on = "warning"\n', encoding="utf-8")
    outcome = run("validate", "inner", "--format", "json")
    found = json.loads(outcome.out)
    codes = {Path(one["file"]).name: set[str]() for one in found["files"]}
    assert sorted(codes) == ["a.jsonld", "b.jsonld"]
    for one in found["findings"]:
        codes[Path(one["file"]).name].add(one["code"][:2])
    assert codes["b.jsonld"] == {"KB"}
    assert "KB" not in codes["a.jsonld"]
    assert outcome.code == 1  # by the configuration of `drafts` alone
    assert run("validate", "inner/a.jsonld").code == 0
    shown = json.loads(run("validate", "inner/drafts/b.jsonld", "--show-settings").out)
    assert shown == {"file": str(folder / "inner/drafts" / OWN), "select": ["KB"], "fail-on": "warning"}
    assert json.loads(run("validate", "inner", "--no-config", "--format", "json").out)["findings"]
    alone = run("validate", "inner", "--config", OWN, "--format", "json")
    assert alone.code == 0
    assert run("validate", "inner", "--baseline", "known.json", "--write-baseline").code == 2


def test_the_nearest_configuration_excludes(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path("inner/drafts", OWN).write_text('exclude = ["b.jsonld"]\n', encoding="utf-8")

    def names(*arguments: str) -> list[str]:
        outcome = run("validate", *arguments, "--format", "json", "--fail-on", "never")
        return [Path(one["file"]).name for one in json.loads(outcome.out)["files"]]

    assert names("inner") == ["a.jsonld"]
    assert names("inner/a.jsonld", "inner/drafts/b.jsonld") == ["a.jsonld", "b.jsonld"]
    assert names("inner/a.jsonld", "inner/drafts/b.jsonld", "--force-exclude") == ["a.jsonld"]
    outcome = run("validate", "inner/drafts")
    assert outcome.code == 2
    assert "the nearest configurations exclude all files" in outcome.err
    outcome = run("validate", "inner/drafts/b.jsonld", "--force-exclude")
    assert (outcome.code, outcome.out) == (0, b"")


@pytest.mark.usefixtures("folder")
def test_a_run_with_several_configurations_gives_one_report(run: Run) -> None:
    Path("drafts", OWN).write_text('profile = "strict"\n', encoding="utf-8")
    alone = run("validate", ".", "--format", "json")
    together = run("validate", ".", "--format", "json", "--jobs", 2)
    assert alone.out == together.out
    assert json.loads(alone.out)["profile"] == "karenina, strict"
