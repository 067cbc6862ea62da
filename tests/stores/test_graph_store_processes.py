"""Many processes on one collection, and processes that are killed while they write a graph."""

import itertools
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from checkpoint_ld import AgentCheckpoint
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.errors import (
    CheckpointExists,
    CheckpointNotFound,
    CountMismatchError,
    GraphSyncError,
    StoreBusyError,
    StoreError,
)
from checkpoint_ld.stores import embedded, remote
from checkpoint_ld.stores import server as service
from checkpoint_ld.stores.graphs import GraphStore
from checkpoint_ld.stores.holdings import Holdings
from checkpoint_ld.stores.protocol import Filter, header_of
from tests.cli.conftest import Run, run
from tests.forking import SERVER, begun_together
from tests.remote.conftest import _no_credentials_of_the_user, running_oxigraph, server, store_url
from tests.remote.faulty_server import FaultyServer, Reply
from tests.stores.documents import HARD, checkpoint
from tests.trials import some

EACH = 15
STEPS = (
    ("put", "_write_at_once", 1),
    *(("replace", step, 1) for step in ("_replace_entries", "_empty", "_write")),
    ("replace", "_finish", 1),
)
"""Ways to save, a step of each, and at which of its calls a process dies."""
WHEN = ("before", "after")


@pytest.mark.slow
def test_processes_take_turns_and_nothing_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    with SERVER.Pool(3) as pool:
        pool.starmap(save, [(folder, name) for name in "abc"], 1)

    store = GraphStore(folder)
    assert {one.id for one in store.headers()} == {f"{name}-{at}" for name in "abc" for at in range(EACH)}
    assert list(store.verify()) == []
    store.close()


@pytest.mark.slow
def test_one_of_several_writers_of_an_id_wins(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    with SERVER.Pool(3) as pool:
        won = pool.starmap(race, [(folder, name) for name in "abc"], 1)

    assert sorted(at for each in won for at in each) == list(range(EACH))
    store = GraphStore(folder)
    for name, each in zip("abc", won, strict=True):
        assert all(store.get(f"ckpt-{at}").name == name for at in each)
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize(("way", "step", "call", "when"), some([(*step, when) for step in STEPS for when in WHEN], 3))
def test_a_kill_leaves_a_checkpoint_there_as_a_whole_or_not_at_all(
    tmp_path: Path, way: str, step: str, call: int, when: str
) -> None:
    folder = tmp_path / "collection"
    store = GraphStore(folder)
    store.put(checkpoint("old"))
    if way == "replace":
        store.put(checkpoint("new", name="before"))
    store.close()

    assert exit_code(die, folder, way, step, call, when) == -signal.SIGKILL

    assert store.get("old").content() == checkpoint("old").content()
    try:
        whole = (checkpoint("new").content(), checkpoint("new", name="before").content())
        assert store.get("new").content() in whole
        assert [one.id for one in store.headers()] == ["old", "new"]
    except CheckpointNotFound:
        assert [one.id for one in store.headers()] == ["old"]
    assert {one.rule for one in store.verify(repair=True)} <= {"agent-graph-unfinished"}
    assert list(store.verify()) == []
    store.replace(checkpoint("new"))
    assert store.get("new").content() == checkpoint("new").content()
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("when", WHEN)
def test_a_kill_while_a_name_is_changed_leaves_the_old_or_the_new_one(tmp_path: Path, when: str) -> None:
    folder = tmp_path / "collection"
    store = GraphStore(folder)
    store.put(checkpoint("old", name="old"))
    store.close()

    assert exit_code(die_changing, folder, when) == -signal.SIGKILL

    assert store.get("old").name == "new"
    assert {one.rule for one in store.verify(repair=True)} <= {"agent-graph-statements"}
    assert list(store.verify()) == []
    store.close()


@pytest.mark.slow
def test_a_forked_process_is_refused_and_takes_nothing_from_its_parent(tmp_path: Path) -> None:
    with SERVER.Pool(1) as pool:
        assert pool.apply(fork, (tmp_path / "collection",)) == (True, ["before", "parent"])


def exit_code(work: Callable[..., None], *arguments: object) -> int | None:
    """Do something in a process of its own; return how that ended."""
    process = SERVER.Process(target=work, args=arguments)
    process.start()
    process.join(60)
    return process.exitcode


def save(folder: Path, name: str) -> None:
    """Save checkpoints of its own."""
    store = GraphStore(folder)
    for at in range(EACH):
        store.put(checkpoint(f"{name}-{at}", at, execution_id=f"exec_{name}"))
    store.close()


def race(folder: Path, name: str) -> list[int]:
    """Save checkpoints whose ids others save as well; return which were ours."""
    won = []
    begun_together(folder.parent, name, 3)
    store = GraphStore(folder)
    for at in range(EACH):
        try:
            store.put(checkpoint(f"ckpt-{at}", at, name=name))
            won.append(at)
        except CheckpointExists:
            continue
    store.close()
    return won


def die(folder: Path, way: str, step: str, call: int, when: str) -> None:
    """Save a checkpoint, and die before or after a step of that."""
    setattr(Holdings, step, dying(getattr(Holdings, step), when, call))
    getattr(GraphStore(folder), way)(checkpoint("new"))


def die_changing(folder: Path, when: str) -> None:
    """Change a name, and die between the graph and its entry, or after both."""
    Holdings._replace_entries = dying(Holdings._replace_entries, when)  # type: ignore[method-assign] # noqa: SLF001 - dies there
    GraphStore(folder).update_metadata("old", name="new")


def fork(folder: Path) -> tuple[bool, list[str]]:
    """Use a store before and after a fork, in both processes; the child outlives its parent's turn.

    Return whether the child was refused, and what the store holds at the end.
    """
    store = GraphStore(folder)
    store.put(checkpoint("before"))
    child = os.fork()
    if child == 0:
        refused = False
        try:
            store.put(checkpoint("child"))
        except StoreError as error:
            refused = "spawn" in str(error)
        time.sleep(2 * embedded.IDLE_S)
        os._exit(not refused)
    store.close()
    store.put(checkpoint("parent", 2))
    found = [one.id for one in store.headers(Filter(order="oldest"))]
    store.close()
    return os.waitpid(child, 0)[1] == 0, found


def dying(step: Callable[..., Any], when: str, call: int = 1) -> Callable[..., Any]:
    """Return a step of which a call, by its number, is the last one of this process."""
    calls = itertools.count(1)

    def dies(*given: Any, **named: Any) -> Any:
        is_last = next(calls) == call
        if not is_last or when == "after":
            step(*given, **named)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)

    return dies


