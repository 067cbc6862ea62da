"""Nothing is ever half written: disks that are full, folders that refuse, file systems without links."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.errors import CheckpointExists, StoreBusyError, StoreError, StoreFull
from checkpoint_ld.stores import folder
from checkpoint_ld.stores.files import FileStore
from tests.agents import documents
from tests.stores.documents import checkpoint

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


def in_a_child(source: str, folder: Path, **options: Any) -> str:
    program = "import sys; from pathlib import Path; from checkpoint_ld.stores.files import FileStore\n"
    program += "from tests.stores.test_placing import LONG, checkpoint\n"
    program += "from checkpoint_ld.errors import *\nstore = FileStore(sys.argv[1])\n" + textwrap.dedent(source)
    done = subprocess.run(
        [sys.executable, "-c", program, folder], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stderr
    return str(done.stdout).strip()


@pytest.mark.slow
def test_a_limit_on_the_size_of_files_is_a_full_disk(store: FileStore) -> None:
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    source = """
        try:
            store.put(LONG)
        except StoreFull as error:
            print(error)
        store.put(checkpoint("small"))
    """
    assert "no room is left (file too large)" in in_a_child(source, store.directory, preexec_fn=limited)
    assert sorted(path.name for path in store.directory.iterdir()) == ["ckpt_1.json", "small.json"]


@pytest.mark.slow
def test_a_database_that_cannot_grow_is_full_and_goes_on_once_it_can(tmp_path: Path) -> None:
    source = """
        import resource, signal
        from checkpoint_ld.stores.database import DatabaseStore
        store = DatabaseStore(Path(sys.argv[1]) / "index.db")
        store.put(checkpoint())
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
        try:
            store.put(LONG)
        except StoreFull as error:
            print(error)
        print([header.id for header in store.headers()], list(store.verify()))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        print(store.put(LONG).created, store.get("long") == LONG)
    """
    result = in_a_child(source, tmp_path).splitlines()

    assert "index.db: no room is left for the database" in result[0]
    assert result[1:] == ["['ckpt_1'] []", "True True"]


@pytest.mark.slow
def test_a_folder_that_may_not_be_written_to_is_reported(store: FileStore) -> None:
    source = """
        import os
        store.get("ckpt_1")  # loads what may be out of reach for somebody else
        os.chdir(store.directory)  # whoever we are, we need not come by the folders above it
        if os.geteuid() == 0:
            os.seteuid(65534)
        store = FileStore(".")
        try:
            store.put(LONG)
        except StoreError as error:
            print(type(error).__name__, error)
        print(store.get("ckpt_1").id)
    """
    store.directory.chmod(0o555)
    try:
        result = in_a_child(source, store.directory)
    finally:
        store.directory.chmod(0o755)

    assert result == (
        "StoreError .: cannot be used: permission denied; ask for permission, or choose another folder\nckpt_1"
    )
    assert_as_it_was(store)
