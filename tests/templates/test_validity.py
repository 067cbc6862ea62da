"""What is wrong with a specification: each check with its neighbour that is right, in the order of the format."""

import keyword
from typing import Any

import pytest

from checkpoint_ld.entities.template_spec import TemplateSpec, VerifyStrategySpec
from checkpoint_ld.templates.specification import validate_spec

FIELD: dict[str, Any] = {"name": "gene", "type": "str", "description": "Which gene?", "ground_truth": "BCL2"}
FIELD |= {"verify_with": {"type": "ExactMatch"}}
COUNT: dict[str, Any] = {**FIELD, "type": "int", "ground_truth": 2, "verify_with": {"type": "NumericExact"}}
LITERAL = {"type": "literal", "literal_values": ["solid", "2"], "ground_truth": "solid"}
STATE: dict[str, Any] = {**FIELD, **LITERAL, "verify_with": {"type": "LiteralMatch"}}
CONTAINS = {"type": "TraceContains", "substring": "x"}
FOUND: dict[str, Any] = {**FIELD, "type": "bool", "ground_truth": True, "verify_with": CONTAINS, "is_trace": True}
GRADED: dict[str, Any] = {"type": "NumericGraded", "cutoff": 1}
DATE: dict[str, Any] = {**FIELD, "type": "date", "ground_truth": "2020-01-31", "verify_with": {"type": "DateMatch"}}
VERBOSE: dict[str, Any] = {**FIELD, "verify_with": {"type": "RegexMatch", "pattern": "a # :(", "flags": ["X"]}}
BOOLEAN: dict[str, Any] = {"verify_with": {"type": "BooleanMatch"}, "is_trace": False}
NESTED: Any = []
for _ in range(100):
    NESTED = [NESTED]


def faults(**field: Any) -> list[str]:
    return validate_spec(TemplateSpec.model_validate({"fields": [field]}))


def conditional(**parts: Any) -> dict[str, Any]:
    whole = {"source": "s", "cases": {"a": {"value": 1}}, "default": {"value": 2, "verify_with": None}}
    return {**COUNT, "ground_truth": {**whole, "__conditional__": True, **parts}}


def with_case(verify_with: dict[str, Any]) -> dict[str, Any]:
    return conditional(cases={"a": {"value": 1, "verify_with": verify_with}})


def strategy(**node: Any) -> list[str]:
    return validate_spec(TemplateSpec.model_validate({"fields": [FIELD], "verify_strategy": node}))


@pytest.mark.parametrize("field", [FIELD, COUNT, STATE, FOUND, DATE, VERBOSE, conditional()])
def test_nothing_is_wrong_with_what_is_right(field: dict[str, Any]) -> None:
    assert faults(**field) == []


