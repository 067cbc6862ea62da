"""The family of benchmarks: what is done with one that was read. Functions are those of `families.Family`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.dialects import reading
from checkpoint_ld.validation import validator

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.benchmark import Benchmark, Validate
    from checkpoint_ld.dialects.reading import Reading
    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.validation.profiles import Profile
    from checkpoint_ld.validation.results import Checked


def examine_document(document: Document, *, checked: bool) -> Reading:
    """Read a benchmark from a JSON document; if `checked`, with the findings of the rules at load."""
    return _held(reading.examine_document(document), checked=checked)


def of_statements(index: Index, syntax: str, source: str | None, *, checked: bool) -> Reading:
    """Read a benchmark from statements, otherwise as `examine_document`."""
    return _held(reading.of_statements(index, syntax, source), checked=checked)


def _held(read: Reading, *, checked: bool) -> Reading:
    return validator.checked_at_load(read) if checked else read


def refusing(read: Reading, *, strict: bool, validate: Validate = "off") -> Reading:
    """Return a reading. Raises ReadError if it breaks rules of the profile `load`; if `strict`, for any finding."""
    return validator.refusing(read, strict=strict, profile=validator.profile_for(validate))


def check(read: Reading, profile: Profile, *, engine: str) -> Checked:
    """Validate a reading by the rules of a profile."""
    return validator.check_reading(read, profile, engine=engine)


def loaded(read: Reading, validate: Validate) -> Benchmark:
    """Return the benchmark of a reading, validated as `Benchmark.load` does."""
    from checkpoint_ld.benchmark import Benchmark  # noqa: PLC0415 - it takes long to import

    return Benchmark.of_reading(read, validate=validate)


def exported(read: Reading, *, prov: bool) -> CheckpointGraph:  # noqa: ARG001 - agents have a provenance layer
    """Return the graph of a reading."""
    return read.graph


def restored(index: Index, root: Node) -> CheckpointGraph:
    """Return the graph for the statements of a benchmark with its root."""
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph  # noqa: PLC0415 - validation seldom needs one

    return CheckpointGraph(index, root)


def inferred(graph: CheckpointGraph) -> CheckpointGraph:
    """Return a copy of a graph with its inferred statements."""
    from checkpoint_ld.validation import inference  # noqa: PLC0415 - it reads templates, which few need

    return inference.with_inferred(graph)
