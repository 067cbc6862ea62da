"""Charts of benchmarks and of recorded answers: figures of Matplotlib, to change in a notebook or to write as SVG.

The numbers of the charts of answers are those of `checkpoint_ld.assessment.comparing`. The module does not use pyplot,
which would keep every figure in memory. Matplotlib comes with the extra `plots`.
"""

from __future__ import annotations

import io
import math
import textwrap
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from checkpoint_ld.assessment.comparing import question_pairs, rates
from checkpoint_ld.benchmark.content import content_of, elements_of
from checkpoint_ld.data import library
from checkpoint_ld.errors import SettingsError, WrongTypeError
from checkpoint_ld.host import without_warnings
from checkpoint_ld.mapping.questions import TEXT, frame
from checkpoint_ld.phrases import encodable, harmless, labels
from checkpoint_ld.secrets import secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from checkpoint_ld.assessment import Assessment
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.benchmark.content import QuestionContent
    from checkpoint_ld.graph.compaction import Frame

__all__ = [
    "comparison",
    "keywords",
    "lengths",
    "pass_rates",
    "readiness",
    "svg",
    "trait_coverage",
]

_MOST: Final = 30
"""The most bars or rows of a chart; a note in the chart counts the others."""
_WIDEST: Final = 44
"""Characters of a label; longer ones are cut."""
_NO_QUESTIONS: Final = "the benchmark has no questions to draw: add some"
_NAVY, _TEAL, _AMBER, _PALE = "#1f4e79", "#0b7a75", "#b26a00", "#d9dee3"
_IN_THE_DARK = {
    "#ffffff": "#1a1e22",
    "#000000": "#e4e7ea",
    _NAVY: "#8fbff5",
    _TEAL: "#5fc7c1",
    _AMBER: "#efc06a",
    _PALE: "#3a424a",
}
_DARK = (
    "@media screen and (prefers-color-scheme: dark) { text { fill: #e4e7ea !important; } "
    + " ".join(
        f'[style*="{kind}: {light}"] {{ {kind}: {dark} !important; }}'
        for light, dark in _IN_THE_DARK.items()
        for kind in ("fill", "stroke")
    )
    + " }"
)
"""Colours of charts in dark mode; Matplotlib writes colours into attributes, which only `!important` overrides."""


def pass_rates(assessments: Iterable[Assessment], *, by: Literal["model", "question"] = "model") -> Figure:
    """Return the pass rates by model, the best first, with intervals of 95 %, or by question, the worst first.

    The intervals are those of `checkpoint_ld.assessment.comparing.rates`. Raises SettingsError where there is no
    assessment, or Matplotlib or statsmodels is absent.
    """
    every = rates(assessments, by=by)
    if not every:
        raise SettingsError("there are no assessments to draw: give what checkpoint_ld.assessment.assess yields")
    sign = -1 if by == "model" else 1
    every.sort(key=lambda each: (each.estimate.value is None, sign * (each.estimate.value or 0.0), sign * each.decided))
    shown = every[:_MOST]
    intervals = "lines: intervals of 95 % over the questions" if by == "model" else ""
    notes = [intervals, _more(len(every), "rows")]
    figure, axes = _figure(f"Pass rate by {by}", [rate.name for rate in shown], notes=notes, shares=True)
    for place, rate in enumerate(shown):
        counted = f"{rate.passed:,} of {rate.decided:,}" + (f", {rate.undecided:,} undecided" if rate.undecided else "")
        axes.annotate(counted, (1, place), (8, 0), textcoords="offset points", va="center", fontsize=8)
        if rate.estimate.value is not None:
            if by == "model":
                axes.hlines(place, rate.estimate.low, rate.estimate.high, color=_NAVY, linewidth=2)
            axes.scatter([rate.estimate.value], [place], color=_NAVY, s=42, zorder=3)
    return figure


def comparison(
    first: Iterable[Assessment], second: Iterable[Assessment], *, names: tuple[str, str] = ("first", "second")
) -> Figure:
    """Return two runs, or two models, question by question, the greatest difference first.

    Raises SettingsError where no question was decided in both, or Matplotlib or statsmodels is absent.
    """
    if [type(name) for name in names] != [str, str]:
        raise SettingsError("names are those of the two runs: give two texts")
    pairs, difference = question_pairs(first, second)
    first_name, second_name = _labels(names)
    names = (first_name, second_name)
    shown = pairs[:_MOST]
    summary = (
        f"{names[0]} better on {difference.better}, {names[1]} better on {difference.worse}, no difference on "
        f"{difference.same} of {difference.estimate.questions} common questions; p = {difference.test.p_value:.3g}"
    )
    title = f"{names[0]} and {names[1]}, question by question"
    notes = [summary, _more(len(pairs), "questions")]
    figure, axes = _figure(title, [name for name, _, _ in shown], notes=notes, shares=True)
    places = range(len(shown))
    ends = [(left, right) for _, left, right in shown]
    axes.hlines(
        places, [min(shares) for shares in ends], [max(shares) for shares in ends], color=_PALE, linewidth=4, zorder=1
    )
    axes.scatter([share for share, _ in ends], places, color=_NAVY, marker="o", s=46, label="first", zorder=3)
    axes.scatter([share for _, share in ends], places, color=_AMBER, marker="D", s=28, label="second", zorder=4)
    columns = 2 if len("".join(names)) <= _WIDEST else 1
    legend = axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, frameon=False, borderaxespad=0)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set(text=name, parse_math=False)
    return figure


