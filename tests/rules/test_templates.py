"""Rules about answer templates, beyond one example of each."""

from __future__ import annotations

import pytest

from checkpoint_ld.rules import document
from tests.rules.broken import QUESTION, Json, added, findings, located, removed, replaced

TEMPLATE = f"{QUESTION}/hasPart"
GOOD = document("metals")["dataFeedElement"][0]["item"]["hasPart"]["text"]


@pytest.mark.parametrize(
    ("pointer", "value", "code"),
    [
        ("", None, "KT001"),
        ("", [], "KT001"),
        ("", "class Answer(BaseAnswer): ...", "KT002"),
        ("", 7, "KT002"),
        ("", {}, "KT002"),
        ("/programmingLanguage", "", "KT004"),
        ("/programmingLanguage", 7, "KT004"),
        ("/programmingLanguage", {"@type": "ComputerLanguage", "name": "Python"}, "KT004"),
        ("/programmingLanguage", "PYTHON", "KT005"),
        ("/text", 7, "KT006"),
        ("/text", {"source": "°"}, "KT006"),
        ("/text", None, "KT007"),
        ("/text", "", "KT007"),
        ("/text", " \n", "KT007"),
        ("/text", "x = 1\n", "KT009"),
        ("/name", 7, "KT013"),
        ("/name", None, "KT013"),
    ],
)
def test_a_value_of_the_wrong_kind_is_one_finding(pointer: str, value: Json, code: str) -> None:
    assert located(replaced(TEMPLATE + pointer, value)) == [(code, TEMPLATE + pointer)]


@pytest.mark.parametrize(("member", "code"), [("programmingLanguage", "KT014"), ("@type", "KN004")])
def test_a_member_that_goes_without_saying_is_missed(member: str, code: str) -> None:
    assert located(removed(f"{TEMPLATE}/{member}")) == [(code, f"{TEMPLATE}/{member}")]


def test_a_language_that_is_null_is_not_given() -> None:
    missing = [("KT014", f"{TEMPLATE}/programmingLanguage")]

    assert located(replaced(f"{TEMPLATE}/programmingLanguage", None)) == missing


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        (GOOD.replace("):", ")", 1), "KT008", "line 1: expected ':'"),
        (GOOD.replace("BaseAnswer", "BaseModel"), "KT009", "there is Answer"),
        (GOOD + "\n\n" + GOOD.replace("Answer(", "Other("), "KT009", "Answer, Other"),
        (GOOD.replace("lowercase", "lower"), "KT011", "'lower'"),
        (GOOD.replace("ExactMatch(", "ExcatMatch("), "KT011", "ExcatMatch"),
        (GOOD.replace('        ground_truth="mercury",\n', ""), "KT011", "lacks ground_truth"),
    ],
)
def test_what_is_wrong_with_a_template_is_reported_with_its_line(source: str, code: str, words: str) -> None:
    [found] = findings(replaced(f"{TEMPLATE}/text", source))

    assert (found.code, found.place.pointer) == (code, f"{TEMPLATE}/text")
    assert words in found.message


@pytest.mark.parametrize(
    "source",
    [
        "class Answer(BaseAnswer):\n    metal: str\n\n    def verify(self) -> bool:\n        return True\n",
        GOOD.replace("mercury", "ртуть 🜍"),
        GOOD.replace("\n", "\r\n"),
    ],
)
def test_a_template_that_works_is_not_reported(source: str) -> None:
    assert located(replaced(f"{TEMPLATE}/text", source)) == []


def test_nothing_in_a_template_is_run() -> None:
    assert located(replaced(f"{TEMPLATE}/text", f"{GOOD}\nraise SystemExit\n")) == []


def test_a_template_of_a_scenario_is_pointed_at_in_the_scenario() -> None:
    template = "/hasPart/0/nodes/again/question/hasPart"
    [found] = findings(replaced(f"{template}/programmingLanguage", "R"), start="interview")

    assert (found.code, found.place.pointer) == ("KT004", f"{template}/programmingLanguage")
    assert found.subject == 'scenario "second chance", node "again"'


def test_the_same_fault_in_two_templates_is_found_twice() -> None:
    places = [f"/dataFeedElement/{at}/item/hasPart/text" for at in (0, 1)]

    assert located(*(replaced(place, "x =") for place in places)) == [("KT008", place) for place in places]


def test_a_type_beside_the_right_one_is_pointed_at() -> None:
    found = located(replaced(f"{TEMPLATE}/@type", ["SoftwareSourceCode", "CreativeWork"]))

    assert ("KT003", f"{TEMPLATE}/@type/1") in found


def test_a_member_of_ones_own_is_left_alone() -> None:
    assert located(added(f"{TEMPLATE}/license", "CC0")) == []
