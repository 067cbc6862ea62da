"""Constraints beyond SHACL Core: Python functions for the constraint components in `shapes/karenina/components.ttl`."""
