"""Older checkpoints in one packed file: the same bytes and answers, with the room and time that is new."""

import json
import random
import sqlite3
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import AgentCheckpoint, CheckpointManager, RuntimeState
from checkpoint_ld.checkpointing import Checkpointer, Retention
from checkpoint_ld.documents.packed import PACK, Pack, PackedText
from checkpoint_ld.errors import CheckpointExists, CheckpointNotFound, IntegrityError, SettingsError
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import Filter
from tests.agents import documents
from tests.cli.conftest import Run, run
from tests.stores.documents import checkpoint
from tests.trials import examples

__all__ = ["run"]

NUMBER = 60


def saved(count: int = NUMBER) -> list[AgentCheckpoint]:
    return [
        checkpoint(f"ckpt_{at}", at, thoughts=[documents.thought(f"t{number}") for number in range(at + 1)])
        for at in range(count)
    ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FileStore]:
    with closing(FileStore(tmp_path / "kept", whole=4)) as made:
        for one in saved():
            made.put(one)
        yield made


def files(store: FileStore) -> set[str]:
    return {path.name for path in store.directory.glob("*.json")}


def test_the_newest_are_whole_files_and_the_others_come_back_byte_for_byte(store: FileStore) -> None:
    assert {f"ckpt_{at}.json" for at in range(NUMBER - 4, NUMBER)} <= files(store)
    assert "ckpt_0.json" not in files(store)
    for one in saved():
        assert store.get(one.id).content() == one.content()
    assert list(store.verify()) == []


def test_all_answers_are_those_of_whole_files(store: FileStore, tmp_path: Path) -> None:
    with closing(FileStore(tmp_path / "other", whole=None)) as other:
        for one in saved():
            other.put(one)
        assert len(files(other)) == NUMBER
        for wanted in (Filter(), Filter(limit=7), Filter(order="oldest"), Filter(tool="bash"), Filter(failed=True)):
            assert list(store.headers(wanted)) == list(other.headers(wanted))
        unsure = Filter(confidence_below=0.9, limit=50)
        assert list(store.headers(unsure)) == list(other.headers(unsure))


def test_a_packed_checkpoint_is_changed_deleted_and_refused_as_a_file_is(store: FileStore) -> None:
    first = saved()[0]
    assert not store.put(first).created
    with pytest.raises(CheckpointExists):
        store.put(first.but(name="other"))
    with pytest.raises(CheckpointNotFound, match="is packed"):
        store.path(first.id)
    assert store.update_metadata(first.id, name="first").name == "first"
    assert store.get(first.id).name == "first"
    assert store.delete(first.id)
    assert not store.delete(first.id)
    with pytest.raises(CheckpointNotFound):
        store.get(first.id)
    assert len(list(store.headers())) == NUMBER - 1


def test_nothing_stays_of_what_was_deleted(tmp_path: Path) -> None:
    with closing(FileStore(tmp_path, whole=1)) as store:
        for at in range(40):
            thoughts = [documents.thought(content=f"a secret of {at}: " + "x" * 100)]
            store.put(checkpoint(f"ckpt_{at}", at, thoughts=thoughts))
        for at in range(20):
            store.delete(f"ckpt_{at}")
    assert sum(path.stat().st_size for path in tmp_path.glob(f"{PACK}-wal")) == 0
    texts = [store.get(f"ckpt_{at}") for at in range(20, 40)]
    assert [one.id for one in texts] == [f"ckpt_{at}" for at in range(20, 40)]
    with closing(sqlite3.connect(tmp_path / PACK)) as driver:
        bodies = [body for (body,) in driver.execute("SELECT body FROM parts")]
    parts = [zlib.decompress(body[1:]) if body[:1] == b"z" else body[1:] for body in bodies]
    assert any(b"a secret of 30:" in part for part in parts)
    assert not any(b"a secret of 3:" in part for part in parts)


def test_room_and_large_results_grow_with_what_is_new(tmp_path: Path) -> None:
    drawn = random.Random(5)
    with CheckpointManager(FileStore(tmp_path)) as manager:
        state = RuntimeState("agent")
        with Checkpointer(state, manager):
            for _ in range(6):
                with state.tool("read") as call:
                    call.result = drawn.randbytes(1_000_000).hex()
        newest = manager.latest()
        assert newest is not None
        assert [len(one) for one in manager.get(newest.id).snapshot.tool_state.results.values()] == [2_000_000] * 6
        assert len(manager.restore(newest.id).checkpoint.snapshot.tool_state.calls) == 6
        assert manager.verify() == ()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 13_000_000


