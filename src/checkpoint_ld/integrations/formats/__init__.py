"""Formats that benchmarks are exported to and imported from, each by the library of those who made it."""
