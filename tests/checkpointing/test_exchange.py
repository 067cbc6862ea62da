"""Checkpoints out of a store, and into one."""

import gzip
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.agents import values
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.shapes import detect_shape
from checkpoint_ld.agents.state import RuntimeState
from checkpoint_ld.agents.values import Shape
from checkpoint_ld.checkpointing import CheckpointManager, ExportShape, Saved, upgrade
from checkpoint_ld.errors import (
    CheckpointExists,
    CheckpointNotFound,
    InvalidCheckpoint,
    JsonSyntaxError,
    ReadError,
    SettingsError,
    ShapeError,
    StoreError,
    TargetExistsError,
    UnsupportedVersion,
    WriteError,
)
from tests.checkpointing.managers import Bench, MemoryStore

SHAPES: dict[ExportShape, str] = {
    "canonical": "json", "second": "json", "jsonld": "jsonld", "nquads": "nq", "turtle": "ttl",
}  # fmt: skip


@pytest.mark.parametrize(("shape", "ending"), SHAPES.items())
def test_what_goes_out_comes_back_the_same(bench: Bench, tmp_path: Path, shape: ExportShape, ending: str) -> None:
    bench.think('ä "quoted"', confidence=1, odd={"kept": [None, 10**30]})
    bench.state.context.variables["n"] = {"a/b": [1, 1.0, -0.0]}
    bench.state.context.state["s"] = None
    bench.state.tool_state.complete(bench.state.tool_state.start("ls", {}).id, None)
    bench.state.tool_state.start("ls", {})
    saved = bench.manager.save(bench.state)
    path = bench.manager.export(saved.id, tmp_path / f"out.{ending}", shape)
    sources: list[Any] = [path, saved.checkpoint.tree()]
    for number, source in enumerate(sources):
        with CheckpointManager(tmp_path / f"other{number}", tmp_path / f"{number}.db") as other:
            (imported,) = other.import_(source)
            assert other.get(saved.id).content() == saved.checkpoint.content()
        assert (imported.source, imported.created, imported.error) == (None if number else path, True, None)
    with sqlite3.connect(tmp_path / "0.db") as connection:
        row = connection.execute("SELECT source_sha256, sha256, file_name FROM checkpoints").fetchone()
    connection.close()
    assert row == (hashlib.sha256(path.read_bytes()).hexdigest(), saved.sha256, f"{saved.id}.json")


def test_an_export_overwrites_only_on_request(bench: Bench, tmp_path: Path) -> None:
    saved = bench.manager.save(bench.state)
    target = tmp_path / "out.json"
    target.write_text("mine")
    with pytest.raises(TargetExistsError):
        bench.manager.export(saved.id, target)
    assert target.read_text() == "mine"
    bench.manager.export(saved.id, target, overwrite=True)
    assert target.read_bytes() == saved.checkpoint.content()
    with pytest.raises(SettingsError, match='no shape "yaml"; use one of canonical, second'):
        bench.manager.export(saved.id, target, "yaml")  # type: ignore[arg-type]


