"""From a specification to source and back, and from source that others wrote."""

import ast
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.entities.template_spec import TemplateFieldSpec, TemplateSpec
from checkpoint_ld.errors import CheckpointLdError, WriteError
from checkpoint_ld.templates import Level, ProblemKind, Template, read_template
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.templates.specification import source_of, spec_of, validate_spec
from tests.corpus import templates_of
from tests.templates import answer, field, kinds, only
from tests.templates.specs import HOSTILE, fields, specs
from tests.trials import examples

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
@settings(max_examples=examples(25))
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


# --- The source of a specification: its layout, and that nothing but literals comes out of the specification.


STATE: dict[str, Any] = {
    "name": "state",
    "type": "literal",
    "description": 'A "state"',
    "extraction_hint": "at 20 °C\nin air",
    "ground_truth": "liquid",
    "literal_values": ["liquid", "it's solid"],
    "weight": 2,
    "verify_with": {"type": "LiteralMatch"},
}
SYMBOLS: dict[str, Any] = {
    "name": "symbols",
    "type": "list_str",
    "description": "Symbols",
    "ground_truth": ["Hg", None],
    "verify_with": {"normalize": ["strip", {"mapping": {"Hydrargyrum": "Hg"}}], "type": "OrderedMatch"},
}
FOUND: dict[str, Any] = {
    "name": "found",
    "type": "date",
    "description": "When?",
    "ground_truth": {
        "source": "state.stage",
        "cases": {"1": {"value": "1774-08-01", "verify_with": {"format": "%Y-%m-%d", "type": "DateMatch"}}},
        "default": {"value": "1774-08-02", "verify_with": None},
        "__conditional__": True,
    },
    "verify_with": {"tolerance": 1, "unit": "days", "type": "DateTolerance"},
}
CITED: dict[str, Any] = {
    "name": "cited",
    "type": "bool",
    "description": "Cited?",
    "ground_truth": True,
    "is_trace": True,
    "verify_with": {"pattern": r"\[\d+\]", "count_min": None, "type": "TraceRegex"},
}
WHOLE: dict[str, Any] = {
    "class_name": "Metal",
    "fields": [STATE, SYMBOLS, FOUND, CITED],
    "verify_strategy": {
        "type": "at_least_n",
        "n": 1,
        "conditions": [{"type": "field_check", "field_name": "state"}, {"type": "any_of"}],
    },
}
SOURCE = r"""from typing import Literal

from karenina.schemas.entities import BaseAnswer, VerifiedField, AnyOf, AtLeastN, ConditionalGroundTruth, DateMatch, DateTolerance, FieldCheck, GroundTruthCase, LiteralMatch, OrderedMatch, TraceRegex


class Metal(BaseAnswer):
    state: Literal['liquid', "it's solid"] = VerifiedField(
        description='A "state"',
        extraction_hint='at 20 °C\nin air',
        ground_truth='liquid',
        verify_with=LiteralMatch(),
        weight=2.0,
    )
    symbols: list[str] = VerifiedField(
        description='Symbols',
        ground_truth=['Hg', None],
        verify_with=OrderedMatch(normalize=['strip', {'mapping': {'Hydrargyrum': 'Hg'}}]),
    )
    found: str = VerifiedField(
        description='When?',
        ground_truth=ConditionalGroundTruth(
            source='state.stage',
            cases={
                '1': GroundTruthCase(value='1774-08-01', verify_with=DateMatch(format='%Y-%m-%d')),
            },
            default=GroundTruthCase(value='1774-08-02'),
        ),
        verify_with=DateTolerance(tolerance=1, unit='days'),
    )
    cited: bool = VerifiedField(
        description='Cited?',
        ground_truth=True,
        verify_with=TraceRegex(pattern='\\[\\d+\\]', count_min=None),
    )

    class VerificationStrategy:
        verify_strategy = AtLeastN(
            n=1,
            conditions=[
                FieldCheck(field='state'),
                AnyOf(
                    conditions=[],
                ),
            ],
        )
"""  # noqa: E501  # one line for the import, as the format has it

SYNTAX = {
    *(ast.Module, ast.ImportFrom, ast.alias, ast.ClassDef, ast.AnnAssign, ast.Assign, ast.Name, ast.Load, ast.Store),
    *(ast.Call, ast.keyword, ast.Constant, ast.List, ast.Dict, ast.Subscript, ast.UnaryOp, ast.USub, ast.Tuple),
}
COMPOSITION = {"AllOf", "AnyOf", "AtLeastN", "FieldCheck", "ConditionalGroundTruth", "GroundTruthCase"}
MADE = st.lists(st.sampled_from([*HOSTILE, "a", "import os", ")", "=", ":", "]"]), max_size=8).map("".join)


def arguments(call: ast.expr | None) -> dict[str | None, ast.expr]:
    """Return the arguments of a call, which all have names."""
    assert isinstance(call, ast.Call)
    assert call.args == []
    return {keyword.arg: keyword.value for keyword in call.keywords}


