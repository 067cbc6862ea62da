"""The page as a reader meets it, in a browser with the page's own policy in force."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from checkpoint_ld.validation.reports import render
from checkpoint_ld.validation.results import Checked
from tests.reports.browser import NAMES, Browser, binary
from tests.reports.samples import CLEAN, GRAPH, found, hostile, metals, repeated, report

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
    for _ in range(7):
        browser.send("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.append(browser.ask("document.activeElement.tagName"))
        assert browser.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"

    assert reached == ["BUTTON"] * 4 + ["INPUT", "SUMMARY", "A"]


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
