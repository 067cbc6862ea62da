"""SPARQL over checkpoints: guarded queries, their results as data and as text."""

from checkpoint_ld.sparql.dataset import Dataset
from checkpoint_ld.sparql.result import QueryResult
from checkpoint_ld.sparql.running import run

__all__ = ["Dataset", "QueryResult", "run"]
