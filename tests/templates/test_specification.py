"""From a specification to source and back, and from source that others wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.entities.template_spec import TemplateSpec
from checkpoint_ld.templates import Level, read_template
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.templates.specification import source_of, spec_of, validate_spec
from tests.templates import answer, field
from tests.templates.specs import fields, specs

REMARKS = {"strategy", "primitive-needs"}
"""What a valid specification may still be told: a strategy that never passes, a stage that is missing."""


def read(source: str) -> TemplateSpec:
    spec = spec_of(read_template(source))
    assert spec is not None
    return spec


@given(specs())
def test_a_valid_specification_is_read_back_from_its_source(spec: TemplateSpec) -> None:
    assert validate_spec(spec) == []
    template = read_template(source_of(spec))
    assert spec_of(template) == spec
    assert template.level is Level.VERIFIED
    assert {problem.kind for problem in template.problems} <= REMARKS


@pytest.mark.slow
@pytest.mark.parametrize("name", registry())
@given(data=st.data())
def test_so_is_every_primitive(name: str, data: st.DataObject) -> None:
    spec = TemplateSpec(fields=[data.draw(fields("x", primitive_name=name))])
    assert read(source_of(spec)) == spec


@given(specs())
def test_parameters_and_members_come_back_in_their_order(spec: TemplateSpec) -> None:
    assert read(source_of(spec)).model_dump_json() == spec.model_dump_json()


def test_what_a_specification_leaves_out_is_filled_in_once() -> None:
    sparse = {"name": "x", "description": "d"}
    spec = TemplateSpec.model_validate(
        {
            "fields": [
                {**sparse, "type": "str", "ground_truth": "a", "verify_with": {"type": "ExactMatch"}},
                {
                    **sparse,
                    "name": "y",
                    "type": "float",
                    "ground_truth": 1,
                    "extraction_hint": "",
                    "verify_with": {"type": "NumericTolerance", "tolerance": 1},
                },
            ]
        }
    )
    found = read(source_of(spec))
    assert found.fields[0].verify_with == {"normalize": ["lowercase", "strip"], "type": "ExactMatch"}
    assert found.fields[1].verify_with == {"tolerance": 1.0, "mode": "relative", "type": "NumericTolerance"}
    assert found.fields[1].extraction_hint is None
    assert read(source_of(found)) == found


@pytest.mark.parametrize("annotation", ["str", "date", "datetime", "Optional[str]"])
def test_what_is_compared_as_a_date_is_a_date(annotation: str) -> None:
    spec = read(answer(field("born", annotation, '"1906-12-09"', "DateMatch()")))
    assert spec.fields[0].type == "date"
    assert "born: str = " in source_of(spec)
    assert read(source_of(spec)) == spec


def test_a_number_that_is_compared_as_a_date_stays_one() -> None:
    assert read(answer(field("born", "int", "'1906-12-09'", "DateMatch()"))).fields[0].type == "int"


def test_an_empty_hint_is_none() -> None:
    assert read(answer(field(rest="extraction_hint=''"))).fields[0].extraction_hint is None


def test_specification_and_source_of_others_templates() -> None:
    source = """
from karenina.schemas import entities as e
TRUTH = "BCL" + "2"
class Base(e.BaseAnswer):
    \"\"\"A docstring.\"\"\"
    gene: str = e.VerifiedField(TRUTH, TRUTH, e.ExactMatch(), 2, "the symbol")
class Mine(Base):
    note: str = Field(description="free")
    found: bool = e.VerifiedField("Found?", ground_truth=True, verify_with=TraceRegex(pattern="x"))
    class VerificationStrategy:
        verify_strategy = AnyOf(conditions=[FieldCheck(field="gene"), AtLeastN(n=1, conditions=[AllOf()])])
    def helper(self):
        return 1
"""
    spec = read(source)
    assert spec.model_dump() == {
        "fields": [
            {
                "name": "gene",
                "type": "str",
                "description": "BCL2",
                "extraction_hint": "the symbol",
                "ground_truth": "BCL2",
                "literal_values": None,
                "verify_with": {"normalize": ["lowercase", "strip"], "type": "ExactMatch"},
                "weight": 2.0,
                "is_trace": False,
            },
            {
                "name": "found",
                "type": "bool",
                "description": "Found?",
                "extraction_hint": None,
                "ground_truth": True,
                "literal_values": None,
                "verify_with": {"pattern": "x", "count_min": None, "type": "TraceRegex"},
                "weight": 1.0,
                "is_trace": True,
            },
        ],
        "verify_strategy": {
            "type": "any_of",
            "n": None,
            "field_name": None,
            "conditions": [
                {"type": "field_check", "n": None, "field_name": "gene", "conditions": []},
                {
                    "type": "at_least_n",
                    "n": 1,
                    "field_name": None,
                    "conditions": [{"type": "all_of", "n": None, "field_name": None, "conditions": []}],
                },
            ],
        },
        "class_name": "Mine",
    }
    written = source_of(spec)
    assert source_of(read(written)) == written
    assert read(written) == spec


CONDITIONAL = "ConditionalGroundTruth(source='s', cases={{}}, default=GroundTruthCase(value='a', verify_with={}))"


@pytest.mark.parametrize(
    "source",
    [
        "",
        "class Answer(",
        "x = 1",
        answer("gene: str", "def verify(self): return True"),
        answer("gene: str"),
        answer('response: str = Field(description="The answer response")', "def verify(self):\n    return False"),
        answer(field(truth="pick()")),
        answer(field(verify_with="Nope()")),
        answer(field(verify_with="RegexMatch(pattern=PATTERN)")),
        answer(field(description="name")),
        answer(field(description="5")),
        answer("gene: str = VerifiedField('d', verify_with=ExactMatch())"),
        answer("gene: str = VerifiedField(ground_truth='d', verify_with=ExactMatch())"),
        answer(field(), "other = VerifiedField('d', 'a', ExactMatch())"),
        answer(field(annotation="Literal[A, B]", truth="'a'", verify_with="LiteralMatch()")),
        answer(field(rest="weight=heavy")),
        answer(field(), "class VerificationStrategy:\n    verify_strategy = pick()"),
        answer(field(truth=CONDITIONAL.format("Nope()"))),
        answer(field(truth=CONDITIONAL.format("RegexMatch(pattern=PATTERN)"))),
    ],
)
def test_no_specification_says_less_than_the_template(source: str) -> None:
    assert spec_of(read_template(source)) is None


def test_a_broken_rule_is_no_reason_to_say_nothing() -> None:
    spec = read(answer(field("id", verify_with="RegexMatch(pattern='(')", rest="weight=-1")))
    assert len(validate_spec(spec)) == 3


def test_observed_templates_are_rewritten_without_a_change_of_meaning(corpus: Path) -> None:
    rows: list[dict[str, Any]] = json.loads((corpus / "tables/templates.json").read_text(encoding="utf-8"))
    for row in rows:
        spec = read(row["code"])
        assert validate_spec(spec) == []
        assert {one.name: one.ground_truth for one in spec.fields} == row["correct"]
        assert (spec.verify_strategy is None) is (row["strategy"] == "none")
        assert read(source_of(spec)) == spec
