"""No room on the disk, and several processes on one store."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Collection
from checkpoint_ld.errors import DatabaseSyncError, StoreFull
from checkpoint_ld.stores.graphs import GraphStore
from tests.checkpointing.managers import Bench, above
from tests.stores.documents import checkpoint

SAVING = """
import sys
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld import RuntimeState

folder, name = sys.argv[1:]
state = RuntimeState("agent", "shared")
with CheckpointManager(folder + "/files", f"sqlite:///{folder}/checkpoints.db") as manager:
    for number in range(25):
        state.thought_chain.add("reasoning", name)
        print(manager.save(state).id)
"""


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let no file grow beyond `size` bytes."""
    resource = pytest.importorskip("resource", reason="only POSIX limits the size of files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_without_room_for_the_file_nothing_is_changed(bench: Bench) -> None:
    first = bench.manager.save(bench.state)
    bench.state.context.variables["large"] = "x" * 5000
    with room_for(4000), pytest.raises(StoreFull, match="free some space"):
        bench.manager.save(bench.state)
    assert bench.paths() == [f"{first.id}.json"]
    assert not [path for path in (bench.folder / "files").iterdir() if path.name.endswith(".tmp")]
    assert bench.state.context.variables["large"] == "x" * 5000
    assert above(bench.manager.save(bench.state).checkpoint) == {"checkpoint_id": first.id}
    assert bench.manager.verify() == ()


def test_without_room_for_the_database_the_file_is_kept(bench: Bench) -> None:
    bench.manager.save(bench.state)
    size = (bench.folder / "checkpoints.db").stat().st_size
    bench.state.context.variables["large"] = "x" * size
    with room_for(size + 5000), pytest.raises(DatabaseSyncError, match="run reindex") as caught:
        bench.manager.save(bench.state)
    assert caught.value.path is not None
    assert Path(caught.value.path).stat().st_size > size
    assert len(bench.paths()) == 2
    bench.manager.reindex()
    assert bench.manager.verify() == ()
    assert len(bench.manager.list()) == 2


@pytest.mark.parametrize("is_open", [False, True])
def test_a_graph_store_goes_on_when_there_is_room_again(tmp_path: Path, is_open: bool) -> None:
    folder = tmp_path / "collection"
    given = Collection.open(folder) if is_open else folder
    store = GraphStore(given)
    store.put(checkpoint("first"))
    large = checkpoint("large", name="x" * 50_000)
    with room_for(50_000):
        for _ in range(2):
            with pytest.raises(StoreFull, match=r"no room is left for the collection .*; free some space"):
                store.put(large)
        assert store.get("first").id == "first"
    with room_for(0):
        with pytest.raises(StoreFull):
            store.put(large)
        assert [one.id for one in store.headers()] == ["first"]
    assert store.put(large).created
    assert store.get("large") == large
    assert list(store.verify()) == []
    store.close()
    if isinstance(given, Collection):
        given.close()
    assert {one.id for one in GraphStore(folder).headers()} == {"first", "large"}


@pytest.mark.slow
def test_two_processes_save_the_same_execution(bench: Bench) -> None:
    settings: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    settings["env"] = os.environ | {"PYTHONWARNINGS": "error"}
    command = [sys.executable, "-c", SAVING, str(bench.folder)]
    ids = set()
    for process in [subprocess.Popen([*command, name], **settings) for name in ("one", "other")]:
        out, error = process.communicate(timeout=300)
        assert process.returncode == 0, error
        ids |= set(out.split())
    assert len(ids) == 50
    assert {one.id for one in bench.manager.list(execution_id="shared")} == ids
    assert {f"{one}.json" for one in ids} == set(bench.paths())
    assert {one.rule for one in bench.manager.verify()} == {"agent-row-missing"}
    bench.manager.verify(repair=True)
    assert bench.manager.verify() == ()
    assert set(bench.graph.held) == ids
