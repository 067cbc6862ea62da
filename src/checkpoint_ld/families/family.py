"""What a checkpoint is, and its graph, whatever its family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from checkpoint_ld.reading import Reading

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.families.sources import Source
    from checkpoint_ld.graph.statement_graph import StatementGraph
    from checkpoint_ld.graph.store import Index

BENCHMARK: Final = "benchmark"
AGENT: Final = "agent"


def family_of(source: Source) -> str:
    """Return the family of a checkpoint: `benchmark` or `agent`."""
    return BENCHMARK if isinstance(source, Reading) else AGENT


def dialect_of(source: Source) -> str:
    """Return the dialect that a source is written in; for agents, `agent-canonical` or `agent-second`."""
    return source.dialect if isinstance(source, Reading) else f"{AGENT}-{source.shape}"


def name_of(source: Source) -> str:
    """Return what people call a checkpoint, empty where nobody said."""
    name = source.tree.get("name")
    return name if isinstance(name, str) else ""


def graph_of(source: Source, *, prov: bool = True) -> StatementGraph:
    """Return the graph of a checkpoint as it leaves us: that of an agent with the provenance layer, unless not `prov`.

    Raises ReadError for what no graph can be made of.
    """
    if isinstance(source, Reading) or not prov:
        return source.graph
    from checkpoint_ld.agent.graph import AgentGraph  # noqa: PLC0415 - benchmarks need none of it

    return AgentGraph.of_tree(source.tree, prov=True)


def restored(index: Index, root: Node, family: str) -> StatementGraph:
    """Return the graph of statements that are known to be those of a checkpoint of a family, called `root`."""
    if family != AGENT:
        from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph  # noqa: PLC0415 - validation seldom needs one

        return CheckpointGraph(index, root)
    from checkpoint_ld.agent.graph import AgentGraph  # noqa: PLC0415 - as above

    return AgentGraph(index, root)


def inferred(graph: StatementGraph) -> StatementGraph:
    """Return a graph together with what follows from it; `graph` stays as it is, and reading passes the rest over."""
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph  # noqa: PLC0415 - as above

    if isinstance(graph, CheckpointGraph):
        from checkpoint_ld.enrichment import with_derived  # noqa: PLC0415 - it reads templates, which few ask for

        return with_derived(graph)
    from checkpoint_ld.agent.graph import AgentGraph  # noqa: PLC0415 - as above
    from checkpoint_ld.agent.rules.inference import with_inferred  # noqa: PLC0415 - as above

    return with_inferred(graph) if isinstance(graph, AgentGraph) else graph
