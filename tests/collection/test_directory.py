"""The folder of a collection: opened by one writer or many readers, and distinguished from other folders."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pyoxigraph
import pytest

from checkpoint_ld.errors import CheckpointLdError, SettingsError, StoreBusyError, StoreError
from checkpoint_ld.stores.collection import Collection
from tests.collection.conftest import Write, checkpoint, iri

HOLD = """
import sys
from checkpoint_ld.stores.collection import Collection
with Collection.open(sys.argv[1], read_only=sys.argv[2] == "read"):
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def filled(write: Write, store: Path) -> Path:
    with Collection.open(store) as collection:
        collection.add(write("one.jsonld", checkpoint()))
    return store


class Holder:
    """Another process that has a collection open."""

    def __init__(self, store: Path, how: str) -> None:
        command = [sys.executable, "-c", HOLD, str(store), how]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "open\n"

    def __enter__(self) -> int:
        return self.process.pid

    def __exit__(self, *_: object) -> None:
        self.process.communicate("")


@pytest.mark.slow
def test_a_second_writer_learns_who_the_first_is_and_what_to_do(filled: Path) -> None:
    with Holder(filled, "write") as process:
        with pytest.raises(StoreBusyError, match=rf"another process \({process}\) is writing .*; wait until") as raised:
            Collection.open(filled)
        assert str(filled) in str(raised.value)
        with pytest.raises(StoreBusyError, match="is writing"):
            Collection.open(filled, read_only=True)
    with Collection.open(filled) as collection:
        assert list(collection) == [iri()]


@pytest.mark.slow
def test_readers_share_and_keep_writers_out(filled: Path) -> None:
    with Holder(filled, "read"):
        with Collection.open(filled, read_only=True) as collection:
            assert list(collection) == [iri()]
        with pytest.raises(StoreBusyError, match="another process is reading"):
            Collection.open(filled)


def test_one_process_is_no_exception(filled: Path) -> None:
    with Collection.open(filled), pytest.raises(StoreBusyError):
        Collection.open(filled)


@pytest.mark.slow
def test_a_killed_writer_locks_nobody_out(filled: Path) -> None:
    holder = Holder(filled, "write")
    holder.process.kill()
    holder.process.communicate()
    with Collection.open(filled) as collection:
        assert collection.verify() == ()


def test_one_may_wait_for_others(filled: Path) -> None:
    first = Collection.open(filled)
    closing = threading.Timer(0.3, first.close)
    closing.start()
    started = time.monotonic()
    with Collection.open(filled, wait=60) as collection:
        assert time.monotonic() - started < 30
        assert len(collection) == 1
    closing.join()


def test_a_program_that_knows_no_lock_of_ours_is_noticed(filled: Path) -> None:
    other = pyoxigraph.Store(filled / "store")
    with pytest.raises(StoreBusyError, match="another program"):
        Collection.open(filled)
    del other


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x", encoding="utf-8")
    for read_only in (True, False):
        with pytest.raises(StoreError):
            Collection.open(tmp_path, read_only=read_only)
    assert [one.name for one in tmp_path.iterdir()] == ["thesis.txt"]


def test_reading_makes_no_collection(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no collection is here"):
        Collection.open(tmp_path / "none", read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_collection_whose_making_was_interrupted_is_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "collection.json").write_text('{"format": 2}', encoding="utf-8")
    with Collection.open(tmp_path, read_only=True) as collection:
        assert list(collection) == []
        assert collection.query("SELECT * { GRAPH ?g { ?s ?p ?o } }").rows == ()
    with Collection.open(tmp_path) as collection:
        assert collection.verify() == ()


@pytest.mark.parametrize("text", ['{"format": 1}', "[]", "{"])
def test_another_format_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "collection.json").write_text(text, encoding="utf-8")
    for read_only in (True, False):
        with pytest.raises(StoreError, match="format 2"):
            Collection.open(tmp_path, read_only=read_only)


def test_a_damaged_store_is_reported_with_the_folder(filled: Path) -> None:
    (filled / "store" / "CURRENT").write_text("MANIFEST-999999\n", encoding="utf-8")
    for read_only in (True, False):
        with pytest.raises(StoreError, match=r"cannot be used.*add your checkpoints to a new one") as raised:
            Collection.open(filled, read_only=read_only)
        assert str(filled) in str(raised.value)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("CURRENT", None, r"damaged \((CURRENT|\d+\.log)\); add your checkpoints to a new one"),
        ("*.sst", b"", r"damaged \(\d+\.sst\); add your checkpoints to a new one"),
        ("MANIFEST-*", None, r"cannot be used: no such file or directory \(MANIFEST-\d+\); if its files are damaged"),
    ],
)
@pytest.mark.parametrize("read_only", [True, False])
def test_a_damaged_file_of_the_store_is_named(
    file: str, content: bytes | None, message: str, read_only: bool, filled: Path
) -> None:
    for one in (filled / "store").glob(file):
        one.unlink() if content is None else one.write_bytes(content)
    with pytest.raises(StoreError, match=message) as raised:
        Collection.open(filled, read_only=read_only)
    assert not {"IO error", "Corruption"} & set(str(raised.value).split(": "))


def test_what_was_opened_to_be_read_is_not_changed(filled: Path, write: Write) -> None:
    with Collection.open(filled, read_only=True) as collection:
        for change in (
            lambda: collection.add(write("two.jsonld", checkpoint(2))),
            lambda: collection.remove(iri()),
            lambda: collection.sync(filled.parent / "files", prune=True),
        ):
            with pytest.raises(CheckpointLdError, match="read only"):
                change()
        assert list(collection) == [iri()]


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match="cannot be used"):
        Collection.open(tmp_path / "file" / "store")


def test_a_collection_is_made_where_a_killed_process_began_to_make_one(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    folder.mkdir()
    (folder / ".0123456789abcdef.tmp").write_bytes(b"{")
    Collection.open(folder).close()
    assert (folder / "collection.json").is_file()


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800", "a" * 5000, "https://me:secret@example.org/"])
def test_a_text_that_is_no_path_is_refused(path: str, store: Path) -> None:
    with pytest.raises(SettingsError, match="is no path of a folder: give a"):
        Collection.open(path)
    with Collection.open(store) as collection:
        for work in (collection.sync, collection.export):
            with pytest.raises(SettingsError, match="is no path of a folder: give a"):
                work(path)
