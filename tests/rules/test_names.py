"""Rules about keys and types, beyond one example of each."""

from __future__ import annotations

import pytest

from tests.rules.broken import FIRST, QUESTION, added, findings, located, messages, replaced, text

PLACES = {
    "root": "",
    "trait": "/rating/0",
    "setting": "/rating/0/additionalProperty/0",
    "element": FIRST,
    "question": QUESTION,
    "answer": f"{QUESTION}/acceptedAnswer",
    "template": f"{QUESTION}/hasPart",
}


@pytest.mark.parametrize(
    ("place", "key", "meant"),
    [
        ("root", "descripton", "description"),
        ("root", "dataFeedElements", "dataFeedElement"),
        ("root", "Name", "name"),
        ("trait", "bestrating", "bestRating"),
        ("trait", "additional_type", "additionalType"),
        ("question", "acceptedAnswr", "acceptedAnswer"),
        ("question", "hasParts", "hasPart"),
        ("setting", "vlaue", "value"),
        ("template", "programingLanguage", "programmingLanguage"),
    ],
)
def test_a_misspelt_key_is_reported_with_the_one_that_was_meant(place: str, key: str, meant: str) -> None:
    change = added(f"{PLACES[place]}/{key}", "x")

    assert located(change) == [("KN001", f"{PLACES[place]}/{key}")]
    assert messages(change) == [f'no tool knows the key "{key}" here: did you mean {meant}?']


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("key", ["license", "karenina:note", "два слова", "inLanguage", "url", "x" * 5000])
def test_a_key_of_ones_own_is_left_alone(place: str, key: str) -> None:
    assert located(added(f"{place}/{key}", "x")) == []


@pytest.mark.parametrize(
    ("place", "key"),
    [
        ("root", "item"),
        ("root", "text"),
        ("trait", "acceptedAnswer"),
        ("setting", "text"),
        ("element", "acceptedAnswer"),
        ("question", "programmingLanguage"),
        ("question", "bestRating"),
        ("answer", "item"),
    ],
)
def test_a_key_in_the_wrong_object_is_pointed_at(place: str, key: str) -> None:
    assert located(added(f"{PLACES[place]}/{key}", "x")) == [("KN002", f"{PLACES[place]}/{key}")]


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("trait", "Rating"),
        ("setting", "PropertyValue"),
        ("element", "DataFeedItem"),
        ("question", "Question"),
        ("answer", "Answer"),
    ],
)
@pytest.mark.parametrize("kind", ["CreativeWork", "karenina:Thing"])
def test_an_unexpected_type_is_reported_with_the_one_that_is_requested(place: str, expected: str, kind: str) -> None:
    change = replaced(f"{PLACES[place]}/@type", kind)

    assert located(change) == [("KN003", f"{PLACES[place]}/@type")]
    assert messages(change) == [f'the type is "{kind}": this place requires {expected}']


def test_a_type_that_is_no_text_is_unexpected() -> None:
    change = replaced("/dataFeedElement/0/@type", 7)

    assert located(change) == [("KD012", ""), ("KN003", "/dataFeedElement/0/@type")]
    assert messages(change)[1:] == ['the type is "7": this place requires DataFeedItem']


def test_the_line_and_column_are_those_of_the_key() -> None:
    changes = [replaced("/name", "Метали 🜍"), added("/rating/0/bestrating", 1)]
    [found] = findings(*changes, indent=None)

    assert found.place.column is not None
    assert text(*changes, indent=None).decode()[found.place.column - 1 :].startswith('"bestrating": 1')


def test_a_misspelt_key_of_a_node_is_found_in_its_scenario() -> None:
    [found] = findings(added("/hasPart/0/nodes/ask/toolFliter", []), start="interview")

    assert (found.code, found.subject) == ("KN001", 'scenario "second chance", node "ask"')
