"""Answers verified by their templates, which are never run."""

import json
import math
import sys
from itertools import product
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld import FieldResult, VerificationResult, entities, judge_schema, verify
from checkpoint_ld.entities import ConditionalGroundTruth, ExactMatch, NumericExact, TraceContains
from checkpoint_ld.entities.answer import BaseAnswer, VerifiedField
from checkpoint_ld.entities.template_spec import (
    AllOf,
    AnyOf,
    AtLeastN,
    FieldCheck,
    StrategyNode,
    TemplateFieldSpec,
    TemplateSpec,
    VerifyStrategySpec,
    evaluate_strategy,
    karenina_score,
)
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.templates import Level, read_template
from checkpoint_ld.templates.specification import source_of
from checkpoint_ld.templates.verification import decided
from tests.templates.specs import specs, strategies
from tests.trials import examples

Json = Any

TEMPLATE = """
class Answer(BaseAnswer):
    gene: str = VerifiedField(description="g", ground_truth="BCL2", verify_with=ExactMatch(), weight=2.0)
    size: float = VerifiedField(description="s", ground_truth=100, verify_with=NumericGraded(cutoff=0.1))
    tags: list[str] = VerifiedField(description="t", ground_truth=["a"], verify_with=SetContainment())
"""
RIGHT: dict[str, Json] = {"gene": "bcl2", "size": 100, "tags": ["a"]}


def field(name: str = "x", type_: str = "str", truth: Json = "a", **members: Json) -> TemplateFieldSpec:
    verify_with = members.pop("verify_with", {"type": "ExactMatch"})
    return TemplateFieldSpec(
        name=name, type=type_, description="d", ground_truth=truth, verify_with=verify_with, **members
    )


def judged(words: TemplateFieldSpec, *answer: Json, trace: str | None = None, context: Json = None) -> FieldResult:
    result = verify(TemplateSpec(fields=[words]), {words.name: answer[0]} if answer else {}, trace, context=context)
    assert result.passed is result.fields[0].passed
    return result.fields[0]


def test_a_right_answer_passes_with_reasons() -> None:
    result = verify(TEMPLATE, RIGHT)
    assert (result.passed, result.reason, result.level) == (True, "all fields pass", Level.VERIFIED)
    assert (result.granular_score, result.karenina_granular_score, result.executed) == (1.0, 1.0, False)
    stated = {"reason": '"bcl2" passes ExactMatch against "BCL2"', "primitive": "ExactMatch", "expected": "BCL2"}
    assert result.fields[0] == FieldResult("gene", True, 1.0, weight=2.0, value="bcl2", **stated)


def test_a_wrong_answer_states_what_is_wrong() -> None:
    result = verify(TEMPLATE, {"gene": "TP53", "size": "105", "tags": ["b"]})
    assert (result.passed, result.reason) == (False, "2 of 3 fields do not pass: gene, tags")
    assert result.granular_score == pytest.approx(0.5 / 4)
    assert [one.reason for one in result.fields] == [
        '"TP53" does not pass ExactMatch against "BCL2"',
        "105.0 passes NumericGraded(cutoff=0.1) against 100, but earns 0.5",
        "['b'] does not pass SetContainment against ['a']",
    ]


def test_source_reading_and_specification_give_the_same() -> None:
    read = read_template(TEMPLATE)
    answers: list[dict[str, Json]] = [RIGHT, {}, {"gene": None, "more": 1}]
    for answer in answers:
        assert verify(read, answer) == verify(TEMPLATE, answer)


@given(specs(), st.data())
def test_a_specification_and_its_source_give_the_same(spec: TemplateSpec, data: st.DataObject) -> None:
    values = st.sampled_from([*(one.ground_truth for one in spec.fields), None, "x", 1.5, True, ["a"], "2020-01-01"])
    answer = data.draw(st.dictionaries(st.sampled_from([one.name for one in spec.fields]), values))
    trace = data.draw(st.none() | st.just("x 1"))
    by_spec = verify(spec, answer, trace)
    assert verify(source_of(spec), answer, trace) == by_spec
    json.dumps(by_spec.as_json(), allow_nan=False)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("\ud800") | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(specs(), st.data())