def test_a_folder_is_imported_file_by_file_and_only_what_may_hold_a_checkpoint_is_opened(
    bench: Bench, tmp_path: Path
) -> None:
    saved = [bench.manager.save(bench.state) for _ in range(3)]
    first, folder = saved[0].checkpoint, tmp_path / "in"
    (folder / "g.json").mkdir(parents=True)
    contents = {
        "a.json": first.content("second"),
        "b.json.gz": gzip.compress(saved[1].checkpoint.content()),
        "c.json": b"{",
        "d.json": first.but(name="other").content(),
        "e.json": b'{"@type": "DataFeed"}',
        **dict.fromkeys((".hidden.json", "notes.txt"), first.content()),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    bench.manager.export(saved[2].id, folder / "h.nq", "nquads")
    (folder / "loop.json").symlink_to("loop.json")
    os.mkfifo(folder / "pipe.json")
    other = CheckpointManager(tmp_path / "other")
    done = other.import_(str(folder))
    assert [(one.source.name if one.source else "", one.created, type(one.error)) for one in done] == [
        ("a.json", True, type(None)),
        ("b.json.gz", True, type(None)),
        ("c.json", False, JsonSyntaxError),
        ("d.json", False, CheckpointExists),
        ("e.json", False, ShapeError),
        ("h.nq", True, type(None)),
    ]
    assert {one.id for one in other.list()} == {one.id for one in saved}
    assert [one.created for one in other.import_(folder) if one.error is None] == [False] * 3


def test_a_copy_with_a_new_id_names_the_other_as_its_parent(bench: Bench) -> None:
    saved = bench.manager.save(bench.state)
    other = saved.checkpoint.but(name="edited elsewhere")
    with pytest.raises(CheckpointExists):
        bench.manager.import_(other.content())
    (copy,) = bench.manager.import_(other.content(), as_new_id=True)
    assert copy.checkpoint is not None
    assert copy.checkpoint.id not in ("", saved.id)
    assert bench.manager.get(copy.checkpoint.id).tree() == other.tree() | {
        "id": copy.checkpoint.id,
        "parent": {"checkpoint_id": saved.id},
    }
    assert bench.manager.get(saved.id) == saved.checkpoint


def test_what_cannot_be_read_is_raised_for_a_single_source(bench: Bench, tmp_path: Path) -> None:
    tree = bench.manager.save(bench.state).checkpoint.tree()
    tree["metadata"]["tokens_used"] = -1
    with pytest.raises(InvalidCheckpoint):
        bench.manager.import_(tree)
    with pytest.raises(ReadError, match=r"nothing\.json"):
        bench.manager.import_(tmp_path / "nothing.json")


@pytest.mark.parametrize("source", ["x" * 5000, "", "a\0b", "\ud800", Path("a\0b")])
def test_a_path_that_is_none_is_a_source_that_is_missing(bench: Bench, source: str | Path) -> None:
    with pytest.raises(ReadError, match="cannot be read"):
        bench.manager.import_(source)
    with pytest.raises((CheckpointNotFound, ReadError)):
        bench.manager.restore(source)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (5, "int is no source"),
        (None, "NoneType is no source"),
        ({"a": {1}}, '"/a"'),
        ({"a": float("nan")}, '"/a"'),
        ({1: 2}, "its key 1 is not text"),
    ],
)
def test_what_is_no_json_is_no_source(bench: Bench, source: Any, message: str) -> None:
    with pytest.raises(WriteError, match=message):
        bench.manager.import_(source)
    with pytest.raises(WriteError, match=message):
        bench.manager.restore(source)


def test_what_is_unusual_about_a_foreign_file_is_reported(bench: Bench, tmp_path: Path) -> None:
    path = bench.manager.export(bench.manager.save(bench.state).id, tmp_path / "c.json", "second")
    tree = json.loads(path.read_bytes()) | {"name": "edited", "id": "other"}
    tree["canonical_patch"]["sha256"] = "0" * 64
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(tree).encode())
    (imported,) = bench.manager.import_(path)
    for findings in (imported.findings, bench.manager.restore(path).findings):
        assert [one.rule for one in findings] == ["byte-order-mark", "agent-patch"]
    assert bench.manager.restore("other").findings == ()


# --- Files of older versions.


@pytest.mark.parametrize("shape", ["canonical", "second"])
def test_a_file_of_the_newest_version_is_not_touched(bench: Bench, tmp_path: Path, shape: Shape) -> None:
    path = bench.manager.export(bench.manager.save(bench.state).id, tmp_path / "c.json", shape)
    before, text = path.stat(), path.read_bytes()
    done = upgrade(path)
    assert (done.path, done.before, done.after, done.changed) == (path, "0.0.1", "0.0.1", False)
    # Not the time of access: `upgrade` reads the file, and the second may turn while it does.
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert path.read_bytes() == text


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    step = values.Migration("0.0.0", "0.0.1", "a name", lambda tree: {**tree, "name": "migrated"})
    monkeypatch.setattr(values, "MIGRATIONS", [step])


