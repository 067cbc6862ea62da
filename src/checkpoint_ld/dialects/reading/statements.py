"""Statements: the only checkpoint in a set of RDF statements, as a tree in plain keys.

`of_index` recognises graphs that we made by their residue or minted IRIs and restores their documents. Other graphs are
read with their own lists, blank nodes and namespaces. Statements that inference added (`mark_of`) are ignored.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import re
from itertools import chain
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from rdflib import BNode, Literal, URIRef

from checkpoint_ld import dialects
from checkpoint_ld.dialects.reading.literal_form import STRUCTURE, Normalization, Plain, Tree
from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.graph import contexts, literals
from checkpoint_ld.graph.annotation import is_undecided
from checkpoint_ld.graph.compaction import Compaction, including
from checkpoint_ld.graph.contexts import ESCAPED, IDENTIFIER, OWN_LABEL, RDF_TYPE, VERBATIM
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import (
    DOUBLE,
    RDF_JSON,
    XSD_INTEGER,
    TypedText,
    double_text,
    escaped,
    json_of,
    json_text,
    literal_of,
)
from checkpoint_ld.graph.members import is_position
from checkpoint_ld.graph.residue import RESIDUE, decoded, refs, residue_of
from checkpoint_ld.graph.store import Index, terms_of, triples_of
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term, TermTable
    from checkpoint_ld.graph.layouts import Step


ROOT_TYPES = (URIRef(SCHEMA + "DataFeed"), URIRef(SCHEMA + "Dataset"))
_ELEMENTS = URIRef(SCHEMA + "dataFeedElement")
_INDEX = URIRef(ESCAPED + escaped("@index"))
_KEPT_IDENTIFIER = URIRef(ESCAPED + escaped("@id"))
_OBJECT_LISTS = frozenset(("few_shot_examples", "sources"))
_LISTS = _OBJECT_LISTS | {"metrics", "tp_instructions", "tn_instructions"}
"""Settings whose value is always an array. Statements do not distinguish an array of one entry from the entry."""
_IN_ORDER = frozenset(
    ("dataFeedElement", "hasPart", "rating", "additionalProperty", "nodes", "edges", "outcomeCriteria")
)
"""Members whose objects have a position that says no more than their order; that of others is content."""


def roots(index: Index) -> list[Node]:
    """Return the root nodes of checkpoints: feeds or datasets that no other node refers to."""
    typed = [
        subject
        for subject, predicates in index.items()
        if any(kind in ROOT_TYPES for kind in terms_of(predicates.get(RDF_TYPE)))
    ]
    found = typed or [subject for subject, predicates in index.items() if _ELEMENTS in predicates]
    return found if len(found) < 2 else _not_held(index, found)


def _not_held(index: Index, found: list[Node]) -> list[Node]:
    """Return the nodes that no other node refers to; of nodes in a cycle, one with elements."""
    reader = Compaction(index, contexts.karenina())
    held = {node: {*refs([*reader.shallow(node).values()])} - {node} for node in index}
    below = {node for nodes in held.values() for node in nodes}
    tops: list[Node] = []
    reached: set[Node] = set()
    for top in sorted(found, key=lambda node: (node in below, _ELEMENTS not in index[node], str(node))):
        if top not in below or top not in reached:
            tops.append(top)
            waiting = [top]
            while waiting:
                node = waiting.pop()
                if node not in reached:
                    reached.add(node)
                    waiting += held.get(node, ())
    return tops


def of_index(index: Index, form: str, *, as_found: bool, is_of_today: bool | None = None) -> Plain | None:
    """Rewrite the only checkpoint in a set of statements in plain keys; None if there is not exactly one.

    Derived statements (`without_derived`) are ignored, because they follow from the others. With `as_found`, the index
    has the order of a document. `is_of_today` is whether the vocabulary is https://schema.org/, None if the statements
    tell. Raises ReadError (E-DEPTH) for a checkpoint that is nested too deeply.
    """
    index = without_derived(index)
    if any(
        predicate == RESIDUE
        or (predicate == IDENTIFIER and not as_found)  # reading a document gives some to its own identifiers
        or any(isinstance(term, URIRef) and literals.is_minted(str(term)) for term in (subject, value))
        for subject, predicate, value in triples_of(index)
    ):
        return _of_ours(index, form, as_found=as_found)
    if is_of_today is None:
        is_of_today = any(str(predicate).startswith(SCHEMA) for held in index.values() for predicate in held)
    index = _in_our_vocabulary(index)
    found = roots(index)
    if len(found) != 1:
        return None
    with limited_depth():
        foreign = _ForeignReader(index, contexts.karenina(), as_found=as_found)
        tree = _normalized(including(foreign.object(found[0]), foreign.beside()))
    if is_of_today and not dialects.is_gui_feed(tree):
        tree = _canonical(tree)
    return Plain(tree, (form,), None, has_typed_texts=foreign.has_typed_texts)


def _of_ours(index: Index, form: str, *, as_found: bool) -> Plain | None:
    """Return the tree of a graph that we made, which has residue, identifiers as text, or minted IRIs.

    Only statements of a document (`as_found`) have keys and values that `Placeholders` kept unchanged.
    """
    found = roots(index) or roots(index := _in_our_vocabulary(index))
    if len(found) != 1:
        return None
    table = contexts.table(decoded(residue_of(index, found[0]).members.get("@context")))
    with limited_depth():
        reader = _Reader(index, table) if as_found else Compaction(index, table)
        tree = including(reader.object(found[0]), reader.beside())
    tree = _canonical(tree) if "@context" not in tree else tree
    return Plain(tree, (form,), None, has_typed_texts=reader.has_typed_texts)


def _canonical(tree: Tree) -> Tree:
    """Return a tree with the @context by which the canonical dialect is recognised."""
    return {"@context": copy.deepcopy(contexts.plain()), **tree} if dialects.is_feed(tree) else tree


def _in_our_vocabulary(index: Index) -> Index:
    """Return the statements with http://schema.org/ read as https, and schema.org's `rating` as our `contentRating`."""
    renamed: dict[Node, Node] = {URIRef(SCHEMA + "rating"): URIRef(SCHEMA + "contentRating")}

    def ours(term: Node) -> Node:
        if isinstance(term, Literal) or not str(term).startswith(SCHEMA_HTTP):
            return renamed.get(term, term)
        https = URIRef(SCHEMA + str(term)[len(SCHEMA_HTTP) :])
        return renamed.get(https, https)

    result: Index = {}
    for subject, predicates in index.items():
        into = result.setdefault(ours(subject), {})
        for predicate, held in predicates.items():
            joined = [*terms_of(into.get(ours(predicate))), *map(ours, terms_of(held))]
            into[ours(predicate)] = joined if len(joined) > 1 else joined[0]
    return result


