"""A listener that must not hear anything, and a store to ask."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pyoxigraph
import pytest

from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.sparql import Dataset
from tests.documents import canonical, item


@dataclass
class Listener:
    """Counts who connects, and sends them away without an answer."""

    url: str
    heard: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def listener() -> Iterator[Listener]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = Listener(f"http://127.0.0.1:{server.getsockname()[1]}/sparql")

        def answer() -> None:
            while True:
                try:
                    connection, address = server.accept()
                except OSError:
                    return
                found.heard.append(str(address))
                connection.close()

        threading.Thread(target=answer, daemon=True).start()
        yield found


@pytest.fixture(scope="session")
def store() -> pyoxigraph.Store:
    """Return two benchmarks of two questions each, one question of which they share."""
    one = canonical(item(), item("Which metal is lightest?", "urn:uuid:question-metal-2"))
    other = canonical(item("Which gas is lightest?", "urn:uuid:question-gas-1"), item())
    other["@id"], other["name"] = "urn:uuid:other", "Gases"
    return Dataset.of_graphs(map(CheckpointGraph.of_tree, (one, other))).store
