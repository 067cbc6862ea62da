"""Models compared by recorded answers: rates with intervals, all pairs with a correction, agreement of judges."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from checkpoint_ld.assessment.assessing import OF_VERDICT, Assessment, Status
from checkpoint_ld.assessment.statistics import (
    Estimate,
    Level,
    PairedTest,
    alpha,
    estimate,
    holm,
    kappa,
    paired_test,
    pass_all,
    pass_at,
)
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.notebook import Card, Shown
from checkpoint_ld.phrases import counted
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.assessment.answers import RecordedAnswer
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.findings import Finding

By = Literal["model", "file", "question"]
Table = dict[str, dict[str, Counter[Status]]]
"""The numbers of answers by model, question and status."""
Groups = dict[str, dict[str, set[str]]]
"""The questions of each group, such as a keyword, by the kind of the groups."""

SIGNIFICANT = 0.05
"""A difference is significant if its adjusted p-value is below this."""
KEYWORD = "keyword"
GIVEN_TWICE = "answers-given-twice"
_KS = (1, 2, 3, 5, 10, 20, 50, 100)
_MOST_GROUPS = 20
"""A property with more values than this groups nothing."""
_NO_MODEL, _NO_QUESTION = "(no model)", "(no question)"


class Rate(NamedTuple):
    """The pass rate of a model, or of one question.

    `passed` and `decided` count answers, `undecided` those that the template cannot decide, and errors. `estimate` is
    the mean over questions with its interval. `pass_at` and `pass_all` have, for each number of attempts, the chance
    that one of them passes, and that all do: over the questions that were answered so often.
    """

    name: str
    passed: int
    decided: int
    undecided: int
    estimate: Estimate
    pass_at: Mapping[int, Estimate] = {}
    pass_all: Mapping[int, Estimate] = {}

    def as_json(self) -> dict[str, Any]:
        """Return the rate as a JSON object."""
        attempts = {
            name: {str(k): each.as_json() for k, each in estimates.items()}
            for name, estimates in (("pass@k", self.pass_at), ("pass^k", self.pass_all))
        }
        members = {"model": self.name, "passed": self.passed, "decided": self.decided, "undecided": self.undecided}
        return {**members, "rate": self.estimate.as_json(), **attempts}


class ModelDifference(NamedTuple):
    """How much better the first of two models is than the second, over the questions that both have decided answers to.

    `estimate` is the mean of the differences. `better`, `worse` and `same` count questions by the sign of the
    difference. `adjusted` is the p-value of `test`, corrected for all the pairs of a table (Holm 1979).
    """

    first: str
    second: str
    estimate: Estimate
    better: int
    worse: int
    same: int
    test: PairedTest
    adjusted: float

    @property
    def is_significant(self) -> bool:
        """Whether chance explains the difference badly: `adjusted` is below 0.05."""
        return self.adjusted < SIGNIFICANT

    def as_json(self) -> dict[str, Any]:
        """Return the difference as a JSON object."""
        members = {name: getattr(self, name) for name in ("first", "second", "better", "worse", "same")}
        tested = {"test": self.test.test, "p": self.test.p_value, "p_holm": self.adjusted}
        return {**members, "difference": self.estimate.as_json(), **tested, "significant": self.is_significant}


class QuestionGroup(NamedTuple):
    """The rates and the differences over some questions: those with the keyword, or property, `name`."""

    kind: str
    name: str
    questions: int
    rates: tuple[Rate, ...]
    differences: tuple[ModelDifference, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the group as a JSON object."""
        members = {"kind": self.kind, "name": self.name, "questions": self.questions}
        parts = {name: [each.as_json() for each in getattr(self, name)] for name in ("rates", "differences")}
        return members | parts


class Agreement(NamedTuple):
    """How far judges agree about a trait.

    `judges` are two of them, or all. `units` counts the answers that at least two of them judged, `equal` those of
    which all said the same. Kappa is of two judges alone. Both coefficients are weighted for scores and classes; they
    are None where they have no value, as where all said one thing.
    """

    trait: str
    level: Level
    judges: tuple[str, ...]
    units: int
    equal: int
    kappa: float | None
    alpha: float | None

    def as_json(self) -> dict[str, Any]:
        """Return the agreement as a JSON object."""
        return self._asdict()


