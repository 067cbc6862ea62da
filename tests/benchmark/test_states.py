"""What is finished and what is not, changed."""

from __future__ import annotations

import pytest

from checkpoint_ld import LookupFailedError
from tests.benchmark.editing import EDITED, METAL, Json, assert_says, load, plain_item, strange
from tests.documents import item, setting


def test_marking_a_question_changes_one_value_and_two_dates() -> None:
    tree = strange(item(), item("Other?", "urn:uuid:2"))
    benchmark = load(tree)
    benchmark.mark_unfinished(METAL)
    element = tree["dataFeedElement"][0]
    element["dateModified"] = EDITED
    element["item"]["additionalProperty"][0]["value"] = False
    assert_says(benchmark, tree)
    assert (benchmark.finished_count, benchmark.get_finished_questions(ids_only=True)) == (1, ["urn:uuid:2"])
    benchmark.mark_finished(METAL)
    element["item"]["additionalProperty"][0]["value"] = True
    assert_says(benchmark, tree)
    assert benchmark.is_complete


@pytest.mark.parametrize("value", [True, "true", "Yes", 1, 1.0])
def test_a_question_that_is_finished_already_is_not_changed(value: Json) -> None:
    tree = strange()
    tree["dataFeedElement"][0]["item"]["additionalProperty"][0]["value"] = value
    benchmark = load(tree)
    benchmark.mark_finished(METAL)
    assert_says(benchmark, tree, edited=False)
    benchmark.mark_unfinished(METAL)
    assert not benchmark.get_question(METAL)["finished"]


@pytest.mark.parametrize("properties", [[], None])
def test_a_question_that_says_nothing_is_marked(properties: Json) -> None:
    tree = strange()
    asked = tree["dataFeedElement"][0]["item"]
    asked["additionalProperty"] = properties
    if properties is None:
        del asked["additionalProperty"]
    benchmark = load(tree)
    assert benchmark.finished_count == 0
    benchmark.mark_finished(METAL)
    asked["additionalProperty"] = [setting("finished", True)]
    tree["dataFeedElement"][0]["dateModified"] = EDITED
    assert_says(benchmark, tree)


def test_of_two_statements_the_last_counts_and_is_changed() -> None:
    tree = strange()
    tree["dataFeedElement"][0]["item"]["additionalProperty"].append(setting("finished", False))
    benchmark = load(tree)
    assert benchmark.finished_count == 0
    benchmark.mark_finished(METAL)
    assert benchmark.finished_count == 1
    assert [one["value"] for one in _finished(benchmark.to_jsonld())] == [True, True]


def _finished(document: Json) -> list[Json]:
    return [one for one in document["dataFeedElement"][0]["item"]["additionalProperty"] if one["name"] == "finished"]


def test_a_state_is_turned_over() -> None:
    benchmark = load(strange())
    assert benchmark.toggle_finished(METAL) is False
    assert benchmark.finished_count == 0
    assert benchmark.toggle_finished(METAL) is True
    assert benchmark.finished_count == 1


def test_several_questions_are_marked_at_once() -> None:
    benchmark = load(strange(*(plain_item(f"{at}?", f"urn:uuid:{at}") for at in range(4))))
    benchmark.mark_finished_batch(["urn:uuid:1", "urn:uuid:3", "nothing", "urn:uuid:1"])
    assert benchmark.get_finished_questions(ids_only=True) == ["urn:uuid:1", "urn:uuid:3"]
    assert benchmark.get_unfinished_questions(ids_only=True) == ["urn:uuid:0", "urn:uuid:2"]
    assert benchmark.get_progress() == 50.0
    assert benchmark.get_question("urn:uuid:0")["date_modified"] == "2026-01-02T00:00:00.123456"
    benchmark.mark_unfinished_batch(benchmark.get_question_ids())
    assert benchmark.get_progress() == 0.0


def test_an_unknown_question_is_passed_over_but_not_turned_over() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.mark_finished("nothing")
    benchmark.mark_unfinished("nothing")
    benchmark.mark_finished_batch([])
    with pytest.raises(LookupFailedError, match="there is no question 'nothing'"):
        benchmark.toggle_finished("nothing")
    assert_says(benchmark, tree, edited=False)
