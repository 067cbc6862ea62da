"""Emission: a checkpoint graph in the RDF syntaxes and as JSON-LD; deterministic, and in full precision."""

from __future__ import annotations

import copy
import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import pyoxigraph
from rdflib import BNode, Literal

from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.annotation import suits
from checkpoint_ld.graph.checkpoint_graph import PREFIXES
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import DOUBLE, RDF_JSON, XSD_BOOLEAN, XSD_INTEGER, XSD_STRING, json_of
from checkpoint_ld.graph.store import terms_of, triples_of
from checkpoint_ld.graph.terms import is_property_value
from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.residue import Residue
    from checkpoint_ld.graph.terms import Term, Terms

Tree = dict[str, Any]

_LOCAL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*|")


class ContextStyle(StrEnum):
    """Under which context JSON-LD is written."""

    IMPROVED = "improved"
    """Ours: the same keys, and every JSON-LD 1.1 processor reads the statements that the graph holds."""
    PLAIN = "plain"
    """The one that the document came with, or else Karenina's own."""


def jsonld_of(graph: CheckpointGraph, context: ContextStyle = ContextStyle.IMPROVED) -> Tree:
    """Return the JSON-LD document of a checkpoint in the canonical dialect."""
    if context is ContextStyle.PLAIN:
        tree = graph.tree()
        own = tree.pop("@context", None)
        return {"@context": own if isinstance(own, dict) else copy.deepcopy(contexts.plain()), **tree}
    writer = _Improved(graph)
    tree = writer.object(graph.root)
    tree.pop("@context", None)
    context_of_root = contexts.with_root_terms(contexts.merged(graph.own_context), writer.root_context)
    return {"@context": copy.deepcopy(context_of_root), **tree}


class _Improved(Compaction):
    """Adds to an object the small local context that decides what a key alone cannot."""

    def __init__(self, graph: CheckpointGraph) -> None:
        super().__init__(graph.index, graph.table)
        self.root = graph.root
        self.root_context: Tree = {}

    def local_context(self, subject: Node, members: Tree, terms: Terms, via: Term | None, residue: Residue) -> Tree:
        is_property = is_property_value(members.get("@type"), via)
        local = local_context(members, terms, is_property=is_property, set_apart=residue.set_apart)
        if subject != self.root:
            return local
        self.root_context = local
        return {}


def local_context(members: Tree, terms: Terms, *, is_property: bool, set_apart: Iterable[str] = ()) -> Tree:
    """Return the context that one object needs beside the document's, empty when it needs none.

    An array, object or null as a property's value is a JSON literal; an integral float is a double; text under a key
    for dates, numbers or IRIs that is none of them is text; and what is set apart from the graph is no statement.
    """
    local: Tree = {}
    for key, value in members.items():
        if key.startswith("@"):
            continue
        if is_property and key == "value" and (value is None or isinstance(value, (dict, list))):
            local[key] = {"@type": "@json"}
            continue
        term = terms.by_key.get(key)
        needed = _needed(value, term)
        if needed is not None:
            local[key] = {"@id": term.iri, **needed} if term is not None else needed
    local.update({key: None for key in set_apart if not key.startswith("@")})
    if local and not is_property and any(isinstance(value, (dict, list)) for value in members.values()):
        return {"@propagate": False, **local}
    return local


def _needed(value: Any, term: Term | None) -> Tree | None:
    coercion = term.coercion if term is not None else None
    container = {"@container": term.container} if term is not None and term.container else {}
    values = value if isinstance(value, list) else [value]
    if coercion is None:
        if values and all(isinstance(one, float) for one in values) and any(one.is_integer() for one in values):
            return {"@type": DOUBLE, **container}
        return None
    if coercion != "@json" and not all(suits(one, coercion) for one in values):
        return container
    return None


def expanded_of(graph: CheckpointGraph) -> list[Tree]:
    """Return the statements as one expanded JSON-LD node object (JSON-LD 1.1 §5.3), each node with its name."""
    return [_expanded(graph, graph.root, set())]


def _expanded(graph: CheckpointGraph, subject: Node, seen: set[Node]) -> Tree:
    node: Tree = {"@id": _identifier(subject)}
    if subject in seen or subject not in graph.index:
        return node
    seen.add(subject)
    for predicate, held in sorted(graph.index[subject].items()):
        terms = terms_of(held)
        if predicate == RDF_TYPE:
            node["@type"] = sorted(_identifier(one) for one in terms)
        else:
            ordered = Compaction(graph.index, graph.table).in_order(terms)
            node[str(predicate)] = [_expanded_value(graph, one, seen) for one in ordered]
    return node