def trait_coverage(benchmark: Benchmark) -> Figure:
    """Return the traits that judge each question: a table of dots, or for many questions a count for each trait.

    Traits of the whole benchmark judge all questions. Raises SettingsError for a benchmark without questions or without
    traits, and where Matplotlib is absent.
    """
    questions = {question.id: question.members["question"] for question in _questions(benchmark, frame(text=None))}
    everywhere: dict[str, None] = {}
    own: dict[str, set[str]] = {}
    for record in benchmark.traits_records():
        if record["question_id"] is None:
            everywhere[record["name"]] = None
        else:
            own.setdefault(record["name"], set()).add(record["question_id"])
    names = [*everywhere, *(name for name in own if name not in everywhere)]
    covered = {name: questions.keys() if name in everywhere else own[name] for name in names}
    if not names:
        raise SettingsError("the benchmark has no traits to draw: add some to its rubrics")
    green = "green: traits of the whole benchmark" if everywhere else ""
    if len(questions) > _MOST or len(names) > _MOST:
        counts = {trait: len(covered[trait]) for trait in sorted(names, key=lambda name: -len(covered[name]))}
        colors = dict.fromkeys(counts, _NAVY) | dict.fromkeys(everywhere, _TEAL)
        notes = [f"{len(questions):,} questions", green]
        return _bars("Questions that each trait judges", counts, colors, "traits", notes)
    shown = _labels(names)
    slanted = max(map(len, shown)) // 4
    figure, axes = _figure("Traits by question", list(questions.values()), slanted, notes=[green])
    for column, name in enumerate(names):
        rows = [row for row, id in enumerate(questions) if id in covered[name]]
        axes.scatter([column] * len(rows), rows, color=_TEAL if name in everywhere else _NAVY, s=54)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_xticks(range(len(names)), shown, rotation=35, ha="right", parse_math=False)
    axes.grid(color=_PALE, linewidth=0.6)
    return figure


def keywords(benchmark: Benchmark) -> Figure:
    """Return the number of questions with each keyword, the most frequent first.

    Raises SettingsError for a benchmark without questions or without keywords, and where Matplotlib is absent.
    """
    questions = _questions(benchmark, frame(keywords=None))
    counts = Counter(word for question in questions for word in set(question.members["keywords"]))
    if not counts:
        raise SettingsError("the benchmark has no keywords to draw: give some to its questions")
    # Words of equal frequency come in alphabetical order, since sets have none.
    ranked = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return _bars("Questions by keyword", ranked, {}, "keywords", [])


def lengths(benchmark: Benchmark) -> Figure:
    """Return the lengths of questions and answers in characters.

    Raises SettingsError for a benchmark without questions, and where Matplotlib is absent.
    """
    questions = _questions(benchmark, frame(text=None, acceptedAnswer=TEXT))
    values = [[len(question.members[name]) for question in questions] for name in ("question", "raw_answer")]
    figure, axes = _figure("Lengths in characters", [], 8)
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - after the sentence about the extra

    edges = [10 ** (step / 6) for step in range(math.ceil(6 * math.log10(max(10, *map(max, values)))) + 2)]
    # The axis is logarithmic: an empty text counts as one character.
    values_shown = [[max(length, 1) for length in each] for each in values]
    axes.hist(values_shown, bins=edges, label=["questions", "answers"], color=[_NAVY, _AMBER])
    axes.set_xscale("log")
    axes.minorticks_off()
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("characters")
    axes.set_ylabel("number")
    axes.legend(frameon=False)
    return figure


