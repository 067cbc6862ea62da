"""Whether a benchmark can be put to use, what is missing, and how well it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.mapping.questions import frame, named
from checkpoint_ld.overview.summary import statistics

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from checkpoint_ld.content import BenchmarkContent

    Errors: TypeAlias = Sequence[dict[str, str]]

Json = dict[str, Any]

LOOKED_AT = frame(hasPart=None, additionalProperty=named("finished"))
"""The frame of what `readiness` looks at in feed items."""
_STATUS = ((90, "excellent"), (75, "good"), (50, "fair"), (25, "poor"), (0, "critical"))
_FEW = 5


def readiness(content: BenchmarkContent, template_errors: Errors, rubric_errors: Errors) -> Json:
    """Return whether a benchmark is ready for verification, with what is missing.

    The errors are those that the validation of templates and of rubrics found. Questions are named by identifier,
    counts are whole numbers.
    """
    missing = [one.id for one in content.questions if not one.has_template]
    unfinished = [one.id for one in content.questions if not one.finished]
    told = {
        "has_questions": bool(content.questions),
        "all_have_templates": not missing,
        "all_finished": not unfinished,
        "templates_valid": not template_errors,
        "rubrics_valid": not rubric_errors,
    }
    return {
        "ready_for_verification": all(told.values()),
        **told,
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
    told = statistics(content)
    return {
        "name": told["name"],
        "progress_percentage": told["progress_percentage"],
        "questions_total": told["question_count"],
        "questions_finished": told["finished_count"],
        "questions_with_templates": told["has_template_count"],
        "is_ready_for_verification": ready["ready_for_verification"],
        "last_modified": told["modified_at"],
    }


def health(content: BenchmarkContent, ready: Json, timestamp: str) -> Json:
    """Return a score from 0 to 100 with its word, what it is made of, and what to do next.

    20 points for questions, up to 30 for those that are finished, 25 for valid templates, 15 for valid rubrics, and 10
    when all questions are finished. A benchmark without questions has 0.
    """
    told = statistics(content)
    score = 0
    if ready["has_questions"]:
        score = 20 + int(0.30 * told["progress_percentage"])
        score += 25 * ready["templates_valid"] + 15 * ready["rubrics_valid"] + 10 * ready["all_finished"]
    return {
        "health_score": score,
        "health_status": next(word for least, word in _STATUS if score >= least),
        "timestamp": timestamp,
        "readiness": ready,
        "statistics": told,
        "recommendations": _recommendations(ready, told),
    }


def _recommendations(ready: Json, told: Json) -> list[str]:
    missing, unfinished = ready["missing_templates_count"], ready["unfinished_count"]
    due = (
        (not ready["has_questions"], "Add questions"),
        (missing, f"Add templates to {_questions(missing)}"),
        (unfinished, f"Mark {_questions(unfinished)} as finished"),
        (not ready["templates_valid"], "Correct the templates that are not valid"),
        (not ready["rubrics_valid"], "Correct the rubrics that are not valid"),
        (told["question_count"] < _FEW, f"Add questions until there are at least {_FEW}"),
        (not told["has_global_rubric"], "Add a global rubric"),
    )
    return [advice for applies, advice in due if applies]


def _questions(count: int) -> str:
    return "1 question" if count == 1 else f"{count} questions"
