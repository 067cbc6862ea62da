"""The page as a text: nothing from a document is markup, nothing comes from elsewhere. Browsers are another test."""

import base64
import hashlib
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from checkpoint_ld.phrases import harmless
from checkpoint_ld.validation.reports import ReportSettings, render
from checkpoint_ld.validation.reports.text import code, escaped
from checkpoint_ld.validation.results import Checked, Report
from tests.reports.browser import NAMES, Browser, binary
from tests.reports.samples import CLEAN, GRAPH, HOSTILE, QUESTION, found, hostile, metals, repeated, report

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
    assert page.shown["h2"] == ["By rule", "metals.json", "metals.ttl", "1 clean file", "Rules"]
    assert page.shown["li"] == ["clean.json"]
    counts = [text for text in page.shown["td"] if text.isdigit()]
    assert counts == ["2", "2", "1", "1", "1", "1"]  # of findings and files, for each rule
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


# --- The page as a reader meets it, in a browser with the page's own policy in force.


SHOWN = "Array.from(document.querySelectorAll('.finding')).filter((one) => one.checkVisibility())"
SEVERITIES = f"{SHOWN}.map((one) => one.dataset.severity)"
PRESSED = "Array.from(document.querySelectorAll('[aria-pressed=true]'), (one) => one.dataset.severity)"
COUNTS = "Array.from(document.querySelectorAll('.filters button .count'), (one) => Number(one.textContent))"
FILES = "Array.from(document.querySelectorAll('.file')).filter((one) => one.checkVisibility()).length"
FOCUSED = f"{SHOWN}.indexOf(document.activeElement)"

