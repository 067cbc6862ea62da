"""The graph store: agent checkpoints as named graphs, in a collection on disk or behind a SPARQL service."""

from checkpoint_ld.stores.graphs.store import GraphStore

__all__ = ["GraphStore"]
