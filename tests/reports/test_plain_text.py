"""The report as a compiler would print it."""

from __future__ import annotations

import re

import pytest

from checkpoint_ld.findings import Finding
from checkpoint_ld.validation.reports import Settings, render
from checkpoint_ld.validation.results import Checked
from tests.reports.samples import CLEAN, GRAPH, QUESTION, found, hostile, metals, repeated, report


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

    header, line, marks, *_ = render(report(checked), "text", Settings(width=72)).splitlines()

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
        report(repeated(700, "a.json"), repeated(300, "b.json"), metals()), "text", Settings(max_per_rule=most)
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
    plain, coloured = (render(report(metals(), GRAPH), "text", Settings(colour=colour)) for colour in (False, True))

    assert "\x1b" not in plain
    assert "\x1b[1;31mviolation\x1b[0m" in coloured
    assert "\x1b[1;33mwarning\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_no_document_can_command_the_terminal() -> None:
    text = render(report(hostile()), "text")

    assert re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", text) is None
    # Place, subject, excerpt, marks, fix; place; what was counted; two empty lines between them.
    assert len(text.splitlines()) == 9
