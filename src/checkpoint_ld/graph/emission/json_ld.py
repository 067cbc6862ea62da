"""A checkpoint graph as JSON-LD, with keys as Karenina writes them or expanded."""

from __future__ import annotations

import copy
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from rdflib import Literal

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.annotation import is_name, suits
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.graph.compaction import Compaction, including
from checkpoint_ld.graph.contexts import RDF_TYPE, expand_name, is_property_value, karenina
from checkpoint_ld.graph.emission.syntaxes import is_blank
from checkpoint_ld.graph.key_order import KEY
from checkpoint_ld.graph.literals import (
    DOUBLE,
    RDF_JSON,
    UNDECIDED,
    XSD_BOOLEAN,
    XSD_INTEGER,
    TypedText,
    is_small,
    json_of,
    native_coercion,
)
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.phrases import unknown
from checkpoint_ld.vocabulary import ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Set

    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.contexts import Term, Terms, TermTable
    from checkpoint_ld.graph.layouts import Reads, Step
    from checkpoint_ld.graph.members import Held
    from checkpoint_ld.graph.residue import Residue
    from checkpoint_ld.graph.store import StatementGraph


_TYPE = str(RDF_TYPE)
_HEAD = frozenset(("@type", "@id"))


def expanded_of(graph: StatementGraph) -> list[Tree]:
    """Return the statements as one expanded JSON-LD node object (JSON-LD 1.1 §5.3), each node with its name."""
    with uncollected():
        return [_Expansion(graph).node(graph.root)]


class _Expansion:
    """Builds node objects; each is written in full at its first occurrence."""

    def __init__(self, graph: StatementGraph) -> None:
        self._index = graph.held
        self._reader = Compaction(graph.held, karenina())
        self._seen: set[Node] = set()
        # The sorted predicates, by the predicates of a node: nodes of one kind have the same.
        self._orders: dict[tuple[Node, ...], list[tuple[str, Node]]] = {}

    def node(self, subject: Node) -> Tree:
        node: Tree = {"@id": _identifier(subject)}
        held_by = self._index.get(subject)
        if held_by is None or subject in self._seen:
            return node
        self._seen.add(subject)
        shape = tuple(held_by)
        order = self._orders.get(shape)
        if order is None:
            order = self._orders[shape] = sorted((str(predicate), predicate) for predicate in shape)
        for key, predicate in order:
            held = held_by[predicate]
            if key == _TYPE:
                node["@type"] = sorted(map(_identifier, terms_of(held)))
            elif isinstance(held, list):
                node[key] = [self._value(one) for one in self._reader.in_order(held)]
            else:
                node[key] = [self._value(held)]
        return node

    def _value(self, one: Node) -> Tree:
        return _literal(one) if isinstance(one, Literal) else self.node(one)


def _identifier(node: Node) -> str:
    return f"_:{node}" if is_blank(node) else str(node)


def _literal(one: Literal) -> Tree:
    text, datatype = str(one), one.datatype
    if one.language:
        return {"@value": text, "@language": one.language}
    if datatype is None:
        return {"@value": text}
    if datatype == RDF_JSON:
        return {"@value": json_of(one, "@json"), "@type": "@json"}
    if datatype in (XSD_BOOLEAN, XSD_INTEGER):
        value = json_of(one)
        return value if isinstance(value, dict) else {"@value": value}
    return {"@value": text, "@type": str(datatype)}


Tree = dict[str, Any]


