"""Files: `read_bytes` reads a file within limits, `replace_file` replaces a file atomically, both packed or not."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import stat
import sys
import tempfile
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, BinaryIO, Final, TypeVar, cast

from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits, too_large
from checkpoint_ld.errors import (
    ReadError,
    SettingsError,
    SourceMissingError,
    TargetExistsError,
    TargetUnwritableError,
    WriteError,
    WrongTypeError,
)
from checkpoint_ld.findings import Place
from checkpoint_ld.phrases import head, shown
from checkpoint_ld.rules import finding

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Kind = TypeVar("Kind")

PACKED: Final = ".gz"
"""The extension of a file that is packed with gzip (RFC 1952)."""

GZIP: Final = b"\x1f\x8b"
"""The first bytes of packed data."""

MEDIA_TYPES: Final = {
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
    ".ttl": "text/turtle",
    ".nt": "application/n-triples",
    ".nq": "application/n-quads",
    ".trig": "application/trig",
    ".rdf": "application/rdf+xml",
    ".rq": "application/sparql-query",
    ".ru": "application/sparql-update",
    ".srj": "application/sparql-results+json",
    ".srx": "application/sparql-results+xml",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".eval": "application/zip",
    PACKED: "application/gzip",
}
"""The media types of files by extension."""
FORM: Final = "application/x-www-form-urlencoded"
"""The media type of the fields of a form, which is that of no file."""
_CHUNK = 1 << 20
_LONGEST = 1000
"""The most characters of a path in a message: a text that was given in place of a path may be long."""

_NO_FLUSH = frozenset({errno.EACCES, errno.EPERM, errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EISDIR})
"""The errors of Windows and network drives when a folder is flushed."""
_READ_REMEDIES = {
    errno.ENOENT: "check the path",
    errno.EISDIR: "pass the file, not the folder that holds it",
    errno.EACCES: "ask for permission to read it",
    errno.EPERM: "ask for permission to read it",
    errno.ENAMETOOLONG: "check the path, and give the text of a document as bytes",
}
_WRITE_REMEDIES = {
    errno.ENOENT: "create the folder first",
    errno.ENOTDIR: "choose a path inside a folder",
    errno.EISDIR: "give the path of a file",
    errno.EACCES: "choose a folder that you may write to",
    errno.EPERM: "choose a folder that you may write to",
    errno.EROFS: "choose a folder that you may write to",
    errno.ENOSPC: "free some space, or choose another disk",
    errno.EDQUOT: "free some space, or choose another disk",
}


def read_bytes(
    source: str | os.PathLike[str] | BinaryIO | bytes, limits: Limits = DEFAULT_LIMITS
) -> tuple[bytes, str | None]:
    """Return the bytes of `source` and its name for messages.

    `source` is a path, a file that is open for reading bytes, or bytes, which have no name. At most one byte above
    `limits.size` is read. Raises SourceMissingError for a path that cannot be read, and ReadError (E-SIZE) for data
    that is too large.
    """
    if isinstance(source, bytes):
        if len(source) > limits.size:
            raise too_large(len(source), None, limits)
        return source, None
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        if ".db" in name and (text := _packed_text(name)) is not None:
            return text, name
        with reading(name), Path(name).open("rb") as file:
            expected = os.fstat(file.fileno()).st_size
            if expected > limits.size:
                raise too_large(expected, name, limits)
            return _read(file, name, limits, at_once=expected + 1), name
    if not hasattr(source, "read") or isinstance(cast("object", source), io.TextIOBase):
        raise WrongTypeError(f"{type(source).__name__} is no source: give a path, bytes or an open binary file")
    label = getattr(source, "name", None)
    label = label if isinstance(label, str) else None
    with reading(label or "the input"):
        return _read(source, label, limits), label


def _packed_text(name: str) -> bytes | None:
    """Return the text at a path such as `checkpoints/packed.db/ckpt_1.json`, None for any other path."""
    from checkpoint_ld.documents.packed import text_in  # noqa: PLC0415 - SQLite, which is seldom needed

    try:
        return text_in(Path(name))
    except (OSError, ValueError) as error:
        raise SourceMissingError(f"{name}: cannot be read: {error}; verify the folder") from error


def unpacked(data: bytes, name: str | None = None, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return the content of gzip-compressed data (RFC 1952), other data as it is.

    `name` is the file name for messages. Raises ReadError for data that is damaged, and for content above the limit.
    """
    if not data.startswith(GZIP):
        return data
    import gzip  # noqa: PLC0415 - few files are packed
    import zlib  # noqa: PLC0415 - as above

    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(limits.size + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(name, error) from error
    if len(content) > limits.size:
        raise too_large(None, name, limits)
    return content


def damaged(name: str | None, error: Exception) -> ReadError:
    """Return the error for gzip-compressed data that `error` prevents from being unpacked."""
    fault = finding("agent-gzip", f"the compressed data is damaged: {error}")
    return ReadError.of([replace(fault, place=Place(name, ""))])


def packed(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield bytes packed with gzip, without name and time, so that the output depends on the bytes only."""
    import gzip  # noqa: PLC0415 - few files are packed

    made = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=made, mtime=0) as packing:
        for part in parts:
            packing.write(part)
            yield made.getvalue()
            made.seek(0)
            made.truncate()
    yield made.getvalue()


def is_packed(path: str | os.PathLike[str]) -> bool:
    """Return whether the file at a path is packed, by its name."""
    return os.fspath(path).lower().endswith(PACKED)


def extension_of(path: str | os.PathLike[str]) -> str:
    """Return the extension of a path in lower case, without `.gz`; empty if it is a number or a version."""
    name = os.fspath(path)
    found = PurePath(name[: -len(PACKED)] if is_packed(name) else name).suffix.lower()
    return "" if found[1:].removeprefix("v").isdecimal() else found


def kind_of(path: str | os.PathLike[str], kinds: Mapping[str, Kind], otherwise: Kind) -> Kind:
    """Return the value in `kinds` of the extension of a path, `otherwise` for a path without extension.

    Raises WriteError for an extension that is not in `kinds`.
    """
    extension = extension_of(path)
    if extension and extension not in kinds:
        known = ", ".join(kinds)
        raise WriteError(f"{os.fspath(path)}: cannot be written with the extension {extension}: use one of {known}")
    return kinds.get(extension, otherwise)


def no_path(text: str, wanted: str) -> SettingsError:
    """Return the error for a text that no file system takes as the path of a `wanted`, a file or a folder."""
    return SettingsError(f"{shown(text)} is no path of a {wanted}: give another one")


def recorded(path: str) -> str:
    """Return the path of a file for a record in UTF-8. Raises ReadError for a path that is none."""
    try:
        path.encode()
    except UnicodeEncodeError:
        name = path.encode("utf-8", "backslashreplace").decode()
        remedy = "rename it" if sys.getfilesystemencoding() == "utf-8" else "set a UTF-8 locale, or rename it"
        raise ReadError(f"{name}: the name is no UTF-8, so nothing can be kept about the file: {remedy}") from None
    return path


def replace_file(
    path: str | os.PathLike[str], data: bytes | BinaryIO, *, overwrite: bool = True, pack: bool = False
) -> None:
    """Replace the content of the file at `path` by `data`, atomically; with `pack`, packed with gzip.

    `data` may be a file that is open for reading bytes, whose rest is copied part by part. An existing file keeps its
    permissions; a new file gets those that the umask leaves. The target of a symbolic link is replaced, not the link.
    If it fails, the old file is unchanged and no temporary file remains. Raises TargetExistsError if the file exists
    and `overwrite` is false, and TargetUnwritableError if it cannot be written.
    """
    name = os.fspath(path)
    try:
        if name.endswith((os.sep, "/")):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        target = Path(os.path.realpath(name))
        parts = (data,) if isinstance(data, bytes) else iter(lambda: data.read(_CHUNK), b"")
        old = _old_state(target, overwrite=overwrite)
        write_whole(target, packed(parts) if pack else parts, old, overwrite=overwrite)
        with contextlib.suppress(OSError):  # the file is in place, there is nothing to undo
            flush(target.parent)
    except FileExistsError:
        raise already_there(name) from None
    except (OSError, ValueError) as error:
        raise unwritable(name, error) from error


@contextlib.contextmanager
def temporary_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder beside `target`, to be moved to `target` when it is complete; otherwise it is removed."""
    # With the permissions that the umask leaves, because it may become `target`.
    with _held_folder(target.parent, ".checkpoint-ld-", 0o777) as made:
        yield made


@contextlib.contextmanager
def working_folder() -> Iterator[Path]:
    """Yield an empty folder for temporary files, which is removed at the end. Raises TargetUnwritableError."""
    parent = Path(tempfile.gettempdir())
    with contextlib.ExitStack() as stack:
        try:
            made = stack.enter_context(_held_folder(parent, "checkpoint-ld-", 0o700))
        except OSError as error:
            raise unwritable(str(parent), error) from error
        yield made


@contextlib.contextmanager
def _held_folder(parent: Path, prefix: str, mode: int) -> Iterator[Path]:
    """Yield a new folder that this process holds locked, after removing those of processes that were killed."""
    for left in parent.glob(f"{prefix}{'[0-9a-f]' * 16}"):
        with contextlib.suppress(OSError), _locked(left):
            shutil.rmtree(left, ignore_errors=True)
    with contextlib.ExitStack() as stack:
        while True:
            made = parent / f"{prefix}{os.urandom(8).hex()}"
            made.mkdir(mode)
            stack.callback(shutil.rmtree, made, ignore_errors=True)
            try:
                stack.enter_context(_locked(made))
            except BlockingIOError:  # another process takes it for one that was left
                continue
            except OSError:  # a file system without locks
                pass
            if made.exists():
                break
        yield made


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder of this user, as long as this process lives. Raises OSError if another process holds it."""
    if fcntl is None or folder.lstat().st_uid != os.getuid():
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(folder))
    handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def files_below(folder: str, endings: tuple[str, ...], *, most: int) -> list[Path]:
    """Return the files below a folder whose names have one of these endings, in order; pipes and devices are none.

    Raises SourceMissingError for a folder in it that cannot be read, and SettingsError for more than `most` entries, as
    below the root of a disk.
    """

    def refuse(error: OSError) -> None:
        raise SourceMissingError(unreadable(error)) from error

    found: list[str] = []
    seen = 0
    for place, folders, names in os.walk(folder, onerror=refuse):
        seen += len(folders) + len(names)
        if seen > most:
            raise SettingsError(f"{folder}: more than {most:,} files and folders are in it: name the folder inside")
        paths = [os.path.join(place, name) for name in names if name.endswith(endings)]  # noqa: PTH118 - of many
        found += filter(os.path.isfile, paths)
    return [*map(Path, sorted(found))]


def repository_of(folder: Path) -> Path:
    """Return the nearest folder with a repository of git, `folder` or one above it; `folder` if there is none."""
    folder = folder.absolute()
    return next((one for one in (folder, *folder.parents) if os.path.lexists(one / ".git")), folder)


def in_repository(name: str) -> str:
    """Return the path of a file from the root of the repository that the process runs in.

    A path out of it stays absolute. Programs that show findings beside code know files by these paths, wherever a
    command runs.
    """
    path = Path(os.path.normpath(Path(name).absolute()))
    root = repository_of(Path())
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def unreadable(error: OSError) -> str:
    """Return the message about a folder that cannot be read."""
    return _refusal(os.fspath(error.filename), "read", error, _READ_REMEDIES, "check the path")


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, unless they are there. Raises TargetUnwritableError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise TargetUnwritableError.of(
            _refusal(str(folder), "made", error, {}, "choose another folder"), error
        ) from error


def already_there(name: str) -> TargetExistsError:
    """Return the error for a file that exists and must not be overwritten."""
    remedy = "choose another path, or overwrite it with --force (in Python with overwrite=True)"
    return TargetExistsError(f"{name}: exists already; {remedy}")


def unwritable(name: str, error: Exception) -> TargetUnwritableError:
    """Return the error for a file that cannot be written because of `error`."""
    return TargetUnwritableError.of(_refusal(name, "written", error, _WRITE_REMEDIES, "choose another path"), error)


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn the errors of reading the file `name` into SourceMissingError."""
    try:
        yield
    except ReadError:
        raise
    except (OSError, ValueError) as error:  # ValueError: U+0000 in the path, or a file that is closed
        raise SourceMissingError(_refusal(name, "read", error, _READ_REMEDIES, "check the path")) from error


def _read(file: BinaryIO, name: str | None, limits: Limits, at_once: int = 0) -> bytes:
    chunks, size = [], 0
    while chunk := file.read(min(at_once or _CHUNK, limits.size + 1 - size)):
        chunks.append(chunk)
        size += len(chunk)
        if size > limits.size:
            raise too_large(None, name, limits)
    return b"".join(chunks)


def _refusal(name: str, done: str, error: Exception, remedies: dict[int, str], otherwise: str) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if "\0" in name or isinstance(error, UnicodeEncodeError):
        return f"{shown(name)}: cannot be {done}: it is no path of a file or folder; {otherwise}"
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    remedy = otherwise if number is None else remedies.get(number, otherwise)
    return f"{head(name, _LONGEST)}: cannot be {done}: {reason[:1].lower()}{reason[1:]}; {remedy}"


def _old_state(target: Path, *, overwrite: bool) -> os.stat_result | None:
    try:
        state = target.lstat()
    except FileNotFoundError:
        return None
    if not overwrite and stat.S_ISREG(state.st_mode):
        raise FileExistsError
    if stat.S_ISLNK(state.st_mode):  # links are resolved by now, except cycles
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if stat.S_ISDIR(state.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(state.st_mode):
        raise OSError(errno.EINVAL, "It is a device or a pipe, which cannot be replaced")
    if not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, "It is write-protected")
    return state


def write_whole(
    target: Path,
    parts: Iterable[bytes],
    old: os.stat_result | None,
    *,
    overwrite: bool,
    claim: Callable[[Path, Path], None] | None = None,
) -> None:
    """Replace the content of the file at `target` by `parts`, atomically; `old` is the state of an existing file.

    Without `overwrite`, `claim` renames the temporary file, and raises FileExistsError if `target` exists. `flush`
    makes the name durable. Raises OSError.
    """
    temporary = target.with_name(f".{os.urandom(8).hex()}.tmp")
    # The temporary file is never readable by more people than the old file.
    mode = 0o666 if old is None else stat.S_IMODE(old.st_mode)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        try:
            _fill(handle, parts, old)
        finally:
            os.close(handle)
        if overwrite:
            temporary.replace(target)
        else:
            (claim or _claim)(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def flush(folder: Path) -> None:
    """Make the names of the files in a folder durable, where the system supports it. Raises OSError."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        if error.errno in _NO_FLUSH:
            return
        raise
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_FLUSH:
            raise
    finally:
        os.close(handle)


def _fill(handle: int, parts: Iterable[bytes], old: os.stat_result | None) -> None:
    for part in parts:
        rest = memoryview(part)
        while rest:
            rest = rest[os.write(handle, rest) :]
    if old is not None and hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):  # only root may give a file to its former owner
            os.fchown(handle, old.st_uid, old.st_gid)
        os.fchmod(handle, stat.S_IMODE(old.st_mode))
    os.fsync(handle)


def _claim(temporary: Path, target: Path) -> None:
    try:
        target.hardlink_to(temporary)  # fails if the target exists by now
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links, which has no atomic way
        if target.exists():
            raise FileExistsError from None
        temporary.replace(target)