def test_no_answer_is_an_exception(spec: TemplateSpec, data: st.DataObject) -> None:
    answer = data.draw(st.dictionaries(st.sampled_from([one.name for one in spec.fields]) | st.text(), anything))
    result = verify(spec, answer, data.draw(st.none() | st.text()), context=data.draw(st.none() | st.just(answer)))
    assert all(one.reason and one.weight >= 0 for one in result.fields)
    assert result.granular_score is None or 0 <= result.granular_score <= 1
    assert (result.passed is None) <= any(one.passed is None for one in result.fields)
    json.dumps(result.as_json(), allow_nan=False)


def test_a_missing_value_does_not_pass() -> None:
    result = judged(field("gene"))
    assert (result.passed, result.score, result.reason, result.expected) == (False, 0.0, "no value for gene", "a")


@pytest.mark.parametrize(
    ("type_", "verify_with", "value", "reason"),
    [
        ("float", "NumericExact", "abc", '"abc" is no number'),
        ("float", "NumericExact", [1], "[1] is no number"),
        ("int", "NumericExact", 5.5, "5.5 is no whole number"),
        ("int", "NumericExact", None, "the value is null"),
        ("bool", "BooleanMatch", "maybe", '"maybe" is neither true nor false'),
        ("list_str", "SetContainment", "a", '"a" is no list'),
        ("str", "ExactMatch", None, "the value is null"),
        ("str", "ExactMatch", ["1"], "['1'] is no text"),
        ("str", "ExactMatch", {"1": 1}, "{'1': 1} is no text"),
    ],
)
def test_a_value_of_a_wrong_type_does_not_pass(type_: str, verify_with: str, value: Json, reason: str) -> None:
    result = judged(field(type_=type_, truth=1, verify_with={"type": verify_with}), value)
    assert (result.passed, result.score, result.reason) == (False, 0.0, reason)


@pytest.mark.parametrize(
    ("type_", "verify_with", "truth", "value"),
    [
        ("float", "NumericExact", 10, "10"),
        ("int", "ExactMatch", 10, 10.0),
        ("float", "ExactMatch", 10.0, 10),
        ("bool", "BooleanMatch", True, "yes"),
        ("bool", "BooleanMatch", False, 0),
        ("bool", "BooleanMatch", None, None),
        ("date", "DateMatch", "2020-01-31", "31 January 2020"),
        ("list_str", "SetContainment", ["a", "b"], ("b", "a")),
    ],
)
def test_values_are_taken_in_the_type_of_their_field(type_: str, verify_with: str, truth: Json, value: Json) -> None:
    assert judged(field(type_=type_, truth=truth, verify_with={"type": verify_with}), value).passed is True


def test_a_literal_has_to_be_one_of_its_values() -> None:
    stated = field(type_="literal", truth="low", verify_with={"type": "LiteralMatch"}, literal_values=["low", "high"])
    assert judged(stated, "low").passed is True
    assert judged(stated, "middle").reason == '"middle" is not one of "low", "high"'


def test_an_incomplete_date_is_remarked_on() -> None:
    result = judged(field(type_="date", truth="2020-01-31", verify_with={"type": "DateMatch"}), "2020")
    assert result.passed is False
    assert result.reason.startswith('"2020" does not pass DateMatch against "2020-01-31"; ')


def test_a_primitive_that_ignores_the_ground_truth_is_shown_without_it() -> None:
    stated = field(type_="float", truth=1, verify_with={"type": "NumericRange", "min": 10})
    assert judged(stated, 5).reason == "5.0 does not pass NumericRange(min=10.0)"


def test_an_unknown_field_is_listed_and_changes_nothing() -> None:
    result = verify(TEMPLATE, {**RIGHT, "colour": "red", "id": "q", "correct": {}})
    assert (result.passed, result.granular_score) == (True, 1.0)
    assert [one.name for one in result.fields] == ["gene", "size", "tags", "colour"]
    assert (result.fields[3].passed, result.fields[3].value) == (None, "red")
    assert result.fields[3].reason == "the template has no such field; there are gene, size, tags"


