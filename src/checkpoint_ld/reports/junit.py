"""A report as JUnit XML, for build servers: a suite for each file, a test for each rule that has findings in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from checkpoint_ld.reports import tool
from checkpoint_ld.reports.summary import name_of, word

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding, Severity
    from checkpoint_ld.report import Checked, Report
    from checkpoint_ld.reports.format import Settings

_NO_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped (§2.2), and the carriage return, which its readers drop (§2.11)."""


def render(report: Report, settings: Settings) -> str:
    """Return the report as `testsuites`; a test fails when its rule weighs `settings.fail_on` or more."""
    root = ET.Element("testsuites", name=tool.NAME)
    for checked in report.checked:
        root.append(_suite(checked, report.profile, settings.fail_on))
    _count(root)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(checked: Checked, profile: str, fail_on: Severity | None) -> ET.Element:
    name = _xml(name_of(checked))
    suite = ET.Element("testsuite", name=name)
    by_rule: dict[str, list[Finding]] = {}
    for found in checked.findings:
        by_rule.setdefault(found.code, []).append(found)
    for findings in by_rule.values():
        suite.append(_case(name, findings, fail_on))
    if not by_rule:
        ET.SubElement(suite, "testcase", name=_xml(f"profile {profile}"), classname=name, file=name)
    _count(suite)
    return suite


def _case(file: str, findings: list[Finding], fail_on: Severity | None) -> ET.Element:
    first, heaviest = findings[0], max(found.severity for found in findings)
    name = _xml(" ".join(part for part in (first.code, first.rule) if part))
    case = ET.Element("testcase", name=name, classname=file, file=file)
    if first.place.line is not None:
        case.set("line", str(first.place.line))
    details = _xml("\n".join(_line(found) for found in findings))
    if fail_on is None or heaviest < fail_on:
        ET.SubElement(case, "system-out").text = details
    else:
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        ET.SubElement(case, "failure", message=_xml(first.message + more), type=word(heaviest)).text = details
    return case


def _line(found: Finding) -> str:
    place = found.place
    where = ":".join(str(part) for part in (place.line, place.column) if part is not None)
    where = where or place.pointer or (found.node or "")
    what = f"{found.subject}: {found.message}" if found.subject else found.message
    fix = f" (fix: {found.remedy})" if found.remedy else ""
    return f"{where or 'file'}: {word(found.severity)} {found.code}: {what}{fix}"


def _count(element: ET.Element) -> None:
    element.set("tests", str(len(element.findall(".//testcase"))))
    element.set("failures", str(len(element.findall(".//failure"))))
    element.set("errors", "0")


def _xml(text: str) -> str:
    return _NO_XML.sub(lambda char: chr(0x2400 + ord(char[0])) if char[0] < " " else "\N{REPLACEMENT CHARACTER}", text)
