"""Records: flat rows of questions, fields and traits."""

from __future__ import annotations

import json

from checkpoint_ld import Benchmark
from tests.benchmark.samples import BLANK, LIGHT, LIQUID, benchmark, load, question
from tests.documents import canonical


def test_a_record_says_the_columns_of_the_table_and_more() -> None:
    first, second, third = benchmark().to_records()
    assert first == {
        "question_id": LIQUID,
        "question": "Which metal is liquid?",
        "raw_answer": "Mercury",
        "has_template": True,
        "finished": True,
        "author": "Ada Smith",
        "created": "2026-01-01T00:00:00",
        "modified": "2026-01-02T00:00:00.123456",
        "keywords": ["metals", "liquids"],
        "has_rubric": True,
        "template_mode": "verified",
        "verified_field_count": 2,
        "custom.Area": "chemistry",
        "custom.years": "[2024, 2025]",
    }
    assert (second["template_mode"], second["has_template"], second["custom.Area"]) == ("syntax-error", True, None)
    assert (third["template_mode"], third["has_template"], third["finished"]) == ("placeholder", False, False)
    assert first.keys() == second.keys() == third.keys()


def test_a_record_for_each_verified_field_none_for_a_broken_template() -> None:
    metal, celsius = benchmark().fields_records()
    assert (metal["question_id"], metal["field_name"], metal["field_type"]) == (LIQUID, "metal", "str")
    assert (metal["primitive"], metal["ground_truth"], metal["weight"]) == ("ExactMatch", "mercury", 1.0)
    assert (celsius["ground_truth"], celsius["weight"], celsius["is_trace"]) == (-38.8, 2.0, False)
    assert json.loads(celsius["parameters"]) == {"tolerance": 0.5, "mode": "absolute"}


def test_a_record_for_each_trait_of_all_kinds_dynamic_ones_too() -> None:
    found = benchmark().traits_records()
    assert [(one["scope"], one["question_id"], one["type"], one["name"], one["dynamic"]) for one in found] == [
        ("global", None, "llm", "depth", False),
        ("global", None, "regex", "tone", False),
        ("global", None, "regex", "cites", True),
        ("question", LIQUID, "llm", "certainty", False),
        ("question", LIQUID, "regex", "cites", False),
    ]
    depth, tone = found[:2]
    assert (depth["kind"], depth["min"], depth["max"]) == ("score", 0, 1)
    assert (tone["kind"], tone["min"], tone["max"]) == ("boolean", None, None)
    assert tone["description"] == "names its sources"


def test_an_empty_benchmark_has_no_records() -> None:
    empty = Benchmark("Nothing")
    assert empty.to_records() == empty.fields_records() == empty.traits_records() == []


def test_an_own_column_of_custom_metadata_cannot_hide_another() -> None:
    [record] = load(canonical(question("One?", LIGHT, None, custom_question="mine"))).to_records()
    assert (record["question"], record["custom.question"]) == ("One?", "mine")


def test_a_missing_author_and_missing_metadata_are_empty() -> None:
    record = next(one for one in benchmark().to_records() if one["question_id"] == BLANK)
    assert (record["author"], record["custom.years"], record["keywords"]) == ("", None, [])
