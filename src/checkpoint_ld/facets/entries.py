"""The additional properties of an object, to look up and to change: named values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.mapping.properties import ABSENT, as_list, name_of, property_value

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]

_MEMBER = "additionalProperty"


def value_of(holder: Json, name: str, default: Any = None) -> Any:
    """Return the value of the property `name`, `default` where there is none; of several the last counts."""
    found = [one for one in as_list(holder.get(_MEMBER)) if name_of(one) == name]
    return found[-1].get("value") if found else default


def set_value(holder: Json, name: str, value: Any) -> None:
    """Give the property `name` a JSON value; None is written as Karenina writes it, as no value at all.

    What else is said about a property that is there already stays. A new one comes to stand at the end.
    """
    entries = as_list(holder.get(_MEMBER))
    found = [one for one in entries if name_of(one) == name]
    if not found:
        holder[_MEMBER] = [*entries, property_value(name, ABSENT if value is None else value)]
    elif value is None:
        found[-1].pop("value", None)
    else:
        found[-1]["value"] = value


def take_away(holder: Json, is_meant: Callable[[str], bool]) -> bool:
    """Take away the properties whose names are meant; tell whether there were any."""
    entries = as_list(holder.get(_MEMBER))
    kept = [one for one in entries if (name := name_of(one)) is None or not is_meant(name)]
    if len(kept) == len(entries):
        return False
    holder[_MEMBER] = kept
    if not kept:
        del holder[_MEMBER]
    return True