def readiness(benchmark: Benchmark) -> Figure:
    """Return the numbers of questions that have an answer template, have a rubric, and are finished.

    `Benchmark.check_readiness` also reports faults of templates and rubrics. Raises SettingsError for a benchmark
    without questions, and where Matplotlib is absent.
    """
    summary = benchmark.get_summary()
    total = summary["question_count"]
    if not total:
        raise SettingsError(_NO_QUESTIONS)
    counts = {
        "with an answer template": summary["has_template_count"],
        "finished": summary["finished_count"],
        "with a rubric of their own": summary["has_rubric_count"],
    }
    figure, axes = _figure("Questions ready for verification", list(counts))
    axes.barh(range(len(counts)), [total] * len(counts), color=_PALE)
    axes.barh(range(len(counts)), list(counts.values()), color=_TEAL)
    for place, count in enumerate(counts.values()):
        axes.annotate(f"{count:,} of {total:,}", (total, place), (8, 0), textcoords="offset points", va="center")
    axes.set_xlim(0, total)
    axes.set_xticks([])
    return figure


def svg(figure: Figure) -> str:
    """Return a figure as SVG that needs nothing else; the same figure gives the same text. Raises SettingsError.

    Texts stay texts: the viewer chooses the fonts, and screen readers can read them. Colours follow dark mode.
    """
    matplotlib = library("matplotlib", extra="plots")
    if not isinstance(figure, library("matplotlib.figure").Figure):
        raise WrongTypeError(f"svg(): figure is of type {type(figure).__name__}: give Figure")
    file = io.StringIO()
    with (
        matplotlib.rc_context({"svg.hashsalt": "checkpoint-ld", "svg.fonttype": "none"}),
        without_warnings(UserWarning),
    ):
        # Texts are measured in Matplotlib's own font, which need not have all letters.
        figure.savefig(file, format="svg", metadata={"Date": None, "Title": figure.get_suptitle()})
    text = file.getvalue()
    head, end, rest = text[text.index("<svg ") :].replace("<svg ", '<svg role="img" ', 1).partition(">")
    return f"{head}{end}<style>{_DARK}</style>{rest}"


def _questions(benchmark: Benchmark, only: Frame) -> tuple[QuestionContent, ...]:
    graph = benchmark.graph
    questions = content_of(graph, elements_of(graph), only).questions
    if not questions:
        raise SettingsError(_NO_QUESTIONS)
    return questions


def _bars(title: str, counts: Mapping[str, int], colors: Mapping[str, str], what: str, notes: list[str]) -> Figure:
    names = list(counts)[:_MOST]
    figure, axes = _figure(title, names, notes=[*notes, _more(len(counts), what)])
    bars = axes.barh(
        range(len(names)), [counts[name] for name in names], color=[colors.get(name, _TEAL) for name in names]
    )
    axes.bar_label(bars, fmt="{:,.0f}", padding=3, fontsize=8)
    axes.locator_params(axis="x", integer=True)
    axes.set_xlim(0, 1.12 * max(counts.values()))
    return figure


@cache
def _chart() -> type[Figure]:
    """Return the class of figures that a notebook shows without pyplot."""
    library("matplotlib", extra="plots")
    from matplotlib.figure import Figure  # noqa: PLC0415 - after the sentence about the extra

    class Chart(Figure):
        def _repr_svg_(self) -> str:
            return svg(self)

    return Chart


def _figure(
    title: str, names: Sequence[str], more_rows: int = 0, *, notes: Sequence[str] = (), shares: bool = False
) -> tuple[Figure, Axes]:
    """Return a white figure with a row for each name: dark text on it is read on any page.

    With `shares`, values are parts from 0 to 1.
    """
    rows = max(len(names) + more_rows, 3)
    figure = _chart()(figsize=(8, 1.5 + 0.3 * rows), facecolor="white", layout="constrained")
    figure.suptitle(textwrap.fill(title, 70), fontsize=12, parse_math=False)
    axes = figure.subplots()
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0)
    if names:
        axes.set_yticks(range(len(names)), _labels(names), parse_math=False)
        axes.set_ylim(len(names) - 0.4, -0.6)
    if shares:
        axes.set_xlim(-0.02, 1.02)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.grid(axis="x", color=_PALE, linewidth=0.6)
        axes.set_axisbelow(True)
    note = "; ".join(filter(None, notes))
    if note:
        figure.supxlabel(textwrap.fill(note, 120), fontsize=8, parse_math=False)
    return figure, axes


def _label(text: str) -> str:
    plain = _plain(text)
    return plain if len(plain) <= _WIDEST else plain[: _WIDEST - 1] + "…"


def _plain(text: str) -> str:
    return harmless(encodable(" ".join(text.split()))) if secret(text) is None else "(withheld)"


def _labels(texts: Sequence[str]) -> list[str]:
    """Return labels that fit; of long texts that begin alike, the middle is cut, so that they can be told apart."""
    return labels([_plain(text) for text in texts], _WIDEST)


def _more(count: int, what: str) -> str:
    return f"{count - _MOST:,} more {what} are not shown" if count > _MOST else ""
