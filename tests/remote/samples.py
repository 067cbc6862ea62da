"""Graphs to send, and a store that behaves, for the tests of remote stores."""

import json
from typing import Any
from urllib.parse import unquote, unquote_plus

from checkpoint_ld.families import Checkpoint
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.stores.remote import Outgoing, outgoing
from tests import documents
from tests.remote.faulty_server import Reply, Seen

ROOT = "urn:uuid:karenina-checkpoint-"
RESULTS = {"Content-Type": "application/sparql-results+json"}


def sample(number: int = 1, *, name: str = "Metals") -> Outgoing:
    """Return a small checkpoint of its own name, from a file of its own."""
    tree = {**documents.canonical(), "@id": f"{ROOT}{number}", "name": name}
    return outgoing(CheckpointGraph.of_tree(tree), f"{name}-{number}.jsonld")


def tree_of(read: Checkpoint) -> dict[str, Any]:
    """Return the tree of a benchmark's graph."""
    assert isinstance(read.graph, CheckpointGraph)
    return read.graph.tree()


def counted(**numbers: int) -> Reply:
    """Return the answer to a COUNT of graphs, each named by its IRI."""
    bindings = [
        {
            "g": {"type": "uri", "value": name},
            "n": {"type": "literal", "value": str(number), "datatype": "http://www.w3.org/2001/XMLSchema#integer"},
        }
        for name, number in numbers.items()
    ]
    found = {"head": {"vars": ["g", "n"]}, "results": {"bindings": bindings}}
    return Reply(200, json.dumps(found).encode(), RESULTS)


def rows(name: str, *terms: dict[str, str], **headers: str) -> Reply:
    """Return a result of one column."""
    found: dict[str, Any] = {"head": {"vars": [name]}, "results": {"bindings": [{name: one} for one in terms]}}
    return Reply(200, json.dumps(found).encode(), {**RESULTS, **headers})


class Memory:
    """Answers as a store does that keeps what it is sent, less a triple of the graphs that it `loses`."""

    def __init__(self) -> None:
        self.graphs: dict[str, bytes] = {}
        self.loses: frozenset[str] = frozenset()

    def __call__(self, seen: Seen) -> Reply:
        if seen.method == "PUT":
            self.graphs[seen.path] = seen.body
            return Reply(204)
        if seen.method == "GET":
            held = self.graphs.get(seen.path)
            return Reply(404) if held is None else Reply(200, held, {"Content-Type": "application/n-triples"})
        if seen.method == "DELETE":
            return Reply(204 if self.graphs.pop(seen.path, None) is not None else 404)
        counts = {_name(path): body.count(b"\n") for path, body in self.graphs.items()}
        given = {name: number for name, number in counts.items() if f"<{name}>" in unquote_plus(seen.body.decode())}
        return counted(**{name: number - (name in self.loses) for name, number in given.items()})


def _name(path: str) -> str:
    return unquote(path.partition("=")[2])
