"""A folder of files: what is in it, and what else may lie there."""

import errno
import gzip
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.errors import (
    CheckpointExists,
    CheckpointNotFound,
    ReadError,
    SettingsError,
    StoreBusyError,
    StoreError,
    StoreFull,
)
from checkpoint_ld.findings import Finding
from checkpoint_ld.stores import folder, folder_index
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import Filter, Header
from tests.agents import documents
from tests.forking import forked
from tests.stores.documents import HARD, checkpoint


def codes(found: list[Finding]) -> list[tuple[str, str]]:
    return [(one.code, Path(str(one.place.file)).name) for one in found]


def test_a_file_is_the_text_of_its_checkpoint_with_the_usual_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = FileStore(tmp_path / "a" / "b").put(HARD).path
    finally:
        os.umask(before)

    assert path is not None
    assert path.read_bytes() == HARD.content()
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.stat().st_nlink == 1


def test_compressed_files_and_files_of_the_second_shape_are_read_as_well(tmp_path: Path) -> None:
    one, two = checkpoint("one"), checkpoint("two", 2)
    (tmp_path / "one.json.gz").write_bytes(gzip.compress(one.content()))
    (tmp_path / "two.json").write_text(two.dumps("second"), encoding="utf-8")
    store = FileStore(tmp_path)

    assert store.get("one") == one
    assert store.get("two").content() == two.content()
    assert [header.id for header in store.headers(Filter(tool="grep"))] == ["two", "one"]
    assert not store.put(one).created
    assert not store.put(two).created
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


