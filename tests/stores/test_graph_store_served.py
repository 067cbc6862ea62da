"""Agent checkpoints as graphs behind a SPARQL service, here an Oxigraph server on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from checkpoint_ld import AgentCheckpoint
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.errors import (
    CheckpointExists,
    CountMismatchError,
    GraphSyncError,
    IntegrityError,
    SettingsError,
    StoreBusyError,
    StoreError,
)
from checkpoint_ld.stores import connection, remote
from checkpoint_ld.stores import server as service
from checkpoint_ld.stores.graphs import GraphStore
from checkpoint_ld.stores.protocol import Filter, header_of
from tests.cli.conftest import Run, run
from tests.remote.conftest import Server, _no_credentials_of_the_user, running_oxigraph, server, store_url
from tests.remote.faulty_server import Reply
from tests.stores.documents import HARD, checkpoint

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


def test_nothing_but_agent_checkpoints_is_touched_and_no_mark_is_left(store: GraphStore, store_url: str) -> None:
    update(store_url, "INSERT DATA { GRAPH <urn:other> { <urn:a> <urn:b> 'c' } }")
    store.put(HARD)
    assert store.get(HARD.id).content() == HARD.content()
    assert list(store.headers()) == [header_of(HARD)]
    assert list(store.verify(repair=True)) == []
    with remote.connect(store_url, profile="oxigraph") as client:
        assert client.query("SELECT ?mark { GRAPH ?g { ?c cafd:writer ?mark } }").rows == ()
        store.reset()
        names = client.query("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }").rows
        assert [str(name) for (name,) in names] == ["<urn:other>"]


@pytest.mark.parametrize("most", [20_000, 0], ids=["update", "put"])
def test_the_same_again_is_done_already_and_other_content_refused(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(service, "_MOST_TRIPLES", most)
    first, other = checkpoint(), checkpoint(name="another")
    assert store.put(first).created
    assert not store.put(first).created
    with pytest.raises(CheckpointExists, match=f"(?s){first.sha256}.*{other.sha256}"):
        store.put(other)
    assert store.get("ckpt_1").content() == first.content()


def test_without_updates_it_is_written_by_put_and_a_change_may_fail(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service.SparqlClient, "_takes_updates", lambda _: False)
    store.put(checkpoint(name="old"))
    changed = store.update_metadata("ckpt_1", name="new")
    assert store.get("ckpt_1").content() == changed.content()
    assert list(store.verify()) == []
    monkeypatch.setattr(service.SparqlClient, "change", lambda *_: False)
    with pytest.raises(StoreBusyError, match="try again"):
        store.update_metadata("ckpt_1", name="newer")
    assert store.get("ckpt_1").name == "new"


def test_a_change_comes_on_top_of_one_that_was_quicker(
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


def test_what_is_deleted_while_it_is_put_is_put_again(
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
def test_a_graph_that_changes_meanwhile_is_read_again(
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


def test_a_server_that_keeps_less_than_was_sent_is_caught(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.SparqlClient, "count", lambda _, graphs: dict.fromkeys(graphs, 3))
    monkeypatch.setattr(service.SparqlClient, "holds", lambda *_: False)
    with pytest.raises(CountMismatchError, match="3 are in the store"):
        store.put(checkpoint())


def test_harm_is_told_and_reindexing_mends_it(store: GraphStore, store_url: str, tmp_path: Path) -> None:
    with CheckpointManager(tmp_path / "files", graph=store) as manager:
        manager.import_(checkpoint().tree())
        update(store_url, f"INSERT DATA {{ GRAPH {GRAPH} {{ {GRAPH} <https://schema.org/name> 'x' }} }}")
        [found] = store.verify()
        assert (found.rule, found.place.file) == ("agent-graph-damaged", store_url)
        with pytest.raises(IntegrityError, match="reindex"):
            store.get("ckpt_1")
        manager.verify(repair=True)
        assert manager.verify() == ()


def test_servers_that_are_away_or_read_only_are_told(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PAUSES", ())
    away = server(Reply(503, b"away"))
    with CheckpointManager(tmp_path / "files", graph=GraphStore(away.url)) as manager:
        with pytest.raises(GraphSyncError, match="reindex"):
            manager.import_(checkpoint().tree())
        assert manager.get("ckpt_1").content() == checkpoint().content()
    store = GraphStore(server(Reply(200, b"", {"Server": "Oxigraph/0.5"}), Reply(403, b"read-only")).url)
    with pytest.raises(StoreError, match="403"):
        store.put(checkpoint())
    store.close()
    with pytest.raises(SettingsError, match="environment"):
        list(GraphStore("http://me:secret@127.0.0.1:1/").headers())


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
    where = ("--dir", tmp_path / "files", "--store", store_url)
    assert [run("agent", what, *where).code for what in ("verify", "reindex", "verify")] == [1, 0, 0]
    listed = run("agent", "list", "--store", store_url, "--json", "--tool", "grep")
    assert [one["id"] for one in json.loads(listed.out)] == ["k1"]
    assert AgentCheckpoint.load(run("agent", "show", "k1", "--store", store_url, "--stable").out).id == "k1"
    assert store.get("k1").content() == checkpoint("k1").content()