def parameters(call: ast.expr) -> dict[str, Any]:
    """Return the primitive that a call makes, in serialised form."""
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    return {**{str(key): ast.literal_eval(value) for key, value in arguments(call).items()}, "type": call.func.id}


def conditional(call: ast.Call) -> dict[str, Any]:
    stated = arguments(call)
    cases = stated["cases"]
    assert isinstance(cases, ast.Dict)
    names = [ast.literal_eval(key) for key in cases.keys if key is not None]
    return {
        "source": ast.literal_eval(stated["source"]),
        "cases": {name: case(value) for name, value in zip(names, cases.values, strict=True)},
        "default": case(stated["default"]),
        "__conditional__": True,
    }


def case(call: ast.expr) -> dict[str, Any]:
    stated = arguments(call)
    verify_with = stated.get("verify_with")
    return {
        "value": ast.literal_eval(stated["value"]),
        "verify_with": None if verify_with is None else parameters(verify_with),
    }


def declared(statement: ast.stmt, spec: TemplateFieldSpec) -> None:
    """Assert that a statement declares a field, judged by Python's own reading of literals."""
    assert isinstance(statement, ast.AnnAssign)
    assert isinstance(statement.target, ast.Name)
    assert statement.target.id == spec.name
    stated = arguments(statement.value)
    assert ast.literal_eval(stated.pop("description")) == spec.description
    assert parameters(stated.pop("verify_with")) == spec.verify_with
    truth = stated.pop("ground_truth")
    assert (conditional(truth) if isinstance(truth, ast.Call) else ast.literal_eval(truth)) == spec.ground_truth
    rest = {key: ast.literal_eval(value) for key, value in stated.items()}
    assert rest.get("extraction_hint") == spec.extraction_hint
    assert rest.get("weight", 1.0) == spec.weight
    assert set(rest) <= {"extraction_hint", "weight"}
    if isinstance(statement.annotation, ast.Subscript) and spec.type == "literal":
        values = ast.literal_eval(statement.annotation.slice)
        assert (list(values) if isinstance(values, tuple) else [values]) == spec.literal_values


def test_the_layout_is_that_of_the_format() -> None:
    spec = TemplateSpec.model_validate(WHOLE)
    assert source_of(spec) == SOURCE
    compile(SOURCE, "template", "exec")


def test_a_template_without_more_has_one_import_and_its_class() -> None:
    plain = TemplateSpec.model_validate({"fields": [{**SYMBOLS, "verify_with": {"type": "OrderedMatch"}}]})
    assert source_of(plain) == (
        "from karenina.schemas.entities import BaseAnswer, VerifiedField, OrderedMatch\n\n\n"
        "class Answer(BaseAnswer):\n"
        "    symbols: list[str] = VerifiedField(\n"
        "        description='Symbols',\n"
        "        ground_truth=['Hg', None],\n"
        "        verify_with=OrderedMatch(),\n"
        "    )\n"
    )


@given(specs())
def test_a_source_is_one_class_of_literals_and_known_calls(spec: TemplateSpec) -> None:
    source = source_of(spec)
    module = ast.parse(source)
    *imports, answer = module.body
    assert {type(node) for node in ast.walk(module)} <= SYNTAX
    assert isinstance(answer, ast.ClassDef)
    assert answer.name == spec.class_name
    assert [type(node) for node in imports] == [ast.ImportFrom] * len(imports)
    called = {
        node.func.id for node in ast.walk(module) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    imported = {name.name for node in imports if isinstance(node, ast.ImportFrom) for name in node.names}
    assert imported == called | {"BaseAnswer"} | ({"Literal"} & imported)
    assert called <= {"VerifiedField"} | COMPOSITION | set(registry())
    for statement, one in zip(answer.body, spec.fields, strict=False):
        declared(statement, one)
    inner = answer.body[len(spec.fields) :]
    assert [type(node) for node in inner] == ([] if spec.verify_strategy is None else [ast.ClassDef])


@given(MADE, MADE, MADE, MADE)
def test_no_text_gets_out_of_its_quotes(description: str, hint: str, truth: str, literal: str) -> None:
    field = TemplateFieldSpec(
        name="x",
        type="literal",
        description=f"d{description}",
        extraction_hint=hint or None,
        ground_truth=literal,
        literal_values=[literal, f"{truth}!{literal}"],
        verify_with={"type": "LiteralMatch"},
    )
    source = source_of(TemplateSpec(fields=[field]))
    assert len(source.splitlines()) == 11 + bool(hint)
    assert all(line.isprintable() for line in source.splitlines())
    (statement,) = ast.parse(source).body[-1].body  # type: ignore[attr-defined]  # a class
    declared(statement, field)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"class_name": "A(B):\n    pass\nclass C"}, "class name"),
        ({"fields": [], "class_name": "1"}, "class name.*no fields"),
        ({"fields": [{**SYMBOLS, "name": "x: int\nimport os"}]}, "not a name"),
        ({"fields": [{**SYMBOLS, "description": "\ud800"}]}, "surrogate"),
        ({"fields": [{**SYMBOLS, "verify_with": {"a=evil(), b": 1, "type": "OrderedMatch"}}]}, "no parameter"),
        ({"fields": [{**SYMBOLS, "verify_with": {"type": "evil"}}]}, "no known primitive"),
        ({"fields": [{**SYMBOLS, "type": "str = evil()"}]}, "not one of"),
        ({"verify_strategy": {"type": "evil"}}, "not one of"),
    ],
)
def test_what_is_no_template_is_not_written(change: dict[str, Any], message: str) -> None:
    spec = TemplateSpec.model_validate({"fields": WHOLE["fields"], **change})
    with pytest.raises(WriteError, match=message) as caught:
        source_of(spec)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, CheckpointLdError)


