"""Counts of what a benchmark holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.mapping.questions import frame

if TYPE_CHECKING:
    from checkpoint_ld.content import BenchmarkContent, QuestionContent

Json = dict[str, Any]

LOOKED_AT = frame(hasPart=None, rating={"additionalType": None}, additionalProperty=None, globalRubric=None)
"""The frame of what is counted in feed items."""


def summary(content: BenchmarkContent) -> Json:
    """Return the name and the dates of a benchmark, with counts; the traits of the global rubric are of all kinds."""
    questions = content.questions
    finished = sum(one.finished for one in questions)
    rubric = content.global_rubric
    return {
        "name": content.name,
        "version": content.version,
        "creator": content.creator or None,
        "created_at": content.created_at or None,
        "modified_at": content.modified_at or None,
        "question_count": len(questions),
        "finished_count": finished,
        "has_template_count": sum(one.has_template for one in questions),
        "has_rubric_count": sum(one.has_rubric for one in questions),
        "progress_percentage": finished / len(questions) * 100 if questions else 0.0,
        "is_complete": bool(questions) and all(one.finished and one.has_source for one in questions),
        "has_global_rubric": rubric is not None,
        "global_rubric_traits": sum(1 for _ in rubric.traits()) if rubric else 0,
    }


def statistics(content: BenchmarkContent) -> Json:
    """Return the summary with the lengths of templates in characters; placeholders do not count.

    `questions_with_custom_metadata` are those that say more about themselves: custom metadata, author or sources.
    """
    lengths = [len(one.members["answer_template"] or "") for one in content.questions if one.has_template]
    return {
        **summary(content),
        "avg_template_length": sum(lengths) // len(lengths) if lengths else 0,
        "min_template_length": min(lengths, default=0),
        "max_template_length": max(lengths, default=0),
        "questions_with_custom_metadata": sum(_says_more(one) for one in content.questions),
    }


def _says_more(one: QuestionContent) -> bool:
    return any(one.members[name] for name in ("custom_metadata", "author", "sources"))
