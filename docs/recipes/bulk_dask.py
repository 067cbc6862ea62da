"""Bulk conversion by dask.distributed: python bulk_dask.py OUT FILES."""

import sys

from dask.distributed import Client, LocalCluster

from checkpoint_ld.batch.bulk import ConvertOptions, convert_shard, plan_shards, run

if __name__ == "__main__":  # workers import this file: without the guard each would start a cluster of its own
    shards = plan_shards(sys.argv[2:], sys.argv[1], target_bytes=1 << 20)
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    with cluster, Client(cluster) as client:
        client.gather(client.map(convert_shard, shards, options=ConvertOptions()))
    report = run(shards, ConvertOptions())  # finds all shards there, and writes the manifest
    print(report.total("checkpoints"), "checkpoints")  # noqa: T201 - a program of its own
