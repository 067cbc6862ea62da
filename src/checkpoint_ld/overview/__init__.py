"""Overviews: how much there is in a benchmark, and how far the work on it is."""
