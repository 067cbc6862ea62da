"""What a push would send, without sending it."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace

import pytest

from checkpoint_ld.stores import remote
from checkpoint_ld.stores.remote import Credentials, SparqlClient, credentials, endpoint
from checkpoint_ld.stores.request import preview_as_curl, preview_as_json, preview_as_text
from tests.remote.conftest import Server
from tests.remote.faulty_server import Reply, Seen
from tests.remote.samples import sample

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
