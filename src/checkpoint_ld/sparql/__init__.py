"""SPARQL over checkpoints: guarded queries, their results as data and as text."""

from checkpoint_ld.sparql.result import QueryResult
from checkpoint_ld.sparql.running import Dataset, run

__all__ = ["Dataset", "QueryResult", "run"]
