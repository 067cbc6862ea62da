"""What a server does wrong: each gives the right error or another try, and no secret appears anywhere."""

import os
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from checkpoint_ld.errors import (
    AuthFailedError,
    CountMismatchError,
    ServerRefusedError,
    ServerUnreachableError,
    SettingsError,
    StoreError,
    TruncatedResultError,
)
from checkpoint_ld.stores import remote
from checkpoint_ld.stores.backend import blocks
from checkpoint_ld.stores.remote import Credentials, SparqlClient, credentials, endpoint
from checkpoint_ld.stores.request import preview_as_curl, preview_as_json, preview_as_text
from checkpoint_ld.stores.server import PAUSES
from tests.remote.conftest import Server
from tests.remote.faulty_server import FaultyServer, Reply, Seen
from tests.remote.oxigraph_server import free_port
from tests.remote.samples import RESULTS, Memory, counted, rows, sample

TRIPLE = b"<urn:s> <urn:p> <urn:o> .\n"
SELECT = "SELECT * WHERE { ?s ?p ?o }"
EMPTY = Reply(200, b'{"head": {"vars": ["s"]}, "results": {"bindings": []}}', RESULTS)


def connected(server: FaultyServer, waits: list[float] | None = None, **settings: Any) -> SparqlClient:
    held = waits if waits is not None else []
    options: dict[str, Any] = {"profile": "oxigraph", "timeout": 5.0, **settings}
    return remote.connect(server.url, wait=held.append, **options)


@pytest.mark.parametrize("status", [408, 425, 429, 502, 503, 504])
def test_what_may_pass_is_tried_again(server: Server, status: int) -> None:
    waits: list[float] = []
    one = server(Reply(status), Reply(status), Reply(204))

    with connected(one, waits) as client:
        client.replace("urn:g", TRIPLE)

    assert [seen.body for seen in one.seen] == [TRIPLE] * 3
    assert [0.75 * pause <= wait <= 1.25 * pause for wait, pause in zip(waits, PAUSES[:2], strict=True)] == [True] * 2


Use = Callable[[SparqlClient], object]
REPLACE: Use = lambda client: client.replace("urn:g", TRIPLE)  # noqa: E731 - an entry of the table
ASK: Use = lambda client: client.query(SELECT)  # noqa: E731 - as above
CONSTRUCT: Use = lambda client: client.query("CONSTRUCT WHERE { ?s ?p ?o }")  # noqa: E731 - as above
CANCELLED = b"The SPARQL operation has been cancelled"
TERM = {"type": "uri", "value": "urn:s"}
NAMED = b'{"g": {"type": "uri", "value": "urn:g"}, "n": {"type": "literal", "value": "1"}}'
COLUMNS = Reply(200, b'{"head": {"vars": ["g", "n"]}, "results": {"bindings": [' + NAMED + b"]}}", RESULTS)
RUDE = b"\n  no \x1b[31mgood\x07  \nmore"

