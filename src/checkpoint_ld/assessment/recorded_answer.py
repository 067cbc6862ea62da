"""Recorded answers: what a model once said to a question, and what a judge made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from checkpoint_ld.documents.values import shown
from checkpoint_ld.findings import Place

Json = Any
"""A value of a JSON text."""

_KNOWN = ("question_id", "answer", "trace", "context", "answer_id", "model", "replicate", "date")
_TEXTS = ("question_id", "trace", "date")
_OBJECTS = ("answer", "context")


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One recorded answer.

    `question_id` names the question. `values` are the values of the template's fields; `trace` is the raw response
    that they were taken from, None if it was not kept. `context` chooses the case of conditional ground truths.
    `answer_id`, `model`, `replicate` and `date` are whatever the record says, None for what it does not say; `extra`
    holds all other members. `place` is where the record stands.

    `fault` says why a record cannot be used: it is empty for one that can.
    """

    question_id: str | None
    values: Mapping[str, Json] = field(default_factory=dict)
    trace: str | None = None
    context: Mapping[str, Json] | None = None
    answer_id: Json = None
    model: Json = None
    replicate: Json = None
    date: str | None = None
    extra: Mapping[str, Json] = field(default_factory=dict)
    place: Place = field(default_factory=Place)
    fault: str = ""

    @classmethod
    def of(cls, record: object, place: Place | None = None) -> Self:
        """Return the answer that the JSON value `record` is; one that is none has a `fault`, and nothing is raised."""
        place = place or Place()
        if not isinstance(record, Mapping):
            return cls(None, place=place, fault=f"{_shown(record)} is no recorded answer: write an object")
        name = record.get("question_id")
        return cls(
            question_id=name if isinstance(name, str) else None,
            values=_object(record.get("answer")) or {},
            trace=_text(record.get("trace")),
            context=_object(record.get("context")),
            answer_id=record.get("answer_id"),
            model=record.get("model"),
            replicate=record.get("replicate"),
            date=_text(record.get("date")),
            extra={key: value for key, value in record.items() if key not in _KNOWN},
            place=place,
            fault=_fault(record),
        )

    @property
    def model_name(self) -> str | None:
        """The model as a text, None where the record names none."""
        return self.model if self.model is None or isinstance(self.model, str) else _dumped(self.model)


def _fault(record: Mapping[str, Json]) -> str:
    if record.get("question_id") is None:
        return 'there is no question_id: add {"question_id": "…"}'
    for key in _TEXTS:
        if not isinstance(record.get(key), str | None):
            return f"{key} is {_shown(record[key])}: write a text"
    for key in _OBJECTS:
        if not isinstance(record.get(key), Mapping | None):
            return f"{key} is {_shown(record[key])}: write an object"
    if record.get("answer") is None and record.get("trace") is None:
        return 'there is neither an answer nor a trace: add {"answer": {…}} or {"trace": "…"}'
    return ""


def _object(value: Json) -> Mapping[str, Json] | None:
    return value if isinstance(value, Mapping) else None


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _shown(value: object) -> str:
    return shown(value) if isinstance(value, str) else shown(_dumped(value))[1:-1].replace('\\"', '"')


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)
