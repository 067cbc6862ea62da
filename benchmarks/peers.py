"""What others do, job by job: each of them in the way that its documentation shows first."""

from __future__ import annotations

import json
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyoxigraph
import pyshacl
import shifty
from ours import QUERIES, graph_of, ntriples_of
from plain_models import Feed, Item
from pyld import jsonld
from rdflib import BNode, Graph, Literal, Namespace, URIRef
from ways import RICH, Way, same

from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.validation import profiles
from checkpoint_ld.validation.constraints.components import register
from checkpoint_ld.validation.inference import infer
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, SCHEMA, SHACL

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rdflib.term import Node

FLOOR = "file → objects, without rules or RDF"
"""The job that is less than anything of ours: what reading costs at all."""
JSON, JSON_AND_PYDANTIC = "json", "json + pydantic"
EXTERNAL = {"base": "urn:x:base"}
SCHEMA_ORG = Namespace(SCHEMA)


def models_of(path: Path) -> Feed:
    """Read a file into pydantic models."""
    return Feed.model_validate_json(path.read_bytes())


def expanded_graph(path: Path) -> Graph:
    """Read a file by PyLD into a graph of rdflib."""
    text = jsonld.to_rdf(json.loads(path.read_bytes()), {"format": "application/n-quads", **EXTERNAL})
    return Graph().parse(data=text, format="nt")


def parsed_graph(path: Path) -> Graph:
    """Read a file by rdflib's own parser of JSON-LD."""
    return Graph().parse(path, format="json-ld")


def loaded_store(path: Path) -> pyoxigraph.Store:
    """Read a file into a store of Oxigraph, in memory."""
    store = pyoxigraph.Store()
    store.load(path=path, format=pyoxigraph.RdfFormat.JSON_LD, base_iri=EXTERNAL["base"])
    return store


def transcoded(path: Path) -> bytes:
    """Turn a file into N-Triples by pyoxigraph, without a store."""
    quads = pyoxigraph.parse(path=path, format=pyoxigraph.RdfFormat.JSON_LD, base_iri=EXTERNAL["base"])
    triples = (quad.triple for quad in quads)
    written: bytes | None = pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert written is not None  # noqa: S101 - no file was named to write to
    return written


def plain_graph(triples: Iterable[tuple[Node, Node, Node]]) -> Graph:
    """Return triples in rdflib's own store."""
    graph = Graph()
    for triple in triples:
        graph.add(triple)
    return graph


def derived_graph(path: Path) -> Graph:
    """Return what our shapes look at, in rdflib's own store: a file's statements and what follows from them."""
    graph = graph_of(path)
    return plain_graph(chain(triples_of(graph.index), triples_of(infer(graph))))


@cache
def shapes() -> Graph:
    """Return our shapes, in rdflib's own store."""
    register()
    return plain_graph(triples_of(profiles.profile().statements()))


@cache
def core_shapes() -> Graph:
    """Return those of our shapes that need neither SPARQL nor constraint components of ours."""
    sparql = URIRef(SHACL + "sparql")
    left_out = {one for one in shapes().subjects() if str(one).startswith(CHECKPOINT_SHACL.removesuffix("#"))}
    left_out |= set(shapes().objects(None, sparql))
    while parts := {one for node in left_out for one in shapes().objects(node) if isinstance(one, BNode)} - left_out:
        left_out |= parts
    kept = (triple for triple in shapes() if triple[0] not in left_out and triple[1] != sparql)
    return plain_graph(triple for triple in kept if not str(triple[1]).startswith(CHECKPOINT_SHACL))


def shifty_verdict(graph: Graph) -> object:
    """Hold a graph against the shapes that a second engine knows how to read."""
    return shifty.validate(graph, shacl_graph=core_shapes(), infer=False)


def mapped(graph: Graph) -> list[Item]:
    """Make models of the questions in a graph, value by value, as one does with rdflib."""
    return [_item(graph, node) for node in graph.objects(None, SCHEMA_ORG.dataFeedElement)]


def _item(graph: Graph, node: Node) -> Item:
    asked = graph.value(node, SCHEMA_ORG.item)
    question = {
        "text": graph.value(asked, SCHEMA_ORG.text),
        "acceptedAnswer": {"text": graph.value(graph.value(asked, SCHEMA_ORG.acceptedAnswer), SCHEMA_ORG.text)},
        "hasPart": {"text": graph.value(graph.value(asked, SCHEMA_ORG.hasPart), SCHEMA_ORG.text)},
        "rating": [_rating(graph, one) for one in graph.objects(asked, SCHEMA_ORG.contentRating)],
        "additionalProperty": _properties(graph, asked),
        "keywords": [str(one) for one in graph.objects(asked, SCHEMA_ORG.keywords)],
    }
    dates = {name: str(graph.value(node, SCHEMA_ORG[name])) for name in ("dateCreated", "dateModified")}
    return Item.model_validate({"@id": str(node), "item": question, **dates})


