"""The page as a reader meets it, in a browser with the page's own policy in force."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph
import pytest

from checkpoint_ld.data import packaged
from checkpoint_ld.sparql.serving import Server, Settings
from tests.agents.runs import checkpoint
from tests.reports.browser import NAMES, PATIENCE, Browser, binary
from tests.reports.test_page import LOW_CONTRAST
from tests.serving.conftest import METALS, serving

ROWS = "Array.from(document.querySelectorAll('tbody tr'), (one) => Array.from(one.cells, (cell) => cell.textContent))"
BARS = "Array.from(document.querySelectorAll('#bars dt'), (one) => [one.textContent, one.nextSibling.textContent])"
STATUS = "document.getElementById('status').textContent"
FAULT = "document.getElementById('fault').checkVisibility() ? document.getElementById('fault').textContent : ''"
EXAMPLES = "document.getElementById('example')?.options.length"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    command = binary()
    if command is None:
        pytest.skip(f"no browser to look at the page: install Chromium so that one of {', '.join(NAMES)} is on PATH")
    folder = tmp_path_factory.mktemp("browser")
    with Browser(command, folder, reaches="127.0.0.1") as started:
        yield started


@pytest.fixture
def browser(chromium: Browser, running: Server) -> Browser:
    chromium.look()
    chromium.send("Page.navigate", url="about:blank")
    wait(chromium, "location.href === 'about:blank'")
    chromium.send("Page.navigate", url=running.url)
    wait(chromium, f"location.href === {json.dumps(running.url)} && {EXAMPLES} > 1")
    # Chromium drops keys and clicks that come before the first frame of a page.
    wait(chromium, "performance.getEntriesByName('first-contentful-paint').length > 0")
    return chromium


def wait(browser: Browser, condition: str) -> None:
    until = time.monotonic() + PATIENCE
    while not browser.ask(f"Boolean({condition})"):
        assert time.monotonic() < until, (
            f"the page never comes to {condition}: {browser.ask('document.body.innerText')}"
        )
        time.sleep(0.02)


def run(browser: Browser, query: str | None = None) -> None:
    if query is not None:
        browser.ask(f"document.getElementById('query').value = {json.dumps(query)}")
    browser.click("#run")
    wait(browser, f"({STATUS}).includes(' s') || ({FAULT})")


def type_into(browser: Browser, field: str, text: str) -> None:
    """Type a text into a field until it is there: a browser under load may lose a key."""
    element = f"document.getElementById({json.dumps(field)})"
    until = time.monotonic() + PATIENCE
    while browser.ask(f"{element}.value") != text:
        assert time.monotonic() < until, f"{field} never holds {text}"
        browser.ask(f"{element}.value = ''; {element}.focus()")
        browser.send("Input.insertText", text=text)


def choose(browser: Browser, name: str) -> None:
    browser.ask(
        f"(() => {{ const one = document.getElementById('example'); one.value = {json.dumps(name)};"
        " one.dispatchEvent(new Event('change')); })()"
    )


@pytest.mark.slow
def test_where_there_are_only_agents_the_first_query_is_about_them(chromium: Browser, tmp_path: Path) -> None:
    store = pyoxigraph.Store(str(tmp_path))
    for name in ("k1", "k2"):
        data = checkpoint(name, step=2).content("nquads")
        store.bulk_load(data, format=pyoxigraph.RdfFormat.N_QUADS)
    store.flush()
    with Server(tmp_path, Settings(timeout=20.0)) as server, serving(server):
        chromium.look()
        chromium.send("Page.navigate", url=server.url)
        wait(chromium, f"location.href === {json.dumps(server.url)} && {EXAMPLES} > 1")
        wait(chromium, "document.getElementById('query').value.includes('caf:Checkpoint')")
        wait(chromium, "performance.getEntriesByName('first-contentful-paint').length > 0")
        run(chromium)
        assert [row[1:] for row in chromium.ask(ROWS)] == [["2", "200"]]


@pytest.mark.slow
def test_the_first_query_shows_how_many_questions_there_are_as_rows_and_as_bars(browser: Browser) -> None:
    run(browser)
    assert [row[1:] for row in browser.ask(ROWS)] == [["Alloys <b>", "2"], ["Metals", "1"]]
    assert browser.ask(BARS) == [["Alloys <b>", "2"], ["Metals", "1"]]
    widths = browser.ask("Array.from(document.querySelectorAll('.bar'), (one) => one.getBoundingClientRect().width)")
    assert widths[0] == pytest.approx(2 * widths[1], rel=0.01)
    assert browser.ask("document.getElementById('chart-title').textContent") == "questions by name"
    assert browser.ask(STATUS).startswith("2 rows · ")


@pytest.mark.slow
def test_every_named_query_can_be_chosen_and_those_without_parameters_run(browser: Browser) -> None:
    options = "Array.from(document.getElementById('example').options, (one) => one.value).filter(Boolean)"
    names = browser.ask(options)
    assert len(names) >= 15
    for name in ("benchmarks", "questions", "keywords", "traits"):
        assert name in names
        choose(browser, name)
        run(browser)
        assert browser.ask(FAULT) == ""
        assert len(browser.ask(ROWS)) > 0


def test_a_parameter_is_requested_and_bound(browser: Browser) -> None:
    choose(browser, "search")
    type_into(browser, "parameter-text", 'BRONZE"')
    wait(browser, "document.getElementById('query').value.includes('BRONZE\\\\\"')")
    type_into(browser, "parameter-text", "BRONZE")
    wait(browser, "document.getElementById('query').value.includes('\"BRONZE\"')")
    run(browser)
    (row,) = browser.ask(ROWS)
    assert "What is bronze?" in row


def test_a_fault_is_reported_in_words(browser: Browser) -> None:
    run(browser, "SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }")
    assert "SERVICE" in browser.ask(FAULT)
    assert not browser.ask("document.getElementById('result').checkVisibility()")
    run(browser, "ASK { ?s a schema:DataFeed }")
    assert browser.ask(FAULT) == ""
    assert browser.ask("document.querySelector('.result pre').textContent") == "yes"


def test_statements_are_shown_as_turtle(browser: Browser) -> None:
    run(browser, "CONSTRUCT { ?s schema:name ?o } WHERE { ?s a schema:DataFeed ; schema:name ?o }")
    assert '"Alloys <b>"' in browser.ask("document.querySelector('.result pre').textContent")


def test_nothing_in_the_data_becomes_markup(browser: Browser) -> None:
    run(browser, 'SELECT ?x ?n WHERE { VALUES (?x ?n) { ("<img src=x onerror=alert(1)>" 1) ("<b>x" 2) } }')
    assert browser.ask("document.querySelectorAll('.result img, .result b, #bars img, #bars b').length") == 0
    assert browser.ask(ROWS)[0] == ["<img src=x onerror=alert(1)>", "1"]


def test_keys_run_the_query(browser: Browser) -> None:
    browser.ask("document.getElementById('query').focus()")
    key = {"type": "keyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": 2}
    browser.send("Input.dispatchKeyEvent", **key)
    wait(browser, f"({STATUS}).includes('2 rows')")


@pytest.mark.slow
def test_a_cut_result_states_so(browser: Browser) -> None:
    run(browser, "SELECT * WHERE { ?s ?p ?o . ?a ?b ?c }")
    assert browser.ask(STATUS).startswith("1000 rows, cut: there are more")


def test_the_policy_stops_a_script_that_would_get_in_all_the_same(browser: Browser) -> None:
    browser.ask(
        "(() => { const one = document.createElement('script'); one.textContent = 'window.ran = true';"
        " document.body.append(one); })()"
    )
    assert browser.ask("window.ran === undefined")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast(browser: Browser, scheme: str) -> None:
    browser.look(scheme=scheme)
    run(browser)
    assert browser.ask(LOW_CONTRAST) == []
    run(browser, "SELECT nonsense")
    assert browser.ask(LOW_CONTRAST) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 600, 1400])
def test_nothing_is_wider_than_the_window_however_long_the_words(browser: Browser, width: int) -> None:
    browser.look(width=width)
    run(browser, f'SELECT ?a ?n WHERE {{ VALUES (?a ?n) {{ ("{"x" * 500}" 1) ("{"y" * 500}" 2) }} }}')
    assert len(browser.ask(BARS)) == 2
    assert browser.ask("document.documentElement.scrollWidth") <= width


def test_every_control_has_a_name(browser: Browser) -> None:
    choose(browser, "search")
    assert (
        browser.ask("Array.from(document.querySelectorAll('input, select, textarea'), (one) => one.labels.length)")
        == [1] * 4
    )


def test_the_query_stands_in_the_address_and_back_and_forward_work(browser: Browser) -> None:
    first, second = "SELECT ?x WHERE { VALUES ?x { 'ä & #1' } }", "SELECT ?x WHERE { VALUES ?x { 2 3 } }"
    query, rows = "document.getElementById('query')?.value", f"JSON.stringify({ROWS})"
    for one in (first, second, second):
        run(browser, one)
    address = browser.ask("location.href")
    browser.ask("history.back()")
    wait(browser, f"{query} === {json.dumps(first)} && {rows} === '[[\"ä & #1\"]]'")
    browser.ask("history.back()")
    wait(browser, f"{query}.includes('?questions') && !document.getElementById('result').checkVisibility()")
    browser.ask("history.go(2)")
    wait(browser, f'{query} === {json.dumps(second)} && {rows} === \'[["2"],["3"]]\'')
    browser.send("Page.navigate", url="about:blank")
    wait(browser, "location.href === 'about:blank'")
    browser.send("Page.navigate", url=address)  # as somebody does to whom it was sent
    wait(browser, f'{query} === {json.dumps(second)} && {rows} === \'[["2"],["3"]]\'')


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "name", "extension", "content"),
    [
        ("SELECT ?x WHERE { VALUES ?x { 'ä,1' } }", "CSV", "csv", 'x\n"ä,1"\n'),
        ("SELECT ?x WHERE { VALUES ?x { 'ä' } }", "JSON", "json", '"value": "ä"'),
        ("ASK {}", "JSON", "json", '"boolean": true'),
        ("CONSTRUCT { <urn:a> <urn:b> 'ä' } WHERE {}", "Turtle", "ttl", '<urn:a> <urn:b> "ä" .'),
        ("CONSTRUCT { <urn:a> <urn:b> 'ä' } WHERE {}", "JSON-LD", "jsonld", '"@id":"urn:a"'),
    ],
)
def test_a_result_is_downloaded(  # noqa: PLR0917 - four of them are a row of the table
    browser: Browser, tmp_path: Path, query: str, name: str, extension: str, content: str
) -> None:
    file = f"result.{extension}"
    browser.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    run(browser, query)
    names = browser.ask("Array.from(document.querySelectorAll('#downloads button'), (one) => one.textContent)")
    browser.ask("document.querySelector('.downloads').scrollIntoView()")
    browser.click(f"#downloads button:nth-of-type({names.index(name) + 1})")
    until = time.monotonic() + PATIENCE
    while not (tmp_path / file).exists():
        assert time.monotonic() < until, f"nothing is downloaded: {list(tmp_path.iterdir())}"
        time.sleep(0.05)
    assert content in (tmp_path / file).read_text(encoding="utf-8").replace("\r\n", "\n")


@pytest.mark.slow
def test_an_iri_of_rows_and_of_statements_leads_to_its_page_and_on(browser: Browser) -> None:
    run(browser, "SELECT ?b WHERE { ?b schema:name 'Metals' }")
    browser.click("tbody a")
    wait(browser, "document.querySelector('h1')?.textContent === 'Metals'")
    assert browser.ask("document.querySelector('p.iri').textContent") == METALS
    assert browser.ask("document.documentElement.scrollWidth <= innerWidth")
    assert browser.ask(LOW_CONTRAST) == []
    browser.ask("Array.from(document.links).find((one) => one.textContent === 'schema:DataFeed').click()")
    wait(browser, "document.querySelector('h1')?.textContent === 'schema:DataFeed'")
    assert METALS in browser.ask("document.body.innerText")
    browser.ask("history.go(-2)")
    wait(browser, f"{ROWS}.length === 1")
    stated = "?b schema:name ?n ; <urn:x:says> 'a <urn:y> schema:no'"
    run(browser, f"CONSTRUCT {{ {stated} }} WHERE {{ ?b schema:name ?n FILTER (?n = 'Metals') }}")
    links = browser.ask("Array.from(document.querySelectorAll('.result pre a'), (one) => [one.textContent, one.href])")
    assert sorted(text for text, _ in links) == ["<https://schema.org/>", f"<{METALS}>", "<urn:x:says>", "schema:name"]
    [name] = [href for text, href in links if text == "schema:name"]
    assert name.endswith("resource?iri=https%3A%2F%2Fschema.org%2Fname")


EDITOR = "document.querySelector('.editor').shadowRoot"
LABELS = "Array.from(document.querySelectorAll('tbody .name'), (one) => one.textContent)"


def test_an_example_runs_at_a_click_and_labels_stand_beside_its_iris(browser: Browser) -> None:
    browser.click("#chips button")
    wait(browser, f"({STATUS}).startsWith('2 rows') && {LABELS}.length === 2")
    assert sorted(browser.ask(LABELS)) == ["Alloys <b>", "Metals"]
    tops = "['result', 'chart'].map((one) => document.getElementById(one).getBoundingClientRect().top)"
    result, chart = browser.ask(tops)
    assert result < chart or chart == 0


def test_the_editor_colours_and_completes_what_is_there(browser: Browser) -> None:
    colours = (
        f"new Set(Array.from({EDITOR}.querySelectorAll('.cm-line span'), (one) => getComputedStyle(one).color)).size"
    )
    assert browser.ask(colours) >= 3
    browser.ask("document.getElementById('query').value = ''")
    browser.ask(f"{EDITOR}.querySelector('.cm-content').focus()")
    browser.send("Input.insertText", text="karenina:")
    wait(browser, f"{EDITOR}.querySelectorAll('.cm-tooltip-autocomplete li').length > 0")
    browser.send("Input.insertText", text="")
    browser.ask("document.getElementById('query').value = ''")
    browser.send("Input.insertText", text="schema:dataFe")
    shown = f"Array.from({EDITOR}.querySelectorAll('.cm-tooltip-autocomplete li'), (one) => one.textContent)"
    wait(browser, f"({shown}).some((one) => one.startsWith('schema:dataFeedElement'))")


def test_tabs_and_queries_of_before_are_kept(browser: Browser) -> None:
    run(browser, "ASK { ?s ?p 'kept' }")
    browser.click("#tabs button:last-child")
    assert browser.ask("document.getElementById('query').value") == ""
    run(browser, "ASK { ?s ?p 'other' }")
    browser.click("#tabs button")
    assert browser.ask("document.getElementById('query').value") == "ASK { ?s ?p 'kept' }"
    past = "Array.from(document.getElementById('past').options, (one) => one.textContent)"
    assert browser.ask(past)[1:3] == ["ASK { ?s ?p 'other' }", "ASK { ?s ?p 'kept' }"]
    chosen = "one.value = '0'; one.dispatchEvent(new Event('change'));"
    browser.ask(f"(() => {{ const one = document.getElementById('past'); {chosen} }})()")
    assert browser.ask("document.getElementById('query').value") == "ASK { ?s ?p 'other' }"
    browser.ask("localStorage.clear()")


def test_the_licence_of_the_editor_is_shipped() -> None:
    assert "MIT License" in packaged("sparql/editor.LICENSE.txt")
