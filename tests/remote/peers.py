"""Stores of others: what comes out of each when checkpoints went in, as N-Triples by the names of their graphs."""

import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pyoxigraph
import pytest

from checkpoint_ld.stores import remote
from checkpoint_ld.stores.backend import Outgoing, quads_of
from tests.queries.test_elsewhere import class_path
from tests.remote.oxigraph_server import free_port, is_ready, oxigraph, stop
from tests.remote.virtuoso_server import virtuoso

HERE = Path(__file__).with_name("elsewhere")
Graphs = dict[str, bytes]
TDB2 = (
    "cmds",
    "tdb2",
    "rdfconnection",
    "dboe-base",
    "dboe-index",
    "dboe-storage",
    "dboe-trans-data",
    "dboe-transaction",
)


def _pushed(sent: Sequence[Outgoing], client: remote.SparqlClient) -> Graphs:
    with client:
        for graph in sent:
            client.replace(graph.graph, graph.triples)
        return {graph.graph: client.read(graph.graph) or b"" for graph in sent}


def of_oxigraph(sent: Sequence[Outgoing], _: Path) -> Graphs:
    with oxigraph() as url:
        return _pushed(sent, remote.connect(url))


def of_virtuoso(sent: Sequence[Outgoing], folder: Path) -> Graphs:
    credentials = folder / "credentials"
    credentials.write_text("dba:dba\n")
    with virtuoso(folder) as url:
        return _pushed(sent, remote.connect(url, credentials_file=str(credentials)))


def of_rdflib_endpoint(sent: Sequence[Outgoing], _: Path) -> Graphs:
    if find_spec("rdflib_endpoint") is None:
        pytest.skip("no rdflib-endpoint to ask: pip install rdflib-endpoint")
    port = free_port()
    process = subprocess.Popen([sys.executable, HERE / "rdflib_server.py", str(port)], stderr=subprocess.PIPE)
    url = f"http://127.0.0.1:{port}/"
    try:
        assert is_ready(process, f"{url}?query=ASK%7B%7D", patience=60)
        return _pushed(sent, remote.connect(url, profile="generic", query=url, update=url))
    finally:
        stop(process)


def of_comunica(sent: Sequence[Outgoing], folder: Path) -> Graphs:
    if not os.environ.get("CHECKPOINT_LD_COMUNICA") or shutil.which("node") is None:
        pytest.skip("no Comunica to ask: name its folder by CHECKPOINT_LD_COMUNICA")
    given = _written(sent, folder)
    subprocess.run(["node", HERE / "comunica.mjs", given, folder / "out.nq"], check=True)
    return _by_graph(folder / "out.nq")


def of_tdb2(sent: Sequence[Outgoing], folder: Path) -> Graphs:
    given, place = _written(sent, folder), folder / "tdb2"
    path = class_path(folder, *(f"jena-{name}" for name in TDB2))
    subprocess.run(["java", "-cp", path, "tdb2.tdbloader", "--loc", place, given], check=True, capture_output=True)
    dump = ["java", "-cp", path, "tdb2.tdbdump", "--loc", str(place)]
    (folder / "out.nq").write_bytes(subprocess.run(dump, check=True, capture_output=True).stdout)
    return _by_graph(folder / "out.nq")


def _written(sent: Sequence[Outgoing], folder: Path) -> Path:
    given = folder / "in.nq"
    given.write_bytes(b"".join(quads_of(sent)))
    return given


def _by_graph(file: Path) -> Graphs:
    found: dict[str, list[str]] = defaultdict(list)
    for quad in pyoxigraph.parse(path=file, format=pyoxigraph.RdfFormat.N_QUADS):
        found[getattr(quad.graph_name, "value", "")].append(f"{quad.triple} .\n")
    return {graph: "".join(lines).encode() for graph, lines in found.items()}