def test_plain_fields_are_known_and_not_verified() -> None:
    result = verify(TEMPLATE + "    note: str\n", {**RIGHT, "note": "n"})
    assert (result.level, result.passed, len(result.fields)) == (Level.MIXED, True, 3)


def test_a_field_that_the_template_fills_in_is_not_known_without_a_value() -> None:
    text = TEMPLATE.replace("weight=2.0", 'default="BCL2"')
    result = verify(text, {"size": 100, "tags": ["a"]})
    assert result.passed is None
    assert "which one the template fills in is not known" in result.reason
    assert verify(text, RIGHT).passed is True
    annotated = "class Answer(BaseAnswer):\n    x: Annotated[str, VerifiedField('x', 'a', ExactMatch())] = 'a'\n"
    assert [verify(annotated, answer).passed for answer in ({}, {"x": "a"})] == [None, True]


@pytest.mark.parametrize(
    ("items", "truth", "answer"),
    [("int", [1, 2], ["2", "1"]), ("float", [1.5], ["1.5"]), ("bool", [True], ["yes"])],
)
def test_items_of_a_list_are_taken_in_their_type(items: str, truth: Json, answer: Json) -> None:
    text = f"class Answer(BaseAnswer):\n    x: list[{items}] = VerifiedField('x', {truth}, SetContainment())\n"
    assert verify(text, {"x": answer}).passed is True
    result = verify(text, {"x": ["many"]})
    assert (result.passed, "is no list of" in result.fields[0].reason) == (False, True)


TRACE = {"type": "TraceContains", "substring": "please"}


@pytest.mark.parametrize(
    ("truth", "trace", "passed", "reason"),
    [
        (True, "please", True, 'the response passes TraceContains(substring="please"), and should'),
        (True, "now", False, 'the response does not pass TraceContains(substring="please"), and should'),
        (False, "please", False, 'the response passes TraceContains(substring="please"), and should not'),
        (False, "now", True, 'the response does not pass TraceContains(substring="please"), and should not'),
        (True, None, None, "TraceContains looks at the raw response: give its text as trace"),
    ],
)
def test_trace_fields_look_at_the_response(truth: bool, trace: str | None, passed: bool | None, reason: str) -> None:
    result = judged(field(type_="bool", truth=truth, verify_with=TRACE, is_trace=True), trace=trace)
    assert (result.passed, result.reason) == (passed, reason)


def test_what_cannot_be_decided_counts_only_if_it_matters() -> None:
    both = [field("a"), field("s", verify_with={"type": "SemanticMatch"})]
    checks = [VerifyStrategySpec(type="field_check", field_name=name) for name in "as"]
    either = TemplateSpec(fields=both, verify_strategy=VerifyStrategySpec(type="any_of", conditions=checks))
    right, wrong = {"a": "a", "s": "x"}, {"a": "b", "s": "x"}
    assert verify(TemplateSpec(fields=both), right).passed is None
    assert verify(TemplateSpec(fields=both), wrong).passed is False
    assert verify(either, right).passed is True
    unknown = verify(either, wrong)
    assert (unknown.passed, unknown.granular_score, unknown.karenina_granular_score) == (None, None, None)
    assert unknown.reason.startswith("field s: SemanticMatch needs an embedding stage")
    assert verify(either, right).granular_score == 1.0


def test_a_primitive_that_cannot_be_built_cannot_decide() -> None:
    for stated in ({"type": "Nope"}, {}, {"type": "RegexMatch", "pattern": "("}, {"type": "NumericTolerance"}):
        result = judged(field(verify_with=stated), "a")
        assert (result.passed, result.score, result.primitive) == (None, None, None)
        assert result.reason.startswith("the template does not say how to judge it: ")
    assert judged(field(truth={"__conditional__": True}), "a").passed is None


CASE = "GroundTruthCase(value='a', verify_with=ExactMatch([]))"


@pytest.mark.parametrize(
    ("truth", "primitive"),
    [
        ("'a'", "ExactMatch([])"),
        (f"ConditionalGroundTruth(source='n', cases={{}}, default={CASE})", "BooleanMatch()"),
    ],
)
def test_a_primitive_whose_parameters_have_no_names_cannot_decide(truth: str, primitive: str) -> None:
    result = verify(
        f"class Answer(BaseAnswer):\n    gene: str = VerifiedField('d', {truth}, {primitive})", {"gene": "A"}
    )
    assert result.passed is None
    assert "takes its parameters by name, not `[]`" in result.reason