@pytest.mark.usefixtures("older")
@pytest.mark.parametrize("shape", ["canonical", "second"])
@pytest.mark.parametrize("packed", [False, True])
def test_an_older_file_becomes_one_of_the_newest_version(
    bench: Bench, tmp_path: Path, shape: Shape, packed: bool
) -> None:
    path = tmp_path / ("c.json.gz" if packed else "c.json")
    content = bench.manager.save(bench.state).checkpoint.content(shape).replace(b'"0.0.1"', b'"0.0.0"', 1)
    before = gzip.compress(content) if packed else content
    path.write_bytes(before)
    assert upgrade(path, dry_run=True).changed
    assert path.read_bytes() == before
    done = upgrade(path)
    assert (done.before, done.after, done.changed) == ("0.0.0", "0.0.1", True)
    written = json.loads(gzip.decompress(path.read_bytes()) if packed else path.read_bytes())
    assert (written["version"], detect_shape(written)) == ("0.0.1", shape)
    assert [*tmp_path.glob("c.*")] == [path]
    assert AgentCheckpoint.load(path).name == "migrated"
    assert not upgrade(path).changed


@pytest.mark.usefixtures("older")
@pytest.mark.parametrize(
    ("shape", "version", "error"),
    [
        ("canonical", "9.0.0", (UnsupportedVersion, r"9\.0\.0")),
        ("nquads", "0.0.0", (WriteError, "only JSON files are upgraded")),
    ],
)
def test_versions_from_the_future_and_rdf_are_left_as_they_are(
    bench: Bench, tmp_path: Path, shape: ExportShape, version: str, error: tuple[type[Exception], str]
) -> None:
    path = tmp_path / ("c.nq" if shape == "nquads" else "c.json")
    bench.manager.export(bench.manager.save(bench.state).id, path, shape)
    text = path.read_text().replace('"0.0.1"', f'"{version}"')
    path.write_text(text)
    with pytest.raises(error[0], match=error[1]):
        upgrade(path)
    assert path.read_text() == text


# --- Whether all stores hold the same.


@pytest.fixture
def saved(bench: Bench) -> list[Saved]:
    made = []
    for text in "abc":
        bench.think(text)
        made.append(bench.manager.save(bench.state))
    return made


def rules(bench: Bench, *, repair: bool = False) -> list[str]:
    return sorted(one.rule for one in bench.manager.verify(repair=repair))


def everything(bench: Bench) -> list[dict[str, str | None]]:
    return [{one.id: one.sha256 for one in store.headers()} for store in bench.manager.store.followers.values()]


@pytest.mark.parametrize("kind", ["database", "graph"])
def test_each_disagreement_is_found_and_repaired_from_the_files(bench: Bench, saved: list[Saved], kind: str) -> None:
    store = bench.manager.database if kind == "database" else bench.graph
    assert store is not None
    store.delete(saved[0].id)
    store.update_metadata(saved[1].id, name="other")
    store.put(saved[2].checkpoint.but(id="orphan"))
    found = {one.rule: one for one in bench.manager.verify()}
    assert sorted(found) == ["agent-row-differs", "agent-row-missing", "agent-row-orphan"]
    assert found["agent-row-missing"].message == f'"{saved[0].id}" is not in the {kind}'
    assert found["agent-row-orphan"].message == f'"orphan" is in the {kind}, but has no file'
    assert found["agent-row-differs"].subject == f'"{saved[1].id}"'
    before = {path: path.read_bytes() for path in (bench.folder / "files").iterdir()}
    assert rules(bench, repair=True) == sorted(found)
    assert rules(bench) == []
    assert {path: path.read_bytes() for path in (bench.folder / "files").iterdir()} == before
    assert everything(bench) == [{one.id: one.sha256 for one in saved}] * 2


def test_what_a_lost_file_stated_is_not_removed_with_it_when_it_is_only_damaged(
    bench: Bench, saved: list[Saved]
) -> None:
    path = saved[0].path
    assert path is not None
    path.write_text("{")
    assert rules(bench) == ["agent-file-damaged"]
    assert rules(bench, repair=True) == ["agent-file-damaged"]
    assert bench.manager.reindex().kept == (saved[0].id,)
    assert bench.manager.restore(saved[0].id).checkpoint.tree() == saved[0].checkpoint.tree()
    assert path.read_text() == "{"


