"""Questions by models by replicates, as a notebook shows them."""

import pytest

from checkpoint_ld import LookupFailedError, SettingsError
from checkpoint_ld.assessment import assess
from checkpoint_ld.assessment.answer_grid import AnswerGrid, answer_grid
from checkpoint_ld.phrases import labels
from tests.assessment.test_comparing import benchmark, record


def grid() -> AnswerGrid:
    made = benchmark(3)
    records = [
        record(question, model, (question + number) % 2 == 0 or model == "a", replicate=number)
        for question in range(2)
        for model in "ab"
        for number in (2, 1, 0)
    ]
    records += [
        {"question_id": "urn:q:2", "model": "b", "trace": "no values"},
        record(1, "c", True),
        record(9, "a", True),
    ]
    return answer_grid(assess(made, records))


def test_each_question_has_the_signs_of_each_model_in_the_order_of_replicates() -> None:
    found = grid()
    assert found.models == ("a", "b", "c")
    assert [[row.signs(model) for model in found.models] for row in found.rows] == [
        ["✓✓✓", "✓✗✓", ""],
        ["✓✓✓", "✗✓✗", "✓"],
        ["", "?", ""],
    ]
    assert [row.rate for row in found.rows] == [5 / 6, 5 / 7, None]


def test_questions_are_filtered_and_ordered() -> None:
    found = grid()
    assert [row.question for row in found.only("failed").rows] == ["urn:q:0", "urn:q:1"]
    assert [row.question for row in found.only("undecided").rows] == ["urn:q:2"]
    assert [row.question for row in found.only("disagreeing").ordered().rows] == ["urn:q:1", "urn:q:0"]
    with pytest.raises(SettingsError, match="no filter 'good'"):
        found.only("good")  # type: ignore[arg-type]


def test_a_notebook_shows_the_table_and_one_question_side_by_side() -> None:
    text = grid()._repr_html_()
    assert "2/3 ✓✗✓" in text
    assert "0.83" in text
    text = grid()["urn:q:1"]._repr_html_()
    assert "✗ value: no, expected yes" in text
    with pytest.raises(LookupFailedError, match="no answer is about a question 'urn:q:7'"):
        grid()["urn:q:7"]


def test_labels_that_begin_alike_are_cut_in_the_middle() -> None:
    assert labels(["provider/model-large-1", "provider/model-large-2", "short", "another-name-that-is-long"], 14) == [
        "provid…large-1",
        "provid…large-2",
        "short",
        "another-name-…",
    ]
