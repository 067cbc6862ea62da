"""The Markdown document; whether a renderer shows a hostile text as it is, is asked of one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from checkpoint_ld import Benchmark
from tests.benchmark.samples import benchmark, load
from tests.documents import scenario
from tests.trials import examples

HOSTILE = st.text(
    st.one_of(st.sampled_from("\n #*_`-+=>|~[]()!<>&\\1.:/\"'$@"), st.characters(categories=["L", "N", "P"])),
    min_size=1,
    max_size=40,
).filter(str.strip)


def shown(token: Token) -> str:
    """Return the text that a reader sees of an inline token."""
    parts = []
    for child in token.children or ():
        if child.type in ("text", "text_special"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        else:
            assert child.type in ("strong_open", "strong_close", "html_inline"), child.type
            assert child.type != "html_inline" or child.content == "<!-- -->"
    return "".join(parts)


def headings(text: str) -> list[str]:
    tokens = MarkdownIt().parse(text)
    return [shown(tokens[at + 1]) for at, token in enumerate(tokens) if token.type == "heading_open"]


def test_metadata_counts_traits_and_questions() -> None:
    lines = benchmark().to_markdown().splitlines()
    assert lines[:3] == ["# Metals", "", "Metals and their properties"]
    for expected in (
        "- **Version:** 0.2.0",
        "- **Creator:** A. Smith",
        "- **Questions:** 3",
        "- **Finished:** 1",
        "- **Progress:** 33.3%",
        "- **Has Templates:** 2",
        "### 1. Which metal is liquid?",
        "**Expected Answer:** Mercury",
    ):
        assert expected in lines
    assert [line for line in lines if line.startswith("**Status:**")] == [
        "**Status:** ✅ finished | **Template:** 📝 present",
        "**Status:** ❌ not finished | **Template:** 📝 present",
        "**Status:** ❌ not finished | **Template:** ❌ missing",
    ]


def test_traits_of_all_kinds_are_listed_in_their_place() -> None:
    written = benchmark().to_markdown()
    overall, _, rest = written.partition("## Questions")
    assert "- **depth** (llm, score): names its sources" in overall
    assert "- **tone** (regex, boolean): names its sources" in overall
    assert "- **cites** (dynamic regex, boolean): names its sources" in overall
    assert "- **certainty** (llm, score): names its sources" in rest


def test_an_empty_benchmark_has_neither_rubric_nor_questions() -> None:
    assert headings(Benchmark("Nothing").to_markdown()) == ["Nothing", "Metadata", "Statistics"]


def test_scenarios_are_listed_by_name() -> None:
    made = scenario()
    made["hasPart"][0]["description"] = "asks *twice*"
    lines = load(made).to_markdown().splitlines()
    assert lines[lines.index("## Scenarios") + 2 :] == ["- **retry**: asks \\*twice\\*"]


@settings(max_examples=examples(60))
@given(name=HOSTILE, text=HOSTILE, answer=HOSTILE)
def test_hostile_texts_are_shown_as_they_are(name: str, text: str, answer: str) -> None:
    made = Benchmark(name)
    made.add_question(text, answer)
    written = made.to_markdown()
    one_line = [" ".join(part.strip() for part in told.split("\n")).strip() for told in (name, text)]
    found = headings(written)
    assert [found[0], found[-1]] == [one_line[0], f"1. {one_line[1]}".strip()]
    assert len(found) == 5

    tokens = MarkdownIt().parse(written.rpartition("**Expected Answer:**")[2])
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    seen = [part for token in tokens if token.type == "inline" for part in shown(token).split("\n")]
    assert [part for part in seen if part] == [part.strip() for part in answer.split("\n") if part.strip()]
