"""The command `serve`, as a process of its own."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pyoxigraph
import pytest
from rdflib import VOID, Graph, Namespace, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore

from checkpoint_ld import Benchmark
from checkpoint_ld.errors import ServerRefusedError, SettingsError, StoreError, TruncatedResultError
from checkpoint_ld.sparql.service import Pool, QueryOperation
from checkpoint_ld.sparql.serving import Server, Settings
from checkpoint_ld.stores import directory, remote
from checkpoint_ld.stores.collection import Collection
from checkpoint_ld.stores.directory import Snapshots
from tests import documents
from tests.cli.conftest import Run, run
from tests.collection.test_querying import fitting
from tests.remote.oxigraph_server import free_port
from tests.serving.conftest import ALLOYS, METALS, Ask

COMMAND = """
from checkpoint_ld.cli import main
from checkpoint_ld.stores import directory
directory._PAUSE_S = 0.2  # as `at_once` below, but for a process of its own
if __name__ == "__main__":
    main()
"""
NAMES = "SELECT ?name WHERE { ?benchmark a schema:DataFeed ; schema:name ?name } ORDER BY ?name"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    for number, name in enumerate(("Alloys", "Metals")):
        tree = {**documents.canonical(), "@id": f"urn:uuid:karenina-checkpoint-{number}", "name": name}
        (folder / f"{name}.jsonld").write_text(json.dumps(tree))
    return folder


@contextmanager
def serving(*arguments: object, temporary: Path, stated: list[str] | None = None) -> Iterator[str]:
    """Run the command until the block ends, by the signal that service managers send; give the URL that it says."""
    script = temporary / "command.py"
    script.write_text(COMMAND)
    temporary = temporary / "temporary"
    temporary.mkdir()
    command = [sys.executable, str(script), "serve", "--port", "0", *map(str, arguments)]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            if stated is not None and process.stderr is not None:
                stated += process.stderr.read().splitlines()
        finally:
            process.kill()
    assert list(temporary.iterdir()) == []


def names(url: str) -> list[str]:
    with httpx.Client(trust_env=False, timeout=120) as client:
        answer = client.get(f"{url}sparql", params={"query": NAMES})
    return [row["name"]["value"] for row in answer.json()["results"]["bindings"]]


@pytest.mark.slow
def test_files_are_served_until_the_process_is_to_end(files: Path, tmp_path: Path) -> None:
    said: list[str] = []
    with serving(files, temporary=tmp_path, stated=said) as url:
        assert url.startswith("http://127.0.0.1:")
        assert names(url) == ["Alloys", "Metals"]
    count = sum(len(Benchmark.load(file).graph) for file in files.iterdir())
    assert f"2 checkpoints, {count} statements" in said


@pytest.mark.slow
def test_a_collection_that_is_served_can_be_changed_and_queries_see_it(files: Path, tmp_path: Path, run: Run) -> None:
    store = tmp_path / "collection"
    with Collection.open(store) as collection:
        collection.add(files)
    held = sorted(one.name for one in store.iterdir())
    with serving(store, temporary=tmp_path) as url:
        assert names(url) == ["Alloys", "Metals"]
        for number, name in enumerate(("Gases", "Salts"), 2):  # two snapshots, of which one takes the place of another
            tree = {**documents.canonical(), "@id": f"urn:uuid:karenina-checkpoint-{number}", "name": name}
            (files / f"{name}.jsonld").write_text(json.dumps(tree))
            assert run("store", "sync", store, files).code == 0
            until = time.monotonic() + 60
            while name not in names(url):
                assert time.monotonic() < until, "what was added is never seen"
                time.sleep(0.02)
        with Collection.open(store):  # somebody who writes all the time
            time.sleep(0.3)
            assert names(url) == ["Alloys", "Gases", "Metals", "Salts"]
    assert sorted(one.name for one in store.iterdir()) == held


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have snapshots look for changes whenever they are read."""
    monkeypatch.setattr(directory, "_PAUSE_S", 0.0)


@pytest.mark.usefixtures("at_once")
def test_snapshots_follow_a_collection_that_was_removed_and_made_again(files: Path, tmp_path: Path) -> None:
    store = tmp_path / "collection"
    Collection.open(store).close()
    with Snapshots(store) as snapshots:
        shutil.rmtree(store)
        with Collection.open(store) as collection:
            collection.add(files)
        assert len(list(pyoxigraph.Store.read_only(snapshots.current()).named_graphs())) == 3  # with the manifest
    assert not list(store.glob(".served-*"))