def test_a_conditional_ground_truth_is_chosen_by_the_context() -> None:
    cases = {"2": {"value": "two", "verify_with": None}, "3": {"value": 1, "verify_with": {"type": "NumericMinimum"}}}
    default = {"value": "none", "verify_with": None}
    stated = field(truth={"__conditional__": True, "source": "state.n", "cases": cases, "default": default})
    assert judged(stated, "none").passed is True
    assert judged(stated, "two", context={"state": {"n": 2}}).expected == "two"
    minimum = judged(stated, "7", context={"state": {"n": 3}})
    assert (minimum.passed, minimum.primitive) == (True, "NumericMinimum")


def test_a_strategy_decides() -> None:
    text = TEMPLATE + (
        "    class VerificationStrategy:\n"
        '        verify_strategy = AtLeastN(n=1, conditions=[FieldCheck(field="gene"), FieldCheck(field="tags")])\n'
    )
    result = verify(text, {"gene": "x", "size": 0, "tags": ["a"]})
    assert (result.passed, result.reason) == (True, "the strategy passes; not passed: gene, size")
    assert (result.granular_score, result.karenina_granular_score) == (1.0, 0.25)
    assert verify(text, {}).reason == "the strategy does not pass; not passed: gene, size, tags"


@pytest.mark.parametrize(
    ("strategy", "reason"),
    [
        ({"type": "field_check", "field_name": "z"}, "names fields without a result: 'z'"),
        ({"type": "field_check"}, "the strategy cannot be evaluated: "),
        ({"type": "at_least_n", "n": -1}, "the strategy cannot be evaluated: "),
        ({"type": "whatever"}, "the strategy cannot be evaluated: "),
    ],
)
def test_a_strategy_that_makes_no_sense_decides_nothing(strategy: Json, reason: str) -> None:
    spec = TemplateSpec(fields=[field()], verify_strategy=VerifyStrategySpec.model_validate(strategy))
    result = verify(spec, {"x": "a"})
    assert (result.passed, result.granular_score, result.fields[0].passed) == (None, None, True)
    assert reason in result.reason


def test_without_fields_there_is_nothing_to_verify() -> None:
    result = verify(TemplateSpec(fields=[]), {"x": 1})
    assert (result.passed, result.reason) == (None, "the template has no fields: add one")


class Gene(BaseAnswer):
    gene: str = VerifiedField("g", "BCL2", ExactMatch())
    count: int = VerifiedField("c", 3, NumericExact())
    polite: bool = VerifiedField("p", True, TraceContains(substring="please"))


GENE = TemplateSpec(
    fields=[
        field("gene", truth="BCL2"),
        field("count", "int", 3, verify_with={"type": "NumericExact"}),
        field("polite", "bool", True, verify_with=TRACE, is_trace=True),
    ]
)


def test_an_answer_object_brings_along_what_is_attached_to_it() -> None:
    answer = Gene(gene="bcl2", count=3)
    assert verify(GENE, answer).passed is None
    assert verify(GENE, answer.attach("please")).passed is True
    assert verify(GENE, answer, "now").passed is False
    nulled = verify(GENE, answer.attach("please", null_fields=["count"]))
    assert [one.reason for one in nulled.fields if not one.passed] == ["no value for count"]


@pytest.mark.parametrize("answer", [None, [], "x", 5])
def test_what_is_no_answer_is_refused(answer: Any) -> None:
    with pytest.raises(EvaluationError, match="is no answer: give an object of values by field name"):
        verify(TEMPLATE, answer)


def test_results_are_plain_json() -> None:
    result = verify(GENE, {"gene": math.nan, "count": math.inf, "odd": {1: {2}, "s": "\ud800"}})
    plain = result.as_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert list(plain) == [
        *("passed", "reason", "level", "fields", "granular_score", "karenina_granular_score", "regex", "executed")
    ]
    assert [one["value"] for one in plain["fields"]] == ["nan", "inf", None, {"1": [2], "s": "\ud800"}]  # type: ignore[union-attr, index, call-overload]


