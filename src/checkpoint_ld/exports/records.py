"""A benchmark as flat records: of questions, of verified fields, of traits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.mapping.traits import family_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.content import BenchmarkContent, QuestionContent
    from checkpoint_ld.entities import AnyTrait
    from checkpoint_ld.templates import TemplateField

Record = dict[str, Any]
"""A row by the names of its columns; every record of one table has the same columns."""

CUSTOM = "custom."
"""What the columns of custom metadata begin with."""


def records_of(content: BenchmarkContent, table: str) -> list[Record]:
    """Return the records of a table: `questions`, `fields` or `traits`. Raises SettingsError for another one."""
    tables = {"questions": question_records, "fields": field_records, "traits": trait_records}
    if table not in tables:
        raise SettingsError(f"there is no table {table!r}: choose from {', '.join(tables)}")
    return tables[table](content)


def question_records(content: BenchmarkContent) -> list[Record]:
    """Return a record for each question.

    Texts, truth values and counts; `keywords` is a list. Each key of custom metadata is a column `custom.KEY`, None
    where a question has none; a list or object in it is JSON text.
    """
    keys = custom_keys(content)
    return [_question_record(one, keys) for one in content.questions]


def custom_keys(content: BenchmarkContent) -> list[str]:
    """Return the keys of all custom metadata, in the order in which they first occur."""
    return list(dict.fromkeys(key for one in content.questions for key in one.members["custom_metadata"] or ()))


def _question_record(one: QuestionContent, keys: list[str]) -> Record:
    asked, custom = one.members, one.members["custom_metadata"] or {}
    return {
        "question_id": one.id,
        "question": asked["question"],
        "raw_answer": asked["raw_answer"],
        "has_template": one.has_template,
        "finished": one.finished,
        "author": one.author,
        "created": asked["date_created"],
        "modified": asked["date_modified"],
        "keywords": asked["keywords"],
        "has_rubric": one.has_rubric,
        "template_mode": one.template.level.value,
        "verified_field_count": len(one.template.fields),
        **{f"{CUSTOM}{key}": flat(custom.get(key)) for key in keys},
    }


def field_records(content: BenchmarkContent) -> list[Record]:
    """Return a record for each field of a template that says how it is verified.

    `ground_truth` is a plain value or JSON text, `parameters` JSON text; `literal_values` is a list or None.
    """
    return [
        {"question_id": one.id, "question": one.members["question"], **_field_record(field)}
        for one in content.questions
        for field in one.template.fields
    ]


def _field_record(field: TemplateField) -> Record:
    return {
        "field_name": field.name,
        "field_type": field.type,
        "description": field.description,
        "extraction_hint": field.extraction_hint,
        "ground_truth": flat(field.ground_truth),
        "literal_values": None if field.literal_values is None else list(field.literal_values),
        "primitive": field.primitive,
        "parameters": flat(dict(field.parameters)),
        "weight": field.weight,
        "is_trace": field.is_trace,
    }


def trait_records(content: BenchmarkContent) -> list[Record]:
    """Return a record for each trait, those of the whole benchmark first; these have no `question_id`.

    `type` is llm, regex, callable, metric or agentic; `kind` boolean, score, literal, template or metric.
    """
    return [
        {
            "scope": "global" if question_id is None else "question",
            "question_id": question_id,
            "type": family_of(trait),
            "dynamic": dynamic,
            "name": trait.name,
            "kind": kind_of(trait),
            "min": getattr(trait, "min_score", None),
            "max": getattr(trait, "max_score", None),
            "higher_is_better": trait.higher_is_better,
            "description": trait.description,
        }
        for question_id, dynamic, trait in _traits(content)
    ]


def _traits(content: BenchmarkContent) -> Iterator[tuple[str | None, bool, AnyTrait]]:
    scopes: list[tuple[str | None, Any, Any]] = [(None, content.global_rubric, content.global_dynamic_rubric)]
    scopes += [(one.id, one.rubric, one.dynamic_rubric) for one in content.questions]
    for question_id, static, dynamic in scopes:
        for is_dynamic, rubric in ((False, static), (True, dynamic)):
            if rubric is not None:
                yield from ((question_id, is_dynamic, trait) for trait in rubric.traits())


def kind_of(trait: AnyTrait) -> str:
    """Return what kind of result a trait gives: boolean, score, literal, template, or metric for its metrics."""
    family = family_of(trait)
    kind = getattr(trait, "kind", "metric" if family == "metric" else "boolean")
    return kind if isinstance(kind, str) else "template"


def flat(value: Any) -> Any:
    """Return a value that fits into one cell: a list or an object as JSON text, anything else as it is."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value
