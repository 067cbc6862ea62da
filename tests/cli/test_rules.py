"""`checkpoint-ld rules` and `schema`: what is checked, for people and for programs, and JSON Schemas for editors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checkpoint_ld.dialects import DIALECTS
from checkpoint_ld.entities.json_schemas import json_schema, summaries
from checkpoint_ld.rules import catalogue, example
from tests.cli.conftest import Run


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
            "Write one checkpoint as it was loaded; the output's extension tells the syntax, else it is JSON-LD."
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
    assert severities["karenina"]["benchmark-version"] == "warning"
    assert severities["strict"]["benchmark-version"] == "violation"
    assert "dataset-version" not in severities["karenina"]
    assert "dataset-version" in severities["legacy-dataset"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["KQ999"], 'there is no rule "KQ999"; did you mean'), (["--profile", "strikt"], "did you mean strict?")],
)
def test_what_does_not_exist_is_refused(run: Run, arguments: list[str], message: str) -> None:
    done = run("rules", *arguments)
    assert (done.code, done.out) == (2, b"")
    assert message in done.err


@pytest.mark.parametrize("name", ["checkpoint", "question", "NumericTolerance"])
def test_a_schema_is_printed(run: Run, name: str) -> None:
    done = run("schema", name)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == json_schema(name)
    assert done.out.endswith(b"}\n")


@pytest.mark.parametrize("arguments", [(), ("--list",), ("question", "--list")])
def test_all_are_listed(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("schema", *arguments)
    lines = done.out.decode().splitlines()
    assert (done.code, done.err) == (0, "")
    assert {line.split(maxsplit=1)[0]: line.split(maxsplit=1)[1] for line in lines} == summaries()


def test_a_schema_is_written_to_a_file_that_is_not_there_yet(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "question.schema.json"
    assert run("schema", "question", "-o", target).code == 0
    assert json.loads(target.read_bytes()) == json_schema("question")

    refused = run("schema", "person", "--output", target)
    assert (refused.code, json.loads(target.read_bytes())) == (2, json_schema("question"))
    assert str(target) in refused.err

    assert run("schema", "person", "--output", target, "--force").code == 0
    assert json.loads(target.read_bytes()) == json_schema("person")


def test_a_name_that_does_not_exist_is_refused(run: Run) -> None:
    done = run("schema", "checkpont")
    assert (done.code, done.out) == (2, b"")
    assert 'there is no schema "checkpont"; did you mean checkpoint?' in done.err
