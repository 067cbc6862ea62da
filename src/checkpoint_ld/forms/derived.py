"""Derived statements: told from what a document says, and taken out again.

A graph may hold statements that follow from its others. Its root then says so, in one `rdf:JSON` literal: which
predicates and classes were derived on the document's own nodes. None of these was in use there before. Nodes that are
new are of the class `karenina:Derived`, if that is among the classes. So everything that was derived can be told from
everything that was not.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import RDF_JSON, json_of, json_text, literal_of
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index

DERIVED = URIRef(KARENINA + "derived")
"""What a root says about the statements that were derived in its graph."""

DERIVED_NODE = URIRef(KARENINA + "Derived")
"""The class of nodes that no document has."""

_DIGITS = 12


def mark_of(root: Node, predicates: Iterable[Node], classes: Iterable[Node]) -> Literal:
    """Return what the root says about a graph with derived statements: their predicates and their classes."""
    names = {"predicates": sorted(map(str, predicates)), "classes": sorted(map(str, classes))}
    return literal_of({**names, "check": _check(root, names)}, "@json")


def _check(root: Node, names: dict[str, list[str]]) -> str:
    """Return a digest, by which a mark of ours is known: a document may use the name `karenina:derived` itself."""
    text = json_text([str(root), names["predicates"], names["classes"]])
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def without_derived(index: Index) -> Index:
    """Return the statements that were not derived; `index` itself where none were, and unchanged in any case."""
    for root, predicates in index.items():
        for mark in terms_of(predicates.get(DERIVED)):
            names = _names(root, mark)
            if names is not None:
                bare = _bare(index, *(frozenset(map(URIRef, names[part])) for part in ("predicates", "classes")))
                bare[root] = _less(bare[root], DERIVED, frozenset((mark,)))
                return bare
    return index


def _names(root: Node, mark: Node) -> dict[str, list[str]] | None:
    """Return the names in a mark, None for a term that is none."""
    said: Any = json_of(mark, "@json") if isinstance(mark, Literal) and mark.datatype == RDF_JSON else None
    if not isinstance(said, dict) or said.keys() != {"predicates", "classes", "check"}:
        return None
    names = {part: said[part] for part in ("predicates", "classes")}
    if not all(isinstance(part, list) and all(isinstance(one, str) for one in part) for part in names.values()):
        return None
    return names if said["check"] == _check(root, names) else None


def _bare(index: Index, derived: frozenset[Node], classes: frozenset[Node]) -> Index:
    bare: Index = {}
    for subject, predicates in index.items():
        if DERIVED_NODE not in classes or DERIVED_NODE not in terms_of(predicates.get(RDF_TYPE)):
            kept = {predicate: held for predicate, held in predicates.items() if predicate not in derived}
            bare[subject] = _less(kept, RDF_TYPE, classes)
    return bare


def _less(
    predicates: dict[Node, Node | list[Node]], predicate: Node, gone: frozenset[Node]
) -> dict[Node, Node | list[Node]]:
    """Return what is said of a node, without the terms `gone` of one predicate."""
    held = terms_of(predicates.get(predicate))
    left = [term for term in held if term not in gone]
    if len(left) == len(held):
        return predicates
    others = {one: terms for one, terms in predicates.items() if one != predicate}
    return {**others, predicate: left if len(left) > 1 else left[0]} if left else others
