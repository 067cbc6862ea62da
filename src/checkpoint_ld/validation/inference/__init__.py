"""Inference: what follows from the statements of a benchmark, as statements that any SHACL processor can speak of.

The role of every object by its place, the kinds of traits, the settings that stand in additional properties as
predicates (`karenina:maxTurns` for `max_turns`), what repeats what, and how the nodes of a scenario hang together:
`infer`. Authors, sources, fields of templates and faults that only Python finds come with them in `with_inferred`.
They are never part of the graph of a checkpoint, and no mapper reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.validation.inference.benchmark import infer
from checkpoint_ld.validation.inference.roles import InferenceSource, predicate_of

if TYPE_CHECKING:
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

__all__ = ["InferenceSource", "infer", "predicate_of", "with_inferred"]


def with_inferred(graph: CheckpointGraph) -> CheckpointGraph:
    """Return the statements of a checkpoint together with the inferred ones; `graph` stays unchanged.

    Two inferences give the same statements. A predicate or class that the checkpoint itself uses is not inferred on its
    nodes, so that `dialects.reading.statements.without_derived` finds the statements of the checkpoint again. The
    result is for queries and for writing RDF: its members are no longer those of a document.
    """
    from checkpoint_ld.validation.inference import inferred_graph  # noqa: PLC0415 - it reads templates, which few callers need

    return inferred_graph.with_inferred(graph)
