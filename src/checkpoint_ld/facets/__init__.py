"""Facets: the sides of a benchmark, each a class of its own over the one graph that holds everything."""