def test_two_files_with_one_id_are_one_checkpoint_and_a_finding(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.put(checkpoint())
    (tmp_path / "copy.json").write_bytes(checkpoint().content())

    assert [header.id for header in store.headers()] == ["ckpt_1"]
    assert ("AS003", "copy.json") in codes(list(store.verify()))
    assert store.delete("ckpt_1")
    assert list(tmp_path.glob("*.json")) == []


def test_of_files_with_one_id_the_one_with_its_name_counts(tmp_path: Path) -> None:
    FileStore(tmp_path).put(checkpoint())
    for name in ("0.json", "zz.json"):
        (tmp_path / name).write_bytes(checkpoint().but(name="another").content())

    store = FileStore(tmp_path)
    assert store.path("ckpt_1").name == "ckpt_1.json"
    assert [header.name for header in store.headers()] == [checkpoint().name]
    assert store.get("ckpt_1") == checkpoint()


def test_a_damaged_file_hides_no_other_and_is_not_written_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = FileStore(tmp_path)
    store.put(checkpoint())
    store.put(checkpoint("other"))
    torn = checkpoint().content()[:300]
    (tmp_path / "ckpt_1.json").write_bytes(torn)

    assert [header.id for header in store.headers()] == [header.id for header in store.headers()] == ["other"]
    assert caplog.text.count("is left out") == 1
    with pytest.raises(ReadError, match=r"ckpt_1\.json:\d+:\d+"):
        store.get("ckpt_1")
    with pytest.raises(CheckpointExists, match="damaged"):
        store.put(checkpoint())
    [found] = store.verify(repair=True)
    assert codes([found]) == [("AS001", "ckpt_1.json")]
    assert "ckpt_1.json:" in found.message
    assert (tmp_path / "ckpt_1.json").read_bytes() == torn


def test_a_damaged_file_is_not_stated_to_be_missing_and_can_be_deleted(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.put(checkpoint())
    store.put(checkpoint("other"))
    (tmp_path / "ckpt_1.json").write_bytes(checkpoint().content()[:300])

    with pytest.raises(ReadError, match=r"ckpt_1\.json:\d+:\d+"):
        store.update_metadata("ckpt_1", name="named")
    assert store.delete("ckpt_1")
    assert not store.delete("ckpt_1")
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

    assert codes(list(store.verify())) == [("AS004", old.name)]
    assert codes(list(store.verify(repair=True))) == [("AS004", old.name)]
    assert not old.exists()
    assert new.exists()
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
    header_at = folder_index.header_at

    def noted(path: Path) -> Header:
        read.append(path.name)
        return header_at(path)

    monkeypatch.setattr(folder_index, "header_at", noted)

    assert len(list(store.headers())) == len(list(store.headers())) == 2
    (tmp_path / "two.json").write_bytes(checkpoint("two", name="n").content())
    assert [header.name for header in store.headers(Filter(name="n"))] == ["n"]
    store.put(checkpoint("three"))
    assert len(list(store.headers())) == 3
    assert sorted(read) == ["one.json", "two.json", "two.json"]


def test_a_folder_that_has_vanished_is_not_made_again(tmp_path: Path) -> None:
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


def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(SettingsError, match=r"file is a file, not a folder: give another path"):
        FileStore(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot be used"):
        FileStore(tmp_path / "file" / "in").put(checkpoint())


# --- Nothing is ever half written: disks that are full, folders that refuse, file systems without links.


LONG = checkpoint("long", thoughts=[documents.thought(content="x" * 100_000)])


def failing(number: int) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    made = FileStore(tmp_path)
    made.put(checkpoint())
    return made


def assert_as_it_was(store: FileStore) -> None:
    assert {path.name for path in store.directory.iterdir()} <= {"ckpt_1.json", ".lock"}
    assert store.get("ckpt_1") == checkpoint()
    assert [header.id for header in store.headers()] == ["ckpt_1"]


@pytest.mark.parametrize("step", ["write", "fsync", "link"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_reported_and_leaves_everything_as_it_was(
    store: FileStore, step: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, step, failing(number))
        with pytest.raises(StoreFull, match="no room is left"):
            store.put(LONG)
        assert_as_it_was(store)
        if step != "link":
            with pytest.raises(StoreFull):
                store.update_metadata("ckpt_1", name="n")
            assert_as_it_was(store)

    assert store.put(LONG).created
    assert store.get("long") == LONG


def test_a_folder_that_cannot_be_flushed_keeps_no_file_that_might_vanish(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, calls = os.fsync, list[int]()

    def second_fails(handle: int) -> None:
        calls.append(handle)
        (failing(errno.EIO) if len(calls) == 2 else fsync)(handle)

    monkeypatch.setattr(os, "fsync", second_fails)
    with pytest.raises(StoreError, match="input/output error"):
        store.put(LONG)
    assert_as_it_was(store)


def test_a_folder_that_knows_no_flushing_is_no_reason_to_fail(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, calls = os.fsync, list[int]()

    def second_is_unknown(handle: int) -> None:
        calls.append(handle)
        (failing(errno.EINVAL) if len(calls) == 2 else fsync)(handle)

    monkeypatch.setattr(os, "fsync", second_is_unknown)
    assert store.put(LONG).created


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS])
def test_without_links_files_are_placed_one_at_a_time(
    store: FileStore, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", failing(number))

    assert store.put(LONG).created
    assert store.get("long") == LONG
    assert not FileStore(store.directory).put(LONG).created
    with pytest.raises(FileExistsError):
        folder.place(store.directory / "long.json", b"{}")
    with pytest.raises(CheckpointExists):
        store.put(LONG.but(name="other"))
    assert store.get("long") == LONG
    assert [path.name for path in store.directory.glob(".*.tmp")] == []


def test_a_folder_that_others_change_is_waited_for_and_then_reported(tmp_path: Path) -> None:
    with (
        folder.locked(tmp_path),
        pytest.raises(StoreBusyError, match="another process"),
        folder.locked(tmp_path, wait=0.1),
    ):
        pass
    with folder.locked(tmp_path, wait=0):
        pass


def test_a_folder_that_may_not_be_written_to_is_reported(store: FileStore) -> None:
    def refused() -> None:
        os.chdir(store.directory)  # whoever we are, we need not come by the folders above it
        if os.geteuid() == 0:
            os.seteuid(65534)
        here = FileStore(".")
        message = r"^\.: cannot be used: permission denied; ask for permission, or choose another folder$"
        with pytest.raises(StoreError, match=message):
            here.put(LONG)
        assert here.get("ckpt_1") == checkpoint()

    assert_as_it_was(store)  # loads what may be out of reach for somebody else
    store.directory.chmod(0o555)
    try:
        assert forked(refused) == 0
    finally:
        store.directory.chmod(0o755)
    assert_as_it_was(store)
