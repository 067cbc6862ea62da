"""Where the nodes of a graph stand in its canonical tree: their names tell the way from an object that has an id."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.text import pointer
from checkpoint_ld.graph import contexts, interpreter, naming
from checkpoint_ld.graph.annotation import annotate, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Tree = dict[str, Any]
_Way = tuple[str | int, ...]


class Pointers:
    """The JSON Pointers (RFC 6901) of the objects of a canonical tree, by the IRIs of their nodes."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def __contains__(self, iri: object) -> bool:
        return self.get(str(iri)) is not None

    def get(self, iri: str) -> str | None:
        """Return where the object stands that `iri` names, None if it names none."""
        base, mark, _ = iri.partition("#/")
        if self._ways is None:
            return self.by_annotation.get(iri)
        if base == self._minted_root:
            way: _Way | None = ()
        else:
            name, way = self._ways.get(_stem(base), ("", None))
            way = way if mark or name == iri else None
        if way is not None and mark:
            way = self._below(way, naming.parted(iri)[1])
        return None if way is None else pointer(way)

    def _below(self, way: _Way, tokens: tuple[str, ...]) -> _Way | None:
        """Return the way to the object that `tokens` lead to from the one at `way`, None if they lead to none."""
        value = _at(self._tree, way)
        for token in tokens:
            step: Any = int(token) if isinstance(value, list) and token.isdecimal() and len(token) < _LONGEST else token
            steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
            if step not in steps:
                return None
            way, value = (*way, step), value[step]
        return way if isinstance(value, dict) and value.keys() != {"@id"} else None

    @cached_property
    def _minted_root(self) -> str | None:
        return None if isinstance(self._tree.get("@id"), str) else naming.root_of(self._tree)

    @cached_property
    def _ways(self) -> dict[str, tuple[str, _Way]] | None:
        """The names of objects that have ids, and the ways to them; None where two of them might have one name."""
        table = contexts.table(self._tree.get("@context"))
        is_usual = table is contexts.karenina()
        found: dict[str, tuple[str, _Way]] = {}
        for one, way in _objects(self._tree):
            identifier = one.get("@id")
            if not isinstance(identifier, str) or len(one) == 1:
                continue
            name = naming.iri_of(identifier) if is_usual else name_of(identifier, table)
            if found.setdefault(_stem(name), (name, way))[1] != way:
                return None
        return found

    @cached_property
    def by_annotation(self) -> dict[str, str]:
        """The same for all objects, as annotation has it, which tells who of two objects has a name."""
        with interpreter.room():
            annotated = annotate(self._tree, contexts.table(self._tree.get("@context")))
        ways = _objects(annotated.objects[0].source)
        return {annotated.names[id(one)]: pointer(way) for one, way in ways if id(one) in annotated.names}


_CONTAINERS = frozenset((dict, list))
_LONGEST = 16
"""Digits of an index that no array is long enough for."""


def _stem(name: str) -> str:
    return name.replace("#", "%23")


def _at(value: Any, way: _Way) -> Any:
    for step in way:
        value = value[step]
    return value


def _objects(value: Any) -> Iterator[tuple[Tree, _Way]]:
    """Yield all JSON objects, and the ways to them."""
    waiting: list[tuple[Any, _Way]] = [(value, ())]
    while waiting:
        value, way = waiting.pop()
        if isinstance(value, dict):
            yield value, way
        for step, one in value.items() if isinstance(value, dict) else enumerate(value):
            if one.__class__ is dict:
                waiting.append((one, (*way, step)))
            elif one.__class__ is list:
                # Arrays are gone through at once: most hold objects, or nothing but texts.
                waiting += [
                    ((inner, (*way, step, at))) for at, inner in enumerate(one) if inner.__class__ in _CONTAINERS
                ]
