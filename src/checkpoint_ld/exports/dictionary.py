"""A benchmark as one JSON value of plain objects, for programs that know nothing of linked data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.overview.summary import summary

if TYPE_CHECKING:
    from checkpoint_ld.content import BenchmarkContent, QuestionContent
    from checkpoint_ld.entities import DynamicRubric, Rubric

Json = dict[str, Any]


def dictionary(content: BenchmarkContent) -> Json:
    """Return metadata, statistics, questions and global rubrics; rubrics are objects with five lists of traits.

    All of it is JSON. Keys of services in the settings of agentic traits are masked.
    """
    return {
        "metadata": {
            "name": content.name,
            "description": content.description,
            "version": content.version,
            "creator": content.creator or None,
            "created_at": content.created_at or None,
            "modified_at": content.modified_at or None,
        },
        "statistics": summary(content),
        "questions": [_question(one) for one in content.questions],
        "global_rubric": _dumped(content.global_rubric),
        "global_dynamic_rubric": _dumped(content.global_dynamic_rubric),
    }


def _question(one: QuestionContent) -> Json:
    rubrics = {"question_rubric": _dumped(one.rubric), "question_dynamic_rubric": _dumped(one.dynamic_rubric)}
    members = {name: value for name, value in one.members.items() if name not in rubrics}
    return {"id": one.id, **members, **rubrics, "finished": one.finished}


def _dumped(rubric: Rubric | DynamicRubric | None) -> Json | None:
    return None if rubric is None else rubric.model_dump(mode="json")
