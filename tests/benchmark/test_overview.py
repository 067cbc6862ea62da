"""Summary, statistics, readiness, health and the verdict of validation."""

from __future__ import annotations

from datetime import datetime

import pytest

from checkpoint_ld import Benchmark, SettingsError
from tests.benchmark.samples import BLANK, BROKEN, LIGHT, LIQUID, VERIFIED, benchmark, load, question
from tests.documents import canonical


def ready(count: int = 5) -> Benchmark:
    return load(canonical(*(question(f"{at}?", f"urn:uuid:{at}", finished=True) for at in range(count))))


def test_the_summary_counts_real_templates_and_traits_of_all_kinds() -> None:
    assert benchmark().get_summary() == {
        "name": "Metals",
        "version": "0.2.0",
        "creator": "A. Smith",
        "created_at": "2026-01-01T00:00:00",
        "modified_at": "2026-01-02T00:00:00",
        "question_count": 3,
        "finished_count": 1,
        "has_template_count": 2,
        "has_rubric_count": 1,
        "progress_percentage": pytest.approx(100 / 3),
        "is_complete": False,
        "has_global_rubric": True,
        "global_rubric_traits": 2,
    }


def test_the_summary_agrees_with_the_properties() -> None:
    for made in (benchmark(), ready(), Benchmark("Nothing")):
        held = made.get_summary()
        assert (held["question_count"], held["finished_count"]) == (made.question_count, made.finished_count)
        assert (held["is_complete"], held["progress_percentage"]) == (made.is_complete, made.get_progress())


def test_statistics_measure_real_templates() -> None:
    held = benchmark().get_statistics()
    assert held.items() >= benchmark().get_summary().items()
    lengths = [len(VERIFIED), len(BROKEN)]
    assert (held["min_template_length"], held["max_template_length"]) == (min(lengths), max(lengths))
    assert held["avg_template_length"] == sum(lengths) // 2
    assert held["questions_with_custom_metadata"] == 1
    nothing = Benchmark("Nothing").get_statistics()
    assert [nothing[f"{word}_template_length"] for word in ("avg", "min", "max")] == [0, 0, 0]


def test_readiness_names_what_is_missing() -> None:
    held = benchmark().check_readiness()
    assert not held["ready_for_verification"]
    assert held["missing_templates"] == [BLANK]
    assert held["unfinished_questions"] == [LIGHT, BLANK]
    assert (held["missing_templates_count"], held["unfinished_count"]) == (1, 2)
    assert isinstance(held["unfinished_count"], int)
    assert (held["templates_valid"], held["template_errors_count"]) == (False, 1)
    assert [one["question_id"] for one in held["template_errors"]] == [LIGHT]


def test_a_finished_benchmark_is_ready() -> None:
    held = ready().check_readiness()
    assert held["ready_for_verification"]
    assert held["rubrics_valid"]
    assert not Benchmark("Nothing").check_readiness()["ready_for_verification"]


def test_health_adds_up() -> None:
    sound = ready().get_health_report()
    assert (sound["health_score"], sound["health_status"]) == (100, "excellent")
    assert sound["recommendations"] == []
    assert datetime.fromisoformat(sound["timestamp"]).tzinfo is not None
    poor = benchmark().get_health_report()
    assert poor["readiness"] == benchmark().check_readiness()
    assert poor["statistics"] == benchmark().get_statistics()
    assert poor["health_score"] == 20 + 9 + 15 * poor["readiness"]["rubrics_valid"]
    assert poor["recommendations"][:3] == [
        "Add templates to 1 question",
        "Mark 2 questions as finished",
        "Correct the templates that are not valid",
    ]


def test_a_benchmark_without_questions_is_critical() -> None:
    held = Benchmark("Nothing").get_health_report()
    assert (held["health_score"], held["health_status"]) == (0, "critical")
    assert held["recommendations"] == [
        "Add questions",
        "Add questions until there are at least 5",
        "Add a global rubric",
    ]


def test_progress_in_a_few_numbers() -> None:
    assert benchmark().get_progress_report() == {
        "name": "Metals",
        "progress_percentage": pytest.approx(100 / 3),
        "questions_total": 3,
        "questions_finished": 1,
        "questions_with_templates": 2,
        "is_ready_for_verification": False,
        "last_modified": "2026-01-02T00:00:00",
    }


def test_a_valid_benchmark_has_a_verdict_that_unpacks() -> None:
    verdict = ready().validate()
    ok, message = verdict
    assert (ok, message, bool(verdict)) == (True, "the benchmark is valid", True)
    assert verdict.report.conforms


def test_a_verdict_states_which_template_is_none() -> None:
    verdict = load(canonical(question("One?", LIQUID), question("Two?", LIGHT, BROKEN))).validate()
    assert not verdict
    assert [one["question_id"] for one in verdict.template_errors] == [LIGHT]
    assert LIGHT in verdict.message


def test_a_verdict_is_about_the_benchmark_as_it_is_now() -> None:
    made = ready()
    made.graph.update(
        "DELETE { ?q schema:text ?t } INSERT { ?q schema:text '' } WHERE { ?q a schema:Question ; schema:text ?t }"
    )
    verdict = made.validate()
    assert not verdict.ok
    assert {found.code for found in verdict.report.findings} >= {"KQ003"}
    assert "KQ003" in verdict.message


def test_the_verdict_of_a_profile() -> None:
    assert ready().validate("strict").report.profile == "strict"
    with pytest.raises(SettingsError):
        ready().validate("no such profile")
