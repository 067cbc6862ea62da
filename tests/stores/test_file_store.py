"""A folder of files: how they are named, what is in them, what else may lie there, and headers from their two ends."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.text import bytes_of
from checkpoint_ld.errors import (
    CheckpointExists,
    CheckpointNotFound,
    InvalidCheckpoint,
    ReadError,
    SettingsError,
    StoreError,
)
from checkpoint_ld.findings import Finding
from checkpoint_ld.stores import files
from checkpoint_ld.stores.files import FileStore, file_name
from checkpoint_ld.stores.folder import hashed_name, is_checkpoint
from checkpoint_ld.stores.protocol import Filter, Header
from tests.agent import documents
from tests.stores.documents import HARD, checkpoint
from tests.trials import examples


def codes(found: list[Finding]) -> list[tuple[str, str]]:
    return [(one.code, Path(str(one.place.file)).name) for one in found]


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("ckpt_01-a.b", "ckpt_01-a.b.json"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd.json"),
        (".", "%2E.json"),
        ("..", "%2E%2E.json"),
        (".hidden", "%2Ehidden.json"),
        ("x\u0000", "x%00.json"),
        ("é ~", "%C3%A9%20%7E.json"),
        ("x" * 120, "x" * 120 + ".json"),
        *((one, None) for one in ("CON", "con", "nul.txt", "Lpt9", "x" * 121, "é" * 21)),
    ],
)
def test_what_is_not_plain_is_percent_encoded_or_ends_in_a_hash(identifier: str, name: str | None) -> None:
    if name is None:
        assert file_name(identifier).endswith(f"~{hashlib.sha256(identifier.encode()).hexdigest()[:12]}.json")
        assert len(file_name(identifier)) <= 64 + 13 + 5
    else:
        assert file_name(identifier) == name


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300))
def test_names_are_safe_and_differ_where_ids_do(one: str, other: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_%-](?:[A-Za-z0-9._%~-]*[A-Za-z0-9_%~-])?\.json", file_name(one))
    assert len(file_name(one).encode()) <= 125
    assert (file_name(one) == file_name(other)) == (one == other)
    assert is_checkpoint(hashed_name(one))


@pytest.mark.parametrize("identifier", ["../../etc/passwd", "CON", "x\u0000", "y" * 900, "é", ".", "a.json"])
def test_no_id_leads_out_of_the_folder_and_every_one_comes_back(identifier: str, tmp_path: Path) -> None:
    store = FileStore(tmp_path / "in" / "checkpoints")
    path = store.put(checkpoint(identifier)).path
    assert path is not None
    assert path.parent == store.directory
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]
    assert FileStore(store.directory).get(identifier).id == identifier
    assert list(store.verify()) == []


def test_ids_that_differ_in_case_only_have_names_that_differ_in_more(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    for identifier in ("abc", "ABC", "Abc"):
        store.put(checkpoint(identifier))
        FileStore(tmp_path).put(checkpoint(identifier))
    assert len({path.name.lower() for path in tmp_path.iterdir()}) == 3
    assert {one: store.path(one).name for one in ("abc", "ABC")} == {"abc": "abc.json", "ABC": hashed_name("ABC")}
    assert [store.get(one).id for one in ("abc", "ABC", "Abc")] == ["abc", "ABC", "Abc"]
    assert list(store.verify()) == []


def test_a_file_is_the_text_of_its_checkpoint_with_the_usual_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = FileStore(tmp_path / "a" / "b").put(HARD).path
    finally:
        os.umask(before)
    assert path is not None
    assert path.read_bytes() == HARD.content()
    assert (path.stat().st_mode & 0o777, path.stat().st_nlink) == (0o640, 1)


def test_compressed_files_and_files_of_the_second_shape_are_read_as_well(tmp_path: Path) -> None:
    one, two = checkpoint("one"), checkpoint("two", 2)
    (tmp_path / "one.json.gz").write_bytes(gzip.compress(one.content()))
    (tmp_path / "two.json").write_text(two.dumps("second"), encoding="utf-8")
    store = FileStore(tmp_path)
    assert store.get("one") == one
    assert store.get("two").content() == two.content()
    assert [header.id for header in store.headers(Filter(tool="grep"))] == ["two", "one"]
    assert [store.put(again).created for again in (one, two)] == [False, False]
    assert store.update_metadata("one", name="n").name == "n"
    assert gzip.decompress((tmp_path / "one.json.gz").read_bytes()) == store.get("one").content()
    assert list(store.verify()) == []


def test_the_id_inside_counts_not_the_name(tmp_path: Path) -> None:
    (tmp_path / "copy of it.json").write_bytes(HARD.content())
    (tmp_path / "ckpt_1.json").write_bytes(checkpoint("ckpt_2").content())
    store = FileStore(tmp_path)
    assert store.get(HARD.id) == HARD
    assert store.path(HARD.id).name == "copy of it.json"
    assert not store.put(HARD).created
    with pytest.raises(CheckpointExists):
        store.put(HARD.but(name="other"))
    with pytest.raises(CheckpointNotFound, match="ckpt_2"):
        store.get("ckpt_1")
    assert store.put(checkpoint("ckpt_1")).created
    assert store.get("ckpt_1").id == "ckpt_1"
    assert codes(list(store.verify())) == [("AS002", "ckpt_1.json"), ("AS002", "copy of it.json")]
    assert store.delete("ckpt_2")
    assert store.get("ckpt_1").id == "ckpt_1"


def test_a_damaged_file_hides_no_other_and_can_be_deleted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store, torn = FileStore(tmp_path), checkpoint().content()[:300]
    store.put(checkpoint())
    store.put(checkpoint("other"))
    (tmp_path / "ckpt_1.json").write_bytes(torn)

    assert [header.id for header in store.headers()] == [header.id for header in store.headers()] == ["other"]
    assert caplog.text.count("is left out") == 1
    with pytest.raises(ReadError, match=r"ckpt_1\.json:\d+:\d+"):
        store.get("ckpt_1")
    with pytest.raises(ReadError, match=r"ckpt_1\.json:\d+:\d+"):
        store.update_metadata("ckpt_1", name="named")
    with pytest.raises(CheckpointExists, match="damaged"):
        store.put(checkpoint())
    [found] = store.verify(repair=True)
    assert codes([found]) == [("AS001", "ckpt_1.json")]
    assert "ckpt_1.json:" in found.message
    assert (tmp_path / "ckpt_1.json").read_bytes() == torn

    assert [store.delete("ckpt_1"), store.delete("ckpt_1")] == [True, False]
    assert store.put(checkpoint()).created
    assert len(list(store.headers())) == 2


def test_what_is_no_checkpoint_is_left_alone(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.put(checkpoint())
    others = {"notes.txt": "a", ".hidden.json": "{}", "index.db": "x", ".0123.tmp": "mine"}
    for name, text in others.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    assert [header.id for header in store.headers()] == ["ckpt_1"]
    assert list(store.verify(repair=True)) == []
    assert store.sweep(0) == ()
    store.delete("ckpt_1")
    assert {name: (tmp_path / name).read_text() for name in others} == others


def test_temporary_files_are_removed_once_they_are_an_hour_old(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.put(checkpoint())
    old, new = tmp_path / ".0123456789abcdef.tmp", tmp_path / ".fedcba9876543210.tmp"
    old.touch()
    new.touch()
    os.utime(old, (time.time() - 3601,) * 2)
    for repair in (False, True):
        assert codes(list(store.verify(repair=repair))) == [("AS004", old.name)]
    assert (old.exists(), new.exists()) == (False, True)
    assert store.sweep(0) == (new,)
    assert not new.exists()


def test_links_are_read_and_never_written_through(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "outside.json"
    outside.write_bytes(checkpoint().content())
    folder.mkdir()
    (folder / "ckpt_1.json").symlink_to(outside)
    (folder / "ckpt_2.json").symlink_to(tmp_path / "nothing.json")
    store = FileStore(folder)
    assert store.get("ckpt_1") == checkpoint()
    assert store.update_metadata("ckpt_1", name="n").name == "n"
    assert outside.read_bytes() == checkpoint().content()
    assert not (folder / "ckpt_1.json").is_symlink()
    store.put(checkpoint("ckpt_2"))
    assert not (tmp_path / "nothing.json").exists()
    assert FileStore(folder).get("ckpt_2").id == "ckpt_2"
    (folder / "ckpt_3.json").symlink_to(outside)
    assert store.delete("ckpt_1")
    assert outside.exists()


def test_files_that_stayed_the_same_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        FileStore(tmp_path).put(checkpoint(name))
    store, read = FileStore(tmp_path), list[str]()
    header_at = files.header_at

    def noted(path: Path) -> Header:
        read.append(path.name)
        return header_at(path)

    monkeypatch.setattr(files, "header_at", noted)
    assert len(list(store.headers())) == len(list(store.headers())) == 2
    (tmp_path / "two.json").write_bytes(checkpoint("two", name="n").content())
    assert [header.name for header in store.headers(Filter(name="n"))] == ["n"]
    store.put(checkpoint("three"))
    assert len(list(store.headers())) == 3
    assert sorted(read) == ["one.json", "two.json", "two.json"]


def test_a_folder_that_vanished_is_not_made_again_and_a_file_in_its_place_is_told(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "checkpoints")
    path = store.put(checkpoint()).path
    assert path is not None
    for one in path.parent.iterdir():
        one.unlink()
    path.parent.rmdir()
    for used in (
        lambda: store.put(checkpoint("x")),
        lambda: store.get("ckpt_1"),
        lambda: list(store.headers()),
        lambda: store.delete("ckpt_1"),
        lambda: list(store.verify()),
    ):
        with pytest.raises(StoreError, match="the folder has vanished"):
            used()
    assert not path.parent.exists()

    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"file is a file, not a folder: give another path"):
        FileStore(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot be used"):
        FileStore(tmp_path / "file" / "in").put(checkpoint())


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("length", [0, 300_000])
def test_only_the_ends_of_a_file_in_our_form_are_read(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = HARD.but(snapshot=checkpoint(thoughts=[documents.thought(content="x" * length)]).snapshot)
    path = written(tmp_path / "a.json", one.content())
    monkeypatch.setattr("checkpoint_ld.agent.reading.examine", lambda _: pytest.fail("all of it was read"))
    assert files.header_at(path) == Header.of(one)


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(documents.checkpoints)
def test_the_ends_tell_what_all_of_it_tells(tmp_path_factory: pytest.TempPathFactory, tree: documents.Json) -> None:
    path = written(tmp_path_factory.mktemp("one") / "a.json", bytes_of(tree))
    try:
        expected = Header.of(AgentCheckpoint.of_tree(tree))
    except InvalidCheckpoint:
        return
    assert files.header_at(path) == expected


BETWEEN = ["version", "id", "timestamp", "execution_id", "agent_id", "snapshot", "parent", "about", "metadata"]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(HARD.tree()).encode(),
        json.dumps(HARD.tree(), indent=4).encode(),
        json.dumps(dict(reversed(HARD.tree().items())), indent=2, ensure_ascii=False).encode() + b"\n",
        HARD.content().replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + HARD.content(),
        HARD.dumps("second").encode(),
    ],
    ids=["one line", "four spaces", "another order", "CRLF", "BOM", "second shape"],
)
def test_files_in_other_forms_are_read_whole(text: bytes, tmp_path: Path) -> None:
    assert files.header_at(written(tmp_path / "a.json", text)) == Header.of(HARD)
    packed = written(tmp_path / "a.json.gz", gzip.compress(text))
    assert files.header_at(packed) == Header.of(HARD)
    assert files.facts_at(packed) == files.facts_at(tmp_path / "a.json")


def test_members_between_the_snapshot_and_the_metadata_are_not_missed(tmp_path: Path) -> None:
    text = json.dumps({name: HARD.tree()[name] for name in BETWEEN}, indent=2, ensure_ascii=False).encode() + b"\n"
    header = files.header_at(written(tmp_path / "a.json", text))
    assert (header.parent_checkpoint_id, header.about_question) == ("../x", "q?")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        checkpoint().content()[:-40],
        checkpoint().content().replace(b'"step_number": 1,\n    "tokens', b'"step_number": -1,\n    "tokens'),
        checkpoint().content().replace(b'"duration_ms": 20', b'"duration_ms": NaN'),
        checkpoint().content().replace(b'"id": "ckpt_1"', b'"id": ""'),
        checkpoint().content().replace(b'"id": "ckpt_1"', b'"id": "\\ud800"'),
        checkpoint().content().replace(b'"0.0.1"', b'"9.0.0"'),
    ],
)
def test_a_file_that_is_no_checkpoint_has_no_header(text: bytes, tmp_path: Path) -> None:
    with pytest.raises((ReadError, ValueError)):
        files.header_at(written(tmp_path / "a.json", text))
