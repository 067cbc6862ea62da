"""Counts of assessments, and that they take no more room than there is to count."""

from __future__ import annotations

from checkpoint_ld.assessment import Assessment, RecordedAnswer, Status, Tally, TraitResult, TraitStatus


def assessment(status: Status, *traits: TraitResult, model: object = None) -> Assessment:
    return Assessment(RecordedAnswer("nowhere", model=model), status, traits=traits)


def trait(status: TraitStatus, value: bool | float | None = None) -> TraitResult:
    return TraitResult("short", "callable", "global", status, value)


def test_nothing_counts_as_nothing() -> None:
    told = Tally().as_json()
    assert told["total"] == {"answers": 0, "passed": 0, "failed": 0, "undecided": 0, "error": 0, "mean_score": None}
    assert (told["questions"], told["models"], told["traits"]) == ([], [], [])


def test_answers_to_no_known_question_take_no_room_of_their_own() -> None:
    tally = Tally()
    for number in range(1000):
        tally.add(Assessment(RecordedAnswer(f"nowhere {number}", model="m"), Status.ERROR))
    assert tally.total.answers == tally.models["m"].answers == 1000
    assert not tally.questions


def test_at_least_counts_what_is_as_serious() -> None:
    tally = Tally()
    for number, status in enumerate(Status, start=1):
        for _ in range(number):
            tally.add(assessment(status))
    assert [tally.at_least(status) for status in Status] == [10, 9, 7, 4]


def test_models_of_any_kind_are_told_apart() -> None:
    tally = Tally()
    for model in ("m", {"name": "m"}, {"name": "m"}, ["m"], 1, None):
        tally.add(assessment(Status.PASSED, model=model))
    assert {name: count.answers for name, count in tally.models.items()} == {
        "m": 1,
        '{"name": "m"}': 2,
        '["m"]': 1,
        "1": 1,
    }


def test_the_mean_of_a_trait_counts_what_was_evaluated() -> None:
    tally = Tally()
    for result in (
        trait(TraitStatus.EVALUATED, True),
        trait(TraitStatus.EVALUATED, False),
        trait(TraitStatus.EVALUATED, 3.5),
        trait(TraitStatus.NOT_RUN),
        trait(TraitStatus.ERROR),
    ):
        tally.add(assessment(Status.PASSED, result))
    (told,) = tally.as_json()["traits"]
    assert (told["evaluated"], told["not_run"], told["needs_judge"], told["error"]) == (3, 1, 0, 1)
    assert told["mean_value"] == 1.5
