"""Tallies: assessments counted by question, by model and by trait, while they go by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checkpoint_ld.assessment.assessment import Status, TraitStatus

if TYPE_CHECKING:
    from checkpoint_ld.assessment.assessment import Assessment, TraitResult
    from checkpoint_ld.assessment.recorded_answer import Json


@dataclass
class Count:
    """How many answers had which status, and their mean granular score."""

    name: str
    text: str = ""
    by_status: Counter[Status] = field(default_factory=Counter)
    scored: int = 0
    _sum: float = 0.0

    @property
    def answers(self) -> int:
        """How many answers were counted."""
        return self.by_status.total()

    @property
    def mean_score(self) -> float | None:
        """The mean of the granular scores from 0 to 1, None where no answer has one."""
        return self._sum / self.scored if self.scored else None

    def add(self, assessment: Assessment) -> None:
        """Count an assessment."""
        self.by_status[assessment.status] += 1
        if assessment.score is not None:
            self.scored += 1
            self._sum += assessment.score

    def as_json(self) -> dict[str, Json]:
        """Return the counts, all of them, also those that are 0."""
        counts = {status.value: self.by_status[status] for status in Status}
        return {"answers": self.answers, **counts, "mean_score": self.mean_score}


@dataclass
class TraitCount:
    """How often a trait had which status, and the mean of its values."""

    name: str
    kind: str
    by_status: Counter[TraitStatus] = field(default_factory=Counter)
    _sum: float = 0.0

    @property
    def mean_value(self) -> float | None:
        """The mean of what was evaluated, in which true is 1 and false is 0; None where nothing was."""
        evaluated = self.by_status[TraitStatus.EVALUATED]
        return self._sum / evaluated if evaluated else None

    def add(self, result: TraitResult) -> None:
        """Count the result of the trait for one answer."""
        self.by_status[result.status] += 1
        self._sum += result.value or 0

    def as_json(self) -> dict[str, Json]:
        """Return the counts, all of them, also those that are 0."""
        counts = {status.value: self.by_status[status] for status in TraitStatus}
        return {"name": self.name, "kind": self.kind, **counts, "mean_value": self.mean_value}


class Tally:
    """Counts of assessments: of all (`total`), and by question, model and trait in the order of their appearance.

    It takes no more room than there are questions, models and traits. Answers to no known question are counted in
    `total` and for their model only.
    """

    def __init__(self) -> None:
        self.total = Count("total")
        self.questions: dict[str, Count] = {}
        self.models: dict[str, Count] = {}
        self.traits: dict[tuple[str, str], TraitCount] = {}

    def add(self, assessment: Assessment) -> None:
        """Count an assessment."""
        self.total.add(assessment)
        question, model = assessment.question, assessment.answer.model_name
        if question is not None:
            self.questions.setdefault(question.identifier, Count(question.identifier, question.text)).add(assessment)
        if model is not None:
            self.models.setdefault(model, Count(model)).add(assessment)
        for result in assessment.traits:
            self.traits.setdefault((result.name, result.kind), TraitCount(result.name, result.kind)).add(result)

    def at_least(self, status: Status) -> int:
        """Return how many answers have this status or one that is a more serious obstacle."""
        serious = list(Status)[list(Status).index(status) :]
        return sum(self.total.by_status[one] for one in serious)

    def as_json(self) -> dict[str, Json]:
        """Return all counts as a JSON object."""
        return {
            "total": self.total.as_json(),
            "questions": [{"question": one.name, "text": one.text, **one.as_json()} for one in self.questions.values()],
            "models": [{"model": one.name, **one.as_json()} for one in self.models.values()],
            "traits": [one.as_json() for one in self.traits.values()],
        }
