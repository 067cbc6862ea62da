"""What a notebook shows: small, escaped, without scripts, secrets withheld, for every object that people print."""

import json
import re
import runpy
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld import AgentCheckpoint, Benchmark, CheckpointManager, RuntimeState, semantic_diff, validate, verify
from checkpoint_ld.agents.timeline import timeline_of
from checkpoint_ld.assessment import assess
from checkpoint_ld.entities import LLMRubricTrait, RegexRubricTrait, Rubric
from tests.reports.browser import NAMES, Browser, binary

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
HOSTILE = "<script>alert(1)</script>&\x1b[31m\u202e"


class Checker(HTMLParser):
    """Reads HTML; fails on what is not closed, on scripts, handlers and addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe", "a")
        assert {name for name, _ in attrs} <= {"class", "style", "data-quarto-disable-processing"}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if self.open[-1:] != ["style"] else ""


def text_of(shown: Any) -> str:
    html = shown._repr_html_()
    html.encode()
    assert len(html) < 200_000
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker.text


def metals() -> Benchmark:
    return Benchmark.load(EXAMPLES / "metals.jsonld")


def hostile() -> Benchmark:
    benchmark = Benchmark.create(name=HOSTILE)
    benchmark.add_question(HOSTILE, HOSTILE, keywords=[HOSTILE])
    return benchmark


def state() -> RuntimeState:
    running = RuntimeState("agent-1", "exec-1")
    running.thought_chain.add("observation", f"It rains. {HOSTILE}")
    call = running.tool_state.start("weather", {"city": "Oslo", "api_key": "sk-abcdefghijklmnopqrstuv0123456789"})
    running.tool_state.complete(call.id, {"sky": "grey"})
    return running


def checkpoint(folder: Path) -> AgentCheckpoint:
    with CheckpointManager(folder, redact=None) as manager:
        return manager.get(manager.save(state()).id)


def differing() -> Any:
    changed = metals()
    changed.add_question("Which metal is the lightest?", "Lithium")
    return semantic_diff(metals(), changed)


def assessed() -> Any:
    benchmark = metals()
    record = {"question_id": benchmark.get_question_ids()[0], "answer": {"metal": "lead"}}
    (found,) = assess(benchmark, [record])
    return found


@pytest.mark.parametrize(
    ("made", "words", "line"),
    [
        (metals, ["Metals", "Which metal is liquid at 20 °C?", "Mercury", "Global rubric"], "<Benchmark 'Metals'"),
        (lambda: metals().questions, ["5 questions", "Mercury"], "<5 questions>"),
        (lambda: metals().questions[0], ["Question", "raw answer", "Mercury"], "Question(question="),
        (lambda: metals().get_global_rubric(), ["Rubric", "llm traits", "clarity"], "Rubric(llm_traits="),
        (
            lambda: validate(EXAMPLES / "broken.jsonld"),
            ["not valid", "KR016 rating-range", "broken.jsonld:41"],
            "<Report",
        ),
        (lambda: metals().validate(), ["Verdict", "valid"], "<Verdict: valid"),
        (differing, ["SemanticDiff", "1 question added", "lightest"], "<SemanticDiff: 1 question added>"),
        (lambda: metals().query("SELECT ?t { ?q schema:text ?t }"), ["SELECT", "Mercury"], "<QueryResult select:"),
        (lambda: metals().query("ASK { ?s ?p ?o }"), ["ASK", "yes"], "<QueryResult ask: yes>"),
        (lambda: metals().query("CONSTRUCT WHERE { ?s schema:text ?o }"), ["subject"], "<QueryResult construct:"),
        (assessed, ["Assessment", "Which metal is liquid at 20 °C?", "lead"], "Assessment("),
        (state, ["agent-1", "It rains.", "weather", "withheld"], "<RuntimeState of 'agent-1' in 'exec-1': 1 thoughts"),
    ],
)
def test_a_notebook_shows_what_people_print(made: Callable[[], Any], words: list[str], line: str) -> None:
    shown = made()
    text = text_of(shown)
    assert [word for word in words if word not in text] == []
    assert repr(shown).startswith(line)


def test_traits_show_their_whole_range_also_where_it_is_the_default() -> None:
    usual = LLMRubricTrait(name="clarity", kind="score", description="How clear")
    wide = LLMRubricTrait(name="depth", kind="score", min_score=0, max_score=10)
    truth = LLMRubricTrait(name="polite", kind="boolean")
    shown = "".join(usual._repr_html_().split())
    assert re.search(r"minscore</th><td[^>]*>1</td>.*maxscore</th><td[^>]*>5</td>", shown)
    rows = re.findall("<tr>.*?</tr>", Rubric(llm_traits=[usual, wide, truth])._repr_html_())
    cells = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    assert cells == [
        ["name", "description", "kind", "min score", "max score"],
        ["clarity", "How clear", "score", "1", "5"],
        ["depth", "\N{EN DASH}", "score", "0", "10"],
        ["polite", "\N{EN DASH}", "boolean", "\N{EN DASH}", "\N{EN DASH}"],
    ]
    benchmark = Benchmark("Traits")
    benchmark.set_global_rubric([usual, wide, truth])
    assert [word for word in ("1 to 5", "0 to 10", "yes or no") if word not in text_of(benchmark)] == []


def test_agents_are_shown(tmp_path: Path) -> None:
    taken = checkpoint(tmp_path)
    assert "It rains." in text_of(taken)
    assert repr(taken).startswith(f"<AgentCheckpoint {taken.id!r} of 'agent-1'")
    shown = timeline_of([taken])
    assert "weather" in text_of(shown)
    assert "moments" in repr(shown)
    for one in (taken, shown, state()):
        assert "sk-abc" not in text_of(one)


def test_what_a_verification_found_is_shown() -> None:
    template = metals().get_template(metals().get_question_ids()[0])
    result = verify(template, {"metal": "lead"})
    assert "failed" in text_of(result) or "not decided" in text_of(result)


def test_texts_of_documents_are_escaped() -> None:
    several: list[Any] = [hostile(), hostile().questions, hostile().questions[0], hostile().validate()]
    for shown in several:
        html = shown._repr_html_()
        assert "<script" not in html
        assert "\x1b" not in html
        assert "\u202e" not in html
        text_of(shown)


def test_no_name_shows_a_secret() -> None:
    key = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
    benchmark = Benchmark.create(name=f"Of {key}")
    benchmark.add_global_rubric_trait(RegexRubricTrait(name=key, pattern=key))
    rubric = benchmark.get_global_rubric()
    assert rubric is not None
    shown = benchmark, rubric, *rubric.traits()
    assert not any(key in one._repr_html_() for one in shown)


def test_long_things_are_folded() -> None:
    benchmark = Benchmark.create(name="long")
    benchmark.add_questions([{"question": f"Question {number}?", "raw_answer": "word " * 100} for number in range(300)])
    html = benchmark._repr_html_()
    assert "<summary>190 more of 290</summary>" in html
    assert "<summary>word word" in html
    assert "Question 199?" in html
    assert "Question 200?" not in html
    text_of(benchmark)
    assert "<summary>190 more of 29" in semantic_diff(Benchmark.create(name="long"), benchmark)._repr_html_()


def test_nothing_of_the_public_api_has_a_repr_that_is_an_address() -> None:
    shown = [metals(), metals().questions, state(), validate(EXAMPLES / "metals.jsonld"), differing()]
    assert not [one for one in map(repr, shown) if re.search(r" object at 0x", one)]
    assert checkpoint_ld.Benchmark is Benchmark


@pytest.mark.slow
def test_a_card_is_no_wider_than_its_notebook_however_long_the_words(tmp_path: Path) -> None:
    command = binary()
    if command is None:
        pytest.skip(f"no browser to look at cards: install Chromium so that one of {', '.join(NAMES)} is on PATH")
    benchmark = Benchmark.create(name="m" * 150)
    benchmark.add_question("q" * 150, "a" * 150, keywords=["k" * 150])
    cards = benchmark._repr_html_() + benchmark.questions[0]._repr_html_()
    page = tmp_path / "cards.html"
    page.write_text(f"<!doctype html><meta charset=utf-8>{cards}", encoding="utf-8")
    with Browser(command, tmp_path / "browser") as browser:
        browser.look(width=600)
        browser.open(page)
        assert browser.ask("document.documentElement.scrollWidth") <= 600
        assert browser.ask("Math.max(...Array.from(document.querySelectorAll('td'), (one) => one.offsetWidth))") < 600


# --- The notebook in docs/examples runs, and holds what it shows.


DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOK = DOCS / "examples" / "metals.ipynb"


def cards(text: str) -> list[str]:
    """Return what the cells show as HTML."""
    cells = [one for one in json.loads(text)["cells"] if one["cell_type"] == "code"]
    shown: list[Any] = [output["data"]["text/html"] for one in cells for output in one["outputs"]]
    assert len(shown) == len(cells)
    return ["".join(one) for one in shown]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Jupyter's own, about its sockets
def test_the_notebook_holds_what_it_shows() -> None:
    for name in ("nbclient", "ipykernel"):
        pytest.importorskip(name, reason=f"the notebook needs {name}: make .venv/.integrations-group")
    executed = runpy.run_path(str(DOCS / "notebook_example.py"))["executed"]
    assert cards(executed()) == cards(NOTEBOOK.read_text(encoding="utf-8"))
