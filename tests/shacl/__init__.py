"""SHACL over any graph."""
