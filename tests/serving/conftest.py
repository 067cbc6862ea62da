"""A running service over two small benchmarks."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pyoxigraph
import pytest

from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.emission import nquads_of
from checkpoint_ld.sparql.serving import Server, Settings
from tests import documents
from tests.cli.conftest import run

__all__ = ["run"]

METALS = "urn:uuid:karenina-checkpoint-1"
ALLOYS = "urn:uuid:karenina-checkpoint-2"

Ask = Callable[..., httpx.Response]


@pytest.fixture(scope="session")
def location(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a store of two benchmarks: Metals with one question, Alloys with two."""
    folder = tmp_path_factory.mktemp("served")
    store = pyoxigraph.Store(str(folder))
    for root, name, texts in (
        (METALS, "Metals", ["Which metal is liquid at 20 °C?"]),
        (ALLOYS, "Alloys <b>", ["What is brass?", "What is bronze?"]),
    ):
        items = [documents.item(text, f"urn:uuid:question-{name[0]}{at}") for at, text in enumerate(texts)]
        tree = {**documents.canonical(*items), "@id": root, "name": name}
        store.bulk_load(nquads_of(CheckpointGraph.of_tree(tree)), format=pyoxigraph.RdfFormat.N_QUADS)
    store.flush()
    return folder


@pytest.fixture(scope="session")
def running(location: Path) -> Iterator[Server]:
    with Server(location, Settings(timeout=20.0, max_rows=1000)) as server, serving(server):
        yield server


@contextmanager
def serving(server: Server) -> Iterator[None]:
    """Serve in a thread until the block ends."""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield
    server.shutdown()
    thread.join()


@pytest.fixture(scope="session")
def ask(running: Server) -> Iterator[Ask]:
    """Return a way to send a request to the service: a method, a path, and what httpx takes."""
    with httpx.Client(trust_env=False, base_url=running.url, timeout=60) as client:
        yield client.request
