"""Checkpoints as JSON-LD and in RDF syntaxes: what leaves a store for people who ask in SPARQL."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from checkpoint_ld.agent.graph.json_ld import jsonld_of
from checkpoint_ld.agent.text import bytes_of_ordered
from checkpoint_ld.emission.sorted_lines import nquads_of
from checkpoint_ld.emission.turtle import turtle_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint


WRITERS: Final[Mapping[str, Callable[[AgentCheckpoint], bytes]]] = MappingProxyType(
    {
        "jsonld": lambda checkpoint: bytes_of_ordered(jsonld_of(checkpoint.tree())),
        "nquads": lambda checkpoint: nquads_of(checkpoint.to_graph()),
        "turtle": lambda checkpoint: turtle_of(checkpoint.to_graph()),
    }
)
"""How a checkpoint is written in each syntax; RDF has the statements of PROV-O in it."""
