"""What a client relies on, queried of a real server: the SPARQL 1.1 Protocol and the Graph Store HTTP Protocol."""

import json
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from checkpoint_ld.errors import LookupFailedError, ReadError, ServerRefusedError, SettingsError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.stores import remote, request
from checkpoint_ld.stores.endpoint import recognized
from checkpoint_ld.stores.literals import values_of
from checkpoint_ld.stores.remote import SparqlClient, credentials, endpoint, profiles
from checkpoint_ld.stores.server import Connection
from checkpoint_ld.validation import validator
from tests import documents
from tests.remote.oxigraph_server import oxigraph
from tests.remote.samples import ROOT, sample, tree_of

TRIPLE = b"<urn:s> <urn:p> <urn:o> .\n"


def test_a_replaced_graph_holds_what_was_sent_last(client: SparqlClient) -> None:
    client.replace("urn:g", b"<urn:old> <urn:p> <urn:o> .\n" + TRIPLE)
    client.replace("urn:g", TRIPLE)

    assert client.read("urn:g") == TRIPLE
    assert client.count(["urn:g", "urn:none"]) == {"urn:g": 1, "urn:none": 0}


def test_replacing_and_dropping_a_graph_leaves_the_others_alone(client: SparqlClient) -> None:
    names = [f"urn:g{number}" for number in range(13)]
    for name in names:
        client.replace(name, TRIPLE)

    client.replace(names[0], b"")
    assert [client.drop(names[1]) for _ in range(2)] == [True, False]

    assert client.count(names) == {name: int(name not in names[:2]) for name in names}
    assert client.read(names[1]) is None


@pytest.mark.parametrize("name", ["urn:uuid:question-é&?#x", "https://example.org/a?b=c&graph=urn:x#d", "urn:a%20b"])
def test_every_name_of_a_graph_arrives_as_it_is(client: SparqlClient, name: str) -> None:
    client.replace(name, TRIPLE)

    found = client.query("SELECT ?g WHERE { GRAPH ?g { ?s ?p ?o } }")

    assert found.as_dicts() == [{"g": name}]
    assert client.read(name) == TRIPLE


@pytest.mark.parametrize("name", ["", "no iri", "urn:a> <urn:b", "relative", "urn:a\nb"])
def test_what_is_no_iri_names_no_graph(client: SparqlClient, name: str) -> None:
    for use in (client.read, client.drop, lambda one: client.replace(one, TRIPLE), lambda one: client.count([one])):
        with pytest.raises(SettingsError, match="is no IRI"):
            use(name)


def test_a_refusal_quotes_the_line_and_column_that_the_server_shows(client: SparqlClient) -> None:
    with pytest.raises(
        ServerRefusedError, match=r"cannot replace the graph urn:g .*400: .*line 2 between columns 9 and 16"
    ) as caught:
        client.replace("urn:g", TRIPLE + b"<urn:s> nothing\n")

    assert caught.value.status == 400
    assert client.read("urn:g") is None


def test_every_form_of_query_gives_its_result(client: SparqlClient) -> None:
    client.replace("urn:g", b'<urn:s> <urn:p> "x"@en .\n' + TRIPLE)

    assert client.query("ASK { GRAPH ?g { <urn:s> <urn:p> <urn:o> } }").boolean is True
    assert client.query("ASK { GRAPH ?g { <urn:s> <urn:p> <urn:other> } }").boolean is False
    statement = pyoxigraph.Triple(*(pyoxigraph.NamedNode(f"urn:{one}") for one in "spo"))
    made = client.query("CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <urn:g> { ?s ?p ?o . FILTER(isIRI(?o)) } }")
    assert made.triples == (statement,)
    rows = client.query("SELECT ?o ?none WHERE { GRAPH ?g { ?s ?p ?o } } ORDER BY ?o")
    assert rows.as_dicts() == [{"o": "urn:o", "none": None}, {"o": "x", "none": None}]


