"""Graph stores, held to the published suite: in a collection on disk, on a server, and behind files and a database."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Lock

import httpx
import pytest

from checkpoint_ld import CheckpointStore, DatabaseStore, FileStore
from checkpoint_ld.checkpointing import CombinedStore
from checkpoint_ld.stores.directory import Directory
from checkpoint_ld.stores.graphs import GraphStore
from tests.conformance.suite import Case, Subject, cases, conformance
from tests.remote.conftest import _no_credentials_of_the_user
from tests.remote.oxigraph_server import oxigraph
from tests.trials import some

__all__ = ["_no_credentials_of_the_user"]

pytestmark = pytest.mark.slow

MANIFEST = "urn:checkpoint-ld:manifest"
VALUE = "<http://www.w3.org/ns/prov#value>"
CHANGE = f"DELETE {{ ?t {VALUE} ?v }} INSERT {{ ?t {VALUE} 'thought 9' }} WHERE {{ ?t {VALUE} ?v }}"
BLUR = "DELETE { ?s a ?kind } WHERE { ?s a ?kind }"


class Servers:
    """Servers on loopback: one for the folder that a case is about, one for each of another name, empty at first."""

    def __init__(self) -> None:
        self.running = ExitStack()
        self.guard = Lock()
        self.urls: dict[str, str] = {}
        self.seen: set[Path] = set()

    def url(self, folder: Path) -> str:
        # Cases open stores in several threads: none may see what another case left.
        with self.guard:
            if folder.name not in self.urls:
                self.urls[folder.name] = self.running.enter_context(oxigraph())
            if folder not in self.seen:
                self.post(folder, "update", "CLEAR ALL")
                self.seen.add(folder)
            return self.urls[folder.name]

    def post(self, folder: Path, operation: str, text: str) -> None:
        with httpx.Client(trust_env=False) as client:
            kind = {"Content-Type": f"application/sparql-{operation}"}
            client.post(f"{self.urls[folder.name]}/{operation}", content=text, headers=kind).raise_for_status()


SERVERS = Servers()


@pytest.fixture(scope="module", autouse=True)
def _servers_that_end() -> Iterator[None]:
    with SERVERS.running:
        yield


def embedded(folder: Path) -> GraphStore:
    return GraphStore(folder / "collection")


def served(folder: Path) -> GraphStore:
    return GraphStore(SERVERS.url(folder))


def all_three(folder: Path) -> CheckpointStore:
    files, database = FileStore(folder / "checkpoints"), DatabaseStore(f"sqlite:///{folder}/agents.db")
    return CombinedStore(files, database, embedded(folder))


def in_collection(update: str, folder: Path, name: str) -> None:
    opened = Directory.open(folder / "collection", read_only=False, wait=5)
    opened.store.update(update.replace("GRAPH_", f"<urn:caf:checkpoint/{name}>"))
    opened.close()


def on_server(update: str, folder: Path, name: str) -> None:
    SERVERS.post(folder, "update", update.replace("GRAPH_", f"<urn:caf:checkpoint/{name}>"))


CHANGES = {"changed": f"WITH GRAPH_ {CHANGE}", "unreadable": f"WITH GRAPH_ {BLUR}"}
TAKEN = f"DROP GRAPH GRAPH_ ; DELETE WHERE {{ GRAPH <{MANIFEST}> {{ GRAPH_ ?p ?o }} }}"

test_embedded = conformance(
    embedded,
    damages={kind: partial(in_collection, update) for kind, update in {"missing": TAKEN, **CHANGES}.items()},
)
SERVED = {kind: partial(on_server, update) for kind, update in {"missing": "DROP GRAPH GRAPH_", **CHANGES}.items()}


@pytest.mark.parametrize("case", some(cases(), 3), ids=lambda case: f"{case.capability}-{case.name}")
def test_served(case: Case, tmp_path: Path) -> None:
    case.run(Subject(served, tmp_path, SERVED))


@pytest.mark.parametrize(
    "case", some([one for one in cases() if not one.damage], 4), ids=lambda case: f"{case.capability}-{case.name}"
)
def test_all_three(case: Case, tmp_path: Path) -> None:
    case.run(Subject(all_three, tmp_path, {}))
