"""Conversions that go wrong on purpose, to be called in other processes."""

import os
import signal
from pathlib import Path

from checkpoint_ld.batch.bulk import ConvertOptions, Shard, ShardResult, convert_shard


def dies_once(shard: Shard, options: ConvertOptions) -> ShardResult:
    """Convert a shard, in a process that is killed while it writes a file, at its first attempt at the second one."""
    out = Path(shard.out)
    sign = out.with_suffix(".died")
    if shard.index == 1 and not sign.exists():
        sign.touch()
        out.mkdir(exist_ok=True)  # the process beside this one may not have made it yet
        (out / ".0123456789abcdef.tmp").write_bytes(b"half")
        os.kill(os.getpid(), signal.SIGKILL)
    return convert_shard(shard, options)


def always_dies(shard: Shard, options: ConvertOptions) -> ShardResult:
    """Convert a shard, but the second one ends every process."""
    if shard.index == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return convert_shard(shard, options)
