"""A site as a reader meets it, opened from a folder in a browser, with the policy of its pages in force."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark, write_site
from tests.agents.runs import call, thought, tree
from tests.reports.browser import NAMES, Browser, binary
from tests.reports.test_page import LOW_CONTRAST
from tests.site.conftest import NAME, benchmark

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
PATIENCE = 20.0
SHOWN = "Array.from(document.querySelectorAll('#questions a.text'), (one) => one.textContent)"
STATUS = "document.querySelector('.shown').textContent"
FOCUSED = "document.activeElement.textContent"
FAULTS = "(window.faults ??= [], window.faults)"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    command = binary()
    if command is None:
        pytest.skip(f"no browser to look at the site: install Chromium so that one of {', '.join(NAMES)} is on PATH")
    with Browser(command, tmp_path_factory.mktemp("browser")) as started:
        started.send("Page.enable")
        kinds = ["error", "unhandledrejection", "securitypolicyviolation"]
        noted = "(event) => window.faults.push(String(event.message ?? event.reason ?? event.type))"
        watch = f"window.faults = []; for (const kind of {json.dumps(kinds)}) addEventListener(kind, {noted}, true);"
        started.send("Page.addScriptToEvaluateOnNewDocument", source=watch)
        yield started


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site of 250 questions in two versions, of a benchmark with answers, and of a run."""
    folder = tmp_path_factory.mktemp("site")
    old = benchmark(250)
    new = benchmark(250, version="0.3.0", dateModified="2026-05-01T00:00:00")
    new["dataFeedElement"][7]["item"]["acceptedAnswer"]["text"] = "Eight " + "x" * 400
    run = tree(thoughts=[thought(1)], calls=[call(1)])
    for name, document in (("old.jsonld", old), ("new.jsonld", new), ("run.json", run)):
        (folder / name).write_text(json.dumps(document))
    files = [folder / "old.jsonld", folder / "new.jsonld", folder / "run.json", EXAMPLES / "elements.jsonld"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("checkpoint_ld.site.pages.SHARD", 200)
        write_site(files, folder / "site", answers=[EXAMPLES / "answers.jsonl"])
    return folder / "site"


@pytest.fixture
def browser(chromium: Browser, site: Path) -> Iterator[Browser]:
    """Return the browser, showing the benchmark with many questions."""
    chromium.look()
    chromium.send("Page.navigate", url="about:blank")
    wait(chromium, "location.href === 'about:blank'")
    chromium.open(site / NAME / "index.html")
    yield chromium
    assert chromium.ask(FAULTS) == []


def wait(browser: Browser, condition: str) -> None:
    until = time.monotonic() + PATIENCE
    while not browser.ask(f"document.readyState === 'complete' && Boolean({condition})"):
        assert time.monotonic() < until, f"never {condition}: {browser.ask('document.body.innerText.slice(0, 400)')}"
        time.sleep(0.02)


def choose(browser: Browser, name: str, value: str) -> None:
    browser.ask(
        f"(() => {{ const one = document.querySelector('select[name={name}]'); one.value = {json.dumps(value)};"
        " one.dispatchEvent(new Event('change')); })()"
    )


@pytest.mark.slow
def test_a_hundred_questions_are_listed_before_anything_else_is_read_and_more_follow(browser: Browser) -> None:
    assert len(browser.ask(SHOWN)) == 100
    assert browser.ask("document.scripts.length") == 2
    browser.ask("document.getElementById('more').click()")
    wait(browser, f"{SHOWN}.length === 200")
    assert browser.ask(SHOWN)[199] == "Which number follows 199?"


@pytest.mark.slow
def test_the_search_looks_into_every_question_whatever_its_accents(browser: Browser) -> None:
    browser.press("/", *"FOLLOWS 234?")
    wait(browser, f"{STATUS} === '1 of 250 questions'")
    assert browser.ask(SHOWN) == ["Which number follows 234?"]
    assert browser.ask("location.hash") == "#q=FOLLOWS+234%3F"
    browser.press("Escape")
    wait(browser, f"{SHOWN}.length === 100")
    browser.press("/", *"zurich")
    wait(browser, f"{STATUS} === '1 of 250 questions'")
    browser.press(*"nowhere")
    wait(browser, f"{STATUS} === '0 of 250 questions'")
    assert browser.ask("document.querySelector('.nothing').checkVisibility()")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "count"),
    [("keyword", "odd", 125), ("state", "finished", 166), ("state", "unfinished", 84), ("trait", "regex", 50)],
)
def test_each_filter_leaves_what_it_states(browser: Browser, name: str, value: str, count: int) -> None:
    option = f"document.querySelector('select[name={name}] option[value={value}]').textContent"
    assert browser.ask(option) == f"{value} ({count})"
    choose(browser, name, value)
    wait(browser, f"{STATUS} === '{count} of 250 questions'")
    browser.press("/", *"1249")
    wait(browser, f"{SHOWN}.length < 2")


@pytest.mark.slow
def test_an_address_can_carry_a_choice(browser: Browser, site: Path) -> None:
    browser.open(site / NAME / "questions" / "question-3.html")
    browser.click("a.tag.keyword:nth-of-type(2)")
    wait(browser, f"location.hash === '#keyword=Z%C3%BCrich' && {STATUS} === '1 of 250 questions'")
    assert browser.ask(SHOWN) == ["Which number follows 3?"]


@pytest.mark.slow
def test_keys_go_through_questions(browser: Browser) -> None:
    browser.press("j", "j", "k", "j", "j")
    assert browser.ask(FOCUSED) == "Which number follows 2?"
    assert browser.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.ask("document.activeElement.click()")
    wait(browser, "document.querySelector('h1')?.textContent === 'Which number follows 2?'")
    browser.press("j")
    wait(browser, "document.querySelector('h1')?.textContent === 'Which number follows 3?'")
    browser.press("k")
    wait(browser, "document.querySelector('h1')?.textContent === 'Which number follows 2?'")


