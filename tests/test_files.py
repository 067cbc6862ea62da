"""Files: read whole within limits, replaced whole or not at all."""

import errno
import io
import json
import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from checkpoint_ld import writing
from checkpoint_ld.batch.discovery import discover, shows_a_checkpoint
from checkpoint_ld.dialects import reading
from checkpoint_ld.documents.files import read_bytes, replace_file
from checkpoint_ld.documents.values import Limits
from checkpoint_ld.errors import ReadError, SourceMissingError, TargetExistsError, WriteError, WrongTypeError
from checkpoint_ld.graph import contexts
from checkpoint_ld.validation import selection, validator
from tests.documents import canonical

SOURCE = Path(__file__).resolve().parents[1] / "src"
NO_SPACE = OSError(errno.ENOSPC, "No space left on device")
NO_LINKS = OSError(errno.EPERM, "Operation not permitted")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    target = folder / "metals.jsonld"
    target.write_bytes(b"old")
    return target


@pytest.fixture
def umask() -> Iterator[int]:
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


def contents(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def is_as_it_was(target: Path) -> bool:
    return contents(target.parent) == {"metals.jsonld": b"old"}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def failing(error: BaseException) -> Callable[..., int]:
    def fail(*_: object, **__: object) -> int:
        raise error

    return fail


class Counted(io.BytesIO):
    """An open file that counts what is taken from it."""

    taken = 0

    def read(self, size: int | None = -1) -> bytes:
        chunk = super().read(size)
        self.taken += len(chunk)
        return chunk


class TestReading:
    def test_paths_open_files_and_bytes_are_read_with_the_name_that_was_given(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(target.parent)
        for path in (target, str(target), "./metals.jsonld"):
            assert read_bytes(path) == (b"old", str(path))
        with target.open("rb") as file:
            assert read_bytes(file) == (b"old", str(target))
        with os.fdopen(os.open(target, os.O_RDONLY), "rb") as file:
            assert read_bytes(file) == (b"old", None), "a file known by number only has no name"
        assert read_bytes(io.BytesIO(b"{}")) == read_bytes(b"{}") == (b"{}", None)
        content = os.urandom(3_000_001)
        target.write_bytes(content)
        assert read_bytes(target)[0] == content

    def test_what_cannot_be_read_is_recognised_by_its_path(self, tmp_path: Path) -> None:
        closed = io.BytesIO(b"{}")
        closed.close()
        sources: list[tuple[Path | str | BinaryIO, str]] = [
            (tmp_path / "missing.json", r"missing\.json: cannot be read: no such file.*; check the path"),
            (tmp_path, "is a directory; pass the file"),
            ("a\0b", r'^"a\\u0000b": cannot be read: it is no path of a file or folder; check the path$'),
            ("a\ud800b", r'^"a\\ud800b": cannot be read: it is no path of a file or folder; check the path$'),
            ('{"@type": ' * 500, r"^[^…]{,999}… ?: cannot be read: file name too long; .*give the text .* as bytes$"),
            (closed, "the input: cannot be read"),
        ]
        for source, words in sources:
            with pytest.raises(SourceMissingError, match=words) as caught:
                read_bytes(source)
            assert isinstance(caught.value, FileNotFoundError)

    def test_a_file_that_is_open_for_text_is_no_source(self) -> None:
        with pytest.raises(WrongTypeError, match=r"StringIO is no source: .* an open binary file"):
            read_bytes(io.StringIO("{}"))  # type: ignore[arg-type]  # the fault

    def test_a_file_that_may_not_be_read_is_reported_so(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Path, "open", failing(PermissionError(errno.EACCES, "Permission denied")))
        with pytest.raises(SourceMissingError, match="permission denied; ask for permission"):
            read_bytes(target)

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
        assert (found.condition, found.place.file) == ("E-SIZE", str(target) if kind == "path" else None)
        assert "limit of 2 bytes" in found.message
        assert ("has 3 bytes" in found.message) is (kind != "file")

    def test_no_more_than_one_byte_above_the_limit_is_taken_even_of_an_endless_source(self) -> None:
        file = Counted(b"x" * 5_000_000)
        for source in (file, "/dev/zero"):
            with pytest.raises(ReadError) as caught:
                read_bytes(source, Limits(size=2_000_000))
            assert [one.condition for one in caught.value.findings] == ["E-SIZE"]
        assert file.taken == 2_000_001


class TestReplacing:
    @pytest.mark.parametrize("overwrite", [True, False])
    def test_a_new_file_is_written_to_exactly_this_path_as_the_umask_leaves_it(
        self, tmp_path: Path, umask: int, overwrite: bool
    ) -> None:
        path = tmp_path / "metals.v1"
        replace_file(path, b"new", overwrite=overwrite)
        assert contents(tmp_path) == {"metals.v1": b"new"}
        assert (mode(path), path.stat().st_nlink) == (0o666 & ~umask, 1)

    @pytest.mark.parametrize("size", [0, 1, 3_000_001])
    def test_an_old_file_is_replaced_whole(self, target: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(target.parent)
        content = os.urandom(size)
        for path in (target, str(target), "metals.jsonld"):
            for given in (content, io.BytesIO(content)):
                target.write_bytes(b"old")
                replace_file(path, given)
                assert contents(target.parent) == {"metals.jsonld": content}

    @pytest.mark.usefixtures("umask")
    @pytest.mark.parametrize("permissions", [0o600, 0o640, 0o666, 0o755])
    def test_an_old_file_keeps_its_permissions_which_others_have_at_no_time(
        self, target: Path, permissions: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen = []
        write = os.write

        def watch(handle: int, data: bytes) -> int:
            seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
            return write(handle, data)

        target.chmod(permissions)
        monkeypatch.setattr(os, "write", watch)
        replace_file(target, b"new")
        assert [one & ~permissions for one in seen] == [0]
        assert mode(target) == permissions

    def test_a_link_stays_a_link_and_its_file_is_replaced(self, target: Path, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to("checkpoints/metals.jsonld")
        replace_file(link, b"new")
        assert link.readlink() == Path("checkpoints/metals.jsonld")
        assert contents(target.parent) == {"metals.jsonld": b"new"}
        assert sorted(one.name for one in tmp_path.iterdir()) == ["checkpoints", "link"]

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

    @pytest.mark.parametrize("is_flushed", [True, False])
    def test_the_content_is_on_disk_before_it_takes_the_place_of_the_old(
        self, target: Path, monkeypatch: pytest.MonkeyPatch, is_flushed: bool
    ) -> None:
        done = []
        sync, replace = os.fsync, os.replace

        def watched_sync(handle: int) -> None:
            done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
            if done[-1] == "folder" and not is_flushed:
                raise OSError(errno.EINVAL, "Invalid argument")
            sync(handle)

        def watched_replace(old: str | Path, new: str | Path) -> None:
            done.append("replace")
            replace(old, new)

        monkeypatch.setattr(os, "fsync", watched_sync)
        monkeypatch.setattr(os, "replace", watched_replace)
        replace_file(target, b"new")
        assert done == ["file", "replace", "folder"]
        assert target.read_bytes() == b"new"


class TestNotOverwriting:
    def test_an_existing_file_stays_and_is_reported_before_anything_is_tried(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "open", failing(NO_SPACE))
        with pytest.raises(TargetExistsError, match=r"metals\.jsonld: exists already") as caught:
            replace_file(target, b"new", overwrite=False)
        monkeypatch.undo()
        assert isinstance(caught.value, FileExistsError)
        assert is_as_it_was(target)

    @pytest.mark.parametrize("has_links", [True, False])
    def test_a_file_that_comes_into_being_meanwhile_stays(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
    ) -> None:
        target = tmp_path / "new"
        sync = os.fsync

        def rival(handle: int) -> None:
            sync(handle)
            target.write_bytes(b"theirs")

        monkeypatch.setattr(os, "fsync", rival)
        if not has_links:
            monkeypatch.setattr(os, "link", failing(NO_LINKS))
        with pytest.raises(TargetExistsError):
            replace_file(target, b"ours", overwrite=False)
        assert contents(tmp_path) == {"new": b"theirs"}

    def test_a_file_system_without_hard_links_is_written_to(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "link", failing(NO_LINKS))
        replace_file(tmp_path / "new", b"new", overwrite=False)
        assert contents(tmp_path) == {"new": b"new"}


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
            raise NO_SPACE

        stand_in = closed_but_failing if call == "close" else failing(NO_SPACE)
        monkeypatch.setattr(os, call, stand_in)
        if call == "link":
            monkeypatch.setattr(os, "replace", stand_in)
        with pytest.raises(WriteError) as caught:
            replace_file(path, b"new", overwrite=overwrite)
        monkeypatch.undo()
        assert str(caught.value).startswith(f"{path}: cannot be written: no space left on device; free some space")
        assert isinstance(caught.value.__cause__, OSError)
        assert is_as_it_was(target)

    def test_a_write_that_fails_half_way_leaves_everything_as_it_was(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write = os.write
        calls: list[int] = []

        def half(handle: int, data: bytes) -> int:
            calls.append(handle)
            if len(calls) > 1:
                raise NO_SPACE
            return write(handle, data[: len(data) // 2])

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(WriteError):
            replace_file(target, b"new content")
        assert len(calls) == 2
        assert is_as_it_was(target)

    @pytest.mark.parametrize("call", ["write", "fsync", "replace"])
    def test_an_interruption_goes_on_and_leaves_everything_as_it_was(
        self, target: Path, monkeypatch: pytest.MonkeyPatch, call: str
    ) -> None:
        monkeypatch.setattr(os, call, failing(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            replace_file(target, b"new")
        assert is_as_it_was(target)

    @pytest.mark.parametrize(
        ("path", "words"),
        [
            ("missing/new", "no such file or directory; create the folder first"),
            ("metals.jsonld/new", "not a directory; choose a path inside a folder"),
            (".", "is a directory; give the path of a file"),
            ("new/", "is a directory; give the path of a file"),
            ("x" * 300, "file name too long; choose another path"),
            ("a\0b", '": cannot be written: it is no path of a file or folder; choose another path$'),
            ("pipe", "device or a pipe"),
        ],
    )
    def test_a_path_that_cannot_hold_a_file_is_reported_with_a_remedy(
        self, target: Path, path: str, words: str
    ) -> None:
        pipe = target.with_name("pipe")
        os.mkfifo(pipe)
        with pytest.raises(WriteError, match=words):
            replace_file(f"{target.parent}/{path}", b"new")
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        pipe.unlink()
        assert is_as_it_was(target)

    def test_a_write_protected_file_stays(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        target.chmod(0o444)
        # Root may write everything, so that the answer of the system is played here.
        monkeypatch.setattr(os, "access", lambda path, wanted: not wanted & os.W_OK or mode(Path(path)) & 0o200 != 0)
        with pytest.raises(WriteError, match="write-protected; choose"):
            replace_file(target, b"new")
        assert is_as_it_was(target)


def run(script: str, target: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", script, str(target)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


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
    assert is_as_it_was(target)


# --- Discovery: which files are meant by paths, folders and patterns.


CHECKPOINT = json.dumps(canonical())
V2 = json.dumps({"version": "2.0", "global_rubric": None, "checkpoint": {}})
PACKAGE = json.dumps({"name": "p", "version": "2.0", "scripts": {}})
SHAPES = "@prefix schema: <https://schema.org/> . <urn:s> a <urn:Shape> ; <urn:targetClass> schema:DataFeed ."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "b.jsonld": CHECKPOINT,
        "a.json": CHECKPOINT,
        "package.json": PACKAGE,
        "notes.txt": CHECKPOINT,
        "shapes.ttl": SHAPES,
        "deep/er/c.JSONLD": CHECKPOINT,
        "deep/v2.json": V2,
        "deep/er/metals.ttl": "@prefix s: <https://schema.org/> . <urn:x> a s:DataFeed .",
        "deep/context.jsonld": json.dumps({"@context": contexts.plain()}),
        ".hidden/d.jsonld": CHECKPOINT,
        ".e.jsonld": CHECKPOINT,
        "node_modules/f.jsonld": CHECKPOINT,
        ".venv/g.jsonld": CHECKPOINT,
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


ALL = ("a.json", "b.jsonld", "deep/er/c.JSONLD", "deep/er/metals.ttl", "deep/v2.json")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("paths", "files"),
    [
        (["."], ALL),
        (["deep"], ALL[2:]),
        (["deep/", "./deep"], ALL[2:]),
        (["b.jsonld", "a.json", "b.jsonld", "./b.jsonld"], ("a.json", "b.jsonld")),
        ([".", "a.json"], ALL),
        (["package.json"], ("package.json",)),
        (["missing.jsonld"], ("missing.jsonld",)),
        (["x" * 5000], ("x" * 5000,)),
        ([".e.jsonld", ".hidden"], (".e.jsonld", ".hidden/d.jsonld")),
        (["*.json"], ("a.json", "package.json")),
        (["?.json*"], ("a.json", "b.jsonld")),
        (["[ab].json*"], ("a.json", "b.jsonld")),
        (["**/*.json"], ("a.json", "deep/v2.json", "package.json")),
        (["deep/**/*"], ("deep/context.jsonld", "deep/er/c.JSONLD", "deep/er/metals.ttl", "deep/v2.json")),
        (["d*"], ALL[2:]),
        (["-"], ("-",)),
        (["a.json", "-", "-"], ("-", "a.json")),
    ],
)
def test_paths_folders_and_patterns(paths: list[str], files: tuple[str, ...]) -> None:
    found = discover(paths)
    assert found.files == files
    assert found.unmatched == ()


def test_absolute_paths_stay_absolute(folder: Path) -> None:
    for path in (folder, folder / "*.jsonld", folder / "**" / "b.jsonld"):
        assert str(folder / "b.jsonld") in discover([str(path)]).files


@pytest.mark.usefixtures("folder")
def test_what_is_no_checkpoint_is_counted_and_not_when_it_is_named() -> None:
    assert discover(["."]).passed_over == 3
    assert discover([".", "deep"]).passed_over == 3
    assert discover([".", "package.json"]).passed_over == 2
    assert discover(["a.json"]).passed_over == 0


@pytest.mark.usefixtures("folder")
def test_patterns_without_a_match_are_reported() -> None:
    found = discover(["x*.json", "a.json", "**/*.nt"])
    assert (found.files, found.unmatched) == (("a.json",), ("x*.json", "**/*.nt"))


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder: Path) -> None:
    (folder / "x[1].json").write_text(CHECKPOINT)
    assert discover(["x[1].json"]).files == ("x[1].json",)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("exclude", "left_out"),
    [
        (["deep"], ALL[2:]),
        (["deep/er"], ALL[2:4]),
        (["*.ttl"], ALL[3:4]),
        (["**/v2.json", "/nowhere"], ALL[4:]),
        (["er/*"], ()),
        (["deep/**/*.ttl"], ALL[3:4]),
    ],
)
def test_exclusions_hold_in_folders_and_for_patterns_but_not_for_names(
    exclude: list[str], left_out: tuple[str, ...]
) -> None:
    kept = tuple(one for one in ALL if one not in left_out)
    assert discover(["."], exclude).files == kept
    assert set(discover(["**/*", "*"], exclude).files).isdisjoint(left_out)
    assert discover(ALL, exclude).files == ALL


def test_exclusions_are_relative_to_where_they_are_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "deep")
    assert discover(["."], ["deep/er"], root=folder).files == ("v2.json",)


def test_links_that_lead_round_and_round_are_harmless(folder: Path) -> None:
    for name in ("loop", "round"):  # two of them: whoever followed both would never come to an end
        (folder / "deep" / name).symlink_to(folder, target_is_directory=True)
    (folder / "deep" / "self").symlink_to("self")
    (folder / "again.json").symlink_to("a.json")
    (folder / "gone.json").symlink_to("nowhere.json")
    for paths in (["."], ["**/*.json*", "deep"]):
        files = discover(paths).files
        assert len({os.path.realpath(file) for file in files}) == len(files)
        assert {"a.json", "again.json"} & set(files) == {"a.json"}
        assert "gone.json" in files


@pytest.mark.parametrize("syntax", writing.SYNTAXES)
def test_a_checkpoint_shows_in_every_syntax(tmp_path: Path, syntax: str) -> None:
    graph = validator.read(CHECKPOINT.encode()).graph
    (tmp_path / "checkpoint").write_bytes(writing.write(graph, syntax=syntax).data)
    assert shows_a_checkpoint(tmp_path / "checkpoint")


@pytest.mark.slow
def test_a_checkpoint_shows_in_every_dialect(corpus: Path) -> None:
    for file in sorted(corpus.rglob("*.json*")):
        try:
            read = reading.examine(file)
        except ReadError:
            continue
        # A Dataset of which nothing is known could be about anything.
        assert shows_a_checkpoint(file) or not read.tree.get("dataFeedElement"), (file.name, read.dialect)


@pytest.mark.parametrize("cut", [200, 2000])
def test_a_broken_checkpoint_is_one_all_the_same(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "broken.json"
    whole = json.dumps({"@type": "DataFeed", **canonical()})
    file.write_text(whole[:cut], encoding="utf-8")
    assert shows_a_checkpoint(file)
    file.write_bytes(whole.encode("utf-16"))
    assert shows_a_checkpoint(file)
    file.write_text(whole.replace('"DataFeed"', '"DataFede"'))
    assert shows_a_checkpoint(file)


def test_what_is_called_jsonld_but_is_not_even_json_is_examined(tmp_path: Path) -> None:
    for name, shown in (("empty.jsonld", True), ("empty.json", False)):
        (tmp_path / name).write_bytes(b"")
        assert shows_a_checkpoint(tmp_path / name) is shown


def test_binary_files_are_no_checkpoints(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", CHECKPOINT)
    (tmp_path / "a.json").write_bytes(packed.getvalue())
    assert not shows_a_checkpoint(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.json", "a/b/c.json", True),
        ("/*.json", "a.json", False),
        ("a/*.json", "a/c.json", True),
        ("a/*.json", "a/b/c.json", False),
        ("a/**/c.json", "a/c.json", True),
        ("a/**/c.json", "a/b/b/c.json", True),
        ("a/**", "a/b/c.json", True),
        ("a", "b/a/c.json", True),
        ("a/", "a/c.json", True),
        ("./a/c.json", "a/c.json", True),
        ("b/c.json", "a/b/c.json", False),
        ("c.json", "c_json", False),
        ("[a-c].json", "b.json", True),
        ("[!a-c].json", "b.json", False),
        ("[]].json", "].json", True),
        ("[.json", "[.json", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("../*.json", "../a.json", True),
    ],
)
def test_globs(pattern: str, path: str, expected: bool) -> None:
    assert selection.matches(pattern, path) is expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_a_folder_is_passed_over_and_not_read(folder: Path) -> None:
    os.mkfifo(folder / "pipe.jsonld")
    known = discover(["."])
    (folder / "pipe.jsonld").unlink()

    assert known.files == discover(["."]).files
    assert known.passed_over == discover(["."]).passed_over + 1
