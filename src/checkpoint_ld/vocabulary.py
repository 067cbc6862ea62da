"""Namespaces and terms: the names that checkpoints use, and nothing about how they are used."""

from __future__ import annotations

SCHEMA = "https://schema.org/"
SCHEMA_HTTP = "http://schema.org/"
KARENINA = "urn:karenina:vocab:"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

SHACL = "http://www.w3.org/ns/shacl#"
SHAPES = "urn:karenina:shape:"
"""Namespace of the shapes; the local name of a rule's shape is its slug."""
AGENT_SHAPES = "urn:caf:shape:"
"""Namespace of the shapes of agent checkpoints, otherwise as `SHAPES`."""
CHECKPOINT_SHACL = "urn:checkpoint-ld:shacl#"
"""Namespace of what the shapes use beside SHACL: codes, remedies, constraint components and functions."""

ID_BASE = "https://checkpoint-ld.invalid/id/"
"""Base against which relative identifiers are resolved; `contexts/karenina.jsonld` names the same one.

Its scheme is one that every library joins with a relative reference (Python's `urljoin` joins none that it does not
know), and its host is one that never resolves (RFC 6761 §6.4).
"""
FORMER_ID_BASE = "checkpoint://id/"
"""The base of version 0.1; names under it are read as names under `ID_BASE`."""

FORMAT_VERSION = "3.0.0-jsonld"
FORMAT_VERSION_PROPERTY = "benchmark_format_version"
GUI_FORMAT_VERSION_PROPERTY = "checkpoint_format_version"
CONVERSION_PROPERTY = "conversion_metadata"
"""The GUI's note about a conversion, as JSON text."""

SCOPES = ("Global", "QuestionSpecific")
TRAIT_SUFFIXES = (
    "RubricTrait",
    "LLMRubricTrait",
    "RegexTrait",
    "CallableTrait",
    "MetricRubricTrait",
    "AgenticRubricTrait",
    "DynamicRubricTrait",
)
TRAIT_TYPES = tuple(scope + suffix for scope in SCOPES for suffix in TRAIT_SUFFIXES)
"""The fourteen values of `additionalType`, without prefix."""

TRAIT_KINDS = ("boolean", "score", "literal")
"""The kinds of result that the setting `kind` of a trait may name."""
