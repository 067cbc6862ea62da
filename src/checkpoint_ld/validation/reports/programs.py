"""A report for programs: JSON, SARIF 2.1.0 (OASIS) for code scanning, JUnit XML for build servers."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from importlib import resources
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote
from xml.etree import ElementTree as ET

from checkpoint_ld.documents.files import in_repository
from checkpoint_ld.findings import Severity, counts_of
from checkpoint_ld.graph.literals import ROOT_PREFIX
from checkpoint_ld.phrases import encodable
from checkpoint_ld.rules import Rule
from checkpoint_ld.validation.reports.text import (
    TOOL,
    SourceText,
    by_rule,
    name_of,
    position,
    rule_of,
    version,
    what,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.validation.reports import ReportSettings
    from checkpoint_ld.validation.results import Checked, Report

Tree = dict[str, Any]

VERSION = 1
"""Version of the JSON form. A new member does not change it; a member that is removed or changes its meaning does."""
LEVELS = {Severity.VIOLATION: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
FINGERPRINT = "checkpointLdFinding/v1"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE = "%SRCROOT%"
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")
_NO_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot contain, not even escaped (§2.2), and the carriage return, which parsers drop (§2.11).
"""


def as_json(report: Report, _: ReportSettings) -> str:
    """Return the report as one JSON object; `report.schema.json` beside this module describes it."""
    found = {one.code for one in report.findings}.intersection(report.rules)
    return _dumped(
        {
            "version": VERSION,
            "tool": TOOL,
            "toolVersion": version(),
            "profile": report.profile,
            "conforms": report.conforms,
            "summary": {"files": len(report.checked), **_counts(report.counts), "known": report.known},
            "files": [
                {"file": one.source, "dialect": one.dialect, **_counts(counts_of(one.findings))}
                for one in report.checked
            ],
            "findings": [
                {**one.as_json(checked.source), "fixable": one.fixable}
                for checked in report.checked
                for one in checked.findings
            ],
            "rules": {code: _rule(report.rules[code]) for code in sorted(found)},
        }
    )


def schema() -> Tree:
    """Return the JSON Schema (draft 2020-12) of the JSON form."""
    text = (resources.files("checkpoint_ld.validation.reports") / "report.schema.json").read_text(encoding="utf-8")
    described: Tree = json.loads(text)
    return described


def _dumped(tree: Tree | list[Tree]) -> str:
    return json.dumps(tree, ensure_ascii=False, indent=2) + "\n"


def _counts(counts: Mapping[Severity, int]) -> dict[str, int]:
    return {f"{severity.label}s": number for severity, number in counts.items()}


def _rule(rule: Rule) -> Tree:
    plain = ("title", "severity", "why", "remedy", "condition", "see", "shape", "family")
    return {"rule": rule.slug, **{name: getattr(rule, name) for name in plain}, "severity": rule.severity.label}


def statistics(report: Report, _: ReportSettings) -> str:
    """Return the number of findings of each rule as one JSON array."""
    return _dumped([{**one._asdict(), "severity": one.severity.label} for one in by_rule(report)])


