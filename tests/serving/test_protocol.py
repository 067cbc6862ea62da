"""What the SPARQL 1.1 Protocol asks of a service that only reads, and what it must not do."""

import json
import shutil
import socket
import struct
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pyoxigraph
import pytest

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.sparql.serving import Server, Settings
from tests.serving.conftest import ALLOYS, METALS, Ask, serving

NAMES = "SELECT ?name WHERE { ?benchmark a schema:DataFeed ; schema:name ?name } ORDER BY DESC(?name)"
JSON = "application/sparql-results+json"


def names(text: str) -> list[str]:
    return [row["name"]["value"] for row in json.loads(text)["results"]["bindings"]]


def test_a_body_may_come_in_parts(ask: Ask) -> None:
    answer = ask("POST", "/sparql", content=iter([NAMES[:9].encode(), NAMES[9:].encode()]), headers=QUERY)
    assert "Metals" in answer.text


def test_a_query_comes_in_three_ways(ask: Ask) -> None:
    answers = [
        ask("GET", "/sparql", params={"query": NAMES}),
        ask("POST", "/sparql", data={"query": NAMES}),
        ask("POST", "/sparql", content=NAMES, headers={"Content-Type": "application/sparql-query; charset=utf-8"}),
    ]
    assert [one.status_code for one in answers] == [200] * 3
    assert [names(one.text) for one in answers] == [["Metals", "Alloys <b>"]] * 3
    assert {one.headers["content-type"] for one in answers} == {f"{JSON}; charset=utf-8"}


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("text/html, */*;q=0.8", JSON),
        ("text/csv", "text/csv"),
        ("text/*", "text/csv"),
        ("text/tab-separated-values, text/csv;q=0.5", "text/tab-separated-values"),
        ("application/sparql-results+xml, application/rdf+xml", "application/sparql-results+xml"),
        (f"{JSON};q=0, */*;q=0.1", "application/json"),
        ("text/turtle", None),
    ],
)
def test_rows_come_in_the_format_that_is_wanted(ask: Ask, accept: str, media_type: str | None) -> None:
    answer = ask("GET", "/sparql", params={"query": NAMES}, headers={"Accept": accept})
    if media_type is None:
        assert answer.status_code == 406
        assert f"cannot be had as text/turtle: accept {JSON}, application/json, " in answer.text
    else:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == f"{media_type}; charset=utf-8"


def test_several_headers_are_one_list(ask: Ask) -> None:
    for first in ("image/png", "text/csv;q=0.5"):
        headers = [("Accept", first), ("Accept", "text/tab-separated-values")]
        answer = ask("GET", "/sparql", params={"query": NAMES}, headers=headers)
        assert answer.headers["content-type"] == "text/tab-separated-values; charset=utf-8"


def test_every_format_holds_the_same(ask: Ask) -> None:
    def text(accept: str, query: str = NAMES) -> str:
        return ask("GET", "/sparql", params={"query": query}, headers={"Accept": accept}).text

    xml = "application/sparql-results+xml"
    assert text("text/csv").split() == ["name", "Metals", "Alloys", "<b>"]
    assert text("text/tab-separated-values") == '?name\n"Metals"\n"Alloys <b>"\n'
    literals = ET.fromstring(text(xml)).iter("{http://www.w3.org/2005/sparql-results#}literal")
    assert [one.text for one in literals] == ["Metals", "Alloys <b>"]
    for query, truth in (("ASK { ?s a schema:DataFeed }", True), ("ASK { ?s a schema:Nothing }", False)):
        assert json.loads(text("", query)) == {"head": {}, "boolean": truth}
        assert f"<boolean>{str(truth).lower()}</boolean>" in text(xml, query)


@pytest.mark.parametrize("accept", ["text/turtle", "application/n-triples", "application/rdf+xml"])
def test_statements_come_in_the_syntax_that_is_wanted(ask: Ask, accept: str) -> None:
    query = "CONSTRUCT { ?s schema:name ?name } WHERE { ?s a schema:DataFeed ; schema:name ?name }"
    answer = ask("GET", "/sparql", params={"query": query}, headers={"Accept": accept})
    assert answer.headers["content-type"] == f"{accept}; charset=utf-8"
    found = pyoxigraph.parse(answer.content, format=pyoxigraph.RdfFormat.from_media_type(accept))
    assert {str(one.object) for one in found} == {'"Metals"', '"Alloys <b>"'}


