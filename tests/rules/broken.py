"""Documents that are broken in one place, and what validation says about them."""

import json
from typing import Any

from checkpoint_ld import families
from checkpoint_ld.findings import Finding
from checkpoint_ld.rules import document, patch
from checkpoint_ld.validation import profiles

Json = Any

FIRST = "/dataFeedElement/0"
QUESTION = "/dataFeedElement/0/item"


def replaced(pointer: str, value: Json) -> Json:
    return {"op": "replace", "path": pointer, "value": value}


def added(pointer: str, value: Json) -> Json:
    return {"op": "add", "path": pointer, "value": value}


def removed(pointer: str) -> Json:
    return {"op": "remove", "path": pointer}


def text(*operations: Json, start: str = "metals", **layout: Json) -> bytes:
    """Return a valid document with changes, as JSON text; `layout` goes to `json.dumps`."""
    tree = document(start)
    patch(tree, list(operations))
    return json.dumps(tree, **{"indent": 2, "ensure_ascii": False, **layout}).encode()


def findings(*operations: Json, start: str = "metals", **layout: Json) -> list[Finding]:
    return list(families.check(text(*operations, start=start, **layout), profiles.profile(), syntax="json").findings)


def located(*operations: Json, start: str = "metals") -> list[tuple[str, str | None]]:
    """Return code and place of everything that is found."""
    return [(one.code, one.place.pointer) for one in findings(*operations, start=start)]


def messages(*operations: Json, start: str = "metals") -> list[str]:
    return [one.message for one in findings(*operations, start=start)]
