"""Templates whose behaviour was observed, and those of real checkpoints."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from checkpoint_ld.entities.template_spec import TemplateSpec
from checkpoint_ld.templates import Level, ProblemKind, Template, read_template
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.templates.specification import validate_spec
from tests.corpus import templates_of
from tests.templates import answer, field, kinds

# Observed when the primitive is used; a template says so beforehand.
REFUSED_BEFOREHAND = ("error-at-use", "unknown-flag-ignored")


def test_primitives_are_accepted_and_refused_as_observed(corpus: Path) -> None:
    lines = gzip.decompress((corpus / "tables/primitives.jsonl.gz").read_bytes()).decode().splitlines()
    *accepted, last = [json.loads(line) for line in lines]
    for stated in accepted:
        primitive, refused = stated["primitive"], any(row[4] in REFUSED_BEFOREHAND for row in stated["rows"])
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
    found = [read_template(text) for file in sorted(corpus.glob("*/*.json*")) for text in templates_of(file)]
    assert {Level.CLASSIC, Level.VERIFIED, Level.PLACEHOLDER, Level.NO_ANSWER_CLASS} <= {read.level for read in found}
    expected = {ProblemKind.SYNTAX, ProblemKind.NO_ANSWER_CLASS, ProblemKind.PLACEHOLDER, ProblemKind.INCOMPLETE}
    assert {kind for read in found for kind in kinds(read)} <= expected
    assert all(_is_whole(read) for read in found)


def _is_whole(template: Template) -> bool:
    return all(read.primitive and read.description and not read.unread for read in template.fields)
