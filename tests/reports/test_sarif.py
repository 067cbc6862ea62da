"""The report as SARIF, held against the published schema (see `sarif-2.1.0-rtm.5.md`)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from checkpoint_ld.findings import Finding
from checkpoint_ld.validation.reports import render
from checkpoint_ld.validation.reports.programs import FINGERPRINT, message
from checkpoint_ld.validation.results import Checked, Report
from tests.reports.samples import CLEAN, GRAPH, QUESTION, TEXT, found, hostile, metals, repeated, report

SCHEMA = json.loads(Path(__file__).with_name("sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
CHECKER = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


def run(case: Report) -> dict[str, Any]:
    log = json.loads(render(case, "sarif"))
    CHECKER.validate(log)
    (only,) = log["runs"]
    assert isinstance(only, dict)
    return only


def test_the_schema_refuses_what_is_no_sarif() -> None:
    log = json.loads(render(report(metals()), "sarif"))
    log["runs"][0]["results"][0]["level"] = "violation"

    assert list(CHECKER.iter_errors(log))


@pytest.mark.parametrize(
    "case",
    [
        report(),
        report(CLEAN),
        report(metals(None)),
        report(GRAPH),
        report(hostile()),
        report(metals(), CLEAN, GRAPH, repeated(9), hostile()),
        report(metals(), rules={}),
    ],
)
def test_every_report_is_valid_sarif(case: Report) -> None:
    assert len(run(case)["results"]) == len(case.findings)


def test_a_rule_is_described_and_every_result_points_to_its_rule() -> None:
    only = run(report(metals()))
    rules = only["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules] == ["KQ001", "KQ003", "KT010"]
    assert rules[1] == {
        "id": "KQ003",
        "name": "QuestionText",
        "shortDescription": {"text": "question without text"},
        "fullDescription": {"text": "The text is what is asked."},
        "help": {"text": "The text is what is asked.\ngive the question its text"},
        "helpUri": "https://example.org/questions#text",
        "defaultConfiguration": {"level": "error"},
        "properties": {"slug": "question-text", "tags": ["Questions", "E-TEXT"]},
    }
    for result in only["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert [result["level"] for result in only["results"]] == ["error", "warning", "note"]


def test_a_rule_that_is_not_in_the_profile_is_listed_all_the_same() -> None:
    only = run(report(Checked("a.json", (Finding("ZZ1", found().severity, "odd"),))))

    assert only["results"][0]["ruleIndex"] == 3
    assert only["tool"]["driver"]["rules"][3]["id"] == "ZZ1"


def test_a_result_states_where_it_is_in_the_file_and_in_the_document() -> None:
    (place,) = run(report(metals()))["results"][0]["locations"]

    assert place == {
        "physicalLocation": {
            "artifactLocation": {"uri": "metals.json", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 5, "startColumn": 69, "endColumn": 71},
        },
        "logicalLocations": [
            {"fullyQualifiedName": "/dataFeedElement/0/item/text", "kind": "value"},
            {"fullyQualifiedName": QUESTION, "kind": "resource"},
        ],
    }


def test_columns_are_stated_to_count_characters() -> None:
    assert run(report(metals()))["columnKind"] == "unicodeCodePoints"


def test_a_place_that_is_not_known_has_no_region() -> None:
    (place,) = run(report(GRAPH))["results"][0]["locations"]

    assert place["physicalLocation"] == {"artifactLocation": {"uri": "metals.ttl", "uriBaseId": "%SRCROOT%"}}


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("a b/ü#1?.json", "a%20b/%C3%BC%231%3F.json"),
        ("./a.json", "a.json"),
        ("../a.json", "../a.json"),
        ("c:d.json", "c%3Ad.json"),
        ("100%.json", "100%25.json"),
    ],
)
def test_a_name_becomes_a_uri(source: str, uri: str) -> None:
    (artifact,) = run(report(Checked(source, ())))["artifacts"]

    assert artifact["location"] == {"uri": uri, "uriBaseId": "%SRCROOT%"}


def test_an_absolute_name_needs_no_base(tmp_path: Path) -> None:
    (artifact,) = run(report(Checked(str(tmp_path / "a b.json"), ())))["artifacts"]

    assert artifact["location"] == {"uri": (tmp_path / "a b.json").as_uri()}


def fingerprints(*findings: Finding) -> list[str]:
    results = run(report(Checked("a.json", findings, None, TEXT)))["results"]
    return [result["partialFingerprints"][FINGERPRINT] for result in results]


TRAIT = f"{QUESTION}#/item/rating/0"
FILE = "urn:karenina:sha256:"


@pytest.mark.parametrize(
    ("pointers", "nodes"),
    [
        (("/dataFeedElement/0/@id", "/dataFeedElement/7/@id"), (QUESTION, QUESTION)),
        (("/dataFeedElement/0/item/rating/0/a/1/b", "/dataFeedElement/7/item/rating/0/a/1/b"), (TRAIT, TRAIT)),
        (("/questions/0/traits/0/b", "/questions/7/traits/0/b"), (TRAIT, TRAIT)),
        (("/name", "/name"), (f"{FILE}0123", f"{FILE}4567")),
        (("/rating/0/name", "/rating/0/name"), (f"{FILE}0123#/rating/0", f"{FILE}4567#/rating/0")),
        (("/name", "/name"), (None, None)),
    ],
)
def test_a_fingerprint_stays_when_something_else_is_edited(pointers: tuple[str, str], nodes: tuple[str, str]) -> None:
    before, after = (found(pointer=pointer, node=node) for pointer, node in zip(pointers, nodes, strict=True))

    assert fingerprints(before) == fingerprints(replace(after, place=replace(after.place, line=17, column=9)))


def test_fingerprints_differ_within_a_file() -> None:
    findings = (
        found(pointer="/a/0/text", node=QUESTION),
        found(pointer="/a/0/name", node=QUESTION),
        found("KT010", pointer="/a/0/text", node=QUESTION),
        found(pointer="/a/0/item/rating/0/b/0/value", node=TRAIT),
        found(pointer="/a/0/item/rating/0/b/1/value", node=TRAIT),
        found(pointer="/b/0/text", node=f"{FILE}0123#/b/0"),
        found(pointer="/b/1/text", node=f"{FILE}0123#/b/1"),
        found(pointer="/a/1/text"),
        found(pointer="/a/2/text"),
        found(pointer="/a/2/text"),
        found(),
    )

    assert len(set(fingerprints(*findings))) == len(findings)


def test_a_message_states_what_is_wrong_and_what_to_do() -> None:
    assert message(metals().findings[0]) == "question 1: the text is empty\ngive the question its text"


@pytest.mark.parametrize(
    ("text", "written"),
    [("{0} and {name}", "{{0}} and {{name}}"), ("[here](1)", r"\[here](1)"), ("[1, 2]", "[1, 2]")],
)
def test_what_sarif_reads_as_more_than_text_is_escaped(text: str, written: str) -> None:
    assert message(replace(found(message=text), remedy="")) == written