@dataclass(frozen=True, slots=True)
class ModelComparison(Shown):
    """Models compared by their answers to the questions of a benchmark.

    `rates` begin with the best model. `differences` has all pairs, `groups` the same for parts of the questions.
    `findings` name answers that were given twice, which count once.
    """

    rates: tuple[Rate, ...]
    differences: tuple[ModelDifference, ...]
    groups: tuple[QuestionGroup, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    findings: tuple[Finding, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        names = ("rates", "differences", "groups", "agreements")
        parts = {name: [each.as_json() for each in getattr(self, name)] for name in names}
        findings = [
            {"code": each.code, "severity": each.severity.label, "message": each.message, "remedy": each.remedy}
            for each in self.findings
        ]
        return {"confidence": 0.95, **parts, "findings": findings}

    def _card(self) -> Card:
        from checkpoint_ld.assessment.comparison_tables import conclusions, tables  # noqa: PLC0415 - it imports this

        name = counted(len(self.rates), "model")
        return Card("Comparison", name, " ".join(conclusions(self)), tables=tables(self))


def compare(
    assessments: Iterable[Assessment],
    *,
    by: Literal["model", "file"] = "model",
    groups: Groups | None = None,
    findings: Iterable[Finding] = (),
) -> ModelComparison:
    """Return the comparison of all models of assessments, or of all files (`by`).

    `groups` are those of `groups_of`. An answer without a model is one of its file. Raises SettingsError where there is
    no decided answer, and without the extra `statistics`.
    """
    if by not in ("model", "file"):
        raise SettingsError(f"there is no comparison by {by!r}: give 'model' or 'file'")
    table: Table = defaultdict(lambda: defaultdict(Counter))
    ratings = _Ratings()
    for assessment in assessments:
        model = name_of(assessment, by)
        table[model][_question(assessment)[0]][assessment.status] += 1
        ratings.add(assessment, model)
    rates, differences = _compared(table)
    if not any(rate.decided for rate in rates):
        raise SettingsError(
            "no answer is decided, so there is nothing to compare: give the checkpoint whose templates decide, or "
            "answers with recorded verdicts"
        )
    return ModelComparison(
        rates, differences, tuple(_grouped(table, groups or {})), ratings.agreements(), tuple(findings)
    )


def rates(assessments: Iterable[Assessment], *, by: By = "model") -> list[Rate]:
    """Return the pass rates by model, file or question, in the order of first appearance.

    `assessments` are those of `checkpoint_ld.assessment.assess`. Answers about questions that the benchmark does not
    have count as undecided. The rate of one question has no interval, because an interval is over questions. Raises
    SettingsError for another `by`.
    """
    if by not in ("model", "file", "question"):
        raise SettingsError(f"there are no rates by {by!r}: give 'model', 'file' or 'question'")
    table: Table = defaultdict(lambda: defaultdict(Counter))
    names: dict[str, str] = {}
    for assessment in assessments:
        question, text = _question(assessment)
        key = question if by == "question" else name_of(assessment, by)
        names[key] = text if by == "question" else key
        table[key][question][assessment.status] += 1
    return [_rate(names[key], questions, is_whole=by != "question") for key, questions in table.items()]


def question_pairs(
    first: Iterable[Assessment], second: Iterable[Assessment]
) -> tuple[list[tuple[str, float, float]], ModelDifference]:
    """Return two runs question by question, and their difference.

    Each question has its text and its two rates; the greatest difference stands first. Raises SettingsError where no
    question was decided in both runs.
    """
    table: Table = {"first": defaultdict(Counter), "second": defaultdict(Counter)}
    texts: dict[str, str] = {}
    for questions, assessments in zip(table.values(), (first, second), strict=True):
        for assessment in assessments:
            key, text = _question(assessment)
            texts[key] = text
            questions[key][assessment.status] += 1
    shares = [_shares(questions) for questions in table.values()]
    pairs = [(texts[key], share, shares[1][key]) for key, share in shares[0].items() if key in shares[1]]
    if not pairs:
        raise SettingsError("no question was decided in both runs: give two runs over one benchmark")
    pairs.sort(key=lambda pair: -abs(pair[2] - pair[1]))
    return pairs, _difference("first", "second", table)


def groups_of(benchmark: Benchmark, names: Sequence[str] = ()) -> Groups:
    """Return the questions of a benchmark by keyword, and by each property of their custom metadata.

    `names` chooses among `keyword` and the names of properties; without it, properties with more than 20 values, or
    with another value for each question, are left out. Raises SettingsError for a name that no question has.
    """
    groups: Groups = defaultdict(lambda: defaultdict(set))
    for question in benchmark.get_all_questions():
        for keyword in question["keywords"] or ():
            groups[KEYWORD][keyword].add(question["id"])
        for name, value in (question["custom_metadata"] or {}).items():
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, str | bool | int | float):
                    groups[name][each if isinstance(each, str) else json.dumps(each)].add(question["id"])
    for name in names:
        if name not in groups:
            known = ", ".join(sorted(groups)) or "none"
            raise SettingsError(f"no question has {name!r} to group by: the questions have {known}")
    return {
        kind: dict(values)
        for kind, values in groups.items()
        if kind in names or (not names and len(values) <= _MOST_GROUPS and any(len(ids) > 1 for ids in values.values()))
    }


def as_recorded(answers: Iterable[RecordedAnswer]) -> Iterator[Assessment]:
    """Yield assessments with the verdicts that were recorded with answers, without a benchmark."""
    for answer in answers:
        passed = None if answer.recorded is None or answer.fault else answer.recorded.passed
        yield Assessment(answer, Status.ERROR if answer.fault else OF_VERDICT[passed], answer.fault)


class Distinct:
    """The answers of several files, each once.

    A record with a replicate or an `answer_id` counts once, wherever it stands again. One without may be a replicate of
    an equal one: it counts as often as it stands in one file, and not again in another. `findings` names the files with
    answers that were given before.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._held: Counter[bytes] = Counter()

    def of(self, answers: Iterable[RecordedAnswer], file: str | None = None) -> Iterator[RecordedAnswer]:
        """Yield the answers of one file that no file gave before."""
        own: Counter[bytes] = Counter()
        repeated, first = 0, None
        for answer in answers:
            key = _digest(answer)
            own[key] += 1
            is_named = answer.replicate is not None or answer.answer_id is not None
            if not answer.fault and (own[key] <= self._held[key] or (is_named and own[key] > 1)):
                repeated, first = repeated + 1, first or answer.place
            else:
                yield answer
        self._held |= own
        if first is not None:
            words = "1 answer was" if repeated == 1 else f"{repeated:,} answers were"
            message = f"{words} given before, with the same content: each counts once"
            self.findings.append(replace(finding(GIVEN_TWICE, message, subject=file or ""), place=first))


def _digest(answer: RecordedAnswer) -> bytes:
    members = {name: getattr(answer, name) for name in answer.__slots__ if name not in {"place", "extra"}}
    text = json.dumps({**members, **answer.extra}, sort_keys=True, default=repr)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _question(assessment: Assessment) -> tuple[str, str]:
    if assessment.question is not None:
        return assessment.question.identifier, assessment.question.text
    name = assessment.answer.question_id or _NO_QUESTION
    return name, assessment.answer.question_text or name


def name_of(assessment: Assessment, by: str = "model") -> str:
    """Return the model of an answer, or its file; an answer without a model is one of its file."""
    answer = assessment.answer
    file = None if answer.place.file is None else Path(os.fspath(answer.place.file)).name
    if by == "file":
        return file or "(no file)"
    return answer.model_name or (Path(file).stem if file else _NO_MODEL)


def _rate(name: str, questions: Mapping[str, Counter[Status]], *, is_whole: bool = True) -> Rate:
    decided = {key: (statuses[Status.PASSED], statuses[Status.FAILED]) for key, statuses in questions.items()}
    counts = [(passed, passed + failed) for passed, failed in decided.values() if passed + failed]
    passed, total = sum(each for each, _ in counts), sum(each for _, each in counts)
    every = sum(statuses.total() for statuses in questions.values())
    if not is_whole:
        value = passed / total if total else None
        return Rate(name, passed, total, every - total, Estimate(value, None, 0.0, 1.0, len(counts), "none"))
    most = max((count for _, count in counts), default=0)
    attempts = [k for k in _KS if 1 < k <= most]
    return Rate(
        name,
        passed,
        total,
        every - total,
        estimate([good / count for good, count in counts]),
        {k: estimate([pass_at(count, good, k) for good, count in counts if count >= k]) for k in attempts},
        {k: estimate([pass_all(count, good, k) for good, count in counts if count >= k]) for k in attempts},
    )


def _compared(table: Table) -> tuple[tuple[Rate, ...], tuple[ModelDifference, ...]]:
    """Return the rates, the best first, and the differences of all pairs, with p-values adjusted for their number."""
    found_rates = [_rate(name, questions) for name, questions in table.items()]
    found_rates.sort(key=lambda rate: -1.0 if rate.estimate.value is None else rate.estimate.value, reverse=True)
    pairs = [_difference(*names, table) for names in combinations([rate.name for rate in found_rates], 2)]
    pairs = [pair for pair in pairs if pair.estimate.questions]
    return tuple(found_rates), tuple(adjusted(pairs))


def adjusted(pairs: Sequence[ModelDifference]) -> list[ModelDifference]:
    """Return differences with p-values that are adjusted for the number of these differences."""
    corrected = holm([pair.test.p_value for pair in pairs])
    return [pair._replace(adjusted=p_value) for pair, p_value in zip(pairs, corrected, strict=True)]


def _shares(questions: Mapping[str, Counter[Status]]) -> dict[str, float]:
    """Return the part of the decided answers to each question that passed."""
    return {
        key: statuses[Status.PASSED] / decided
        for key, statuses in questions.items()
        if (decided := statuses[Status.PASSED] + statuses[Status.FAILED])
    }


def _difference(first: str, second: str, table: Table) -> ModelDifference:
    shares = [_shares(table[name]) for name in (first, second)]
    values = [share - shares[1][key] for key, share in shares[0].items() if key in shares[1]]
    better, worse = sum(value > 0 for value in values), sum(value < 0 for value in values)
    test = paired_test(values)
    mean = estimate(values, least=-1.0)
    return ModelDifference(first, second, mean, better, worse, len(values) - better - worse, test, test.p_value)


def _grouped(table: Table, groups: Groups) -> Iterator[QuestionGroup]:
    """Yield the groups; the p-values of all pairs in all groups of one kind are adjusted together."""
    for kind, named in groups.items():
        parts = []
        for name, identifiers in named.items():
            own = {
                model: {key: statuses for key, statuses in questions.items() if key in identifiers}
                for model, questions in table.items()
            }
            own = {model: questions for model, questions in own.items() if questions}
            if own:
                parts.append((name, len({key for questions in own.values() for key in questions}), *_compared(own)))
        every = iter(adjusted([pair for part in parts for pair in part[3]]))
        for name, count, rates_of, differences in parts:
            yield QuestionGroup(kind, name, count, rates_of, tuple(next(every) for _ in differences))


class _Ratings:
    """The values that named judges gave, by trait and by the answer that they are about."""

    def __init__(self) -> None:
        self._held: dict[str, dict[tuple[Any, ...], dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
        self._plain: dict[str, bool] = defaultdict(lambda: True)
        """Whether all values of a trait are truth values."""

    def add(self, assessment: Assessment, model: str) -> None:
        answer = assessment.answer
        values: list[tuple[str, Any, str | None]] = [
            (result.name, result.value, result.judge) for result in assessment.traits
        ]
        if assessment.question is None and answer.recorded is not None:
            values += [(trait.name, trait.value, trait.judge) for trait in answer.recorded.traits]
        which = answer.trace if answer.replicate is None else json.dumps(answer.replicate)
        for name, value, judge in values:
            if judge is not None and isinstance(value, bool | int | float):
                self._plain[name] &= isinstance(value, bool)
                self._held[name][_question(assessment)[0], model, which][judge] = float(value)

    def agreements(self) -> tuple[Agreement, ...]:
        agreements = []
        for trait, units in self._held.items():
            judges = tuple(dict.fromkeys(judge for unit in units.values() for judge in unit))
            level: Level = "nominal" if self._plain[trait] else "ordinal"
            agreements += [_agreement(trait, level, pair, units.values()) for pair in combinations(judges, 2)]
            if len(judges) > 2:
                agreements.append(_agreement(trait, level, judges, units.values()))
        return tuple(each for each in agreements if each.units)


def _agreement(trait: str, level: Level, judges: tuple[str, ...], units: Iterable[Mapping[str, float]]) -> Agreement:
    rated = [[unit[judge] for judge in judges if judge in unit] for unit in units]
    rated = [values for values in rated if len(values) > 1]
    equal = sum(len(set(values)) == 1 for values in rated)
    weighted = kappa(((first, second) for first, second in rated), level) if len(judges) == 2 else None
    return Agreement(trait, level, judges, len(rated), equal, weighted, alpha(rated, level))