class _Reader(Compaction):
    """Reads node objects of statements in which `Placeholders` kept keys and values unchanged."""

    has_plain_types = False
    renames = True

    def renamed(self, subject: Node, row: Tree, via: Term | None) -> Tree:  # noqa: ARG002 - as there
        """Return the members of a node, those that were kept under their own keys."""
        return {_unescaped(key) if key.startswith(f"{ESCAPED}@") else key: value for key, value in row.items()}

    def member_value(self, held: list[Node], step: Step, values: Callable[[Iterable[Node]], list[Any]]) -> Any:
        if len(held) == 1 and _is_verbatim(held[0]):
            return values(held)[0]
        return super().member_value(held, step, values)

    def _value(self, one: Node, step: Step) -> Any:
        return _kept(one) if _is_verbatim(one) else super()._value(one, step)


def _labelled(index: Index) -> set[Node]:
    """Return the blank nodes that need a label.

    Several statements refer to them, or they refer to themselves, or they are types.
    """
    holders: dict[Node, list[Node]] = {}
    found: set[Node] = set()
    for subject, predicate, value in triples_of(index):
        if type(value) is BNode:
            holders.setdefault(value, []).append(subject)
            if predicate == RDF_TYPE:
                found.add(value)
    found |= {node for node, held in holders.items() if len(held) > 1}
    for node in holders.keys() - found:
        passed = {node}
        holder = holders[node][0]
        while holder not in passed and len(holders.get(holder, ())) == 1:
            passed.add(holder)
            holder = holders[holder][0]
        if holder == node:
            found.add(node)
    return found


def _labels_kept(index: Index) -> Iterator[str]:
    """Yield the labels of blank nodes in the values that were kept unchanged."""
    for _, _, value in triples_of(index):
        if _is_verbatim(value):
            yield from _LABEL.findall(str(value))


_LABEL = re.compile(r'"(_:[^"\\]+)"')


