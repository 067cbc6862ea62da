"""What is too large for memory is sent from a file, as the same bytes; and many small graphs go by one request."""

from __future__ import annotations

import gzip
from dataclasses import replace

import httpx
import pytest

from checkpoint_ld.errors import CountMismatchError, SettingsError, TruncatedResultError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.emission import nquads_of
from checkpoint_ld.stores import remote, request
from checkpoint_ld.stores.backend import BLOCK, Spooled, blocks, compressed
from checkpoint_ld.stores.endpoint import endpoint
from checkpoint_ld.stores.remote import SparqlClient, outgoing, outgoing_of_quads
from checkpoint_ld.stores.request import large_integers, values_of
from checkpoint_ld.stores.server import Connection
from tests import documents
from tests.remote.conftest import Server
from tests.remote.faulty_server import FaultyServer, Reply
from tests.remote.samples import ROOT, rows, sample


def of_lines(number: int = 1) -> remote.Outgoing:
    tree = {**documents.rich(), "@id": f"{ROOT}{number}"}
    return outgoing_of_quads(nquads_of(CheckpointGraph.of_tree(tree)).splitlines(keepends=True), "large.jsonld")


def test_a_graph_of_lines_is_the_graph_that_it_is_in_memory() -> None:
    whole = outgoing(CheckpointGraph.of_tree({**documents.rich(), "@id": f"{ROOT}1"}), "large.jsonld")
    spooled = of_lines()
    assert isinstance(spooled.triples, Spooled)
    assert b"".join(blocks(spooled.triples)) == whole.triples
    assert replace(spooled, triples=b"") == replace(whole, triples=b"")
    assert values_of(spooled.triples) == values_of(whole.triples)
    assert large_integers(spooled.triples, 10) == large_integers(whole.triples, 10)
    place = endpoint("http://127.0.0.1:1/", "generic", update="http://127.0.0.1:1/update")
    bodies = [[one.body for one in request.replace_graph(place, "urn:g", sent.triples)] for sent in (spooled, whole)]
    assert bodies[0] == bodies[1]


