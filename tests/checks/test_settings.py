"""What each kind of trait asks of its settings."""

from __future__ import annotations

import base64
import hashlib
import pickle
import warnings

import pytest

from checkpoint_ld.checks import check
from tests.checks import RATING, Json, found, rated

CLASSES = {"low": "little of it", "high": "much of it"}
METRIC = {"metrics": ["recall"], "tp_instructions": ["says mercury"]}
FULL = {**METRIC, "evaluation_mode": "full_matrix", "tn_instructions": ["says gold"]}


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("RubricTrait", {}),
        ("RubricTrait", {"kind": "boolean", "higher_is_better": None, "deep_judgment_fuzzy_match_threshold": 0.8}),
        ("LLMRubricTrait", {"kind": "literal", "classes": CLASSES}),
        ("LLMRubricTrait", {"kind": {"type": "template", "schema": {"type": "object"}}}),
        ("RegexTrait", {"pattern": r"\[\d+\]", "case_sensitive": False}),
        ("MetricRubricTrait", METRIC),
        ("MetricRubricTrait", {**FULL, "metrics": ["accuracy", "specificity"]}),
        ("MetricRubricTrait", {**METRIC, "evaluation_mode": "tp_only", "tn_instructions": []}),
        ("AgenticRubricTrait", {"kind": "boolean", "context_mode": "trace_only", "max_turns": 3}),
        ("AgenticRubricTrait", {}),
        ("DynamicRubricTrait", {"dynamic_trait_type": "metric", **METRIC}),
        ("DynamicRubricTrait", {"dynamic_trait_type": "llm", "a custom setting": {}}),
    ],
)
def test_complete_settings_are_no_fault(kind: str, settings: Json) -> None:
    assert found(rated(kind, settings)) == []


@pytest.mark.parametrize(
    ("kind", "settings", "named"),
    [
        ("RegexTrait", {"pattern": "[a"}, "[a"),
        ("RegexTrait", {"pattern": 5}, "5"),
        ("RegexTrait", {"pattern": "a{99999999999999999999}"}, "repetition"),
        ("RegexTrait", {"pattern": "(" * 5_000 + ")" * 5_000}, "nested too deeply"),
        ("RubricTrait", {"kind": "shade"}, "shade"),
        ("RubricTrait", {"kind": 5}, "5"),
        ("RubricTrait", {"kind": {"type": "template"}}, "schema"),
        ("LLMRubricTrait", {"kind": "literal", "classes": {"one": "only"}}, "not 1"),
        ("LLMRubricTrait", {"kind": "literal"}, "missing"),
        ("LLMRubricTrait", {"kind": "literal", "classes": ["low", "high"]}, "an array of 2"),
        ("MetricRubricTrait", {**METRIC, "metrics": []}, "metrics"),
        ("MetricRubricTrait", {**METRIC, "metrics": ["beauty"]}, "beauty"),
        ("MetricRubricTrait", {**METRIC, "metrics": [5]}, "5"),
        ("MetricRubricTrait", {"metrics": ["recall"]}, "tp_instructions"),
        ("MetricRubricTrait", {**METRIC, "tp_instructions": "text"}, "text"),
        ("MetricRubricTrait", {**METRIC, "evaluation_mode": "tn_only"}, "tn_only"),
        ("MetricRubricTrait", {**METRIC, "evaluation_mode": ["tp_only"]}, "array"),
        ("AgenticRubricTrait", {"context_mode": "everything"}, "everything"),
        ("DynamicRubricTrait", {"dynamic_trait_type": "manual"}, "manual"),
        ("DynamicRubricTrait", {}, "missing"),
        ("RubricTrait", {"higher_is_better": "perhaps"}, "perhaps"),
        ("RubricTrait", {"min_score": "low"}, "low"),
    ],
)
def test_a_setting_without_meaning_is_refused_and_named(kind: str, settings: Json, named: str) -> None:
    (finding,) = check(rated(kind, settings))

    assert (finding.condition, finding.place.pointer, finding.subject) == ("E-TRAIT", RATING, 'trait "tone"')
    assert named in finding.message
    assert finding.remedy


def test_an_agentic_trait_needs_a_description() -> None:
    assert found(rated("AgenticRubricTrait", description=None)) == [("E-TRAIT", RATING)]
    assert found(rated("RubricTrait", description=None)) == []


def test_a_callable_has_no_template_kind() -> None:
    settings = {"kind": {"type": "template", "schema": {}}, "callable_code": "def f(): ..."}

    assert ("E-TRAIT", RATING) in found(rated("CallableTrait", settings))


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("MetricRubricTrait", {**METRIC, "evaluation_mode": "tp_and_tn"}),
        ("MetricRubricTrait", {**METRIC, "evaluation_mode": "full_matrix"}),
        ("MetricRubricTrait", {**METRIC, "metrics": ["accuracy"]}),
        ("RubricTrait", {"kind": "binary"}),
        ("RubricTrait", {"higher_is_better": "true"}),
        ("RegexTrait", {"pattern": "x", "case_sensitive": 1}),
        ("RubricTrait", {"deep_judgment_max_excerpts": "3"}),
        ("LLMRubricTrait", {"kind": "literal", "classes": {"low": "little", "high": " "}}),
        ("LLMRubricTrait", {"kind": "literal", "classes": {"Low": "little", "low": "less"}}),
        ("LLMRubricTrait", {"kind": "literal", "classes": {str(at): "d" for at in range(21)}}),
    ],
)
def test_an_odd_setting_is_taken_with_a_warning(kind: str, settings: Json) -> None:
    assert found(rated(kind, settings)) == [("W-VALUE", RATING)]


@pytest.mark.parametrize("pattern", [None, ""])
def test_a_regex_without_pattern_is_incomplete(pattern: Json) -> None:
    assert found(rated("RegexTrait", {"pattern": pattern})) == [("W-TRAIT-DEFAULT", RATING)]


@pytest.mark.parametrize("code", [None, ""])
def test_a_callable_without_code_is_incomplete(code: Json) -> None:
    assert found(rated("CallableTrait", {"callable_code": code})) == [("W-TRAIT-DEFAULT", RATING)]


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('a document was unpickled')",)


@pytest.mark.parametrize(
    ("code", "form"),
    [
        (base64.b64encode(pickle.dumps(Bomb())).decode(), "a pickled function in base64"),
        (base64.b64encode(b"def f(text):\n    return True\n").decode(), "source text in base64"),
        (base64.b64encode(b"\x00\x01\xff").decode(), "bytes in base64"),
        ("AAAA", "bytes in base64"),
        ("def f(text):\n    return True\n", "source text"),
        ("%%%", "source text"),
    ],
)
def test_code_is_told_by_its_form_and_never_run(code: str, form: str) -> None:
    (finding,) = check(rated("CallableTrait", {"callable_code": code}))

    assert (finding.condition, finding.place.pointer) == ("W-CODE", RATING)
    assert finding.message.startswith(f"callable_code holds {form}")
    assert finding.message.endswith(f"(sha256:{hashlib.sha256(code.encode()).hexdigest()})")
    assert ("def f" in finding.message) is ("source text" in form and code != "%%%")


def test_code_that_is_no_text_is_refused() -> None:
    assert found(rated("CallableTrait", {"callable_code": 5})) == [("E-TRAIT", RATING)]


def test_a_pattern_that_python_warns_about_leaks_no_warning() -> None:
    with warnings.catch_warnings(record=True) as leaked:
        warnings.simplefilter("always")
        assert found(rated("RegexTrait", {"pattern": "[[a]--b]"})) == []

    assert leaked == []
