"""Primitives as templates hold them: the registry, the serialised form, and what the template reader knows of them."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from checkpoint_ld import entities
from checkpoint_ld.entities import (
    NORMALIZERS,
    PRIMITIVES,
    AnyPrimitive,
    ExactMatch,
    NumericTolerance,
    SynonymMap,
    TraceContains,
    TracePrimitive,
    primitive_of,
    safe_check,
)
from checkpoint_ld.errors import CheckpointLdError, SettingsError
from checkpoint_ld.templates import primitives as described
from checkpoint_ld.templates.primitives import Patterns, settle
from checkpoint_ld.workers.patterns import FLAGS

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 0.5, 2.0, 1e10, float("nan"), float("inf")),
    *("", "a", "(", "1", "0.5", "yes", "max", "words", "relative", "quadratic", "hours", "overlap"),
    *([], ["a"], ["strip"], ["I"], ["VERBOSE"], [1], [None]),
    *([{"mapping": {"a": "b"}}], [{"mapping": {"a": 1}}], {}, {"mapping": {}}),
]
REFUSED = "refused"
LEAST: dict[str, dict[str, Any]] = {
    "ContainsAny": {"substrings": ["a"]},
    "ContainsAll": {"substrings": ["a"]},
    "RegexMatch": {"pattern": "a"},
    "NumericTolerance": {"tolerance": 1.0},
    "NumericGraded": {"cutoff": 1.0},
    "NumericRangeGraded": {"min": 0.0, "max": 1.0, "margin": 1.0},
    "NumericThresholdGraded": {"direction": "max", "margin": 1.0},
    "DateTolerance": {"tolerance": 1},
    "TraceRegex": {"pattern": "a"},
    "TraceContains": {"substring": "a"},
}
"""What has to be stated about each primitive, where anything has to."""


def test_all_primitives_are_those_that_the_template_reader_knows() -> None:
    assert sorted(PRIMITIVES) == sorted(described.registry())
    assert len(PRIMITIVES) == 23
    assert set(PRIMITIVES) < set(entities.__all__)
    assert set(NORMALIZERS) == set(described.NORMALIZERS)
    assert set(FLAGS) == set(described.FLAGS)


@pytest.mark.parametrize("name", PRIMITIVES)
def test_a_primitive_is_as_the_template_reader_knows_it(name: str) -> None:
    cls, known = PRIMITIVES[name], described.registry()[name]
    fields = {key: one for key, one in cls.model_fields.items() if key != "type"}
    assert list(fields) == [one.name for one in known.parameters]
    assert [one.is_required() for one in fields.values()] == [one.required for one in known.parameters]
    assert (issubclass(cls, TracePrimitive), cls.needs) == (known.trace, known.needs)
    built = cls.model_validate(LEAST.get(name, {}))
    assert list(built.serialised().items()) == [
        *((one.name, LEAST[name][one.name] if one.required else one.default) for one in known.parameters),
        ("type", name),
    ]


def as_read(known: described.Primitive, parameter: described.Parameter, value: Any) -> Any:
    values, faults = settle(known, {**LEAST.get(known.name, {}), parameter.name: value}, Patterns())
    return REFUSED if faults else values[parameter.name]


def as_built(known: described.Primitive, parameter: described.Parameter, value: Any) -> Any:
    try:
        primitive = PRIMITIVES[known.name].model_validate({**LEAST.get(known.name, {}), parameter.name: value})
    except ValidationError:
        return REFUSED
    return primitive.serialised()[parameter.name]


@pytest.mark.parametrize("name", PRIMITIVES)
def test_a_primitive_takes_the_parameters_that_the_template_reader_lets_pass(name: str) -> None:
    known = described.registry()[name]
    for parameter in known.parameters:
        for value in VALUES:
            read, built = as_read(known, parameter, value), as_built(known, parameter, value)
            assert (built, type(built)) == (read, type(read)), (parameter.name, value)


# The serialised form


def test_the_serialised_form_has_all_parameters_then_the_type() -> None:
    primitive = NumericTolerance(tolerance=0.05)
    text = '{"tolerance":0.05,"mode":"relative","type":"NumericTolerance"}'
    assert primitive.model_dump_json() == text
    assert json.dumps(primitive.serialised(), separators=(",", ":")) == text


def test_a_primitive_is_built_from_any_order_of_members_which_stay_as_they_are() -> None:
    members = {"type": "NumericTolerance", "mode": "absolute", "tolerance": 1}
    assert primitive_of(members) == NumericTolerance(tolerance=1, mode="absolute")
    assert members == {"type": "NumericTolerance", "mode": "absolute", "tolerance": 1}


def test_synonyms_come_back() -> None:
    primitive = ExactMatch(normalize=["strip", SynonymMap(mapping={"a": "b"})])
    assert primitive.serialised()["normalize"] == ["strip", {"mapping": {"a": "b"}}]
    assert primitive_of(primitive.serialised()) == primitive


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "has no name"),
        ({"type": None}, "has no name"),
        ({"type": ["ExactMatch"]}, "has no name"),
        ([], "has no name"),
        ({"type": "exactmatch"}, "did you mean ExactMatch"),
        ({"type": "NumericTolerence"}, "did you mean NumericTolerance"),
        ({"type": "VerificationPrimitive"}, "there is no primitive"),
        ({"type": "TracePrimitive"}, "there is no primitive"),
    ],
)
def test_a_primitive_needs_a_name_that_exists(members: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        primitive_of(members)


def test_parameters_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        NumericTolerance(0.5)  # type: ignore[call-arg]


def test_a_name_may_be_repeated_but_not_another() -> None:
    assert ExactMatch.model_validate({"type": "ExactMatch"}) == ExactMatch()
    with pytest.raises(ValidationError):
        ExactMatch.model_validate({"type": "LiteralMatch"})


def test_unknown_parameters_are_reported_and_kept(caplog: pytest.LogCaptureFixture) -> None:
    members = {"normalize": [], "fuzzy": {"by": 2}, "type": "ExactMatch"}
    with caplog.at_level(logging.WARNING):
        primitive = primitive_of(members)
    assert [record.message for record in caplog.records] == [
        'ExactMatch has no parameter "fuzzy": it is kept and has no effect'
    ]
    assert primitive.unknown_parameters == ("fuzzy",)
    assert list(primitive.serialised().items()) == list(members.items())
    assert primitive.check("a", "a")
    assert ExactMatch().unknown_parameters == ()


def test_two_primitives_share_no_default() -> None:
    first, second = ExactMatch(), ExactMatch()
    first.normalize.append("remove_punctuation")
    assert second.normalize == ["lowercase", "strip"]


def test_a_primitive_may_be_a_field_of_a_model() -> None:
    class Holder(BaseModel):
        verify_with: AnyPrimitive

    held = Holder.model_validate({"verify_with": {"type": "TraceContains", "substring": "a"}})
    assert held.verify_with == TraceContains(substring="a")
    assert held.model_dump() == {"verify_with": {"substring": "a", "type": "TraceContains"}}


def test_editors_learn_the_parameters_from_the_schema() -> None:
    schema = TypeAdapter(AnyPrimitive).json_schema()
    assert set(schema["$defs"]) == {*PRIMITIVES, "SynonymMap"}
    assert schema["$defs"]["NumericTolerance"]["required"] == ["tolerance"]
    assert schema["$defs"]["NumericTolerance"]["properties"]["type"]["const"] == "NumericTolerance"
    assert schema["discriminator"]["propertyName"] == "type"


# safe_check


def test_safe_check_gives_result_and_score() -> None:
    result = safe_check(primitive_of({"type": "NumericGraded", "cutoff": 0.1}), 105, 100)
    assert (result.passed, round(result.score, 4), result.error, result.remarks) == (True, 0.5, None, ())
    with pytest.raises(AttributeError):
        result.passed = False  # type: ignore[misc]


def test_safe_check_shows_what_cannot_be_compared() -> None:
    result = safe_check(primitive_of({"type": "NumericExact"}), "many", 1)
    assert (result.passed, result.score) == (False, 0.0)
    assert result.error == '"many" is no number: give one, such as 3.5'


def test_safe_check_shows_what_is_no_date() -> None:
    result = safe_check(primitive_of({"type": "DateMatch"}), "March 2020", "2020-03-01")
    assert (result.passed, result.error) == (False, None)
    assert result.remarks == ('"March 2020" is an incomplete date: give year, month and day',)


@pytest.mark.parametrize(("text", "expected", "passed"), [("ab", True, True), ("ab", False, False), ("b", False, True)])
def test_safe_check_compares_a_response_with_what_is_requested(text: str, expected: bool, passed: bool) -> None:
    result = safe_check(TraceContains(substring="a"), text, expected)
    assert (result.passed, result.score, result.error) == (passed, float(passed), None)
    assert safe_check(TraceContains(substring="a"), None, expected).error is not None


def test_only_our_errors_are_kept_from_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr(ExactMatch, "check", fail)
    with pytest.raises(ZeroDivisionError):
        safe_check(ExactMatch(), 1, 1)
    assert issubclass(SettingsError, CheckpointLdError)
