"""Templates whose behaviour was observed, and those of real checkpoints."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.entities.template_spec import TemplateSpec
from checkpoint_ld.templates import Level, ProblemKind, Strategy, Template, read_template
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.templates.specification import source_of, spec_of, validate_spec
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


def test_observed_templates_are_read_as_they_were_observed(observed: list[dict[str, Any]]) -> None:
    roots = {"none": None, "anyof": ("any_of", None), "atleast2": ("at_least_n", 2)}
    for row in observed:
        template = read_template(row["code"])
        assert (template.level, template.problems) == (Level.VERIFIED, ())
        assert {read.name: read.ground_truth for read in template.fields} == row["correct"]
        names = [read.name for read in template.fields]
        results = row["columns"].index("field_results")
        assert all(list(sample[results]) == names for sample in row["rows"])
        root = template.strategy and (template.strategy.type, template.strategy.n)
        assert root == roots.get(row["strategy"], root)
        if template.strategy is not None:
            assert set(leaves(template.strategy)) <= set(names)
    assert roots.keys() <= {row["strategy"] for row in observed}


def test_observed_templates_are_rewritten_without_a_change_of_meaning(observed: list[dict[str, Any]]) -> None:
    for row in observed:
        spec = spec_of(read_template(row["code"]))
        assert spec is not None
        assert validate_spec(spec) == []
        assert {one.name: one.ground_truth for one in spec.fields} == row["correct"]
        assert (spec.verify_strategy is None) is (row["strategy"] == "none")
        assert spec_of(read_template(source_of(spec))) == spec


def test_primitives_are_accepted_and_refused_as_observed(corpus: Path) -> None:
    lines = gzip.decompress((corpus / "tables/primitives.jsonl.gz").read_bytes()).decode().splitlines()
    *accepted, last = [json.loads(line) for line in lines]
    for said in accepted:
        primitive, refused = said["primitive"], any(row[4] in REFUSED_BEFOREHAND for row in said["rows"])
        assert bool(_of_template(primitive)) is refused, primitive
        # SemanticMatch fails without its stage; that stage may be there where a specification is used.
        assert bool(_of_specification(primitive)) is (refused and primitive["type"] != "SemanticMatch"), primitive
    for primitive, _ in last["construct_errors"]:
        assert _of_template(primitive), primitive
        assert _of_specification(primitive), primitive


def _of_template(primitive: dict[str, Any]) -> set[ProblemKind]:
    parameters = ", ".join(f"{name}={value!r}" for name, value in primitive.items() if name != "type")
    found = kinds(answer(field(verify_with=f"{primitive['type']}({parameters})")))
    return set(found) & {ProblemKind.UNKNOWN_PRIMITIVE, ProblemKind.PRIMITIVE_PARAMETERS, ProblemKind.PRIMITIVE_NEEDS}


def _of_specification(primitive: dict[str, Any]) -> list[str]:
    known = registry().get(primitive["type"])
    type_ = known.types[0] if known else "str"
    members = {"name": "x", "description": "d", "ground_truth": "a", "verify_with": primitive, "type": type_}
    literals = ["a"] if type_ == "literal" else None
    spec = {**members, "literal_values": literals, "is_trace": bool(known and known.trace)}
    found = validate_spec(TemplateSpec.model_validate({"fields": [spec]}))
    return [fault for fault in found if "the ground truth" not in fault]


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