@pytest.mark.parametrize(
    ("field", "change", "message"),
    [
        (STATE, {"literal_values": []}, "needs literal_values"),
        (STATE, {"literal_values": None}, "needs literal_values"),
        (FIELD, {"verify_with": {}}, "verify_with has no type"),
        (FIELD, {"verify_with": {"type": None}}, "verify_with has no type"),
        (FIELD, {"verify_with": {"type": "Exact"}}, "the type 'Exact', which is no known primitive"),
        (FIELD, {"verify_with": {"type": 5}}, "the type 5, which is no known primitive"),
        (FIELD, {"verify_with": {"type": "RegexMatch"}}, "RegexMatch: parameter pattern is missing"),
        (FIELD, {"verify_with": {"type": "RegexMatch", "pattern": None}}, "parameter pattern is null"),
        (FIELD, {"verify_with": {"type": "RegexMatch", "pattern": "("}}, "pattern '(' does not compile"),
        (FIELD, {"verify_with": {"type": "RegexMatch", "pattern": "x", "flags": ["Q"]}}, "unknown flag 'Q'"),
        (FIELD, {"verify_with": {"type": "ExactMatch", "normalize": ["upper"]}}, "unknown normaliser 'upper'"),
        (FIELD, {"verify_with": {"type": "ExactMatch", "a": 1}}, "no parameter 'a'; there are normalize"),
        (COUNT, {"verify_with": {"type": "NumericExact", "x": 1}}, "no parameter 'x'; there are none"),
        (COUNT, {"verify_with": {**GRADED, "cutoff": 0}}, "NumericGraded: parameter cutoff is 0.0, not above 0"),
        (COUNT, {"verify_with": {**GRADED, "full_credit": 2}}, "parameter full_credit is 2.0, not below"),
        (COUNT, {"type": "bool", "ground_truth": 1}, "the type is 'bool'; NumericExact is for int, float"),
        ({**FOUND, **BOOLEAN}, {"is_trace": True}, "is_trace is true, and BooleanMatch does not look at the raw"),
        (FOUND, {"is_trace": False}, "is_trace is false, and TraceContains looks at the raw response"),
        (FIELD, {"name": "the gene"}, "'the gene' is not a name in Python"),
        (FIELD, {"name": ""}, "'' is not a name in Python"),
        (FIELD, {"name": "class"}, "'class' is not a name in Python"),
        (FIELD, {"name": "correct"}, "'correct' is reserved, with which the class cannot be made"),
        (FIELD, {"name": "id"}, "'id' is reserved"),
        (FIELD, {"name": "regex"}, "'regex' is reserved"),
        (FIELD, {"name": "_gene"}, "begins with an underscore"),
        (FIELD, {"name": "ﬁt"}, "'ﬁt' is read as 'fit' by Python"),
        (FIELD, {"name": "str"}, "'str' stands for something else"),
        (FIELD, {"name": "ExactMatch"}, "'ExactMatch' stands for something else"),
        (FIELD, {"name": "verify"}, "'verify' stands for something else"),
        (FIELD, {"name": "model_config"}, "'model_config' stands for something else"),
        (FIELD, {"description": " \n"}, "the description is empty"),
        (FIELD, {"description": "\ud800"}, r"description has '\ud800' in it, which is no text"),
        (FIELD, {"extraction_hint": "a\udfffb"}, r"extraction_hint has 'a\udfffb' in it"),
        (FIELD, {"literal_values": ["a"]}, "literal_values are for the type literal, not for 'str'"),
        (STATE, {"literal_values": ["solid", "solid"]}, "literal_values has a value twice"),
        (FIELD, {"weight": -1}, "the weight is -1.0"),
        (FIELD, {"weight": float("inf")}, "the weight is inf"),
        (FIELD, {"weight": float("nan")}, "the weight is nan"),
        (FIELD, {"ground_truth": {"a": [float("nan")]}}, "ground_truth has nan in it"),
        (FIELD, {"ground_truth": {"\ud800": 1}}, r"ground_truth has '\ud800' in it"),
        (FIELD, {"ground_truth": 2**4096}, "ground_truth has a number of more than 4096 bits"),
        (FIELD, {"ground_truth": NESTED}, "ground_truth is nested more than 100 levels deep"),
        (COUNT, {"ground_truth": "\ud800"}, r"ground_truth has '\ud800' in it"),
        (COUNT, {"ground_truth": "many"}, "the ground truth of NumericExact is 'many', not a number"),
        (STATE, {"ground_truth": "liquid"}, "is 'liquid', not one of the literal values solid, 2"),
        (FOUND, {"ground_truth": "yes"}, "the ground truth of TraceContains is 'yes', not true or false"),
        (DATE, {"ground_truth": "March 2020"}, "is 'March 2020', not a whole date"),
        (conditional(), conditional(source=5), "marked as conditional and is not: source:"),
        (conditional(), conditional(default={}), "marked as conditional and is not: default.value:"),
        (conditional(), conditional(more=1), "marked as conditional and is not: more:"),
        (conditional(), conditional(default={"value": "b"}), "default case: the ground truth of NumericExact is 'b'"),
        (conditional(), with_case({"cutoff": 1}), "case 'a': verify_with has no type"),
        (conditional(), with_case({"type": "BooleanMatch"}), "case 'a': the type is 'int'; BooleanMatch is for bool"),
    ],
)
def test_each_fault_is_recognised_by_itself(field: dict[str, Any], change: dict[str, Any], message: str) -> None:
    (fault,) = faults(**{**field, **change})
    assert fault.startswith("field '")
    assert message in fault


