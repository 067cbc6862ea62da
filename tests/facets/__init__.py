"""The facets of a benchmark."""
