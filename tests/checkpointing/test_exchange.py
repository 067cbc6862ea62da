"""Checkpoints out of a store, and into one."""

import gzip
import hashlib
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.checkpointing import CheckpointManager, ExportShape
from checkpoint_ld.errors import (
    CheckpointExists,
    CheckpointNotFound,
    InvalidCheckpoint,
    JsonSyntaxError,
    ReadError,
    SettingsError,
    ShapeError,
    TargetExistsError,
    WriteError,
)
from checkpoint_ld.stores.protocol import header_of
from tests.checkpointing.managers import Bench

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
    with pytest.raises(SettingsError, match="no shape 'yaml': use one of canonical, second"):
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
        (5, "source is 5"),
        (None, "source is None"),
        ({"a": {1}}, '"/a"'),
        ({"a": float("nan")}, '"/a"'),
        ({1: 2}, "source is of type dict with int"),
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


@pytest.mark.slow
@pytest.mark.parametrize("id", ["../../etc/passwd", "a/b", "CON", "x\0", "y" * 900, ".", 'ä <&> "%"'])
def test_no_id_leads_out_of_the_folder(bench: Bench, id: str) -> None:
    before = {path for path in bench.folder.parent.rglob("*") if bench.folder not in path.parents}
    checkpoint = bench.manager.save(bench.state).checkpoint.but(id=id)
    (imported,) = bench.manager.import_(checkpoint)
    assert bench.manager.get(id) == checkpoint
    assert imported.checkpoint == header_of(checkpoint)
    assert bench.manager.restore(id).checkpoint == checkpoint
    assert {path for path in bench.folder.parent.rglob("*") if bench.folder not in path.parents} == before
    assert len(bench.paths()) == 2
    assert bench.manager.verify() == ()
