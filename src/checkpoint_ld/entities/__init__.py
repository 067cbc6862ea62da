"""Entities: what a benchmark consists of, as pydantic models, and all that these models are made of.

They are views of the graph: built strictly by authors, leniently (`LENIENT`) from files.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from checkpoint_ld.entities.answer import BaseAnswer, capture_answer_source
    from checkpoint_ld.entities.callable_trait import CallableCode, CallableRubricTrait
    from checkpoint_ld.entities.entity import LENIENT, Entity, TraitKind
    from checkpoint_ld.entities.primitives import (
        NORMALIZERS,
        PRIMITIVES,
        AnyPrimitive,
        BooleanMatch,
        CheckResult,
        ContainsAll,
        ContainsAny,
        DateMatch,
        DateRange,
        DateTolerance,
        ExactMatch,
        LiteralMatch,
        NumericExact,
        NumericGraded,
        NumericMaximum,
        NumericMinimum,
        NumericRange,
        NumericRangeGraded,
        NumericThresholdGraded,
        NumericTolerance,
        OrderedMatch,
        RegexMatch,
        SemanticMatch,
        SetContainment,
        SynonymMap,
        TraceContains,
        TraceLength,
        TracePrimitive,
        TraceRegex,
        VerificationPrimitive,
        apply_normalizer,
        apply_normalizers,
        primitive_of,
        safe_check,
    )
    from checkpoint_ld.entities.question import (
        BenchmarkMetadata,
        Creator,
        Organization,
        Person,
        Question,
        QuestionRegistryEntry,
    )
    from checkpoint_ld.entities.rubric import (
        AnyTrait,
        DynamicRubric,
        Rubric,
        RubricEvaluation,
        merge_dynamic_rubrics,
        merge_rubrics,
        merge_rubrics_with_provenance,
    )
    from checkpoint_ld.entities.rubric_evaluation import DeterministicEvaluation, OutcomeStatus, TraitOutcome
    from checkpoint_ld.entities.scenario import OutcomeCriterion, Scenario, ScenarioEdge, ScenarioNode
    from checkpoint_ld.entities.template_spec import (
        AllOf,
        AnyOf,
        AtLeastN,
        ConditionalGroundTruth,
        FieldCheck,
        GroundTruthCase,
        StrategyNode,
        TemplateFieldSpec,
        TemplateSpec,
        VerifyStrategySpec,
        evaluate_composition,
        evaluate_strategy,
    )
    from checkpoint_ld.entities.traits import AgenticRubricTrait, LLMRubricTrait, MetricRubricTrait, RegexRubricTrait
    from checkpoint_ld.entities.verified_field import VerificationMeta, VerifiedField

__all__ = [
    "LENIENT",
    "NORMALIZERS",
    "PRIMITIVES",
    "AgenticRubricTrait",
    "AllOf",
    "AnyOf",
    "AnyPrimitive",
    "AnyTrait",
    "AtLeastN",
    "BaseAnswer",
    "BenchmarkMetadata",
    "BooleanMatch",
    "CallableCode",
    "CallableRubricTrait",
    "CheckResult",
    "ConditionalGroundTruth",
    "ContainsAll",
    "ContainsAny",
    "Creator",
    "DateMatch",
    "DateRange",
    "DateTolerance",
    "DeterministicEvaluation",
    "DynamicRubric",
    "Entity",
    "ExactMatch",
    "FieldCheck",
    "GroundTruthCase",
    "LLMRubricTrait",
    "LiteralMatch",
    "MetricRubricTrait",
    "NumericExact",
    "NumericGraded",
    "NumericMaximum",
    "NumericMinimum",
    "NumericRange",
    "NumericRangeGraded",
    "NumericThresholdGraded",
    "NumericTolerance",
    "OrderedMatch",
    "Organization",
    "OutcomeCriterion",
    "OutcomeStatus",
    "Person",
    "Question",
    "QuestionRegistryEntry",
    "RegexMatch",
    "RegexRubricTrait",
    "Rubric",
    "RubricEvaluation",
    "Scenario",
    "ScenarioEdge",
    "ScenarioNode",
    "SemanticMatch",
    "SetContainment",
    "StrategyNode",
    "SynonymMap",
    "TemplateFieldSpec",
    "TemplateSpec",
    "TraceContains",
    "TraceLength",
    "TracePrimitive",
    "TraceRegex",
    "TraitKind",
    "TraitOutcome",
    "VerificationMeta",
    "VerificationPrimitive",
    "VerifiedField",
    "VerifyStrategySpec",
    "apply_normalizer",
    "apply_normalizers",
    "capture_answer_source",
    "evaluate_composition",
    "evaluate_strategy",
    "merge_dynamic_rubrics",
    "merge_rubrics",
    "merge_rubrics_with_provenance",
    "primitive_of",
    "safe_check",
]

_HOMES = {
    "LENIENT": "entity",
    "AgenticRubricTrait": "traits",
    "AllOf": "template_spec",
    "AnyOf": "template_spec",
    "AnyTrait": "rubric",
    "AtLeastN": "template_spec",
    "BaseAnswer": "answer",
    "BenchmarkMetadata": "question",
    "CallableCode": "callable_trait",
    "CallableRubricTrait": "callable_trait",
    "ConditionalGroundTruth": "template_spec",
    "Creator": "question",
    "DeterministicEvaluation": "rubric_evaluation",
    "DynamicRubric": "rubric",
    "Entity": "entity",
    "FieldCheck": "template_spec",
    "GroundTruthCase": "template_spec",
    "LLMRubricTrait": "traits",
    "MetricRubricTrait": "traits",
    "Organization": "question",
    "OutcomeCriterion": "scenario",
    "OutcomeStatus": "rubric_evaluation",
    "Person": "question",
    "Question": "question",
    "QuestionRegistryEntry": "question",
    "RegexRubricTrait": "traits",
    "Rubric": "rubric",
    "RubricEvaluation": "rubric",
    "Scenario": "scenario",
    "ScenarioEdge": "scenario",
    "ScenarioNode": "scenario",
    "StrategyNode": "template_spec",
    "TemplateFieldSpec": "template_spec",
    "TemplateSpec": "template_spec",
    "TraitKind": "entity",
    "TraitOutcome": "rubric_evaluation",
    "VerificationMeta": "verified_field",
    "VerifiedField": "verified_field",
    "VerifyStrategySpec": "template_spec",
    "capture_answer_source": "answer",
    "evaluate_composition": "template_spec",
    "evaluate_strategy": "template_spec",
    "merge_dynamic_rubrics": "rubric",
    "merge_rubrics": "rubric",
    "merge_rubrics_with_provenance": "rubric",
}
"""Where a name lives; all others are primitives and what goes with them."""


def __getattr__(name: str) -> Any:
    # Primitives, compositions and templates take time to import that who wants a Question need not wait for (PEP 562).
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'primitives')}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
