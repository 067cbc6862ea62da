"""Derived statements for queries: what a checkpoint says in texts and properties, said once more as plain RDF."""

from checkpoint_ld.enrichment.benchmark import with_derived

__all__ = ["with_derived"]
