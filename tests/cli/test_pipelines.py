"""What other tools run us with: the hooks for pre-commit and the action for GitHub."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import click
import pyoxigraph
import pytest
import yaml

from checkpoint_ld.batch import configuration
from checkpoint_ld.cli.app import app
from checkpoint_ld.dialects import DIALECTS
from checkpoint_ld.entities.json_schemas import json_schema, summaries
from checkpoint_ld.rules import catalogue, example
from checkpoint_ld.validation.selection import selection
from tests.cli.conftest import Run

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
    assert run_action(tmp_path, paths="fixable.jsonld", profile="load").returncode == 0
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


# --- `checkpoint-ld rules` and `schema`: what is checked, for people and for programs, and JSON Schemas for editors.


def test_every_rule_has_a_line(run: Run) -> None:
    done = run("rules")
    lines = done.out.decode().splitlines()
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in lines] == list(catalogue())
    for line, rule in zip(lines, catalogue().values(), strict=True):
        assert line.split()[1:3] == [rule.severity.name.lower(), rule.slug]
        assert line.endswith(rule.title)


@pytest.mark.parametrize("name", ["KQ003", "kq003", "question-text"])
def test_everything_about_one_rule(run: Run, name: str) -> None:
    rule = catalogue()["KQ003"]
    shown = " ".join(run("rules", name).out.decode().split())
    assert shown.startswith(f"KQ003 question-text: violation: {rule.title}")
    for stated in (rule.family, rule.why, rule.message.replace("{?value}", "…"), rule.remedy, rule.condition, rule.see):
        assert " ".join(stated.split()) in shown


def test_no_rule_is_explained_with_a_placeholder(run: Run) -> None:
    shown = run("rules", "K", "A").out.decode()
    assert "callable_code" in shown
    assert "{?" not in shown
    assert "{$" not in shown


def test_what_is_no_checkpoint_is_explained_by_the_signs_of_the_dialects(run: Run) -> None:
    shown = run("rules", "KD011").out.decode()
    for one in DIALECTS:
        assert f"{one.name}: {one.signs}" in shown


@pytest.mark.parametrize("group", ["store", "agent", "bulk"])
def test_the_help_of_a_group_has_whole_summaries(run: Run, group: str) -> None:
    shown = " ".join(run(group, "--help").out.decode().split())
    assert "..." not in shown.partition("Commands:")[2]
    if group == "store":
        assert (
            "Write one checkpoint as it was loaded; the output's extension determines the syntax, by default JSON-LD."
            in shown
        )


def test_one_rule_is_shown_by_example(run: Run) -> None:
    found = example("KR016")
    assert found is not None
    lines = [line.strip() for line in run("rules", "rating-range").out.decode().splitlines()]
    bad, good = lines.index("bad"), lines.index("good")
    assert lines[bad + 1 : good - 1] == [line.strip() for line in found.bad.splitlines()]
    assert lines[good + 1 :] == [line.strip() for line in found.good.splitlines()]
    (rule,) = json.loads(run("rules", "KR016", "--json").out)
    assert (rule["bad"], rule["good"]) == (found.bad, found.good)
    assert "\n  bad\n" not in run("rules", "W-RANGE").out.decode()


def test_a_condition_and_the_beginning_of_codes_mean_several_rules(run: Run) -> None:
    for name, expected in (
        ("E-TEXT", [code for code, rule in catalogue().items() if rule.condition == "E-TEXT"]),
        ("KS", [code for code in catalogue() if code.startswith("KS")]),
    ):
        assert len(expected) > 1
        assert [rule["code"] for rule in json.loads(run("rules", name, "--json").out)] == expected


def test_all_of_it_as_json(run: Run) -> None:
    rules = json.loads(run("rules", "--json").out)
    assert [rule["code"] for rule in rules] == list(catalogue())
    (one,) = (rule for rule in rules if rule["code"] == "KQ003")
    assert one["severity"] == "violation"
    assert one["shape"] == "urn:karenina:shape:question-text"
    assert one["remedy"] == catalogue()["KQ003"].remedy


def test_a_profile_has_rules_and_severities_of_its_own(run: Run) -> None:
    severities = {
        profile: {
            rule["slug"]: rule["severity"] for rule in json.loads(run("rules", "--profile", profile, "--json").out)
        }
        for profile in ("karenina", "strict", "legacy-dataset")
    }
    assert severities["karenina"]["benchmark-date-format"] == "warning"
    assert severities["strict"]["benchmark-date-format"] == "violation"
    assert "dataset-version" not in severities["karenina"]
    assert "dataset-version" in severities["legacy-dataset"]


@pytest.mark.parametrize("name", ["checkpoint", "question", "NumericTolerance"])
def test_a_schema_is_printed(run: Run, name: str) -> None:
    done = run("schema", name)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == json_schema(name)
    assert done.out.endswith(b"}\n")


@pytest.mark.parametrize("arguments", [(), ("--list",), ("question", "--list")])
def test_all_are_listed(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run("schema", *arguments)
    lines = done.out.decode().splitlines()
    assert (done.code, done.err) == (0, "")
    assert {line.split(maxsplit=1)[0]: line.split(maxsplit=1)[1] for line in lines} == summaries()
    written = run("schema", *arguments, "-o", tmp_path / "list.txt")
    assert (written.code, written.out) == (0, b"")
    assert (tmp_path / "list.txt").read_bytes() == done.out


def test_all_are_listed_without_docstrings() -> None:
    program = "from checkpoint_ld.cli import main; main()"
    command = [sys.executable, "-OO", "-c", program, "schema"]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    assert [line.split(maxsplit=1)[0] for line in done.stdout.splitlines()] == list(summaries())


def test_a_schema_is_written_to_a_file_that_is_not_there_yet(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "question.schema.json"
    assert run("schema", "question", "-o", target).code == 0
    assert json.loads(target.read_bytes()) == json_schema("question")

    refused = run("schema", "person", "--output", target)
    assert (refused.code, json.loads(target.read_bytes())) == (2, json_schema("question"))
    assert str(target) in refused.err

    assert run("schema", "person", "--output", target, "--force").code == 0
    assert json.loads(target.read_bytes()) == json_schema("person")


def test_the_vocabularies_are_printed_in_any_syntax(run: Run, tmp_path: Path) -> None:
    whole, benchmarks = run("vocabulary"), run("vocabulary", "karenina")
    assert whole.code == benchmarks.code == 0
    assert b"urn:caf:vocab:" in whole.out
    assert b"urn:caf:vocab:" not in benchmarks.out
    stated = set()
    for name in ("v.ttl", "v.nt", "v.rdf", "v.jsonld"):
        assert run("vocabulary", "caf", "-o", tmp_path / name).code == 0
        stated.add(frozenset(quad.triple for quad in pyoxigraph.parse(path=tmp_path / name)))
    assert len(stated) == 1
