"""Questions found by what they say."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, EvaluationError, SettingsError
from tests.benchmark.samples import BLANK, LIGHT, LIQUID, benchmark, load, question
from tests.documents import canonical
from tests.trials import examples

SLOW = "(a+)+$"


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in found]


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ({}, [LIQUID, LIGHT, BLANK]),
        ({"finished": True}, [LIQUID]),
        ({"finished": False}, [LIGHT, BLANK]),
        ({"has_template": True}, [LIQUID, LIGHT]),
        ({"has_template": False}, [BLANK]),
        ({"has_rubric": True}, [LIQUID]),
        ({"author": "aDA"}, [LIQUID]),
        ({"author": ""}, [LIQUID, LIGHT, BLANK]),
        ({"finished": False, "has_template": True}, [LIGHT]),
        ({"custom_filter": lambda one: one["custom_metadata"]["Area"] == "chemistry"}, [LIQUID]),
    ],
)
def test_all_criteria_that_are_given_must_be_met(criteria: dict[str, Any], expected: list[str]) -> None:
    assert ids(benchmark().filter_questions(**criteria)) == expected


def test_what_comes_back_is_a_copy() -> None:
    made = benchmark()
    [found] = made.filter_questions(finished=True)
    found["question"] = "changed"
    assert made.get_question(LIQUID)["question"] == "Which metal is liquid?"


@pytest.mark.parametrize(
    ("path", "value", "mode", "expected"),
    [
        ("raw_answer", "Mercury", "exact", [LIQUID, LIGHT, BLANK]),
        ("raw_answer", "mercury", "exact", []),
        ("finished", True, "exact", [LIQUID]),
        ("finished", False, "exact", [LIGHT, BLANK]),
        ("author", None, "exact", []),
        ("author.name", "Ada Smith", "exact", [LIQUID]),
        ("author.name.first", "Ada", "exact", []),
        ("custom_metadata.Area", "CHEM", "contains", [LIQUID]),
        ("keywords", "metals", "in", [LIQUID]),
        ("keywords", "metal", "in", []),
        ("keywords", "metals", "contains", []),
        ("question", "^WHICH.*liquid", "regex", [LIQUID]),
        ("question", "(", "regex", []),
        ("question", 5, "regex", []),
    ],
)
def test_metadata_match_by_a_path(path: str, value: Any, mode: Any, expected: list[str]) -> None:
    assert ids(benchmark().filter_by_metadata(path, value, mode)) == expected


def test_another_mode_is_refused_whatever_the_questions() -> None:
    with pytest.raises(SettingsError, match="exact, contains, in, regex"):
        Benchmark("Nothing").filter_by_metadata("question", "x", "fuzzy")  # type: ignore[arg-type]


def test_custom_metadata_match_by_and_or_by_or() -> None:
    made = load(
        canonical(
            question("1?", LIQUID, custom_a=1, custom_b="x"), question("2?", LIGHT, custom_a=1), question("3?", BLANK)
        )
    )
    assert ids(made.filter_by_custom_metadata(a=1)) == [LIQUID, LIGHT]
    assert ids(made.filter_by_custom_metadata(a=1, b="x")) == [LIQUID]
    assert ids(made.filter_by_custom_metadata(False, a=2, b="x")) == [LIQUID]
    assert ids(made.filter_by_custom_metadata()) == [LIQUID, LIGHT]
    assert ids(made.filter_by_custom_metadata(match_all=False)) == []
    assert ids(made.filter_by_custom_metadata(c=None)) == []


@pytest.mark.parametrize(
    ("query", "options", "expected"),
    [
        ("LIQUID", {}, [LIQUID]),
        ("LIQUID", {"case_sensitive": True}, []),
        ("", {}, [LIQUID, LIGHT, BLANK]),
        ([], {}, []),
        (["which", "is"], {}, [LIQUID, LIGHT]),
        (["liquid", "lightest"], {}, []),
        (["liquid", "lightest"], {"match_all": False}, [LIQUID, LIGHT]),
        ("liquid? Mercury", {"fields": ["question", "raw_answer"]}, [LIQUID]),
        ("liquids", {"fields": ["keywords"]}, [LIQUID]),
        ("ada", {"fields": ["author.name"]}, [LIQUID]),
        ("x", {"fields": ["nothing"]}, []),
        ("l.+t", {"regex": True}, [LIGHT]),
        ("L.+T", {"regex": True, "case_sensitive": True}, []),
        ("(", {"regex": True}, []),
        (["(", "Which"], {"regex": True}, []),
        (["(", "Which"], {"regex": True, "match_all": False}, [LIQUID, LIGHT, BLANK]),
    ],
)
def test_a_search_looks_into_the_fields(query: Any, options: dict[str, Any], expected: list[str]) -> None:
    assert ids(benchmark().search_questions(query, **options)) == expected


@pytest.mark.slow
def test_a_pattern_that_would_never_end_is_given_up() -> None:
    made = load(canonical(question("a" * 40 + "!", LIQUID)))
    start = time.monotonic()
    with pytest.raises(EvaluationError, match="rewrite it"):
        made.search_questions(SLOW, regex=True)
    with pytest.raises(EvaluationError, match="rewrite it"):
        made.filter_by_metadata("question", SLOW, "regex")
    assert time.monotonic() - start < 30


def test_shortcuts() -> None:
    made = benchmark()
    assert ids(made.get_questions_by_author("smith")) == [LIQUID]
    assert ids(made.get_questions_with_rubric()) == [LIQUID]


def test_counts_by_field_have_each_item_of_a_list_and_what_is_missing() -> None:
    made = benchmark()
    assert made.count_by_field("keywords") == {"metals": 1, "liquids": 1, None: 2}
    assert made.count_by_field("finished") == {True: 1, False: 2}
    assert made.count_by_field("author") == {'{"@type": "Person", "name": "Ada Smith"}': 1, None: 2}
    assert made.count_by_field("author.name", made.filter_questions(finished=True)) == {"Ada Smith": 1}
    assert made.count_by_field("custom_metadata.years", []) == {}


@settings(max_examples=examples(40))
@given(query=st.text(max_size=3), texts=st.lists(st.text("abcAB", min_size=1, max_size=5), min_size=1, max_size=4))
def test_a_search_with_case_finds_what_holds_the_text(query: str, texts: list[str]) -> None:
    made = Benchmark("Any")
    names = [made.add_question(text, "answer") for text in texts]
    expected = [name for name, text in zip(names, texts, strict=True) if query in text]
    assert ids(made.search_questions(query, case_sensitive=True)) == expected
