"""How much there is in a benchmark, how far the work on it is, and the verdict on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from checkpoint_ld.dialects import reading
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.store import copied
from checkpoint_ld.mapping.questions import TEXT, TYPE, frame, has_source, named
from checkpoint_ld.mapping.traits import PROPERTY
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.phrases import counted
from checkpoint_ld.validation.results import Checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checkpoint_ld.benchmark.content import BenchmarkContent
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.validation.results import Report

Json = dict[str, Any]
Errors: TypeAlias = "Sequence[dict[str, str]]"

SUMMARY_FRAME = frame(hasPart=TEXT, rating=TYPE, additionalProperty=PROPERTY, globalRubric=None)
"""The frame of what is counted in feed items."""
READINESS_FRAME = frame(hasPart=TEXT, additionalProperty=named("finished"))
"""The frame of what `readiness` takes from feed items."""
_STATUS = ((90, "excellent"), (75, "good"), (50, "fair"), (25, "poor"), (0, "critical"))
_FEW = 5


def summary(content: BenchmarkContent) -> Json:
    """Return name, makers and dates of a benchmark, with counts; the traits of the global rubric are of all kinds."""
    questions = content.questions
    finished = sum(one.finished for one in questions)
    rubric, _ = content.rubrics
    return {
        **{name: value for name, value in content.metadata.items() if name != "description"},
        "question_count": len(questions),
        "finished_count": finished,
        "has_template_count": sum(one.has_template for one in questions),
        "has_rubric_count": sum(one.has_rubric for one in questions),
        "progress_percentage": finished / len(questions) * 100 if questions else 0.0,
        "is_complete": bool(questions) and all(one.finished and has_source(one.item) for one in questions),
        "has_global_rubric": rubric is not None,
        "global_rubric_traits": sum(1 for _ in rubric.traits()) if rubric else 0,
    }


def statistics(content: BenchmarkContent) -> Json:
    """Return the summary with the lengths of templates in characters; placeholders do not count.

    `questions_with_custom_metadata` are those that say more about themselves: custom metadata, author or sources.
    """
    lengths = [len(one.members["answer_template"] or "") for one in content.questions if one.has_template]
    more = ("custom_metadata", "author", "sources")
    return {
        **summary(content),
        "avg_template_length": sum(lengths) // len(lengths) if lengths else 0,
        "min_template_length": min(lengths, default=0),
        "max_template_length": max(lengths, default=0),
        "questions_with_custom_metadata": sum(any(one.members[name] for name in more) for one in content.questions),
    }


def readiness(content: BenchmarkContent, template_errors: Errors, rubric_errors: Errors) -> Json:
    """Return whether a benchmark is ready for verification, with what is missing.

    The errors are those that the validation of templates and of rubrics found. Questions are named by identifier,
    counts are whole numbers.
    """
    missing = [one.id for one in content.questions if not one.has_template]
    unfinished = [one.id for one in content.questions if not one.finished]
    conditions = {
        "has_questions": bool(content.questions),
        "all_have_templates": not missing,
        "all_finished": not unfinished,
        "templates_valid": not template_errors,
        "rubrics_valid": not rubric_errors,
    }
    return {
        "ready_for_verification": all(conditions.values()),
        **conditions,
        "missing_templates_count": len(missing),
        "unfinished_count": len(unfinished),
        "template_errors_count": len(template_errors),
        "rubric_errors_count": len(rubric_errors),
        "missing_templates": missing,
        "unfinished_questions": unfinished,
        "template_errors": list(template_errors),
        "rubric_errors": list(rubric_errors),
    }


def progress(content: BenchmarkContent, ready: Json) -> Json:
    """Return how far the work is; `ready` is the readiness of the benchmark."""
    counts = summary(content)
    return {
        "name": counts["name"],
        "progress_percentage": counts["progress_percentage"],
        "questions_total": counts["question_count"],
        "questions_finished": counts["finished_count"],
        "questions_with_templates": counts["has_template_count"],
        "is_ready_for_verification": ready["ready_for_verification"],
        "last_modified": counts["modified_at"],
    }


def health(content: BenchmarkContent, ready: Json, timestamp: str) -> Json:
    """Return a score from 0 to 100 with its word, what it is made of, and what to do next.

    20 points for questions, up to 30 for those that are finished, 25 for valid templates, 15 for valid rubrics, and 10
    when all questions are finished. A benchmark without questions has 0.
    """
    counts = statistics(content)
    score = 0
    if ready["has_questions"]:
        score = 20 + int(0.30 * counts["progress_percentage"])
        score += 25 * ready["templates_valid"] + 15 * ready["rubrics_valid"] + 10 * ready["all_finished"]
    missing, unfinished = ready["missing_templates_count"], ready["unfinished_count"]
    due = (
        (not ready["has_questions"], "Add questions"),
        (missing, f"Add templates to {counted(missing, 'question')}"),
        (unfinished, f"Mark {counted(unfinished, 'question')} as finished"),
        (not ready["templates_valid"], "Correct the templates that are not valid"),
        (not ready["rubrics_valid"], "Correct the rubrics that are not valid"),
        (counts["question_count"] < _FEW, f"Add questions until there are at least {_FEW}"),
        (not counts["has_global_rubric"], "Add a global rubric"),
    )
    return {
        "health_score": score,
        "health_status": next(word for least, word in _STATUS if score >= least),
        "timestamp": timestamp,
        "readiness": ready,
        "statistics": counts,
        "recommendations": [advice for applies, advice in due if applies],
    }


@dataclass(frozen=True, repr=False)
class Verdict(Shown):
    """Whether a benchmark is valid.

    `report` holds all findings about its structure, `template_errors` the questions (`question_id`) whose templates
    are none, each with its `error`. A verdict unpacks as `(ok, message)` and is true if the benchmark is valid.
    """

    report: Report
    template_errors: tuple[dict[str, str], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is no violation, and every template can be read."""
        return self.report.conforms and not self.template_errors

    @property
    def message(self) -> str:
        """What is wrong, one fault to a line; `the benchmark is valid` where nothing is."""
        faults = [str(found) for found in self.report.findings if found.severity.name == "VIOLATION"]
        faults += [f"{one['question_id']}: {one['error']}" for one in self.template_errors]
        return "\n".join(faults) or "the benchmark is valid"

    def __repr__(self) -> str:
        return f"<Verdict: {self._name()}, {len(self.template_errors)} template errors, {self.report!r}>"

    def _name(self) -> str:
        return "valid" if self.ok else "not valid"

    def _card(self) -> Card:
        errors = [(one["question_id"], one["error"]) for one in self.template_errors]
        templates = Rows("Templates that cannot be read", ("question", "error"), errors)
        return Card("Verdict", self._name(), "", {}, [templates, self.report.table()])

    def __bool__(self) -> bool:
        return self.ok

    def __iter__(self) -> Iterator[bool | str]:
        yield self.ok
        yield self.message


def verdict_on(graph: CheckpointGraph, template_errors: Errors, profile: str) -> Verdict:
    """Hold a graph against the rules of `profile`. Raises SettingsError for a profile that does not exist.

    What cannot be read as a checkpoint any more is a finding.
    """
    from checkpoint_ld.validation import profiles, validator  # noqa: PLC0415 - SHACL takes its time to import

    chosen = profiles.profile(profile)
    try:
        checked = validator.check_reading(reading.of_statements(copied(graph.held)), chosen)
    except ReadError as error:
        checked = Checked(None, error.findings)
    return Verdict(validator.report_of([checked], chosen), tuple(template_errors))
