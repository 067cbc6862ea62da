"""A report as SARIF 2.1.0 (OASIS), for code scanning."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from checkpoint_ld.characters import encodable
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph.naming import ROOT_PREFIX
from checkpoint_ld.reports import tool
from checkpoint_ld.reports.excerpt import Source
from checkpoint_ld.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.report import Checked, Report
    from checkpoint_ld.reports.format import Settings

Tree = dict[str, Any]

LEVELS = {Severity.VIOLATION: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
FINGERPRINT = "checkpointLdFinding/v1"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE = "%SRCROOT%"
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")


def render(report: Report, _: Settings) -> str:
    """Return a SARIF log of one run: every rule of the profile, every file, every finding."""
    rules = _rules(report)
    indexes = {code: index for index, code in enumerate(rules)}
    named = [checked for checked in report.checked if checked.source is not None]
    run = {
        "tool": {
            "driver": {
                "name": tool.NAME,
                "version": tool.version(),
                "rules": [_descriptor(rule) for rule in rules.values()],
            }
        },
        "automationDetails": {"id": f"{tool.NAME}/{report.profile}/"},
        "originalUriBaseIds": {_BASE: {"description": {"text": "The folder in which the files were named."}}},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": _location(checked.source or ""), "roles": ["analysisTarget"]} for checked in named],
        "results": [result for checked in report.checked for result in _results(checked, indexes)],
    }
    return tool.dumped({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rules(report: Report) -> dict[str, Rule]:
    """Return the rules by code: those that were applied, and those that findings name beside them."""
    found = {
        one.code: Rule(one.code, one.rule, one.rule, one.severity)
        for one in report.findings
        if one.code not in report.rules
    }
    return dict(sorted({**report.rules, **found}.items()))


def _descriptor(rule: Rule) -> Tree:
    name = "".join(part.capitalize() for part in rule.slug.split("-"))
    help_text = "\n".join(part for part in (rule.why, rule.remedy) if part)
    described: Tree = {"id": rule.code, "shortDescription": {"text": rule.title or rule.code}}
    if name:
        described["name"] = name
    described["fullDescription"] = {"text": rule.why or rule.title or rule.code}
    described["help"] = {"text": help_text or rule.title or rule.code}
    if rule.see.startswith(("http://", "https://")):
        described["helpUri"] = quote(rule.see, safe=":/?#[]@!$&'()*+,;=%~")
    described["defaultConfiguration"] = {"level": LEVELS[rule.severity]}
    tags = [tag for tag in (rule.family, rule.condition) if tag]
    described["properties"] = {"slug": rule.slug, "tags": tags}
    return described


def _results(checked: Checked, indexes: Mapping[str, int]) -> Iterator[Tree]:
    source = Source(checked.text) if checked.text is not None else None
    seen: Counter[str] = Counter()
    for found in checked.findings:
        identity = _identity(found)
        seen[identity] += 1
        yield {
            "ruleId": found.code,
            "ruleIndex": indexes[found.code],
            "level": LEVELS[found.severity],
            "message": {"text": message(found)},
            "locations": [_place(checked, found, source)],
            "partialFingerprints": {FINGERPRINT: f"{identity}:{seen[identity]}"},
        }


def message(found: Finding) -> str:
    """Return what is wrong and what to do about it, with what SARIF reads as more than text escaped (§3.11.5-6)."""
    what = f"{found.subject}: {found.message}" if found.subject else found.message
    text = "\n".join(part for part in (what, found.remedy) if part) or found.code
    return _LINK.sub(r"\\[", text).replace("{", "{{").replace("}", "}}")


def _identity(found: Finding) -> str:
    """Return what stays when other parts of a file are edited.

    The name of a node stays when an element is inserted before it, its pointer does not; what the pointer says beyond
    the node tells the members of one node apart. A node that is named by a hash of the whole file is no help.
    """
    pointer = found.place.pointer or ""
    where = pointer
    if found.node is not None and not found.node.startswith(ROOT_PREFIX):
        below = unquote(found.node.partition("#")[2])
        beyond = pointer.rpartition(below if below and below in pointer else "/")[2]
        where = f"{found.node} {beyond}"
    return hashlib.sha256(f"{found.code} {where}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _place(checked: Checked, found: Finding, source: Source | None) -> Tree:
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


def _region(line: int, column: int | None, source: Source | None) -> Tree:
    if column is None:
        return {"startLine": line}
    end = source.end_column(line, column) if source is not None else None
    region = {"startLine": line, "startColumn": column}
    return region if end is None else {**region, "endColumn": end}


def _location(source: str) -> Tree:
    """Return where a file is, as a URI (RFC 3986): relative to where the command was run, unless it is absolute."""
    path = PurePath(encodable(source))
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix()), "uriBaseId": _BASE}