@pytest.mark.parametrize("form", ["SELECT ?o", "CONSTRUCT { ?s ?p ?o }"])
def test_a_result_with_more_rows_than_wanted_is_cut_and_states_so(client: SparqlClient, form: str) -> None:
    client.replace("urn:g", b"".join(b"<urn:s> <urn:p> <urn:%d> .\n" % at for at in range(3)))
    found = [client.query(form + " WHERE { GRAPH ?g { ?s ?p ?o } }", max_rows=most) for most in (2, 3, None)]

    assert [(len(one.rows) + len(one.triples), one.is_cut) for one in found] == [(2, True), (3, False), (3, False)]


@pytest.mark.parametrize("name", ["limit", "values", "a-limit", "a.limit", "limit-a"])
def test_a_name_is_no_limit(client: SparqlClient, name: str) -> None:
    client.replace(f"urn:{name}", b"".join(b"<urn:s> <urn:p> <urn:%d> .\n" % at for at in range(3)))
    texts = (
        f"PREFIX {name}: <urn:> SELECT ?o WHERE {{ GRAPH ?g {{ ?s {name}:p ?o }} }}",
        f"PREFIX x: <urn:> SELECT ?o FROM x:{name} WHERE {{ ?s x:p ?o }} ORDER BY ?o LIMIT 3",
    )
    found = [client.query(text, max_rows=2) for text in texts]
    assert [(len(one), one.is_cut) for one in found] == [(2, True)] * 2


def test_values_are_bound_to_variables_and_never_become_syntax(client: SparqlClient) -> None:
    client.replace("urn:g", b'<urn:s> <urn:p> "a\\"} } # <x>" .\n' + TRIPLE)

    found = client.query("SELECT ?s WHERE { GRAPH ?g { ?s ?p ?o } }", o='a"} } # <x>')

    assert found.as_dicts() == [{"s": "urn:s"}]
    assert len(client.query("SELECT ?s WHERE { GRAPH ?g { ?s ?p ?o } }", o="urn:o")) == 0


def test_prefixes_of_ours_need_no_declaration_and_places_stay_those_of_the_text(client: SparqlClient) -> None:
    one = sample()
    client.replace(one.graph, one.triples)

    found = client.query("SELECT ?name WHERE { GRAPH ?g { ?g schema:name ?name } }")

    assert found.as_dicts() == [{"name": "Metals"}]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * WHERE { \\u0053ERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "DROP ALL",
        "LOAD <http://127.0.0.1:9/>",
        "SELECT nonsense",
    ],
)
def test_what_does_more_than_read_is_never_sent(client: SparqlClient, text: str) -> None:
    client.replace("urn:g", TRIPLE)

    with pytest.raises(SettingsError):
        client.query(text)

    assert client.count(["urn:g"]) == {"urn:g": 1}


def test_a_read_only_server_refuses_to_be_written_to(tmp_path: Path) -> None:
    pyoxigraph.Store(str(tmp_path / "store")).flush()

    with oxigraph(read_only=tmp_path / "store") as url, remote.connect(url) as connected:
        with pytest.raises(ServerRefusedError, match=r"403.*is it read-only") as caught:
            connected.replace("urn:g", TRIPLE)
        assert connected.checkpoints() == []

    assert caught.value.status == 403


def test_the_server_shows_which_kind_of_store_it_is(store_url: str) -> None:
    found: list[str] = []

    with remote.connect(store_url, found=found.append) as connected:
        assert connected.checkpoints() == []

    assert found == ["oxigraph"]


@pytest.mark.parametrize("build", [documents.canonical, documents.rich, documents.scenario])
def test_what_is_pulled_is_what_was_pushed(client: SparqlClient, build: type[dict[str, object]]) -> None:
    graph = CheckpointGraph.of_tree(build())
    sent = remote.outgoing(graph, "a file")

    remote.push([sent], client, full=True)
    pulled = dict(remote.pull(client))

    assert list(pulled) == [sent.graph]
    assert json.dumps(tree_of(pulled[sent.graph])) == json.dumps(graph.tree())


def test_a_checkpoint_with_a_feed_in_it_is_pulled_as_one_checkpoint(client: SparqlClient) -> None:
    tree = documents.canonical()
    nested = {"@type": "DataFeed", "@id": "urn:x:nested", "isPartOf": {"@id": tree["@id"]}}
    graph = CheckpointGraph.of_tree({**tree, "isBasedOn": nested})
    sent = remote.outgoing(graph, "a file")

    remote.push([sent], client, full=True)
    ((name, pulled),) = remote.pull(client)

    assert (name, json.dumps(tree_of(pulled))) == (sent.graph, json.dumps(graph.tree()))


