"""Assessments: what came out when a recorded answer was held against its question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checkpoint_ld.assessment.questions import AskedQuestion
    from checkpoint_ld.assessment.recorded_answer import Json, RecordedAnswer
    from checkpoint_ld.entities.rubric import Provenance
    from checkpoint_ld.templates.verdicts import VerificationResult


class Status(StrEnum):
    """What became of an answer; each is a more serious obstacle than the one before it."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    """The template cannot decide, such as one that has code of its own."""
    ERROR = "error"
    """The answer was not held against anything: no such question, no usable record, code that failed."""


class TraitStatus(StrEnum):
    """What became of a trait."""

    EVALUATED = "evaluated"
    NOT_RUN = "not_run"
    """There is no trace, or code that nobody trusted."""
    NEEDS_JUDGE = "needs_judge"
    """Only a language model can tell."""
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class TraitResult:
    """What one trait of the rubric says about an answer.

    `kind` is llm, regex, callable, metric or agentic. `value` is a truth value, a score or the index of a class, None
    unless the trait was evaluated. `node` is the IRI of the trait in the checkpoint's graph.
    """

    name: str
    kind: str
    scope: Provenance
    status: TraitStatus
    value: bool | float | None = None
    reason: str = ""
    node: str | None = None

    def as_json(self) -> dict[str, Json]:
        """Return the members that the trait has in a line of results."""
        return {
            "name": self.name,
            "kind": self.kind,
            "scope": self.scope,
            "status": self.status.value,
            "value": self.value,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Assessment:
    """What came out for one recorded answer.

    `question` is None where there is no such question, `result` where the template was not applied. Traits stand
    beside the verdict: none of them changes `status`.
    """

    answer: RecordedAnswer
    status: Status
    reason: str = ""
    question: AskedQuestion | None = None
    result: VerificationResult | None = None
    traits: tuple[TraitResult, ...] = ()

    @property
    def score(self) -> float | None:
        """The granular score from 0 to 1, honouring the whole strategy; None where there is none."""
        return None if self.result is None else self.result.granular_score

    def as_json(self) -> dict[str, Json]:
        """Return the line of results: what names the answer, then what came out."""
        answer = self.answer
        named = {
            "answer_id": answer.answer_id,
            "model": answer.model,
            "replicate": answer.replicate,
            "date": answer.date,
        }
        return {
            "file": answer.place.file,
            "line": answer.place.line,
            "question_id": answer.question_id,
            "question": None if self.question is None else self.question.identifier,
            **{key: value for key, value in named.items() if value is not None},
            "status": self.status.value,
            "reason": self.reason,
            "score": self.score,
            "verification": None if self.result is None else self.result.as_json(),
            "traits": [trait.as_json() for trait in self.traits],
            "extra": dict(answer.extra),
        }
