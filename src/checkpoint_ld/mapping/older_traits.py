"""Traits in the places of older files: JSON text in a property, a plain member. They are read, and moved by an edit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES, LISTS, family_of, rating_from_v2
from checkpoint_ld.errors import ReadError
from checkpoint_ld.mapping.properties import as_list, from_text, name_of, text_of, values
from checkpoint_ld.mapping.traits import is_static, trait_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.dialects.traits import Family

Json = dict[str, Any]

_MEMBER = "globalRubric"


def older_ratings(holder: Json, scope: str) -> list[Json]:
    """Return the ratings of `scope` that stand for traits in older places of a root or question object.

    A trait whose name a rating of the object has already is left out: the rating counts. So is what is no trait.
    """
    lists = list(_lists(holder))
    if not lists:
        return []
    names = {text_of(one.get("name")) for one in as_list(holder.get("rating")) if is_static(one)}
    found = []
    for family, entries in lists:
        for one in entries:
            rating = _rating(family, one, scope)
            if rating is not None and text_of(rating.get("name")) not in names:
                names.add(text_of(rating.get("name")))
                found.append(rating)
    return found


def members_without(holder: Json) -> Json:
    """Return the members of an object that are different when its traits have left the older places.

    None stands for a member that goes. What is no trait stays where it is.
    """
    entries = as_list(holder.get("additionalProperty"))
    kept = [left for one in entries if (left := _without_traits(one)) is not None]
    changed: Json = {"additionalProperty": kept} if kept != entries else {}
    rubric = holder.get(_MEMBER)
    if isinstance(rubric, dict) and any(isinstance(rubric.get(name), list) for name in LISTS):
        left = {name: _rest(LISTS[name], value) if name in LISTS else value for name, value in rubric.items()}
        changed[_MEMBER] = {name: value for name, value in left.items() if name not in LISTS or value} or None
    return changed


def _lists(holder: Json) -> Iterator[tuple[Family, list[Any]]]:
    properties = values(holder.get("additionalProperty"))
    rubric = holder.get(_MEMBER)
    places = [(family, from_text(properties[name])) for name, family in LEGACY_PROPERTIES.items() if name in properties]
    if isinstance(rubric, dict):
        places += [(family, rubric.get(name)) for name, family in LISTS.items()]
    return ((family, entries) for family, entries in places if isinstance(entries, list))


def _rating(family: Family, one: Any, scope: str) -> Json | None:
    if not isinstance(one, dict):
        return None
    rating = rating_from_v2(family_of(one.get("type")) or family, one, scope)
    try:
        return None if trait_of(rating) is None else rating
    except ReadError:
        return None


def _rest(family: Family, entries: Any) -> Any:
    if not isinstance(entries, list):
        return entries
    return [one for one in entries if _rating(family, one, "Global") is None]


def _without_traits(entry: Any) -> Any:
    """Return a property without the traits that it holds, None where it held nothing else."""
    family = LEGACY_PROPERTIES.get(name_of(entry) or "")
    entries = from_text(entry.get("value")) if family else None
    if family is None or not isinstance(entries, list):
        return entry
    rest = _rest(family, entries)
    if not rest:
        return None
    return {**entry, "value": json.dumps(rest) if isinstance(entry["value"], str) else rest}
