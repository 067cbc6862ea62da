"""Bulk: very many checkpoints as N-Quads and findings, in shards that can be made in any order and by any number."""

from checkpoint_ld.bulk.conversion import convert_shard
from checkpoint_ld.bulk.running import BulkReport, of_others, outputs, run
from checkpoint_ld.bulk.shard import ConvertOptions, Shard, ShardResult, plan_shards

__all__ = [
    "BulkReport",
    "ConvertOptions",
    "Shard",
    "ShardResult",
    "convert_shard",
    "of_others",
    "outputs",
    "plan_shards",
    "run",
]
