"""Benchmarks: read, edited, compared and exported."""

from checkpoint_ld.benchmark.benchmark import Benchmark, Validate

__all__ = ["Benchmark", "Validate"]
