"""Templates whose behaviour was observed, and those of real checkpoints."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.templates import Level, ProblemKind, Strategy, Template, read_template
from tests.templates import answer, field, kinds

# Observed when the primitive is used; a template says so beforehand.
REFUSED_BEFOREHAND = ("error-at-use", "unknown-flag-ignored")


@pytest.fixture(scope="module")
def observed(corpus: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((corpus / "tables/templates.json").read_text(encoding="utf-8"))
    return rows


def leaves(node: Strategy) -> list[str]:
    own = [node.field_name] if node.field_name else []
    return own + [name for condition in node.conditions for name in leaves(condition)]


def test_observed_templates_are_verified_and_faultless(observed: list[dict[str, Any]]) -> None:
    for row in observed:
        template = read_template(row["code"])
        assert (template.level, template.problems) == (Level.VERIFIED, ())


def test_observed_templates_have_the_ground_truths_that_were_observed(observed: list[dict[str, Any]]) -> None:
    for row in observed:
        assert {read.name: read.ground_truth for read in read_template(row["code"]).fields} == row["correct"]


def test_observed_templates_have_a_strategy_unless_they_have_none(observed: list[dict[str, Any]]) -> None:
    roots = {row["strategy"]: read_template(row["code"]).strategy for row in observed}
    assert roots.pop("none") is None
    assert roots["anyof"] is not None
    assert roots["anyof"].type == "any_of"
    assert roots["atleast2"] is not None
    assert (roots["atleast2"].type, roots["atleast2"].n) == ("at_least_n", 2)
    for row in observed:
        template = read_template(row["code"])
        if template.strategy is not None:
            assert set(leaves(template.strategy)) <= {read.name for read in template.fields}


def test_observed_results_have_the_fields_that_were_read(observed: list[dict[str, Any]]) -> None:
    for row in observed:
        names = [read.name for read in read_template(row["code"]).fields]
        results = row["columns"].index("field_results")
        assert all(list(sample[results]) == names for sample in row["rows"])


def test_primitives_are_accepted_and_refused_as_observed(corpus: Path) -> None:
    lines = gzip.decompress((corpus / "tables/primitives.jsonl.gz").read_bytes()).decode().splitlines()
    *accepted, last = [json.loads(line) for line in lines]
    for said in accepted:
        refused = any(row[4] in REFUSED_BEFOREHAND for row in said["rows"])
        assert bool(_construction_faults(said["primitive"])) is refused, said["primitive"]
    for primitive, _ in last["construct_errors"]:
        assert _construction_faults(primitive), primitive


def _construction_faults(primitive: dict[str, Any]) -> set[ProblemKind]:
    parameters = ", ".join(f"{name}={value!r}" for name, value in primitive.items() if name != "type")
    found = kinds(answer(field(verify_with=f"{primitive['type']}({parameters})")))
    return set(found) & {ProblemKind.UNKNOWN_PRIMITIVE, ProblemKind.PRIMITIVE_PARAMETERS, ProblemKind.PRIMITIVE_NEEDS}


def test_templates_of_real_checkpoints_are_read_without_faults_in_their_fields(corpus: Path) -> None:
    found = [read_template(text) for file in sorted(corpus.glob("*/*.json*")) for text in _templates(file)]
    assert {Level.CLASSIC, Level.VERIFIED, Level.PLACEHOLDER, Level.NO_ANSWER_CLASS} <= {read.level for read in found}
    expected = {ProblemKind.SYNTAX, ProblemKind.NO_ANSWER_CLASS, ProblemKind.PLACEHOLDER, ProblemKind.INCOMPLETE}
    assert {kind for read in found for kind in kinds(read)} <= expected
    assert all(_is_whole(read) for read in found)


def _templates(file: Path) -> list[str]:
    found: list[str] = []

    def keep(node: dict[str, Any]) -> dict[str, Any]:
        if node.get("@type") == "SoftwareSourceCode" and isinstance(node.get("text"), str):
            found.append(node["text"])
        return node

    try:
        json.loads(file.read_bytes(), object_hook=keep)
    except ValueError:
        return []
    return found


def _is_whole(template: Template) -> bool:
    return all(read.primitive and read.description and not read.unread for read in template.fields)
