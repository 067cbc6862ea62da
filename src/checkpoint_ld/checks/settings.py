"""Checks on the settings of rubric traits: what each family asks of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld.checks.readings import given, is_boolean_like, number, numeric_text, shown
from checkpoint_ld.checks.sources import code_told, pattern_fault
from checkpoint_ld.checks.traits import KINDS, Trait
from checkpoint_ld.dialects.properties import container
from checkpoint_ld.dialects.ratings import CONTAINERS

if TYPE_CHECKING:
    from checkpoint_ld.checks.spot import Spot

METRICS = {
    "tp_only": ("precision", "recall", "f1"),
    "full_matrix": ("precision", "recall", "f1", "specificity", "accuracy"),
}
"""The metrics that each evaluation mode can compute."""

GUI_FULL_MATRIX = "tp_and_tn"
"""What the Karenina GUI calls full_matrix."""

CONTEXT_MODES = ("workspace_only", "trace_and_workspace", "trace_only")
CLASS_LIMIT = 20

_BOOLEANS = (
    "higher_is_better",
    "case_sensitive",
    "invert_result",
    "repeated_extraction",
    "materialize_trace",
    "persist_trace",
    "deep_judgment_enabled",
    "deep_judgment_excerpt_enabled",
    "deep_judgment_search_enabled",
)
_NUMBERS = (
    "min_score",
    "max_score",
    "max_turns",
    "timeout_seconds",
    "deep_judgment_max_excerpts",
    "deep_judgment_fuzzy_match_threshold",
    "deep_judgment_excerpt_retry_attempts",
)


@dataclass(frozen=True, slots=True)
class PlacedTrait(Trait):
    """A trait and where it stands."""

    spot: Spot


_LISTS = {
    "metrics": "metric-names",
    "tp_instructions": "metric-instructions",
    "tn_instructions": "metric-negative-instructions",
}


def unquoted(settings: dict[str, Any], spot: Spot) -> dict[str, Any]:
    """Return settings with the objects and arrays that are written as JSON text, which is reported."""
    quoted = {name: value for name in CONTAINERS if (value := container(settings.get(name))) is not None}
    for name in quoted:
        spot.report("trait-json-text", f"{name} is the text {shown(settings[name])}, read as what it spells")
    return settings | quoted if quoted else settings


def check_settings(trait: PlacedTrait) -> None:
    """Check what the family of `trait` asks of its settings."""
    _check_scalars(trait)
    match trait.family:
        case "regex":
            _check_pattern(trait)
        case "metric":
            _check_metric(trait)
        case "llm":
            _check_kind(trait)
        case "agentic":
            _check_kind(trait)
            _check_agentic(trait)
        case "callable":
            _check_kind(trait)
            _check_code(trait)
        case _:
            said = given(trait.settings.get("dynamic_trait_type"))
            trait.spot.report(
                "dynamic-kind", f"dynamic_trait_type is {said}", "write llm, regex, callable, metric or agentic"
            )


def _check_scalars(trait: PlacedTrait) -> None:
    for name in _BOOLEANS:
        value = trait.settings.get(name)
        if value is not None and not isinstance(value, bool):
            code = "trait-flag-text" if is_boolean_like(value) else "trait-flag"
            trait.spot.report(code, f"{name} is {shown(value)}, not a boolean", "write true or false")
    for name in _NUMBERS:
        value = trait.settings.get(name)
        if value is not None and number(value) is None:
            code = "trait-number" if numeric_text(value) is None else "trait-number-text"
            trait.spot.report(code, f"{name} is {shown(value)}, not a number", "write a number")


def _check_pattern(trait: PlacedTrait) -> None:
    pattern = trait.settings.get("pattern")
    if pattern is None or pattern == "":
        trait.spot.report("pattern-missing", "the regex trait has no pattern")
    elif not isinstance(pattern, str):
        trait.spot.report("pattern-text", f"the pattern is {shown(pattern)}, not text", "write a regular expression")
    else:
        faults = trait.spot.inquiry.pattern_faults
        if pattern not in faults:
            faults[pattern] = pattern_fault(pattern)
        if fault := faults[pattern]:
            message = f"the pattern {shown(pattern)} is no regular expression: {fault}"
            trait.spot.report("pattern-compiles", message, "correct the regular expression")


def _check_code(trait: PlacedTrait) -> None:
    code = trait.settings.get("callable_code")
    if code is None or code == "":
        trait.spot.report("callable-code-missing", "the callable trait has no code")
    elif isinstance(code, str):
        trait.spot.report("callable-code", f"callable_code holds {code_told(code)}")
    else:
        trait.spot.report("callable-code-text", f"callable_code is {shown(code)}, not text", "write the code as text")


def _check_metric(trait: PlacedTrait) -> None:
    mode = trait.settings.get("evaluation_mode")
    if mode == GUI_FULL_MATRIX:
        trait.spot.report(
            "metric-mode-gui", f"evaluation_mode is {shown(mode)}, read as full_matrix", "write full_matrix"
        )
    elif mode is not None and not (isinstance(mode, str) and mode in METRICS):
        trait.spot.report("metric-mode", f"unknown evaluation_mode {shown(mode)}", "write tp_only or full_matrix")
    elif mode == "full_matrix" and not trait.settings.get("tn_instructions"):
        trait.spot.report(
            "metric-full-matrix", "full_matrix without tn_instructions", "add tn_instructions, or write tp_only"
        )
    for name in ("metrics", "tp_instructions"):
        _check_list(trait, name, least=1)
    _check_list(trait, "tn_instructions", least=0)
    _check_metric_names(trait, "tp_only" if mode is None else mode)


def _check_list(trait: PlacedTrait, name: str, least: int) -> None:
    value = trait.settings.get(name)
    if value is None and not least:
        return
    if not isinstance(value, list) or len(value) < least:
        trait.spot.report(_LISTS[name], f"{name} is {given(value)}", f"write {name} as an array of texts")
        return
    for entry in value:
        if not isinstance(entry, str):
            trait.spot.report(_LISTS[name], f"{name} holds {shown(entry)}, not text", "write its entries as text")
            return


def _check_metric_names(trait: PlacedTrait, mode: object) -> None:
    metrics = trait.settings.get("metrics")
    known = METRICS["full_matrix"]
    for metric in metrics if isinstance(metrics, list) else ():
        if isinstance(metric, str) and metric not in known:
            trait.spot.report("metric-unknown", f"unknown metric {shown(metric)}", f"use {', '.join(known)}")
        elif mode == "tp_only" and isinstance(metric, str) and metric not in METRICS["tp_only"]:
            trait.spot.report(
                "metric-mode-mismatch", f"tp_only cannot compute {metric}", "write full_matrix and add tn_instructions"
            )


def _check_kind(trait: PlacedTrait) -> None:
    kind = trait.settings.get("kind")
    if kind == "binary":
        trait.spot.report("trait-kind-binary", 'kind is "binary", read as boolean', "write boolean")
    elif isinstance(kind, dict) and trait.family != "callable":
        if kind.get("type") != "template" or not isinstance(kind.get("schema"), dict):
            message = "kind is an object, but not of type template with a schema"
            trait.spot.report("trait-kind", message, 'write {"type": "template", "schema": …}')
    elif kind is not None and not (isinstance(kind, str) and kind in KINDS):
        trait.spot.report(
            "callable-kind" if trait.family == "callable" else "trait-kind",
            f"unknown kind {shown(kind)}",
            f"use {', '.join(KINDS)}",
        )
    elif kind == "literal":
        _check_classes(trait)
        return
    classes = trait.settings.get("classes")
    if classes is not None and not isinstance(classes, dict):
        trait.spot.report("class-object", f"classes is {shown(classes)}, no object", "write an object, or take it out")


def _check_classes(trait: PlacedTrait) -> None:
    classes = trait.settings.get("classes")
    if not isinstance(classes, dict):
        message = f"classes of the literal trait: {given(classes)}"
        trait.spot.report("class-map", message, "write an object of class names and descriptions")
        return
    if len(classes) < 2:
        trait.spot.report("class-map", f"a literal trait needs two classes, not {len(classes)}", "add a class")
    elif len(classes) > CLASS_LIMIT:
        message = f"the trait has {len(classes)} classes, and Karenina takes {CLASS_LIMIT}"
        trait.spot.report("class-count", message, "join some of them")
    if len({name.casefold() for name in classes}) < len(classes):
        message = "class names differ in upper and lower case only"
        trait.spot.report("class-case", message, "give each class a name of its own")
    for name, description in classes.items():
        if not name.strip() or not isinstance(description, str) or not description.strip():
            message = f"class {shown(name)} has the description {shown(description)}"
            trait.spot.report("class-blank", message, "give each class a name and a description")


def _check_agentic(trait: PlacedTrait) -> None:
    mode = trait.settings.get("context_mode")
    if mode is not None and not (isinstance(mode, str) and mode in CONTEXT_MODES):
        trait.spot.report("agentic-context", f"unknown context_mode {shown(mode)}", f"use {', '.join(CONTEXT_MODES)}")
    if not trait.members.get("description"):
        trait.spot.report(
            "agentic-description", "the agentic trait has no description", "say what the agent has to judge"
        )
