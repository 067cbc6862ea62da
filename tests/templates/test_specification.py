"""From a specification to source and back, and from source that others wrote."""

from __future__ import annotations

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
"""What a valid specification may still be reported: a strategy that never passes, a stage that is missing."""


def read(source: str) -> TemplateSpec:
    spec = spec_of(read_template(source))
    assert spec is not None
    return spec


def node(type_: str, *conditions: object, **members: object) -> dict[str, object]:
    return {"type": type_, "n": None, "field_name": None, "conditions": list(conditions), **members}


@given(specs())
def test_a_valid_specification_is_read_back_from_its_source(spec: TemplateSpec) -> None:
    assert validate_spec(spec) == []
    template = read_template(source_of(spec))
    found = spec_of(template)
    assert found == spec
    assert found.model_dump_json() == spec.model_dump_json()
    assert template.level is Level.VERIFIED
    assert {problem.kind for problem in template.problems} <= REMARKS


@pytest.mark.slow
@pytest.mark.parametrize("name", registry())
@given(data=st.data())
def test_so_is_every_primitive(name: str, data: st.DataObject) -> None:
    spec = TemplateSpec(fields=[data.draw(fields("x", primitive_name=name))])
    assert read(source_of(spec)) == spec


def test_what_a_specification_leaves_out_is_filled_in_once() -> None:
    text = {"name": "x", "type": "str", "description": "d", "ground_truth": "a", "verify_with": {"type": "ExactMatch"}}
    tolerance = {"type": "NumericTolerance", "tolerance": 1}
    number = {**text, "name": "y", "type": "float", "ground_truth": 1, "extraction_hint": "", "verify_with": tolerance}
    spec = TemplateSpec.model_validate({"fields": [text, number]})
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


def test_a_number_that_is_compared_as_a_date_stays_one_and_an_empty_hint_is_none() -> None:
    (found,) = read(answer(field("born", "int", "'1906-12-09'", "DateMatch()", rest="extraction_hint=''"))).fields
    assert (found.type, found.extraction_hint) == ("int", None)


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
    by_default = {"weight": 1.0, "extraction_hint": None, "literal_values": None, "is_trace": False}
    exact = {"normalize": ["lowercase", "strip"], "type": "ExactMatch"}
    regex = {"pattern": "x", "count_min": None, "type": "TraceRegex"}
    gene = {"name": "gene", "type": "str", "description": "BCL2", "ground_truth": "BCL2", "verify_with": exact}
    stated = {"name": "found", "type": "bool", "description": "Found?", "ground_truth": True, "verify_with": regex}
    assert spec.model_dump() == {
        "fields": [
            {**by_default, **gene, "extraction_hint": "the symbol", "weight": 2.0},
            {**by_default, **stated, "is_trace": True},
        ],
        "verify_strategy": node(
            "any_of", node("field_check", field_name="gene"), node("at_least_n", node("all_of"), n=1)
        ),
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
def test_no_specification_states_less_than_the_template(source: str) -> None:
    assert spec_of(read_template(source)) is None


def test_a_broken_rule_is_no_reason_to_state_nothing() -> None:
    spec = read(answer(field("id", verify_with="RegexMatch(pattern='(')", rest="weight=-1")))
    assert len(validate_spec(spec)) == 3
