"""JSON Schemas (draft 2020-12) of the checkpoint document and of the entities, for editors and for other programs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from checkpoint_ld import entities, phrases
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import core_schema


DIALECT = "https://json-schema.org/draft/2020-12/schema"
NAMESPACE = "urn:checkpoint-ld:schema:"

_WITHOUT_FORM = frozenset(("Entity", "VerificationPrimitive", "TracePrimitive", "BaseAnswer"))
"""Base classes, of which there are no objects."""

_NAMED = frozenset(("properties", "$defs"))
"""Keywords whose members have names of the models, not of JSON Schema."""
_VALUES = frozenset(("default", "examples", "const", "enum"))
"""Keywords whose values are no schemas."""

_ANY_VALUE = "#/$defs/JsonValue"
"""The name that pydantic refers to if any JSON is allowed; it needs no description."""

_FIRST = ("$schema", "$id", "title", "description", "type", "required", "properties")


@dataclass(frozen=True, slots=True)
class Described:
    """A type that has a schema, and its purpose in one line."""

    type: Any
    summary: str


@cache
def described() -> Mapping[str, Described]:
    """Return the types that have a schema, by name: each entity, and the unions that templates use."""
    models = {
        _schema_name(name): Described(found, _summary(found))
        for name in entities.__all__
        if name not in _WITHOUT_FORM
        and isinstance(found := getattr(entities, name), type)
        and issubclass(found, BaseModel)
    }
    unions = {
        "primitive": Described(entities.AnyPrimitive, "Any of the verification primitives, identified by its type."),
        "strategy": Described(entities.StrategyNode, "Any node of a composition, identified by its type."),
    }
    return MappingProxyType({**models, **unions})


def schema_of(name: str, subject: Described) -> dict[str, Any]:
    """Return the schema of a described type, under the identifier for `name`."""
    adapter = TypeAdapter(subject.type)
    schema = adapter.json_schema(schema_generator=_Generator)
    # Reading ignores the members that are only written.
    written = adapter.json_schema(mode="serialization", schema_generator=_Generator)
    for member, member_schema in written.get("properties", {}).items():
        if member not in schema.get("properties", {}):
            schema["properties"][member] = {**member_schema, "readOnly": True}
    title = subject.type.__name__ if isinstance(subject.type, type) else name
    schema = {"title": title, "description": subject.summary, **_in_plain_words(schema)}
    schema = {"$schema": DIALECT, "$id": NAMESPACE + name, **schema}
    return {key: schema[key] for key in (*_FIRST, *schema) if key in schema}


class _Generator(GenerateJsonSchema):
    """Writes a union with a discriminator as conditions on it, so that a validator reports the branch that applies."""

    def get_title_from_name(self, name: str) -> str:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name.lstrip("@")).lower()
        return words[:1].upper() + words[1:]

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        tag = schema["discriminator"]
        if not isinstance(tag, str):
            return super().tagged_union_schema(schema)
        choices = {str(label): self.generate_inner(choice).copy() for label, choice in schema["choices"].items()}
        return {
            "type": "object",
            "required": [tag],
            "properties": {tag: {"enum": list(choices), "description": "Which of them it is"}},
            "allOf": [
                {"if": {"properties": {tag: {"const": label}}, "required": [tag]}, "then": choice}
                for label, choice in choices.items()
            ],
        }


def _in_plain_words(node: Any) -> Any:
    """Return a part of a schema with one type for each union of types, and with descriptions on single lines."""
    if isinstance(node, list):
        return [_in_plain_words(part) for part in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _keyword(key, part) for key, part in node.items() if part != _ANY_VALUE}
    if "description" in plain:
        plain["description"] = re.sub(r"(?<!\n)\n(?!\n)", " ", plain["description"])
    elif "const" in plain:
        plain["description"] = f"Always {plain['const']}"
    union = _as_one(plain["anyOf"]) if "anyOf" in plain else None
    if union is not None:
        plain = {**{key: part for key, part in plain.items() if key != "anyOf"}, **union}
    return plain


def _keyword(keyword: str, value: Any) -> Any:
    if keyword in _NAMED:
        return {name: _in_plain_words(part) for name, part in value.items() if part or keyword == "properties"}
    return value if keyword in _VALUES else _in_plain_words(value)


def _as_one(choices: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return one schema that is equivalent to a choice of several, None unless they differ by type alone."""
    types = [choice.get("type") for choice in choices]
    keywords = [key for choice in choices for key in choice if key != "type"]
    apart = len(set(map(str, types))) == len(types) and len(set(keywords)) == len(keywords)
    if not all(isinstance(kind, str) for kind in types) or not apart or {"enum", "const"} & set(keywords):
        return None
    if "number" in types:
        types = [kind for kind in types if kind != "integer"]
    merged = {key: part for choice in choices for key, part in choice.items()}
    return {**merged, "type": types if len(types) > 1 else types[0]}


def _summary(model: type[BaseModel]) -> str:
    """Return the first sentence of a class's docstring; nothing under `python -OO`, which has none."""
    sentence = (model.__doc__ or "").partition("\n")[0].partition(". ")[0].rstrip(".")
    return f"{sentence}." if sentence else ""


def _schema_name(model: str) -> str:
    """Return the name of a class with dashes: llm-rubric-trait for LLMRubricTrait."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", model).lower()


FILES: Mapping[str, str] = MappingProxyType(
    {"checkpoint": "entities/json_schemas/checkpoint.schema.json", "report": "validation/reports/report.schema.json"}
)
"""The schemas that are written by hand: of documents, which are no entities."""


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) called `name`: of a document, such as `checkpoint`, or of an entity.

    The name of an entity's schema is that of its class, in any spelling: `question`, `llm-rubric-trait`,
    `LLMRubricTrait`. It describes the object that `model_dump(mode="json", by_alias=True)` returns and `model_validate`
    accepts. No schema refers to another one, so nothing is ever fetched; each call returns a new object. Raises
    `SettingsError` (a `ValueError`) for an unknown name.
    """
    known = {_folded(summary): summary for summary in summaries()}
    if _folded(name) not in known:
        raise SettingsError(phrases.unknown("schema", name, known.values()))
    found = known[_folded(name)]
    return _read(found) if found in FILES else schema_of(found, described()[found])


@cache
def summaries() -> Mapping[str, str]:
    """Return the subject of each schema, by name: documents first, then entities in alphabetical order."""
    documents = {name: _read(name)["title"] for name in FILES}
    return MappingProxyType(documents | {name: subject.summary for name, subject in sorted(described().items())})


def _read(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(resources.files("checkpoint_ld").joinpath(FILES[name]).read_bytes())
    return schema


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()