def test_a_value_that_is_nested_too_deeply_does_not_pass() -> None:
    deep: Json = "a"
    for _ in range(sys.getrecursionlimit()):
        deep = [deep]
    result = verify(TEMPLATE, {**RIGHT, "tags": deep, "other": deep})
    assert [one.passed for one in result.fields] == [True, True, False, None]
    assert "nested too deeply" in result.fields[2].reason
    json.dumps(result.as_json())


def test_a_result_is_a_value() -> None:
    result = verify(TEMPLATE, RIGHT)
    assert result == verify(TEMPLATE, RIGHT)
    with pytest.raises(AttributeError):
        result.passed = False  # type: ignore[misc]
    assert VerificationResult(None, "r", Level.EMPTY).as_json()["level"] == "empty"


# --- Verdicts and scores where some results are not known, against trying all possibilities.


NAMES = ("a", "b", "c")


TREES = st.none() | strategies(NAMES).map(VerifyStrategySpec.node)


def results(*passed: bool | None) -> list[FieldResult]:
    return [
        FieldResult(name, one, None if one is None else float(one), "", weight=index + 1.0)
        for index, (name, one) in enumerate(zip(NAMES, passed, strict=True))
    ]


@given(TREES, st.tuples(*[st.sampled_from([True, False, None])] * 3))
def test_a_verdict_and_scores_are_known_if_all_possibilities_agree(
    node: StrategyNode | None, passed: tuple[bool | None, ...]
) -> None:
    possible = list(product(*([False, True] if one is None else [one] for one in passed)))
    verdicts = {
        all(one) if node is None else evaluate_strategy(node, dict(zip(NAMES, one, strict=True))) for one in possible
    }
    verdict, *scores_found = decided(node, results(*passed))
    assert verdict is (verdicts.pop() if len(verdicts) == 1 else None)
    for index, found in enumerate(scores_found, start=1):
        scores = {decided(node, results(*one))[index] for one in possible}
        assert found == (scores.pop() if len(scores) == 1 else None)


WEIGHTS = {"a": 1.0, "b": 2.0, "c": 3.0}


@pytest.mark.parametrize(
    ("node", "weights", "score"),
    [
        (None, WEIGHTS, 0.5),
        (AllOf(), WEIGHTS, 0.5),
        (FieldCheck(field="c"), WEIGHTS, 0.5),
        (AnyOf(), WEIGHTS, 1 / 3),
        (AtLeastN(n=2), WEIGHTS, 0.5),
        (AtLeastN(n=1), WEIGHTS, 1 / 3),
        (AtLeastN(n=0), WEIGHTS, 0.0),
        (None, {"a": 2.0, "b": 0.0, "c": -1.0}, 2.0),
        (None, {"a": 0.0}, 0.0),
    ],
)
def test_the_score_of_karenina_looks_at_the_root_only_and_is_not_bounded(
    node: StrategyNode | None, weights: dict[str, float], score: float
) -> None:
    assert karenina_score(node, {"a": 1.0, "b": 1.0, "c": 0.0}, weights) == pytest.approx(score)
    assert karenina_score(AnyOf(), {}, {}) == 0.0


# --- What a judge is requested, as JSON Schema.


SECRET = "S3CRET"


def field_of_spec(name: str, type_: str = "str", **members: Any) -> TemplateFieldSpec:
    trace = {"type": "TraceContains", "substring": SECRET}
    stated = {"description": f"the {name}", "ground_truth": SECRET, **members}
    stated["verify_with"] = trace if members.get("is_trace") else {"type": "ExactMatch"}
    return TemplateFieldSpec(name=name, type=type_, **stated)


SPEC = TemplateSpec(
    fields=[
        field_of_spec("name", extraction_hint="the first word"),
        field_of_spec("kind", "literal", literal_values=["a", "b"]),
        field_of_spec("tags", "list_str"),
        field_of_spec("day", "date"),
        field_of_spec("count", "int"),
        field_of_spec("size", "float"),
        field_of_spec("ok", "bool"),
        field_of_spec("polite", "bool", is_trace=True),
    ],
    class_name="Gene",
)


