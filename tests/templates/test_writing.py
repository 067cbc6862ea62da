"""The source of a specification: its layout, and that nothing but literals comes out of the specification."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.entities.template_spec import TemplateFieldSpec, TemplateSpec
from checkpoint_ld.errors import CheckpointLdError, WriteError
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.templates.specification import source_of
from tests.templates.specs import HOSTILE, specs

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
    for statement, field in zip(answer.body, spec.fields, strict=False):
        declared(statement, field)
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
