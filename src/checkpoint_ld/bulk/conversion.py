"""The conversion of one shard: a function of its input, to be called from any process, thread or machine.

A shard is done when its mark is there: `part-00017.done.json` is written last, after the N-Quads and the findings are
in their places. A mark that fits the input means that there is nothing to do.
"""

from __future__ import annotations

import gzip
import hashlib
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import orjson

from checkpoint_ld import emission, families
from checkpoint_ld.bulk import records
from checkpoint_ld.bulk.shard import ShardResult
from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import ReadError, TargetUnwritableError
from checkpoint_ld.families import checking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from checkpoint_ld.bulk.records import Record
    from checkpoint_ld.bulk.shard import ConvertOptions, Shard
    from checkpoint_ld.families.checking import Profiles
    from checkpoint_ld.findings import Finding

if sys.platform != "win32":  # which has none
    import resource

_KIB = 1024


def convert_shard(shard: Shard, options: ConvertOptions) -> ShardResult:
    """Write the N-Quads and the findings of a shard, unless they are there; return what came of it.

    A checkpoint that cannot be converted becomes a finding, and the others go on. The same input gives the same bytes.
    Raises SettingsError for a profile that does not exist, ReadError for a file that vanished, WriteError for a folder
    that cannot be written to.
    """
    started = time.monotonic()
    asked = asked_for(shard, options)
    there = _there(shard, asked)
    if there is not None:
        return there
    profile = checking.Profiles(options.profile) if options.profile is not None else None
    out = Path(shard.out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        written = _written(shard, options, profile)
    except OSError as error:
        raise TargetUnwritableError(f"{out}: cannot be written: {error.strerror}; choose another folder") from error
    result = ShardResult(
        shard.index, written.checkpoints, written.quads, written.failed, _sorted(written.findings), written.digest()
    )
    mark = {"asked": asked, "outputs": written.outputs, "result": _lasting(result)}
    replace_file(out / f"{shard.stem}.done.json", _json(mark, orjson.OPT_INDENT_2))
    return ShardResult(**{**asdict(result), "seconds": time.monotonic() - started, "peak_rss": _peak()})


@dataclass
class _Written:
    """What was written so far."""

    checkpoints: int = 0
    quads: int = 0
    failed: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    outputs: list[dict[str, Any]] = field(default_factory=list)
    hashed: Any = field(default_factory=hashlib.sha256)

    def digest(self) -> str:
        """Return the hash of the N-Quads."""
        return str(self.hashed.hexdigest())


def asked_for(shard: Shard, options: ConvertOptions) -> dict[str, Any]:
    """Return all that the output depends on."""
    inputs = [records.state(path) for path in shard.paths]
    return {"inputs": inputs, "options": asdict(options), "software": version("checkpoint-ld")}


def _there(shard: Shard, asked: dict[str, Any]) -> ShardResult | None:
    """Return the result of a shard whose mark fits and whose files have the sizes that it says."""
    out = Path(shard.out)
    try:
        mark = orjson.loads((out / f"{shard.stem}.done.json").read_bytes())
        sizes = [(out / one["file"]).stat().st_size for one in mark["outputs"]]
        fits = mark["asked"] == asked and sizes == [one["size"] for one in mark["outputs"]]
        return ShardResult(**mark["result"]) if fits else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _written(shard: Shard, options: ConvertOptions, profile: Profiles | None) -> _Written:
    out, written = Path(shard.out), _Written()
    names = [f"{shard.stem}.findings.jsonl", f"{shard.stem}.graphs.jsonl"]
    if options.quads:
        names.append(f"{shard.stem}.nq" + (records.COMPRESSED if options.compressed else ""))
    parts = [out / f".{name}.part" for name in names]
    files: list[IO[bytes]] = [part.open("wb") for part in parts]
    # Neither a name nor a time goes into a compressed file: the same content gives the same bytes.
    packed = gzip.GzipFile(filename="", mode="wb", fileobj=files[2], mtime=0) if options.compressed else None
    try:
        for path in shard.paths:
            _convert(path, profile, written, (*files[:2], packed or files[2]) if options.quads else tuple(files))
    finally:
        for file in (packed, *files):
            if file is not None:
                file.close()
    for stale in {f"{shard.stem}.nq", f"{shard.stem}.nq{records.COMPRESSED}"}.difference(names):
        (out / stale).unlink(missing_ok=True)
    for part, name in zip(parts, names, strict=True):
        part.replace(out / name)
        written.outputs.append({"file": name, **_described(out / name)})
    return written


def _convert(path: str, profile: Profiles | None, written: _Written, files: Sequence[Any]) -> None:
    try:
        for record in records.records(path):
            _one(path, record, profile, written, files)
    except ReadError as error:
        written.failed += 1
        _tell(_failures(error), path, None, written, files[0])


def _one(path: str, record: Record, profile: Profiles | None, written: _Written, files: Sequence[Any]) -> None:
    is_written = len(files) > 2
    try:
        read = families.examine_bytes(record.data, record.name, checked=profile is None or is_written)
        if is_written:
            families.refusing(read)
        findings = read.findings if profile is None else checking.check_source(read, profile).findings
        graph = families.graph_of(read)
        lines = emission.nquads_of(graph)
    except ReadError as error:
        written.failed += 1
        _tell(_failures(error), path, record.line, written, files[0])
        return
    written.checkpoints += 1
    quads = lines.count(b"\n")
    _tell([_finding(one) for one in findings], path, record.line, written, files[0])
    place = {"graph": str(graph.root), "file": path, "record": record.line, "quads": quads}
    files[1].write(_json({**place, "sha256": hashlib.sha256(lines).hexdigest()}))
    if is_written:
        files[2].write(lines)
        written.quads += quads
        written.hashed.update(lines)


def _failures(error: ReadError) -> list[dict[str, Any]]:
    if error.findings:
        return [_finding(one) for one in error.findings]
    return [{"code": "unreadable", "severity": "violation", "message": str(error)}]


def _finding(found: Finding) -> dict[str, Any]:
    plain = ("code", "rule", "condition", "message", "remedy", "subject", "node", "value")
    place = {"pointer": found.place.pointer, "line": found.place.line, "column": found.place.column}
    return {**{name: getattr(found, name) for name in plain}, "severity": found.severity.name.lower(), **place}


def _tell(found: Sequence[dict[str, Any]], path: str, line: int | None, written: _Written, file: IO[bytes]) -> None:
    for one in found:
        written.findings[one["code"]] += 1
        file.write(_json({"file": path, "record": line, **one}))


def _described(path: Path) -> dict[str, Any]:
    told = records.state(str(path))
    return {"size": told["size"], "sha256": told["sha256"]}


def _lasting(result: ShardResult) -> dict[str, Any]:
    return {name: value for name, value in asdict(result).items() if name not in {"seconds", "peak_rss"}}


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _json(value: Any, option: int = 0) -> bytes:
    return orjson.dumps(value, option=option | orjson.OPT_APPEND_NEWLINE)


def _peak() -> int:
    if sys.platform == "win32":
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * _KIB
