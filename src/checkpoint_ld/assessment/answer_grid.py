"""Questions by models by replicates: what each model got for each question, in one view."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from checkpoint_ld.assessment.assessing import Status
from checkpoint_ld.assessment.comparing import name_of
from checkpoint_ld.errors import LookupFailedError, SettingsError
from checkpoint_ld.notebook import Card, Rows, Shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from checkpoint_ld.assessment.assessing import Assessment

Only = Literal["failed", "disagreeing", "undecided"]
ONLY = ("failed", "disagreeing", "undecided")
"""The filters: an answer failed, answers differ, an answer is undecided or an error."""
SIGNS = {Status.PASSED: "✓", Status.FAILED: "✗", Status.UNDECIDED: "?", Status.ERROR: "!"}


class GridRow(NamedTuple):
    """A question, with its answers by model in the order of their replicates."""

    question: str
    text: str
    answers: Mapping[str, tuple[Assessment, ...]]

    def signs(self, model: str) -> str:
        """Return a sign for each answer of a model: passed ✓, failed ✗, undecided ?, error !."""
        return "".join(SIGNS[each.status] for each in self.answers.get(model, ()))

    @property
    def rate(self) -> float | None:
        """The part of the decided answers that passed, None where none is decided."""
        signs = "".join(map(self.signs, self.answers))
        decided = signs.count("✓") + signs.count("✗")
        return signs.count("✓") / decided if decided else None

    def matches(self, only: str) -> bool:
        """Return whether one of the filters `ONLY` lets the question through."""
        signs = "".join(map(self.signs, self.answers))
        if only == "failed":
            return "✗" in signs
        return "✗" in signs and "✓" in signs if only == "disagreeing" else "?" in signs or "!" in signs


@dataclass(frozen=True)
class AnswerGrid(Shown):
    """All answers by question and model; a notebook shows it as a table.

    `only` and `ordered` give a part of it, and another order. `grid["urn:…"]` shows the answers to one question side by
    side.
    """

    models: tuple[str, ...]
    rows: tuple[GridRow, ...]

    def only(self, which: Only) -> AnswerGrid:
        """Return the questions with a failed, a disagreeing, or an undecided answer. Raises SettingsError."""
        if which not in ONLY:
            raise SettingsError(f"there is no filter {which!r}: give one of {', '.join(ONLY)}")
        return replace(self, rows=tuple(row for row in self.rows if row.matches(which)))

    def ordered(self) -> AnswerGrid:
        """Return the questions by their rates, the worst first; those without a decided answer come last."""
        return replace(self, rows=tuple(sorted(self.rows, key=lambda row: 2.0 if row.rate is None else row.rate)))

    def __getitem__(self, question: str) -> SideBySide:
        chosen = next((row for row in self.rows if row.question == question), None)
        if chosen is None:
            raise LookupFailedError(f"no answer is about a question {question!r}")
        return SideBySide(self.models, chosen)

    def _card(self) -> Card:
        rows = ((row.text, _shown(row.rate), *(_cell(row.signs(model)) for model in self.models)) for row in self.rows)
        table = Rows("", ("question", "rate", *self.models), rows, len(self.rows))
        return Card(
            "AnswerGrid", f"{len(self.rows)} questions", "✓ passed ✗ failed ? undecided ! error", tables=[table]
        )


@dataclass(frozen=True)
class SideBySide(Shown):
    """The answers to one question, the models side by side."""

    models: tuple[str, ...]
    row: GridRow

    def _card(self) -> Card:
        most = max(map(len, self.row.answers.values()), default=0)
        answers = [[*self.row.answers.get(model, ())] for model in self.models]
        rows = (
            (number + 1, *(_described(given[number]) if number < len(given) else "" for given in answers))
            for number in range(most)
        )
        return Card("SideBySide", self.row.text, tables=[Rows("", ("replicate", *self.models), rows, most)])


def answer_grid(assessments: Iterable[Assessment]) -> AnswerGrid:
    """Return assessments by question and model, questions and models in the order of their appearance.

    Answers about no known question are left out.
    """
    by_question: dict[str, dict[str, list[Assessment]]] = defaultdict(lambda: defaultdict(list))
    texts: dict[str, str] = {}
    models: dict[str, None] = {}
    for assessment in assessments:
        if assessment.question is not None:
            model = name_of(assessment)
            models[model] = None
            texts[assessment.question.identifier] = assessment.question.text
            by_question[assessment.question.identifier][model].append(assessment)
    rows = (
        GridRow(question, texts[question], {model: tuple(sorted(each, key=_place)) for model, each in answers.items()})
        for question, answers in by_question.items()
    )
    return AnswerGrid(tuple(models), tuple(rows))


def _place(assessment: Assessment) -> float:
    replicate = assessment.answer.replicate
    return float(replicate) if isinstance(replicate, int | float) and not isinstance(replicate, bool) else 0.0


def _cell(signs: str) -> str:
    decided = signs.count("✓") + signs.count("✗")
    return f"{signs.count('✓')}/{decided} {signs}" if signs else ""


def _shown(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.2f}"


def _described(assessment: Assessment) -> str:
    """Return the verdict on an answer, what each field got, and the response."""
    fields = () if assessment.result is None else assessment.result.fields
    lines = [f"{SIGNS[assessment.status]} {assessment.status.value}"]
    for field in fields:
        sign = {True: "✓", False: "✗", None: "?"}[field.passed]
        expected = f", expected {field.expected}" if field.passed is False else ""
        lines.append(f"{sign} {field.name}: {field.value}{expected}")
    return "\n".join([*lines, *([assessment.answer.trace] if assessment.answer.trace else [])])