def sarif(report: Report, settings: ReportSettings) -> str:
    """Return a SARIF log of one run: every rule of the profile, every file, every finding."""
    beside = {one.code: Rule(one.code, one.rule, one.rule, one.severity) for one in report.findings}
    rules = dict(sorted({**beside, **report.rules}.items()))
    indexes = {code: index for index, code in enumerate(rules)}
    driver = {
        "name": TOOL,
        "version": version(),
        "rules": [_descriptor(rule, settings.rules_url) for rule in rules.values()],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"{TOOL}/{report.profile}/"},
        "originalUriBaseIds": {_BASE: {"description": {"text": "The repository, or else the working folder."}}},
        "columnKind": "unicodeCodePoints",
        "artifacts": [
            {"location": _location(checked.source), "roles": ["analysisTarget"]}
            for checked in report.checked
            if checked.source is not None
        ],
        "results": [result for checked in report.checked for result in _results(checked, indexes)],
    }
    return _dumped({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _descriptor(rule: Rule, address: str | None) -> Tree:
    name = "".join(part.capitalize() for part in rule.slug.split("-"))
    help_text = "\n".join(filter(None, (rule.why, rule.remedy)))
    described: Tree = {"id": rule.code, "shortDescription": {"text": rule.title or rule.code}}
    if name:
        described["name"] = name
    described["fullDescription"] = {"text": rule.why or rule.title or rule.code}
    described["help"] = {"text": help_text or rule.title or rule.code}
    see = address.replace("{code}", rule.code) if address is not None else rule.see
    if see.startswith(("http://", "https://")):
        described["helpUri"] = quote(see, safe=":/?#[]@!$&'()*+,;=%~")
    described["defaultConfiguration"] = {"level": LEVELS[rule.severity]}
    tags = [tag for tag in (rule.family, rule.condition) if tag]
    described["properties"] = {"slug": rule.slug, "tags": tags}
    return described


def _results(checked: Checked, indexes: Mapping[str, int]) -> Iterator[Tree]:
    source = SourceText(checked.text) if checked.text is not None else None
    seen: Counter[str] = Counter()
    for found in checked.findings:
        key = identity(found)
        seen[key] += 1
        yield {
            "ruleId": found.code,
            "ruleIndex": indexes[found.code],
            "level": LEVELS[found.severity],
            "message": {"text": message(found)},
            "locations": [_place(checked, found, source)],
            "partialFingerprints": {FINGERPRINT: f"{key}:{seen[key]}"},
        }


def message(found: Finding) -> str:
    """Return the message and the remedy; what SARIF would read as markup is escaped (§3.11.5-6)."""
    text = "\n".join(filter(None, (what(found), found.remedy))) or found.code
    return _LINK.sub(r"\\[", text).replace("{", "{{").replace("}", "}}")


def identity(found: Finding) -> str:
    """Return what identifies a finding when other parts of a file are edited.

    The name of a node stays when an element is inserted before it, but its pointer changes. The part of the pointer
    beyond the node distinguishes the members of one node. A node that is named by a hash of the whole file has no
    stable name.
    """
    where = pointer = found.place.pointer or ""
    if found.node is not None and not found.node.startswith(ROOT_PREFIX):
        below = unquote(found.node.partition("#")[2])
        beyond = pointer.rpartition(below if below and below in pointer else "/")[2]
        where = f"{found.node} {beyond}"
    return hashlib.sha256(f"{found.code} {where}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _place(checked: Checked, found: Finding, source: SourceText | None) -> Tree:
    place: Tree = {}
    if checked.source is not None:
        place["physicalLocation"] = {"artifactLocation": _location(checked.source)}
        if found.place.line is not None:
            place["physicalLocation"]["region"] = _region(found.place.line, found.place.column, source)
    logical = [
        {"fullyQualifiedName": name, "kind": kind}
        for name, kind in ((found.place.pointer, "value"), (found.node, "resource"))
        if name
    ]
    if logical:
        place["logicalLocations"] = logical
    return place


def _region(line: int, column: int | None, source: SourceText | None) -> Tree:
    if column is None:
        return {"startLine": line}
    end = source.end_column(line, column) if source is not None else None
    region = {"startLine": line, "startColumn": column}
    return region if end is None else {**region, "endColumn": end}


def _location(source: str) -> Tree:
    """Return the URI of a file (RFC 3986): relative to the root of the repository, unless the path leads out of it."""
    path = PurePath(encodable(in_repository(source)))
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix()), "uriBaseId": _BASE}


_GITLAB = {Severity.VIOLATION: "major", Severity.WARNING: "minor", Severity.INFO: "info"}
"""Severities as GitLab has them (GitLab, "Code Quality report format")."""


def gitlab(report: Report, _: ReportSettings) -> str:
    """Return a report of Code Quality for GitLab: an array with an object for each finding."""
    issues = []
    seen: Counter[str] = Counter()
    for checked in report.checked:
        path = encodable(in_repository(name_of(checked)))
        for found in checked.findings:
            key = hashlib.sha256(f"{path} {identity(found)}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
            seen[key] += 1
            issues.append(
                {
                    "description": "; ".join(filter(None, (what(found), found.remedy))) or found.code,
                    "check_name": rule_of(found),
                    "fingerprint": f"{key}-{seen[key]}",
                    "severity": _GITLAB[found.severity],
                    "location": {"path": path, "lines": {"begin": found.place.line or 1}},
                }
            )
    return _dumped(issues)


_REVIEWDOG = {Severity.VIOLATION: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def rdjson(report: Report, settings: ReportSettings) -> str:
    """Return diagnostics in reviewdog's format (RDFormat): one object, whose columns count bytes of UTF-8."""
    diagnostics = []
    for checked in report.checked:
        path = encodable(in_repository(name_of(checked)))
        lines = (checked.text or "").split("\n") if checked.findings else []
        for found in checked.findings:
            location: Tree = {"path": path}
            if found.place.line is not None:
                start = {"line": found.place.line}
                if found.place.column is not None:
                    line = lines[found.place.line - 1] if found.place.line <= len(lines) else ""
                    start["column"] = len(line[: found.place.column - 1].encode("utf-8", "surrogatepass")) + 1
                location["range"] = {"start": start}
            code: Tree = {"value": found.code}
            rule = report.rules.get(found.code)
            see = settings.rules_url.replace("{code}", found.code) if settings.rules_url else rule.see if rule else ""
            if see.startswith(("http://", "https://")):
                code["url"] = see
            text = "\n".join(filter(None, (what(found), found.remedy))) or found.code
            severity = _REVIEWDOG[found.severity]
            diagnostics.append({"message": text, "location": location, "severity": severity, "code": code})
    return _dumped({"source": {"name": TOOL}, "diagnostics": diagnostics})


def junit(report: Report, settings: ReportSettings) -> str:
    """Return JUnit XML: a suite for each file, with a test for each rule that has findings there.

    A test fails if its rule has the severity `settings.fail_on` or a higher one.
    """
    root = ET.Element("testsuites", name=TOOL)
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
    case = ET.Element("testcase", name=_xml(rule_of(first)), classname=file, file=file)
    if first.place.line is not None:
        case.set("line", str(first.place.line))
    details = _xml("\n".join(map(_line, findings)))
    if fail_on is None or heaviest < fail_on:
        ET.SubElement(case, "system-out").text = details
    else:
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        ET.SubElement(case, "failure", message=_xml(first.message + more), type=heaviest.label).text = details
    return case


def _line(found: Finding) -> str:
    where = position(found.place) or found.place.pointer or found.node or "file"
    fix = f" (fix: {found.remedy})" if found.remedy else ""
    return f"{where}: {found.severity.label} {found.code}: {what(found)}{fix}"


def _count(element: ET.Element) -> None:
    element.set("tests", str(len(element.findall(".//testcase"))))
    element.set("failures", str(len(element.findall(".//failure"))))
    element.set("errors", "0")


def _xml(text: str) -> str:
    return _NO_XML.sub(lambda char: chr(0x2400 + ord(char[0])) if char[0] < " " else "\N{REPLACEMENT CHARACTER}", text)
