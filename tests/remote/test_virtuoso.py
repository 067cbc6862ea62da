"""Virtuoso, whose ways nobody else has."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from checkpoint_ld import families
from checkpoint_ld.errors import AuthFailedError, CountMismatchError, TruncatedResultError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.stores import remote
from checkpoint_ld.stores.literals import values_of
from checkpoint_ld.stores.remote import SparqlClient
from checkpoint_ld.stores.server import Connection
from tests import documents
from tests.agents.documents import checkpoint, thought
from tests.remote.samples import sample, tree_of
from tests.remote.virtuoso_server import MOST_ROWS, virtuoso


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with virtuoso(tmp_path_factory.mktemp("virtuoso")) as found:
        yield found


@pytest.fixture
def client(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparqlClient]:
    monkeypatch.setenv("CHECKPOINT_LD_USER", "dba")
    monkeypatch.setenv("CHECKPOINT_LD_PASSWORD", "dba")
    with remote.connect(url) as connected:
        yield connected


@pytest.mark.slow
@pytest.mark.parametrize("build", [documents.canonical, documents.rich, documents.scenario])
def test_what_is_pulled_is_what_was_pushed(client: SparqlClient, build: type[dict[str, object]]) -> None:
    graph = CheckpointGraph.of_tree(build())
    sent = remote.outgoing(graph)

    remote.push([sent], client, full=True)

    assert client.endpoint.profile.name == "virtuoso"
    assert client.credentials.method == "digest"
    pulled = dict(remote.pull(client))
    assert list(pulled) == [sent.graph]
    assert json.dumps(tree_of(pulled[sent.graph])) == json.dumps(graph.tree())
    client.drop(sent.graph)
    client.drop(sent.graph)
    assert client.read(sent.graph) is None


def test_updates_in_parts_end_with_the_same_triples(client: SparqlClient, url: str) -> None:
    lines = [f'<urn:s> <urn:p> "{number} {"x" * 300}" .\n'.encode() for number in range(900)]
    without = replace(client.endpoint, store=None)

    with SparqlClient(without, Connection(url, client.credentials)) as updating:
        for _ in range(2):
            updating.replace("urn:g", b"".join(lines))
        assert updating.holds("urn:g", b"".join(lines))
        updating.drop("urn:g")

    assert client.count(["urn:g"]) == {"urn:g": 0}


def test_digits_and_integers_come_back(client: SparqlClient) -> None:
    thoughts = [thought(confidence=0.32383276483316237)]
    for tree in (
        checkpoint(thoughts, timestamp=1795839218123),
        {**documents.canonical(), "dateFeed": 0.8512345678, "count": 5_000_000_000},
    ):
        read = families.examine_bytes(json.dumps(tree).encode())
        sent = remote.outgoing(families.graph_of(read))

        remote.push([sent], client, full=True)

        ((_, pulled),) = remote.pull(client, [sent.graph])
        assert not pulled.findings
        assert values_of(remote.outgoing(families.graph_of(pulled)).triples).keys() == values_of(sent.triples).keys()
        client.drop(sent.graph)


def test_decimals_stay_decimals_beside_doubles(client: SparqlClient) -> None:
    kinds = ("0.5", "double"), ("0.5", "decimal"), ("1.25", "decimal"), ("2.5E-1", "double")
    triples = b"".join(
        f'<urn:s:{at}> <urn:p> "{text}"^^<http://www.w3.org/2001/XMLSchema#{kind}> .\n'.encode()
        for at, (text, kind) in enumerate(kinds)
    )
    for place in (client.endpoint, replace(client.endpoint, store=None)):
        with SparqlClient(place, Connection(client.endpoint.query.removesuffix("/sparql"), client.credentials)) as one:
            one.replace("urn:g", triples)
            assert values_of(one.read("urn:g") or b"").keys() == values_of(triples).keys()
    client.drop("urn:g")


def test_what_it_changes_is_listed_with_the_warning(client: SparqlClient) -> None:
    triple = b'<urn:s> <urn:p> "abc"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'

    with pytest.raises(CountMismatchError) as caught:
        remote.push([remote.Outgoing("urn:g", triple, 1, "0", "odd.nt")], client, full=True)

    assert caught.value.warnings == (
        "odd.nt: OpenLink Virtuoso makes of 'abc' its leading digits, or 0: it is no integer",
    )
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    assert str(caught.value).splitlines() == [
        "urn:g: the store holds other values than were sent from odd.nt",
        f'  expected <urn:s> <urn:p> "abc"{integer}',
        f'  found    <urn:s> <urn:p> "0"{integer}',
    ]
    client.drop("urn:g")


def test_a_result_above_its_limit_is_no_whole_result(client: SparqlClient) -> None:
    triples = b"".join(f"<urn:s> <urn:p> <urn:o{number}> .\n".encode() for number in range(MOST_ROWS + 500))
    client.replace("urn:g", triples)

    with pytest.raises(TruncatedResultError, match=f"cut the result at {MOST_ROWS} rows"):
        client.query("SELECT * WHERE { GRAPH <urn:g> { ?s ?p ?o } }")

    assert client.count(["urn:g"]) == {"urn:g": MOST_ROWS + 500}
    client.drop("urn:g")


def test_its_own_graphs_are_no_checkpoints(client: SparqlClient) -> None:
    one = sample()
    remote.push([one], client)

    assert client.query("ASK { GRAPH ?g { ?s ?p ?o FILTER (?g != <" + one.graph + ">) } }").boolean is True
    assert client.checkpoints() == [one.graph]
    client.drop(one.graph)


def test_nobody_may_write_without_a_name(url: str) -> None:
    with (
        remote.connect(url, profile="virtuoso", auth="none") as client,
        pytest.raises(AuthFailedError, match="it wants to know who asks"),
    ):
        client.replace("urn:g", b"<urn:s> <urn:p> <urn:o> .\n")
