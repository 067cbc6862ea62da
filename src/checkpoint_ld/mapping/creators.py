"""Creators: who made a benchmark, a name or an object that says more.

Karenina takes a text or a Person there. Any other creator stands there by name, and in full in a property.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS
from checkpoint_ld.dialects.properties import as_list, property_value, values
from checkpoint_ld.entities import Creator, Organization, Person
from checkpoint_ld.errors import WriteError
from checkpoint_ld.mapping.properties import faults_of

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


def creator_members(value: Creator | Any) -> tuple[Any, list[Json]]:
    """Return the member `creator` that Karenina takes, and the properties that hold what it would not take.

    `value` is a creator or what a file has as one, or a list of those. A Person of whom no more than the name is known
    is a text, too.
    """
    value = _plain(value)
    if isinstance(value, list):
        value = [_plain(one) for one in value]
        value = value[0] if len(value) == 1 else value
    if isinstance(value, str):
        return value, []
    name = name_of_creator(value)
    if isinstance(value, dict) and value.get("@type") == "Person" and name:
        return (value if value.keys() - {"@type", "name"} else name), []
    return name, [property_value(CREATOR_DETAILS, value)]


def checked_creator(value: Any) -> Any:
    """Return a creator, or a list of several, that a user gives, with mappings as a Person or an Organization.

    Raises WriteError for what is neither a text nor one of the two, and for one without a name.
    """
    if isinstance(value, list | tuple):
        return [checked_creator(one) for one in value]
    if isinstance(value, Mapping):
        try:
            return _model(value).model_validate(value)
        except ValidationError as error:
            raise WriteError(f"this is no creator: {faults_of(error)}") from None
    if not isinstance(value, (str, Person, Organization)) or not value:
        raise WriteError(f"{value!r} is no creator: give a name, a Person or an Organization")
    return value


def _model(value: Mapping[str, Any]) -> type[Person | Organization]:
    return Organization if value.get("@type") == "Organization" else Person


def _plain(value: Any) -> Any:
    is_entity = isinstance(value, (Person, Organization))
    return value.model_dump(by_alias=True, exclude_none=True) if is_entity else value


def _creator(value: Any) -> Creator:
    if not isinstance(value, dict):
        return str(value)
    try:
        return _model(value).model_validate(value)
    except ValidationError:
        return name_of_creator(value)
