"""What regular expressions of an answer find in a raw response."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint_ld.entities.answer import BaseAnswer
from checkpoint_ld.entities.verified_field import check_regexes
from checkpoint_ld.errors import EvaluationError

TEXT = "a12b"


def searched(pattern: Any, expected: Any, match_type: Any = "exact", text: str = TEXT) -> dict[str, Any]:
    found = check_regexes({"r": {"pattern": pattern, "expected": expected, "match_type": match_type}}, text)
    assert found["success"] is found["results"]["r"]
    detail: dict[str, Any] = found["details"]["r"]
    assert found["success"] is ("success_reason" in detail)
    assert len({"success_reason", "failure_reason", "error"} & set(detail)) == 1
    return {"success": found["success"], **detail}


@pytest.mark.parametrize(
    ("pattern", "expected", "match_type", "success"),
    [
        (r"\d+", "12", "exact", True),
        (r"\d+", "1", "exact", False),
        (r"\d", "1", "exact", False),
        (r"x", None, "exact", False),
        (r"\d", "2", "contains", True),
        (r"\d", "3", "contains", False),
        (r"\d", 2, "count", True),
        (r"[12]x?", 3, "count", False),
        (r"a", True, "count", True),
        (r"a", "1", "count", False),
        (r"a", 1.0, "count", False),
        (r"\d", ["2", "1"], "all", True),
        (r"\d", [], "all", True),
        (r"\d", ["1", "3"], "all", False),
        (r"\d", "1", "all", False),
        (r"(\d)(x)?", ["1"], "all", False),
        (r"(\d)", "2", "contains", True),
        (r"\d", "1", "some", False),
        (r"\d", "1", ["exact"], False),
    ],
)
def test_expressions_are_met_as_their_match_type_says(
    pattern: str, expected: Any, match_type: Any, success: bool
) -> None:
    assert searched(pattern, expected, match_type)["success"] is success


def test_details_show_what_was_found() -> None:
    detail = searched(r"(\w)(\d)", "a1", "contains")
    assert detail["matches_found"] == [("a", "1")]
    assert (detail["match_count"], detail["pattern"], detail["expected"]) == (1, r"(\w)(\d)", "a1")
    assert "not among" in detail["failure_reason"]


@pytest.mark.parametrize("said", [{"pattern": "("}, {"pattern": 5}, {"pattern": None}, "a", None])
def test_what_cannot_be_searched_for_is_an_error_in_the_details(said: Any) -> None:
    found = check_regexes({"r": said, "s": {"pattern": "12", "expected": "12"}}, TEXT)
    assert (found["success"], found["results"]) == (False, {"r": False, "s": True})
    assert set(found["details"]["r"]) == {"error", "pattern", "expected", "match_type"}
    assert found["details"]["r"]["error"]


@pytest.mark.slow
def test_an_expression_that_takes_too_long_is_given_up() -> None:
    detail = searched(r"(a+)+$", "x", text="a" * 40 + "b")
    assert "takes more than" in detail["error"]


def test_members_that_are_not_given_are_the_usual_ones() -> None:
    detail = check_regexes({"r": {}}, "")["details"]["r"]
    assert (detail["pattern"], detail["expected"], detail["match_type"], detail["matches_found"]) == (
        "",
        None,
        "exact",
        [""],
    )


def test_an_answer_uses_its_member_regex() -> None:
    class Cited(BaseAnswer):
        def model_post_init(self, context: Any, /) -> None:
            super().model_post_init(context)
            self.regex = {"cites": {"pattern": r"\[\d\]", "expected": 2, "match_type": "count"}}

    assert Cited().verify_regex("[1] [2]")["success"] is True
    assert Cited().verify_regex("[1]")["results"] == {"cites": False}


@pytest.mark.parametrize("given", [{}, {"regex": {}}, {"regex": None}])
def test_without_expressions_there_is_nothing_to_miss(given: Any) -> None:
    assert BaseAnswer(**given).verify_regex("x") == {"success": True, "results": {}, "details": {}}


def test_a_member_regex_that_is_no_object_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="regex"):
        BaseAnswer.model_validate({"regex": "a"}).verify_regex("a")
