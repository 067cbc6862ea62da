"""The command `serve`, as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pyoxigraph
import pytest

from checkpoint_ld import Benchmark
from checkpoint_ld.errors import StoreError
from checkpoint_ld.stores.collection import Collection
from checkpoint_ld.stores.directory import Snapshots
from tests import documents
from tests.cli.conftest import Run
from tests.remote.oxigraph_server import free_port

COMMAND = "from checkpoint_ld.cli import main\nif __name__ == '__main__': main()"
NAMES = "SELECT ?name WHERE { ?benchmark a schema:DataFeed ; schema:name ?name } ORDER BY ?name"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    for number, name in enumerate(("Alloys", "Metals")):
        tree = {**documents.canonical(), "@id": f"urn:uuid:karenina-checkpoint-{number}", "name": name}
        (folder / f"{name}.jsonld").write_text(json.dumps(tree))
    return folder


@contextmanager
def serving(*arguments: object, temporary: Path, stated: list[str] | None = None) -> Iterator[str]:
    """Run the command until the block ends, by the signal that service managers send; give the URL that it says."""
    script = temporary / "command.py"
    script.write_text(COMMAND)
    temporary = temporary / "temporary"
    temporary.mkdir()
    command = [sys.executable, str(script), "serve", "--port", "0", *map(str, arguments)]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            if stated is not None and process.stderr is not None:
                stated += process.stderr.read().splitlines()
        finally:
            process.kill()
    assert list(temporary.iterdir()) == []


def names(url: str) -> list[str]:
    with httpx.Client(trust_env=False, timeout=120) as client:
        answer = client.get(f"{url}sparql", params={"query": NAMES})
    return [row["name"]["value"] for row in answer.json()["results"]["bindings"]]


@pytest.mark.slow
def test_files_are_served_until_the_process_is_to_end(files: Path, tmp_path: Path) -> None:
    said: list[str] = []
    with serving(files, temporary=tmp_path, stated=said) as url:
        assert url.startswith("http://127.0.0.1:")
        assert names(url) == ["Alloys", "Metals"]
    count = sum(len(Benchmark.load(file).graph) for file in files.iterdir())
    assert f"2 checkpoints, {count} statements" in said


@pytest.mark.slow
def test_a_collection_that_is_served_can_be_changed_and_queries_see_it(files: Path, tmp_path: Path, run: Run) -> None:
    store = tmp_path / "collection"
    with Collection.open(store) as collection:
        collection.add(files)
    held = sorted(one.name for one in store.iterdir())
    with serving(store, temporary=tmp_path) as url:
        assert names(url) == ["Alloys", "Metals"]
        for number, name in enumerate(("Gases", "Salts"), 2):  # two snapshots, of which one takes the place of another
            tree = {**documents.canonical(), "@id": f"urn:uuid:karenina-checkpoint-{number}", "name": name}
            (files / f"{name}.jsonld").write_text(json.dumps(tree))
            assert run("store", "sync", store, files).code == 0
            until = time.monotonic() + 60
            while name not in names(url):
                assert time.monotonic() < until, "what was added is never seen"
                time.sleep(0.1)
        with Collection.open(store):  # somebody who writes all the time
            time.sleep(1.1)
            assert names(url) == ["Alloys", "Gases", "Metals", "Salts"]
    assert sorted(one.name for one in store.iterdir()) == held


def test_snapshots_follow_a_collection_and_leave_nothing(files: Path, tmp_path: Path) -> None:
    store = tmp_path / "collection"
    Collection.open(store).close()
    (store / ".served-left").mkdir()  # by a process that was killed
    with Snapshots(store) as snapshots:
        assert [one for one in store.iterdir() if one.name == ".served-left"] == []
        with Snapshots(store):
            assert Path(snapshots.current()).is_dir()  # what is in use stays
        empty = snapshots.current()
        assert snapshots.current() == empty
        with Collection.open(store) as collection:
            everything = sum(one.stat().st_size for one in store.rglob("*") if one.is_file())
            assert collection.statistics().bytes < everything  # what a snapshot takes is none of it
            collection.add(files)
            written = collection.statistics().triples
        time.sleep(1.1)
        full = snapshots.current()
        assert full != empty
        stored = pyoxigraph.Store.read_only(full)
        assert sum(1 for _ in stored.quads_for_pattern(None, None, None, pyoxigraph.DefaultGraph())) <= written
        assert len(list(stored.named_graphs())) == 3
        del stored
        time.sleep(1.1)
        assert snapshots.current() == full
    assert not list(store.glob(".served-*"))
    with pytest.raises(StoreError, match="no collection is here"):
        Snapshots(files)


@pytest.mark.slow
def test_an_address_of_this_machine_is_what_it_listens_at(files: Path, tmp_path: Path) -> None:
    with serving(files, "--host", "127.0.0.2", temporary=tmp_path) as url:
        assert url.startswith("http://127.0.0.2:")
        port = int(url.rstrip("/").rpartition(":")[2])
        with httpx.Client(trust_env=False) as client, pytest.raises(httpx.ConnectError):
            client.get(f"http://127.0.0.1:{port}/")


def test_nothing_to_serve_and_a_host_that_is_none_of_this_machine_are_reported(run: Run, files: Path) -> None:
    (files.parent / "empty").mkdir()
    for arguments, stated in (
        ([files.parent / "empty"], "nothing to serve in"),
        ([files, "--host", "192.0.2.1", "--port", str(free_port())], "cannot listen at 192.0.2.1"),
    ):
        outcome = run("serve", *arguments)
        assert (outcome.code, stated in outcome.err) == (2, True)
