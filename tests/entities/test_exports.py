"""What `checkpoint_ld.entities` and `checkpoint_ld.templates` give, and that nobody waits for what they do not use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from checkpoint_ld import entities, templates

TRAITS = ("LLMRubricTrait", "RegexRubricTrait", "CallableRubricTrait", "MetricRubricTrait", "AgenticRubricTrait")
OTHERS = (
    *("Question", "QuestionRegistryEntry", "Rubric", "DynamicRubric", "RubricEvaluation"),
    *("VerificationMeta", "BaseAnswer", "GroundTruthCase", "ConditionalGroundTruth"),
    *("FieldCheck", "AllOf", "AnyOf", "AtLeastN", "SynonymMap", "TracePrimitive", "VerificationPrimitive"),
    *("TemplateSpec", "TemplateFieldSpec", "VerifyStrategySpec"),
    *("Scenario", "ScenarioNode", "ScenarioEdge", "OutcomeCriterion"),
)
FUNCTIONS = (
    *("VerifiedField", "merge_rubrics", "merge_rubrics_with_provenance", "merge_dynamic_rubrics"),
    *("evaluate_strategy", "evaluate_composition", "safe_check", "primitive_of", "apply_normalizers"),
)
PRIMITIVES = (
    *("BooleanMatch", "ExactMatch", "ContainsAny", "ContainsAll", "RegexMatch", "SemanticMatch"),
    *("NumericExact", "NumericTolerance", "NumericRange", "NumericMinimum", "NumericMaximum"),
    *("NumericGraded", "NumericRangeGraded", "NumericThresholdGraded", "SetContainment", "OrderedMatch"),
    *("LiteralMatch", "DateMatch", "DateTolerance", "DateRange", "TraceRegex", "TraceContains", "TraceLength"),
)


@pytest.mark.parametrize("name", [*TRAITS, *OTHERS, *PRIMITIVES])
def test_a_class_is_there_under_its_name(name: str) -> None:
    assert name in entities.__all__
    assert getattr(entities, name).__name__ == name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_there_under_its_name(name: str) -> None:
    assert name in entities.__all__
    assert callable(getattr(entities, name))


def test_the_registry_holds_the_23_primitives() -> None:
    assert set(entities.PRIMITIVES) == set(PRIMITIVES)
    assert len(PRIMITIVES) == 23
    assert all(entities.PRIMITIVES[name] is getattr(entities, name) for name in PRIMITIVES)


@pytest.mark.parametrize("package", [entities, templates], ids=["entities", "templates"])
def test_the_names_are_sorted_and_there(package: object) -> None:
    # Constants, then classes, then functions, each in the order of the alphabet.
    names = package.__all__  # type: ignore[attr-defined]  # every package has it
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert all(hasattr(package, name) for name in names)
    assert set(names) <= set(dir(package))
    with pytest.raises(AttributeError, match="no attribute 'Answer'"):
        package.Answer  # type: ignore[attr-defined]  # noqa: B018  # the point of the test


@pytest.mark.parametrize("name", ["read_template", "spec_of", "source_of", "validate_spec"])
def test_templates_are_read_and_written_through_one_door(name: str) -> None:
    assert name in templates.__all__
    assert callable(getattr(templates, name))


def test_templates_are_read_without_pydantic() -> None:
    program = "import sys; from checkpoint_ld.templates import read_template; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