def test_the_time_of_a_save_does_not_grow_for_long_ones_are_packed_at_once(tmp_path: Path) -> None:
    """The first of them are files, and the last one becomes a file when the store is closed."""
    with CheckpointManager(FileStore(tmp_path, whole=2)) as manager:
        state = RuntimeState("agent")
        state.thought_chain.add("observation", "x" * 70_000)
        kept = []
        for number in range(5):
            state.thought_chain.add("reasoning", f"thought {number} " + "x" * 100)
            kept.append(manager.save(state))
        assert [one.path is None for one in kept] == [False, False, True, True, True]
        with CheckpointManager(FileStore(tmp_path)) as other:  # as after this process is killed
            assert all(other.get(one.id).content() == one.checkpoint.content() for one in kept)
        renamed = manager.update_metadata(kept[-1].id, name="the newest")
    assert (tmp_path / f"{kept[-1].id}.json").read_bytes() == renamed.content()
    assert not (tmp_path / f"{kept[-2].id}.json").exists()
    with CheckpointManager(FileStore(tmp_path, whole=2)) as manager:
        assert manager.verify() == ()
        assert manager.update_metadata(kept[-1].id, name="the last").name == "the last"
        state = manager.restore(kept[-1].id, continue_execution=True).state
        for number in range(40):
            state.thought_chain.add("reasoning", f"thought {number} again " + "x" * 100)
            manager.save(state)
        assert manager.get(kept[-1].id).name == "the last"
        final = manager.save(state, "execution_completed")
        assert final.path is not None
        assert final.path.read_bytes() == final.checkpoint.content()
        assert manager.verify() == ()


def test_other_programs_see_packed_checkpoints_in_the_folder(run: Run, store: FileStore) -> None:
    store.close()
    folder = str(store.directory)
    listed = run("agent", "list", "--dir", folder, "--json")
    assert len(json.loads(listed.out)) >= 1
    text = "SELECT (COUNT(*) AS ?n) { ?c a <urn:caf:vocab:Checkpoint> }"
    counted = run("query", folder, "--query", text, "--format", "csv")
    assert counted.out.split()[-1] == str(NUMBER).encode()
    assert f"{NUMBER} files" in run("validate", folder).out.decode()


def test_a_manager_restores_exports_prunes_and_indexes_what_is_packed(store: FileStore, tmp_path: Path) -> None:
    with CheckpointManager(store, database=tmp_path / "index.db") as manager:
        assert manager.reindex().checkpoints == NUMBER
        assert manager.verify() == ()
        manager.export("ckpt_0", tmp_path / "out.json")
        assert (tmp_path / "out.json").read_bytes() == saved()[0].content()
        restored = manager.restore("ckpt_3")
        assert len(restored.state.thought_chain) == 4
        assert len(manager.prune(Retention(keep_last=2)).going) > 50
        assert manager.verify() == ()


def _save(folder: Path, agent: str) -> list[tuple[str, str]]:
    done = []
    with CheckpointManager(FileStore(folder, whole=2)) as manager:
        state = RuntimeState(agent, "shared")
        for at in range(40):
            state.thought_chain.add("reasoning", f"{agent} {at}")
            kept = manager.save(state)
            done.append((kept.id, kept.sha256))
    return done


def test_processes_pack_one_folder_at_once_and_lose_nothing(tmp_path: Path) -> None:
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        kept = [one for made in pool.map(_save, [tmp_path] * 3, ["a", "b", "c"]) for one in made]
    with closing(FileStore(tmp_path)) as store:
        assert {header.id for header in store.headers()} == {name for name, _ in kept}
        assert all(store.get(name).sha256 == sha256 for name, sha256 in kept)
        assert list(store.verify()) == []


def test_a_damaged_pack_is_reported_and_hides_no_file(store: FileStore) -> None:
    store.close()
    path = store.directory / PACK
    content = bytearray(path.read_bytes())
    content[4096:] = b"\0" * (len(content) - 4096)
    path.write_bytes(content)
    with closing(FileStore(store.directory)) as again:
        assert next(found.rule for found in again.verify()) == "agent-file-damaged"
        assert again.get(f"ckpt_{NUMBER - 1}").id == f"ckpt_{NUMBER - 1}"
        with pytest.raises((IntegrityError, CheckpointNotFound)):
            again.get("ckpt_0")


def test_a_number_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="1 or more"):
        FileStore(tmp_path, whole=0)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.text(alphabet='ab {}[]",:\n  ', max_size=300), max_size=6), st.data())
def test_any_text_comes_back(texts: list[str], data: Any) -> None:
    lines = ["\n    ]", "\n      {\n", "\n        x" + "y" * 70, ",\n", "\n"]
    with TemporaryDirectory() as folder, closing(Pack(Path(folder))) as pack:
        mixed = [
            "".join(piece for part in text.split() for piece in (part, data.draw(st.sampled_from(lines))))
            for text in texts
        ]
        pack.add(PackedText.of(str(number), text.encode(), number) for number, text in enumerate(mixed))
        assert [pack.text(str(number)) for number in range(len(mixed))] == [text.encode() for text in mixed]
