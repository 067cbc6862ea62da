"""The checkpoint graph: the statements of a canonical tree, which can be read back and edited by members.

It is an `rdflib.Graph` that is named by its root. Every output (JSON-LD, Turtle, N-Triples, entities, SPARQL) is made
from it alone. The cost of an edit does not depend on the size of the graph.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from rdflib import URIRef

from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.graph import building, contexts, key_order
from checkpoint_ld.graph.annotation import annotate_member, annotate_members, complete
from checkpoint_ld.graph.building import built, uncollected
from checkpoint_ld.graph.compaction import Compaction, including
from checkpoint_ld.graph.contexts import IDENTIFIER, RDF_TYPE, REST
from checkpoint_ld.graph.coverage import PLANS
from checkpoint_ld.graph.key_order import KEY_ORDER, in_order, orders_of
from checkpoint_ld.graph.literals import RDF_JSON, literal_of, owners_of, same
from checkpoint_ld.graph.residue import (
    NODE,
    RESIDUE,
    Ref,
    decoded,
    difference,
    encoded,
    parsed_residue,
    put_residue,
    refs,
    residue_of,
)
from checkpoint_ld.graph.store import Several, StatementGraph, drop, terms_of, triples_of
from checkpoint_ld.vocabulary import BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.compaction import Frame
    from checkpoint_ld.graph.contexts import Term, TermTable
    from checkpoint_ld.graph.store import Index


class Editor:
    """Changes the members of objects; keeps names, order and residue right.

    `shared` returns whether several statements refer to a node; it is called only before a removal. `record` is called
    with each subject before its statements change.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the document, and two functions of its store
        self,
        index: Index,
        root: Node,
        own_context: Any,
        shared: Callable[[Node], bool],
        record: Callable[[Node], None],
        table: TermTable,
    ) -> None:
        self.index = index
        self.root = str(root)
        self.record = record
        self.table = table
        self.own_context = own_context
        self.reader = Compaction(index, table)
        self.shared = shared
        self.renames = False
        """Whether an edit gave a node another identifier, or replaced all questions."""

    def append(self, subject: Node, key: str, part: Tree) -> Node:
        """Add an object at the end of the array `key` of a node; return the node of the object."""
        via = self.table.base.by_key[key]
        predicate = URIRef(via.iri)
        self.record(subject)
        held = self.index.setdefault(subject, {}).get(predicate)
        at = self.reader.next_place(terms_of(held))
        node = self._hold(part, via, str(subject), at)
        self.index[subject][predicate] = _longer(held, node)
        self._append_to_residue(subject, key, str(node))
        return node

    def _hold(self, part: Tree, via: Term, owner: str, at: int) -> URIRef:
        """Add the statements of a new object; return its node."""
        with limited_depth():
            found = building.index_of_part(part, via, (owner, at), self.own_context, self.index, self.root)
            if found is not None:
                self._update(found[0])
                return found[1]
            annotated = annotate_member(part, self.table, via, (owner, at), self.index)
            self._update(building.expanded_in_document(annotated, self.own_context, self.root))
            complete(annotated, annotated.objects, self.reader)
        return URIRef(annotated.objects[0].name)

    def _update(self, found: Index) -> None:
        """Give subjects the statements that they have in `found`."""
        for subject in found:
            self.record(subject)
        self.index.update(found)

    def _append_to_residue(self, subject: Node, key: str, name: str) -> None:
        left = residue_of(self.index, subject)
        if key not in left.members and key not in left.set_apart:
            return
        value = left.members[key] if key in left.members else encoded(left.set_apart[key], {})
        before = value if isinstance(value, list) else [] if value is None else [value]
        longer: Tree = {key: [*before, encoded(Ref(name), {})]} if before else {}
        read = self.reader.members(subject, None, key.__eq__) if longer else {}
        put_residue(self.index, subject, left.without(key).joined(longer, read))

    def write(self, subject: Node, members: Tree, without: tuple[str, ...] = ()) -> None:
        """Give a node the members of an object; all other members are removed, except `without`.

        Unchanged members stay untouched. A nested object that stays keeps its node.
        """
        self._rewrite(subject, Compaction(self.index, self.table).object(subject, without=without), members, without)

    def _rewrite(self, subject: Node, held: Tree, members: Tree, without: tuple[str, ...] = ()) -> None:
        for key in {**held, **members}:
            old, new = held.get(key), members.get(key)
            if key in without or (key in held and key in members and same(old, new)):
                continue
            if not self._rewrite_objects(subject, key, old, new):
                self.replace(subject, key, new, is_there=key in members)

    def _rewrite_objects(self, subject: Node, key: str, old: Any, new: Any) -> bool:
        """Rewrite the objects of a member that stay, and add new ones at the end; return whether that was possible."""
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
        """Return whether an object is an edited version of another one: same identity, and same meaning of its keys."""
        node, old, new = pair
        if node not in self.index or not isinstance(old, dict) or not isinstance(new, dict):
            return False
        return isinstance(old.get("@type"), str) and all(old.get(key) == new.get(key) for key in ("@type", "@id"))

    def replace(self, subject: Node, key: str, value: Any, *, is_there: bool | None = None) -> None:
        """Give the member `key` of a node any JSON value; None removes it, with `is_there` it is null."""
        self.renames |= key in ("@id", "dataFeedElement")
        if key == "@id":
            self._identify(subject, value)
            return
        orders = orders_of(self.index.get(subject, {}).get(KEY_ORDER))
        self._empty(subject, key)
        if value is not None or is_there:
            self._fill(subject, key, value)
        if orders or isinstance(value, (dict, list)) or key == "name":
            self._state_key_order(subject, key, orders)

    def _state_key_order(self, subject: Node, key: str, orders: dict[str, list[str]]) -> None:
        """State the orders of keys that have a meaning, `orders` before the member `key` changed."""
        changed = "value" if key == "name" else key
        held = self.index.get(subject, {})
        held.pop(KEY_ORDER, None)
        read = self.reader.members(subject, None, {changed, "name"}.__contains__)
        is_literal = any(
            getattr(one, "datatype", None) == RDF_JSON
            for one in terms_of(held.get(self.reader.predicate(subject, changed)))
        )
        kept = {at: keys for at, keys in orders.items() if not at.startswith(f"/{changed}")}
        if is_literal:
            value = in_order({changed: read[changed]}, orders)[changed] if key == "name" else read[changed]
            kept.update(key_order.of_member(changed, value, read))
        if kept:
            held[KEY_ORDER] = key_order.literal(kept)

    def _identify(self, subject: Node, identifier: str | None) -> None:
        """Give a node another identifier; its name in the graph stays."""
        self.record(subject)
        self.index.setdefault(subject, {}).pop(IDENTIFIER, None)
        left = residue_of(self.index, subject).without("@id")
        own = self.reader.identifier(subject)
        if identifier is None and own is not None:
            left = left.and_also(difference({}, {"@id": own}, {}, ()))
        elif identifier is not None and identifier != own:
            self.index[subject][IDENTIFIER] = literal_of(identifier)
        put_residue(self.index, subject, left)

    def _empty(self, subject: Node, key: str) -> None:
        """Remove a member, with the objects that are its values."""
        self.record(subject)
        for name in refs(self.reader.member(subject, key)):
            self._cut(name)
        self._cut_lists(self.index.get(subject, {}).pop(self.reader.predicate(subject, key), None))
        left = residue_of(self.index, subject)
        for spelled in self._spellings(subject, key):
            left = left.without(spelled)
        put_residue(self.index, subject, left)

    def _spellings(self, subject: Node, key: str) -> set[str]:
        """Return a key, and the key that a reader gives its predicate.

        They differ if the document has its own prefixes.
        """
        terms = self.table.at(None, self.reader.kind(subject))
        return {key, terms.key_of(str(self.reader.predicate(subject, key)))}

    def _fill(self, subject: Node, key: str, value: Any) -> None:
        """Add the value of a member that is absent."""
        kind = self.reader.kind(subject)
        members = {key: value} if kind is None or key == "@type" else {"@type": kind, key: value}
        with limited_depth():
            found = None
            if not isinstance(kind, list):  # PyLD expands an object of several types
                found = building.index_of_members(members, str(subject), self.own_context, self.index, self.root)
            if found is None:
                found = self._by_expansion(subject, key, members)
        own = found.pop(subject, {})
        if key != "@type":
            own.pop(RDF_TYPE, None)
        left = parsed_residue(own.pop(RESIDUE, None))
        self.record(subject)
        self._update(found)
        self.index.setdefault(subject, {}).update(own)
        put_residue(self.index, subject, residue_of(self.index, subject).and_also(left))

    def _by_expansion(self, subject: Node, key: str, members: Tree) -> Index:
        """Return the statements of one member of a node, with its residue, by PyLD's expansion."""
        [annotated] = annotate_members([(members, None, str(subject))], self.table, self.index)
        found = building.expanded_in_document(annotated, self.own_context, self.root)
        # An object without statements is known by its name, which begins with that of a node of the graph.
        owners = {URIRef(one) for one in owners_of(str(subject))} - {subject}
        found.update((one, self.index[one]) for one in owners if one in self.index)
        reader = Compaction(found, self.table)
        complete(annotated, annotated.objects[1:], reader)
        spellings = self._spellings(subject, key)
        read = reader.members(subject, None, spellings.__contains__)
        set_apart = annotated.objects[0].set_apart
        value = {spelled: read[spelled] for spelled in spellings if spelled in read}
        left = difference({key: annotated.objects[0].source[key]}, value, annotated.names, set_apart)
        put_residue(found, subject, left)
        return found

    def discard(self, subject: Node, key: str, node: Node) -> None:
        """Remove one object from a member of a node; an array without other values stays, empty."""
        predicate = self.reader.predicate(subject, key)
        left = residue_of(self.index, subject)
        self.record(subject)
        self._cut(node)
        _drop(self.index, subject, predicate, node)
        if key in left.members or predicate not in self.index.get(subject, {}):
            value = left.members.get(key)
            kept = [one for one in value if one != {NODE: str(node)}] if isinstance(value, list) else []
            shorter: Tree = {key: kept} if kept or predicate not in self.index.get(subject, {}) else {}
            read = self.reader.members(subject, None, key.__eq__)
            put_residue(self.index, subject, left.without(key).joined(shorter, read))

    def _cut(self, node: Node) -> None:
        """Remove the statements about a node and about the objects below it, except objects that others hold too."""
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if one in self.index and not (self.shared(one) and self._stands_twice(one)):
                waiting += [ref for value in self.reader.shallow(one).values() for ref in refs(value)]
                self.record(one)
                for held in self.index.pop(one).values():
                    self._cut_lists(held)

    def _cut_lists(self, held: Node | list[Node] | None) -> None:
        """Remove the cells of the lists among the values of a property; `_cut` removes their entries."""
        waiting = terms_of(held)[:]
        while waiting:
            cell = waiting.pop()
            if cell in self.index and self.reader.is_list(cell):
                self.record(cell)
                waiting += terms_of(self.index.pop(cell).get(REST))

    def _stands_twice(self, node: Node) -> bool:
        """Return whether more than one object holds `node` as a value, beyond mere references to it."""
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


