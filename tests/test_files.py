"""Files: read whole within limits, replaced whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pytest

from checkpoint_ld.documents.files import read_bytes, replace_file
from checkpoint_ld.documents.values import Limits
from checkpoint_ld.errors import ReadError, SourceMissingError, TargetExistsError, WriteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCE = Path(__file__).resolve().parents[1] / "src"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    target = folder / "metals.jsonld"
    target.write_bytes(b"old")
    return target


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask() -> Iterator[int]:
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


class Counted(io.BytesIO):
    """An open file that counts what is taken from it."""

    taken = 0

    def read(self, size: int | None = -1) -> bytes:
        chunk = super().read(size)
        self.taken += len(chunk)
        return chunk


class TestReading:
    def test_a_path_gives_its_bytes_and_its_name(self, target: Path) -> None:
        assert read_bytes(target) == (b"old", str(target))
        assert read_bytes(str(target)) == (b"old", str(target))

    def test_a_relative_path_is_named_as_it_was_given(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(target.parent)
        assert read_bytes("./metals.jsonld") == (b"old", "./metals.jsonld")

    def test_open_files_and_bytes_are_read_too(self, target: Path) -> None:
        with target.open("rb") as file:
            assert read_bytes(file) == (b"old", str(target))
        assert read_bytes(io.BytesIO(b"{}")) == (b"{}", None)
        assert read_bytes(b"{}") == (b"{}", None)

    def test_a_file_known_by_number_only_has_no_name(self, target: Path) -> None:
        with os.fdopen(os.open(target, os.O_RDONLY), "rb") as file:
            assert read_bytes(file) == (b"old", None)

    def test_a_large_file_is_read_whole(self, tmp_path: Path) -> None:
        content = os.urandom(3_000_001)
        (tmp_path / "large").write_bytes(content)
        assert read_bytes(tmp_path / "large")[0] == content

    def test_a_missing_file_is_told_by_its_path(self, tmp_path: Path) -> None:
        with pytest.raises(SourceMissingError, match=r"missing\.json: cannot be read: no such file.*; check the path"):
            read_bytes(tmp_path / "missing.json")
        with pytest.raises(FileNotFoundError):
            read_bytes(tmp_path / "missing.json")

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(SourceMissingError, match="is a directory; pass the file"):
            read_bytes(tmp_path)

    def test_a_file_that_may_not_be_read_is_told_so(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def denied(*_: object, **__: object) -> BinaryIO:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(Path, "open", denied)
        with pytest.raises(SourceMissingError, match="permission denied; ask for permission"):
            read_bytes(target)

    def test_a_path_that_cannot_exist_and_a_closed_file_are_told_so(self, tmp_path: Path) -> None:
        with pytest.raises(SourceMissingError, match="null byte"):
            read_bytes(f"{tmp_path}/a\0b")
        file = io.BytesIO(b"{}")
        file.close()
        with pytest.raises(SourceMissingError, match="the input: cannot be read"):
            read_bytes(file)

    @pytest.mark.parametrize("kind", ["path", "file", "bytes"])
    def test_what_is_too_large_is_refused(self, target: Path, kind: str) -> None:
        sources: dict[str, Path | BinaryIO | bytes] = {"path": target, "file": io.BytesIO(b"old"), "bytes": b"old"}
        source = sources[kind]
        assert read_bytes(source, Limits(size=3))[0] == b"old"
        if isinstance(source, io.BytesIO):
            source.seek(0)
        with pytest.raises(ReadError) as caught:
            read_bytes(source, Limits(size=2))
        (found,) = caught.value.findings
        assert found.condition == "E-SIZE"
        assert "limit of 2 bytes" in found.message
        assert ("has 3 bytes" in found.message) is (kind != "file")
        assert found.place.file == (str(target) if kind == "path" else None)

    def test_no_more_than_one_byte_above_the_limit_is_taken(self) -> None:
        file = Counted(b"x" * 5_000_000)
        with pytest.raises(ReadError):
            read_bytes(file, Limits(size=2_000_000))
        assert file.taken == 2_000_001

    def test_an_endless_source_ends_at_the_limit(self) -> None:
        with pytest.raises(ReadError) as caught:
            read_bytes("/dev/zero", Limits(size=1000))
        assert caught.value.findings[0].condition == "E-SIZE"


class TestReplacing:
    def test_a_new_file_is_written_to_exactly_this_path(self, tmp_path: Path) -> None:
        replace_file(tmp_path / "metals.v1", b"new")
        assert names(tmp_path) == ["metals.v1"]
        assert (tmp_path / "metals.v1").read_bytes() == b"new"

    @pytest.mark.parametrize("size", [0, 1, 3_000_001])
    def test_an_old_file_is_replaced_whole(self, target: Path, size: int) -> None:
        content = os.urandom(size)
        replace_file(str(target), content)
        assert target.read_bytes() == content
        assert names(target.parent) == ["metals.jsonld"]

    def test_a_relative_path_is_that_of_the_current_folder(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(target.parent)
        replace_file("metals.jsonld", b"new")
        assert target.read_bytes() == b"new"

    def test_a_new_file_gets_what_the_umask_leaves(self, tmp_path: Path, umask: int) -> None:
        replace_file(tmp_path / "new", b"")
        assert mode(tmp_path / "new") == 0o666 & ~umask

    @pytest.mark.usefixtures("umask")
    @pytest.mark.parametrize("permissions", [0o600, 0o640, 0o666, 0o755])
    def test_an_old_file_keeps_its_permissions(self, target: Path, permissions: int) -> None:
        target.chmod(permissions)
        replace_file(target, b"new")
        assert mode(target) == permissions

    def test_the_content_of_a_private_file_is_never_readable_by_others(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen = []
        write = os.write

        def watch(handle: int, data: bytes) -> int:
            seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
            return write(handle, data)

        target.chmod(0o600)
        monkeypatch.setattr(os, "write", watch)
        replace_file(target, b"new")
        assert seen == [0o600]

    def test_a_link_stays_a_link_and_its_file_is_replaced(self, target: Path, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to("checkpoints/metals.jsonld")
        replace_file(link, b"new")
        assert link.readlink() == Path("checkpoints/metals.jsonld")
        assert target.read_bytes() == b"new"
        assert names(tmp_path) == ["checkpoints", "link"]

    def test_a_link_to_nothing_is_filled(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("later")
        replace_file(tmp_path / "link", b"new", overwrite=False)
        assert (tmp_path / "later").read_bytes() == b"new"
        assert (tmp_path / "link").is_symlink()

    def test_a_link_to_itself_is_refused_and_stays(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("link")
        with pytest.raises(WriteError, match="link: cannot be written: too many levels of symbolic links"):
            replace_file(tmp_path / "link", b"new")
        assert (tmp_path / "link").is_symlink()

    def test_a_write_in_several_pieces_is_complete(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write = os.write
        monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:2]))
        replace_file(target, b"1234567")
        assert target.read_bytes() == b"1234567"

    def test_the_content_is_on_disk_before_it_takes_the_place_of_the_old(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done = []
        sync, replace = os.fsync, os.replace

        def watched_sync(handle: int) -> None:
            done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
            sync(handle)

        def watched_replace(old: str | Path, new: str | Path) -> None:
            done.append("replace")
            replace(old, new)

        monkeypatch.setattr(os, "fsync", watched_sync)
        monkeypatch.setattr(os, "replace", watched_replace)
        replace_file(target, b"new")
        assert done == ["file", "replace", "folder"]

    def test_a_folder_that_cannot_be_flushed_does_no_harm(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        sync = os.fsync

        def fails_on_folders(handle: int) -> None:
            if stat.S_ISDIR(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, "Invalid argument")
            sync(handle)

        monkeypatch.setattr(os, "fsync", fails_on_folders)
        replace_file(target, b"new")
        assert target.read_bytes() == b"new"


class TestNotOverwriting:
    def test_an_existing_file_stays(self, target: Path) -> None:
        with pytest.raises(TargetExistsError, match=r"metals\.jsonld: exists already") as caught:
            replace_file(target, b"new", overwrite=False)
        assert isinstance(caught.value, FileExistsError)
        assert target.read_bytes() == b"old"
        assert names(target.parent) == ["metals.jsonld"]

    def test_an_existing_file_is_told_before_anything_is_tried(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "open", failing(OSError(errno.ENOSPC, "No space left on device")))
        with pytest.raises(TargetExistsError):
            replace_file(target, b"new", overwrite=False)

    def test_a_new_file_is_written(self, tmp_path: Path) -> None:
        replace_file(tmp_path / "new", b"new", overwrite=False)
        assert (tmp_path / "new").read_bytes() == b"new"
        assert (tmp_path / "new").stat().st_nlink == 1
        assert names(tmp_path) == ["new"]

    @pytest.mark.parametrize("links", [True, False])
    def test_a_file_that_comes_into_being_meanwhile_stays(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
    ) -> None:
        target = tmp_path / "new"
        sync = os.fsync

        def rival(handle: int) -> None:
            sync(handle)
            target.write_bytes(b"theirs")

        monkeypatch.setattr(os, "fsync", rival)
        if not links:
            monkeypatch.setattr(os, "link", failing(OSError(errno.EPERM, "Operation not permitted")))
        with pytest.raises(TargetExistsError):
            replace_file(target, b"ours", overwrite=False)
        assert target.read_bytes() == b"theirs"
        assert names(tmp_path) == ["new"]

    def test_a_file_system_without_hard_links_is_written_to(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "link", failing(OSError(errno.EPERM, "Operation not permitted")))
        replace_file(tmp_path / "new", b"new", overwrite=False)
        assert (tmp_path / "new").read_bytes() == b"new"
        assert names(tmp_path) == ["new"]


def failing(error: BaseException) -> Callable[..., int]:
    def fail(*_: object, **__: object) -> int:
        raise error

    return fail


class TestFailure:
    """Whatever fails: the old file is as it was, nothing is left beside it, and the error says what to do."""

    @pytest.mark.parametrize(
        ("call", "overwrite"),
        [
            *((call, True) for call in ("open", "write", "fchmod", "fsync", "close", "replace")),
            *((call, False) for call in ("open", "write", "fsync", "close", "link")),
        ],
    )
    def test_a_failing_call_leaves_everything_as_it_was(
        self, target: Path, monkeypatch: pytest.MonkeyPatch, call: str, overwrite: bool
    ) -> None:
        path = target if overwrite else target.with_name("new")
        close = os.close

        def closed_but_failing(handle: int) -> None:
            close(handle)
            raise OSError(errno.ENOSPC, "No space left on device")

        stand_in = closed_but_failing if call == "close" else failing(OSError(errno.ENOSPC, "No space left on device"))
        monkeypatch.setattr(os, call, stand_in)
        if call == "link":
            monkeypatch.setattr(os, "replace", stand_in)
        with pytest.raises(WriteError) as caught:
            replace_file(path, b"new", overwrite=overwrite)
        monkeypatch.undo()
        assert str(caught.value).startswith(f"{path}: cannot be written: no space left on device; free some space")
        assert isinstance(caught.value.__cause__, OSError)
        assert target.read_bytes() == b"old"
        assert names(target.parent) == ["metals.jsonld"]

    def test_a_write_that_fails_half_way_leaves_everything_as_it_was(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write = os.write
        calls: list[int] = []

        def half(handle: int, data: bytes) -> int:
            calls.append(handle)
            if len(calls) > 1:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(handle, data[: len(data) // 2])

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(WriteError):
            replace_file(target, b"new content")
        assert len(calls) == 2
        assert target.read_bytes() == b"old"
        assert names(target.parent) == ["metals.jsonld"]

    @pytest.mark.parametrize("call", ["write", "fsync", "replace"])
    def test_an_interruption_goes_on_and_leaves_everything_as_it_was(
        self, target: Path, monkeypatch: pytest.MonkeyPatch, call: str
    ) -> None:
        monkeypatch.setattr(os, call, failing(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            replace_file(target, b"new")
        assert target.read_bytes() == b"old"
        assert names(target.parent) == ["metals.jsonld"]

    @pytest.mark.parametrize(
        ("path", "words"),
        [
            ("missing/new", "no such file or directory; create the folder first"),
            ("metals.jsonld/new", "not a directory; choose a path inside a folder"),
            (".", "is a directory; give the path of a file"),
            ("x" * 300, "file name too long; choose another path"),
            ("a\0b", "null (byte|character in path); choose another path"),
            ("pipe", "device or a pipe"),
        ],
    )
    def test_a_path_that_cannot_hold_a_file_is_told_with_a_remedy(self, target: Path, path: str, words: str) -> None:
        os.mkfifo(target.with_name("pipe"))
        with pytest.raises(WriteError, match=words):
            replace_file(f"{target.parent}/{path}", b"new")
        assert names(target.parent) == ["metals.jsonld", "pipe"]
        assert stat.S_ISFIFO(target.with_name("pipe").stat().st_mode)

    def test_a_write_protected_file_stays(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        target.chmod(0o444)
        # Root may write everything, so that the answer of the system is played here.
        monkeypatch.setattr(os, "access", lambda path, wanted: not wanted & os.W_OK or mode(Path(path)) & 0o200 != 0)
        with pytest.raises(WriteError, match="write-protected; choose"):
            replace_file(target, b"new")
        assert target.read_bytes() == b"old"


def run(script: str, target: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, str(target)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


KILLED = """
import os, signal, sys
from checkpoint_ld.documents.files import replace_file

