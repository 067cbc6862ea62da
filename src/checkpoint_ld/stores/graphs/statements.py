"""Statements: a checkpoint as the graph that is stored, and back, held against the hash that is stored with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld import rdf
from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.graph import AgentGraph
from checkpoint_ld.agent.names import derived
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.documents.values import shown
from checkpoint_ld.errors import FindingsError, IntegrityError, ReadError, WriteError
from checkpoint_ld.remote.outgoing import outgoing

if TYPE_CHECKING:
    from checkpoint_ld.remote.outgoing import Outgoing


def graph_of(checkpoint: AgentCheckpoint, file_name: str | None = None) -> Outgoing:
    """Return the graph of a checkpoint with its provenance layer; `file_name` is that of its file."""
    graph = AgentGraph.of_tree(checkpoint.tree(), prov=True, sha256=checkpoint.sha256)
    return outgoing(graph, file_name or "")


def restored(triples: bytes, checkpoint_id: str, where: str) -> AgentCheckpoint:
    """Return the checkpoint that a graph states.

    Raises IntegrityError unless it is one of that id that fits the hash which is stored with it.
    """
    what = f"{where}: the graph of {shown(checkpoint_id)}"
    try:
        graph = AgentGraph.of_index(rdf.parse(triples, "nt"))
        tree = graph.tree()
        sha256 = sha256_of(tree)
        checkpoint = AgentCheckpoint.of_tree(tree)
    except (ReadError, FindingsError, WriteError) as error:
        raise IntegrityError(f"{what} is damaged: {error}") from error
    stored = sorted(map(str, graph.objects(graph.root, derived("sha256"))))
    if stored != [sha256]:
        raise IntegrityError(f"{what} does not fit its hash {', '.join(stored) or '(there is none)'}; reindex")
    if checkpoint.id != checkpoint_id:
        raise IntegrityError(f"{what} is that of {shown(checkpoint.id)}; reindex")
    return checkpoint