class _ForeignReader(_Reader):
    """Reads statements that others have made, with RDF lists and other names for keys."""

    def __init__(self, index: Index, table: TermTable, *, as_found: bool = False) -> None:
        super().__init__(index, table, as_found=as_found)
        self._labelled = _labelled(index)
        own: dict[Node, str] = {
            node: f"_:{node[len(OWN_LABEL) :]}"
            for node in (*index, *(value for _, _, value in triples_of(index)))
            if type(node) is BNode and node.startswith(OWN_LABEL)
        }
        self._labels = {node: label for node, label in own.items() if node in index or node in self._labelled}
        self._used = {*own.values(), *_labels_kept(index)}

    def identifier(self, subject: Node) -> str | None:
        """Return the text of a node's `@id`; a blank node to which several statements refer has a label."""
        found = super().identifier(subject)
        if found is not None or subject not in self._labelled:
            return found
        kept = terms_of(self.index.get(subject, {}).get(_KEPT_IDENTIFIER))
        if kept:
            return str(_kept(kept[0]))
        if subject not in self._labels:
            count = len(self._used)
            while f"_:b{count}" in self._used:
                count += 1
            self._labels[subject] = f"_:b{count}"
            self._used.add(self._labels[subject])
        return self._labels[subject]

    def kind_of(self, held: Node | list[Node] | None) -> str | list[str] | None:
        """Return the type or types of a node; one that is a blank node has its label."""
        named = [URIRef(self.identifier(one) or "") if type(one) is BNode else one for one in terms_of(held)]
        kinds = [self.type_name(str(one)) for one in named]
        return sorted(kinds) if len(kinds) > 1 else kinds[0] if kinds else None

    def renamed(self, subject: Node, row: Tree, via: Term | None) -> Tree:
        """Return the members of a node under plain keys, with a position that is content."""
        read = super().renamed(subject, row, via)
        position = self.index.get(subject, {}).get(POSITION)
        if position is not None and is_position(position) and (via is None or via.key not in _IN_ORDER):
            read["position"] = json_of(cast("Literal", terms_of(position)[0]))
        if via is not None and via.container == "@index":
            read.pop("@index", None)  # it is the key of the object
        named = {key: _plain_key(key) for key in read}
        return {name if name not in read else key: read[key] for key, name in named.items()}

    @staticmethod
    def type_name(iri: str) -> str:
        return _Reader.type_name(_unescaped(iri))

    def member_value(self, held: list[Node], step: Step, values: Callable[[Iterable[Node]], list[Any]]) -> Any:
        if not any(map(self.is_list, held)) or (step.term is None and step.coercion is None):
            found = super().member_value(held, step, values)  # a list of others stays one
            if self.as_found or not isinstance(found, list) or not is_undecided(found, step.term):
                return found
            return [
                TypedText(double_text(one), None, DOUBLE).value_object if type(one) is float else one for one in found
            ]
        entries = chain.from_iterable(self.entries(node) if self.is_list(node) else [node] for node in held)
        return values(entries)

    def _value(self, one: Node, step: Step) -> Any:
        if _is_verbatim(one) or not self.as_found or not isinstance(one, Literal):
            return super()._value(one, step)
        if one.datatype == XSD_INTEGER and step.coercion == DOUBLE:
            return super()._value(one, step._replace(coercion=None))  # an integer of the document stays one
        if one.datatype is None and one.language is None:
            return str(one)  # a text under a full IRI is one under the plain key
        return super()._value(one, step)

    def in_order(self, held: list[Node]) -> list[Node]:
        if not self.as_found:
            return super().in_order(held)
        # a flattened document has its nodes in any order
        return sorted(held, key=lambda one: math.inf if isinstance(one, Literal) else self._place(one))

    def map_key(self, node: Node) -> str:
        held = self.index.get(node, {}).get(_INDEX)
        return super().map_key(node) if held is None else str(_kept(terms_of(held)[0]))

    def _rank(self, node: Node) -> tuple[float, str]:
        return self._place(node), ""  # blank node identifiers are random, so the order of the file counts

    def inside(self, node: Node, via: Term | None) -> Tree:
        """Return the object of a node where it stands first, and references to it elsewhere."""
        if (node in self.seen or node not in self.index) and self.identifier(node) is not None:
            return {"@id": self.identifier(node)}
        return super().inside(node, via)


def _is_verbatim(term: Node) -> bool:
    """Return whether a term is a value of a document that `Placeholders` kept unchanged."""
    return isinstance(term, Literal) and term.datatype == VERBATIM


def _kept(term: Node) -> Any:
    """Return the value that a term keeps unchanged."""
    return json.loads(str(term)) if _is_verbatim(term) else str(term)


