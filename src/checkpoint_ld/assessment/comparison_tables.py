"""A comparison of models in words and tables: for people in Markdown and HTML, for programs in CSV and JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from checkpoint_ld.notebook import Card, Rows
from checkpoint_ld.phrases import counted, encodable
from checkpoint_ld.tables import line, table
from checkpoint_ld.validation.reports.page import page_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from checkpoint_ld.assessment.comparing import ModelComparison, ModelDifference, Rate
    from checkpoint_ld.assessment.statistics import Estimate

_METHODS = {
    "clustered": "standard errors clustered by question",
    "bootstrap": "bootstrap over the questions, since they are few",
    "wilson": "Wilson's interval for the number of questions, since nearly all agree",
}
_COLUMNS = (
    *("table", "group", "name", "first", "second", "questions", "answers", "passed", "undecided", "value"),
    *("standard_error", "low", "high", "interval", "test", "p", "p_holm", "significant"),
)
_LEAST = 0.001
_MOST = 12
"""The most sentences about pairs."""


def conclusions(comparison: ModelComparison) -> list[str]:
    """Return what is significant and what is not, a sentence each."""
    sentences = [_sentence(pair) for pair in comparison.differences[:_MOST]]
    if len(comparison.differences) > _MOST:
        significant = sum(pair.is_significant for pair in comparison.differences)
        sentences.append(f"Of all {len(comparison.differences)} pairs, {significant} differ significantly.")
    if not comparison.differences:
        sentences = ["There are no two models with decided answers to the same question, so nothing is tested."]
    grouped = [(group, pair) for group in comparison.groups for pair in group.differences if pair.is_significant]
    sentences += [f"{group.kind} {group.name}: {_sentence(pair)}" for group, pair in grouped[:_MOST]]
    if comparison.groups and not grouped:
        sentences.append("No difference within a group is significant.")
    estimates = [rate.estimate for rate in comparison.rates] + [pair.estimate for pair in comparison.differences]
    methods = dict.fromkeys(each.method for each in estimates)
    ways = "; ".join(_METHODS[method] for method in methods if method in _METHODS)
    return [*sentences, f"Intervals of 95 %: {ways}. p-values are adjusted for the number of pairs (Holm)."]


def _sentence(pair: ModelDifference) -> str:
    from checkpoint_ld.assessment.statistics import detectable  # noqa: PLC0415 - pages without sentences need it not

    value = pair.estimate.value or 0.0
    first, second = (pair.first, pair.second) if value >= 0 else (pair.second, pair.first)
    p_value = f"{'' if pair.adjusted < _LEAST else '= '}{_p(pair.adjusted)}"
    about = f"on {counted(pair.estimate.questions, 'common question')}, p {p_value}"
    if pair.is_significant:
        return f"{first} is significantly better than {second}: by {abs(value):.2f} {_ends(pair.estimate)} {about}."
    least = detectable(pair.estimate.standard_error)
    missed = f"; a difference below {least:.2f} would often be missed" if least is not None and least < 1 else ""
    return f"{first} and {second} do not differ significantly: {abs(value):.2f} {_ends(pair.estimate)} {about}{missed}."


def _ends(estimate: Estimate) -> str:
    low, high = (estimate.low, estimate.high) if (estimate.value or 0.0) >= 0 else (-estimate.high, -estimate.low)
    return f"({low:.2f} to {high:.2f})"


def _p(value: float) -> str:
    return f"< {_LEAST}" if value < _LEAST else f"{value:.3f}"


def tables(comparison: ModelComparison) -> list[Rows]:
    """Return the tables for people, those without rows left out."""
    rates, pairs = ("model", *_RATE), ("first", "second", *_PAIR)
    groups = [(f"{group.kind} {group.name}", group) for group in comparison.groups]
    made = [
        Rows("Pass rates", rates, [*map(_rate, comparison.rates)]),
        Rows("Several attempts", *_attempts(comparison.rates)),
        Rows("Differences of all pairs", pairs, [*map(_pair, comparison.differences)]),
        Rows(
            "Pass rates by group",
            ("group", *rates),
            [(name, *_rate(rate)) for name, group in groups for rate in group.rates],
        ),
        Rows(
            "Differences by group",
            ("group", *pairs),
            [(name, *_pair(pair)) for name, group in groups for pair in group.differences],
        ),
    ]
    agreements = [
        (each.trait, " and ".join(each.judges), each.units, each.equal, _shown(each.kappa), _shown(each.alpha))
        for each in comparison.agreements
    ]
    names = ("trait", "judges", "answers", "equal", "Cohen's kappa", "Krippendorff's alpha")
    made.append(Rows("Agreement of judges", names, agreements))
    return [each for each in made if each.rows]


_RATE = ("questions", "answers", "passed", "undecided", "rate", "95 %")
_PAIR = ("questions", "difference", "95 %", "better", "worse", "p (Holm)", "significant")


def _rate(rate: Rate) -> tuple[Any, ...]:
    counts = rate.estimate.questions, rate.decided, rate.passed, rate.undecided
    return rate.name, *counts, _shown(rate.estimate.value), _interval(rate.estimate)


def _attempts(rates: Sequence[Rate]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    numbers = sorted({k for rate in rates for k in rate.pass_at})
    names = [name for k in numbers for name in (f"pass@{k}", f"pass^{k}")]
    rows = [
        (
            rate.name,
            *(_shown(part[k].value) if k in part else "" for k in numbers for part in (rate.pass_at, rate.pass_all)),
        )
        for rate in rates
    ]
    return ("model", *names), rows if numbers else []


def _pair(pair: ModelDifference) -> tuple[Any, ...]:
    mean = (pair.estimate.questions, _shown(pair.estimate.value), _interval(pair.estimate))
    significant = "yes" if pair.is_significant else "no"
    return pair.first, pair.second, *mean, pair.better, pair.worse, _p(pair.adjusted), significant


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _interval(estimate: Estimate) -> str:
    return "" if estimate.value is None else f"{estimate.low:.2f} to {estimate.high:.2f}"


def _json(comparison: ModelComparison) -> str:
    return encodable(json.dumps(comparison.as_json(), ensure_ascii=False, indent=2)) + "\n"


def _markdown(comparison: ModelComparison) -> str:
    parts = ["# Comparison", *(f"- {line(sentence)}" for sentence in conclusions(comparison))]
    for each in tables(comparison):
        head = [f"| {' | '.join(map(line, each.columns))} |", f"|{'---|' * len(each.columns)}"]
        rows = [f"| {' | '.join(line(str(cell)) for cell in row)} |" for row in each.rows]
        parts += ["", f"## {each.caption}", "", *head, *rows]
    notes = [f"- {each.code} {line(each.message)}" for each in comparison.findings]
    return encodable("\n".join([parts[0], "", *parts[1:], *(["", "## Findings", "", *notes] if notes else []), ""]))


def _html(comparison: ModelComparison) -> str:
    notes = Rows("Findings", ("code", "finding"), [(each.code, each.message) for each in comparison.findings])
    sentences = Rows("", ("In words",), [(sentence,) for sentence in conclusions(comparison)])
    name = counted(len(comparison.rates), "model")
    card = Card("Comparison", name, tables=[sentences, *tables(comparison), notes])
    return page_of("Comparison", card.html(), style="main { padding-top: 1rem; }")


def _csv(comparison: ModelComparison) -> str:
    """Return one table with all figures, unrounded: a row for each rate, difference and coefficient."""
    rows = [[_cell(row.get(name)) for name in _COLUMNS] for row in _records(comparison)]
    return encodable(table([_COLUMNS, *rows], formulas="escape"))


def _cell(value: Any) -> str | float:
    return ("yes" if value else "no") if isinstance(value, bool) else "" if value is None else value


def _records(comparison: ModelComparison) -> Iterator[dict[str, Any]]:
    for group, name, found_rates, differences in (
        ("", "", comparison.rates, comparison.differences),
        *((each.kind, each.name, each.rates, each.differences) for each in comparison.groups),
    ):
        part = {"group": group, "name": name}
        for rate in found_rates:
            counts = {"answers": rate.decided, "passed": rate.passed, "undecided": rate.undecided}
            yield {"table": "rate", **part, "first": rate.name, **counts, **_figures(rate.estimate)}
            for sign, attempts in (("pass@", rate.pass_at), ("pass^", rate.pass_all)):
                for k, estimate in attempts.items():
                    yield {"table": f"{sign}{k}", **part, "first": rate.name, **_figures(estimate)}
        for pair in differences:
            tested = {"test": pair.test.test, "p": pair.test.p_value, "p_holm": pair.adjusted}
            named = {"first": pair.first, "second": pair.second, "significant": pair.is_significant}
            yield {"table": "difference", **part, **named, **tested, **_figures(pair.estimate)}
    for each in comparison.agreements:
        named = {"name": each.trait, "first": each.judges[0], "second": " and ".join(each.judges[1:])}
        for coefficient in ("kappa", "alpha"):
            yield {"table": coefficient, **named, "answers": each.units, "value": getattr(each, coefficient)}


def _figures(estimate: Estimate) -> dict[str, Any]:
    members = estimate.as_json()
    return {**members, "interval": members.pop("method")}


FORMATS: Mapping[str, Callable[[ModelComparison], str]] = {
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "html": _html,
}
"""How a comparison is written in each format but that for terminals."""
EXTENSIONS = {".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html"}
