"""SPARQL over checkpoints: guarded queries, their results as data and as text.

`guard` checks a query, `plans` finds those to evaluate graph by graph, `running` evaluates them within limits, `result`
holds the result, `formats` writes it. `queries` has the named queries, `service` the HTTP service, `describing`
descriptions of a store.
"""

from checkpoint_ld.sparql.result import QueryResult
from checkpoint_ld.sparql.running import Dataset, run

__all__ = ["Dataset", "QueryResult", "run"]