def _rating(graph: Graph, node: Node) -> dict[str, Any]:
    names = ("name", "description", "additionalType", "bestRating", "worstRating")
    told = {name: graph.value(node, SCHEMA_ORG[name]) for name in names}
    return {**{name: _plain(value) for name, value in told.items()}, "additionalProperty": _properties(graph, node)}


def _properties(graph: Graph, node: Node | None) -> list[dict[str, Any]]:
    entries = graph.objects(node, SCHEMA_ORG.additionalProperty)
    pairs = ((graph.value(one, SCHEMA_ORG.name), graph.value(one, SCHEMA_ORG.value)) for one in entries)
    return [{"name": name, "value": _plain(value)} for name, value in pairs]


def _plain(value: Node | None) -> Any:
    return value.toPython() if isinstance(value, Literal | URIRef) else None


def naive(given: tuple[Path, Graph]) -> object:
    """Read a file by PyLD, validate by pySHACL, map by rdflib: each library as it comes.

    The statements that follow from those of the file, which the shapes look at, are a gift.
    """
    path, derived = given
    graph = expanded_graph(path)
    return pyshacl.validate(derived, shacl_graph=shapes()), mapped(graph)


def rdflib_graph(path: Path) -> Graph:
    """Return a file's statements, as we read them, in rdflib's own store."""
    return Graph().parse(data=ntriples_of(path), format="nt")


def store_of(path: Path) -> pyoxigraph.Store:
    """Return a file's statements, as we read them, in a store of Oxigraph."""
    store = pyoxigraph.Store()
    store.load(ntriples_of(path), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return store


def answers(query: str, asked: Graph | pyoxigraph.Store) -> list[Any]:
    """Return the rows that answer a query."""
    found: Any = asked.query(query)
    return list(found)


def dumped(store: pyoxigraph.Store, syntax: pyoxigraph.RdfFormat) -> bytes | None:
    """Return a store as a text."""
    return store.dump(format=syntax, from_graph=pyoxigraph.DefaultGraph())


RDFLIB, OXIGRAPH, PYLD, NAIVE = "rdflib", "pyoxigraph", "PyLD + rdflib", "PyLD + rdflib + pySHACL"

WAYS: tuple[Way, ...] = (
    Way(FLOOR, JSON, same, lambda path: json.loads(path.read_bytes())),
    Way(FLOOR, JSON_AND_PYDANTIC, same, models_of),
    Way(FLOOR + RICH, JSON, same, lambda path: json.loads(path.read_bytes()), is_rich=True),
    Way("file → graph", OXIGRAPH, same, loaded_store),
    Way("file → graph", RDFLIB, same, parsed_graph),
    Way("file → graph", PYLD, same, expanded_graph),
    Way("graph → verdict", "pyshifty, Core only", derived_graph, shifty_verdict),
    Way("graph → verdict", "pySHACL", derived_graph, lambda graph: pyshacl.validate(graph, shacl_graph=shapes())),
    Way("graph → entities", RDFLIB, expanded_graph, mapped),
    Way("file → graph, verdict and entities", NAIVE, lambda path: (path, derived_graph(path)), naive),
    Way("file → N-Triples", OXIGRAPH, same, transcoded),
    Way("graph → N-Triples", OXIGRAPH, store_of, partial(dumped, syntax=pyoxigraph.RdfFormat.N_TRIPLES)),
    Way("graph → N-Triples", RDFLIB, rdflib_graph, lambda graph: graph.serialize(format="nt")),
    Way("graph → Turtle", OXIGRAPH, store_of, partial(dumped, syntax=pyoxigraph.RdfFormat.TURTLE)),
    Way("graph → Turtle", RDFLIB, rdflib_graph, lambda graph: graph.serialize(format="turtle")),
    Way("graph → JSON-LD", RDFLIB, rdflib_graph, lambda graph: graph.serialize(format="json-ld")),
    *(Way(f"query: {name}", OXIGRAPH, store_of, partial(answers, query)) for name, query in QUERIES.items()),
    *(Way(f"query: {name}", RDFLIB, rdflib_graph, partial(answers, query)) for name, query in QUERIES.items()),
)