def test_dates_come_back_as_the_store_writes_them_and_mean_the_same(client: SparqlClient) -> None:
    item = {**documents.item(), "dateCreated": "2026-11-20T10:57:19.500000"}
    graph = CheckpointGraph.of_tree(documents.canonical(item))

    remote.push([remote.outgoing(graph)], client, full=True)
    ((_, pulled),) = remote.pull(client)

    (element,) = tree_of(pulled)["dataFeedElement"]
    assert element["dateCreated"] == "2026-11-20T10:57:19.5"


@pytest.mark.slow
def test_every_document_of_the_corpus_arrives_and_comes_back(client: SparqlClient, corpus: Path) -> None:
    pushed = 0
    for file in sorted((corpus / "tricky").glob("*.jsonld")):
        try:
            sent = remote.outgoing(validator.read(str(file)).graph, file.name)
        except ReadError:
            continue
        remote.push([sent], client, full=True)
        ((name, pulled),) = remote.pull(client, [sent.graph])
        assert name == sent.graph
        assert values_of(remote.outgoing(pulled.graph).triples).keys() == values_of(sent.triples).keys(), file.name
        pushed += 1

    assert pushed > 20


def test_versions_that_are_kept_beside_another_are_pulled_too(client: SparqlClient) -> None:
    versions = [*remote.distinct([sample(name=name) for name in ("Metals", "Alloys")], "keep-both")]
    remote.push(versions, client)

    pulled = {name: found.tree["name"] for name, found in remote.pull(client)}

    assert pulled == dict(zip([one.graph for one in versions], ["Metals", "Alloys"], strict=True))


def test_only_graphs_of_checkpoints_are_pulled_unless_one_is_named(client: SparqlClient) -> None:
    one = sample()
    remote.push([one], client)
    client.replace("urn:system", TRIPLE)

    assert [name for name, _ in remote.pull(client)] == [one.graph]
    with pytest.raises(LookupFailedError, match="no graph urn:none"):
        list(remote.pull(client, ["urn:none"]))


@pytest.mark.parametrize("profile", ["oxigraph", "generic", "text names"])
def test_a_store_that_knows_only_updates_ends_with_the_same_triples(store_url: str, profile: str) -> None:
    one = sample()
    urls: dict[str, Any] = {"query": f"{store_url}/query", "update": f"{store_url}/update"}
    base = {"text names": "fuseki"}.get(profile, profile)
    if base == "fuseki":
        urls["store"] = f"{store_url}/store"

    with remote.connect(store_url, profile=base, **urls) as connected:
        connected.replace(one.graph, TRIPLE)
        remote.push([one], connected, full=True)

        assert connected.count([one.graph]) == {one.graph: one.count}
        assert connected.holds(one.graph, one.triples)
        assert not connected.holds(one.graph, TRIPLE)


def test_a_graph_of_many_parts_is_inserted_whole_and_blank_nodes_twice_are_the_same(store_url: str) -> None:
    lines = [f'_:b{number % 7} <urn:p> "{number} {"x" * 300}" .\n'.encode() for number in range(2500)]
    services: dict[str, Any] = {"query": f"{store_url}/query", "update": f"{store_url}/update"}

    with remote.connect(store_url, profile="generic", **services) as connected:
        for _ in range(2):
            connected.replace("urn:g", b"".join(lines))

        assert connected.count(["urn:g"]) == {"urn:g": 2500}
        nodes = connected.query("SELECT DISTINCT ?s WHERE { GRAPH ?g { ?s ?p ?o } }").as_dicts()

    assert len(nodes) == 7
    assert all(node["s"].startswith("urn:checkpoint-ld:bnode:") for node in nodes)


def test_one_client_goes_on_after_a_graph_that_is_not_there(client: SparqlClient) -> None:
    # HEAD would leave a body behind that the next request on this connection took for its answer.
    for _ in range(3):
        assert client.read(f"{ROOT}none") is None
        assert client.count(["urn:g"]) == {"urn:g": 0}


