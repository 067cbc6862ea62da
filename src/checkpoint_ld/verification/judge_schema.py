"""What a judge is asked for, as JSON Schema."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.arguments import checked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.entities.template_spec import TemplateFieldSpec, TemplateSpec

_TYPES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "bool": {"type": "boolean"},
        "str": {"type": "string"},
        "int": {"type": "integer"},
        "float": {"type": "number"},
        "list_str": {"type": "array", "items": {"type": "string"}},
        "literal": {"type": "string"},
        "date": {"type": "string", "format": "date"},
    }
)


@checked
def judge_schema(spec: TemplateSpec) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the object that a judge finds in a response, which tells no ground truth.

    It asks for a value for each field in order, but for those that look at the raw response themselves. Its texts are
    the author's: descriptions and, on a line after it, how to find the value. An unknown type is asked for as a text.
    """
    fields = [field for field in spec.fields if not field.is_trace]
    return {
        "type": "object",
        "title": spec.class_name,
        "properties": {field.name: _property(field) for field in fields},
        "required": list(dict.fromkeys(field.name for field in fields)),
        "additionalProperties": False,
    }


def _property(field: TemplateFieldSpec) -> dict[str, Any]:
    description = "\n".join(text for text in (field.description, field.extraction_hint) if text)
    schema: dict[str, Any] = {**_TYPES.get(field.type, _TYPES["str"]), "description": description}
    if field.type == "literal" and field.literal_values:
        schema["enum"] = list(field.literal_values)
    if field.type == "list_str":
        schema["items"] = {"type": "string"}  # a list of its own for each caller
    return schema