@pytest.mark.usefixtures("at_once")
def test_snapshots_follow_a_collection_and_leave_nothing(files: Path, tmp_path: Path) -> None:
    store = tmp_path / "collection"
    Collection.open(store).close()
    (store / ".served-left").mkdir()  # by a process that was killed
    with Snapshots(store) as snapshots:
        assert [one for one in store.iterdir() if one.name == ".served-left"] == []
        with Snapshots(store):
            assert Path(snapshots.current()).is_dir()  # what is in use stays
        empty = snapshots.current()
        assert snapshots.current() == empty
        with Collection.open(store) as collection:
            everything = sum(one.stat().st_size for one in store.rglob("*") if one.is_file())
            assert collection.statistics().bytes < everything  # what a snapshot takes is none of it
            collection.add(files)
            written = collection.statistics().triples
        full = snapshots.current()
        assert full != empty
        stored = pyoxigraph.Store.read_only(full)
        assert sum(1 for _ in stored.quads_for_pattern(None, None, None, pyoxigraph.DefaultGraph())) <= written
        assert len(list(stored.named_graphs())) == 3
        del stored
        assert snapshots.current() == full
    assert not list(store.glob(".served-*"))
    with pytest.raises(StoreError, match="no collection is here"):
        Snapshots(files)


@pytest.mark.slow
def test_an_address_of_this_machine_is_what_it_listens_at(files: Path, tmp_path: Path) -> None:
    with serving(files, "--host", "127.0.0.2", temporary=tmp_path) as url:
        assert url.startswith("http://127.0.0.2:")
        port = int(url.rstrip("/").rpartition(":")[2])
        with httpx.Client(trust_env=False) as client, pytest.raises(httpx.ConnectError):
            client.get(f"http://127.0.0.1:{port}/")


def test_nothing_to_serve_and_a_host_that_is_none_of_this_machine_are_reported(run: Run, files: Path) -> None:
    (files.parent / "empty").mkdir()
    for arguments, stated in (
        ([files.parent / "empty"], "nothing to serve in"),
        ([files, "--host", "192.0.2.1", "--port", str(free_port())], "cannot listen at 192.0.2.1"),
        ([files, "--port", "0", "--timeout", "inf"], "timeout is inf: give a number of seconds"),
    ):
        outcome = run("serve", *arguments)
        assert (outcome.code, stated in outcome.err) == (2, True)


# --- Clients as people have them, asking the service.


__all__ = ["run"]

NAMES_QUERY = """PREFIX schema: <https://schema.org/>
SELECT ?name WHERE { ?benchmark a schema:DataFeed ; schema:name ?name } ORDER BY ?name"""


@pytest.fixture
def service(running: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("no_proxy", "*")
    return f"{running.url}sparql"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "method"),
    [("xml", "GET"), ("json", "GET"), ("csv", "GET"), ("tsv", "GET"), ("xml", "POST"), ("json", "POST_FORM")],
)
def test_rdflib_asks_it(service: str, form: str, method: str) -> None:
    store = SPARQLStore(service, returnFormat=form, method=method)
    assert [str(row[0]) for row in Graph(store).query(NAMES_QUERY)] == ["Alloys <b>", "Metals"]  # type: ignore[index]


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
    client.setQuery(NAMES_QUERY)
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
    arguments = [curl, "-sS", "--fail", service, "--data-urlencode", f"query={NAMES_QUERY}", "-H", "Accept: text/csv"]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True, env={**os.environ, "no_proxy": "*"})
    assert list(csv.reader(io.StringIO(done.stdout))) == [["name"], ["Alloys <b>"], ["Metals"]]


@pytest.mark.parametrize("path", ["", "sparql"])
def test_our_own_commands_know_it(running: Server, path: str, tmp_path: Path, run: Run) -> None:
    result = run("query", "--endpoint", running.url + path, "--query", NAMES_QUERY, "--format", "csv")
    assert result.out.decode().splitlines() == ["name", "Alloys <b>", "Metals"]
    assert run("pull", running.url + path, "--output", tmp_path).code == 0
    assert sorted(Benchmark.load(file).name for file in tmp_path.iterdir()) == ["Alloys <b>", "Metals"]
    assert run("push", tmp_path, "--to", running.url + path).code == 2


