"""SERVICE asks the hosts that were allowed in words, and nothing else that a query or a server could think of."""

import json
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph
import pytest

from checkpoint_ld import sparql
from checkpoint_ld.errors import QueryError, QueryFailedError, SettingsError
from checkpoint_ld.stores.collection import Collection
from tests.cli.conftest import Run, run
from tests.documents import canonical
from tests.remote.faulty_server import FaultyServer, Reply
from tests.sparql.conftest import Listener
from tests.sparql.test_guard import SERVICES, UPDATES, filled

__all__ = ["run"]

BODY = json.dumps(
    {"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "literal", "value": "from elsewhere"}}]}}
).encode()
FOUND = Reply(body=BODY, headers={"Content-Type": "application/sparql-results+json"})
TEXT = "SELECT ?x { SERVICE <URL/sparql> { ?s ?p ?x } }"


@pytest.fixture
def service() -> Iterator[FaultyServer]:
    with FaultyServer([FOUND]) as server:
        yield server


def host_of(url: str) -> str:
    return url.removeprefix("http://").partition("/")[0]


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_a_host_that_was_allowed_is_queried(
    timeout: float | None, store: pyoxigraph.Store, service: FaultyServer
) -> None:
    text = TEXT.replace("URL", service.url)
    found = sparql.run(store, text, services=["example.org", host_of(service.url)], timeout=timeout)
    assert found.as_dicts() == [{"x": "from elsewhere"}]
    assert [one.path for one in service.seen] == ["/sparql"]


def test_another_host_another_port_and_a_disguise_are_refused(
    store: pyoxigraph.Store, listener: Listener, service: FaultyServer, tmp_path: Path
) -> None:
    here = host_of(service.url)
    for text in SERVICES.values():
        with pytest.raises(QueryError):
            sparql.run(store, filled(text, listener, tmp_path), services=[here, "127.0.0.1", "localhost"])
    for url in (
        f"http://{here}@{host_of(listener.url)}/",
        f"http://{host_of(listener.url)}#@{here}/",
        listener.url.replace("http:", "HTTP:"),
        listener.url.replace("http:", "file:"),
        "//" + here,
    ):
        with pytest.raises(QueryError, match="SERVICE"):
            sparql.run(store, f"SELECT * {{ SERVICE <{url}> {{ ?s ?p ?o }} }}", services=[here])
    both = f"SELECT * {{ SERVICE <{service.url}> {{ ?s ?p ?x }} SERVICE <{listener.url}> {{ ?s ?p ?y }} }}"
    with pytest.raises(QueryError, match=f"only {here} was allowed"):
        sparql.run(store, both, services=[here])
    assert (listener.heard, service.seen) == ([], [])


def test_a_server_cannot_send_the_query_elsewhere(store: pyoxigraph.Store, listener: Listener) -> None:
    for status in (301, 302, 303, 307, 308):
        with FaultyServer([Reply(status, headers={"Location": listener.url})]) as server:
            with pytest.raises(QueryFailedError):
                sparql.run(store, TEXT.replace("URL", server.url), services=[host_of(server.url)])
            assert len(server.seen) == 1
    assert listener.heard == []


@pytest.mark.slow
def test_a_service_that_does_not_answer_is_given_up(store: pyoxigraph.Store) -> None:
    with FaultyServer([Reply(delay=1.5)]) as server, pytest.raises(QueryFailedError, match=r"longer than 0\.5 s"):
        sparql.run(store, TEXT.replace("URL", server.url), services=[host_of(server.url)], timeout=0.5)


@pytest.mark.parametrize("text", UPDATES)
def test_updates_and_load_stay_refused_and_state_so(
    text: str, store: pyoxigraph.Store, listener: Listener, tmp_path: Path
) -> None:
    with pytest.raises(QueryError, match="cannot be allowed"):
        sparql.run(store, filled(text, listener, tmp_path), services=[host_of(listener.url)])
    assert listener.heard == []


def test_the_other_engine_asks_nobody(store: pyoxigraph.Store, service: FaultyServer) -> None:
    with pytest.raises(SettingsError, match="rdflib follows a service"):
        sparql.run(store, TEXT.replace("URL", service.url), services=[host_of(service.url)], engine="rdflib")
    assert service.seen == []


@pytest.mark.slow
def test_the_command_asks_files_and_collections_with_it(run: Run, tmp_path: Path, service: FaultyServer) -> None:
    (tmp_path / "metals.jsonld").write_text(json.dumps(canonical()), encoding="utf-8")
    with Collection.open(tmp_path / "kept") as collection:
        collection.add(tmp_path / "metals.jsonld")
    text = TEXT.replace("URL", service.url)
    for path in ("metals.jsonld", "kept"):
        options = ("query", tmp_path / path, "--query", text, "--format", "csv")
        refused = run(*options)
        assert (refused.code, service.seen) == (2, [])
        assert "the command query allows a host by --allow-service" in refused.err
        result = run(*options, "--allow-service", host_of(service.url))
        assert (result.code, result.out) == (0, b"x\r\nfrom elsewhere\r\n")
        assert service.seen.pop()
    result = run("query", "--endpoint", service.url, "--query", text, "--allow-service", host_of(service.url))
    assert (result.code, service.seen) == (2, [])