def test_a_compressed_body_arrives_as_it_was(client: SparqlClient, store_url: str) -> None:
    body = b"".join(f"<urn:s> <urn:p> <urn:o{number}> .\n".encode() for number in range(10_000))

    with Connection(store_url) as connection:
        for one in request.replace_graph(client.endpoint, "urn:g", body, compress=True):
            assert len(one.body) < len(body) / 5
            connection.send(one)

    assert client.read("urn:g") is not None
    assert client.holds("urn:g", body)


# --- Where credentials come from, and that they show up nowhere.


PAIR = {"CHECKPOINT_LD_USER": "reader", "CHECKPOINT_LD_PASSWORD": "pass word"}
TOKEN = {"CHECKPOINT_LD_TOKEN": "abc.def"}


@pytest.fixture
def netrc(tmp_path: Path) -> dict[str, str]:
    file = tmp_path / "netrc"
    file.write_text("machine store.example login dba password from-netrc\nmachine other.example login x password y\n")
    file.chmod(0o600)
    return {"NETRC": str(file)}


@pytest.mark.parametrize(
    ("given", "environment", "method", "secret"),
    [
        ({}, {"NETRC": "/nowhere"}, "none", ""),
        ({}, PAIR, "basic", "pass word"),
        ({"preferred": "digest"}, PAIR, "digest", "pass word"),
        ({"method": "basic", "preferred": "digest"}, PAIR, "basic", "pass word"),
        ({}, {**PAIR, **TOKEN}, "bearer", "abc.def"),
        ({"method": "none"}, {**PAIR, **TOKEN}, "none", ""),
    ],
)
def test_credentials_of_the_environment(given: Any, environment: dict[str, str], method: str, secret: str) -> None:
    found = credentials("h", **given, environment=environment)

    assert (found.method, found.secret, found.masked == "") == (method, secret, method == "none")


@pytest.mark.parametrize("text", ["", "\nreader:word\n", "reader:\n"])
def test_a_file_without_credentials_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "secret").write_text(text)
    with pytest.raises(SettingsError, match="holds no credentials"):
        credentials("h", file=str(tmp_path / "secret"), environment=PAIR)


def test_netrc_counts_for_its_own_host_alone(netrc: dict[str, str]) -> None:
    found = credentials("store.example", environment=netrc)

    assert (found.method, found.user, found.secret) == ("basic", "dba", "from-netrc")
    assert credentials("elsewhere.example", environment=netrc).method == "none"


@pytest.mark.parametrize(
    ("text", "method"), [("reader:pass:word\nof the year 2026\n", "basic"), ("  abc.def\n", "bearer")]
)
def test_the_first_line_of_a_file_comes_before_all_else(tmp_path: Path, text: str, method: str) -> None:
    file = tmp_path / "secret"
    file.write_text(text)

    found = credentials("h", file=str(file), environment=PAIR)

    assert found.method == method
    assert found.secret == ("pass:word" if method == "basic" else "abc.def")


@pytest.mark.parametrize(
    ("method", "environment", "message"),
    [
        ("oauth", {}, 'there is no authentication "oauth"'),
        ("digest", {"NETRC": "/nowhere"}, "needs credentials: set CHECKPOINT_LD_TOKEN"),
        ("bearer", PAIR, "authentication bearer needs a token"),
        ("basic", TOKEN, "authentication basic needs a name and a password"),
        ("auto", {"CHECKPOINT_LD_USER": "reader"}, "CHECKPOINT_LD_PASSWORD is not set or is empty: set both"),
        ("basic", {"CHECKPOINT_LD_PASSWORD": "pass word"}, "CHECKPOINT_LD_USER is not set or is empty: set both"),
        ("auto", {"CHECKPOINT_LD_TOKEN": "secret\r\nHost: x"}, "hold line breaks"),
    ],
)
def test_what_does_not_fit_is_refused_without_showing_it(
    method: str, environment: dict[str, str], message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        credentials("h", method, environment=environment)

    assert not any(value in str(caught.value) for value in environment.values() if value != "/nowhere")


def test_files_that_are_not_there_or_no_netrc_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="credentials cannot be read: No such file"):
        credentials("h", file=str(tmp_path / "none"))
    (tmp_path / "netrc").write_text("machine h nonsense secret-word\n")
    with pytest.raises(SettingsError, match="this is no netrc file") as caught:
        credentials("h", environment={"NETRC": str(tmp_path / "netrc")})
    assert "secret-word" not in str(caught.value)


