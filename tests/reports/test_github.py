"""The report as workflow commands."""

from __future__ import annotations

import re
from urllib.parse import unquote

from checkpoint_ld.validation.reports import Settings, render
from checkpoint_ld.validation.results import Checked
from tests.reports.samples import CLEAN, GRAPH, found, hostile, metals, repeated, report


def test_each_severity_has_its_command() -> None:
    lines = render(report(metals(), GRAPH), "github").splitlines()

    assert [line.split("::")[1] for line in lines[:4]] == [
        "error file=metals.json,line=5,col=69,title=KQ003 question-text",
        "warning file=metals.json,line=7,col=64,title=KT010 trait-range",
        "notice file=metals.json,line=8,col=21,title=KQ001 question-keyword",
        "error file=metals.ttl,title=KQ003 question-text",
    ]
    assert lines[0].endswith("::question 1: the text is empty%0Agive the question its text")
    assert lines[4:] == ["2 files: 2 violations, 1 warning, 1 info (profile karenina)"]


def test_what_means_something_in_a_command_is_escaped() -> None:
    checked = Checked("a:b,c%.json", (found(message="100 %: a, b\r\nc", remedy="", rule="x:y,z"),))

    command = render(report(checked), "github").splitlines()[0]

    assert command == "::error file=a%3Ab%2Cc%25.json,title=KQ003 x%3Ay%2Cz::100 %25: a, b%0D%0Ac"


def test_a_finding_is_one_line_that_no_document_can_leave() -> None:
    lines = render(report(hostile()), "github").splitlines()

    assert len(lines) == 3
    assert all(re.match(r"::(error|notice) [^:]*::", line) for line in lines[:2])
    assert "<script>alert(1)</script>" in unquote(lines[0])


def test_one_rule_is_repeated_only_so_often() -> None:
    text = render(report(repeated(30), CLEAN), "github", Settings(max_per_rule=3))

    assert text.count("::error ") == 3
    assert "\n… and 27 more of KQ003: use --max-per-rule 0 to see all\n" in text


def test_a_source_without_a_name_has_no_file() -> None:
    assert render(report(metals(None)), "github").startswith("::error line=5,col=69,title=")
