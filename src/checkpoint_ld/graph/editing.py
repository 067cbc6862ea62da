"""Edits: members of objects in a graph changed, each at the cost of what it touches, whatever the size of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.graph import compiled, contexts, recursion
from checkpoint_ld.graph.annotation import annotate_member, annotate_members
from checkpoint_ld.graph.compaction import Compaction, refs, residue_of, told_residue
from checkpoint_ld.graph.completion import complete, tell_residue
from checkpoint_ld.graph.expansion import IDENTIFIER, RDF_TYPE, expand, statements
from checkpoint_ld.graph.literals import literal_of, same
from checkpoint_ld.graph.object_reading import ObjectReading
from checkpoint_ld.graph.residue import NODE, RESIDUE, Ref, difference, encoded
from checkpoint_ld.graph.store import Several, drop, terms_of, triples_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.graph.terms import Term, TermTable

Tree = dict[str, Any]


class Editor:
    """Changes the members of objects, so that names, order and residue stay right.

    `shared` tells whether several statements refer to a node; it is asked only before something is taken out.
    """

    def __init__(self, index: Index, table: TermTable, own_context: Any, shared: Callable[[Node], bool]) -> None:
        self.index = index
        self.table = table
        self.own_context = own_context
        self.reader = Compaction(index, table)
        self.shared = shared

    def append(self, subject: Node, key: str, part: Tree) -> Node:
        """Add an object at the end of the array `key` of a node; return the node of the object."""
        via = self.table.base.by_key[key]
        predicate = URIRef(via.iri)
        held = self.index.setdefault(subject, {}).get(predicate)
        at = self.reader.next_place(terms_of(held))
        node = self._hold(part, via, str(subject), at)
        self.index[subject][predicate] = _longer(held, node)
        self._append_to_residue(subject, key, str(node))
        return node

    def _hold(self, part: Tree, via: Term, owner: str, at: int) -> URIRef:
        """Hold the statements of a new object; return its node."""
        with recursion.room():
            found = compiled.index_of_part(part, via, (owner, at), self.own_context, self.index)
            if found is not None:
                self.index.update(found[0])
                return found[1]
            annotated = annotate_member(part, self.table, via, (owner, at), self.index)
            self.index.update(statements(expand(annotated.tree, contexts.merged(self.own_context))))
            complete(annotated, annotated.objects, self.reader)
        return URIRef(annotated.objects[0].name)

    def _append_to_residue(self, subject: Node, key: str, name: str) -> None:
        left = residue_of(self.index, subject)
        if key not in left.members and key not in left.set_apart:
            return
        told = left.members[key] if key in left.members else encoded(left.set_apart[key], {})
        before = told if isinstance(told, list) else [] if told is None else [told]
        longer: Tree = {key: [*before, encoded(Ref(name), {})]} if before else {}
        read = self.reader.members(subject, None, key.__eq__) if longer else {}
        tell_residue(self.index, subject, left.without(key).joined(longer, read))

    def write(self, subject: Node, members: Tree, without: tuple[str, ...] = ()) -> None:
        """Let a node have the members of an object, and no others but those that `without` names.

        Members that are the same stay untouched, and so does the node of an object that stays.
        """
        self._rewrite(subject, ObjectReading(self.index, self.table).object(subject, without=without), members, without)

    def _rewrite(self, subject: Node, held: Tree, members: Tree, without: tuple[str, ...] = ()) -> None:
        for key in {**held, **members}:
            old, new = held.get(key), members.get(key)
            if key in without or (key in held and key in members and same(old, new)):
                continue
            if not self._rewrite_objects(subject, key, old, new):
                self.replace(subject, key, new, is_there=key in members)

    def _rewrite_objects(self, subject: Node, key: str, old: Any, new: Any) -> bool:
        """Rewrite objects of a member that stay the same ones, and add those at the end; tell whether that is all."""
        olds, news = (one if isinstance(one, list) else [one] for one in (old, new))
        below = [*refs(self.reader.member(subject, key))]
        is_longer = isinstance(old, list) and isinstance(new, list) and key in self.table.base.by_key
        if not (len(below) == len(olds) <= len(news)) or (len(news) > len(olds) and not is_longer):
            return False
        pairs = [*zip(below, olds, news, strict=False)]
        if isinstance(old, list) != isinstance(new, list) or not all(map(self._is_rewritten, pairs)):
            return False
        added = news[len(olds) :]
        if not all(map(_is_plain_object, added)):
            return False
        for node, was, one in pairs:
            self._rewrite(node, was, one)
        for one in added:
            self.append(subject, key, one)
        return True

    def _is_rewritten(self, pair: tuple[Node, Any, Any]) -> bool:
        """Tell whether an object that may change is still the same one, whose keys mean what they meant."""
        node, old, new = pair
        if node not in self.index or not isinstance(old, dict) or not isinstance(new, dict):
            return False
        return isinstance(old.get("@type"), str) and all(old.get(key) == new.get(key) for key in ("@type", "@id"))

    def replace(self, subject: Node, key: str, value: Any, *, is_there: bool | None = None) -> None:
        """Give the member `key` of a node any JSON value; None takes the member away, unless it `is_there`, as null."""
        if key == "@id":
            self._identify(subject, value)
            return
        self._empty(subject, key)
        if value is not None or is_there:
            self._fill(subject, key, value)

    def _identify(self, subject: Node, identifier: str | None) -> None:
        """Give a node another identifier; its name in the graph stays."""
        self.index.setdefault(subject, {}).pop(IDENTIFIER, None)
        left = residue_of(self.index, subject).without("@id")
        own = self.reader.identifier(subject)
        if identifier is None and own is not None:
            left = left.and_also(difference({}, {"@id": own}, {}, ()))
        elif identifier is not None and identifier != own:
            self.index[subject][IDENTIFIER] = literal_of(identifier)
        tell_residue(self.index, subject, left)

    def _empty(self, subject: Node, key: str) -> None:
        """Take a member out, with the objects that were its values."""
        for name in refs(self.reader.member(subject, key)):
            self._cut(name)
        self.index.get(subject, {}).pop(self.reader.predicate(subject, key), None)
        left = residue_of(self.index, subject)
        for spelled in self._spellings(subject, key):
            left = left.without(spelled)
        tell_residue(self.index, subject, left)

    def _spellings(self, subject: Node, key: str) -> set[str]:
        """Return a key, and how a reader spells its predicate: otherwise where a document has its own prefixes."""
        terms = self.table.at(None, self.reader.kind(subject))
        return {key, terms.key_of(str(self.reader.predicate(subject, key)))}

    def _fill(self, subject: Node, key: str, value: Any) -> None:
        """Say the value of a member that is not there."""
        kind = self.reader.kind(subject)
        members = {key: value} if kind is None or key == "@type" else {"@type": kind, key: value}
        with recursion.room():
            said = compiled.index_of_members(members, str(subject), self.own_context, self.index)
            if said is None:
                said = self._said(subject, key, members)
        own = said.pop(subject, {})
        if key != "@type":
            own.pop(RDF_TYPE, None)
        left = told_residue(own.pop(RESIDUE, None))
        self.index.update(said)
        self.index.setdefault(subject, {}).update(own)
        tell_residue(self.index, subject, residue_of(self.index, subject).and_also(left))

    def _said(self, subject: Node, key: str, members: Tree) -> Index:
        """Return the statements of one member of a node, with its residue, by JSON-LD's own way."""
        annotated = annotate_members(members, self.table, None, str(subject), self.index)
        said = statements(expand(annotated.tree, contexts.merged(self.own_context)))
        reader = Compaction(said, self.table)
        complete(annotated, annotated.objects[1:], reader)
        spellings = self._spellings(subject, key)
        read = reader.members(subject, None, spellings.__contains__)
        set_apart = annotated.objects[0].set_apart
        told = {spelled: read[spelled] for spelled in spellings if spelled in read}
        left = difference({key: annotated.objects[0].source[key]}, told, annotated.names, set_apart)
        tell_residue(said, subject, left)
        return said

    def discard(self, subject: Node, key: str, node: Node) -> None:
        """Take one object out of a member of a node; an array that had no other stays, empty."""
        predicate = self.reader.predicate(subject, key)
        left = residue_of(self.index, subject)
        self._cut(node)
        _drop(self.index, subject, predicate, node)
        if key in left.members or predicate not in self.index.get(subject, {}):
            told = left.members.get(key)
            kept = [one for one in told if one != {NODE: str(node)}] if isinstance(told, list) else []
            shorter: Tree = {key: kept} if kept or predicate not in self.index.get(subject, {}) else {}
            read = self.reader.members(subject, None, key.__eq__)
            tell_residue(self.index, subject, left.without(key).joined(shorter, read))

    def _cut(self, node: Node) -> None:
        """Take out all that is said about a node and about the objects below it, but for those that stand elsewhere."""
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if one in self.index and not (self.shared(one) and self._stands_twice(one)):
                waiting += [ref for value in self.reader.shallow(one).values() for ref in refs(value)]
                del self.index[one]

    def _stands_twice(self, node: Node) -> bool:
        """Tell whether more than one object holds `node` as a value, beyond mere references to it."""
        holders = {subject for subject, _, term in triples_of(self.index) if term == node}
        held = [ref for one in holders for value in self.reader.shallow(one).values() for ref in refs(value)]
        return held.count(node) > 1


def _is_plain_object(value: Any) -> bool:
    return (
        isinstance(value, dict) and all(key in {"@id", "@type"} or key[:1] != "@" for key in value) and len(value) > 1
    )


def _longer(held: Node | list[Node] | None, node: Node) -> Node | list[Node]:
    # The node is new, so that the array need not be searched for it.
    if held is None:
        return node
    if not isinstance(held, list):
        return [held, node]
    held.append(node)
    return held


def _drop(index: Index, subject: Node, predicate: Node, node: Node) -> None:
    held = index.get(subject, {}).get(predicate)
    if isinstance(held, list) and len(held) > 2 and not isinstance(held, Several):
        at = next((at for at, one in enumerate(held) if one is node), None)
        del held[held.index(node) if at is None else at]
    elif held is not None:
        drop(index, subject, predicate, {node})
