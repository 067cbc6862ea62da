"""Residue: what RDF cannot express about an object of a document.

After a graph is built, each object is read back from it. The members that differ are the residue: the order and
repetition of plain values, an empty array, an explicit null, a key that is no IRI. It is one `rdf:JSON` literal, and
most nodes have none. It refers to nodes by name, so that it never repeats a statement. A graph from elsewhere has none.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.graph.contexts import named
from checkpoint_ld.graph.literals import RDF_JSON, TypedText, json_of, json_text, literal_of, same
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index

_DIGITS = 12
RESIDUE = named(KARENINA + "residue")

NODE = "@node"
"""The key under which a residue names an object that is a node."""
TYPED = "@typed"
"""Key under which a residue holds a text with its language and its datatype."""
RAW = "@raw"
"""The key under which a residue holds an object that happens to have one of these keys."""


_MARKS = frozenset((NODE, TYPED, RAW))


@dataclass(frozen=True, slots=True)
class Ref:
    """A member's value that is a node of its own."""

    name: str

    @classmethod
    def to(cls, node: Node) -> Ref:
        """Return the reference to a node."""
        return cls(f"_:{node}" if type(node) is BNode else str(node))

    @property
    def node(self) -> Node:
        """The node that is referred to."""
        return BNode(self.name[2:]) if self.name.startswith("_:") else URIRef(self.name)


@dataclass(frozen=True, slots=True)
class Residue:
    """Corrections of the members that were read from statements.

    `members` are replaced or added, `absent` are removed, `set_apart` are added, since they are deliberately not in the
    graph. `read_as` holds a digest of the statements about each replaced or absent member: if somebody has changed
    these statements, they count, and the residue does not.
    """

    members: dict[str, Any] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    set_apart: dict[str, Any] = field(default_factory=dict)
    read_as: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.members or self.absent or self.set_apart)

    def over(self, read: dict[str, Any]) -> dict[str, Any]:
        """Return the members of the document, given those that were read from statements."""
        members = {**read}
        for key in self.absent:
            if key in read and self._counts(key, read):
                del members[key]
        for key, value in (*self.members.items(), *self.set_apart.items()):
            if self._counts(key, read):
                members[key] = value if key in self.set_apart else decoded(value)
        return members

    def _counts(self, key: str, read: dict[str, Any]) -> bool:
        return self.read_as.get(key) == (_digest(read[key]) if key in read else None)

    def without(self, key: str) -> Residue:
        """Return the residue after the member `key` got a new value."""
        return Residue(
            {name: value for name, value in self.members.items() if name != key},
            tuple(name for name in self.absent if name != key),
            {name: value for name, value in self.set_apart.items() if name != key},
            {name: value for name, value in self.read_as.items() if name != key},
        )

    def and_also(self, other: Residue) -> Residue:
        """Return this residue together with `other`, which is about other members."""
        return Residue(
            {**self.members, **other.members},
            (*self.absent, *other.absent),
            {**self.set_apart, **other.set_apart},
            {**self.read_as, **other.read_as},
        )

    def joined(self, members: dict[str, Any], read: Mapping[str, Any]) -> Residue:
        """Return the residue with more members, given their values by the statements."""
        read_as = {key: _digest(read[key]) for key in members if key in read}
        return Residue({**self.members, **members}, self.absent, self.set_apart, {**self.read_as, **read_as})

    def as_json(self) -> dict[str, Any]:
        """Return the JSON value for the graph; it does not depend on the order of the document's members."""
        members, read_as, set_apart = (
            dict(sorted(part.items())) for part in (self.members, self.read_as, self.set_apart)
        )
        parts = {"members": members, "absent": sorted(self.absent), "readAs": read_as, "setApart": set_apart}
        return {name: part for name, part in parts.items() if part}

    @classmethod
    def of_json(cls, value: Any) -> Residue:
        """Read the JSON value of a graph; a value of another form gives an empty residue."""
        if not isinstance(value, dict):
            return cls()
        members, absent, set_apart, read_as = (value.get(name) for name in ("members", "absent", "setApart", "readAs"))
        return cls(
            members if isinstance(members, dict) else {},
            tuple(absent) if isinstance(absent, list) else (),
            set_apart if isinstance(set_apart, dict) else {},
            read_as if isinstance(read_as, dict) else {},
        )


def difference(
    source: Mapping[str, Any], read: Mapping[str, Any], names: Mapping[int, str], set_apart: tuple[str, ...]
) -> Residue:
    """Return the residue that turns `read` into `source`; `names` are those of its objects that are nodes."""
    members = {}
    for key, value in source.items():
        if key not in set_apart:
            encoded_value = encoded(value, names)
            if key not in read or not same(encoded_value, encoded(read[key], names)):
                members[key] = encoded_value
    absent = tuple(key for key in read if key not in source)
    read_as = {key: _digest(read[key]) for key in (*members, *absent, *set_apart) if key in read}
    return Residue(members, absent, {key: source[key] for key in set_apart}, read_as)


def _digest(read: Any) -> str:
    text = json_text(encoded(read, {}))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def encoded(value: Any, names: Mapping[int, str]) -> Any:
    """Return a member's value with the objects that are nodes replaced by their names."""
    if type(value) is str:
        return value
    if isinstance(value, Ref):
        return {NODE: value.name}
    if isinstance(value, dict):
        name = names.get(id(value))
        if name is not None:
            return {NODE: name}
        if not _MARKS.isdisjoint(value):
            return {RAW: value}
        return {key: encoded(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [encoded(one, names) for one in value]
    return {TYPED: [str(value), value.language, value.datatype]} if isinstance(value, TypedText) else value


def decoded(value: Any) -> Any:
    """Return a member's value from its form in a residue."""
    if isinstance(value, dict):
        if value.keys() == {NODE} and isinstance(value[NODE], str):
            return Ref(value[NODE])
        if value.keys() == {TYPED}:
            return TypedText(*value[TYPED])
        if value.keys() == {RAW}:
            return value[RAW]
        return {key: decoded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [decoded(one) for one in value]
    return value


def put_residue(index: Index, subject: Node, left: Residue) -> None:
    """Give a node its residue; a node without any statement leaves the index."""
    if left:
        index.setdefault(subject, {})[RESIDUE] = literal_of(left.as_json(), "@json")
    elif subject in index:
        index[subject].pop(RESIDUE, None)
        if not index[subject]:
            del index[subject]


def residue_of(index: Index, subject: Node) -> Residue:
    """Return the residue of a node."""
    return parsed_residue(index.get(subject, {}).get(RESIDUE))


def parsed_residue(held: Node | list[Node] | None) -> Residue:
    """Return the residue that the literal of a node holds."""
    if not isinstance(held, Literal) or held.datatype != RDF_JSON:
        return Residue()
    return Residue.of_json(json_of(held, "@json"))


def refs(value: Any) -> Iterator[Node]:
    """Yield the references to nodes in a member's value."""
    if isinstance(value, Ref):
        yield value.node
    elif isinstance(value, list | dict):
        for one in value if isinstance(value, list) else value.values():
            yield from refs(one)
