"""Answer templates that are given, read from a file of their own, or handed on with all that judging needs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark.editing import source_given
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import read_bytes
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import ReadError, WriteError

if TYPE_CHECKING:
    from checkpoint_ld.entities import Question, TemplateSpec

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


def usable(given: str | TemplateSpec | type) -> str:
    """Return the source of a template that is given. Raises WriteError, with all faults, for an unusable one."""
    source = source_given(given)
    refuse_unusable(source, "the template")
    return source


def refuse_unusable(source: str, name: str) -> None:
    """Raise WriteError for a source that is no template; `name` stands for it in the message."""
    found = faults(source)
    if found:
        raise WriteError(f"{name} cannot be used: {'; '.join(found)}")
    dump_json(source)


def faults(source: str) -> tuple[str, ...]:
    """Return what keeps a source from being used as a template, each with the line and what to do."""
    from checkpoint_ld.templates import reading  # noqa: PLC0415 - not needed to load a benchmark

    return reading.faults(source)
