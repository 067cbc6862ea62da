"""Templates and strategies whose results were observed: in classes of ours, and read without being run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from checkpoint_ld import VerificationResult, entities, verify
from checkpoint_ld.entities.answer import BaseAnswer, verified_fields
from checkpoint_ld.entities.template_spec import StrategyNode, TemplateFieldSpec, TemplateSpec, VerifyStrategySpec
from checkpoint_ld.templates import Level, read_template
from checkpoint_ld.templates.specification import source_of, spec_of
from tests.corpus import templates_of

Row = dict[str, Any]
NODES: TypeAdapter[StrategyNode] = TypeAdapter(StrategyNode)


@pytest.fixture(scope="module")
def templates(corpus: Path) -> list[Row]:
    rows: list[Row] = json.loads((corpus / "tables/templates.json").read_text(encoding="utf-8"))
    assert rows
    return rows


def samples(template: Row) -> list[Row]:
    found = [dict(zip(template["columns"], row, strict=True)) for row in template["rows"]]
    assert found
    return found


def made(code: str) -> type[BaseAnswer]:
    """Run a template that is part of the tables, so that its class is one of ours."""
    names: dict[str, Any] = {"__name__": "made"}
    names |= {name: getattr(entities, name) for name in entities.__all__}
    exec(compile(code, "made", "exec", dont_inherit=True), names)
    answer: type[BaseAnswer] = names["Answer"]
    return answer


def leaves(node: VerifyStrategySpec) -> set[str]:
    return {node.field_name or ""} - {""} | {name for part in node.conditions for name in leaves(part)}


def check_granular(score: float | None, template: Row, sample: Row, *, passed: bool) -> None:
    """Hold the granular score against what was observed, or against what it has to be like."""
    assert score is not None
    assert 0 <= score <= 1
    if template["granular_is_reference"]:
        assert score == pytest.approx(sample["granular"], abs=1e-12)
        return
    spec = spec_of(read_template(template["code"]))
    assert spec is not None
    assert spec.verify_strategy is not None
    scores = {name: sample["field_scores"][name] for name in leaves(spec.verify_strategy)}
    if all(earned == 1 for earned in scores.values()):
        assert score == 1
    if not any(scores.values()) and not passed:
        assert score == 0
    if not passed:
        assert score < 1
    if passed and spec.verify_strategy.type != "all_of" and set(scores.values()) <= {0.0, 1.0}:
        assert score == 1


def test_classes_of_ours_give_what_was_observed(templates: list[Row]) -> None:
    for template in templates:
        answer_class = made(template["code"])
        for sample in samples(template):
            answer = answer_class(**sample["fields"])
            assert answer.model_dump()["correct"] == template["correct"]
            assert answer.verify() is sample["verify"]
            assert answer.field_results() == sample["field_results"]
            assert answer.field_scores() == pytest.approx(sample["field_scores"])
            check_granular(answer.verify_granular(), template, sample, passed=sample["verify"])


def test_reading_gives_what_was_observed(templates: list[Row]) -> None:
    for template in templates:
        for sample in samples(template):
            result = verify(template["code"], sample["fields"])
            assert (result.passed, result.level, result.executed) == (sample["verify"], Level.VERIFIED, False)
            assert {field.name: field.passed for field in result.fields} == sample["field_results"]
            assert {field.name: field.score for field in result.fields} == pytest.approx(sample["field_scores"])
            check_granular(result.granular_score, template, sample, passed=sample["verify"])
            assert result.karenina_granular_score == pytest.approx(sample["granular"], abs=1e-12)


def test_reading_and_classes_of_ours_agree_to_the_bit(templates: list[Row]) -> None:
    for template in templates:
        answer_class = made(template["code"])
        for sample in samples(template):
            answer = answer_class(**sample["fields"])
            result = verify(answer_class_spec(answer_class), answer)
            assert result.granular_score == answer.verify_granular()
            assert _outcomes(result) == _outcomes(verify(template["code"], sample["fields"]))


def answer_class_spec(answer: type[BaseAnswer]) -> TemplateSpec:
    """Make the specification of a class by hand: only what results depend on."""
    fields = [
        TemplateFieldSpec(
            name=name,
            type=_type(answer.model_fields[name].annotation),
            description=answer.model_fields[name].description or "",
            ground_truth=meta.ground_truth,
            verify_with=meta.verify_with,
            weight=meta.weight,
        )
        for name, meta in verified_fields(answer).items()
    ]
    node = getattr(getattr(answer, "VerificationStrategy", None), "verify_strategy", None)
    return TemplateSpec(fields=fields, verify_strategy=None if node is None else VerifyStrategySpec.of(node))


def _type(annotation: Any) -> str:
    name: str = annotation.__name__
    return "list_str" if name == "list" else name


def _outcomes(result: VerificationResult) -> dict[str, Any]:
    return result.as_json()


@pytest.mark.slow
def test_strategies_give_what_was_observed(corpus: Path) -> None:
    rows = json.loads((corpus / "tables/composition.json").read_text(encoding="utf-8"))
    assert rows
    for tree, results, outcome, *mark in rows:
        spec = TemplateSpec(
            fields=[_flag(name) for name in results], verify_strategy=VerifyStrategySpec.of(NODES.validate_python(tree))
        )
        answer = {name: value is True for name, value in results.items()}
        found = {verify(spec, answer).passed}
        if not mark and not isinstance(outcome, dict):
            found.add(verify(source_of(spec), answer).passed)
            assert found == {outcome}
        else:  # the tree names a field that there is not
            assert found == {None}
            assert "names fields without a result" in verify(spec, answer).reason


def _flag(name: str) -> TemplateFieldSpec:
    return TemplateFieldSpec(
        name=name, type="bool", description="?", ground_truth=True, verify_with={"type": "BooleanMatch"}
    )


def test_ground_truths_of_real_checkpoints_pass_their_templates(corpus: Path) -> None:
    found = {text for file in sorted(corpus.glob("*/*.json*")) for text in templates_of(file)}
    outcomes = set()
    for text in found:
        template = read_template(text)
        result = verify(text, {field.name: field.ground_truth for field in template.fields})
        outcomes.add((template.level, result.passed))
        if template.level is Level.CLASSIC:
            assert result.passed is None
            assert "run it with trust=Trust()" in result.reason
    assert (Level.VERIFIED, True) in outcomes
    assert not {(Level.VERIFIED, False), (Level.VERIFIED, None)} & outcomes
