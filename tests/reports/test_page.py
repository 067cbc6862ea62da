"""The page as a text: nothing from a document is markup, nothing comes from elsewhere. Browsers are another test."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from checkpoint_ld.validation.reports import render
from checkpoint_ld.validation.results import Report
from tests.reports.samples import CLEAN, GRAPH, QUESTION, hostile, metals, repeated, report

VOID = {"meta", "input"}


class Page(HTMLParser):
    """The elements of a page with their attributes, and the texts of those that are requested."""

    def __init__(self, case: Report) -> None:
        super().__init__()
        self.text = render(case, "html")
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.shown: dict[str, list[str]] = {}
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.shown.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.shown[tag][-1] += data

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_findings_stand_under_their_files() -> None:
    page = Page(report(metals(), CLEAN, GRAPH))

    assert page.shown["h1"] == ["2 violations, 1 warning, 1 info"]
    assert page.shown["h2"] == ["metals.json", "clean.json", "metals.ttl", "Rules"]
    assert [one["data-severity"] for one in page.attributes("article")] == ["violation", "warning", "info", "violation"]
    assert page.shown["h3"][1] == "best 1 is below worst 5"
    assert page.shown["mark"] == ['""', "1", '"a"']
    assert "swap bestRating and worstRating" in page.shown["article"][1]
    assert QUESTION in page.shown["article"][3]


def test_a_code_leads_to_its_rule() -> None:
    page = Page(report(metals()))

    targets = {f"#{attributes['id']}" for _, attributes in page.elements if "id" in attributes}
    assert {link["href"] for link in page.attributes("a")} == {"#rule-KQ001", "#rule-KQ003", "#rule-KT010"} & targets


@pytest.mark.parametrize(
    ("case", "heading"),
    [(report(), "Nothing to check"), (report(CLEAN), "Clean"), (report(GRAPH), "1 violation, 0 warnings, 0 infos")],
)
def test_the_heading_states_what_came_out(case: Report, heading: str) -> None:
    assert Page(case).shown["h1"] == [heading]


def test_every_element_is_closed_whatever_the_texts() -> None:
    page = Page(report(metals(), hostile(), repeated(20)))

    assert page.open == []
    assert len(page.attributes("article")) == 25


def test_no_text_of_a_document_is_markup() -> None:
    page = Page(report(hostile()))

    assert len(page.attributes("script")) == 1
    assert {tag for tag, _ in page.elements} == {tag for tag, _ in Page(report(metals())).elements} | {"b"}
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert all('<script>alert(1)</script></script>"|`*[x](http://x)`␛[31m␍␊' in text for text in page.shown["h3"])
    assert re.search(r"[\x00-\x09\x0b-\x1f\u202e]", page.text) is None


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = Page(report(metals(), GRAPH))

    sources = [
        value for _, attributes in page.elements for name, value in attributes.items() if name in ("src", "href")
    ]
    assert all(value is not None and value.startswith("#rule-") for value in sources)
    assert not page.attributes("link")
    assert "url(" not in page.shown["style"][0]
    assert "@import" not in page.shown["style"][0]


def test_the_policy_allows_the_pages_own_style_and_script_and_nothing_else() -> None:
    page = Page(report(metals()))

    (policy,) = (one["content"] for one in page.attributes("meta") if "http-equiv" in one)
    style, script = (
        base64.b64encode(hashlib.sha256(page.shown[tag][0].encode()).digest()).decode() for tag in ("style", "script")
    )
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert not any("style" in attributes for _, attributes in page.elements)