FAULTS: dict[str, tuple[Use, list[Reply], dict[str, Any], type[StoreError], str, int]] = {
    **{
        f"status {status}": (
            REPLACE,
            [Reply(status, RUDE)],
            {},
            ServerRefusedError,
            rf"answers {status}: no  \[31mgood",
            1,
        )
        for status in (400, 404, 405, 415, 500, 501)
    },
    "six attempts": (ASK, [Reply(503, b"overloaded")], {}, ServerRefusedError, "answers 503: overloaded", 6),
    "always resets": (
        ASK,
        [Reply(resets=True)],
        {},
        ServerUnreachableError,
        "at any of 6 tries; is the server running at",
        6,
    ),
    "too late": (ASK, [Reply(delay=0.6)], {"timeout": 0.1}, ServerUnreachableError, r"no answer within 0\.1 s", 6),
    "drop by drop": (
        *(ASK, [Reply(200, b" " * 200, drip=0.02)], {"timeout": 0.1}),
        *(ServerUnreachableError, "no answer within", 6),
    ),
    "breaks off": (
        *(ASK, [Reply(200, EMPTY.body, RESULTS, lacking=10)], {}),
        *(TruncatedResultError, "the answer broke off", 6),
    ),
    "out of time in a row": (
        *(
            ASK,
            [
                Reply(
                    200, b'{"head": {"vars": ["s"]}, "results": {"bindings": [{"s": {"type": "uri"' + CANCELLED, RESULTS
                )
            ],
            {},
        ),
        *(TruncatedResultError, "operation has been cancelled", 1),
    ),
    "out of time at the end": (
        *(ASK, [Reply(200, EMPTY.body[:-1] + CANCELLED, RESULTS)], {}),
        *(TruncatedResultError, "operation has been cancelled", 1),
    ),
    **{
        f"triples and {end.decode()}": (
            *(CONSTRUCT, [Reply(200, TRIPLE + end)], {}),
            *(TruncatedResultError, "N-Triples that ends too early", 1),
        )
        for end in (CANCELLED, b"<urn:s> <urn:p> <urn:o> .", b"<urn:s> <ur")
    },
    "cut between two lines": (
        *(lambda client: client.read("urn:g"), [Reply(200, TRIPLE), counted(**{"urn:g": 2})] * 4, {}),
        *(CountMismatchError, "holds 2", 8),
    ),
    "web page": (
        *(ASK, [Reply(200, b"<html>Log in</html>", {"Content-Type": "text/html"})], {}),
        *(TruncatedResultError, r"'text/html'.*is that the URL", 1),
    ),
    "a limit that is stated": (
        *(ASK, [rows("s", TERM, **{"X-SPARQL-MaxRows": "1"})], {}),
        *(TruncatedResultError, r"cut the result at 1 rows.*LIMIT and OFFSET", 1),
    ),
    "a silent limit": (
        *(ASK, [rows("s", *[TERM] * 100_000)], {"profile": "virtuoso", "auth": "none"}),
        *(TruncatedResultError, "cut the result at 100000 rows", 1),
    ),
    "who asks": (ASK, [Reply(401)], {}, AuthFailedError, "set CHECKPOINT_LD_TOKEN, or", 1),
    "no IRI": (ASK, [rows("s", {"type": "uri", "value": "a b"})], {}, TruncatedResultError, "not used.*IRI", 1),
    "an empty answer": (ASK, [Reply(200, b"", RESULTS)], {}, TruncatedResultError, "but nothing: is that the URL", 1),
    "no value": (ASK, [rows("s", {"type": "literal"})], {}, TruncatedResultError, "the member 'value' is missing", 1),
    "no truth value": (
        *(lambda client: client.query("ASK { ?s ?p ?o }"), [Reply(200, b'{"boolean": "false"}', RESULTS)], {}),
        *(TruncatedResultError, "'false' is no truth value", 1),
    ),
    "no rows": (ASK, [Reply(200, b'{"head": {}, "boolean": true}', RESULTS)], {}, TruncatedResultError, "truth", 1),
    "names in other columns": (SparqlClient.checkpoints, [COLUMNS], {}, TruncatedResultError, "name of a graph is", 1),
}
"""What is done, what a server answers, how it was connected; the error, what it says, and how many requests came."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_server_does_wrong_is_an_error_of_its_own(server: Server, fault: str) -> None:
    use, replies, settings, error, message, requests = FAULTS[fault]
    waits: list[float] = []
    one, begun = server(*replies), time.monotonic()

    with connected(one, waits, **settings) as client, pytest.raises(error, match=message) as caught:
        use(client)

    assert len(one.seen) == requests
    assert len(waits) == (5 if requests == 6 else 0)
    assert getattr(caught.value, "status", replies[-1].status) == replies[-1].status
    assert time.monotonic() - begun < 20


def test_a_server_states_when_to_come_back_up_to_a_minute(server: Server) -> None:
    waits: list[float] = []
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=30), usegmt=True)
    replies = [Reply(503, headers={"Retry-After": text}) for text in (soon, past, "whenever", "²", "3600")]

    with connected(server(*replies, EMPTY), waits) as client:
        client.query(SELECT)

    assert 20 < waits[0] <= 30
    assert waits[1] == 0
    assert 0 < waits[2] <= 1.25 * PAUSES[2] < waits[3] <= 1.25 * PAUSES[3]
    assert waits[4] == 60


def test_after_a_reset_a_new_connection_is_opened(server: Server) -> None:
    one = server(EMPTY, Reply(resets=True), EMPTY)

    with connected(one) as client:
        client.query(SELECT)
        client.query(SELECT)

    assert len(one.seen) == 3
    assert one.connections == 2


def test_nobody_at_the_port_is_unreachable() -> None:
    url = f"http://127.0.0.1:{free_port()}"

    with (
        remote.connect(url, profile="oxigraph", wait=lambda _: None) as client,
        pytest.raises(ServerUnreachableError, match=rf"{url}.*refused") as caught,
    ):
        client.query(SELECT)

    assert isinstance(caught.value, StoreError | ConnectionError)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed_and_carry_no_secret_away(
    server: Server, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHECKPOINT_LD_TOKEN", "secret-token")
    elsewhere = server(Reply(204))
    one = server(Reply(status, headers={"Location": f"{elsewhere.url}/?t=secret-token"}))

    with connected(one) as client:
        for use in (
            lambda: client.replace("urn:g", TRIPLE),
            lambda: client.drop("urn:g"),
            lambda: client.query(SELECT),
        ):
            with pytest.raises(ServerRefusedError, match=rf"sends us to {elsewhere.url}/\?t=\*\*\*") as caught:
                use()
            assert "secret-token" not in str(caught.value)

    assert elsewhere.seen == []
    assert len(one.seen) == 3


def test_a_server_that_loads_nothing_is_caught(server: Server) -> None:
    one, graph = server(Reply(200), counted()), sample()

    with connected(one) as client, pytest.raises(CountMismatchError) as caught:
        remote.push([graph], client)

    found = f"{graph.graph}: {graph.count} triples were sent from Metals-1.jsonld, 0 are in the store"
    assert str(caught.value) == found
    assert caught.value.graphs == (graph.graph,)


def test_a_server_that_keeps_other_values_is_caught_by_reading_back(server: Server) -> None:
    memory, graph = Memory(), sample()

    def wrong(seen: Seen) -> Reply:
        if seen.method != "GET":
            return memory(seen)
        return Reply(200, b"".join(blocks(graph.triples)).replace(b"Metals", b"Metal"))

    with connected(server(wrong)) as client:
        remote.push([graph], client)
        with pytest.raises(CountMismatchError, match="holds other values than were sent"):
            remote.push([graph], client, full=True)


def test_virtuoso_is_queried_in_forms_and_understood(server: Server) -> None:
    old = {"type": "typed-literal", "value": "3", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}
    numbered = rows("n", old)
    number = numbered.body.replace(b'"vars": ["n"]', b'"vars": ["g", "n"]').replace(
        b'{"n":', b'{"g": {"type": "uri", "value": "urn:g"}, "n":'
    )
    truth = rows("__ask_retval", {"type": "literal", "value": "1"})
    blank = rows("s", *({"type": "bnode", "value": f"nodeID://b{at}"} for at in (7, 8, 7)))
    one = server(Reply(200, number, RESULTS), truth, rows("x"), blank)

    with connected(one, profile="virtuoso", auth="none") as client:
        assert client.count(["urn:g"]) == {"urn:g": 3}
        assert client.query("ASK { ?s ?p ?o }").boolean is True
        assert client.query("ASK { ?s ?p ?o }").boolean is False
        nodes = [row["s"] for row in client.query(SELECT)]

    assert [node[:2] for node in nodes] == ["_:"] * 3
    assert [nodes.index(node) for node in nodes] == [0, 1, 0]
    assert {(seen.path, seen.headers["content-type"]) for seen in one.seen} == {
        ("/sparql", "application/x-www-form-urlencoded")
    }
    assert one.seen[0].body.startswith(b"query=SELECT+%3Fg+%28COUNT")


def test_digest_is_settled_before_a_body_is_sent(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_LD_USER", "dba")
    monkeypatch.setenv("CHECKPOINT_LD_PASSWORD", "secret-password")
    given = {"WWW-Authenticate": 'Digest realm="SPARQL", nonce="abc", qop="auth", algorithm=MD5'}

    def guarded(seen: Seen) -> Reply:
        if "authorization" not in seen.headers:
            return Reply(401, headers=given)
        return Reply({"GET": 404, "PUT": 201, "DELETE": 204}[seen.method])

    one = server(guarded)
    with connected(one, profile="virtuoso") as client:
        client.replace("urn:g", TRIPLE)
        client.drop("urn:g")

    assert [seen.method for seen in one.seen] == ["GET", "GET", "PUT", "DELETE"]
    assert one.seen[2].body == TRIPLE
    assert all(seen.headers["authorization"].startswith('Digest username="dba"') for seen in one.seen[1:])
    assert not any("secret-password" in str(seen) for seen in one.seen)


def test_a_new_nonce_in_the_middle_lets_the_body_be_sent_again(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_LD_USER", "dba")
    monkeypatch.setenv("CHECKPOINT_LD_PASSWORD", "secret-password")
    stale = Reply(401, headers={"WWW-Authenticate": 'Digest realm="r", nonce="next", qop="auth", stale=true'})
    body = TRIPLE * 100_000
    one = server(stale, Reply(404), stale, Reply(201))

    with connected(one, auth="digest") as client:
        client.replace("urn:g", body)

    assert [len(seen.body) for seen in one.seen] == [0, 0, len(body), len(body)]


@pytest.mark.parametrize(
    ("wanted", "remedy"),
    [
        ("Basic", r"the credentials of CHECKPOINT_LD_USER and CHECKPOINT_LD_PASSWORD are not accepted"),
        ("Digest", "--auth digest"),
    ],
)
def test_credentials_that_are_refused_are_named_not_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch, wanted: str, remedy: str
) -> None:
    monkeypatch.setenv("CHECKPOINT_LD_USER", "reader")
    monkeypatch.setenv("CHECKPOINT_LD_PASSWORD", "secret-password")
    headers = {"WWW-Authenticate": f'{wanted} realm="r"'}
    one = server(lambda seen: Reply(401, f"wrong: {seen.headers['authorization']} secret-password".encode(), headers))

    with connected(one) as client, pytest.raises(AuthFailedError, match=remedy) as caught:
        client.query(SELECT)

    assert len(one.seen) == 1
    assert one.seen[0].headers["authorization"] == "Basic cmVhZGVyOnNlY3JldC1wYXNzd29yZA=="
    assert "secret-password" not in f"{caught.value}{caught.value!r}"
    assert "cmVhZGVyOnNlY3JldC1wYXNzd29yZA" not in str(caught.value)


def test_no_proxy_sees_what_this_machine_states_to_itself(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        silent.setblocking(False)
        proxy = f"http://127.0.0.1:{silent.getsockname()[1]}"
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy)
        with connected(server(EMPTY)) as client:
            client.query(SELECT)
        with pytest.raises(BlockingIOError):
            silent.accept()


def test_our_requests_state_who_asks_and_what_they_carry(server: Server) -> None:
    one = server(Reply(204), Reply(204), EMPTY)

    with connected(one) as client:
        client.replace("urn:g", TRIPLE)
        client.drop("urn:g")
        client.query(SELECT)

    assert all(seen.headers["user-agent"].startswith("checkpoint-ld/") for seen in one.seen)
    assert [(seen.method, seen.path) for seen in one.seen] == [
        ("PUT", "/store?graph=urn%3Ag"),
        ("DELETE", "/store?graph=urn%3Ag"),
        ("POST", "/query"),
    ]
    assert one.seen[0].headers["content-type"] == "application/n-triples"
    assert one.seen[0].headers["content-length"] == str(len(TRIPLE))
    assert one.seen[2].headers["content-type"] == "application/sparql-query"
    assert one.seen[2].headers["accept"] == "application/sparql-results+json"


@pytest.mark.parametrize(
    ("reply", "heard"),
    [
        (Reply(200, b"hello"), "answers 200"),
        (Reply(401), "answers 401"),
        (Reply(302, headers={"Location": "/elsewhere"}), "answers 302, to go to /elsewhere"),
    ],
)
def test_a_server_that_keeps_its_kind_to_itself_has_to_be_named(server: Server, reply: Reply, heard: str) -> None:
    with pytest.raises(
        SettingsError, match=f"{heard} and does not say which kind of store it is: name it by --profile"
    ):
        connected(server(reply), profile="auto")


def test_who_is_queried_which_kind_of_store_it_is_gets_no_credentials(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHECKPOINT_LD_USER", "dba")
    monkeypatch.setenv("CHECKPOINT_LD_PASSWORD", "secret-password")
    one = server(Reply(401, headers={"Server": "Virtuoso/07", "WWW-Authenticate": 'Digest realm="r", nonce="n"'}))

    with connected(one, profile="auto") as client:
        assert client.endpoint.profile.name == "virtuoso"
        assert client.credentials.method == "digest"

    assert [("authorization" in seen.headers) for seen in one.seen] == [False]


# --- What a push would send, without sending it.


URL = "http://127.0.0.1:7878"
PAIR = {"CHECKPOINT_LD_USER": "reader", "CHECKPOINT_LD_PASSWORD": "pass'word"}


def test_a_request_is_reported_with_its_size_and_masked_headers() -> None:
    one = sample()

    (held,) = preview_as_json(one, endpoint(URL, "oxigraph"), credentials("127.0.0.1", environment=PAIR))

    assert held == {
        "source": "Metals-1.jsonld",
        "graph": one.graph,
        "method": "PUT",
        "url": f"{URL}/store?graph=urn%3Auuid%3Akarenina-checkpoint-1",
        "headers": {"Content-Type": "application/n-triples", "Accept": "*/*", "Authorization": "Basic ***"},
        "triples": one.count,
        "bytes": len(one.triples),
    }


def test_the_first_lines_of_a_body_are_shown_on_request() -> None:
    place = endpoint(URL, "oxigraph"), Credentials()

    without = list(preview_as_text(sample(), *place))
    with_body = list(preview_as_text(sample(), *place, body=True))

    assert with_body[: len(without)] == without
    assert with_body[len(without)].startswith("  | <urn:uuid:")
    assert with_body[-1] == f"  | … {sample().count - 5} lines more"


def test_without_a_graph_store_every_update_is_reported() -> None:
    place = endpoint(URL, "generic", query=f"{URL}/q", update=f"{URL}/u")
    lines = b"".join(f"<urn:s> <urn:p> <urn:o{number}> .\n".encode() for number in range(1001))

    held = list(preview_as_json(replace(sample(), triples=lines), place, Credentials()))

    assert [(one["method"], one["url"]) for one in held] == [("POST", f"{URL}/u")] * 3


@pytest.mark.parametrize("profile", ["oxigraph", "generic"])
def test_the_commands_for_curl_do_what_a_push_does(client: SparqlClient, store_url: str, profile: str) -> None:
    one = sample()
    services = {"query": f"{store_url}/query", "update": f"{store_url}/update"} if profile == "generic" else {}
    place = endpoint(store_url, profile, **services)

    script = "\n".join(preview_as_curl(one, place, Credentials()))
    subprocess.run(["bash", "-ec", script], check=True, capture_output=True, env={**os.environ, "no_proxy": "*"})

    assert client.count([one.graph]) == {one.graph: one.count}
    assert client.holds(one.graph, one.triples)


def test_curl_finds_credentials_where_we_do_and_no_command_holds_them(
    server: Server, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("it's here")
    (folder / "pair").write_text("reader:pass'word\n")
    (folder / "netrc").write_text("machine 127.0.0.1 login reader password pass'word\n")
    (folder / "netrc").chmod(0o600)
    given = server(Reply(204))
    place = endpoint(given.url, "oxigraph")
    found = [
        credentials("127.0.0.1", environment=PAIR),
        credentials("127.0.0.1", file=str(folder / "pair"), environment={}),
        credentials("127.0.0.1", environment={"NETRC": str(folder / "netrc")}),
        credentials("127.0.0.1", environment={"CHECKPOINT_LD_TOKEN": "abc"}),
    ]

    for one in found:
        script = "\n".join(preview_as_curl(sample(), place, one))
        assert "pass'word" not in script
        environment = {**os.environ, **PAIR, "CHECKPOINT_LD_TOKEN": "abc", "no_proxy": "*"}
        subprocess.run(["bash", "-ec", script], check=True, capture_output=True, env=environment)

    assert [seen.headers["authorization"] for seen in given.seen] == [
        "Basic cmVhZGVyOnBhc3Mnd29yZA==",
        "Basic cmVhZGVyOnBhc3Mnd29yZA==",
        "Basic cmVhZGVyOnBhc3Mnd29yZA==",
        "Bearer abc",
    ]


def test_a_preview_is_what_is_sent(server: Server) -> None:
    one = sample()
    answers = [Reply(204), Reply(204)]
    given = server(lambda _: answers.pop())

    with remote.connect(given.url, profile="oxigraph", auth="none") as client:
        client.replace(one.graph, one.triples)
        (held,) = preview_as_json(one, client.endpoint, client.credentials)

    (seen,) = given.seen
    assert isinstance(seen, Seen)
    assert held["url"] == given.url + seen.path
    assert held["bytes"] == len(seen.body)
    assert held["headers"].items() <= {**seen.headers, **_titled(seen)}.items()


def _titled(seen: Seen) -> dict[str, str]:
    return {name.title(): value for name, value in seen.headers.items()}
