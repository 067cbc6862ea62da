"""The settings that stand in additional properties, and the predicates that say them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from checkpoint_ld.graph.expansion import named
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from rdflib import URIRef

SETTINGS = {
    "Benchmark": (
        *("benchmark_format_version", "checkpoint_format_version", "benchmark_type"),
        *("global_rubric_traits", "global_regex_rubric_traits", "global_callable_rubric_traits"),
        *("global_metric_rubric_traits", "global_manual_rubric_traits"),
    ),
    "Question": (
        *("finished", "author", "sources", "few_shot_examples", "answer_notes", "workspace_path"),
        "original_answer_template",
    ),
    "Trait": (
        *("deep_judgment_enabled", "deep_judgment_excerpt_enabled", "deep_judgment_search_enabled"),
        *("deep_judgment_max_excerpts", "deep_judgment_fuzzy_match_threshold"),
        *("deep_judgment_excerpt_retry_attempts", "higher_is_better", "summary", "min_score", "max_score"),
        *("kind", "classes", "pattern", "case_sensitive", "invert_result", "callable_code", "metrics"),
        *("repeated_extraction", "evaluation_mode", "tp_instructions", "tn_instructions", "context_mode"),
        *("materialize_trace", "persist_trace", "max_turns", "timeout_seconds", "model_override"),
        *("dynamic_trait_type", "include_ground_truth"),
    ),
}
"""The settings that become predicates, by the role of the object that has them."""


@cache
def predicate_of(setting: str) -> URIRef:
    """Return the predicate that a setting is derived under: `karenina:maxTurns` for `max_turns`."""
    return named(KARENINA + re.sub(r"_(\w)", lambda match: match[1].upper(), setting))
