"""Benchmarks: looked at, edited, compared and exported."""
