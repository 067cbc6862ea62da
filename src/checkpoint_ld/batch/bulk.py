"""Bulk: very many checkpoints as N-Quads and findings, in shards that independent processes can make in any order."""

from __future__ import annotations

import gzip
import hashlib
import os
import signal
import sys
import time
import zlib
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from itertools import count
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar, cast

import orjson

from checkpoint_ld import families
from checkpoint_ld.batch.discovery import EXTENSIONS
from checkpoint_ld.documents.files import damaged, extension_of, is_packed, no_path, reading, recorded, replace_file
from checkpoint_ld.documents.values import DEFAULT_LIMITS, too_large
from checkpoint_ld.errors import ReadError, SettingsError, SourceMissingError, TargetUnwritableError, WriteError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.graph import emission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.families import Profiles
_P = ParamSpec("_P")
_T = TypeVar("_T")
Json = dict[str, Any]
Convert: TypeAlias = "Callable[[Shard, ConvertOptions], ShardResult]"

TARGET_BYTES = 64 << 20
_LEAST_SHARDS, _LEAST_BYTES = 8, 1 << 20
COMPRESSED = ".gz"
LINES = (".ndjson", ".jsonl")
"""Extensions of files with one checkpoint to a line."""
FOUND = (*EXTENSIONS, *LINES, *(f"{extension}{COMPRESSED}" for extension in LINES))
"""Extensions of the files in a folder that are read."""
MANIFEST = "manifest.json"
_BLOCK = 1 << 20
_COUNTS = ("checkpoints", "quads", "failed")


@dataclass(frozen=True, slots=True)
class Shard:
    """The files that make one part of the output: `paths` in their order, `out` the folder to write to."""

    index: int
    paths: tuple[str, ...]
    out: str

    @property
    def stem(self) -> str:
        """The start of the names of the shard's files."""
        return f"part-{self.index:05}"


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """The options of a conversion, which can be pickled for other processes and machines.

    With a `profile` each checkpoint is validated by its rules; without one, findings are those of reading, which is
    faster. `quads` false writes findings only, `compressed` packs N-Quads with gzip.
    """

    profile: str | None = None
    quads: bool = True
    compressed: bool = False


@dataclass(frozen=True, slots=True)
class ShardResult:
    """The result of a shard; all except `seconds` depend only on its input.

    `checkpoints` were converted, `failed` could not be; `findings` counts by code. `sha256` is that of the N-Quads
    before compression. `seconds` are 0 for a shard that was converted before.
    """

    index: int
    checkpoints: int
    quads: int
    failed: int
    findings: Mapping[str, int] = field(default_factory=dict)
    sha256: str = ""
    seconds: float = 0.0

    def as_json(self) -> Json:
        """Return the members that depend only on the input, as a JSON object."""
        return {name: value for name, value in asdict(self).items() if name != "seconds"}


