"""Namespaces and terms: the names in checkpoints, and the order in which they are written."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


BENCHMARK = "benchmark"
AGENT = "agent"
"""The families of checkpoints."""

SCHEMA = "https://schema.org/"
SCHEMA_HTTP = "http://schema.org/"
KARENINA = "urn:karenina:vocab:"
CAF = "urn:caf:vocab:"
CAF_DERIVED = "urn:caf:derived:"
"""Namespace of the terms of agent checkpoints."""
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

SHACL = "http://www.w3.org/ns/shacl#"
SHAPES = "urn:karenina:shape:"
"""Namespace of the shapes; the local name of a rule's shape is its slug."""
AGENT_SHAPES = "urn:caf:shape:"
"""Namespace of the shapes of agent checkpoints, otherwise as `SHAPES`."""
CHECKPOINT_SHACL = "urn:checkpoint-ld:shacl#"
"""Namespace of what the shapes use in addition to SHACL: codes, remedies, constraint components and functions."""

ID_BASE = "https://checkpoint-ld.invalid/id/"
"""Base against which relative identifiers are resolved; `contexts/karenina.jsonld` names the same one.

Its scheme is one that every library joins with a relative reference (Python's `urljoin` joins none that it does not
know), and its host is one that never resolves (RFC 6761 §6.4).
"""

FORMAT_VERSION = "3.0.0-jsonld"
FORMAT_VERSION_PROPERTY = "benchmark_format_version"
GUI_FORMAT_VERSION_PROPERTY = "checkpoint_format_version"
CONVERSION_PROPERTY = "conversion_metadata"
"""The GUI's note about a conversion, as JSON text."""

SCOPES = ("Global", "QuestionSpecific")
TRAIT_FAMILIES = {
    "RubricTrait": "llm",
    "LLMRubricTrait": "llm",
    "RegexTrait": "regex",
    "CallableTrait": "callable",
    "MetricRubricTrait": "metric",
    "AgenticRubricTrait": "agentic",
}
"""What evaluates a trait, by its type without scope."""
DYNAMIC = "DynamicRubricTrait"
"""The type without scope of a dynamic trait, whose setting `dynamic_trait_type` names what evaluates it."""
TRAIT_SUFFIXES = (*TRAIT_FAMILIES, DYNAMIC)
TRAIT_TYPES = tuple(scope + suffix for scope in SCOPES for suffix in TRAIT_SUFFIXES)
"""The fourteen values of `additionalType`, without prefix."""

TRAIT_KINDS = ("boolean", "score", "literal")
"""The kinds of result that the setting `kind` of a trait may name."""

END = "__end__"
"""The target of an edge that ends the conversation of a scenario."""


_PROPERTY = ("@type", "name", "value")
_QUESTION = ("@type", "@id", "text", "acceptedAnswer", "hasPart", "rating", "additionalProperty", "keywords")
_FEED_END = ("dataFeedElement", "hasPart", "additionalProperty")
_EDGE = ("source", "target", "condition", "conditionSource", "handover")
_CRITERION = ("name", "description", "check", "evaluateSource")

BY_TYPE: dict[str, tuple[str, ...]] = {
    "DataFeed": (
        *("@context", "@type", "@id", "name", "description", "version", "creator"),
        *("dateCreated", "dateModified", "rating", *_FEED_END),
    ),
    "DataFeedItem": ("@type", "@id", "dateCreated", "dateModified", "keywords", "item"),
    "Question": _QUESTION,
    "Answer": ("@type", "@id", "text"),
    "SoftwareSourceCode": ("@type", "@id", "name", "text", "programmingLanguage", "codeRepository"),
    "PropertyValue": _PROPERTY,
    "Rating": (
        *("@type", "@id", "name", "description", "bestRating", "worstRating"),
        *("ratingValue", "ratingExplanation", "additionalType", "additionalProperty"),
    ),
    "Person": ("@type", "@id", "name", "url", "email"),
    "karenina:Scenario": (
        *("@type", "@id", "name", "description", "entryNode", "nodes", "edges", "outcomeCriteria", "metadata"),
    ),
    "karenina:ScenarioNode": (
        *("@type", "@id", "nodeId", "question", "modelOverride", "toolFilter", "stateUpdateSource"),
        *("questionData", "agentIdentity", "metadata"),
    ),
}

BY_SLOT = {"additionalProperty": _PROPERTY, "edges": _EDGE, "outcomeCriteria": _CRITERION}
"""Objects that need no type: their order by the member that they stand in."""