write, {call} = os.write, os.{call}

def kill(*arguments):
    if "{call}" == "write":
        write(arguments[0], arguments[1][:500_000])
    os.kill(os.getpid(), signal.SIGKILL)

os.{call} = kill
replace_file(sys.argv[1], b"new" * 1_000_000)
"""


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_process_killed_while_writing_leaves_the_old_file(target: Path, call: str) -> None:
    done = run(KILLED.format(call=call), target)
    assert done.returncode == -9, done.stderr
    assert target.read_bytes() == b"old"


FULL = """
import resource, signal, sys
from checkpoint_ld.errors import WriteError
from checkpoint_ld.documents.files import replace_file

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    replace_file(sys.argv[1], b"new" * 1_000_000)
except WriteError as error:
    print(error)
"""


def test_a_file_that_really_does_not_fit_leaves_the_old_one(target: Path) -> None:
    done = run(FULL, target)
    assert "metals.jsonld: cannot be written: file too large" in done.stdout, done.stderr
    assert target.read_bytes() == b"old"
    assert names(target.parent) == ["metals.jsonld"]


def test_a_file_is_copied_part_by_part(tmp_path: Path) -> None:
    content = bytes(range(256)) * 10_000
    path = tmp_path / "results"
    replace_file(path, io.BytesIO(content))
    assert path.read_bytes() == content
