"""Rules about the text and the form of a document: old names, contexts, and the Dataset dialect's own rules."""

from __future__ import annotations

import json

import pytest

import checkpoint_ld
from checkpoint_ld import Severity, families
from checkpoint_ld.rules import example
from checkpoint_ld.validation import profiles
from tests.documents import canonical, item, rating
from tests.rules.broken import Json

OLD = {"trait-prefix", "vocabulary-http"}


def with_old_names() -> Json:
    """Return a document of today's dialect with the names of before March 2026."""
    tree = canonical(item("Welches Metall ist flüssig?"), item("Which metal rusts?", "urn:uuid:question-metal-2"))
    tree["@context"] = {"@version": 1.1, "@vocab": "http://schema.org/", "karenina": "urn:karenina:vocab:"}
    for one in (tree, *(element["item"] for element in tree["dataFeedElement"])):
        for trait in one["rating"]:
            trait["additionalType"] = trait["additionalType"].removeprefix("karenina:")
    return tree


def dumped(tree: Json) -> bytes:
    return json.dumps(tree, indent=2, ensure_ascii=False).encode()


def located(tree: Json) -> list[tuple[str, str | None]]:
    found = families.check(dumped(tree), profiles.profile()).findings
    return [(one.rule, one.place.pointer) for one in found if one.rule in OLD]


def test_the_old_vocabulary_is_reported_once_and_the_old_name_of_a_type_at_every_rating() -> None:
    assert located(with_old_names()) == [
        ("vocabulary-http", "/@context"),
        ("trait-prefix", "/rating/0/additionalType"),
        ("trait-prefix", "/dataFeedElement/0/item/rating/0/additionalType"),
        ("trait-prefix", "/dataFeedElement/1/item/rating/0/additionalType"),
    ]


def test_an_old_name_is_reported_with_its_subject_and_the_new_one() -> None:
    found = families.check(dumped(with_old_names()), profiles.profile()).findings
    [one] = [one for one in found if one.place.pointer == "/dataFeedElement/0/item/rating/0/additionalType"]

    assert one.severity is Severity.INFO
    assert one.message == 'the type of the trait is "QuestionSpecificRegexTrait", without the prefix karenina:'
    assert one.remedy == "write karenina:QuestionSpecificRegexTrait"
    assert one.subject == 'question "Welches Metall ist flüssig?", trait "cites"'
    assert (
        dumped(with_old_names())
        .decode()
        .splitlines()[(one.place.line or 0) - 1]
        .endswith('"QuestionSpecificRegexTrait",')
    )


def test_a_file_with_old_names_is_loaded_without_a_word_even_strictly() -> None:
    assert checkpoint_ld.load(dumped(with_old_names())).findings == ()
    assert checkpoint_ld.load(dumped(with_old_names()), strict=True).dialect == "datafeed-ns-v3"


def test_the_profile_strict_warns_of_old_names() -> None:
    found = families.check(dumped(with_old_names()), profiles.profile("strict")).findings

    assert {one.severity for one in found if one.rule in OLD} == {Severity.WARNING}


@pytest.mark.parametrize("vocabulary", ["http://schema.org", "http://schema.org/"])
def test_the_old_vocabulary_is_found_with_a_slash_and_without(vocabulary: str) -> None:
    context = {"@vocab": vocabulary, "karenina": "urn:karenina:vocab:"}
    assert located({**canonical(), "@context": context}) == [("vocabulary-http", "/@context")]


@pytest.mark.parametrize(
    "tree",
    [
        canonical(),
        {**with_old_names(), "@context": {"@vocab": "http://schema.org/"}},
        {"version": "2.0", "checkpoint": {}},
        [canonical()],
    ],
    ids=["today", "before March 2026", "a state", "in an array"],
)
def test_names_that_are_new_or_belong_to_their_dialect_are_not_reported(tree: Json) -> None:
    assert located(tree) == []


@pytest.mark.parametrize("ratings", [None, "cites", [None, "cites", 5, {"additionalType": ["GlobalRegexTrait"]}]])
def test_what_is_no_rating_has_no_old_name(ratings: Json) -> None:
    assert located({**canonical(), "rating": ratings}) == []


def test_a_type_that_nobody_knows_is_a_fault_and_no_old_name() -> None:
    trait = {**rating("tone", "Global"), "additionalType": "GlobalRegxTrait"}
    found = families.check(dumped({**canonical(), "rating": [trait]}), profiles.profile()).findings

    assert [one.rule for one in found if one.place.pointer == "/rating/0/additionalType"] == ["trait-type"]


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (7, "the @context is 7, not an object; keys are read as they are"),
        (None, "the @context is null, not an object; keys are read as they are"),
        ({}, "the @vocab of the @context is missing, not schema.org's; keys are read as they are"),
        ({"@vocab": "https://example.org/"}, 'the @vocab of the @context is "https://example.org/", not schema.org\'s'),
    ],
)
def test_a_context_that_means_something_else_is_named(context: Json, message: str) -> None:
    found = checkpoint_ld.load(dumped({**canonical(), "@context": context})).findings
    [one] = [one for one in found if one.rule == "context"]

    assert one.message.startswith(message)
    assert one.place.pointer == "/@context"


@pytest.mark.parametrize("version", ["3.0.0-jsonld", "jsonld"])
def test_the_dataset_dialect_wants_a_version_that_names_the_format(version: str) -> None:
    told_in = example("KL002")
    assert told_in is not None
    tree = {**json.loads(told_in.valid), "version": version}
    found = families.check(dumped(tree), profiles.profile("legacy-dataset")).findings

    assert [one for one in found if one.severity > Severity.INFO] == []


def test_what_only_the_dataset_dialect_requires_is_no_concern_of_today() -> None:
    told_in = example("KL003")
    assert told_in is not None
    found = families.check(told_in.invalid, profiles.profile()).findings

    assert [one.code for one in found if one.code.startswith("KL")] == []
