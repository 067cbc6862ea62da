"""Bulk conversion by Ray: RAY_USAGE_STATS_ENABLED=0 python bulk_ray.py OUT FILES."""

import sys

import ray

from checkpoint_ld.batch.bulk import ConvertOptions, convert_shard, plan_shards, run

if __name__ == "__main__":
    shards = plan_shards(sys.argv[2:], sys.argv[1], target_bytes=1 << 20)
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")
    task = ray.remote(convert_shard)
    ray.get([task.remote(shard, ConvertOptions()) for shard in shards])
    ray.shutdown()
    report = run(shards, ConvertOptions())  # finds all shards there, and writes the manifest
    print(report.total("checkpoints"), "checkpoints")  # noqa: T201 - a program of its own