def test_blocks_can_be_gone_through_again_and_packed() -> None:
    data = bytes(range(256)) * (BLOCK // 100)
    spooled = Spooled([data[:1000], data[1000:]])
    parts = list(blocks(spooled))
    assert [len(one) for one in parts[:-1]] == [BLOCK] * (len(data) // BLOCK)
    assert b"".join(parts) == b"".join(blocks(spooled)) == data
    packed = b"".join(blocks(compressed(spooled)))
    assert len(packed) < len(data) / 10
    assert gzip.decompress(packed) == data
    assert list(blocks(Spooled([]))) == []


def test_it_is_sent_and_replaces_what_was_there(client: SparqlClient) -> None:
    client.replace(f"{ROOT}1", sample(1).triples)
    report = remote.push([of_lines()], client, full=True)
    assert [one.action for one in report.pushed] == ["sent"]
    assert client.count([f"{ROOT}1"]) == {f"{ROOT}1": of_lines().count}


def test_it_is_sent_again_after_a_connection_broke(server: Server) -> None:
    faulty = server(Reply(resets=True), Reply(503), Reply(204))
    with remote.connect(faulty.url, profile="oxigraph", wait=lambda _: None) as connected:
        connected.replace("urn:g", of_lines().triples)
    assert [one.body for one in faulty.seen][-1] == b"".join(blocks(of_lines().triples))
    assert len(faulty.seen) == 3


def test_a_packed_file_arrives_as_it_was(client: SparqlClient, store_url: str) -> None:
    body = of_lines()
    with Connection(store_url) as connection:
        for one in request.replace_graph(client.endpoint, body.graph, body.triples, compress=True):
            connection.send(one)
        quads = Spooled(f"<urn:s> <urn:p> <urn:{number}> <urn:h> .\n".encode() for number in range(9))
        connection.send(request.add_graphs(client.endpoint, quads, 1, compress=True))
    assert client.holds(body.graph, body.triples)
    assert client.count(["urn:h"]) == {"urn:h": 9}


# --- many graphs at once


class Counting:
    """Counts the requests that go out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: list[str] = []
        send = Connection.send

        def counted(connection: Connection, one: request.Request) -> object:
            self.sent.append(f"{one.method} {one.url.partition('/store')[1]}{'?' * ('?' in one.url)}")
            return send(connection, one)

        monkeypatch.setattr(Connection, "send", counted)


def test_what_the_store_has_nothing_of_goes_there_together_and_nothing_else_does(
    client: SparqlClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.push([sample(2, name="Alloys")], client)
    counting = Counting(monkeypatch)
    graphs = [sample(1), sample(2), of_lines(3), sample(4)]
    report = remote.push(graphs, client, full=True, fast=True)
    assert [one.action for one in report.pushed] == ["sent"] * 4
    assert [one for one in counting.sent if "/store" in one and "GET" not in one] == ["POST /store", "PUT /store?"]
    assert client.holds(sample(2).graph, sample(2).triples)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/n-quads", b"<urn:s> <urn:p> <urn:o> <urn:h> .\n"),
        ("application/ld+json", b'{"@context": "http://127.0.0.1:9/context", "@id": "urn:s", "name": "x"}'),
        ("application/n-triples", b"<urn:s> <urn:p> <urn:o> .\n<urn:s> <urn:p> no .\n"),
    ],
)
def test_why_nothing_is_sent_but_triples_of_ours_with_a_name_and_quads_without(
    kind: str, body: bytes, client: SparqlClient, store_url: str
) -> None:
    with httpx.Client(trust_env=False) as raw:
        result = raw.post(f"{store_url}/store?graph=urn:g", content=body, headers={"Content-Type": kind})
    assert result.status_code == 400
    assert set(client.count(["urn:g", "urn:h"]).values()) == {0}
    client.add_all(b"<urn:s> <urn:p> <urn:o> <urn:h> .\n", 1)
    assert client.count(["urn:h"]) == {"urn:h": 1}


def test_a_store_that_takes_one_graph_at_a_time_is_not_sent_many(server: Server) -> None:
    faulty = server(rows("g"))
    with (
        remote.connect(faulty.url, profile="virtuoso", auth="none") as connected,
        pytest.raises(SettingsError, match="one graph at a time"),
    ):
        remote.push([sample()], connected, fast=True)
    assert all(one.path == "/sparql" for one in faulty.seen)


def test_a_store_that_states_yes_to_many_and_keeps_none_is_caught(server: Server) -> None:
    faulty = server(rows("g"), Reply(204), rows("g"))
    with remote.connect(faulty.url, profile="oxigraph") as connected, pytest.raises(CountMismatchError, match="0 are"):
        remote.push([sample(1), sample(2)], connected, fast=True)
    assert [one.method for one in faulty.seen] == ["POST", "POST", "POST"]
    assert faulty.seen[1].headers["content-type"] == "application/n-quads"
    assert faulty.seen[1].path == "/store"


# --- names of graphs, page by page


def names(*numbers: int) -> Reply:
    return rows("g", *({"type": "uri", "value": f"urn:g:{number:05}"} for number in numbers))


def test_names_of_graphs_come_in_pages_that_no_store_cuts(server: Server) -> None:
    page = 5000
    faulty = server(names(*range(page)), names(*range(page, 2 * page)), names(2 * page))
    with remote.connect(faulty.url, profile="oxigraph") as connected:
        found = connected.checkpoints()
    assert found == [f"urn:g:{number:05}" for number in range(2 * page + 1)]
    given = [one.body.decode() for one in faulty.seen]
    assert all("ORDER BY STR(?g) LIMIT 5000" in one for one in given)
    assert ['> "urn:g:04999"' in one for one in given] == [False, True, False]


def test_a_store_that_gives_a_page_again_is_no_endless_list(server: Server) -> None:
    faulty: FaultyServer = server(names(*range(5000)))
    with remote.connect(faulty.url, profile="oxigraph") as connected, pytest.raises(TruncatedResultError):
        connected.checkpoints()
    assert len(faulty.seen) == 2
