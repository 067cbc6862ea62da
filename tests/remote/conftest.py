"""Servers that the tests of remote stores ask."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest

from checkpoint_ld.stores import remote
from tests.remote.faulty_server import FaultyServer, Reply
from tests.remote.oxigraph_server import oxigraph

Server = Callable[..., FaultyServer]


@pytest.fixture(autouse=True)
def _no_credentials_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("CHECKPOINT_LD_USER", "CHECKPOINT_LD_PASSWORD", "CHECKPOINT_LD_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path_factory.mktemp("home") / "netrc"))


@pytest.fixture(scope="session")
def running_oxigraph() -> Iterator[str]:
    with oxigraph() as url:
        yield url


@pytest.fixture
def store_url(running_oxigraph: str) -> str:
    """Return the URL of an Oxigraph server that holds nothing yet."""
    with httpx.Client(trust_env=False) as client:
        client.put(f"{running_oxigraph}/store", content=b"", headers={"Content-Type": "application/n-quads"})
    return running_oxigraph


@pytest.fixture
def client(store_url: str) -> Iterator[remote.SparqlClient]:
    with remote.connect(store_url, profile="oxigraph") as connected:
        yield connected


@pytest.fixture
def server() -> Iterator[Server]:
    """Return a way to start a server that gives these replies, one after the other, the last one for ever."""
    with ExitStack() as stack:

        def start(*replies: Reply) -> FaultyServer:
            return stack.enter_context(FaultyServer(replies))

        yield start
