"""Bulk conversion by Spark: python bulk_pyspark.py OUT FILES."""

import sys
from functools import partial

from pyspark.sql import SparkSession

from checkpoint_ld.batch.bulk import ConvertOptions, convert_shard, plan_shards, run

if __name__ == "__main__":
    shards = plan_shards(sys.argv[2:], sys.argv[1], target_bytes=1 << 20)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for address in ("spark.driver.host", "spark.driver.bindAddress"):
        builder = builder.config(address, "127.0.0.1")
    with builder.getOrCreate() as spark:
        work = partial(convert_shard, options=ConvertOptions())
        spark.sparkContext.parallelize(shards, len(shards)).map(work).collect()
    report = run(shards, ConvertOptions())  # finds all shards there, and writes the manifest
    print(report.total("checkpoints"), "checkpoints")  # noqa: T201 - a program of its own