def test_rdf_xml_keeps_every_character_or_is_refused(ask: Ask) -> None:
    def answer(predicate: str, text: str) -> httpx.Response:
        query = f'CONSTRUCT {{ <urn:x:s> <{predicate}> "{text}" }} WHERE {{}}'
        return ask("GET", "/sparql", params={"query": query}, headers={"Accept": "application/rdf+xml"})

    (element,) = ET.fromstring(answer("urn:x:name", r"a\rb").content).iter("{urn:x:}name")
    assert element.text == "a\rb"
    for predicate, text in (("urn:x:1", "a"), ("urn:x:name", r"\u0001")):
        refused = answer(predicate, text)
        assert (refused.status_code, "write Turtle" in refused.text) == (406, True)


def test_all_graphs_together_unless_some_are_chosen(ask: Ask) -> None:
    def found(query: str, **parameters: object) -> list[str]:
        answer = ask("GET", "/sparql", params={"query": query, **parameters})
        assert answer.status_code == 200, answer.text
        return names(answer.text)

    by_graph = "SELECT ?name WHERE { GRAPH ?g { ?g schema:name ?name } } ORDER BY ?name"
    assert found(NAMES) == ["Metals", "Alloys <b>"]
    assert found(by_graph) == ["Alloys <b>", "Metals"]
    assert found(NAMES.replace("WHERE", f"FROM <{METALS}> WHERE")) == ["Metals"]
    assert found(NAMES, **{"default-graph-uri": METALS}) == ["Metals"]
    assert found(NAMES, **{"default-graph-uri": [METALS, ALLOYS]}) == ["Metals", "Alloys <b>"]
    assert found(by_graph, **{"named-graph-uri": ALLOYS}) == ["Alloys <b>"]
    assert found(NAMES, **{"named-graph-uri": ALLOYS}) == []
    # What the protocol says goes before what the query says.
    assert found(NAMES.replace("WHERE", f"FROM <{METALS}> WHERE"), **{"default-graph-uri": ALLOYS}) == ["Alloys <b>"]


def test_updates_are_refused_however_they_come(ask: Ask) -> None:
    update = "DELETE WHERE { GRAPH ?g { ?s ?p ?o } }"
    answers = [
        ask("POST", "/sparql", data={"update": update}),
        ask("POST", "/sparql", content=update, headers={"Content-Type": "application/sparql-update"}),
        ask("GET", "/sparql", params={"update": update}),
        ask("POST", "/sparql", data={"query": update}),
        ask("GET", "/sparql", params={"query": update}),
        ask("PUT", "/sparql", params={"graph": METALS}, content=b"<urn:s> <urn:p> <urn:o> ."),
        ask("DELETE", "/sparql", params={"graph": METALS}),
        ask("POST", "/store", params={"graph": METALS}, content=b"<urn:s> <urn:p> <urn:o> ."),
    ]
    assert [one.status_code for one in answers] == [403, 403, 403, 400, 400, 405, 405, 405]
    assert all("only read" in one.text or "refused" in one.text for one in answers)
    assert names(ask("GET", "/sparql", params={"query": NAMES}).text) == ["Metals", "Alloys <b>"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"query": "SELECT"}, "incomplete"),
        ({"query": "SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"}, "SERVICE"),
        ({"query": ""}, "incomplete"),
        ({"query": "SELECT * WHERE { ?s nothere:p ?o }"}, "nothere:"),
        *(
            (parameters, "")
            for graph in ("http://127.0.0.1:9/x", "file:///etc/passwd", "no iri")  # they are not here, nor fetched
            for parameters in (
                {"query": NAMES, "default-graph-uri": graph},
                {"query": NAMES.replace("WHERE", f"FROM <{graph}> WHERE")},
            )
        ),
    ],
)
def test_what_is_no_query_that_may_run_gets_a_sentence(ask: Ask, parameters: dict[str, str], message: str) -> None:
    answer = ask("GET", "/sparql", params=parameters)
    assert (answer.status_code, answer.headers["content-type"]) == (400, "text/plain; charset=utf-8")
    assert message in answer.text
    assert "Traceback" not in answer.text