# --- Agent checkpoints as graphs behind a SPARQL service, here an Oxigraph server on loopback.


__all__ = ["_no_credentials_of_the_user", "run", "running_oxigraph", "server", "store_url"]

GRAPH = "<urn:caf:checkpoint/ckpt_1>"


@pytest.fixture
def store(store_url: str) -> Iterator[GraphStore]:
    opened = GraphStore(store_url)
    yield opened
    opened.close()


def update(url: str, text: str) -> None:
    with httpx.Client(trust_env=False) as client:
        kind = {"Content-Type": "application/sparql-update"}
        client.post(f"{url}/update", content=text.encode(), headers=kind).raise_for_status()


def graph_names(url: str) -> list[str]:
    with remote.connect(url, profile="oxigraph") as client:
        return [str(name) for (name,) in client.query("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }").rows]


def test_a_hard_checkpoint_comes_back_with_its_bytes_and_its_header(store: GraphStore, store_url: str) -> None:
    assert store.put(HARD).created

    assert store.get(HARD.id).content() == HARD.content()
    assert list(store.headers()) == [header_of(HARD)]
    assert list(store.verify()) == []
    with remote.connect(store_url, profile="oxigraph") as client:
        wanted = "SELECT ?mark { GRAPH ?g { ?c cafd:writer ?mark } }"
        assert client.query(wanted).rows == ()


def test_nothing_but_agent_checkpoints_is_touched(store: GraphStore, store_url: str) -> None:
    update(store_url, "INSERT DATA { GRAPH <urn:other> { <urn:a> <urn:b> 'c' } }")
    store.put(checkpoint())
    assert list(store.verify(repair=True)) == []
    store.reset()
    assert graph_names(store_url) == ["<urn:other>"]


def test_a_store_that_takes_no_updates_is_written_by_put(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.SparqlClient, "_takes_updates", lambda _: False)
    store.put(checkpoint(name="old"))
    changed = store.update_metadata("ckpt_1", name="new")
    assert store.get("ckpt_1").content() == changed.content()
    assert list(store.verify()) == []


