"""Named values: two thirds of the objects of a checkpoint, many of which say the same by the same name.

What was said about one of them is said about the next one, which takes a third of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from checkpoint_ld.graph.terms import Term

_KEYS = frozenset({"@type", "name", "value"})
SIZE = len(_KEYS)
"""How many members a named value has."""


def alike(source: dict[str, Any], via: Term | None) -> tuple[object, ...]:
    """Return what two objects of `SIZE` members have in common of which the same is said.

    It cannot be hashed if there is an array or an object in it.
    """
    return id(via), *source, *source.values(), *map(type, source.values())


def is_plain(source: dict[str, Any]) -> bool:
    """Tell whether an object is a named value and no more, so that nothing else than `alike` tells what it says."""
    if source.keys() != _KEYS or source["@type"] != "PropertyValue" or type(source["name"]) is not str:
        return False
    value = source["value"]
    kind = type(value)
    return kind in (str, bool, int) or (kind is float and value != 0)  # 0.0 equals -0.0
