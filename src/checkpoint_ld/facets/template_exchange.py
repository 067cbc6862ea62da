"""Templates in a file of their own, and templates with all that is needed to judge answers by them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import read_bytes, replace_file
from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.entities import Question

_PREVIEW = 100


@dataclass(frozen=True, slots=True)
class FinishedTemplate:
    """The template of a finished question, with what is needed to judge answers by it.

    `template_code` is text, which nothing here runs; `last_modified` an ISO 8601 text; the rubrics are as
    `Rubric.model_dump(mode="json")` gives them, traits of all five kinds included. `question_preview` has the first
    100 characters of the text.
    """

    question_id: str
    question_text: str
    question_preview: str
    raw_answer: str
    template_code: str
    last_modified: str
    finished: bool
    question_rubric: dict[str, Any] | None
    question_dynamic_rubric: dict[str, Any] | None
    keywords: list[str]
    few_shot_examples: list[dict[str, str]] | None
    workspace_path: str | None


def finished_template(question_id: str, question: Question, source: str) -> FinishedTemplate:
    """Return the template of a finished question."""
    text = question.question
    return FinishedTemplate(
        question_id=question_id,
        question_text=text,
        question_preview=text if len(text) <= _PREVIEW else f"{text[:_PREVIEW]}...",
        raw_answer=question.raw_answer,
        template_code=source,
        last_modified=question.date_modified,
        finished=True,
        question_rubric=question.question_rubric,
        question_dynamic_rubric=question.question_dynamic_rubric,
        keywords=question.keywords,
        few_shot_examples=question.few_shot_examples,
        workspace_path=question.workspace_path,
    )


def write_templates(path: str | os.PathLike[str], sources: Mapping[str, str]) -> None:
    """Write a JSON object of sources by question identifier, all of it or nothing. Raises WriteError."""
    replace_file(path, dump_json(dict(sources)))


def read_templates(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read a JSON object of sources by question identifier.

    Raises SourceMissingError, and ReadError for what is no such object.
    """
    data, name = read_bytes(os.fspath(path))
    value = read_json(data, name).value
    if not isinstance(value, dict):
        raise ReadError(f"{name}: not a JSON object; write one with identifiers of questions and their templates")
    for question_id, source in value.items():
        if not isinstance(source, str):
            raise ReadError(f"{name}: the template of {question_id!r} is no text; write its source")
    return value
