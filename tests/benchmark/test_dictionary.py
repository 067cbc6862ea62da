"""The benchmark as plain JSON."""

from __future__ import annotations

import json

from checkpoint_ld.entities import Rubric
from tests.benchmark.samples import BLANK, LIGHT, LIQUID, benchmark, load, tree
from tests.documents import rating


def test_everything_is_json_traits_and_state_included() -> None:
    told = json.loads(json.dumps(benchmark().to_dict()))
    assert told["metadata"] == {
        "name": "Metals",
        "description": "Metals and their properties",
        "version": "0.2.0",
        "creator": "A. Smith",
        "created_at": "2026-01-01T00:00:00",
        "modified_at": "2026-01-02T00:00:00",
    }
    assert told["statistics"] == benchmark().get_summary()
    assert [(one["id"], one["finished"]) for one in told["questions"]] == [
        (LIQUID, True),
        (LIGHT, False),
        (BLANK, False),
    ]
    first = told["questions"][0]
    assert first["custom_metadata"] == {"Area": "chemistry", "years": [2024, 2025]}
    assert Rubric.model_validate(first["question_rubric"]).get_trait_names() == ["certainty", "cites"]
    assert Rubric.model_validate(told["global_rubric"]).get_trait_names() == ["depth", "tone"]
    assert [one["name"] for one in told["global_dynamic_rubric"]["regex_traits"]] == ["cites"]


def test_what_is_told_of_a_question_is_what_get_question_tells() -> None:
    made = benchmark()
    [first, *_] = made.to_dict()["questions"]
    told = made.get_question(LIQUID)
    plain = told.keys() - {"question_rubric", "question_dynamic_rubric", "keywords"}
    assert {name: first[name] for name in plain} == {name: told[name] for name in plain}


def test_keys_of_services_are_masked() -> None:
    secretive = tree()
    agentic = rating("checked", "Global", kind="boolean", model_override={"api_key": "abc-123", "model_name": "m"})
    agentic["additionalType"] = "karenina:GlobalAgenticRubricTrait"
    secretive["rating"].append(agentic)
    written = json.dumps(load(secretive).to_dict())
    assert "abc-123" not in written
    assert '"model_name": "m"' in written
