"""A benchmark as a Markdown document (CommonMark), for people to read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from checkpoint_ld.exports.records import kind_of
from checkpoint_ld.mapping.properties import text_of
from checkpoint_ld.mapping.traits import family_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.content import BenchmarkContent, QuestionContent
    from checkpoint_ld.entities import DynamicRubric, Rubric

_NUMBERED = re.compile(r"^(\d+)([.)])")
_MARKED = re.compile(r"^[-+=]")
_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def document(content: BenchmarkContent) -> str:
    """Return the benchmark: what it says about itself, counts, traits of all kinds, questions with their answers.

    Texts are escaped, so that what they hold is shown and not taken for markup.
    """
    return "\n".join(_lines(content)) + "\n"


def _lines(content: BenchmarkContent) -> Iterator[str]:
    yield f"# {line(content.name)}"
    if content.description:
        yield f"\n{paragraphs(content.description)}"
    yield "\n## Metadata\n"
    told = (("Version", content.version), ("Creator", content.creator))
    dates = (("Created", content.created_at), ("Modified", content.modified_at))
    yield from (f"- **{label}:** {line(value)}" for label, value in (*told, *dates) if value)
    yield "\n## Statistics\n"
    yield from _statistics(content)
    yield from _rubric("## Global Rubric", content.global_rubric, content.global_dynamic_rubric)
    if content.scenarios:
        yield "\n## Scenarios\n"
    yield from (_named(text_of(one.get("name")), "", text_of(one.get("description"))) for one in content.scenarios)
    if content.questions:
        yield "\n## Questions"
    for number, one in enumerate(content.questions, 1):
        yield from _question(number, one)


def _statistics(content: BenchmarkContent) -> Iterator[str]:
    count, finished = len(content.questions), sum(one.finished for one in content.questions)
    yield f"- **Questions:** {count}"
    yield f"- **Finished:** {finished}"
    yield f"- **Progress:** {finished / count * 100 if count else 0:.1f}%"
    yield f"- **Has Templates:** {sum(one.has_template for one in content.questions)}"


def _question(number: int, one: QuestionContent) -> Iterator[str]:
    status = "✅ finished" if one.finished else "❌ not finished"
    template = "📝 present" if one.has_template else "❌ missing"
    yield f"\n### {number}. {line(one.question.question)}"
    yield f"\n**Status:** {status} | **Template:** {template}"
    if one.question.raw_answer:
        yield f"\n**Expected Answer:** {paragraphs(one.question.raw_answer)}"
    yield from _rubric("**Rubric:**", one.rubric, one.dynamic_rubric)


def _rubric(title: str, static: Rubric | None, dynamic: DynamicRubric | None) -> Iterator[str]:
    listed = [(trait, "") for trait in (static.traits() if static else ())]
    listed += [(trait, "dynamic ") for trait in (dynamic.traits() if dynamic else ())]
    if listed:
        yield f"\n{title}\n"
    for trait, dynamic_or_not in listed:
        family, kind = family_of(trait), kind_of(trait)
        words = f"{dynamic_or_not}{family}" if kind == family else f"{dynamic_or_not}{family}, {kind}"
        yield _named(trait.name, f" ({words})", trait.description)


def _named(name: str, what: str, description: str | None) -> str:
    return f"- **{line(name)}**{what}{f': {line(description)}' if description else ''}"


def line(text: str) -> str:
    """Return a text as one line that Markdown shows as it is; line breaks become spaces."""
    return _escaped(" ".join(one.strip() for one in _BREAK.split(text)).strip())


def paragraphs(text: str) -> str:
    """Return a text that Markdown shows with its line breaks and blank lines."""
    parts = [[_unmarked(one.strip()) for one in part.split("\n")] for part in _BREAK.sub("\n", text).split("\n\n")]
    return "\n\n".join("\\\n".join(one for one in part if one) for part in parts if any(part))


def _unmarked(text: str) -> str:
    """Return a line in which nothing is markup, the numbers and signs of lists and headings neither."""
    return _NUMBERED.sub(r"\1\\\2", _MARKED.sub(lambda mark: f"\\{mark[0]}", _escaped(text)))


def _escaped(text: str) -> str:
    from checkpoint_ld.reports.markdown import escaped  # noqa: PLC0415 - most who load a file write no Markdown

    return escaped(text)
