"""The report as Markdown; whether a renderer shows a hostile text as it is, is queried of one."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from checkpoint_ld.phrases import harmless
from checkpoint_ld.validation.reports import Settings, render
from checkpoint_ld.validation.reports.text import code, escaped
from tests.reports.samples import CLEAN, GRAPH, HOSTILE, hostile, metals, repeated, report


def test_files_are_counted_in_one_table_and_findings_stand_below() -> None:
    lines = render(report(metals(), CLEAN, GRAPH), "markdown").splitlines()

    assert lines[0] == "### checkpoint-ld: 2 violations, 1 warning, 1 info"
    assert lines[4:9] == [
        "| file | dialect | violations | warnings | infos |",
        "|---|---|--:|--:|--:|",
        "| <code>metals.json</code> | v3.0.0-jsonld | 1 | 1 | 1 |",
        "| <code>clean.json</code> | v3.0.0-jsonld | 0 | 0 | 0 |",
        "| <code>metals.ttl</code> |  | 1 | 0 | 0 |",
    ]
    assert (
        "| 5:69 | **violation** <code>KQ003</code> question-text | question 1: the text is empty"
        "<br>*fix:* give the question its text |"
    ) in lines
    assert [line for line in lines if line.startswith("####")] == [
        "#### <code>metals.json</code>",
        "#### <code>metals.ttl</code>",
    ]


def test_a_clean_report_is_one_table() -> None:
    text = render(report(CLEAN), "markdown")

    assert text.startswith("### checkpoint-ld: clean\n\n1 file, profile karenina\n")
    assert "####" not in text


def test_one_rule_is_repeated_only_so_often() -> None:
    text = render(report(repeated(30)), "markdown", Settings(max_per_rule=3))

    assert text.count("**violation**") == 3
    assert text.endswith("\n- … and 27 more of KQ003: use --max-per-rule 0 to see all\n")


def test_every_row_of_a_table_has_its_three_cells_whatever_the_texts() -> None:
    rows = [line for line in render(report(hostile()), "markdown").splitlines() if "**" in line]

    assert len(rows) == 2
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [4, 4]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a|b", r"a\|b"),
        ("`a`", r"\`a\`"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("*a* _b_ ~c~ $d$", r"\*a\* \_b\_ \~c\~ \$d\$"),
        ("[a](b)", r"\[a\](b)"),
        ("http://a", r"http:\/\/a"),
        ("ask @you in #1", r"ask @<!-- -->you in \#<!-- -->1"),
        ("a\nb\\", r"a␊b\\"),
    ],
)
def test_markup_in_a_text_is_escaped(text: str, written: str) -> None:
    assert escaped(text) == written


class Cells(HTMLParser):
    """Gathers the elements of a page, and what its table cells show."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.shown: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, _: object) -> None:
        self.elements.add(tag)
        if tag == "td":
            self.shown.append("")

    def handle_data(self, data: str) -> None:
        if self.shown:
            self.shown[-1] += data.rstrip("\n")


@pytest.mark.parametrize(
    "text",
    [
        "a|b",
        "`a`",
        "<script>",
        "*a* _b_ __c__ ~~d~~",
        "[a](b)",
        "![a](b)",
        "&lt;",
        "@you #1",
        r"\\|",
        r"\*a\*",
        HOSTILE,
    ],
)
def test_a_renderer_shows_the_text_and_nothing_else(text: str) -> None:
    source = f"| a | b |\n|---|---|\n| {escaped(text)} | {code(text)} |\n"

    page = Cells(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(source))

    assert page.elements == {"table", "thead", "tbody", "tr", "th", "td", "code"}
    assert page.shown == [harmless(text)] * 2
