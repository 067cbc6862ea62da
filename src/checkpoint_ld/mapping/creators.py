"""Creators: who made a benchmark, a name or an object that says more.

Karenina takes a text or a Person there. Any other creator stands there by name, and in full in a property.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS
from checkpoint_ld.entities import Creator, Organization, Person
from checkpoint_ld.mapping.properties import as_list, values

Json = dict[str, Any]


def creator_of(root: Json) -> Creator | list[Creator] | None:
    """Return who made the benchmark whose root object this is."""
    told, details = root.get("creator"), values(root.get("additionalProperty")).get(CREATOR_DETAILS)
    if details is not None and told == name_of_creator(details):
        told = details
    found = [_creator(one) for one in as_list(told)]
    return found if len(found) > 1 else found[0] if found else None


def name_of_creator(value: Any) -> str:
    """Return the text that stands for a creator, or for several."""
    if isinstance(value, list):
        return ", ".join(name for one in value if (name := name_of_creator(one)))
    told = value.get("name") if isinstance(value, dict) else value
    return told if isinstance(told, str) else ""


def takes(value: Any) -> bool:
    """Tell whether Karenina takes this value as a creator."""
    if isinstance(value, dict):
        return value.get("@type") == "Person" and isinstance(value.get("name"), str)
    return isinstance(value, str)


def creator_object(creator: Creator) -> Any:
    """Return the value that stands for a creator in a file; one that is no more than a name is a text."""
    if isinstance(creator, str):
        return creator
    members = creator.model_dump(by_alias=True, exclude_none=True)
    return creator.name if members == {"@type": "Person", "name": creator.name} else members


def _creator(value: Any) -> Creator:
    if not isinstance(value, dict):
        return str(value)
    model = Organization if value.get("@type") == "Organization" else Person
    try:
        return model.model_validate(value)
    except ValidationError:
        return name_of_creator(value)