def test_each_field_is_requested_in_its_type_without_its_ground_truth() -> None:
    assert SECRET not in json.dumps(judge_schema(SPEC))
    assert judge_schema(SPEC) == {
        "type": "object",
        "title": "Gene",
        "properties": {
            "name": {"type": "string", "description": "the name\nthe first word"},
            "kind": {"type": "string", "description": "the kind", "enum": ["a", "b"]},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "the tags"},
            "day": {"type": "string", "format": "date", "description": "the day"},
            "count": {"type": "integer", "description": "the count"},
            "size": {"type": "number", "description": "the size"},
            "ok": {"type": "boolean", "description": "the ok"},
        },
        "required": ["name", "kind", "tags", "day", "count", "size", "ok"],
        "additionalProperties": False,
    }


@given(specs())
def test_no_ground_truth_of_any_template_shows(spec: TemplateSpec) -> None:
    marked = []
    for one in spec.fields:
        truth, verify_with = {"marker": SECRET, "truth": one.ground_truth}, {**one.verify_with, "substrings": [SECRET]}
        marked.append(one.model_copy(update={"ground_truth": truth, "verify_with": verify_with}))
    schema = judge_schema(spec.model_copy(update={"fields": marked}))
    assert SECRET not in json.dumps(schema)
    assert schema == judge_schema(spec)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert list(schema["properties"]) == [one.name for one in spec.fields if not one.is_trace]


def test_schemas_share_nothing() -> None:
    judge_schema(SPEC)["properties"]["tags"]["items"]["type"] = "number"
    assert judge_schema(SPEC)["properties"]["tags"]["items"] == {"type": "string"}


# --- Reading a template gives what its class gives when it is made of our entities.


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans() | st.sampled_from(["yes", 0]),
    "str": st.sampled_from(["a", "A ", "1", "x1", "2020-01-31", ""]),
    "int": st.integers(-3, 3) | st.sampled_from(["2", 3.0]),
    "float": st.floats(-2, 2) | st.sampled_from(["1.5", 1, True]),
    "list_str": st.lists(st.sampled_from(["a", "b"]), max_size=2),
    "date": st.sampled_from(["2020-01-31", "31 January 2020", "2020", "x"]),
}


def made(spec: TemplateSpec) -> type[BaseAnswer]:
    """Run a text that was written here, with our entities in place of Karenina's."""
    lines = [line for line in source_of(spec).splitlines(keepends=True) if not line.startswith("from karenina")]
    names: dict[str, Any] = {"__name__": "made"} | {name: getattr(entities, name) for name in entities.__all__}
    exec(compile("".join(lines), "made", "exec", dont_inherit=True), names)
    answer: type[BaseAnswer] = names[spec.class_name]
    return answer


@st.composite
def cases(draw: st.DrawFn) -> tuple[TemplateSpec, dict[str, Any]]:
    spec = draw(specs())
    answer = {}
    for field in spec.fields:
        conditional = ConditionalGroundTruth.read(field.ground_truth)
        right = st.just(field.ground_truth if conditional is None else conditional.default.value)
        literals = st.sampled_from(field.literal_values or [""])
        answer[field.name] = draw(literals if field.type == "literal" else right | VALUES[field.type])
    return spec, answer


@settings(max_examples=examples(60))
@given(cases(), st.sampled_from(["", "x 1", "a\nb"]))
@pytest.mark.filterwarnings("ignore:Field name")
def test_reading_and_running_agree(case: tuple[TemplateSpec, dict[str, Any]], trace: str) -> None:
    spec, values = case
    answer_class = made(spec)
    try:
        answer = answer_class(**values).attach(trace)
    except ValidationError:
        assume(False)
    result = verify(spec, values, trace)
    results = {field.name: field.passed for field in result.fields}
    try:
        passed = answer.verify()
    except EvaluationError:
        assert not all(results.values())
        return
    assert result.passed is passed
    assert results == answer.field_results()
    assert {field.name: field.score for field in result.fields} == answer.field_scores()
    assert result.granular_score == answer.graded_score()
    assert verify(spec, answer) == result