@pytest.mark.slow
def test_the_tabulator_key_reaches_every_control(browser: Browser) -> None:
    reached = []
    for _ in range(14):
        browser.send("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.append(browser.ask("document.activeElement.name || document.activeElement.tagName"))
    assert reached[:12] == ["A", "A", *["A"] * 6, "q", "keyword", "state", "trait"]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast_and_no_page_is_wider_than_a_phone(
    chromium: Browser, site: Path, scheme: str
) -> None:
    pages = [
        site / "index.html",
        *site.glob("*/index.html"),
        *site.glob("runs/*/index.html"),
        *site.glob("*/answers.html"),
    ]
    pages += [
        site / NAME / "questions" / "question-7.html",
        *(site / "karenina-checkpoint-1775034000.0").glob("*/*gold*"),
    ]
    assert len(pages) == 7
    for page in pages:
        for width in (320, 1000):
            chromium.look(scheme=scheme, width=width)
            chromium.open(page)
            chromium.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert chromium.ask(LOW_CONTRAST) == [], page
            assert chromium.ask("document.documentElement.scrollWidth") <= width, page
            assert chromium.ask(FAULTS) == [], page


@pytest.mark.slow
def test_the_policy_stops_a_script_that_would_get_in_all_the_same(chromium: Browser, site: Path) -> None:
    chromium.open(site / "index.html")
    chromium.ask(
        "(() => { const one = document.createElement('script'); one.textContent = 'window.ran = true';"
        " document.body.append(one); })()"
    )
    assert chromium.ask("window.ran === undefined")


@pytest.mark.slow
def test_long_texts_are_short_in_lists_and_names_stand_above_values_on_a_phone(
    chromium: Browser, tmp_path: Path
) -> None:
    made = Benchmark("Long", description="word " * 2_000)
    made.add_question("word " * 2_000, "yes", custom_metadata={"a-name-that-is-not-short": "value " * 9})
    write_site([made], tmp_path / "site")
    (page,) = (tmp_path / "site").glob("*/questions/*.html")
    chromium.look(width=360)
    for name, text in (("index.html", ".brief"), (f"{page.parts[-3]}/index.html", "#questions .text")):
        chromium.open(tmp_path / "site" / name)
        assert chromium.ask(f"document.querySelector('{text}').getBoundingClientRect().height") < 130
    chromium.open(page)
    bottom, top = ("getBoundingClientRect().bottom", "getBoundingClientRect().top")
    assert chromium.ask(f"document.querySelector('dd dt').{bottom} <= document.querySelector('dd dd').{top} + 1")


@pytest.fixture
def answers(chromium: Browser, tmp_path: Path) -> Iterator[Browser]:
    """Return the browser, showing 120 questions, each answered by three models twice."""
    made = Benchmark("Answered")
    template = """class Answer(BaseAnswer):
    value: str = VerifiedField(description="The value", ground_truth="yes", verify_with=ExactMatch())
"""
    lines = []
    for number in range(120):
        made.add_question(f"Is {number} even?", "yes", answer_template=template, question_id=f"urn:uuid:q-{number}")
        for model, passes in (
            ("one", (True, True)),
            ("two", (number % 3 == 0, True)),
            ("three", (number < 100, False)),
        ):
            for replicate, is_right in enumerate(passes):
                record = {"question_id": f"urn:uuid:q-{number}", "model": model, "replicate": replicate}
                lines.append({**record, "answer": {"value": "yes" if is_right else "no"}, "trace": f"{model} says so"})
    lines.append({"question_id": "urn:uuid:q-5", "model": "two", "replicate": 3, "trace": "What?"})
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, lines)))
    write_site([made], tmp_path / "site", answers=[tmp_path / "answers.jsonl"])
    chromium.look()
    chromium.open(next(tmp_path.glob("site/*/answers.html")))
    wait(chromium, "!document.querySelector('.bar').hidden")
    yield chromium
    assert chromium.ask(FAULTS) == []


GRID = "Array.from(document.querySelectorAll('#grid tbody tr'), (row) => row.innerText.replace(/\\s+/g, ' ').trim())"


@pytest.mark.slow
def test_answers_are_filtered_sorted_and_lead_to_their_traces(answers: Browser) -> None:
    assert len(answers.ask(GRID)) == 100
    assert answers.ask(GRID)[0] == "Is 0 even? 83% 2/2 ✓✓ 2/2 ✓✓ 1/2 ✓✗"
    answers.ask("document.getElementById('more-rows').click()")
    assert len(answers.ask(GRID)) == 120
    answers.ask("document.querySelector('[data-only=undecided]').click()")
    assert answers.ask(GRID) == ["Is 5 even? 67% 2/2 ✓✓ 1/2 ✗✓? 1/2 ✓✗"]
    assert answers.ask(STATUS) == "1 of 120 questions"
    answers.ask("document.querySelector('[data-only=\"\"]').click()")
    answers.ask("document.querySelectorAll('.sort')[4].click()")
    assert answers.ask(GRID)[0].endswith("0/2 ✗✗")
    answers.ask("document.querySelectorAll('.sort')[4].click()")
    assert answers.ask(GRID)[0].endswith("1/2 ✓✗")
    answers.ask("document.querySelector('#grid tbody a.marks').click()")
    wait(answers, "location.hash === '#model-0' && document.querySelector('.beside')")
    answers.ask("document.querySelector('.beside summary').click()")
    assert "one says so" in answers.ask("document.querySelector('.beside').innerText")