QUERY = {"Content-Type": "application/sparql-query"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("method", "path", "given", "status"),
    [
        ("GET", "/sparql", {"params": {"query": ["ASK {}", "ASK {}"]}}, 400),
        ("POST", "/sparql", {}, 415),
        ("POST", "/sparql", {"data": {"x": "y"}}, 400),
        ("POST", "/sparql", {"content": b"\xff", "headers": QUERY}, 400),
        ("POST", "/sparql", {"content": b"query=ASK{?s?p'%FC'}", "headers": FORM}, 400),
        ("GET", "/nothing", {}, 404),
        ("GET", "/../pyproject.toml", {}, 404),
        ("POST", "/", {}, 405),
        ("POST", "/sparql", {"content": b"x" * (5 << 20), "headers": QUERY}, 413),
        ("POST", "/sparql", {"content": iter([b"x" * (1 << 20)] * 5), "headers": QUERY}, 413),
    ],
)
def test_what_is_queried_wrongly_gets_the_status_for_it(
    ask: Ask, method: str, path: str, given: dict[str, object], status: int
) -> None:
    assert ask(method, path, **given).status_code == status


@pytest.mark.parametrize(
    ("length", "body", "status"), [(b"99999999999", b"", b"413"), (b"9" * 5000, b"", b"400"), (b"9", b"ASK", b"400")]
)
def test_a_body_that_is_announced_too_large_or_ends_early_is_refused(
    running: Server, length: bytes, body: bytes, status: bytes
) -> None:
    with connection(running) as client:
        client.sendall(b"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Length: %b\r\n\r\n%b" % (length, body))
        if body:
            client.shutdown(socket.SHUT_WR)
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 %b " % status)


@pytest.mark.parametrize("target", ["http:///x", "/sparql?query=ASK{?s?p%22%FC%22}", "/sparql?query=ASK{?s?p'\xfc'}"])
def test_a_target_that_is_no_url_is_refused(running: Server, target: str) -> None:
    with connection(running) as client:
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 400 ")


def test_a_store_that_was_removed_is_named_until_it_is_back(location: Path, tmp_path: Path) -> None:
    served = tmp_path / "served"
    with (
        Server(served, Settings(workers=1)) as server,
        httpx.Client(trust_env=False, base_url=server.url) as client,
        serving(server),
    ):
        for _ in range(2):
            answer = client.get("/sparql", params={"query": "ASK {}"})
            assert (answer.status_code, answer.text.startswith("what this server serves was removed")) == (503, True)
        shutil.copytree(location, served)
        assert client.get("/sparql", params={"query": "ASK { ?s ?p ?o }"}).json() == {"head": {}, "boolean": True}


