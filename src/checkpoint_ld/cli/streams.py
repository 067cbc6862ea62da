"""The input and output of commands: files, or `-` for the standard streams, and messages on standard error."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from checkpoint_ld.errors import ReadError, SettingsError, WriteError
from checkpoint_ld.phrases import harmless_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from rich.console import Console
    from rich.segment import Segment

    from checkpoint_ld.batch.discovery import Discovery
    from checkpoint_ld.dialects.reading import Reading
    from checkpoint_ld.families import Checkpoint
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.graph.store import StatementGraph

STANDARD = "-"
UNREADABLE = "checkpoint_ld.unreadable"
"""The key in click's context that says that a folder could not be read."""
MOST_FINDINGS = 10
FOR_PEOPLE = frozenset(("text", "table", "markdown", "github"))
"""Formats for people; the others are for programs, and are UTF-8 on every terminal."""


@dataclass(frozen=True)
class Output:
    """The file that a command writes, `-` for standard output; with `force` it may exist already."""

    file: str
    force: bool = False

    @property
    def is_standard(self) -> bool:
        """Whether it is standard output."""
        return self.file == STANDARD

    def check(self, *inputs: str | None) -> None:
        """Refuse it before work begins, as `check_outputs` does."""
        check_outputs(inputs, self.file, force=self.force)

    def write(self, data: bytes) -> None:
        """Write `data`, all of it or nothing."""
        write(self.file, data, force=self.force)

    def write_report(self, text: str, kind: str = "text", *, is_styled: bool = False) -> None:
        """Write a text of a kind. On standard output, control characters are replaced in kinds `FOR_PEOPLE`.

        A text that `is_styled` has only escape sequences of this program, and none of a document.
        """
        if self.is_standard and kind in FOR_PEOPLE:
            sys.stdout.write(text if is_styled else _harmless(text))
            sys.stdout.flush()
        else:
            self.write(text.encode())


def read(file: str, *, syntax: str | None, strict: bool = False, checked: bool = False) -> Checkpoint:
    """Read the checkpoint in `file`, of any family; if `checked`, with the findings of the rules at load."""
    from checkpoint_ld import families

    return families.read(source_of(file), syntax=syntax, strict=strict, checked=checked)


def graphs(
    files: Iterable[str], failed: Callable[[str], None], *, syntax: str | None = None
) -> Iterator[tuple[str, Checkpoint, StatementGraph]]:
    """Yield each file with its source and its graph; `failed` is called with the reason why one cannot be read."""
    from checkpoint_ld import families
    from checkpoint_ld.documents.files import read_bytes

    for file in files:
        try:
            data, name = read_bytes(source_of(file))
            sources = families.examine_each(data, name, syntax=syntax)
        except ReadError as error:
            failed(str(error))
            continue
        for source in sources.values():
            try:
                if isinstance(source, ReadError):
                    raise source
                graph = families.graph_of(families.refusing(source))
            except ReadError as error:
                failed(str(error))
            else:
                yield file, source, graph


def read_benchmark(file: str, *, syntax: str | None, strict: bool = False) -> Reading:
    """Read the benchmark in `file`; if `strict`, refuse one with findings."""
    from checkpoint_ld.validation import validator

    return validator.read(source_of(file), syntax=syntax, strict=strict)


def is_file(name: str | Path) -> bool:
    """Return whether there is a file of that name, which may be any text, such as an id that is too long for a path."""
    return os.path.isfile(name)  # noqa: PTH113 - Path raises OSError for such a text


def is_collection(paths: Sequence[str]) -> bool:
    """Return whether there is one path, that of a collection. Raises SettingsError for a collection among others."""
    collections = [path for path in paths if is_file(Path(path) / "collection.json")]
    if collections and len(paths) > 1:
        raise SettingsError(f"{collections[0]} is a collection: name it alone, or the files that are in it")
    return bool(collections)


def discovered(
    paths: Sequence[str], doing: str, *, quiet: bool = True, by: Path | None = None, **search: Any
) -> Discovery:
    """Return the files of paths; report patterns without a file and, unless `quiet`, the number of other files.

    `search` has arguments of `discover`, whose exclusions are those of the file `by`. Raises SettingsError if there is
    no file for the action `doing`, unless all are excluded by force.
    """
    from checkpoint_ld.batch.discovery import discover  # too slow an import for --help

    sources = discover(paths, **search)
    note_unreadable(sources.unreadable.values())
    if sources.passed_over and not quiet:
        count = "1 file in a folder is" if sources.passed_over == 1 else f"{sources.passed_over} files in folders are"
        note(f"{count} no checkpoint and passed over")
    if not sources.files and sources.excluded:
        patterns = ", ".join(sources.excluded)
        message = f"nothing to {doing} in {', '.join(paths)}: {patterns} in exclude of {by} excludes everything"
        if search.get("force_exclude"):
            note(message)
            return sources
        raise SettingsError(f"{message}; name a file, which is never excluded without --force-exclude")
    if not sources.files:
        raise SettingsError(f"nothing to {doing} in {', '.join(paths)}: name a checkpoint, or a folder that has some")
    for pattern in sources.unmatched:
        note(f"{pattern}: no file matches")
    return sources


