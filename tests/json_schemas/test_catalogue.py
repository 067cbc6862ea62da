"""JSON Schemas by their names."""

from __future__ import annotations

import pytest

from checkpoint_ld import SettingsError
from checkpoint_ld.entities.json_schemas import json_schema, summaries


@pytest.mark.parametrize("name", ["llm-rubric-trait", "LLMRubricTrait", "llm_rubric_trait", "Llm Rubric Trait"])
def test_a_name_may_be_spelt_as_the_class_is(name: str) -> None:
    assert json_schema(name)["$id"] == "urn:checkpoint-ld:schema:llm-rubric-trait"


def test_documents_have_schemas_too() -> None:
    assert json_schema("checkpoint")["$id"] == "urn:checkpoint-ld:schema:checkpoint"
    assert json_schema("report")["$id"] == "urn:checkpoint-ld:report:1"


def test_a_name_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(SettingsError, match='there is no schema "questoin"; did you mean question'):
        json_schema("questoin")


def test_a_schema_may_be_changed_by_who_asked_for_it() -> None:
    json_schema("checkpoint").clear()
    json_schema("question")["properties"].clear()
    assert json_schema("checkpoint")["title"]
    assert json_schema("question")["properties"]


def test_each_has_a_line_that_says_what_it_is_of() -> None:
    assert list(summaries())[:2] == ["checkpoint", "report"]
    assert list(summaries())[2:] == sorted(list(summaries())[2:])
    assert all(text and "\n" not in text for text in summaries().values())
