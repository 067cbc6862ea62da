"""A comparison of models in words and tables: for people in Markdown and HTML, for programs in CSV and JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from checkpoint_ld.notebook import Card, Rows, page
from checkpoint_ld.phrases import counted, encodable
from checkpoint_ld.tables import line, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from checkpoint_ld.assessment.comparing import Comparison, Difference, Rate
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
_MOST = 12
"""The most sentences about pairs."""


def conclusions(found: Comparison) -> list[str]:
    """Return what is significant and what is not, a sentence each."""
    sentences = [_sentence(pair) for pair in found.differences[:_MOST]]
    if len(found.differences) > _MOST:
        significant = sum(pair.is_significant for pair in found.differences)
        sentences.append(f"Of all {len(found.differences)} pairs, {significant} differ significantly.")
    if not found.differences:
        sentences = ["There are no two models with decided answers to the same question, so nothing is tested."]
    grouped = [(group, pair) for group in found.groups for pair in group.differences if pair.is_significant]
    sentences += [f"{group.kind} {group.name}: {_sentence(pair)}" for group, pair in grouped[:_MOST]]
    if found.groups and not grouped:
        sentences.append("No difference within a group is significant.")
    methods = dict.fromkeys(
        each.estimate.method for each in (*found.rates, *found.differences) if each.estimate.method in _METHODS
    )
    ways = "; ".join(_METHODS[method] for method in methods)
    return [*sentences, f"Intervals of 95 %: {ways}. p-values are adjusted for the number of pairs (Holm)."]


def _sentence(pair: Difference) -> str:
    from checkpoint_ld.assessment.statistics import detectable  # noqa: PLC0415 - pages without sentences need it not

    value = pair.estimate.value or 0.0
    first, second = (pair.first, pair.second) if value >= 0 else (pair.second, pair.first)
    about = f"on {counted(pair.estimate.questions, 'common question')}, p = {_p(pair.adjusted)}"
    if pair.is_significant:
        return f"{first} is significantly better than {second}: by {abs(value):.2f} {_ends(pair.estimate)} {about}."
    least = detectable(pair.estimate.standard_error)
    missed = f"; a difference below {least:.2f} would often be missed" if least is not None and least < 1 else ""
    return f"{first} and {second} do not differ significantly: {abs(value):.2f} {_ends(pair.estimate)} {about}{missed}."


def _ends(found: Estimate) -> str:
    low, high = (found.low, found.high) if (found.value or 0.0) >= 0 else (-found.high, -found.low)
    return f"({low:.2f} to {high:.2f})"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def tables(found: Comparison) -> list[Rows]:
    """Return the tables for people, those without rows left out."""
    by_rate, by_pair = _rates(found.rates), _pairs(found.differences)
    made = [Rows("Pass rates", *by_rate), Rows("Differences of all pairs", *by_pair)]
    rows = [
        ((group.kind, group.name, *row), pairs)
        for group in found.groups
        for part, pairs in ((_rates(group.rates)[1], False), (_pairs(group.differences)[1], True))
        for row in part
    ]
    columns = ("by", "group")
    made.append(Rows("Pass rates by group", (*columns, *by_rate[0]), [row for row, is_pair in rows if not is_pair]))
    made.append(Rows("Differences by group", (*columns, *by_pair[0]), [row for row, is_pair in rows if is_pair]))
    agreements = [
        (each.trait, " and ".join(each.judges), each.units, each.equal, _shown(each.kappa), _shown(each.alpha))
        for each in found.agreements
    ]
    names = ("trait", "judges", "answers", "equal", "Cohen's kappa", "Krippendorff's alpha")
    made.append(Rows("Agreement of judges", names, agreements))
    return [each for each in made if each.rows]


def _rates(found: Sequence[Rate]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    attempts = sorted({k for rate in found for k in rate.pass_at})
    names = [name for k in attempts for name in (f"pass@{k}", f"pass^{k}")]
    rows = [
        (
            *(rate.name, rate.estimate.questions, rate.decided, rate.passed, rate.undecided),
            *(_shown(rate.estimate.value), _interval(rate.estimate)),
            *(
                _shown(part[k].value) if k in part else ""
                for k in attempts
                for part in (rate.pass_at, rate.pass_all)
            ),
        )
        for rate in found
    ]
    return ("model", "questions", "answers", "passed", "undecided", "rate", "95 %", *names), rows


def _pairs(found: Sequence[Difference]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    rows = [
        (
            *(pair.first, pair.second, pair.estimate.questions, _shown(pair.estimate.value), _interval(pair.estimate)),
            *(pair.better, pair.same, pair.worse, _p(pair.test.p_value), _p(pair.adjusted)),
            "yes" if pair.is_significant else "no",
        )
        for pair in found
    ]
    names = ("first", "second", "questions", "difference", "95 %", "better", "same", "worse", "p", "p (Holm)")
    return (*names, "significant"), rows


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _interval(found: Estimate) -> str:
    return "" if found.value is None else f"{found.low:.2f} to {found.high:.2f}"


def _json(found: Comparison) -> str:
    return encodable(json.dumps(found.as_json(), ensure_ascii=False, indent=2)) + "\n"


def _markdown(found: Comparison) -> str:
    parts = ["# Comparison", *(f"- {line(sentence)}" for sentence in conclusions(found))]
    for each in tables(found):
        head = [f"| {' | '.join(map(line, each.columns))} |", f"|{'---|' * len(each.columns)}"]
        rows = [f"| {' | '.join(line(str(cell)) for cell in row)} |" for row in each.rows]
        parts += ["", f"## {each.caption}", "", *head, *rows]
    notes = [f"- {each.code} {line(each.message)}" for each in found.findings]
    return encodable("\n".join([*parts, *(["", "## Findings", "", *notes] if notes else []), ""]))


def _html(found: Comparison) -> str:
    notes = Rows("Findings", ("code", "finding"), [(each.code, each.message) for each in found.findings])
    sentences = Rows("", ("In words",), [(sentence,) for sentence in conclusions(found)])
    name = counted(len(found.rates), "model")
    return page("Comparison", Card("Comparison", name, tables=[sentences, *tables(found), notes]))


def _csv(found: Comparison) -> str:
    """Return one table with all figures, unrounded: a row for each rate, difference and coefficient."""
    rows = [[_cell(row.get(name)) for name in _COLUMNS] for row in _records(found)]
    return encodable(table([_COLUMNS, *rows], formulas="escape"))


def _cell(value: Any) -> str | float:
    return ("yes" if value else "no") if isinstance(value, bool) else "" if value is None else value


def _records(found: Comparison) -> Iterator[dict[str, Any]]:
    for group, name, found_rates, differences in (
        ("", "", found.rates, found.differences),
        *((each.kind, each.name, each.rates, each.differences) for each in found.groups),
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
    for each in found.agreements:
        named = {"name": each.trait, "first": each.judges[0], "second": " and ".join(each.judges[1:])}
        for coefficient in ("kappa", "alpha"):
            yield {"table": coefficient, **named, "answers": each.units, "value": getattr(each, coefficient)}


def _figures(found: Estimate) -> dict[str, Any]:
    members = found.as_json()
    return {**members, "interval": members.pop("method")}


FORMATS: Mapping[str, Callable[[Comparison], str]] = {
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "html": _html,
}
"""How a comparison is written in each format but that for terminals."""
EXTENSIONS = {".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html"}
