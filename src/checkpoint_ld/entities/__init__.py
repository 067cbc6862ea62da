"""Entities: what a benchmark consists of, as pydantic models.

They are views of the graph: built strictly by authors, leniently (`LENIENT`) from files.
"""

from checkpoint_ld.entities.agentic_trait import AgenticRubricTrait
from checkpoint_ld.entities.callable_code import CallableCode
from checkpoint_ld.entities.callable_trait import CallableRubricTrait
from checkpoint_ld.entities.dynamic_rubric import DynamicRubric
from checkpoint_ld.entities.entity import LENIENT, Entity
from checkpoint_ld.entities.kinds import TraitKind
from checkpoint_ld.entities.llm_trait import LLMRubricTrait
from checkpoint_ld.entities.merging import merge_dynamic_rubrics, merge_rubrics, merge_rubrics_with_provenance
from checkpoint_ld.entities.metadata import BenchmarkMetadata, Creator, Organization, Person
from checkpoint_ld.entities.metric_trait import MetricRubricTrait
from checkpoint_ld.entities.question import Question, QuestionRegistryEntry
from checkpoint_ld.entities.regex_trait import RegexRubricTrait
from checkpoint_ld.entities.rubric import Rubric, RubricEvaluation
from checkpoint_ld.entities.scenario import OutcomeCriterion, Scenario, ScenarioEdge, ScenarioNode
from checkpoint_ld.entities.trait_collection import AnyTrait

__all__ = [
    "LENIENT",
    "AgenticRubricTrait",
    "AnyTrait",
    "BenchmarkMetadata",
    "CallableCode",
    "CallableRubricTrait",
    "Creator",
    "DynamicRubric",
    "Entity",
    "LLMRubricTrait",
    "MetricRubricTrait",
    "Organization",
    "OutcomeCriterion",
    "Person",
    "Question",
    "QuestionRegistryEntry",
    "RegexRubricTrait",
    "Rubric",
    "RubricEvaluation",
    "Scenario",
    "ScenarioEdge",
    "ScenarioNode",
    "TraitKind",
    "merge_dynamic_rubrics",
    "merge_rubrics",
    "merge_rubrics_with_provenance",
]
