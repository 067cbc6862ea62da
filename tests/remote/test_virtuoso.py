"""Virtuoso, whose ways nobody else has. It runs where CHECKPOINT_LD_VIRTUOSO names its program, or PATH has it.

Debian's virtuoso-opensource-7-bin, unpacked by `dpkg -x` together with libpcre3 and libwbxml2-1, is enough: nothing has
to be installed, and no service starts.
"""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from checkpoint_ld.errors import AuthFailedError, TruncatedResultError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.stores import remote
from checkpoint_ld.stores.remote import SparqlClient
from checkpoint_ld.stores.server import Connection
from tests import documents
from tests.remote.oxigraph_server import free_port
from tests.remote.samples import sample

PATIENCE = 60.0
MOST_ROWS = 1000
SETTINGS = """[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
[TempDatabase]
DatabaseFile = {folder}/temporary.db
TransactionFile = {folder}/temporary.trx
[Parameters]
ServerPort = 127.0.0.1:{port}
NumberOfBuffers = 10000
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerRoot = {folder}
[SPARQL]
ResultSetMaxRows = {rows}
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = os.environ.get("CHECKPOINT_LD_VIRTUOSO") or shutil.which("virtuoso-t")
    if program is None:
        pytest.skip("no Virtuoso to ask: name its program, virtuoso-t, by CHECKPOINT_LD_VIRTUOSO")
    folder = tmp_path_factory.mktemp("virtuoso")
    http = free_port()
    (folder / "virtuoso.ini").write_text(SETTINGS.format(folder=folder, port=free_port(), http=http, rows=MOST_ROWS))
    libraries = [Path(program).parents[2] / one for one in ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu")]
    process = subprocess.Popen(
        [program, "+foreground", "+configfile", "virtuoso.ini"],
        cwd=folder,
        env={**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, libraries))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(f"http://127.0.0.1:{http}", process)
        yield f"http://127.0.0.1:{http}"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    with httpx.Client(trust_env=False) as client:
        while True:
            assert process.poll() is None, "Virtuoso ended at once"
            assert time.monotonic() < until, "Virtuoso does not come up"
            try:
                client.get(url)
            except httpx.TransportError:
                time.sleep(0.1)
            else:
                return


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
    assert json.dumps(pulled[sent.graph].graph.tree()) == json.dumps(graph.tree())
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


def test_literals_that_it_rewrites_have_the_same_values(client: SparqlClient) -> None:
    kinds = {"true": "boolean", "01": "integer", "1.0": "decimal", "8.5E-1": "double"}
    triples = b"".join(
        f'<urn:s> <urn:{kind}> "{text}"^^<http://www.w3.org/2001/XMLSchema#{kind}> .\n'.encode()
        for text, kind in kinds.items()
    )
    sent = remote.Outgoing("urn:g", triples + b'<urn:s> <urn:p> "x"@EN-us .\n', 5, "0")

    remote.push([sent], client, full=True)

    found = client.read("urn:g")
    assert found != sent.triples, found
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