def note_unreadable(messages: Iterable[str]) -> None:
    """Report folders that could not be read; the command then ends with the exit status of a failure."""
    for message in messages:
        note(message)
        click.get_current_context().meta[UNREADABLE] = True


def source_of(file: str) -> str | BinaryIO:
    """Return a file, or standard input for -."""
    return sys.stdin.buffer if file == STANDARD else file


def check_outputs(inputs: Iterable[str | None], *outputs: str | None, force: bool) -> None:
    """Refuse to overwrite an input, to write a file twice, or, without `force`, to overwrite any file.

    `inputs` are files, folders, patterns and collections; links and other spellings of a path lead to the same file.
    Raises SettingsError and TargetExistsError.
    """
    from checkpoint_ld.documents.files import already_there  # too slow an import for --help

    targets = [output for output in outputs if output is not None and output != STANDARD]
    if len(set(map(os.path.realpath, targets))) < len(targets):
        raise SettingsError(f"{targets[-1]} would be written twice: choose another file for one of the outputs")
    existing = [target for target in targets if _file_of(target)]
    read = set(map(_file_of, _read_by(inputs))) if existing else set()
    for target in existing:
        if not read.isdisjoint(map(_file_of, (target, *map(str, Path(target).resolve().parents)))):
            raise SettingsError(f"{target} is read by this command: choose another file to write")
        if not force and Path(target).is_file():
            raise already_there(target)


def _read_by(paths: Iterable[str | None]) -> Iterable[str]:
    from checkpoint_ld.batch.discovery import discover  # needed only if an output exists

    for path in paths:
        if path is not None:
            yield from [path] if is_collection([path]) else discover([path]).files


def _file_of(path: str) -> tuple[int, int] | None:
    """Return the identity of a file, the same for all its paths; None if there is no file."""
    with contextlib.suppress(OSError, ValueError):
        state = os.fstat(sys.stdin.fileno()) if path == STANDARD else os.stat(path)  # noqa: PTH116 - U+0000 in a path
        return state.st_dev, state.st_ino
    return None


def write(file: str, data: bytes, *, force: bool = False) -> None:
    """Write `data` to `file`, all of it or nothing."""
    if file != STANDARD:
        from checkpoint_ld.documents.files import is_packed, replace_file  # as above

        replace_file(file, data, overwrite=force, pack=is_packed(file))
        return
    target = out()
    target.write(data)
    if sys.stdout.isatty() and not data.endswith(b"\n"):
        target.write(b"\n")
    target.flush()


@contextlib.contextmanager
def replacing(target: str, *, force: bool) -> Iterator[BinaryIO]:
    """Yield a file to write to, which becomes `target` at the end, unless an exception is raised before.

    Standard output is written directly. Raises WriteError if `target` cannot be written.
    """
    if target == STANDARD:
        yield (file := out())
        file.flush()
    else:
        from checkpoint_ld.documents.files import is_packed, replace_file  # as above

        with _beside(target) as file:
            yield cast("BinaryIO", file)
            with _writing(target):
                file.seek(0)
            replace_file(target, cast("BinaryIO", file), overwrite=force, pack=is_packed(target))


class _Beside(io.BufferedRandom):
    """A temporary file that will be `target`, which its errors name."""

    target = ""

    def write(self, data: Any) -> int:
        with _writing(self.target):
            return super().write(data)

    def close(self) -> None:
        with contextlib.suppress(OSError):  # of what is still to be written, which nobody needs any more
            super().close()


@contextlib.contextmanager
def _writing(target: str) -> Iterator[None]:
    from checkpoint_ld.documents.files import unwritable  # as above

    try:
        yield
    except OSError as error:
        raise unwritable(target, error) from error


def _beside(target: str) -> _Beside:
    # On the disk of the target, since temporary folders are often in memory.
    folder = Path(os.path.realpath(target)).parent
    try:
        file = _Beside(tempfile.TemporaryFile(dir=folder, buffering=0))  # noqa: SIM115 - closed with what is around it
    except OSError as error:
        raise WriteError(f"{target}: cannot be written: {folder} takes no file ({error.strerror})") from error
    file.target = target
    return file


