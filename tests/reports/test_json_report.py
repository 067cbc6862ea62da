"""The report as JSON, held against the schema that is shipped."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import jsonschema
import pytest

from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.validation.reports import Settings, programs, render
from checkpoint_ld.validation.results import Report
from tests.reports.samples import CLEAN, GRAPH, HOSTILE, QUESTION, RULES, hostile, metals, repeated, report


def parsed(case: Report) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(render(case, "json", Settings(max_per_rule=1)))
    jsonschema.Draft202012Validator(programs.schema()).validate(tree)
    return tree


def test_the_schema_is_one_and_describes_every_member() -> None:
    schema = programs.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    tree = parsed(report(metals()))

    for members, described in (
        (tree, schema),
        (tree["summary"], schema["properties"]["summary"]),
        (tree["files"][0], schema["properties"]["files"]["items"]),
        (tree["findings"][0], schema["$defs"]["finding"]),
        (tree["rules"]["KQ003"], schema["$defs"]["rule"]),
    ):
        assert set(members) == set(described["properties"]) == set(described["required"])


def test_the_schema_refuses_what_is_no_report() -> None:
    tree = parsed(report(metals()))
    tree["findings"][0]["line"] = 0

    with pytest.raises(jsonschema.ValidationError, match="0 is less than the minimum"):
        jsonschema.Draft202012Validator(programs.schema()).validate(tree)


def test_a_finding_is_there_with_everything_that_is_known() -> None:
    first = parsed(report(metals()))["findings"][0]

    assert first == {
        "code": "KQ003",
        "rule": "question-text",
        "condition": "E-TEXT",
        "severity": "violation",
        "message": "the text is empty",
        "remedy": "give the question its text",
        "subject": "question 1",
        "value": "",
        "file": "metals.json",
        "dialect": "",
        "pointer": "/dataFeedElement/0/item/text",
        "line": 5,
        "column": 69,
        "node": QUESTION,
        "fixable": False,
    }
    known = {field.name for kind in (Finding, Place) for field in dataclasses.fields(kind)}
    assert set(first) == known - {"place"}


def test_files_are_counted_also_those_without_findings() -> None:
    tree = parsed(report(metals(), CLEAN, repeated(10)))

    assert tree["summary"] == {"files": 3, "violations": 11, "warnings": 1, "infos": 1, "known": 0}
    assert [(one["file"], one["violations"], one["warnings"]) for one in tree["files"]] == [
        ("metals.json", 1, 1),
        ("clean.json", 0, 0),
        ("many.json", 10, 0),
    ]
    assert len(tree["findings"]) == 13
    assert not tree["conforms"]
    assert list(tree["rules"]) == ["KQ001", "KQ003", "KT010"]
    assert tree["rules"]["KQ003"]["why"] == RULES["KQ003"].why


def test_an_empty_report_conforms() -> None:
    tree = parsed(report())

    assert tree["conforms"]
    assert tree["files"] == tree["findings"] == []


def test_what_is_not_known_is_null() -> None:
    first = parsed(report(GRAPH))["findings"][0]

    assert [first[name] for name in ("pointer", "line", "column", "value")] == [None] * 4


def test_hostile_text_comes_back_as_it_was() -> None:
    tree = parsed(report(hostile()))

    assert tree["findings"][0]["value"] == HOSTILE
