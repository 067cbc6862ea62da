"""Queries that are shipped, each under a name, to be run over checkpoints and over stores of them."""

from checkpoint_ld.queries.catalogue import NamedQuery, Parameter, catalogue, named
from checkpoint_ld.queries.request import Request, request, run
from checkpoint_ld.queries.values import terms

__all__ = ["NamedQuery", "Parameter", "Request", "catalogue", "named", "request", "run", "terms"]
