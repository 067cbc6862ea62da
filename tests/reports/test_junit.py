"""The report as JUnit XML."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from checkpoint_ld.findings import Severity
from checkpoint_ld.validation.reports import Settings, render
from checkpoint_ld.validation.results import Report
from tests.reports.samples import CLEAN, GRAPH, hostile, metals, repeated, report


def parsed(case: Report, fail_on: Severity | None = Severity.VIOLATION) -> ET.Element:
    return ET.fromstring(render(case, "junit", Settings(fail_on=fail_on)).encode())


def failed(suites: ET.Element) -> list[str]:
    return [case.attrib["name"] for case in suites.iter("testcase") if case.find("failure") is not None]


def test_a_file_is_a_suite_and_a_rule_with_findings_a_test() -> None:
    suites = parsed(report(metals(), CLEAN, GRAPH))

    assert [(suite.attrib["name"], suite.attrib["tests"], suite.attrib["failures"]) for suite in suites] == [
        ("metals.json", "3", "1"),
        ("clean.json", "1", "0"),
        ("metals.ttl", "1", "1"),
    ]
    assert (suites.attrib["tests"], suites.attrib["failures"], suites.attrib["errors"]) == ("5", "2", "0")
    assert {case.attrib["file"] for case in suites[0]} == {"metals.json"}
    assert suites[0][0].attrib["line"] == "5"


def test_a_clean_file_is_one_test_that_passes() -> None:
    (case,) = parsed(report(CLEAN)).iter("testcase")

    assert case.attrib["name"] == "profile karenina"
    assert list(case) == []


def test_all_findings_of_a_rule_are_one_failure() -> None:
    (case,) = parsed(report(repeated(20))).iter("testcase")
    (failure,) = case

    assert failure.attrib == {"message": "the text is empty (and 19 more)", "type": "violation"}
    assert (failure.text or "").count("\n") == 19
    assert (failure.text or "").startswith(
        "1:14: violation KQ003: the text is empty (fix: give the question its text)\n"
    )


@pytest.mark.parametrize(
    ("fail_on", "names"),
    [
        (None, []),
        (Severity.VIOLATION, ["KQ003 question-text"]),
        (Severity.WARNING, ["KQ003 question-text", "KT010 trait-range"]),
        (Severity.INFO, ["KQ003 question-text", "KT010 trait-range", "KQ001 question-keyword"]),
    ],
)
def test_what_fails_is_what_weighs_enough(fail_on: Severity | None, names: list[str]) -> None:
    suites = parsed(report(metals()), fail_on)

    assert failed(suites) == names
    assert suites.attrib["failures"] == str(len(names))
    found = "".join(text.text or "" for case in suites.iter("testcase") for text in case)
    assert all(code in found for code in ("KQ001", "KQ003", "KT010"))


def test_a_finding_without_a_line_names_its_node() -> None:
    (failure,) = parsed(report(GRAPH)).iter("failure")

    assert (failure.text or "").startswith("urn:uuid:question-1: ")


def test_what_xml_cannot_hold_is_replaced() -> None:
    suites = parsed(report(hostile()))

    (failure,) = suites.iter("failure")
    assert '<script>alert(1)</script></script>"|`*[x](http://x)`␛[31m␍' in failure.attrib["message"]
    assert "]]>&amp;{0}" in (failure.text or "")
