"""Merging the rubric of a benchmark with that of a question."""

from __future__ import annotations

import pytest

from checkpoint_ld.entities import (
    LENIENT,
    DynamicRubric,
    LLMRubricTrait,
    RegexRubricTrait,
    Rubric,
    merge_dynamic_rubrics,
    merge_rubrics,
    merge_rubrics_with_provenance,
)
from checkpoint_ld.errors import SettingsError


def rubric(llm: list[str], regex: list[str]) -> Rubric:
    return Rubric(
        llm_traits=[LLMRubricTrait(name=name, kind="boolean") for name in llm],
        regex_traits=[RegexRubricTrait(name=name, pattern="x") for name in regex],
    )


def test_traits_come_kind_by_kind_global_ones_first() -> None:
    general, own = rubric(["b"], ["r"]), rubric(["a"], ["q"])
    merged = merge_rubrics(general, own)
    assert merged is not None
    assert merged.get_trait_names() == ["b", "a", "r", "q"]
    assert merged.llm_traits[0] is general.llm_traits[0]
    assert (general.get_trait_names(), own.get_trait_names()) == (["b", "r"], ["a", "q"])


def test_of_one_rubric_that_rubric_comes_back() -> None:
    one = rubric(["a"], [])
    assert merge_rubrics(one, None) is one
    assert merge_rubrics(None, one) is one
    assert merge_rubrics(None, None) is None


def test_provenance_says_where_each_trait_comes_from() -> None:
    merged, provenance = merge_rubrics_with_provenance(rubric(["b"], ["r"]), rubric(["a"], []))
    assert merged == rubric(["b", "a"], ["r"])
    assert provenance == {"b": "global", "a": "question_specific", "r": "global"}
    assert merge_rubrics_with_provenance(rubric(["b"], []), None)[1] == {"b": "global"}
    assert merge_rubrics_with_provenance(None, None) == (None, None)


@pytest.mark.parametrize(
    ("general", "own", "conflict"),
    [(rubric(["a"], ["r"]), rubric(["a"], ["r"]), "llm:a, regex:r"), (rubric(["a"], []), rubric([], ["a"]), "regex:a")],
)
def test_the_same_name_in_both_is_an_error(general: Rubric, own: Rubric, conflict: str) -> None:
    with pytest.raises(SettingsError, match=conflict) as refused:
        merge_rubrics(general, own)
    assert isinstance(refused.value, ValueError)


def test_what_was_odd_in_a_file_does_not_keep_rubrics_from_being_merged() -> None:
    odd = Rubric.model_validate({"llm_traits": [{"name": "a.b", "kind": "boolean"}]}, context=LENIENT)
    merged = merge_rubrics(odd, rubric(["c"], []))
    assert merged is not None
    assert [found.condition for found in merged.problems()] == ["W-TRAIT-NAME"]


def test_dynamic_rubrics_are_merged_alike() -> None:
    general = DynamicRubric(llm_traits=[LLMRubricTrait(name="a", kind="boolean", summary="s")])
    own = DynamicRubric(llm_traits=[LLMRubricTrait(name="b", kind="boolean", summary="s")])
    merged = merge_dynamic_rubrics(general, own)
    assert isinstance(merged, DynamicRubric)
    assert merged.get_trait_names() == ["a", "b"]
    assert merge_dynamic_rubrics(None, own) is own
    with pytest.raises(ValueError, match="llm:a"):
        merge_dynamic_rubrics(general, general)
