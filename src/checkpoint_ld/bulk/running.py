"""Running shards: in this process or in several, whatever becomes of one of them."""

from __future__ import annotations

import signal
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.bulk.conversion import asked_for, convert_shard
from checkpoint_ld.bulk.records import COMPRESSED
from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from checkpoint_ld.bulk.shard import ConvertOptions, Shard, ShardResult

    Convert = Callable[[Shard, ConvertOptions], ShardResult]

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class BulkReport:
    """What came of all shards, in their order; those whose process died twice; IRIs with several checkpoints."""

    results: tuple[ShardResult, ...]
    lost: tuple[Shard, ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def findings(self) -> dict[str, int]:
        """How many findings there are of each code."""
        counted: Counter[str] = Counter()
        for one in self.results:
            counted.update(one.findings)
        return dict(sorted(counted.items()))

    def total(self, name: str) -> int:
        """Return the sum of a count over all shards: `checkpoints`, `quads` or `failed`."""
        return sum(int(getattr(one, name)) for one in self.results)

    def as_json(self) -> dict[str, Any]:
        """Return what depends on the input alone as a JSON object."""
        totals = {name: self.total(name) for name in ("checkpoints", "quads", "failed")}
        timeless = [
            {name: value for name, value in asdict(one).items() if name not in {"seconds", "peak_rss"}}
            for one in self.results
        ]
        lost = [list(one.paths) for one in self.lost]
        return {**totals, "findings": self.findings, "shared": self.shared, "lost": lost, "shards": timeless}


def run(
    shards: Sequence[Shard],
    options: ConvertOptions,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    convert: Convert = convert_shard,
) -> BulkReport:
    """Convert shards in `jobs` processes, one of them in this process; write `manifest.json` when all are done.

    `progress` is told how many shards are done, and of how many. A process that dies takes no other shard with it: what
    it was at is tried once more on its own, and is `lost` if that fails too. Raises what `convert_shard` raises, and
    WriteError for a folder with other shards. Where `jobs` is more than 1, the calling program must not do its work
    when it is imported (`if __name__ == "__main__":`).
    """
    _check_folder(shards)
    _clear_leftovers(shards)
    results: dict[int, ShardResult] = {}
    lost: list[Shard] = []
    waiting = deque(shards)
    while waiting:
        for result in _ones(waiting, options, convert) if jobs == 1 else _pooled(waiting, options, convert, jobs, lost):
            results[result.index] = result
            if progress is not None:
                progress(len(results) + len(lost), len(shards))
    _clear_leftovers(shards)
    ordered = tuple(results[index] for index in sorted(results))
    report = BulkReport(ordered, tuple(lost), tuple(_shared(shards)))
    if shards:
        data = orjson.dumps(report.as_json(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        replace_file(Path(shards[0].out) / MANIFEST, data)
    return report


def outputs(shards: Iterable[Shard]) -> list[str]:
    """Return the paths of all that a run may write."""
    ends = ("findings.jsonl", "graphs.jsonl", "nq", f"nq{COMPRESSED}", "done.json")
    parts = [str(Path(shard.out, f"{shard.stem}.{end}")) for shard in shards for end in ends]
    return [*parts, *{str(Path(shard.out, MANIFEST)) for shard in shards}]


def of_others(shards: Sequence[Shard], options: ConvertOptions) -> list[str]:
    """Return the paths of what a run would overwrite that is not its own: of other input or options, or of nobody."""
    own, found = set(), []
    for shard in shards:
        first, *others, mark, manifest = outputs([shard])
        try:
            is_own = bool(orjson.loads(Path(mark).read_bytes())["asked"] == asked_for(shard, options))
        except FileNotFoundError:  # its findings are the first to be in their place
            is_own = Path(first).exists()
        except (OSError, ValueError, KeyError, TypeError):
            is_own = False
        if is_own:
            own.add(manifest)
        else:
            found += [first, *others, mark, manifest]
    return [one for one in dict.fromkeys(found) if one not in own and Path(one).exists()]


def _clear_leftovers(shards: Sequence[Shard]) -> None:
    """Remove the unfinished files of processes that were killed; one run at a time works on a folder.

    When a process dies, the pool ends those beside it, wherever they are.
    """
    for folder in {Path(shard.out) for shard in shards}:
        for file in folder.glob(f".{'[0-9a-f]' * 16}.tmp"):
            file.unlink(missing_ok=True)


def _check_folder(shards: Sequence[Shard]) -> None:
    """Raise WriteError where the folder holds shards of another run, which would pass for some of this one."""
    known = {shard.stem for shard in shards}
    for folder in {shard.out for shard in shards}:
        for mark in sorted(Path(folder).glob("part-*.done.json")):
            if mark.name.removesuffix(".done.json") not in known:
                raise WriteError(f"{mark}: is of a run with more shards; write to a folder of its own, or remove it")


def _ones(waiting: deque[Shard], options: ConvertOptions, convert: Convert) -> Iterator[ShardResult]:
    while waiting:
        yield convert(waiting.popleft(), options)


def _pooled(
    waiting: deque[Shard], options: ConvertOptions, convert: Convert, jobs: int, lost: list[Shard]
) -> Iterator[ShardResult]:
    """Convert until nothing is waiting or a process dies; then try what was under way, each shard on its own."""
    under_way: dict[Future[ShardResult], Shard] = {}
    with _pool(jobs) as pool:
        try:
            while waiting or under_way:
                while waiting and len(under_way) < jobs:
                    future = pool.submit(convert, waiting[0], options)
                    under_way[future] = waiting.popleft()
                for done in wait(under_way, return_when=FIRST_COMPLETED).done:
                    result = done.result()
                    del under_way[done]
                    yield result
        except BrokenProcessPool:
            pass
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    for shard in under_way.values():
        try:
            with _pool(1) as alone:
                yield alone.submit(convert, shard, options).result()
        except BrokenProcessPool:
            lost.append(shard)


def _pool(jobs: int) -> ProcessPoolExecutor:
    # Processes that start afresh have no threads or locks of ours in a state that they cannot know.
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_end_on_interrupt)


def _end_on_interrupt() -> None:
    """Let Ctrl-C end a process at once: what it has not finished leaves no mark."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _shared(shards: Sequence[Shard]) -> Iterator[str]:
    """Yield the IRIs under which there are several checkpoints that say different things."""
    seen: dict[str, str] = {}
    told: set[str] = set()
    for shard in shards:
        listed = Path(shard.out) / f"{shard.stem}.graphs.jsonl"
        if not listed.exists():
            continue
        with listed.open("rb") as file:
            for line in map(orjson.loads, file):
                graph = line["graph"]
                if seen.setdefault(graph, line["sha256"]) != line["sha256"] and graph not in told:
                    told.add(graph)
                    yield graph
