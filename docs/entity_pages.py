"""The tables of fields in entities.md: `python docs/entity_pages.py` writes them from the models."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld import entities
from checkpoint_ld.documents.values import now
from checkpoint_ld.entities.json_schemas import json_schema

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

PAGE = Path(__file__).with_name("entities.md")

_TABLE = re.compile(r"(?P<head><!-- fields: (?P<model>\w+) -->\n).*?(?P<tail><!-- end -->\n)", re.DOTALL)
_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "array": "list",
    "null": "null",
}


def with_tables(page: str) -> str:
    """Return the text of the page with its tables written anew."""
    return _TABLE.sub(lambda found: f"{found['head']}\n{table(found['model'])}\n\n{found['tail']}", page)


def table(model: str) -> str:
    """Return the table of the fields of an entity."""
    schema = json_schema(model)
    members = schema if "properties" in schema else schema["$defs"][model]
    fields = getattr(entities, model).model_fields
    rows = []
    for name, field in fields.items():
        member = members["properties"][field.serialization_alias or name]
        if "const" not in member:
            rows.append(f"| `{name}` | {_type(member)} | {_default(field)} | {_cell(member['description'])} |")
    return "\n".join(("| field | type | default | meaning |", "|---|---|---|---|", *rows)) if rows else "No parameters."


def _type(said: dict[str, Any]) -> str:
    if "$ref" in said:
        return f"`{said['$ref'].rpartition('/')[2]}`"
    for keyword in ("anyOf", "oneOf"):
        if keyword in said:
            return ", or ".join(_type(one) for one in said[keyword])
    if "enum" in said:
        return ", ".join(f"`{one}`" for one in said["enum"])
    if "allOf" in said:
        return "a node"
    types = said.get("type", "any JSON")
    return " or ".join(_single(one, said) for one in (types if isinstance(types, list) else [types]))


def _single(kind: str, said: dict[str, Any]) -> str:
    if kind == "array":
        item = _type(said["items"]) if said.get("items") else "any JSON"
        return f"list of ({item})" if ", " in item else f"list of {item}"
    if kind == "object" and isinstance(said.get("additionalProperties"), dict) and said["additionalProperties"]:
        return f"object of {_type(said['additionalProperties'])}"
    if kind == "object" and said.get("properties", {}).get("type", {}).get("const") == "template":
        return "a template"
    return _WORDS.get(kind, kind)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default_factory is not None:
        return "now" if field.default_factory is now else f"`{json.dumps(field.default_factory())}`"  # type: ignore[call-arg]  # none takes data
    return f"`{json.dumps(field.default)}`"


def _cell(text: str) -> str:
    return re.sub(r"__\w+__", r"`\g<0>`", text.replace("|", "\\|").replace("<", "&lt;"))


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