def _identifier(node: Node) -> str:
    return f"_:{node}" if isinstance(node, BNode) else str(node)


def _expanded_value(graph: CheckpointGraph, one: Node, seen: set[Node]) -> Tree:
    if not isinstance(one, Literal):
        return _expanded(graph, one, seen)
    if one.language:
        return {"@value": str(one), "@language": one.language}
    if one.datatype is None:
        return {"@value": str(one)}
    if one.datatype == RDF_JSON:
        return {"@value": json_of(one, "@json"), "@type": "@json"}
    if one.datatype in (XSD_BOOLEAN, XSD_INTEGER):
        value = json_of(one)
        return value if isinstance(value, dict) else {"@value": value}
    return {"@value": str(one), "@type": str(one.datatype)}


def ntriples_of(graph: CheckpointGraph) -> bytes:
    """Return N-Triples, one line a statement, sorted."""
    return _sorted_lines(graph, pyoxigraph.RdfFormat.N_TRIPLES, named=False)


def nquads_of(graph: CheckpointGraph) -> bytes:
    """Return N-Quads, sorted, in one graph that is named by the root."""
    return _sorted_lines(graph, pyoxigraph.RdfFormat.N_QUADS, named=True)


def turtle_of(graph: CheckpointGraph) -> bytes:
    """Return Turtle, subjects and predicates sorted."""
    return _text(graph, pyoxigraph.RdfFormat.TURTLE, named=False)


def trig_of(graph: CheckpointGraph) -> bytes:
    """Return TriG, subjects and predicates sorted, in one graph that is named by the root."""
    return _text(graph, pyoxigraph.RdfFormat.TRIG, named=True)


def _sorted_lines(graph: CheckpointGraph, syntax: pyoxigraph.RdfFormat, *, named: bool) -> bytes:
    text = pyoxigraph.serialize(_statements(graph, named=named), format=syntax) or b""
    lines = sorted(line for line in text.split(b"\n") if line)
    return b"".join(line + b"\n" for line in lines)


def _text(graph: CheckpointGraph, syntax: pyoxigraph.RdfFormat, *, named: bool) -> bytes:
    ordered = sorted(
        triples_of(graph.index), key=lambda triple: (triple[0], triple[1] != RDF_TYPE, triple[1], triple[2].n3())
    )
    prefixes = {
        prefix: namespace for prefix, namespace in {**PREFIXES, "xsd": XSD}.items() if _is_safe(namespace, ordered)
    }
    return pyoxigraph.serialize(_quads(graph, ordered, named=named), format=syntax, prefixes=prefixes) or b""


def _is_safe(namespace: str, triples: list[tuple[Node, Node, Node]]) -> bool:
    """Tell whether every name in a namespace can be written with a prefix: rdflib stops at escapes in names."""
    named = {str(one) for triple in triples for one in triple if not isinstance(one, Literal)}
    return all(_LOCAL_NAME.fullmatch(iri, len(namespace)) for iri in named if iri.startswith(namespace))


def _statements(graph: CheckpointGraph, *, named: bool) -> Iterable[Any]:
    return _quads(graph, triples_of(graph.index), named=named)


def _quads(graph: CheckpointGraph, triples: Iterable[tuple[Node, Node, Node]], *, named: bool) -> Iterable[Any]:
    name = pyoxigraph.NamedNode(str(graph.root)) if named else None
    for subject, predicate, term in triples:
        parts = (_node(subject), pyoxigraph.NamedNode(str(predicate)), _term(term))
        yield pyoxigraph.Quad(*parts, name) if name is not None else pyoxigraph.Triple(*parts)


def _node(node: Node) -> pyoxigraph.NamedNode | pyoxigraph.BlankNode:
    return pyoxigraph.BlankNode(str(node)) if isinstance(node, BNode) else pyoxigraph.NamedNode(str(node))


def _term(term: Node) -> pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal:
    if not isinstance(term, Literal):
        return _node(term)
    if term.language:
        return pyoxigraph.Literal(str(term), language=term.language)
    if term.datatype is None or term.datatype == XSD_STRING:
        return pyoxigraph.Literal(str(term))
    return pyoxigraph.Literal(str(term), datatype=pyoxigraph.NamedNode(str(term.datatype)))
