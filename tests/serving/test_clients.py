"""Clients as people have them, asking the service."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from rdflib import Graph, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore

from checkpoint_ld import Benchmark
from checkpoint_ld.errors import ServerRefusedError, TruncatedResultError
from checkpoint_ld.sparql.service import Server
from checkpoint_ld.stores import remote
from tests.cli.conftest import Run, run
from tests.serving.conftest import ALLOYS, METALS

__all__ = ["run"]

NAMES = """PREFIX schema: <https://schema.org/>
SELECT ?name WHERE { ?benchmark a schema:DataFeed ; schema:name ?name } ORDER BY ?name"""


@pytest.fixture
def service(running: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("no_proxy", "*")
    return f"{running.url}sparql"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["xml", "json", "csv", "tsv"])
@pytest.mark.parametrize("method", ["GET", "POST", "POST_FORM"])
def test_rdflib_asks_it(service: str, form: str, method: str) -> None:
    store = SPARQLStore(service, returnFormat=form, method=method)
    assert [str(row[0]) for row in Graph(store).query(NAMES)] == ["Alloys <b>", "Metals"]  # type: ignore[index]


def test_rdflib_sees_the_statements_of_each_graph(service: str) -> None:
    store = SPARQLStore(service)
    name = URIRef("https://schema.org/name")
    assert str(Graph(store, identifier=URIRef(METALS)).value(URIRef(METALS), name)) == "Metals"
    assert bool(Graph(store).query("ASK { ?s ?p ?o }")) is True
    made = Graph(store).query("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(?s = <" + ALLOYS + ">) }").graph
    assert made is not None
    assert made.value(URIRef(ALLOYS), name) is not None
    assert {str(one) for one in store.contexts()} >= {METALS, ALLOYS}


def test_sparqlwrapper_asks_it(service: str) -> None:
    wrapper = pytest.importorskip("SPARQLWrapper", reason="SPARQLWrapper is not installed: pip install SPARQLWrapper")
    client = wrapper.SPARQLWrapper(service)
    client.setQuery(NAMES)
    client.setReturnFormat(wrapper.JSON)
    found = client.query().convert()
    assert [row["name"]["value"] for row in found["results"]["bindings"]] == ["Alloys <b>", "Metals"]
    client.setReturnFormat(wrapper.XML)
    assert client.query().convert().getElementsByTagName("literal")[1].firstChild.data == "Metals"
    client.setMethod(wrapper.POST)
    client.setQuery("DELETE WHERE { ?s ?p ?o }")
    with pytest.raises(Exception, match="403"):
        client.query()


def test_curl_asks_it(service: str) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("no curl to ask with")
    arguments = [curl, "-sS", "--fail", service, "--data-urlencode", f"query={NAMES}", "-H", "Accept: text/csv"]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True, env={**os.environ, "no_proxy": "*"})
    assert list(csv.reader(io.StringIO(done.stdout))) == [["name"], ["Alloys <b>"], ["Metals"]]


@pytest.mark.parametrize("path", ["", "sparql"])
def test_our_own_commands_know_it(running: Server, path: str, tmp_path: Path, run: Run) -> None:
    result = run("query", "--endpoint", running.url + path, "--query", NAMES, "--format", "csv")
    assert result.out.decode().splitlines() == ["name", "Alloys <b>", "Metals"]
    assert run("pull", running.url + path, "--output", tmp_path).code == 0
    assert sorted(Benchmark.load(file).name for file in tmp_path.iterdir()) == ["Alloys <b>", "Metals"]
    assert run("push", tmp_path, "--to", running.url + path).code == 2


def test_our_own_client_asks_it(service: str) -> None:
    with remote.connect(service, profile="generic", timeout=60) as client:
        assert [row["name"] for row in client.query(NAMES)] == ["Alloys <b>", "Metals"]
        assert client.checkpoints() == [METALS, ALLOYS]
        assert dict(remote.pull(client)).keys() == {METALS, ALLOYS}
        with pytest.raises(TruncatedResultError, match="cut the result at 1000 rows"):
            client.query("SELECT * WHERE { ?s ?p ?o . ?a ?b ?c }")
    with (
        remote.connect(service, profile="generic", update=service, timeout=60) as client,
        pytest.raises(ServerRefusedError, match="403"),
    ):
        client.drop(METALS)