def test_a_client_that_goes_away_leaves_no_traceback(
    ask: Ask, running: Server, capfd: pytest.CaptureFixture[str]
) -> None:
    for sent in (b"GET /sparql HTTP/1.1\r\nHost: loc", b"GET /queries HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        with connection(running) as client:
            client.sendall(sent)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets it
    assert ask("GET", "/health").status_code == 200
    assert capfd.readouterr().err == ""


def connection(running: Server) -> socket.socket:
    parts = urlsplit(running.url)
    return socket.create_connection((parts.hostname, parts.port), timeout=20.0)


def test_the_service_describes_itself(ask: Ask) -> None:
    answer = ask("GET", "/sparql")
    statements = set(pyoxigraph.parse(answer.content, format=pyoxigraph.RdfFormat.TURTLE, base_iri=str(answer.url)))
    assert answer.headers["content-type"].startswith("text/turtle")
    endpoint = "http://www.w3.org/ns/sparql-service-description#endpoint"
    assert [str(one.object) for one in statements if one.predicate.value == endpoint] == [f"<{answer.url}>"]


def test_head_is_get_without_a_body_and_the_connection_goes_on(ask: Ask) -> None:
    for path in ("/", "/nothing", "/sparql"):
        head, get = ask("HEAD", path), ask("GET", path)
        assert (head.status_code, head.content) == (get.status_code, b"")
        assert head.headers["content-length"] == get.headers["content-length"]


def test_a_result_that_is_cut_states_so(ask: Ask) -> None:
    answer = ask("GET", "/sparql", params={"query": "SELECT * WHERE { ?s ?p ?o . ?a ?b ?c }"})
    assert answer.headers["x-sparql-maxrows"] == "1000"
    assert len(answer.json()["results"]["bindings"]) == 1000
    assert answer.json()["head"] is not None
    assert answer.json()["cut"] is True


EVIL = ["evil.example", "evil.example:80", "127.0.0.1.evil.example:80", "127.0.0.1@evil.example", "[", ""]
OURS = ["localhost", "localhost:80", "127.0.0.1", "LOCALHOST:7979", "[::1]:80"]


@pytest.mark.parametrize("host", [*EVIL, *OURS])
def test_a_name_that_was_made_to_lead_here_gets_no_answer_and_every_name_of_this_machine_one(
    ask: Ask, host: str
) -> None:
    answer = ask("GET", "/sparql", params={"query": NAMES}, headers={"Host": host})
    assert (answer.status_code, "Metals" in answer.text) == ((200, True) if host in OURS else (421, False))
    assert host in OURS or answer.text.endswith(f": use {answer.url.copy_with(path='/', query=None)}\n")


def test_pages_of_other_sites_may_not_read_answers(ask: Ask) -> None:
    answer = ask("GET", "/sparql", params={"query": NAMES}, headers={"Origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_named_queries_are_listed_and_bound(ask: Ask) -> None:
    held = {one["name"]: one for one in ask("GET", "/queries").json()}
    text = ask("GET", "/queries/search", params={"text": 'bro"nze> }\n#'}).text
    assert len(held) >= 15
    assert held["search"]["parameters"][0]["required"] is True
    assert "VALUES" in text
    assert text.startswith("SELECT")
    assert {one["text"].split()[0] for one in held.values()} <= {"SELECT", "PREFIX", "CONSTRUCT"}
    assert ask("GET", "/sparql", params={"query": text}).json()["results"]["bindings"] == []
    found = ask("GET", "/sparql", params={"query": ask("GET", "/queries/search", params={"text": "BRONZE"}).text})
    assert len(found.json()["results"]["bindings"]) == 1
    assert ask("GET", "/queries/nothing").status_code == 404
    assert ask("GET", "/queries/search").status_code == 400


# --- What a public endpoint needs.


@contextmanager
def public(location: Path, **settings: Any) -> Iterator[httpx.Client]:
    with Server(location, Settings(workers=1, **settings)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with httpx.Client(base_url=server.url, timeout=60) as client:
                yield client
        finally:
            server.shutdown()
            thread.join()


def test_a_public_endpoint_is_read_by_pages_of_other_sites_and_behind_a_proxy(location: Path) -> None:
    lines: list[str] = []
    with public(location, cors=True, public_url="https://data.example.org/bench/", log=lines.append) as client:
        ready = client.get("/health")
        assert (ready.status_code, ready.json()["status"]) == (200, "ok")
        flight = client.options("/sparql", headers={"Origin": "https://example.org"})
        assert (flight.status_code, flight.headers["Access-Control-Allow-Origin"]) == (204, "*")
        assert "POST" in flight.headers["Access-Control-Allow-Methods"]
        headers = {"Accept": "text/turtle", "Host": "data.example.org"}
        described = client.get("/.well-known/void", headers=headers)
        assert (described.status_code, described.headers["Access-Control-Allow-Origin"]) == (200, "*")
        assert "https://data.example.org/bench/" in described.text
        again = client.get("/.well-known/void", headers={**headers, "If-None-Match": described.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert len(lines) == 4
    assert ' "GET /health" 200 ' in lines[0]


def test_long_answers_are_packed_for_those_who_can_unpack_them(location: Path) -> None:
    with public(location) as client:
        packed = client.get("/queries", headers={"Accept-Encoding": "gzip, br"})
        plain = client.get("/queries", headers={"Accept-Encoding": "gzip;q=0"})
    assert (packed.headers.get("Content-Encoding"), plain.headers.get("Content-Encoding")) == ("gzip", None)
    assert packed.text == plain.text
    assert "Access-Control-Allow-Origin" not in packed.headers


def test_an_iri_that_nothing_mentions_is_not_found(location: Path) -> None:
    with public(location) as client:
        for accept in ("text/turtle", "text/html"):
            found = client.get("/resource", params={"iri": "urn:none"}, headers={"Accept": accept})
            assert found.status_code == 404


def test_a_faulty_public_url_is_refused() -> None:
    with pytest.raises(SettingsError, match="write it as https"):
        Settings(public_url="example.org")


def test_a_term_of_the_vocabulary_has_a_page_also_where_nothing_uses_it(location: Path) -> None:
    with public(location) as client:
        iri = {"iri": "urn:karenina:vocab:identifier"}
        page = client.get("/resource", params=iri, headers={"Accept": "text/html"})
        data = client.get("/resource", params=iri, headers={"Accept": "text/turtle"})
        used = client.get("/resource", params={"iri": "https://schema.org/text"}, headers={"Accept": "text/html"})
    assert page.status_code == data.status_code == used.status_code == 200
    assert "<h1>identifier</h1>" in page.text
    assert '"identifier"@en' in data.text
    assert "Used by" in used.text
