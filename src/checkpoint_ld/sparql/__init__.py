"""SPARQL over checkpoints: guarded queries, their results as data and as text.

`running` evaluates queries that `checkpoint_ld.guard` has checked, within limits, `result` holds the result, `formats`
writes it. `queries` has the named queries, `service` the HTTP service, `describing`
descriptions of a store.
"""

from checkpoint_ld.sparql.result import QueryResult
from checkpoint_ld.sparql.running import Dataset, run

__all__ = ["Dataset", "QueryResult", "run"]
