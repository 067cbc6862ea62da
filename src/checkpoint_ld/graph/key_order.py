"""Key order: the order of keys that has a meaning, stated beside the JSON literal that holds the keys.

The order of a trait's classes is their score. JSON-LD processors sort the keys of JSON literals (JSON-LD 1.1 API §8.6,
RFC 8785), but arrays keep their order. So a node states the keys of such objects in arrays: `karenina:keyOrder` is one
JSON literal, an object whose keys are JSON Pointers from the node's own members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import Literal

from checkpoint_ld.documents.text import pointer, steps_of
from checkpoint_ld.graph.contexts import named
from checkpoint_ld.graph.literals import RDF_JSON, json_of, literal_of
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

KEY_ORDER = named(KARENINA + "keyOrder")
KEY = "karenina:keyOrder"
"""The key of the statement in JSON-LD that we write."""
_ORDERED = "classes"
"""The name of objects whose keys have a meaningful order."""

Tree = dict[str, Any]
Step = tuple["str | int", ...]


def of_member(key: str, value: Any, source: Tree) -> Iterator[tuple[str, list[str]]]:
    """Yield the pointers to objects with ordered keys in a member that becomes a JSON literal, with their keys.

    `source` is the object that has the member.
    """
    is_ordered = key == "value" and source.get("name") == _ORDERED
    for steps, keys in _ordered_in(value, (key,), is_ordered=is_ordered):
        yield pointer(steps), keys


def _ordered_in(value: Any, steps: Step, *, is_ordered: bool) -> Iterator[tuple[Step, list[str]]]:
    if type(value) is dict:
        if is_ordered and len(value) > 1:
            yield steps, [*value]
        for key, one in value.items():
            if type(one) is dict or type(one) is list:
                yield from _ordered_in(one, (*steps, key), is_ordered=key == _ORDERED)
    elif type(value) is list:
        for at, one in enumerate(value):
            yield from _ordered_in(one, (*steps, at), is_ordered=False)


def literal(orders: dict[str, list[str]]) -> Literal:
    """Return the literal that states orders of keys by pointer."""
    return literal_of(dict(sorted(orders.items())), "@json")


def orders_of(held: Node | list[Node] | None) -> dict[str, list[str]]:
    """Return the orders of keys that a node states; what has another form states none."""
    found: dict[str, list[str]] = {}
    for one in terms_of(held):
        stated: Any = json_of(one, "@json") if isinstance(one, Literal) and one.datatype == RDF_JSON else None
        if is_orders(stated):
            found |= stated
    return found


def is_orders(stated: Any) -> bool:
    """Return whether a JSON value maps pointers to arrays of keys."""
    return isinstance(stated, dict) and all(
        isinstance(keys, list) and all(isinstance(key, str) for key in keys) for keys in stated.values()
    )


def in_order(members: Tree, orders: dict[str, list[str]]) -> Tree:
    """Return the members of a node with the keys of some objects below in the order that the node states."""
    for at, keys in orders.items():
        members = _reordered(members, steps_of(at), keys)
    return members


def _reordered(value: Any, steps: list[str], keys: list[str]) -> Any:
    if not steps:
        if not isinstance(value, dict):
            return value
        return {**{key: value[key] for key in keys if key in value}, **value}
    step: Any = steps[0]
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        at = int(step)
        return [*value[:at], _reordered(value[at], steps[1:], keys), *value[at + 1 :]]
    if isinstance(value, dict) and step in value:
        return {**value, step: _reordered(value[step], steps[1:], keys)}
    return value
