"""What is checked about questions: text, answer, template, identifier, keywords."""

from __future__ import annotations

import copy
import os
import warnings

import pytest

from checkpoint_ld.checks import check
from tests.checks import ITEM, QUESTION, Json, asked, fed, found
from tests.documents import canonical, item

CODE = {"@type": "SoftwareSourceCode", "name": "t", "text": "x = 1", "programmingLanguage": "Python"}


@pytest.mark.parametrize(
    ("members", "finding"),
    [
        ({"text": None}, ("E-TEXT", f"{QUESTION}/text")),
        ({"text": ""}, ("E-TEXT", f"{QUESTION}/text")),
        ({"text": ["Which?"]}, ("E-TEXT", f"{QUESTION}/text")),
        ({"acceptedAnswer": None}, ("E-ANSWER", f"{QUESTION}/acceptedAnswer")),
        ({"acceptedAnswer": []}, ("E-ANSWER", f"{QUESTION}/acceptedAnswer")),
        ({"acceptedAnswer": [{"text": "a"}, {"text": "b"}]}, ("E-ANSWER", f"{QUESTION}/acceptedAnswer")),
        ({"acceptedAnswer": "Mercury"}, ("E-ANSWER", f"{QUESTION}/acceptedAnswer")),
        ({"acceptedAnswer": {"@type": "Answer"}}, ("E-ANSWER", f"{QUESTION}/acceptedAnswer/text")),
        ({"acceptedAnswer": {"text": 80}}, ("E-ANSWER", f"{QUESTION}/acceptedAnswer/text")),
        ({"hasPart": None}, ("W-TEMPLATE-MISSING", f"{QUESTION}/hasPart")),
        ({"hasPart": []}, ("W-TEMPLATE-MISSING", f"{QUESTION}/hasPart")),
        ({"hasPart": {"@type": "SoftwareSourceCode"}}, ("W-TEMPLATE-MISSING", f"{QUESTION}/hasPart/text")),
        ({"hasPart": [CODE, CODE]}, ("E-TEMPLATE", f"{QUESTION}/hasPart")),
        ({"hasPart": "x = 1"}, ("E-TEMPLATE", f"{QUESTION}/hasPart")),
        ({"hasPart": {**CODE, "text": 5}}, ("E-TEMPLATE", f"{QUESTION}/hasPart/text")),
        ({"hasPart": {**CODE, "@type": "CreativeWork"}}, ("E-TEMPLATE", f"{QUESTION}/hasPart/@type")),
        (
            {"hasPart": {**CODE, "programmingLanguage": "JavaScript"}},
            ("E-TEMPLATE", f"{QUESTION}/hasPart/programmingLanguage"),
        ),
        (
            {"hasPart": {**CODE, "programmingLanguage": "python"}},
            ("W-VALUE", f"{QUESTION}/hasPart/programmingLanguage"),
        ),
        (
            {"hasPart": {**CODE, "programmingLanguage": ["Python"]}},
            ("E-TEMPLATE", f"{QUESTION}/hasPart/programmingLanguage"),
        ),
        ({"keywords": ["a", 5, 6]}, ("W-VALUE", f"{QUESTION}/keywords/1")),
    ],
)
def test_a_faulty_member_is_reported_at_its_place(members: Json, finding: tuple[str, str]) -> None:
    tree = asked(**members)
    if finding[0] == "W-VALUE" and "keywords" in members:
        assert [one for one in found(tree) if one[1] != f"{QUESTION}/keywords/2"] == [finding]
    else:
        assert found(tree) == [finding]


@pytest.mark.parametrize(
    "members",
    [
        {"acceptedAnswer": {"text": ""}},
        {"acceptedAnswer": [{"@type": "Answer", "text": "Mercury"}]},
        {"hasPart": [CODE]},
        {"hasPart": {"text": ""}},
        {"hasPart": {**CODE, "@type": "https://schema.org/SoftwareSourceCode", "name": None}},
        {"rating": None, "additionalProperty": None, "keywords": None},
        {"keywords": "a single one"},
        {"keywords": []},
        {"unknown": [1]},
    ],
)
def test_every_lawful_form_is_taken(members: Json) -> None:
    assert found(asked(**members)) == []


