"""JSON-LD as other processors read it, to be compared with our own graph.

Statements are counted in a form in which minted names, the spelling of numbers and that of JSON do not show.
"""

import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pyoxigraph
import rdflib
from pyld import jsonld
from pyoxigraph import BlankNode, CanonicalizationAlgorithm, NamedNode, Quad, RdfFormat

from checkpoint_ld.graph import contexts, emission, literals
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.store import StatementGraph
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, SCHEMA

Json = Any
Statements = Counter[tuple[str, ...]]

PROCESSORS = ("PyLD", "pyoxigraph", "rdflib")

_OURS_ALONE = {SCHEMA + "position", KARENINA + "residue", KARENINA + "identifier"}


def statements_of(processor: str, document: Json) -> Statements:
    """Count what a JSON-LD processor reads."""
    if processor == "PyLD":
        quads = jsonld.to_rdf(document, contexts.options()).get("@default", [])
        return _counted([_term_of_pyld(quad[part]) for part in ("subject", "predicate", "object")] for quad in quads)
    text = json.dumps(document)
    if processor == "rdflib":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # rdflib's parser uses its own old classes
            read_by_rdflib = rdflib.Graph().parse(data=text, format="json-ld")
        return _counted(map(_term_of_rdflib, triple) for triple in read_by_rdflib)
    read = pyoxigraph.parse(text, format=RdfFormat.JSON_LD, base_iri=ID_BASE, lenient=True)
    return _counted(one.triple for one in read)


def statements_of_graph(graph: StatementGraph) -> Statements:
    """Count what our graph states, without what JSON-LD says in another way."""
    read = pyoxigraph.parse(emission.ntriples_of(graph), format=RdfFormat.N_TRIPLES)
    return _counted(one.triple for one in read if one.predicate.value not in _OURS_ALONE)


def canonical_of_pyld(document: Json) -> Any:
    """Return the graph that PyLD reads, to be compared with `canonical_of_graph`: equal if they are isomorphic."""
    quads = jsonld.to_rdf(document, contexts.options()).get("@default", [])
    return _canonical([_term_of_pyld(quad[part]) for part in ("subject", "predicate", "object")] for quad in quads)


def canonical_of_graph(graph: CheckpointGraph) -> Any:
    """Return our graph with blank nodes in place of minted names, without what JSON-LD says in another way."""
    read = pyoxigraph.parse(emission.ntriples_of(graph), format=RdfFormat.N_TRIPLES)
    return _canonical(one.triple for one in read if one.predicate.value not in _OURS_ALONE)


def _canonical(triples: Iterable[Iterable[Any]]) -> frozenset[str]:
    found = pyoxigraph.Dataset()
    for subject, predicate, term in triples:
        name = predicate.value if isinstance(predicate, NamedNode) else predicate
        found.add(Quad(_renamed(subject), NamedNode(literals.iri_of(name)), _renamed(term)))
    found.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return frozenset(map(str, found))


def _renamed(term: Any) -> Any:
    if isinstance(term, BlankNode):
        return term
    text = _comparable(term)
    if isinstance(term, pyoxigraph.Literal):
        return pyoxigraph.Literal(text)
    name = term.value if isinstance(term, NamedNode) else term
    return BlankNode("m" + hashlib.sha256(name.encode()).hexdigest()) if text == "[]" else NamedNode(text)


def _counted(triples: Iterable[Iterable[Any]]) -> Statements:
    return Counter(tuple(map(_comparable, triple)) for triple in {tuple(triple) for triple in triples})


def _term_of_pyld(term: dict[str, str]) -> Any:
    if term["type"] == "literal":
        return _literal(term["value"], term["datatype"], term.get("language"))
    return BlankNode(term["value"][2:]) if term["type"] == "blank node" else term["value"]


def _term_of_rdflib(term: Any) -> Any:
    if isinstance(term, rdflib.Literal):
        return _literal(str(term), term.datatype, term.language)
    return BlankNode(str(term)) if isinstance(term, rdflib.BNode) else str(term)


def _literal(text: str, datatype: str | None, language: str | None) -> pyoxigraph.Literal:
    if language:
        return pyoxigraph.Literal(text, language=language)
    return pyoxigraph.Literal(text, datatype=NamedNode(datatype) if datatype else None)


def _comparable(term: Any) -> str:
    if isinstance(term, BlankNode):
        return "[]"
    if not isinstance(term, pyoxigraph.Literal):
        name = term.value if isinstance(term, NamedNode) else term
        return "[]" if literals.is_minted(name) else literals.iri_of(name)
    datatype = term.datatype.value.rpartition("#")[2]
    if datatype == "JSON":
        value = json.loads(term.value, parse_int=float, parse_float=lambda text: float(text) + 0.0)
        return json.dumps(value, sort_keys=True)
    if datatype in ("double", "integer"):
        return f"{float(term.value) + 0.0:.12e} {datatype}"
    return f"{term.value!r} {datatype} {term.language}"
