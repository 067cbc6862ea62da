"""Primitives that compare texts, and normalisers."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from checkpoint_ld.entities import (
    ContainsAll,
    ContainsAny,
    ExactMatch,
    RegexMatch,
    SemanticMatch,
    SynonymMap,
    apply_normalizers,
)
from checkpoint_ld.errors import EvaluationError

# Normalisers


@pytest.mark.parametrize(
    ("normalizers", "text", "result"),
    [
        ([], " A ", " A "),
        (["lowercase"], "STRAẞE Straße", "straße straße"),
        (["strip"], "\t a b \n", "a b"),
        (["remove_punctuation"], "a.b-c_d“e”…—'", "abcd“e”…—"),
        (["collapse_whitespace"], "  a \t\n b ", "a b"),
        (["strip", "remove_punctuation"], " ! a", " a"),
        (["remove_punctuation", "strip"], " ! a", "a"),
        ([SynonymMap(mapping={"p53": "tp53"})], "p53", "tp53"),
        ([SynonymMap(mapping={"p53": "tp53"})], "the p53", "the p53"),
        (["lowercase", SynonymMap(mapping={"p53": "tp53"})], "P53", "tp53"),
        ([SynonymMap(mapping={"p53": "tp53"}), "lowercase"], "P53", "p53"),
    ],
)
def test_normalisers_work_from_left_to_right(normalizers: list[Any], text: str, result: str) -> None:
    assert apply_normalizers(normalizers, text) == result


def test_a_normaliser_that_does_not_exist_is_refused_with_a_suggestion() -> None:
    with pytest.raises(EvaluationError, match="lowercase"):
        apply_normalizers(["lower_case"], "A")  # type: ignore[list-item]


@pytest.mark.parametrize(
    "normalize", [["nope"], ["Lowercase"], [{}], [{"mapping": {"a": 1}}], ["strip", 1], "strip", None]
)
@pytest.mark.parametrize("cls", [ExactMatch, ContainsAny])
def test_a_primitive_refuses_what_is_no_normaliser(cls: type[ExactMatch], normalize: Any) -> None:
    with pytest.raises(ValidationError):
        cls.model_validate({"substrings": [], "normalize": normalize})


def test_both_sides_are_normalised() -> None:
    same = ExactMatch(normalize=["lowercase", SynonymMap(mapping={"p53": "tp53"})])
    assert same.check("P53", "TP53")
    assert same.check("TP53", "P53")


# ExactMatch


@pytest.mark.parametrize(
    ("extracted", "expected", "passed"),
    [
        (" bcl2 ", "BCL2", True),
        ("BCL-2", "BCL2", False),
        (1, "1", True),
        (1.0, "1", False),
        (True, "true", True),
        (None, None, True),
        (None, "None", False),
        ("none", None, False),
        ("", None, False),
        (["A"], "['a']", True),
    ],
)
def test_exact_match(extracted: object, expected: object, passed: bool) -> None:
    assert ExactMatch().check(extracted, expected) is passed
    assert ExactMatch().score(extracted, expected) == float(passed)


def test_exact_match_without_normalisers_takes_texts_as_they_are() -> None:
    assert not ExactMatch(normalize=[]).check("a ", "a")
    assert ExactMatch(normalize=[]).check("a ", "a ")


def test_a_number_with_too_many_digits_has_no_text() -> None:
    with pytest.raises(EvaluationError, match="cannot be compared as text"):
        ExactMatch().check(10**5000, "1")


# ContainsAny, ContainsAll


@pytest.mark.parametrize(
    ("substrings", "text", "some", "every"),
    [
        (["ab", "cd"], "xabx", True, False),
        (["ab", "cd"], "cdab", True, True),
        (["ab", "cd"], "AB", False, False),
        ([], "a", False, True),
        ([""], "", True, True),
        (["1"], 21, True, True),
        (["None", ""], None, False, False),
        ([], None, False, True),
    ],
)
def test_containment(substrings: list[str], text: object, some: bool, every: bool) -> None:
    assert ContainsAny(substrings=substrings).check(text, "whatever") is some
    assert ContainsAll(substrings=substrings).check(text, None) is every


def test_substrings_are_normalised_like_the_text() -> None:
    assert ContainsAny(substrings=[" AB "], normalize=["lowercase", "strip"]).check("xaBx", None)
    assert not ContainsAny(substrings=[" AB "], normalize=["lowercase"]).check("xaBx", None)


@pytest.mark.parametrize("cls", [ContainsAny, ContainsAll])
@pytest.mark.parametrize("members", [{}, {"substrings": "ab"}, {"substrings": [1]}, {"substrings": None}])
def test_substrings_are_a_list_of_texts(cls: type[ContainsAny], members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        cls.model_validate(members)


# RegexMatch


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "passed"),
    [
        ("b+", [], "abba", True),
        ("^b", [], "ab", False),
        ("^B", ["IGNORECASE"], "bcl", True),
        ("^b$", ["M"], "a\nb", True),
        ("a.b", ["S"], "a\nb", True),
        ("a  b  # both", ["VERBOSE"], "ab", True),
        (r"^\w$", ["A"], "é", False),
        (r"^\d+$", [], 12, True),
        ("", [], "", True),
        ("None|", [], None, False),
    ],
)
def test_regex_match(pattern: str, flags: list[Any], text: object, passed: bool) -> None:
    assert RegexMatch(pattern=pattern, flags=flags).check(text, "whatever") is passed


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"pattern": None},
        {"pattern": "("},
        {"pattern": "(?P<a>x)(?P<a>y)"},
        {"pattern": "a{99999999999}"},
        {"pattern": "a", "flags": ["NOPE"]},
        {"pattern": "a", "flags": ["ignorecase"]},
        {"pattern": "a", "flags": ["compile"]},
        {"pattern": "a", "flags": "I"},
        {"pattern": "(# not closed)", "flags": ["X"]},
    ],
)
def test_patterns_and_flags_are_checked_when_built(members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RegexMatch.model_validate(members)


def test_a_pattern_is_checked_when_assigned_too() -> None:
    primitive = RegexMatch(pattern="a")
    with pytest.raises(ValidationError, match="unterminated"):
        primitive.pattern = "("
    assert primitive.pattern == "a"


# SemanticMatch


def test_semantic_match_says_what_it_needs() -> None:
    primitive = SemanticMatch()
    assert (primitive.threshold, primitive.needs) == (0.85, "an embedding stage")
    for use in (primitive.check, primitive.score):
        with pytest.raises(EvaluationError, match="needs an embedding stage"):
            use("a", "a")
