"""Entities: the parts of a benchmark as pydantic models: questions, traits, rubrics, primitives, scenarios.

They are copies of content of the graph: authors build them strictly, files are read leniently (`LENIENT`).
"""

from checkpoint_ld.entities.answer import BaseAnswer, VerificationMeta, VerifiedField, capture_answer_source
from checkpoint_ld.entities.callable_trait import CallableCode, CallableRubricTrait
from checkpoint_ld.entities.entity import LENIENT, Entity, TraitKind
from checkpoint_ld.entities.measures import (
    DateMatch,
    DateRange,
    DateTolerance,
    NumericExact,
    NumericGraded,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericRangeGraded,
    NumericThresholdGraded,
    NumericTolerance,
)
from checkpoint_ld.entities.primitives import (
    PRIMITIVES,
    AnyPrimitive,
    BooleanMatch,
    ContainsAll,
    ContainsAny,
    ExactMatch,
    LiteralMatch,
    OrderedMatch,
    RegexMatch,
    SemanticMatch,
    SetContainment,
    TraceContains,
    TraceLength,
    TraceRegex,
    primitive_of,
)
from checkpoint_ld.entities.question import (
    BenchmarkMetadata,
    Creator,
    Organization,
    OutcomeCriterion,
    Person,
    Question,
    QuestionRegistryEntry,
    Scenario,
    ScenarioEdge,
    ScenarioNode,
)
from checkpoint_ld.entities.rubric import (
    AnyTrait,
    DeterministicEvaluation,
    DynamicRubric,
    OutcomeStatus,
    Rubric,
    RubricEvaluation,
    TraitOutcome,
    merge_dynamic_rubrics,
    merge_rubrics,
    merge_rubrics_with_provenance,
)
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
from checkpoint_ld.entities.traits import (
    AgenticRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
)
from checkpoint_ld.entities.verification_primitive import (
    NORMALIZERS,
    CheckResult,
    Normalizer,
    SynonymMap,
    TracePrimitive,
    VerificationPrimitive,
    apply_normalizer,
    apply_normalizers,
    safe_check,
)

__all__ = ["LENIENT", "NORMALIZERS", "PRIMITIVES", "AgenticRubricTrait", "AllOf", "AnyOf", "AnyPrimitive"]
__all__ += ["AnyTrait", "AtLeastN", "BaseAnswer", "BenchmarkMetadata", "BooleanMatch", "CallableCode"]
__all__ += ["CallableRubricTrait", "CheckResult", "ConditionalGroundTruth", "ContainsAll", "ContainsAny"]
__all__ += ["Creator", "DateMatch", "DateRange", "DateTolerance", "DeterministicEvaluation", "DynamicRubric"]
__all__ += ["Entity", "ExactMatch", "FieldCheck", "GroundTruthCase", "LLMRubricTrait", "LiteralMatch"]
__all__ += ["MetricRubricTrait", "Normalizer", "NumericExact", "NumericGraded", "NumericMaximum", "NumericMinimum"]
__all__ += ["NumericRange", "NumericRangeGraded", "NumericThresholdGraded", "NumericTolerance", "OrderedMatch"]
__all__ += ["Organization", "OutcomeCriterion", "OutcomeStatus", "Person", "Question", "QuestionRegistryEntry"]
__all__ += ["RegexMatch", "RegexRubricTrait", "Rubric", "RubricEvaluation", "Scenario", "ScenarioEdge"]
__all__ += ["ScenarioNode", "SemanticMatch", "SetContainment", "StrategyNode", "SynonymMap", "TemplateFieldSpec"]
__all__ += ["TemplateSpec", "TraceContains", "TraceLength", "TracePrimitive", "TraceRegex", "TraitKind"]
__all__ += ["TraitOutcome", "VerificationMeta", "VerificationPrimitive", "VerifiedField", "VerifyStrategySpec"]
__all__ += ["apply_normalizer", "apply_normalizers", "capture_answer_source", "evaluate_composition"]
__all__ += ["evaluate_strategy", "merge_dynamic_rubrics", "merge_rubrics", "merge_rubrics_with_provenance"]
__all__ += ["primitive_of", "safe_check"]