def test_a_change_that_somebody_else_was_quicker_with_is_made_on_top(
    store: GraphStore, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(checkpoint(name="old"))
    other = GraphStore(store_url)
    hurried: list[bool] = []

    def before(self: service.SparqlClient, graph: str) -> bytes | None:
        found = read(self, graph)
        if not hurried:
            hurried.append(True)
            other.update_metadata("ckpt_1", description="by another")
        return found

    read = service.SparqlClient.read
    monkeypatch.setattr(service.SparqlClient, "read", before)
    changed = store.update_metadata("ckpt_1", name="new")
    assert (changed.name, changed.description) == ("new", "by another")
    assert store.get("ckpt_1").content() == changed.content()
    other.close()


def test_a_change_that_never_gets_through_is_given_up(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put(checkpoint(name="old"))
    monkeypatch.setattr(service.SparqlClient, "change", lambda *_: False)
    with pytest.raises(StoreBusyError, match="try again"):
        store.update_metadata("ckpt_1", name="new")
    assert store.get("ckpt_1").name == "old"


def test_an_id_that_is_deleted_while_it_is_put_is_tried_again(
    store: GraphStore, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(checkpoint(name="other"))
    add = service.SparqlClient.add

    def then_deleted(self: service.SparqlClient, *given: Any, **named: Any) -> bool:
        made: bool = add(self, *given, **named)
        update(store_url, f"DROP SILENT GRAPH {GRAPH}") if not made else None
        return made

    monkeypatch.setattr(service.SparqlClient, "add", then_deleted)
    assert store.put(checkpoint(name="mine")).created
    assert store.get("ckpt_1").name == "mine"


@pytest.mark.parametrize("found", [1, 2, 9])
def test_a_graph_that_changes_while_it_is_read_is_read_again(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch, found: int
) -> None:
    store.put(checkpoint())
    count, tries = service.SparqlClient.count, iter(range(1, 99))

    def changing(self: service.SparqlClient, graphs: list[str]) -> dict[str, int]:
        return count(self, graphs) if next(tries) >= found else dict.fromkeys(graphs, 3)

    monkeypatch.setattr(service.SparqlClient, "count", changing)
    if found > 4:
        with pytest.raises(CountMismatchError):
            store.get("ckpt_1")
    else:
        assert store.get("ckpt_1").id == "ckpt_1"


def test_a_server_that_keeps_less_than_was_sent_is_found_out(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service.SparqlClient, "count", lambda _, graphs: dict.fromkeys(graphs, 3))
    monkeypatch.setattr(service.SparqlClient, "holds", lambda *_: False)
    with pytest.raises(CountMismatchError, match="3 are in the store"):
        store.put(checkpoint())


def test_a_server_that_is_away_leaves_the_file_and_states_so(
    server: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "PAUSES", ())
    faulty: FaultyServer = server(Reply(503, b"away"))  # type: ignore[operator]
    with CheckpointManager(tmp_path / "files", graph=GraphStore(faulty.url)) as manager:
        with pytest.raises(GraphSyncError, match="reindex"):
            manager.import_(checkpoint().tree())
        assert manager.get("ckpt_1").content() == checkpoint().content()


def test_long_ids_are_sent_whole(store: GraphStore) -> None:
    names = ["漢" * 1024, "%" * 1024, "n" * 1024]
    for name in names:
        store.put(checkpoint(name))
    assert {one.id for one in store.headers()} == set(names)
    assert all(store.get(name).id == name for name in names)
    assert all(store.delete(name) for name in names)
    assert list(store.headers(Filter())) == []


def test_the_commands_take_a_server(run: Run, store: GraphStore, store_url: str, tmp_path: Path) -> None:
    with CheckpointManager(tmp_path / "files") as manager:
        manager.import_(checkpoint("k1").tree())
    assert run("agent", "reindex", "--dir", tmp_path / "files", "--store", store_url).code == 0
    listed = run("agent", "list", "--store", store_url, "--json", "--tool", "grep")
    assert [one["id"] for one in json.loads(listed.out)] == ["k1"]
    assert AgentCheckpoint.load(run("agent", "show", "k1", "--store", store_url, "--stable").out).id == "k1"
    assert store.get("k1").content() == checkpoint("k1").content()


def test_a_server_that_may_only_be_read_refuses_in_words(server: object) -> None:
    faulty: FaultyServer = server(Reply(200, b"", {"Server": "Oxigraph/0.5"}), Reply(403, b"read-only"))  # type: ignore[operator]
    store = GraphStore(faulty.url)
    with pytest.raises(StoreError, match="403"):
        store.put(checkpoint())
    store.close()