# Relative luminance and contrast as WCAG 2.2 defines them; what lies behind a text is the nearest opaque background.
LOW_CONTRAST = """(() => {
  const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = parts(colour).slice(0, 3).map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if ((parts(colour)[3] ?? 1) === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const low = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = Array.from(element.childNodes).some((one) => one.nodeType === 3 && one.textContent.trim());
    if (!own || !element.checkVisibility() || element.tagName === "SCRIPT") continue;
    const pair = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) low.push([element.tagName, element.className, element.textContent, contrast]);
  }
  return low;
})()"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    command = binary()
    if command is None:
        pytest.skip(f"no browser to look at the page: install Chromium so that one of {', '.join(NAMES)} is on PATH")
    with Browser(command, tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture
def browser(chromium: Browser, tmp_path: Path) -> Browser:
    """Return the browser, showing a report with 23 violations, 1 warning and 2 infos in 5 files."""
    page = tmp_path / "report.html"
    sources = (metals(), CLEAN, GRAPH, repeated(20), hostile())
    page.write_text(render(report(*sources), "html"), encoding="utf-8")
    chromium.look()
    chromium.open(page)
    return chromium


@pytest.mark.slow
def test_everything_is_shown_at_first(browser: Browser) -> None:
    assert len(browser.ask(SEVERITIES)) == 26
    assert browser.ask(FILES) == 5
    assert browser.ask(PRESSED) == ["all"]
    assert browser.ask(COUNTS) == [26, 23, 1, 2]


@pytest.mark.slow
@pytest.mark.parametrize(("severity", "number", "files"), [("violation", 23, 4), ("warning", 1, 1), ("info", 2, 2)])
def test_a_click_on_a_filter_leaves_only_that_severity(
    browser: Browser, severity: str, number: int, files: int
) -> None:
    browser.click(f"button.{severity}")

    assert browser.ask(SEVERITIES) == [severity] * number
    assert browser.ask(PRESSED) == [severity]
    assert browser.ask(FILES) == files
    assert browser.ask("document.querySelector('.shown').textContent") == f"{number} of 26 shown"

    browser.click("button.all")

    assert len(browser.ask(SEVERITIES)) == 26
    assert browser.ask(FILES) == 5


def test_the_search_finds_words_anywhere_in_a_finding_and_the_counts_follow(browser: Browser) -> None:
    browser.press("/", *"TONE worst")

    assert browser.ask("document.activeElement.id") == "search"
    assert browser.ask(SEVERITIES) == ["warning"]
    assert browser.ask(COUNTS) == [1, 0, 1, 0]

    browser.click("button.violation")

    assert browser.ask(SEVERITIES) == []
    assert browser.ask("document.querySelector('.nothing').checkVisibility()")

    browser.press("Escape")

    assert len(browser.ask(SEVERITIES)) == 26
    assert browser.ask("document.getElementById('search').value") == ""
    assert not browser.ask("document.querySelector('.nothing').checkVisibility()")


def test_the_search_finds_the_findings_of_a_file(browser: Browser) -> None:
    browser.press("/", *"many.json")

    assert browser.ask(SEVERITIES) == ["violation"] * 20


def test_keys_go_from_finding_to_finding(browser: Browser) -> None:
    browser.press("j", "j", "j")
    assert browser.ask(FOCUSED) == 2
    browser.press("k")
    assert browser.ask(FOCUSED) == 1

    browser.click("button.info")
    browser.press("j", "j", "j")

    assert browser.ask(FOCUSED) == 1
    assert browser.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_the_tabulator_key_reaches_every_control_and_shows_where_it_is(browser: Browser) -> None:
    reached = []
    for _ in range(12):
        browser.send("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.append(browser.ask("document.activeElement.tagName"))
        assert browser.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"

    controls = [name for name, before in zip(reached, ["", *reached], strict=False) if name != before]
    assert controls == ["A", "BUTTON", "INPUT", "SUMMARY", "A"]


def test_no_script_of_a_document_runs(browser: Browser) -> None:
    assert browser.ask("document.scripts.length") == 1
    assert browser.ask("document.querySelectorAll('main script, main img').length") == 0


def test_the_policy_stops_a_script_that_would_get_in_all_the_same(browser: Browser) -> None:
    browser.ask(
        "(() => { const one = document.createElement('script'); one.textContent = 'window.ran = true';"
        " document.body.append(one); })()"
    )

    assert browser.ask("window.ran === undefined")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("pressed", ["all", "violation", "warning", "info"])
def test_every_text_has_enough_contrast(browser: Browser, scheme: str, pressed: str) -> None:
    browser.look(scheme=scheme)
    browser.click(f"button.{pressed}")

    assert browser.ask(LOW_CONTRAST) == []


def test_dark_is_dark(browser: Browser) -> None:
    colours = []
    for scheme in ("light", "dark"):
        browser.look(scheme=scheme)
        colours.append(browser.ask("getComputedStyle(document.body).backgroundColor"))

    assert colours == ["rgb(246, 247, 248)", "rgb(18, 21, 24)"]


@pytest.mark.parametrize("width", [320, 600, 1400])
def test_nothing_is_wider_than_the_window_however_long_the_words(chromium: Browser, tmp_path: Path, width: int) -> None:
    word = "x" * 500
    finding = found(word, word, remedy=word, subject=word, rule=word, pointer=f"/{word}", line=1, column=250)
    page = tmp_path / "long.html"
    page.write_text(render(report(Checked(word, (finding,), word, word), metals()), "html"), encoding="utf-8")
    chromium.look(width=width)
    chromium.open(page)

    assert chromium.ask("document.documentElement.scrollWidth") <= width


def test_on_paper_there_are_findings_and_no_controls(browser: Browser) -> None:
    browser.look(media="print")

    assert not browser.ask("document.querySelector('.bar').checkVisibility()")
    assert len(browser.ask(SEVERITIES)) == 26


def test_a_clean_report_has_no_controls(chromium: Browser, tmp_path: Path) -> None:
    page = tmp_path / "clean.html"
    page.write_text(render(report(CLEAN), "html"), encoding="utf-8")
    chromium.open(page)

    assert not chromium.ask("document.querySelector('.bar').checkVisibility()")
    assert chromium.ask("document.querySelector('h1').innerText") == "Clean"


@pytest.mark.slow
def test_ten_thousand_findings_can_be_filtered(chromium: Browser, tmp_path: Path) -> None:
    page = tmp_path / "many.html"
    page.write_text(render(report(repeated(10_000), metals()), "html"), encoding="utf-8")
    chromium.look()
    chromium.open(page)

    chromium.click("button.warning")

    assert chromium.ask(SEVERITIES) == ["warning"]


# --- The report as Markdown; whether a renderer shows a hostile text as it is, is queried of one.


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
    text = render(report(repeated(30)), "markdown", ReportSettings(max_per_rule=3))

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