@pytest.mark.parametrize(
    ("element", "findings"),
    [
        (5, [("E-TEXT", ITEM)]),
        ({**item(), "item": None}, [("E-TEXT", f"{ITEM}/item")]),
        ({**item(), "item": []}, [("E-TEXT", f"{ITEM}/item")]),
    ],
)
def test_an_element_without_a_question_is_one_fault(element: Json, findings: list[tuple[str, str]]) -> None:
    assert found(canonical(element)) == findings


@pytest.mark.parametrize("identifier", [None, "", 5])
def test_a_question_without_an_id_is_reported(identifier: Json) -> None:
    assert found(canonical({**item(), "@id": identifier})) == [("W-ID-GENERATED", f"{ITEM}/@id")]


def test_the_second_of_two_questions_with_one_id_is_reported() -> None:
    twice = canonical(item("one", "urn:x"), item("two", "urn:y"), item("three", "urn:x"))

    assert found(twice) == [("W-DUP-ID", "/dataFeedElement/2/@id")]


def test_equal_texts_with_ids_of_their_own_are_no_fault() -> None:
    assert found(canonical(item("same", "urn:x"), item("same", "urn:y"))) == []


def test_keywords_that_differ_in_their_two_places_are_reported_once() -> None:
    assert found(fed(keywords=["old"])) == [("W-VALUE", f"{ITEM}/keywords")]


@pytest.mark.parametrize("keywords", [["chemistry"], [], None])
def test_keywords_that_say_the_same_in_both_places_are_no_fault(keywords: Json) -> None:
    assert found(fed(keywords=keywords)) == []


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("class Answer(:\n", "line 1"),
        ("x = 1\ny = = 2\n", "line 2"),
        ("x = '\0'", "null"),
        ("x = '\ud800'", "surrogates"),
        ("-" * 150_000 + "1", "too deeply"),
        ("a" + ".a" * 90_000, "too deeply"),
        ("(" * 5_000, "nested"),
        ("x = 1\n" * 50_000, "300000 characters"),
    ],
    ids=["line 1", "line 2", "NUL", "surrogate", "minus", "attributes", "brackets", "long"],
)
def test_a_template_that_is_no_python_is_reported_with_the_reason(source: str, named: str) -> None:
    (finding,) = check(asked(hasPart={**CODE, "text": source}))

    assert (finding.condition, finding.place.pointer) == ("W-TEMPLATE-SYNTAX", f"{QUESTION}/hasPart/text")
    assert named in finding.message


@pytest.mark.parametrize(
    "source", ["", "# only a comment", 'x = "\\d"\n', "1 is 1\n", "class Answer:\n    x: int = 1\n"]
)
def test_a_template_that_parses_is_no_fault_and_leaks_no_warning(source: str) -> None:
    with warnings.catch_warnings(record=True) as leaked:
        warnings.simplefilter("always")
        assert found(asked(hasPart={**CODE, "text": source})) == []

    assert leaked == []


def test_a_template_is_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHECKPOINT_LD_WAS_RUN", raising=False)
    source = "import os\nos.environ['CHECKPOINT_LD_WAS_RUN'] = '1'\n"

    assert found(asked(hasPart={**CODE, "text": source})) == []
    assert "CHECKPOINT_LD_WAS_RUN" not in os.environ


def test_one_broken_text_in_two_questions_is_reported_at_both() -> None:
    elements = [item(text, f"urn:{text}") for text in ("one", "two")]
    for element in elements:
        element["item"]["hasPart"]["text"] = "def"

    assert found(canonical(*elements)) == [
        ("W-TEMPLATE-SYNTAX", "/dataFeedElement/0/item/hasPart/text"),
        ("W-TEMPLATE-SYNTAX", "/dataFeedElement/1/item/hasPart/text"),
    ]


def test_a_finding_names_its_question_shortly_and_on_one_line() -> None:
    (finding,) = check(asked(text="Which metal\nis " + "very " * 100 + "liquid?", hasPart=None))

    assert finding.subject.startswith('question "Which metal is very very')
    assert len(finding.subject) < 80


def test_a_question_without_text_is_named_by_its_id() -> None:
    (finding,) = check(asked(text=""))

    assert finding.subject == 'question "urn:uuid:question-metal-1"'


def test_checking_leaves_the_document_as_it_is() -> None:
    tree = asked(keywords=[5], hasPart=None, text="")
    before = copy.deepcopy(tree)

    check(tree)

    assert tree == before