def test_a_type_that_does_not_exist_fits_no_primitive_and_no_trace() -> None:
    assert faults(**{**FIELD, "type": "text", "is_trace": True}) == [
        "field 'gene': the type is 'text', not one of bool, str, int, float, list_str, literal, date",
        "field 'gene': the type is 'text'; ExactMatch is for str, int, float",
        "field 'gene': the type is 'text'; a field that looks at the raw response has the type bool",
        "field 'gene': is_trace is true, and ExactMatch does not look at the raw response",
    ]


@pytest.mark.parametrize("word", keyword.kwlist)
def test_words_of_python_are_no_names(word: str) -> None:
    assert len(faults(**{**FIELD, "name": word})) == 1
    assert len(validate_spec(TemplateSpec.model_validate({"fields": [FIELD], "class_name": word}))) == 1


def test_faults_come_field_by_field_in_the_order_of_the_format_and_the_whole_at_the_end() -> None:
    first = {**FIELD, "type": "?", "name": "", "description": "", "verify_with": {"type": "?"}}
    second = {**COUNT, "type": "bool", "ground_truth": None, "is_trace": True}
    found = validate_spec(
        TemplateSpec.model_validate(
            {"fields": [first, second, second], "class_name": "", "verify_strategy": {"type": "?"}}
        )
    )
    parts = [
        *("field '': the type", "field '': verify_with", "field '': the name", "field '': the description"),
        *("field 'gene': the type is 'bool'", "field 'gene': is_trace", "field 'gene': the ground truth") * 2,
        *("the class name", "2 fields have the name 'gene'", "strategy: the type"),
    ]
    assert len(found) == len(parts)
    assert all(fault.startswith(part) for fault, part in zip(found, parts, strict=True))


@pytest.mark.parametrize("name", ["A B", "", "None", "BaseAnswer", "str", "ExactMatch", "\uff21"])
def test_a_class_has_a_name_of_its_own(name: str) -> None:
    (fault,) = validate_spec(TemplateSpec.model_validate({"fields": [FIELD], "class_name": name}))
    assert fault.startswith(f"the class name {name!r}")


def test_a_template_has_fields() -> None:
    assert validate_spec(TemplateSpec(fields=[])) == ["there are no fields"]


@pytest.mark.parametrize(
    "node",
    [
        {"type": "field_check", "field_name": "gene"},
        {"type": "all_of"},
        {"type": "any_of"},
        {"type": "at_least_n", "n": 0},
        {"type": "at_least_n", "n": 9, "conditions": [{"type": "all_of"}]},
    ],
)
def test_a_strategy_may_pass_always_or_never(node: dict[str, Any]) -> None:
    assert strategy(**node) == []


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"type": "none_of"}, "the type is 'none_of', not one of all_of, any_of, at_least_n, field_check"),
        ({"type": "field_check"}, "field_check names None, which is no field"),
        ({"type": "field_check", "field_name": "protein"}, "field_check names 'protein', which is no field"),
        ({"type": "field_check", "field_name": "gene", "conditions": [{"type": "all_of"}]}, "has conditions"),
        ({"type": "field_check", "field_name": "gene", "n": 1}, "'field_check' has the n 1, which is for at_least_n"),
        ({"type": "all_of", "field_name": "gene"}, "'all_of' has the field_name 'gene'"),
        ({"type": "all_of", "n": 1}, "'all_of' has the n 1"),
        ({"type": "at_least_n"}, "at_least_n has the n None"),
        ({"type": "at_least_n", "n": -1}, "at_least_n has the n -1"),
        ({"type": "at_least_n", "n": 2**4096}, "at_least_n has the n 1044"),
    ],
)
def test_a_broken_strategy_is_reported_wherever_it_stands(node: dict[str, Any], message: str) -> None:
    for tree in (node, {"type": "any_of", "conditions": [{"type": "all_of", "conditions": [node]}]}):
        (fault,) = strategy(**tree)
        assert fault.startswith("strategy: ")
        assert message in fault


def test_a_strategy_that_holds_itself_is_no_endless_matter() -> None:
    spec = TemplateSpec.model_validate({"fields": [FIELD], "verify_strategy": {"type": "all_of"}})
    node = spec.verify_strategy
    assert isinstance(node, VerifyStrategySpec)
    node.conditions.append(node)
    assert validate_spec(spec) == ["strategy: the tree has more than 100 levels"]