def _unescaped(iri: str) -> str:
    if not iri.startswith(ESCAPED):
        return iri
    text = unquote(iri[len(ESCAPED) :])
    return SCHEMA + text[len(SCHEMA_HTTP) :] if text.startswith(SCHEMA_HTTP) else text


def _plain_key(key: str) -> str:
    """Return the local name of a key of schema.org, or of a key that is no IRI."""
    iri = _unescaped(key)
    local = iri.removeprefix(SCHEMA)
    return local if ":" not in local[1:] and not local.startswith("@") else iri


def _normalized(tree: Tree) -> Tree:
    """Return a tree with arrays and single objects where the canonical dialect has them."""
    tree = Normalization(contexts.karenina()).root(tree)
    tree.setdefault("hasPart" if tree.get("@type") == "Dataset" else "dataFeedElement", [])
    for setting in _settings(tree):
        value = setting.get("value", [])
        name = str(setting.get("name"))
        is_one = isinstance(value, dict) if name in _OBJECT_LISTS else not isinstance(value, list)
        if is_one and name in _LISTS:
            setting["value"] = [value]
    return tree


def _settings(holder: Any) -> Iterator[Tree]:
    """Iterate over the properties of a checkpoint and of all objects that make it up."""
    if isinstance(holder, list):
        for entry in holder:
            yield from _settings(entry)
    elif isinstance(holder, dict):
        yield from (entry for entry in holder.get("additionalProperty") or () if isinstance(entry, dict))
        for key in STRUCTURE & holder.keys():
            yield from _settings(holder[key])


DERIVED = URIRef(KARENINA + "derived")
"""The predicate of a root whose value is the mark of the derived statements in its graph."""

DERIVED_NODE = URIRef(KARENINA + "Derived")
"""The class of nodes that no document has."""

_DIGITS = 12


def mark_of(root: Node, predicates: Iterable[Node], classes: Iterable[Node]) -> Literal:
    """Return the mark of a graph with derived statements: a JSON literal with their predicates and classes."""
    names = {"predicates": sorted(map(str, predicates)), "classes": sorted(map(str, classes))}
    return literal_of({**names, "check": _check(root, names)}, "@json")


def _check(root: Node, names: dict[str, list[str]]) -> str:
    """Return a digest that identifies our marks, because a document may use `karenina:derived` itself."""
    text = json_text([str(root), names["predicates"], names["classes"]])
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def without_derived(index: Index) -> Index:
    """Return the statements that were not derived; `index` itself where none were, and unchanged in any case."""
    for root, predicates in index.items():
        for mark in terms_of(predicates.get(DERIVED)):
            names = _names(root, mark)
            if names is not None:
                bare = _without_terms(
                    index, *(frozenset(map(URIRef, names[part])) for part in ("predicates", "classes"))
                )
                bare[root] = _without(bare[root], DERIVED, frozenset((mark,)))
                return bare
    return index


def _names(root: Node, mark: Node) -> dict[str, list[str]] | None:
    """Return the names in a mark, None for a term that is no mark."""
    members: Any = json_of(mark, "@json") if isinstance(mark, Literal) and mark.datatype == RDF_JSON else None
    if not isinstance(members, dict) or members.keys() != {"predicates", "classes", "check"}:
        return None
    names = {part: members[part] for part in ("predicates", "classes")}
    if not all(isinstance(part, list) and all(isinstance(name, str) for name in part) for part in names.values()):
        return None
    return names if members["check"] == _check(root, names) else None


def _without_terms(index: Index, derived: frozenset[Node], classes: frozenset[Node]) -> Index:
    bare: Index = {}
    for subject, predicates in index.items():
        if DERIVED_NODE not in classes or DERIVED_NODE not in terms_of(predicates.get(RDF_TYPE)):
            kept = {predicate: held for predicate, held in predicates.items() if predicate not in derived}
            bare[subject] = _without(kept, RDF_TYPE, classes)
    return bare


def _without(
    predicates: dict[Node, Node | list[Node]], predicate: Node, gone: frozenset[Node]
) -> dict[Node, Node | list[Node]]:
    """Return the predicates of a node without the terms `gone` of one of them."""
    held = terms_of(predicates.get(predicate))
    left = [term for term in held if term not in gone]
    if len(left) == len(held):
        return predicates
    others = {name: terms for name, terms in predicates.items() if name != predicate}
    return {**others, predicate: left if len(left) > 1 else left[0]} if left else others