def plan_shards(paths: Iterable[str | Path], out: str | Path, *, target_bytes: int | None = None) -> list[Shard]:
    """Divide files, sorted by path, into shards of about `target_bytes`; the same files give the same shards.

    Without a target, shards have 64 MiB at most; smaller input gives up to eight of 1 MiB, for several processes.

    Raises SourceMissingError for a missing file, ReadError for a name that is no UTF-8, SettingsError for a target
    below 1.
    """
    if target_bytes is not None and target_bytes < 1:
        raise SettingsError(f"shards of {target_bytes} bytes cannot be: give a size of 1 or more")
    sizes: dict[str, int] = {}
    for file in sorted({recorded(str(path)) for path in paths}):
        try:
            sizes[file] = Path(file).stat().st_size
        except OSError as error:
            raise SourceMissingError(f"{file}: cannot be read: {error.strerror}; check the path") from error
        except ValueError:  # U+0000, or half a surrogate pair
            raise no_path(file, "file") from None
    whole = sum(sizes.values())
    few = min(_LEAST_SHARDS, -(-whole // _LEAST_BYTES)) if target_bytes is None else 1
    parts = in_parts(sizes, max(1, few, -(-whole // (target_bytes or TARGET_BYTES))))
    return [Shard(index, tuple(part), str(out)) for index, part in enumerate(parts)]


def in_parts(sizes: Mapping[str, int], number: int) -> list[list[str]]:
    """Divide names with sizes into at most `number` nonempty parts of about equal size."""
    share = max(1, -(-sum(sizes.values()) // number))
    parts: dict[int, list[str]] = {}
    before = 0
    for name, size in sizes.items():
        # A name belongs to the part of its middle, so that parts differ by at most one name.
        parts.setdefault((before + size // 2) // share, []).append(name)
        before += size
    return list(parts.values())


@dataclass(frozen=True, slots=True)
class Record:
    """One checkpoint: its bytes, a name with the extension of its syntax, and its line in a file with many."""

    data: bytes
    name: str
    line: int | None = None


def records(path: str) -> Iterator[Record]:
    """Yield the checkpoints of a file, unpacked if its name ends with `.gz`.

    Raises ReadError for a file that cannot be read or unpacked, and for a checkpoint that is too large.
    """
    name, most = path[: -len(COMPRESSED)] if is_packed(path) else path, DEFAULT_LIMITS.size
    with _opened(path) as file:
        if extension_of(name) not in LINES:
            content = bytearray()
            while block := file.read(_BLOCK):
                content += block
                if len(content) > most:
                    raise too_large(None, path, DEFAULT_LIMITS)
            yield Record(bytes(content), name)
            return
        for line in count(1):
            data = file.readline(most + 1)
            if not data:
                return
            if len(data) > most:
                raise too_large(None, path, DEFAULT_LIMITS)
            if data.strip():
                yield Record(data, f"{name}.json", line)


def state(path: str) -> dict[str, str | int]:
    """Return size and SHA-256 of a file, without unpacking it. Raises ReadError."""
    with _opened(path, unpacked=False) as file:
        hashed = hashlib.file_digest(cast("Any", file), "sha256").hexdigest()
        return {"size": file.tell(), "sha256": hashed}


@contextmanager
def _opened(path: str, *, unpacked: bool = True) -> Iterator[IO[bytes]]:
    is_read_packed = unpacked and is_packed(path)
    with reading(path):
        try:
            with cast("IO[bytes]", gzip.open(path)) if is_read_packed else Path(path).open("rb") as file:
                yield file
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise damaged(path, error) from error


def convert_shard(shard: Shard, options: ConvertOptions) -> ShardResult:
    """Write the N-Quads and the findings of a shard, unless a previous run did; return the result.

    A checkpoint that cannot be converted becomes a finding, without effect on the others. The same input gives the same
    bytes. Raises SettingsError for a profile that does not exist, SourceMissingError for a file that cannot be read,
    WriteError for a folder that cannot be written.
    """
    started = time.monotonic()
    wanted, out = _wanted(shard, options), Path(shard.out)
    done = out / f"{shard.stem}.done.json"
    with suppress(OSError, ValueError, KeyError, TypeError):  # there is no valid mark
        mark = orjson.loads(done.read_bytes())
        fits = all((out / output["file"]).stat().st_size == output["size"] for output in mark["outputs"])
        if fits and mark["job"] == wanted:
            return ShardResult(**mark["result"])
    profile = families.Profiles(options.profile) if options.profile is not None else None
    try:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except ValueError:  # U+0000, or half a surrogate pair
            raise no_path(shard.out, "folder") from None
        result, outputs = _written(shard, options, profile)
    except OSError as error:
        message = f"{out}: cannot be written: {error.strerror}; choose another folder"
        raise TargetUnwritableError.of(message, error) from error
    replace_file(done, _json({"job": wanted, "outputs": outputs, "result": result.as_json()}, orjson.OPT_INDENT_2))
    return replace(result, seconds=time.monotonic() - started)


def _wanted(shard: Shard, options: ConvertOptions) -> Json:
    """Return everything that the output depends on."""
    inputs = [{"path": path, **state(path)} for path in shard.paths]
    return {"inputs": inputs, "options": asdict(options), "software": version("checkpoint-ld")}


def _written(shard: Shard, options: ConvertOptions, profile: Profiles | None) -> tuple[ShardResult, list[Json]]:
    """Write the files of a shard; return the result, and size and hash of each file."""
    out = Path(shard.out)
    names = [f"{shard.stem}.findings.jsonl", f"{shard.stem}.graphs.jsonl"]
    if options.quads:
        names.append(f"{shard.stem}.nq" + (COMPRESSED if options.compressed else ""))
    parts = [out / f".{name}.part" for name in names]
    with ExitStack() as stack:
        files: list[Any] = [stack.enter_context(part.open("wb")) for part in parts]
        if options.quads and options.compressed:
            # A compressed file has no name and time, so that the same content gives the same bytes.
            files[2] = stack.enter_context(gzip.GzipFile(filename="", mode="wb", fileobj=files[2], mtime=0))
        writing = _Writing(profile, *files)
        for path in shard.paths:
            writing.convert(path)
    for stale in {f"{shard.stem}.nq", f"{shard.stem}.nq{COMPRESSED}"}.difference(names):
        (out / stale).unlink(missing_ok=True)
    for part, name in zip(parts, names, strict=True):
        part.replace(out / name)
    outputs = [{"file": name, **state(str(out / name))} for name in names]
    counts = {name: getattr(writing, name) for name in _COUNTS}
    findings = dict(sorted(writing.counted.items()))
    result = ShardResult(shard.index, **counts, findings=findings, sha256=writing.hashed.hexdigest())
    return result, outputs


@dataclass
class _Writing:
    """The open files of a shard (`quads_file` may be None), and the counts of their content."""

    profile: Profiles | None
    findings_file: IO[bytes]
    graphs_file: IO[bytes]
    quads_file: IO[bytes] | None = None
    checkpoints: int = 0
    quads: int = 0
    failed: int = 0
    counted: Counter[str] = field(default_factory=Counter)
    hashed: Any = field(default_factory=hashlib.sha256)

    def convert(self, path: str) -> None:
        """Write the statements and findings of the checkpoints of a file."""
        try:
            for record in records(path):
                try:
                    self._convert(path, record)
                except ReadError as error:
                    self._fail(error, path, record.line)
        except ReadError as error:
            self._fail(error, path, None)

    def _convert(self, path: str, record: Record) -> None:
        has_quads = self.quads_file is not None
        read = families.examine_bytes(record.data, record.name, checked=self.profile is None or has_quads)
        if has_quads:
            families.refusing(read)
        findings = read.findings if self.profile is None else families.check_source(read, self.profile).findings
        graph = families.graph_of(read)
        lines = emission.nquads_of(graph)
        number = lines.count(b"\n")
        self.checkpoints += 1
        self._write_findings(findings, path, record.line)
        place = {"graph": str(graph.root), "file": path, "record": record.line, "quads": number}
        self.graphs_file.write(_json({**place, "sha256": hashlib.sha256(lines).hexdigest()}))
        if self.quads_file is not None:
            self.quads_file.write(lines)
            self.quads += number
            self.hashed.update(lines)

    def _fail(self, error: ReadError, path: str, line: int | None) -> None:
        self.failed += 1
        unreadable = Finding("unreadable", Severity.VIOLATION, str(error))
        self._write_findings(error.findings or [unreadable], path, line)

    def _write_findings(self, found: Iterable[Finding], path: str, line: int | None) -> None:
        for finding in found:
            self.counted[finding.code] += 1
            self.findings_file.write(_json({**finding.as_json(path), "record": line}))


def _json(value: Any, option: int = 0) -> bytes:
    return orjson.dumps(value, option=option | orjson.OPT_APPEND_NEWLINE)


@dataclass(frozen=True, slots=True)
class BulkReport:
    """The results of all shards, in their order; the shards whose process died twice; IRIs of several checkpoints."""

    results: tuple[ShardResult, ...]
    lost: tuple[Shard, ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def findings(self) -> dict[str, int]:
        """The number of findings of each code."""
        counted: Counter[str] = Counter()
        for result in self.results:
            counted.update(result.findings)
        return dict(sorted(counted.items()))

    def total(self, name: str) -> int:
        """Return the sum of a count over all shards: `checkpoints`, `quads` or `failed`."""
        return sum(int(getattr(result, name)) for result in self.results)

    def as_json(self) -> Json:
        """Return the members that depend only on the input, as a JSON object."""
        totals = {name: self.total(name) for name in _COUNTS}
        lost = [list(shard.paths) for shard in self.lost]
        shards = [result.as_json() for result in self.results]
        return {**totals, "findings": self.findings, "shared": self.shared, "lost": lost, "shards": shards}


def run(
    shards: Sequence[Shard],
    options: ConvertOptions,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    convert: Convert = convert_shard,
) -> BulkReport:
    """Convert shards in `jobs` processes, or in this process if it is 1; write `manifest.json` at the end.

    `progress` is called with the number of finished shards, and of all. If a process dies, its shard is tried again
    alone, and is `lost` if that fails too; other shards continue. Raises as `convert_shard`, and WriteError for a
    folder with other shards. If `jobs` is more than 1, the main module must be importable without side effects
    (`if __name__ == "__main__":`).
    """
    if jobs < 1:
        raise SettingsError(f"{jobs} processes cannot convert: give 1 or more as jobs")
    _check_no_others(shards)
    _clear_leftovers(shards)
    results: dict[int, ShardResult] = {}
    lost: list[Shard] = []
    waiting = deque(shards)
    while waiting:
        done = (convert(waiting.popleft(), options) for _ in shards)
        for result in done if jobs == 1 else _pooled(waiting, options, convert, jobs, lost):
            results[result.index] = result
            if progress is not None:
                progress(len(results) + len(lost), len(shards))
    _clear_leftovers(shards)
    ordered = tuple(results[index] for index in sorted(results))
    report = BulkReport(ordered, tuple(lost), tuple(_shared(shards)))
    if shards:
        replace_file(Path(shards[0].out) / MANIFEST, _json(report.as_json(), orjson.OPT_INDENT_2))
    return report


def outputs(shards: Iterable[Shard]) -> list[str]:
    """Return the paths of all files that a run may write."""
    ends = ("findings.jsonl", "graphs.jsonl", "nq", f"nq{COMPRESSED}", "done.json")
    parts = [str(Path(shard.out, f"{shard.stem}.{end}")) for shard in shards for end in ends]
    return [*parts, *{str(Path(shard.out, MANIFEST)) for shard in shards}]


def foreign_outputs(shards: Sequence[Shard], options: ConvertOptions) -> list[str]:
    """Return the files that a run would overwrite and that it did not write: of other input or options, or unknown.

    Raises WriteError for a folder with other shards, as `run` does.
    """
    _check_no_others(shards)
    own, found = set(), []
    for shard in shards:
        first, *others, mark, manifest = outputs([shard])
        try:
            is_own = bool(orjson.loads(Path(mark).read_bytes())["job"] == _wanted(shard, options))
        except FileNotFoundError:  # the findings are renamed first
            is_own = Path(first).exists()
        except (OSError, ValueError, KeyError, TypeError):
            is_own = False
        if is_own:
            own.add(manifest)
        else:
            found += [first, *others, mark, manifest]
    return [path for path in dict.fromkeys(found) if path not in own and Path(path).exists()]


def _check_no_others(shards: Sequence[Shard]) -> None:
    known = {shard.stem for shard in shards}
    for folder in {shard.out for shard in shards}:
        for mark in sorted(Path(folder).glob("part-*.done.json")):
            if mark.name.removesuffix(".done.json") not in known:
                remedy = "write to a folder of its own, or remove the files of that run"
                raise WriteError(f"{mark}: is of a run with more shards; {remedy}")


def _clear_leftovers(shards: Sequence[Shard]) -> None:
    """Remove the unfinished files of killed processes; only one run at a time may use a folder.

    When a process dies, the pool kills the others at any point.
    """
    for folder in {Path(shard.out) for shard in shards}:
        for file in folder.glob(f".{'[0-9a-f]' * 16}.tmp"):
            file.unlink(missing_ok=True)


def _pooled(
    waiting: deque[Shard], options: ConvertOptions, convert: Convert, jobs: int, lost: list[Shard]
) -> Iterator[ShardResult]:
    """Convert until no shard waits or a process dies; then try each unfinished shard alone."""
    under_way: dict[Future[ShardResult], Shard] = {}
    with pool(jobs) as workers:
        try:
            while waiting or under_way:
                while waiting and len(under_way) < jobs:
                    future = workers.submit(convert, waiting[0], options)
                    under_way[future] = waiting.popleft()
                for done in wait(under_way, return_when=FIRST_COMPLETED).done:
                    result = done.result()
                    del under_way[done]
                    yield result
        except BrokenProcessPool:
            pass
        except BaseException:
            workers.shutdown(wait=False, cancel_futures=True)
            raise
    for shard in under_way.values():
        try:
            with pool(1) as alone:
                yield alone.submit(convert, shard, options).result()
        except BrokenProcessPool:
            lost.append(shard)


def pool(jobs: int) -> ProcessPoolExecutor:
    """Return a pool of processes."""
    # Spawned processes do not inherit threads or locks in an unknown state.
    return _Pool(jobs, mp_context=get_context("spawn"), initializer=_end_with_others)


_ENDINGS = frozenset(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class _Pool(ProcessPoolExecutor):
    """A pool whose processes end with the one that made them.

    No signal reaches them before their initializer, nor this process while it starts them: Python would print
    tracebacks.
    """

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        if sys.platform == "win32":  # which cannot block them
            return super().submit(fn, *args, **kwargs)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)  # processes that start here inherit it
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        if kind is not None:
            # The result is not used any more. Executors have `terminate_workers` from Python 3.14 on.
            for process in (self._processes or {}).values():
                process.terminate()
        super().__exit__(kind, *error)


def _end_with_others() -> None:
    """Let Ctrl-C and the end of its parent end a process at once; unfinished shards leave no mark."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDINGS)
    Thread(target=_end_after_parent, daemon=True).start()


def _end_after_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _shared(shards: Sequence[Shard]) -> Iterator[str]:
    """Yield the IRIs of several checkpoints with different content."""
    seen: dict[str, str] = {}
    found: set[str] = set()
    for listed in (Path(shard.out) / f"{shard.stem}.graphs.jsonl" for shard in shards):
        for line in listed.read_bytes().splitlines() if listed.exists() else ():
            graph, sha256 = map(orjson.loads(line).get, ("graph", "sha256"))
            if seen.setdefault(graph, sha256) != sha256 and graph not in found:
                found.add(graph)
                yield graph
