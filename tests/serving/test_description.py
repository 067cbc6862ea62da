"""What the endpoint says of itself and of what it serves: VoID and DCAT 3, graphs, and resources."""

from __future__ import annotations

import httpx
import pyoxigraph
import pytest
from rdflib import VOID, Graph, Namespace, URIRef

from checkpoint_ld.sparql.service import Server
from tests.collection.test_description import fitting
from tests.serving.conftest import ALLOYS, METALS, Ask

DCAT = Namespace("http://www.w3.org/ns/dcat#")
SCHEMA = Namespace("https://schema.org/")
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"
VOID_PATH = "/.well-known/void"


def graph_of(answer: httpx.Response) -> Graph:
    assert answer.status_code == 200, answer.text
    quads = pyoxigraph.parse(
        answer.content, format=pyoxigraph.RdfFormat.from_media_type(answer.headers["content-type"])
    )
    triples = [quad.triple for quad in quads]
    return Graph().parse(pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES), format="nt")


def test_the_description_names_the_endpoint_and_each_graph_and_fits_the_shapes(ask: Ask, running: Server) -> None:
    assert "/.well-known/void#catalog" in ask("GET", "/sparql").text
    assert 'href=".well-known/void"' in ask("GET", "/").text
    found = graph_of(ask("GET", VOID_PATH))
    catalog = URIRef(f"{running.url}.well-known/void#catalog")
    assert fitting(found) == ""
    assert found.value(catalog, VOID.sparqlEndpoint) == URIRef(f"{running.url}sparql")
    assert set(found.objects(catalog, DCAT.dataset)) == {URIRef(METALS), URIRef(ALLOYS)}
    for dataset in (METALS, ALLOYS):
        [distribution] = found.objects(URIRef(dataset), DCAT.distribution)
        address = str(found.value(distribution, DCAT.downloadURL)).removeprefix(running.url)
        whole = graph_of(ask("GET", f"/{address}"))
        assert len(whole) == int(str(found.value(URIRef(dataset), VOID.triples)))


@pytest.mark.parametrize(
    ("path", "accept", "media_type"),
    [
        (VOID_PATH, "*/*", "text/turtle"),
        (VOID_PATH, "application/ld+json", "application/ld+json"),
        (VOID_PATH, "text/turtle;q=0.5, application/rdf+xml", "application/rdf+xml"),
        (VOID_PATH, BROWSER, "text/plain"),
        ("/", "text/turtle", "text/turtle"),
        ("/", "application/ld+json, text/html;q=0.5", "application/ld+json"),
        ("/", BROWSER, "text/html"),
        ("/", "*/*", "text/html"),
        ("/", "image/png", "text/html"),
        (f"/resource?iri={METALS}", "text/turtle", "text/turtle"),
        (f"/resource?iri={METALS}", "application/ld+json", "application/ld+json"),
        (f"/resource?iri={METALS}", BROWSER, "text/html"),
        (f"/resource?iri={METALS}&format=application/ld%2Bjson", BROWSER, "application/ld+json"),
        (f"/graph?graph={METALS}", "application/n-triples", "application/n-triples"),
        (f"/graph?graph={METALS}", BROWSER, "text/turtle"),
    ],
)
def test_what_is_requested_is_what_comes(ask: Ask, path: str, accept: str, media_type: str) -> None:
    answer = ask("GET", path, headers={"Accept": accept})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == f"{media_type}; charset=utf-8"
    if path == "/" and media_type == "text/turtle":
        assert answer.text == ask("GET", VOID_PATH).text


def test_a_resource_has_its_statements_in_both_directions(ask: Ask) -> None:
    item = "urn:uuid:question-M0"
    found = graph_of(ask("GET", f"/resource?iri={item}", headers={"Accept": "text/turtle"}))
    about = set(found.subjects(predicate=None, object=URIRef(item)))
    assert about
    assert URIRef(item) in set(found.subjects())
    assert all(URIRef(item) in (s, o) for s, _, o in found)


def test_the_page_of_a_resource_escapes_what_it_shows_and_states_if_it_is_cut(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ask("GET", f"/resource?iri={ALLOYS}", headers={"Accept": BROWSER}).text
    assert "<h1>Alloys &lt;b&gt;</h1>" in page
    assert "<b>" not in page
    assert "resource?iri=https%3A%2F%2Fschema.org%2FDataFeed" in page
    monkeypatch.setattr("checkpoint_ld.sparql.describing.MOST", 3)
    page = ask("GET", f"/resource?iri={ALLOYS}", headers={"Accept": BROWSER}).text
    assert "The first 3: there are more." in page
    assert page.count("<tr>") - 1 == 3


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/resource", 400, "give one absolute IRI"),
        ("/resource?iri=metals", 400, "give one absolute IRI"),
        ("/resource?iri=urn:a&iri=urn:b", 400, "give one absolute IRI"),
        ("/resource?iri=urn:x:%3E%20%3Cb", 400, "give one absolute IRI"),
        ("/resource?iri=http://[", 400, "cannot"),
        ("/resource?iri=urn:x:nothing", 404, "nothing"),
        ("/graph?graph=urn:x:nothing", 404, "there is no graph <urn:x:nothing> here"),
        ("/resource?iri=urn:x:a&format=image/png", 406, "cannot be had as image/png"),
        (f"{VOID_PATH}?format=image/png", 406, "cannot be had as image/png"),
    ],
)
def test_what_cannot_be_shown_is_reported(ask: Ask, path: str, status: int, message: str) -> None:
    answer = ask("GET", path, headers={"Accept": BROWSER})
    assert answer.status_code == status
    assert message in answer.text