class ContextStyle(StrEnum):
    """The context under which JSON-LD is written."""

    IMPROVED = "improved"
    """Ours: the same keys, and every JSON-LD 1.1 processor reads the same statements as the graph."""
    PLAIN = "plain"
    """The document's own context, or else Karenina's."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise SettingsError(unknown("context", str(value), cls))


def jsonld_of(
    graph: CheckpointGraph,
    context: ContextStyle = ContextStyle.IMPROVED,
    adapted: Callable[[Tree], Tree] = lambda tree: tree,
    read: Tree | None = None,
) -> Tree:
    """Return the JSON-LD document of a checkpoint in the canonical dialect.

    `adapted` returns its canonical tree with changes for writing. Objects of the tree that it does not change have to
    stay the same Python objects, because some of them have contexts. `read` is that tree, if it has been read.
    """
    if context is ContextStyle.PLAIN:
        tree = adapted(graph.tree() if read is None else read)
        own = tree.get("@context")
        outer = own if isinstance(own, dict) else copy.deepcopy(contexts.plain())
        return _under(outer, {}, tree, has_typed_texts=graph.has_typed_texts)
    writer = _Improved(graph)
    with uncollected():
        bare = {**writer.object(graph.root), "@context": writer.root_context}
    whole = _with_contexts(bare, adapted(including(bare, graph.beside())), None, graph.table)
    outer = copy.deepcopy(contexts.merged(graph.own_context))
    return _under(
        outer, whole.get("@context", {}), whole, has_typed_texts=writer.has_typed_texts or graph.has_typed_texts
    )


def _under(context: Tree, local: Tree, tree: Tree, *, has_typed_texts: bool) -> Tree:
    members = {key: value for key, value in tree.items() if key != "@context"}
    if has_typed_texts:
        members, typings = _typed_members(members)
        local = {**local, **typings}
    return {"@context": contexts.with_root_terms(context, local), **members}


def _typed(value: Any) -> Any:
    """Return JSON in which local contexts give the language or the datatype of texts."""
    if isinstance(value, list):
        return [_typed(one) for one in value]
    if not isinstance(value, dict):
        return str(value) if isinstance(value, TypedText) else value
    members, typings = _typed_members(value)
    if not typings:
        return members
    return {**members, "@context": _scoped({**members.get("@context", {}), **typings}, members)}


def _typed_members(value: Tree) -> tuple[Tree, Tree]:
    """Return the members of an object, and term definitions for those that are texts of one type."""
    members: Tree = {}
    typings: Tree = {}
    for key, one in value.items():
        texts = one if isinstance(one, list) else [one]
        typed = [text.definition for text in texts if isinstance(text, TypedText)]
        is_alike = len(typed) == len(texts) and all(definition == typed[0] for definition in typed)
        if not typed or (is_alike and not key.startswith("@")):
            members[key] = _typed(one)
            if typed:
                container = {"@container": "@set"} if isinstance(one, list) else {}
                typings[key] = {"@id": expand_name(key), **typed[0], **container}
        else:  # no context can distinguish these, or define the keyword of a list
            members[key] = [text.value_object if isinstance(text, TypedText) else _typed(text) for text in texts]
    return members, typings


class _Improved(Compaction):
    """Adds a small local context to an object where the key alone does not decide the meaning."""

    adds_contexts = True

    def __init__(self, graph: CheckpointGraph) -> None:
        super().__init__(graph.held, graph.table)
        self.root = graph.root
        self.root_context: Tree = {}

    def literal(self, term: Literal, step: Step) -> Any:
        """Return the value of a literal, which is remembered if it needs no context."""
        value, coercion = self._value(term, step), step.term.coercion if step.term is not None else None
        if _may_need(value, coercion):
            self.needs_context = True
        elif type(value) is not TypedText:
            self.values[step.memo][id(term)] = value
        return value

    def member_value(self, held: list[Node], step: Step, values: Callable[[Iterable[Node]], list[Any]]) -> Any:
        self.needs_context |= step.coercion == "@json"  # several values of a property
        return super().member_value(held, step, values)

    def with_context(
        self, subject: Node, held: Held, reads: Reads, row: Tree, corrected: tuple[Residue, Tree] | None = None
    ) -> Tree:
        """Return an object with the context that it needs."""
        if corrected is None:
            if not self.needs_context:
                return row
            local = self._local(subject, self._as_found(reads, held, row), reads, ())
            return {"@context": local, **row} if local else row
        residue, filled = corrected
        if not self.needs_context and subject != self.root and _HEAD.isdisjoint(filled):
            is_property = is_property_value(row.get("@type"), reads.via)
            if not local_context(filled, reads.terms, is_property=is_property, set_apart=residue.set_apart):
                return row
        members = {**self._as_found(reads, held, row), **filled}
        local = self._local(subject, members, reads, residue.set_apart)
        return ordered({**members, "@context": local} if local else members, reads.slot)

    @staticmethod
    def _as_found(reads: Reads, held: Held, members: Tree) -> Tree:
        """Return the members of an object in the order of the index."""
        keys = ("@type", "@id", *(step.key for step in map(reads.step, held) if step is not None), KEY)
        return {key: members[key] for key in keys if key in members}

    def _local(self, subject: Node, members: Tree, reads: Reads, set_apart: Iterable[str]) -> Tree:
        for key in ("@type", "@id"):
            if key in members and not is_name(members[key], is_type=key == "@type"):
                del members[key]  # no processor would read the document, which a finding of reading reports
        is_property = is_property_value(members.get("@type"), reads.via)
        local = local_context(members, reads.terms, is_property=is_property, set_apart=set_apart)
        if subject != self.root:
            return local
        self.root_context = local
        return {}


def _with_contexts(before: Any, after: Any, via: Term | None, table: TermTable) -> Any:
    """Return a value whose objects have the contexts that they need.

    `before` is the value before some of its members changed.
    """
    if after is before or not isinstance(after, (dict, list)):
        return after
    if isinstance(after, list):
        known = {*map(id, before)} if isinstance(before, list) else set()
        olds = before if known and len(before) == len(after) else [None] * len(after)
        pairs = zip(olds, after, strict=True)
        return [new if id(new) in known else _with_contexts(old, new, via, table) for old, new in pairs]
    old = before if isinstance(before, dict) else {}
    terms, is_property = table.at(via, after.get("@type")), is_property_value(after.get("@type"), via)
    members = {
        key: one
        if is_property and _is_json(key, one)
        else _with_contexts(old.get(key), one, terms.by_key.get(key), table)
        for key, one in after.items()
        if key != "@context"
    }
    set_apart = [key for key, one in old.get("@context", {}).items() if one is None]
    local = local_context(members, terms, is_property=is_property, set_apart=set_apart)
    return {"@context": local, **members} if local or old.get("@context") == {} else members


def _may_need(value: Any, coercion: str | None) -> bool:
    """Return whether an object may need a context for one value of a literal under a key with a coercion."""
    kind = type(value)
    if kind is str:
        return coercion is not None and not suits(value, coercion)
    if coercion is None and (kind is bool or (kind is int and is_small(value))):
        return False
    return not (coercion == DOUBLE and kind is float)


def local_context(members: Tree, terms: Terms, *, is_property: bool, set_apart: Iterable[str] = ()) -> Tree:
    """Return the context that one object needs beside the document's, empty if it needs none.

    An array, object or null as a property's value is a JSON literal. An integral float is a double. Text under a key
    for dates, numbers or IRIs that is none of them is text. What is set apart from the graph is no statement.
    """
    local: Tree = {}
    for key, value in members.items():
        if key.startswith("@"):
            continue
        if is_property and _is_json(key, value):
            local[key] = {"@type": "@json"}
            continue
        term = terms.by_key.get(key)
        if type(value) is str and (term is None or term.coercion is None):
            continue
        needed = _needed(value, term)
        if needed is not None:
            local[key] = {"@id": term.iri, **needed} if term is not None else needed
    local.update({key: None for key in set_apart if not key.startswith("@")})
    if not local:
        return local
    return _scoped(local, {key: one for key, one in members.items() if not (is_property and _is_json(key, one))})


def _scoped(local: Tree, members: Tree) -> Tree:
    """Return the context of an object so that it changes no key of the objects below it.

    `@propagate` is used only if needed: rdflib 7.6 ignores a context that has it (JSON-LD 1.1 §4.1.4).
    """
    local = {key: value for key, value in local.items() if key != "@propagate"}
    return {"@propagate": False, **local} if local and is_below(members, local.keys()) else local


def is_below(value: Any, keys: Set[str]) -> bool:
    """Return whether an object below `value` has one of `keys`."""
    if isinstance(value, dict):
        value = [one for key, one in value.items() if key != "@context"]
    below = value if isinstance(value, list) else ()
    return any((isinstance(one, dict) and not keys.isdisjoint(one)) or is_below(one, keys) for one in below)


def _is_json(key: str, value: Any) -> bool:
    """Return whether a member is the value of a property, and no scalar."""
    return key == "value" and (value is None or isinstance(value, (dict, list)))


def _needed(value: Any, term: Term | None) -> Tree | None:
    coercion = term.coercion if term is not None else None
    if coercion in ("@json", DOUBLE) and all(suits(one, coercion) for one in _entries(value)):
        return None
    native = native_coercion(value)
    container = {"@container": term.container} if term is not None and term.container else {}
    if native is not None:
        return {"@type": native} if native == UNDECIDED else {"@type": native, **container}
    if coercion is not None and not all(suits(one, coercion) for one in _entries(value)):
        return container
    return None


def _entries(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