class StandardOutputError(OSError):
    """Standard output takes no more, for another reason than a reader who left."""


class _StandardOutput(io.FileIO):
    """Standard output, whose errors are told from those of files."""

    def write(self, data: Any) -> int | None:  # type: ignore[override] # typeshed has a name for the buffer
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise StandardOutputError(error.errno, error.strerror) from error


def _standard_output(encoding: str = "utf-8", *, by_line: bool = False) -> io.TextIOWrapper:
    raw = _StandardOutput(1, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, line_buffering=by_line)


def out() -> BinaryIO:
    """Return standard output for bytes; on a terminal, control characters of documents are replaced."""
    sys.stdout.flush()
    return cast("BinaryIO", _Terminal() if sys.stdout.isatty() else sys.stdout.buffer)


class _Terminal:
    """Writes bytes in UTF-8 as text without control characters."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, data: bytes) -> None:
        sys.stdout.write(_harmless(self._decoder.decode(data)))

    def writelines(self, parts: Iterable[bytes]) -> None:
        for part in parts:
            self.write(part)

    def flush(self) -> None:
        sys.stdout.flush()


def show(line: str = "") -> None:
    """Print a line of text for people, with control characters replaced."""
    sys.stdout.write(f"{_harmless(line)}\n")


def note(line: str) -> None:
    """Print a line on standard error, as `show` does."""
    sys.stderr.write(f"{_harmless(line)}\n")


def show_json(value: Any) -> None:
    """Print a value as JSON; integers may be of any size."""
    from checkpoint_ld.documents.text import dump_json  # as above

    write(STANDARD, dump_json(value) + b"\n")


def columns(otherwise: int = 100) -> int:
    """Return the width of the terminal, or `otherwise` where there is none."""
    return shutil.get_terminal_size((otherwise, 24)).columns


def _harmless(text: str) -> str:
    return harmless_lines(text.replace("\r\n", "\n"))


def console(**settings: Any) -> Console:
    """Return a console of rich that prints control characters of documents as their pictures."""
    from rich.console import Console
    from rich.segment import Segment

    class Harmless(Console):
        def render(self, *given: Any) -> Iterator[Segment]:
            for segment in super().render(*given):
                yield segment if segment.control else Segment(_harmless(segment.text), segment.style)

        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 - what rich is handling: its own exit code is that of findings

    return Harmless(**settings)


_PLAIN = {"─": "-", "…": "...", "│": "|", "\ufffd": "?"} | {chr(0x2400 + code): f"\\x{code:02x}" for code in range(32)}
"""The replacements of characters that a terminal cannot show, such as the pictures of control characters."""


def _shown(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    escaped = "".join(_PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode() for char in text)
    return escaped, error.end


def prepare() -> None:
    """Make the standard streams usable for all commands: none of them is closed, and each takes all characters.

    A stream that was closed fails when it is used, and no file that a command opens can take its place.
    """
    codecs.register_error("shown", _shown)
    for number, (name, access) in enumerate((("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY))):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, access)
            os.dup2(opened, number)
            opened_as = "r" if number == 0 else "w"
            stream = _standard_output() if number == 1 else open(number, opened_as, encoding="utf-8", closefd=False)  # noqa: SIM115 - a descriptor
            setattr(sys, name, stream)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout is sys.__stdout__:
        raw = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
        if isinstance(raw, io.FileIO):
            # Without a buffer (python -u), what the system does not take at once would be left out in silence.
            sys.stdout = _standard_output(sys.stdout.encoding, by_line=sys.stdout.line_buffering)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="shown")


def report(findings: Sequence[Finding], *, most: int = MOST_FINDINGS) -> None:
    """Print the first findings on standard error, each on a line, and the number of the others."""
    lines = [f"{finding.severity.label}: {finding}" for finding in findings]
    note_first(lines, "more; checkpoint-ld inspect --json lists them all", most=most)


def note_first(lines: Sequence[str], others: str, *, most: int = MOST_FINDINGS) -> None:
    """Print the first lines on standard error, and the number of `others`."""
    for line in lines[:most]:
        note(line)
    if len(lines) > most:
        note(f"… and {len(lines) - most} {others}")


@contextlib.contextmanager
def bar(doing: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function to call with the work done and the whole work; None where no bar would be visible.

    The bar appears at the first call.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=None, visible=False)
        yield lambda done, total: progress.update(task, completed=done, total=total, visible=True)