@pytest.mark.parametrize("followed", ["database", "graph"])
@pytest.mark.parametrize("remade", [CheckpointManager.reindex, partial(CheckpointManager.verify, repair=True)])
def test_a_slip_in_the_path_of_the_files_deletes_nothing(
    tmp_path: Path, followed: str, remade: Callable[[CheckpointManager], object]
) -> None:
    other: Any = {followed: tmp_path / "other"}
    with CheckpointManager(tmp_path / "files", **other) as manager:
        kept = manager.save(RuntimeState("agent")).checkpoint
    with CheckpointManager(tmp_path / "flies", **other) as manager:
        with pytest.raises(StoreError, match="flies: does not exist, so all checkpoints in the other stores would"):
            remade(manager)
        assert manager.get(kept.id) == kept
        (tmp_path / "flies").mkdir()
        remade(manager)
        assert manager.latest() is None
        assert not list(manager.store.followers.popitem()[1].headers())


def test_reindex_makes_everything_anew(bench: Bench, saved: list[Saved]) -> None:
    assert rules(bench) == []
    with sqlite3.connect(bench.folder / "checkpoints.db") as connection:
        connection.execute("UPDATE saved_checkpoints SET thoughts_json = '[]'")
        connection.execute("DELETE FROM tools")
    connection.close()
    bench.graph.held.clear()
    (bench.folder / "files" / saved[0].path.name).unlink()  # type: ignore[union-attr]
    done = bench.manager.reindex()
    assert (done.checkpoints, done.removed) == (2, (saved[0].id,))
    assert rules(bench) == []
    with sqlite3.connect(bench.folder / "checkpoints.db") as connection:
        assert {row[0] for row in connection.execute("SELECT content FROM thoughts")} == {"a", "b", "c"}
        assert {row[0] for row in connection.execute("SELECT file_name FROM checkpoints")} == set(bench.paths())
    connection.close()
    saved[1].path.unlink()  # type: ignore[union-attr]
    assert bench.manager.delete(saved[1].id)  # only the others had it
    assert not bench.manager.delete(saved[1].id)
    assert rules(bench) == []


@pytest.mark.parametrize("repair", [False, True])
def test_a_corrupt_database_is_reported_and_made_again_from_the_files(
    bench: Bench, saved: list[Saved], repair: bool
) -> None:
    bench.manager.close()
    for name in ("checkpoints.db-wal", "checkpoints.db-shm"):
        (bench.folder / name).unlink(missing_ok=True)
    path = bench.folder / "checkpoints.db"
    content = bytearray(path.read_bytes())
    content[1000:] = b"\xff" * (len(content) - 1000)
    path.write_bytes(content)
    found = bench.manager.verify(repair=repair)
    assert "agent-database-damaged" in {one.rule for one in found}
    bench.graph.broken = set()
    if not repair:
        bench.manager.reindex()
    assert rules(bench) == []
    assert everything(bench) == [{one.id: one.sha256 for one in saved}] * 2
    assert [one for one in bench.folder.iterdir() if ".corrupt" in one.name]


@pytest.mark.usefixtures("saved")
def test_a_store_that_is_damaged_and_cannot_be_emptied_is_an_error(bench: Bench) -> None:
    broken = MemoryStore()
    broken.broken = {"delete"}
    bench.manager.store.followers["graph"] = broken
    with pytest.raises(StoreError, match="delete fails"):
        bench.manager.reindex()


def test_a_database_that_was_lost_hides_nothing(bench: Bench, saved: list[Saved]) -> None:
    bench.manager.close()
    for path in bench.folder.glob("checkpoints.db*"):
        path.unlink()
    assert {one.id for one in bench.manager.list()} == {one.id for one in saved}
    bench.graph.broken = set()
    bench.manager.reindex()
    assert bench.manager.verify() == ()
