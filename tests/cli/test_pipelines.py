"""What other tools run us with: the hooks for pre-commit and the action for GitHub."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from checkpoint_ld.batch import configuration
from checkpoint_ld.cli.app import app
from checkpoint_ld.rules import catalogue
from checkpoint_ld.validation.selection import selection

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
SCRIPTS = {step["name"]: step["run"] for step in ACTION["runs"]["steps"] if "run" in step}
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")


def options_of(command: str) -> set[str]:
    found = app.get_command(click.Context(app), command)
    assert found is not None
    return {spelling for option in found.params for spelling in option.opts}


def unknown_options(line: str) -> set[str]:
    """Return the options in a call of ours that the command does not have."""
    program, command, *rest = shlex.split(line)
    assert program == "checkpoint-ld"
    return {word.partition("=")[0] for word in rest if word.startswith("-") and word != "--"} - options_of(command)


def test_hooks_call_commands_and_options_that_exist() -> None:
    assert [hook["id"] for hook in HOOKS] == ["checkpoint-ld-validate", "checkpoint-ld-fix"]
    for hook in HOOKS:
        assert unknown_options(hook["entry"]) == set()
        assert (hook["language"], hook["pass_filenames"]) == ("python", True)


@pytest.mark.parametrize(
    ("name", "matches"),
    [("a.jsonld", True), ("deep/b.checkpoint.json", True), ("package.json", False), ("a.jsonld.bak", False)],
)
def test_hooks_are_about_checkpoints(name: str, matches: bool) -> None:
    assert {bool(re.search(hook["files"], name)) for hook in HOOKS} == {matches}


def test_the_action_calls_commands_and_options_that_exist() -> None:
    script = SCRIPTS["Validate checkpoints"].replace("\\\n", " ")
    calls = re.findall(r"checkpoint-ld validate [^>|\n]*", script)
    assert [unknown_options(call) for call in calls] == [set()]
    added = re.findall(r'options\+?=\("?(--[\w-]+)', script)
    assert set(added) == {"--quiet", "--profile", "--fail-on"}
    assert set(added) <= options_of("validate")


def test_inputs_reach_no_script_but_through_the_environment() -> None:
    for script in SCRIPTS.values():
        assert EXPRESSION.search(script) is None
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION["runs"])))
    assert used == ACTION["inputs"].keys()


def run_action(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("name") == "Validate checkpoints")
    given = {name: one["default"] for name, one in ACTION["inputs"].items()} | inputs
    variables = {
        name: EXPRESSION.sub(lambda found: str(given[found[1].strip().removeprefix("inputs.")]), value)
        for name, value in step["env"].items()
    }
    path = os.pathsep.join((sysconfig.get_path("scripts"), os.environ["PATH"]))
    environment = {**os.environ, **variables, "PATH": path}
    environment |= {"RUNNER_TEMP": str(folder), "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.slow
def test_the_action_annotates_summarises_and_fails(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "broken.jsonld", tmp_path / "with a space.jsonld")
    shutil.copy(EXAMPLES / "metals.jsonld", tmp_path)
    done = run_action(tmp_path, paths="with a space.jsonld\n\nmet*.jsonld\n")
    assert done.returncode == 1
    assert done.stdout.startswith("::")
    assert "with a space.jsonld" in done.stdout
    assert "question-text" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "checkpoint-ld.sarif").read_bytes())["version"] == "2.1.0"

    shutil.copy(EXAMPLES / "fixable.jsonld", tmp_path)
    assert run_action(tmp_path, paths="fixable.jsonld").returncode == 0
    assert run_action(tmp_path, paths="fixable.jsonld", profile="strict").returncode == 1


@pytest.mark.slow
def test_what_is_written_into_an_input_is_never_run(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "fixable.jsonld", tmp_path)
    evil = "$(touch ran) `touch ran` \"; touch ran; '; touch ran; --fix"
    assert run_action(tmp_path, paths=f"{evil}\n--fix\nfixable.jsonld", **{"fail-on": "never"}).returncode == 2
    assert run_action(tmp_path, paths="fixable.jsonld", profile=evil).returncode == 2
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "fixable.jsonld").read_bytes() == (EXAMPLES / "fixable.jsonld").read_bytes()


def recipes(language: str) -> list[str]:
    text = (ROOT / "docs" / "validate.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_recipes_name_what_there_is() -> None:
    hooks, workflow, pipeline = (yaml.safe_load(one) for one in recipes("yaml"))
    (repository,) = hooks["repos"]
    for hook in repository["hooks"]:
        assert hook["id"] in {one["id"] for one in HOOKS}
        assert {argument.partition("=")[0] for argument in hook["args"]} <= options_of("validate")
    assert workflow["steps"][1]["with"].keys() <= ACTION["inputs"].keys()
    assert unknown_options(pipeline["checkpoints"]["script"][1]) == set()


def test_the_configuration_in_the_guide_makes_sense(tmp_path: Path) -> None:
    (text,) = recipes("toml")
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    found = configuration.find(tmp_path)
    assert found.profile == "strict"
    assert selection(catalogue(), select=found.select, ignore=found.ignore, per_file=found.per_file_ignores).ignored