def test_nothing_shows_a_secret() -> None:
    found = credentials("h", environment=PAIR)
    shown = found.hide("pass word, pass%20word, reader:pass word, cmVhZGVyOnBhc3Mgd29yZA==")

    assert shown == "***, ***, ***, ***"
    assert "pass word" not in repr(found) + found.masked + found.for_shell
    assert found.masked == "Basic ***"


# --- Where services are, and what is refused before anything is opened.


URL = "http://127.0.0.1:7878"


@pytest.mark.parametrize(
    ("profile", "services"),
    [
        ("oxigraph", ("/query", "/update", "/store")),
        ("virtuoso", ("/sparql", "/sparql-auth", "/sparql-graph-crud-auth")),
        ("fuseki", ("/query", "/update", "/data")),
        ("rdf4j", ("", "/statements", "/rdf-graphs/service")),
        ("graphdb", ("", "/statements", "/rdf-graphs/service")),
    ],
)
def test_a_profile_shows_where_services_are(profile: str, services: tuple[str, str, str]) -> None:
    found = endpoint(f"{URL}/base/", profile)

    assert (found.query, found.update, found.store) == tuple(f"{URL}/base{one}" for one in services)
    assert endpoint(found.query, profile) == found


def test_of_a_generic_store_every_url_is_given() -> None:
    found = endpoint(URL, "generic", query=f"{URL}/q", update=f"{URL}/u")

    assert (found.query, found.update, found.store) == (f"{URL}/q", f"{URL}/u", None)
    assert endpoint(f"{URL}/sparql", "generic").query == f"{URL}/sparql"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://reader:secret@127.0.0.1/", "a URL with a name or password"),
        ("http://secret@127.0.0.1/", "a URL with a name or password"),
        ("ftp://127.0.0.1/", "is no URL of a server"),
        ("127.0.0.1:7878", "is no URL of a server"),
        ("http://", "is no URL of a server"),
        ("http://127.0.0.1:port", "is no URL of a server"),
        ("http://127.0.0.1/a b", "is no URL of a server"),
        ("http://127.0.0.1/a\r\nHost: x", "is no URL of a server"),
        ("http://127.0.0.1/?token=secret", "'http://127.0.0.1/' is followed by a query or a fragment"),
        ("localhost:7878#secret", "'localhost:7878' is no URL of a server"),
        ("ftp://x/?a=secret", "'ftp://x/' is no URL of a server"),
    ],
)
def test_what_is_no_url_of_a_store_is_refused(url: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        endpoint(url, "oxigraph")

    assert "secret" not in str(caught.value)


def test_services_of_several_servers_are_refused() -> None:
    with pytest.raises(SettingsError, match="at several servers"):
        endpoint(URL, "generic", query=f"{URL}/q", update="http://127.0.0.1:7879/u")


def test_a_profile_that_is_not_there_is_refused() -> None:
    with pytest.raises(SettingsError, match=r'there is no profile "oxygraph"; did you mean oxigraph or'):
        endpoint(URL, "oxygraph")


@pytest.mark.parametrize(
    ("server", "body", "name"),
    [
        ("Oxigraph/0.5.13", "", "oxigraph"),
        ("Virtuoso/07.20.3229 (Linux) x86_64-pc-linux-gnu", "", "virtuoso"),
        ("Apache Jena Fuseki (4.5.0)", "", "fuseki"),
        ("nginx", "<title>GraphDB Workbench</title>", "graphdb"),
        ("checkpoint-ld", "", "checkpoint-ld"),
        ("nginx", "nothing", None),
    ],
)
def test_a_store_is_recognized_by_what_it_states(server: str, body: str, name: str | None) -> None:
    found = recognized(server, body)

    assert (found and found.name) == name


def test_it_is_reported_which_profiles_were_seen_running() -> None:
    assert [name for name, one in profiles().items() if one.checked] == ["oxigraph", "virtuoso", "checkpoint-ld"]
