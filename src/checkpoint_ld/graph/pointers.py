"""Where in a document the nodes of its graph stand.

Usual trees are walked once, quickly; for all others the names are those that annotation gives. Both ways tell the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.places import pointer
from checkpoint_ld.graph import naming, recursion, terms
from checkpoint_ld.graph.annotation import annotate
from checkpoint_ld.graph.terms import is_property_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.graph.terms import Term, TermTable

Tree = dict[str, Any]

_USUAL_KEY = re.compile(r"[A-Za-z]\w*", re.ASCII)
_KEYWORDS = frozenset({"@id", "@type"})
_REFERENCE = frozenset({"@id"})
_NOT_IN_STEM = ("#", "%23")
"""What would make names by place of two bases look alike."""
_DEEPEST = 20
"""Levels of objects in usual documents."""


_Layout = tuple[tuple[tuple[str, "Term | None"], ...], tuple[str, ...]]
"""The keys of members that may hold objects, with their terms, and of others that hold none in usual trees."""


class _UnusualError(Exception):
    """A tree holds something that only annotation can name."""


def pointers(tree: Tree) -> dict[str, str]:
    """Return the JSON Pointers (RFC 6901) of the objects of a canonical tree by the IRIs of their nodes."""
    table = terms.table(tree.get("@context"))
    if table is terms.karenina():
        walk = _Walk(table)
        root = {key: value for key, value in tree.items() if key != "@context"}
        try:
            walk.object(root, None, ("", "" if "@id" in tree else naming.root_of(tree)), 0)
        except _UnusualError:
            return by_annotation(tree)
        return walk.found
    return by_annotation(tree)


def by_annotation(tree: Tree) -> dict[str, str]:
    """Return what `pointers` does, for whatever tree."""
    with recursion.room():
        annotated = annotate(tree, terms.table(tree.get("@context")))
    names = annotated.names
    found: dict[str, str] = {}
    for path, value in _objects(annotated.objects[0].source):
        name = names.get(id(value))
        if name is not None:
            found[name] = pointer(path)
    return found


class _Walk:
    """One walk through a usual tree, naming objects in the order and in the way of annotation."""

    def __init__(self, table: TermTable) -> None:
        self._table = table
        self._layouts: dict[tuple[int, str | tuple[str], tuple[str, ...]], _Layout] = {}
        self.found: dict[str, str] = {}

    def object(self, source: Tree, via: Term | None, place: tuple[str, str], depth: int) -> None:
        """Name an object, and those below it; `place` is its pointer and its name by place."""
        here, minted = place
        if depth > _DEEPEST or "@value" in source:
            raise _UnusualError
        own = self._own_name(source)
        name = own or minted
        if name in self.found:
            raise _UnusualError
        self.found[name] = here
        stem = name + "#" if own or "#" not in name else name
        parts, others = self._layout(source, via)
        for key in others:
            if isinstance(source[key], (dict, list)):
                raise _UnusualError
        for key, term in parts:
            value = source[key]
            if isinstance(value, (dict, list)):
                self._values(value, term, (f"{here}/{key}", f"{stem}/{key}"), depth)

    def _layout(self, source: Tree, via: Term | None) -> _Layout:
        """Return what the keys of an object tell, found out once for all with the same ones."""
        kind = source.get("@type")
        at = id(via), kind if isinstance(kind, str) else (repr(kind),), tuple(source)
        known = self._layouts.get(at)
        if known is None:
            known = self._layouts[at] = self._told_by(source, via)
        return known

    def _told_by(self, source: Tree, via: Term | None) -> _Layout:
        kind = source.get("@type")
        known = self._table.at(via, kind).by_key
        is_property = is_property_value(kind, via)
        parts: list[tuple[str, Term | None]] = []
        others: list[str] = []
        for key in source:
            if _USUAL_KEY.fullmatch(key) is None:
                if key not in _KEYWORDS and key[:9] != "karenina:":
                    raise _UnusualError
                others += [key] if key != "@type" else []
            else:
                term = known.get(key)
                if not (is_property and key == "value") and (term is None or term.coercion != "@json"):
                    parts.append((key, term))
        return tuple(parts), tuple(others)

    def _values(self, value: Tree | list[Any], via: Term | None, place: tuple[str, str], depth: int) -> None:
        here, stem = place
        if isinstance(value, list):
            for at, one in enumerate(value):
                if isinstance(one, dict):
                    self._part(one, via, (f"{here}/{at}", f"{stem}/{at}"), depth)
                elif isinstance(one, list):
                    raise _UnusualError
        elif via is None or via.container != "@index":
            self._part(value, via, place, depth)
        else:
            for token, one in value.items():
                if isinstance(one, dict):
                    self._part(one, via, (here + pointer((token,)), naming.below(stem, token)), depth)
                elif isinstance(one, list):
                    raise _UnusualError

    def _part(self, value: Tree, via: Term | None, place: tuple[str, str], depth: int) -> None:
        if value.keys() != _REFERENCE:
            self.object(value, via, place, depth + 1)

    def _own_name(self, source: Tree) -> str | None:
        """Return the name that an object's own id gives it, None where another object has it."""
        identifier = source.get("@id")
        if identifier is None and "@id" not in source:
            return None
        if not isinstance(identifier, str):
            raise _UnusualError
        name = naming.iri_of(identifier)
        if any(one in name for one in _NOT_IN_STEM):
            raise _UnusualError
        return None if name in self.found else name


def _objects(root: Tree) -> Iterator[tuple[tuple[str | int, ...], Tree]]:
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), root)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            yield path, value
            waiting.extend(((*path, key), one) for key, one in value.items() if isinstance(one, (dict, list)))
        else:
            waiting.extend(((*path, at), one) for at, one in enumerate(value) if isinstance(one, (dict, list)))
