"""All JSON Schemas by their names."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from checkpoint_ld import suggestion
from checkpoint_ld.arguments import checked
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.json_schemas import models

if TYPE_CHECKING:
    from collections.abc import Mapping

FILES: Mapping[str, str] = MappingProxyType(
    {"checkpoint": "json_schemas/checkpoint.schema.json", "report": "reports/report.schema.json"}
)
"""The schemas that are written by hand: of documents, which are no entities."""


@checked
def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) called `name`: of a document, such as `checkpoint`, or of an entity.

    An entity's schema is called as its class is, in whatever spelling: `question`, `llm-rubric-trait`,
    `LLMRubricTrait`. It describes the object that `model_dump(mode="json", by_alias=True)` gives and `model_validate`
    takes. No schema refers to another one, so nothing is ever fetched; each call returns an object of its own.

    Raises `SettingsError` (a `ValueError`) if there is none of that name.
    """
    known = {_folded(one): one for one in summaries()}
    if _folded(name) not in known:
        raise SettingsError(suggestion.unknown("schema", name, known.values()))
    found = known[_folded(name)]
    return _read(found) if found in FILES else models.schema_of(found, models.described()[found])


@cache
def summaries() -> Mapping[str, str]:
    """Return what each schema is of, by its name: first documents, then entities in the order of the alphabet."""
    documents = {name: _read(name)["title"] for name in FILES}
    return MappingProxyType(documents | {name: one.summary for name, one in sorted(models.described().items())})


def _read(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(resources.files("checkpoint_ld").joinpath(FILES[name]).read_bytes())
    return schema


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()