def test_our_own_client_asks_it(service: str) -> None:
    with remote.connect(service, profile="generic", timeout=60) as client:
        assert [row["name"] for row in client.query(NAMES_QUERY)] == ["Alloys <b>", "Metals"]
        assert client.checkpoints() == [METALS, ALLOYS]
        assert dict(remote.pull(client)).keys() == {METALS, ALLOYS}
        with pytest.raises(TruncatedResultError, match="cut the result at 1000 rows"):
            client.query("SELECT * WHERE { ?s ?p ?o . ?a ?b ?c }")
    with (
        remote.connect(service, profile="generic", update=service, timeout=60) as client,
        pytest.raises(ServerRefusedError, match="403"),
    ):
        client.drop(METALS)


# --- Queries within limits: one that takes too long ends, and the others go on.


ENDLESS = "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o }"
QUICK = QueryOperation("ASK { ?s ?p ?o }")


@pytest.mark.slow
def test_what_takes_too_long_to_answer_or_to_read_is_ended_and_the_next_is_answered(location: Path) -> None:
    large = QueryOperation(f"SELECT * {{ VALUES ?x {{ {'1 ' * 400_000} }} }}")
    with closing(Pool(lambda: str(location), size=1, timeout=1.0)) as pool:
        found = [pool.answer(one) for one in (QUICK, QueryOperation(ENDLESS), QUICK, large, QUICK)]
    assert [one.status for one in found] == [200, 500, 200, 500, 200]
    stated = "the query took longer than 1 s: ask for less\n"
    assert [one.text for one in found[1::2]] == [stated, stated]


@pytest.mark.slow
def test_when_all_are_busy_it_states_so(location: Path) -> None:
    with closing(Pool(lambda: str(location), size=1, timeout=1.0)) as pool:
        pool.answer(QUICK)
        # The first takes the worker for 1 s, the second the one that comes after it.
        waiting = [threading.Thread(target=pool.answer, args=(QueryOperation(ENDLESS),)) for _ in range(2)]
        for one in waiting:
            one.start()
            time.sleep(0.3)
        found = pool.answer(QUICK)
        for one in waiting:
            one.join()
        assert (found.status, found.text) == (503, "too many queries at a time: ask again later\n")
        assert pool.answer(QUICK).status == 200


@pytest.mark.slow
def test_a_worker_that_died_is_replaced(location: Path) -> None:
    with closing(Pool(lambda: str(location), size=1, timeout=5.0)) as pool:
        pool.answer(QUICK)
        (worker,) = pool._all  # noqa: SLF001 - nobody else knows it
        worker._popen.kill()  # noqa: SLF001 - as above
        ended, answered = pool.answer(QUICK), pool.answer(QUICK)
        assert (ended.status, answered.status) == (503, 200)
        assert "the worker of the query was ended: it was killed by the system (signal SIGKILL)" in ended.text


def test_a_port_that_is_taken_is_reported(location: Path) -> None:
    port = free_port()
    with Server(location, Settings(port=port, workers=1)), pytest.raises(SettingsError, match=f"port {port}.*in use"):
        Server(location, Settings(port=port))


# --- What the endpoint says of itself and of what it serves: VoID and DCAT 3, graphs, and resources.


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
        ("/resource?iri=urn:x:a&format=image/png", 406, "cannot be had as image/png: accept text/turtle, "),
        (f"{VOID_PATH}?format=image/png", 406, "cannot be had as image/png"),
    ],
)
def test_what_cannot_be_shown_is_reported(ask: Ask, path: str, status: int, message: str) -> None:
    answer = ask("GET", path, headers={"Accept": BROWSER})
    assert answer.status_code == status
    assert message in answer.text


@pytest.mark.slow
@pytest.mark.parametrize("is_collection", [False, True])
def test_integers_that_the_engine_leaves_out_count(
    files: Path, tmp_path: Path, run: Run, *, is_collection: bool
) -> None:
    source = next(files.glob("*.jsonld"))
    document = json.loads(source.read_text(encoding="utf-8"))
    seed = {"@type": "PropertyValue", "@id": "urn:x:seed", "name": "seed", "value": 2 * 10**20}
    document.setdefault("additionalProperty", []).append(seed)
    place = tmp_path / "seed.jsonld"
    place.write_text(json.dumps(document), encoding="utf-8")
    if is_collection:
        run("store", "add", tmp_path / "collection", place)
        place = tmp_path / "collection"
    query = "SELECT ?v { <urn:x:seed> schema:value ?v FILTER (?v > 5) }"
    with serving(place, temporary=tmp_path) as url:
        answer = httpx.get(f"{url}sparql", params={"query": query}, trust_env=False, timeout=60)

    assert [row["v"]["value"] for row in answer.json()["results"]["bindings"]] == ["200000000000000000000"]
