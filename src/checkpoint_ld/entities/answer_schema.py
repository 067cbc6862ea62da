"""JSON Schemas of answers, with nothing in them that could tell a ground truth."""

from __future__ import annotations

from typing import Any, Final

from checkpoint_ld.entities.verified_field import KEY

_NAMED_SCHEMAS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SCHEMAS: Final = (
    *("items", "prefixItems", "additionalItems", "contains", "additionalProperties", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties", "anyOf", "allOf", "oneOf", "not", "if", "then", "else"),
)
_PLAIN: Final = (
    *("$schema", "$ref", "type", "title", "description", "enum", "const", "format"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"),
    *("minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties"),
    *("required", "dependentRequired", "contentEncoding", "contentMediaType", "discriminator"),
)
"""The keywords of JSON Schema 2020-12 that describe a value, and the one of OpenAPI that pydantic uses."""


def without_ground_truths(schema: Any) -> Any:
    """Return a copy of a JSON Schema with the keywords that describe values, and no others.

    Examples go, and so does whatever somebody added (`__verification__` is one of these). A default stays only where
    it is null, and goes from verified fields altogether. Names of properties are names, whatever they are.
    """
    if isinstance(schema, list):
        return [without_ground_truths(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NAMED_SCHEMAS and isinstance(value, dict):
            kept[key] = {name: without_ground_truths(part) for name, part in value.items()}
        elif key in _SCHEMAS:
            kept[key] = without_ground_truths(value)
        elif key in _PLAIN or (key == "default" and value is None and KEY not in schema):
            kept[key] = value
    return kept
