"""Where in the canonical tree a result of validation points: from a node and a property to a JSON Pointer."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.constraints.forms import value_of
from checkpoint_ld.constraints.names import key_of
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.graph.building import pointers
from checkpoint_ld.inference import predicate_of
from checkpoint_ld.members import SETTINGS
from checkpoint_ld.phrases import called
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rdflib.term import Node

_SETTINGS: dict[Node, str] = {predicate_of(name): name for names in SETTINGS.values() for name in names}

_NAMED_BY_VALUE = frozenset(
    URIRef(KARENINA + name) for name in ("unknownKey", "malformedMember", "arrayOf", "nestedIn", "nullIn")
)
"""Derived properties whose value is the key of the member that they are about."""

Tree = dict[str, Any]


def setting_of(path: Node) -> str | None:
    """Return the name of the setting that a derived property stands for."""
    return _SETTINGS.get(path)


@dataclass(frozen=True)
class Map:
    """The canonical tree of a checkpoint, and where the nodes of its graph stand in it."""

    tree: Tree = field(repr=False)

    @cached_property
    def nodes(self) -> dict[str, str]:
        """The JSON Pointers of objects by the IRIs of their nodes."""
        return pointers(self.tree)

    def at(self, steps: str) -> Any:
        """Return the value at a JSON Pointer (RFC 6901) that leads somewhere."""
        value: Any = self.tree
        for token in steps.split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            value = value[int(key)] if isinstance(value, list) else value[key]
        return value

    def pointer(self, focus: Node, paths: Iterable[Node], value: Node | None, member: str = "") -> str | None:
        """Return where the fault of a node stands, None for a node that is not in the tree."""
        base = self.nodes.get(str(focus))
        if base is None:
            return None
        if value is not None and str(value) in self.nodes and isinstance(value, URIRef):
            return self.nodes[str(value)]
        if member:
            return self._within(base, member, value)
        if not _NAMED_BY_VALUE.isdisjoint(paths):
            return base + pointer((str(value),))
        found = [place for path in paths for place in self._places(base, path, value)]
        return next((place for place, is_told in found if is_told), found[0][0] if found else base)

    def _places(self, base: str, path: Node, value: Node | None) -> Iterator[tuple[str, bool]]:
        """Yield where a property of the object at `base` stands, and whether it holds `value` there."""
        holder = self.at(base)
        key = key_of(path)
        key = key if key in holder else key.removeprefix("karenina:")
        setting = setting_of(path)
        at = None if setting is None else _index_of(holder.get("additionalProperty"), setting)
        if at is not None:
            entry = f"{base}/additionalProperty" + (f"/{at}" if isinstance(holder["additionalProperty"], list) else "")
            yield entry + "/value", value is None or _stands_for(self.at(entry).get("value"), value)
            return
        if setting is not None and key not in holder:
            yield base, False
            return
        yield self._within(base, key, value), key in holder and (value is None or _stands_for(holder[key], value))

    def _within(self, base: str, key: str, value: Node | None) -> str:
        place = base + pointer((key,))
        held = self.at(base).get(key)
        if value is None or (not isinstance(held, list) and _stands_for(held, value)):
            return place
        parts = enumerate(held) if isinstance(held, list) else held.items() if isinstance(held, dict) else ()
        return next((place + pointer((at,)) for at, one in parts if _stands_for(one, value)), place)

    def subject(self, place: str) -> str:
        """Say which question, trait, scenario or node the value at a JSON Pointer belongs to."""
        found: list[str] = []
        value: Any = self.tree
        steps = [token.replace("~1", "/").replace("~0", "~") for token in place.split("/")[1:]]
        for depth, step in enumerate(steps):
            if isinstance(value, list):
                value = value[int(step)] if step.isdecimal() and int(step) < len(value) else None
            else:
                value = value.get(step) if isinstance(value, dict) else None
            if isinstance(value, dict):
                found += _called(steps[: depth + 1], value)
        return ", ".join(found)


def _called(steps: list[str], value: Tree) -> list[str]:
    match steps:
        case ["dataFeedElement", _]:
            question = value.get("item")
            text = question.get("text") if isinstance(question, dict) else None
            return [called("question", text if isinstance(text, str) and text.strip() else value.get("@id"))]
        case [*_, "rating", _]:
            return [called("trait", value.get("name"))]
        case ["hasPart", _]:
            return [called("scenario" if "nodes" in value else "part", value.get("name"))]
        case ["hasPart", _, "nodes", key]:
            return [called("node", key)]
    return []


def _index_of(entries: Any, name: str) -> int | None:
    """Return where the last property called `name` stands; of several the last one counts."""
    listed = entries if isinstance(entries, list) else [entries]
    found = [at for at, one in enumerate(listed) if isinstance(one, dict) and one.get("name") == name]
    return found[-1] if found else None


def _stands_for(held: Any, value: Node) -> bool:
    if isinstance(held, list) and not (isinstance(value, Literal) and str(value).startswith("[")):
        return any(_stands_for(one, value) for one in held)
    if not isinstance(value, Literal):
        return isinstance(held, str) and (str(value).endswith(held) or key_of(value) == held)
    told = value_of(value)
    return bool(held == told) and isinstance(held, bool) == isinstance(told, bool)
