"""What holds for every format."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.validation.reports import FORMATS, Settings, programs, render
from checkpoint_ld.validation.results import Checked, Report
from tests.reports.samples import CLEAN, GRAPH, found, hostile, metals, repeated, report

every_format = pytest.mark.parametrize("name", FORMATS)

PAGE = (
    (Path(__file__).resolve().parents[2] / "docs" / "validate.md")
    .read_text(encoding="utf-8")
    .partition("\n## Reports\n")[2]
)

REPORTS = {
    "nothing": report(),
    "clean": report(CLEAN),
    "places": report(metals()),
    "no name": report(metals(None)),
    "no place": report(GRAPH),
    "no text": report(Checked("metals.json", metals().findings)),
    "hostile": report(hostile()),
    "several": report(metals(), CLEAN, GRAPH, repeated(3), hostile()),
    "unknown rules": report(metals(), rules={}),
    "beyond the text": report(Checked("short.json", (found(line=9, column=9), found(line=1, column=99)), None, "{}")),
}


@every_format
@pytest.mark.parametrize("case", REPORTS.values(), ids=list(REPORTS))
@pytest.mark.parametrize("settings", [Settings(), Settings(colour=True, width=1, max_per_rule=0, fail_on=None)])
def test_every_report_can_be_rendered_and_written_as_utf_8(name: str, case: Report, settings: Settings) -> None:
    text = render(case, name, settings)

    assert text.encode().endswith(b"\n") or not case.checked
    assert render(case, name, settings) == text


@every_format
def test_each_format_states_every_code_and_message(name: str) -> None:
    text = render(report(metals()), name)

    assert "the text is empty" in text
    assert "best 1 is below worst 5" in text
    assert name == "turtle" or {code for code in ("KQ001", "KQ003", "KT010") if code in text} == {
        "KQ001",
        "KQ003",
        "KT010",
    }


@every_format
def test_each_format_states_what_it_is_for(name: str) -> None:
    assert FORMATS[name].about


def test_a_format_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(SettingsError, match=r"no report format 'yaml': use one of text, json, sarif, junit, github"):
        render(report(), "yaml")


def test_the_page_about_reports_has_every_format_and_every_member_of_a_finding() -> None:
    formats = re.search(r"^\| format .*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    members = re.search(r"^\| member of a finding .*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert formats
    assert members

    assert set(re.findall(r"^\| `(\w+)`", formats[0], re.MULTILINE)) == set(FORMATS)
    assert set(re.findall(r"^### (\w+)$", PAGE, re.MULTILINE)) == set(FORMATS)
    named = " ".join(re.findall(r"^\| (.*?) \|", members[0], re.MULTILINE))
    assert set(re.findall(r"`(\w+)`", named)) == set(programs.schema()["$defs"]["finding"]["properties"])