Tree = dict[str, Any]
Read = TypeVar("Read")


class CheckpointGraph(StatementGraph):
    """The statements of one checkpoint.

    It may be read and changed as any rdflib graph. `tree`, `read` and the methods that edit members speak JSON in the
    canonical dialect; they keep names, order and residue right.
    """

    family = BENCHMARK

    def __init__(self, index: Index, root: Node) -> None:
        super().__init__(index, root)
        self._terms: tuple[object, TermTable] | None = None
        self._has_typed_texts = False
        self._shared: tuple[int, set[Node]] | None = None

    @classmethod
    def of_tree(cls, tree: Tree, expansion: str = PLANS) -> CheckpointGraph:
        """Build the graph of a canonical tree; with the expansion `pyld`, by PyLD alone.

        Raises ReadError for a tree that is no JSON-LD, or that is nested too deeply.
        """
        return cls(*built(tree, expansion))

    @property
    def own_context(self) -> Any:
        """The document's context, None if it is ours or Karenina's."""
        return decoded(residue_of(self.held, self.root).members.get("@context"))

    @property
    def table(self) -> TermTable:
        """The terms under which objects are read and written."""
        value = self.held.get(self.root, {}).get(RESIDUE)
        if self._terms is None or self._terms[0] is not value:
            self._terms = value, contexts.table(self.own_context)
        return self._terms[1]

    def tree(self) -> Tree:
        """Return the canonical tree; it has a context only if the document had one of its own."""
        return including(self.read(self.root), self.beside())

    def beside(self) -> list[Tree]:
        """Return the objects of nodes that nothing below the root leads to, which methods of rdflib can add."""
        if not self._store.has_additions:
            return []
        reader = Compaction(self.held, self.table)
        with uncollected(), limited_depth():
            reader.object(self.root)
            found = reader.beside()
        self._has_typed_texts |= reader.has_typed_texts
        return found

    @property
    def has_typed_texts(self) -> bool:
        """Whether any text that was read from the graph has a language or a datatype."""
        return self._has_typed_texts

    def read(self, subject: Node, via: Term | None = None, *, without: tuple[str, ...] = ()) -> Tree:
        """Return the JSON object of a node and of everything below it, less the members `without`.

        It is as the canonical document has it, and nothing that is done with it changes the graph. Raises
        LookupFailedError for a node without statements.
        """
        return self._read((subject,), lambda reader: reader.object(subject, via, without=without))

    def read_all(self, subjects: Sequence[Node], via: Term | None = None, *, only: Frame | None = None) -> list[Tree]:
        """Return the JSON objects of nodes, as `read` does, in a fraction of the time where they are many.

        With `only`, members that this frame does not name may be left out: `{"item": {"text": None}}` selects the
        texts of the questions in feed items.
        """
        return self._read(subjects, lambda reader: reader.objects(subjects, via, only))

    def _read(self, subjects: Sequence[Node], read: Callable[[Compaction], Read]) -> Read:
        held = self.held
        for one in subjects:
            if one not in held:
                msg = f"there is no node {one} in the graph of {self.root}"
                raise LookupFailedError(msg)
        reader = Compaction(held, self.table)
        with uncollected():
            found = read(reader)
        self._has_typed_texts |= reader.has_typed_texts
        return found

    def content(self, subject: Node, key: str) -> Any:
        """Return the JSON value of one member with all nested objects, None if it is absent."""
        return self._read((), lambda reader: reader.content(subject, key))

    def plain(self, subject: Node, key: str) -> Any:
        """Return the value of a member that is a scalar, None where there is none."""
        value = Compaction(self.held, self.table).member(subject, key)
        return None if isinstance(value, (dict, list)) else value

    def member(self, subject: Node, key: str) -> list[Node]:
        """Return the terms of the member `key` of a node, in the order of the document."""
        return Compaction(self.held, self.table).terms(subject, key)

    def append(self, subject: Node, key: str, part: Tree) -> Node:
        """Add an object at the end of the array `key` of a node; return the node of the object.

        The cost is that of the object, whatever the size of the graph.
        """
        with self._edited() as editor:
            return editor.append(subject, key, part)

    def replace(self, subject: Node, key: str, value: Any) -> None:
        """Give the member `key` of a node any JSON value, None to take it away.

        The objects that were its values go, with everything below them. The cost is that of the old value and the new.
        """
        with self._edited() as editor:
            editor.replace(subject, key, value)

    def discard(self, subject: Node, key: str, node: Node) -> None:
        """Remove an object, and all objects below it, from the member `key` of a node."""
        with self._edited() as editor:
            editor.discard(subject, key, node)

    def write(self, subject: Node, members: Tree, *, without: tuple[str, ...] = ()) -> None:
        """Replace the statements of a node, and of what it owns, by those of an object, as `read` gives it.

        The members `without` stay as they are, whatever the object has. The cost is that of the node and of what it
        owns, whatever the size of the graph.
        """
        with self._edited() as editor:
            editor.write(subject, members, without)

    @contextmanager
    def _edited(self) -> Iterator[Editor]:
        """Let an editor change the graph; others wait, also after an edit that fails and has changed something."""
        store = self._store
        with store.lock:
            editor = Editor(self.index, self.root, self.own_context, self._is_shared, store.record, self.table)
            try:
                yield editor
            finally:
                store.forget()
            if editor.renames:
                store.revision += 1

    def _is_shared(self, node: Node) -> bool:
        """Return whether more than one statement refers to `node`; edits by key add no second one."""
        revision = self._store.revision
        if self._shared is None or self._shared[0] != revision:
            referred = Counter(term for _, predicate, term in triples_of(self.held) if predicate != RDF_TYPE)
            self._shared = revision, {term for term, count in referred.items() if count > 1 and term in self.held}
        return node in self._shared[1]
