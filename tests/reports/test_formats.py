"""What holds for every format."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.phrases import cells
from checkpoint_ld.rules import Rule
from checkpoint_ld.validation.reports import FORMATS, ReportSettings, programs, render
from checkpoint_ld.validation.reports.text import MarkedLine, SourceText
from checkpoint_ld.validation.results import Checked, Report
from checkpoint_ld.vocabulary import SHAPES
from tests.reports.samples import CLEAN, GRAPH, QUESTION, RULES, found, hostile, metals, repeated, report

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
@pytest.mark.parametrize(
    "settings", [ReportSettings(), ReportSettings(colour=True, width=1, max_per_rule=0, fail_on=None)]
)
def test_every_report_can_be_rendered_and_written_as_utf_8(name: str, case: Report, settings: ReportSettings) -> None:
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
    with pytest.raises(
        SettingsError, match=r"no report format 'yaml': use one of text, json, sarif, gitlab, rdjson, junit"
    ):
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


# --- Excerpts: the place stays in sight, whatever the line looks like.


def excerpt(text: str, line: int = 1, column: int = 1, width: int = 80) -> MarkedLine:
    shown = SourceText(text).excerpt(line, column, width)
    assert shown is not None
    return shown


@pytest.mark.parametrize(
    ("text", "column", "token"),
    [
        ('{"a": "b c", "d": 1}', 7, '"b c"'),
        ('{"a": "b \\" c", "d": 1}', 7, '"b \\" c"'),
        ('{"a": "never closed', 7, '"never closed'),
        ('{"a": -1.5e3, "d": 1}', 7, "-1.5e3"),
        ('{"a": null}', 7, "null"),
        ('{"a": [1]}', 7, "["),
        ('{"a": x}', 99, ""),
    ],
)
def test_the_whole_token_is_marked(text: str, column: int, token: str) -> None:
    shown = excerpt(text, column=column)

    assert shown.token == token
    assert shown.text == text


def test_the_line_is_found_and_its_indentation_left_out() -> None:
    shown = excerpt('{\r\n    "a": "b",\r\n  \t "c": 1\r\n}', line=3, column=10)

    assert shown == MarkedLine(3, '"c": ', "1", "")


def test_only_a_line_feed_ends_a_line() -> None:
    assert excerpt("[1,\u2028\x0b\x0c 2,\n3]", line=2).text == "3]"


@pytest.mark.parametrize("line", [0, 3, 99])
def test_there_is_no_excerpt_of_a_line_that_the_text_does_not_have(line: int) -> None:
    assert SourceText("{\n}").excerpt(line, 1, 80) is None
    assert SourceText("{\n}").end_column(line, 1) is None


def test_control_characters_are_shown_as_pictures() -> None:
    assert excerpt('"a\tb\x1b[31m\x00\x7f\u202e\u2028"').text == '"a b␛[31m␀␡��"'


def test_wide_and_combining_characters_are_counted_in_cells() -> None:
    shown = excerpt('["日本", "e\u0301", 1]', column=14)

    assert shown.token == "1"
    assert shown.indent == cells(shown.before) == len('["日本", "e", ') + 2


@pytest.mark.parametrize("column", [1, 10, 5_000, 9_990, 10_000])
def test_a_long_line_is_cut_around_the_place(column: int) -> None:
    line = "0123456789" * 1000

    shown = excerpt(line, column=column, width=40)

    assert cells(shown.text) <= 40
    assert shown.before.endswith(line[:column][-6:-1])
    assert shown.token[:1] == line[column - 1]
    assert (shown.before[:1] == "…") == (column > 10)
    assert (shown.text[-1:] == "…") == (column < 9_990)


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\n") | st.sampled_from('\t\r日"\u0301 {'), max_size=300),
    st.integers(1, 320),
    st.integers(20, 120),
)
def test_an_excerpt_fits_and_prints_on_one_line(text: str, column: int, width: int) -> None:
    shown = excerpt(text, column=column, width=width)

    assert cells(shown.text) <= width
    assert shown.indent < width
    assert len(shown.text.splitlines()) <= 1
    assert shown.extent >= 1


class Watched(str):
    """A text that remembers the longest part that was taken out of it."""

    longest = 0

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        self.longest = max(self.longest, len(part))
        return part


def test_of_a_line_of_megabytes_only_the_neighbourhood_is_examined() -> None:
    text = Watched('{"a": "' + "b" * 1_000_000 + '"}')

    assert SourceText(text).excerpt(1, 500_000, 80) is not None
    assert 0 < text.longest <= 80
    assert SourceText(text).end_column(1, 7) == 7 + 10_000


# --- The report as a compiler would print it.


def test_a_finding_reads_like_a_compilers() -> None:
    assert render(report(metals()), "text").split("\n\n")[0].splitlines() == [
        "metals.json:5:69: violation KQ003 question-text: the text is empty",
        "  in question 1",
        '    5 | {"@type": "DataFeedItem", "item": {"@type": "Question", "text": ""}}',
        "      | " + " " * 64 + "^~",
        "  fix: give the question its text",
    ]


def test_the_caret_stands_under_the_place_behind_wide_characters() -> None:
    text = '{"日本語": "", "b": 1}'
    lines = render(report(Checked("a.json", (found(line=1, column=9),), None, text)), "text").splitlines()

    # Each of the three characters takes two cells.
    assert lines[2].index("^") == lines[1].index('""') + 3


def test_the_caret_stays_in_sight_in_a_long_line() -> None:
    text = '{"a": [' + "1, " * 50_000 + '"x"]}'
    checked = Checked("a.json", (found(line=1, column=text.index('"x"') + 1),), None, text)

    header, line, marks, *_ = render(report(checked), "text", ReportSettings(width=72)).splitlines()

    assert header.startswith("a.json:1:150008: ")
    assert len(line) <= 72
    assert line[marks.index("^") :].startswith('"x"')


def test_a_finding_without_a_line_names_its_node() -> None:
    assert render(report(GRAPH), "text").startswith(
        f"metals.ttl: violation KQ003 question-text: the text is empty\n  node <{QUESTION}>\n  fix: give"
    )


def test_a_finding_without_a_line_names_its_pointer() -> None:
    checked = Checked(None, (Finding("KX001", found().severity, "odd", place=found(pointer="/a/0").place),))

    assert render(report(checked), "text").startswith("<input>: violation KX001: odd\n  at /a/0\n")


@pytest.mark.parametrize(("most", "shown"), [(5, 5), (1, 1), (0, 1000), (1000, 1000), (2000, 1000)])
def test_one_rule_is_repeated_only_so_often(most: int, shown: int) -> None:
    text = render(
        report(repeated(700, "a.json"), repeated(300, "b.json"), metals()), "text", ReportSettings(max_per_rule=most)
    )

    assert len(re.findall(r"^[ab]\.json:\d+:14: ", text, re.MULTILINE)) == shown
    more = 1001 - max(most, 1) if shown < 1000 else 0
    assert (f"… and {more} more of KQ003: use --max-per-rule 0 to see all\n" in text) == (most in (1, 5))
    assert ("more of" in text) == (most not in (0, 2000))
    assert "warning KT010" in text


@pytest.mark.parametrize(
    ("checked", "line"),
    [
        ((), "0 files: nothing to check (profile karenina)"),
        ((CLEAN,), "1 file: clean (profile karenina)"),
        ((CLEAN, CLEAN), "2 files: clean (profile karenina)"),
        ((metals(),), "1 file: 1 violation, 1 warning, 1 info (profile karenina)"),
        ((metals(), CLEAN, GRAPH), "3 files: 2 violations, 1 warning, 1 info (profile karenina)"),
        ((GRAPH,), "1 file: 1 violation, 0 warnings, 0 infos (profile karenina)"),
    ],
)
def test_the_last_line_states_what_came_out(checked: tuple[Checked, ...], line: str) -> None:
    assert render(report(*checked), "text").splitlines()[-1] == line


def test_colours_are_there_only_on_request_and_change_no_text() -> None:
    plain, coloured = (
        render(report(metals(), GRAPH), "text", ReportSettings(colour=colour)) for colour in (False, True)
    )

    assert "\x1b" not in plain
    assert "\x1b[1;31mviolation\x1b[0m" in coloured
    assert "\x1b[1;33mwarning\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_no_document_can_command_the_terminal() -> None:
    text = render(report(hostile()), "text")

    assert re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", text) is None
    # Place, subject, excerpt, marks, fix; place; what was counted; two empty lines between them.
    assert len(text.splitlines()) == 9


# --- The report as workflow commands.


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


def test_workflow_commands_repeat_one_rule_only_so_often() -> None:
    text = render(report(repeated(30), CLEAN), "github", ReportSettings(max_per_rule=3))

    assert text.count("::error ") == 3
    assert "\n… and 27 more of KQ003: use --max-per-rule 0 to see all\n" in text


def test_a_source_without_a_name_has_no_file() -> None:
    assert render(report(metals(None)), "github").startswith("::error line=5,col=69,title=")


# --- The report as JUnit XML.


def parsed(case: Report, fail_on: Severity | None = Severity.VIOLATION) -> ET.Element:
    return ET.fromstring(render(case, "junit", ReportSettings(fail_on=fail_on)).encode())


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


def test_a_failure_without_a_line_names_its_node() -> None:
    (failure,) = parsed(report(GRAPH)).iter("failure")

    assert (failure.text or "").startswith("urn:uuid:question-1: ")


def test_what_xml_cannot_hold_is_replaced() -> None:
    suites = parsed(report(hostile()))

    (failure,) = suites.iter("failure")
    assert '<script>alert(1)</script></script>"|`*[x](http://x)`␛[31m␍' in failure.attrib["message"]
    assert "]]>&amp;{0}" in (failure.text or "")


# --- Secrets: a report that says that there is one does not say which.


SECRET = "sk-abcdefghijklmnopqrstuvwxyz"
MODEL: Any = {"model": "x", "api_key": SECRET}
SHAPE = SHAPES + "model-secret"
RULE = Rule("KR052", "model-secret", "something like a secret", Severity.WARNING, shape=SHAPE, form="no-secret")


def checked(indent: int | None) -> Checked:
    """Return a source with a secret, a finding of it, and a finding of another rule at the secret itself."""
    text = json.dumps({"name": "", "model": MODEL, "text": ""}, indent=indent)
    findings = (
        replace(found("KR052", "there is something like a secret"), place=at(text, '{"m', "{\n")),
        replace(found("KT010", "a second finding"), place=at(text, f'"{SECRET}')),
        replace(found("KQ003", "a third finding"), place=at(text, '""}', '""\n')),
    )
    return Checked("a.json", findings, None, text)


def at(text: str, *beginnings: str) -> Any:
    """Return the place of the last occurrence of what the text has of `beginnings`."""
    offset = max(text.rfind(beginning) for beginning in beginnings)
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    return found(line=line, column=column).place


def with_secret(indent: int | None) -> Report:
    return report(checked(indent), rules={**RULES, "KR052": RULE})


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("indent", [None, 1])
def test_no_format_repeats_a_secret(name: str, indent: int | None) -> None:
    text = render(with_secret(indent), name, ReportSettings(width=400))

    assert SECRET not in text
    assert "something like a secret" in text


def test_without_the_rule_for_secrets_there_would_be_one_to_repeat() -> None:
    assert SECRET in render(report(checked(1)), "text")


def test_other_lines_are_shown() -> None:
    text = render(with_secret(1), "text")

    assert '    7 | "text": ""\n' in text
    assert text.count(" | ") == 2