DATES = frozenset(("dateCreated", "dateModified"))
CODE = frozenset(("programmingLanguage", "codeRepository", "answerTemplate"))
TEXTS = DATES | CODE | {"name", "description", "version", "text", "identifier", "keywords", "creator", "url", "email"}
"""Members that hold text."""

_DEFAULT = ("@context", "@type", "@id", "name", "description")


def order_of(kind: object, slot: str | None) -> tuple[str, ...]:
    """Return the keys that Karenina knows at an object of the type `kind` in the member `slot`, in canonical order."""
    return (BY_TYPE.get(kind) if isinstance(kind, str) else None) or BY_SLOT.get(slot or "", _DEFAULT)


def rank_of(key: str, kind: object, slot: str | None) -> tuple[int, str]:
    """Return the sort key of a member of an object, for the order of `ordered`."""
    order = order_of(kind, slot)
    return (order.index(key), "") if key in order else (len(order), key)


def ordered(members: dict[str, Any], slot: str | None) -> dict[str, Any]:
    """Return `members` in canonical order, those that Karenina does not know last and sorted."""
    order = order_of(members.get("@type"), slot)
    known = {key: members[key] for key in order if key in members}
    if "@context" in members and "@context" not in order:
        known = {"@context": members["@context"], **known}
    return {**known, **{key: members[key] for key in sorted(members.keys() - known.keys())}}


TYPES: Mapping[str, str] = MappingProxyType(
    {
        "Benchmark": "DataFeed",
        "Item": "DataFeedItem",
        "Question": "Question",
        "Answer": "Answer",
        "Template": "SoftwareSourceCode",
        "Trait": "Rating",
        "Setting": "PropertyValue",
        "Scenario": "karenina:Scenario",
        "Node": "karenina:ScenarioNode",
        "Creator": "Person",
    }
)
"""The type of the object in each role."""

KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **{role: BY_TYPE[kind] for role, kind in TYPES.items()},
        "Edge": BY_SLOT["edges"],
        "Criterion": BY_SLOT["outcomeCriteria"],
    }
)
"""The keys that Karenina knows in the object in each role."""

ARRAYS = frozenset(
    (
        *("rating", "additionalProperty", "keywords", "dataFeedElement", "hasPart", "acceptedAnswer", "creator"),
        *("edges", "outcomeCriteria"),
    )
)
"""The keys whose values may be arrays, also where one value is usual."""

ANYTHING = frozenset(
    ("value", "condition", "check", "metadata", "modelOverride", "toolFilter", "questionData", "nodes")
)
"""The keys whose values have their own form, which other rules check."""

_DEEP_JUDGMENT = (
    *("deep_judgment_enabled", "deep_judgment_excerpt_enabled", "deep_judgment_search_enabled"),
    *("deep_judgment_max_excerpts", "deep_judgment_fuzzy_match_threshold", "deep_judgment_excerpt_retry_attempts"),
)
_SCORES = ("min_score", "max_score")
_AGENT = ("context_mode", "materialize_trace", "persist_trace", "max_turns", "timeout_seconds")

TRAIT_SETTINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "llm": (
            *(*_DEEP_JUDGMENT, "higher_is_better", "summary", *_SCORES, "kind", "classes"),
            "include_ground_truth",
        ),
        "regex": ("pattern", "case_sensitive", "invert_result", "higher_is_better", "summary"),
        "callable": (*("callable_code", "kind", "invert_result", "higher_is_better", *_SCORES, "summary", "classes"),),
        "metric": (
            *("metrics", "repeated_extraction", "evaluation_mode", "higher_is_better", "tp_instructions"),
            *("tn_instructions", "summary"),
        ),
        "agentic": ("kind", "higher_is_better", *_AGENT, "classes", "model_override", "summary", *_SCORES),
    }
)
"""The settings of each kind of trait, in the order in which Karenina writes them as properties of a rating."""

SETTINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Benchmark": (
            *("benchmark_format_version", "checkpoint_format_version", "benchmark_type"),
            *("global_rubric_traits", "global_regex_rubric_traits", "global_callable_rubric_traits"),
            *("global_metric_rubric_traits", "global_manual_rubric_traits"),
        ),
        "Question": (
            *("finished", "author", "sources", "few_shot_examples", "answer_notes", "workspace_path"),
            *("original_answer_template", "question_manual_rubric_traits"),
        ),
        "Trait": (*dict.fromkeys(name for names in TRAIT_SETTINGS.values() for name in names), "dynamic_trait_type"),
    }
)
"""The settings that become predicates, by the role of the object that has them."""
