"""Pushing many graphs: what is sent, what is skipped, and what an interruption leaves."""

import gzip
from collections.abc import Callable
from dataclasses import replace

import pytest

from checkpoint_ld.errors import CountMismatchError, ServerUnreachableError, SettingsError, TruncatedResultError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.emission import nquads_of
from checkpoint_ld.stores import remote, request
from checkpoint_ld.stores.backend import BLOCK, Spooled, blocks, compressed
from checkpoint_ld.stores.endpoint import endpoint, profiles
from checkpoint_ld.stores.literals import altered, values_of
from checkpoint_ld.stores.remote import BATCH, Manifest, SparqlClient, outgoing, outgoing_of_quads
from checkpoint_ld.stores.server import Connection
from tests import documents
from tests.remote.conftest import Server
from tests.remote.faulty_server import FaultyServer, Reply, Seen
from tests.remote.samples import ROOT, Memory, rows, sample

URL = "http://127.0.0.1:7878"


def actions(report: remote.PushReport) -> list[str]:
    return [one.action for one in report.pushed]


def manifest(client: SparqlClient, *, restart: bool = False) -> Manifest:
    return Manifest.of(client, restart=restart)


def interrupted(client: SparqlClient) -> None:
    """Begin to push another version, as a process that is killed then."""
    new = sample(2, name="Metale")
    manifest(client).note([new], "loading")
    client.replace(new.graph, new.triples)


@pytest.mark.parametrize(
    ("change", "full", "second"),
    [
        (lambda _: None, True, "skipped"),
        (lambda client: client.drop(sample(2).graph), False, "sent"),
        (lambda client: client.replace(sample(2).graph, sample(2, name="Alloys").triples), True, "sent"),
        (interrupted, True, "sent"),
    ],
    ids=["nothing", "dropped", "other values", "interrupted"],
)
def test_what_the_store_does_not_hold_any_more_is_sent_again(
    client: SparqlClient, change: Callable[[SparqlClient], object], full: bool, second: str
) -> None:
    graphs = [sample(1), sample(2)]
    remote.push(graphs, client, manifest(client))
    change(client)

    assert actions(remote.push(graphs, client, manifest(client), full=full)) == ["skipped", second]
    assert client.holds(sample(2).graph, sample(2).triples)
    assert actions(remote.push(graphs, client, manifest(client, restart=True))) == ["sent", "sent"]


def test_what_changed_is_sent_again_and_nothing_else(client: SparqlClient) -> None:
    remote.push([sample(1), sample(2)], client, manifest(client))

    report = remote.push([sample(1), sample(2, name="Alloys")], client, manifest(client))

    assert actions(report) == ["skipped", "sent"]
    found = client.query("SELECT ?name WHERE { GRAPH ?g { ?g schema:name ?name } } ORDER BY ?name")
    assert [row["name"] for row in found] == ["Alloys", "Metals"]


def test_the_same_checkpoint_twice_is_sent_once(client: SparqlClient) -> None:
    assert actions(remote.push([sample(), sample()], client)) == ["sent"]


def test_two_checkpoints_of_one_name_are_refused_before_the_second_is_sent(client: SparqlClient) -> None:
    with pytest.raises(
        SettingsError, match=r"Metals-1\.jsonld and Alloys-1\.jsonld differ but have the same name urn:"
    ):
        remote.push([sample(), sample(name="Alloys")], client)

    assert client.checkpoints() == []