class Code(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return "evil()"


class Codes(list[str]):
    def __repr__(self) -> str:
        return "evil()"


@pytest.mark.parametrize("made", [Code("x"), Codes(["x"]), {1: 2}, {Code("x"): 1}, {"x"}])
def test_a_value_that_was_put_in_behind_the_entitys_back_is_not_written(made: Any) -> None:
    spec = TemplateSpec.model_validate({"fields": [SYMBOLS]})
    truth = spec.fields[0].ground_truth
    assert isinstance(truth, list)
    truth.append(made)
    with pytest.raises(WriteError, match=r"ground_truth has a .* in it, which is no JSON|ground_truth has a key"):
        source_of(spec)


def test_a_text_that_is_too_long_to_be_read_is_not_written() -> None:
    spec = TemplateSpec.model_validate({"fields": [{**SYMBOLS, "description": "d" * 200_000}]})
    with pytest.raises(WriteError, match="more than are read"):
        source_of(spec)


# --- The registry of primitives: what a template may say is what the primitive takes, and becomes the same there.


GRADED = {"mode": "absolute", "decay": "linear", "exclusive_min": False, "exclusive_max": False}
FULL = [
    ("BooleanMatch()", {}),
    ("ExactMatch()", {"normalize": ["lowercase", "strip"]}),
    ("ContainsAny(substrings=['a'])", {"substrings": ["a"], "normalize": []}),
    ("ContainsAll(substrings=['a'])", {"substrings": ["a"], "normalize": []}),
    ("RegexMatch(pattern='a')", {"pattern": "a", "flags": []}),
    ("SemanticMatch()", {"threshold": 0.85}),
    ("NumericExact()", {}),
    ("NumericTolerance(tolerance=1)", {"tolerance": 1.0, "mode": "relative"}),
    ("NumericRange(max=3)", {"min": None, "max": 3.0, "exclusive_min": False, "exclusive_max": False}),
    ("NumericMinimum()", {"exclusive": False}),
    ("NumericMaximum()", {"exclusive": False}),
    ("NumericGraded(cutoff=1)", {"cutoff": 1.0, "full_credit": None, "mode": "relative", "decay": "linear"}),
    ("NumericRangeGraded(margin=1, max=3, min=2)", {"min": 2.0, "max": 3.0, "margin": 1.0, **GRADED}),
    (
        "NumericThresholdGraded(direction='min', margin=1)",
        {"direction": "min", "margin": 1.0, "mode": "relative", "decay": "linear", "exclusive": False},
    ),
    ("SetContainment()", {"mode": "exact", "min_overlap": None}),
    ("OrderedMatch()", {"normalize": ["lowercase", "strip"]}),
    ("LiteralMatch()", {}),
    ("DateMatch()", {"format": None}),
    ("DateTolerance(tolerance=1.0)", {"tolerance": 1, "unit": "days"}),
    ("DateRange()", {"min": None, "max": None}),
    ("TraceRegex(pattern='a')", {"pattern": "a", "count_min": None}),
    ("TraceContains(substring='a')", {"substring": "a"}),
    ("TraceLength()", {"min": None, "max": None, "unit": "chars"}),
]


@pytest.mark.parametrize(("call", "parameters"), FULL)
def test_a_primitive_has_all_its_parameters_in_declared_order(call: str, parameters: dict[str, object]) -> None:
    name = call.partition("(")[0]
    read = only(answer(field(verify_with=call)))
    assert (read.primitive, read.is_trace) == (name, name.startswith("Trace"))
    assert read.verify_with is not None
    assert list(read.verify_with.items()) == [*parameters.items(), ("type", name)]
    assert [type(value) for value in read.parameters.values()] == [type(value) for value in parameters.values()]


def test_every_primitive_is_tried() -> None:
    assert {call.partition("(")[0] for call, _ in FULL} == set(registry())


def test_two_templates_share_no_default() -> None:
    first, second = (only(answer(field())).parameters["normalize"] for _ in range(2))
    assert first == second
    assert first is not second


# --- Templates whose behaviour was observed, and those of real checkpoints.


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