@pytest.mark.slow
def test_only_what_was_verified_counts_as_done(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checkpoint_ld.stores.mirror._PATIENCE", 0)
    graphs = [sample(number) for number in range(BATCH + 5)]
    memory, puts = Memory(), 0

    def stops_in_the_second_batch(seen: Seen) -> Reply:
        nonlocal puts
        puts += seen.method == "PUT"
        return Reply(resets=True) if puts > BATCH + 4 else memory(seen)

    dying = server(stops_in_the_second_batch)
    with (
        remote.connect(dying.url, profile="oxigraph", wait=lambda _: None) as client,
        pytest.raises(ServerUnreachableError),
    ):
        remote.push(graphs, client, manifest(client))

    well = server(memory)
    with remote.connect(well.url, profile="oxigraph") as client:
        report = remote.push(graphs, client, manifest(client))

    assert actions(report) == ["skipped"] * BATCH + ["sent"] * 5
    assert len(memory.graphs) == BATCH + 6  # with the manifest


def test_a_graph_that_differs_is_named_and_the_others_of_its_batch_are_done(server: Server) -> None:
    good, bad = sample(1), sample(2)
    memory = Memory()
    memory.loses = frozenset((bad.graph,))

    with remote.connect(server(memory).url, profile="oxigraph") as client:
        with pytest.raises(CountMismatchError) as caught:
            remote.push([good, bad], client, manifest(client))
        assert caught.value.graphs == (bad.graph,)
        assert manifest(client).has(good)
        assert not manifest(client).has(bad)


def test_verifying_sends_nothing_and_names_all_that_differ(client: SparqlClient) -> None:
    graphs = [sample(number) for number in range(3)]
    remote.push(graphs, client)

    assert actions(remote.verify(graphs, client, full=True)) == ["verified"] * 3

    client.drop(graphs[0].graph)
    client.replace(graphs[2].graph, sample(2, name="Metale").triples)
    with pytest.raises(CountMismatchError) as caught:
        remote.verify(graphs, client, full=True)
    assert caught.value.graphs == (graphs[0].graph, graphs[2].graph)
    assert client.read(graphs[0].graph) is None


def test_values_that_the_store_changes_are_warned_about(server: Server) -> None:
    one = sample()
    large = b"".join(blocks(one.triples)).replace(
        b'<https://schema.org/name> "Metals"',
        b'<urn:p> "1' + b"0" * 50 + b'"^^<http://www.w3.org/2001/XMLSchema#integer>',
    )
    assert large != one.triples
    held = remote.Outgoing(one.graph, large, one.count, "0", "big.jsonld")
    memory = Memory()
    answers = server(memory)

    with remote.connect(answers.url, profile="oxigraph") as client:
        assert remote.push([held], client).warnings == ()
    with remote.connect(answers.url, profile="virtuoso", auth="none") as client:
        (warning,) = remote.push([held], client).warnings
        memory.loses = frozenset([one.graph])
        with pytest.raises(CountMismatchError) as caught:
            remote.push([held], client)

    shown = f"1{'0' * 39}…"
    assert warning == f"big.jsonld: OpenLink Virtuoso makes of {shown!r} INF: it has no numbers of more than 40 digits"
    assert caught.value.warnings == (warning,)


def test_a_full_verification_lists_what_differs_with_what_is_there(client: SparqlClient) -> None:
    one, other = sample(), sample(name="Metale")
    client.replace(one.graph, other.triples)

    with pytest.raises(CountMismatchError) as caught:
        remote.verify([one], client, full=True)

    _, *lines = str(caught.value).splitlines()
    name = f"<{one.graph}> <https://schema.org/name>"
    assert lines == [f'  expected {name} "Metals"', f'  found    {name} "Metale"']


def test_values_that_a_store_makes_one_are_no_difference(client: SparqlClient) -> None:
    triples = b"".join(
        f'<urn:s> <urn:p> "{text}"^^<http://www.w3.org/2001/XMLSchema#double> .\n'.encode() for text in ("1.0", "1.0E0")
    )

    report = remote.push([remote.Outgoing("urn:g", triples, 2, "0")], client, full=True)

    assert actions(report) == ["sent"]
    assert client.count(["urn:g"]) == {"urn:g": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<urn:checkpoint-ld:pushed> <https://schema.org/version> "2" .', "by another checkpoint-ld, version 2"),
        ('<urn:g> <https://schema.org/name> "x" .', "is no manifest of a push"),
    ],
)
def test_a_manifest_that_is_not_understood_is_left_alone(client: SparqlClient, text: str, message: str) -> None:
    client.replace("urn:checkpoint-ld:pushed", f"{text}\n".encode())

    with pytest.raises(SettingsError, match=message):
        manifest(client)

    assert client.read("urn:checkpoint-ld:pushed") == f"{text}\n".encode()


def test_what_is_gone_is_removed_and_nothing_of_others(client: SparqlClient) -> None:
    client.replace("urn:theirs", b"<urn:s> <urn:p> <urn:o> .\n")
    remote.push([sample(number) for number in range(3)], client, Manifest.of(client))
    remote.push([sample(5)], client, Manifest.of(client, "others"))

    kept = manifest(client)
    renamed = replace(sample(7), source=sample(2).source)
    report = remote.prune(remote.push([sample(0), renamed], client, kept), client, kept)

    assert actions(report) == ["skipped", "sent", "removed", "moved"]
    assert client.checkpoints() == [sample(number).graph for number in (0, 5, 7)]
    assert client.count(["urn:theirs"]) == {"urn:theirs": 1}
    assert sorted(manifest(client).entries) == [sample(0).graph, sample(7).graph]


def test_versions_kept_beside_another_do_not_pile_up(client: SparqlClient) -> None:
    files = [replace(sample(1, name=name), source=f"{name}.jsonld") for name in "abc"]
    remote.push(files, client, manifest(client), on_conflict="keep-both")
    files[1] = replace(sample(1, name="B"), source="b.jsonld")

    report = remote.push(files, client, manifest(client), on_conflict="keep-both")

    assert actions(report) == ["skipped", "sent", "skipped", "moved"]
    assert len(client.checkpoints()) == 3
    assert actions(remote.push(files, client, manifest(client), on_conflict="keep-both")) == ["skipped"] * 3


def test_an_unchanged_source_is_read_if_the_store_lost_its_graph(client: SparqlClient) -> None:
    one = sample()
    remote.push([one], client, manifest(client))
    unread = replace(one, triples=b"", read=lambda: one)

    assert actions(remote.push([unread], client, manifest(client))) == ["skipped"]
    client.drop(one.graph)
    assert actions(remote.push([unread], client, manifest(client))) == ["sent"]
    assert actions(remote.push([unread], client, manifest(client), full=True)) == ["skipped"]


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
    assert altered(spooled.triples, profiles()["virtuoso"]) == {}
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


@pytest.mark.parametrize("kind", ["literal", "bnode"])
def test_a_store_that_answers_something_else_for_graphs_is_told_as_that(server: Server, kind: str) -> None:
    """A full page without a single name led to the same request for ever."""
    faulty = server(rows("g", *({"type": kind, "value": f"b{number}"} for number in range(5000))))
    refused = pytest.raises(TruncatedResultError, match="where the name of a graph is expected")
    with remote.connect(faulty.url, profile="oxigraph") as connected, refused:
        connected.checkpoints()
    assert len(faulty.seen) == 1
