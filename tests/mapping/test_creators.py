"""Creators: text, Person, Organization, several."""

from __future__ import annotations

import pytest

from checkpoint_ld.entities import Organization, Person
from checkpoint_ld.mapping.questions import creator_members, creator_of
from tests.mapping import Json


def root_with(creator: Json) -> Json:
    told, properties = creator_members(creator)
    return {"creator": told, "additionalProperty": properties}


@pytest.mark.parametrize(
    "creator",
    [
        "A. Smith",
        Person(name="A. Smith", email="a@example.org"),
        Person.model_validate({"name": "A. Smith", "affiliation": {"name": "ACME"}}),
        Organization(name="ACME", url="https://acme.example"),
        Organization(name="ACME"),
    ],
)
def test_a_creator_comes_back_as_it_was(creator: Json) -> None:
    root = root_with(creator)
    assert creator_of(root) == creator
    assert isinstance(root["creator"], str) or root["creator"]["@type"] == "Person"


def test_a_person_without_details_is_a_name() -> None:
    assert root_with(Person(name="A. Smith")) == {"creator": "A. Smith", "additionalProperty": []}


def test_several_creators_stand_by_their_names_and_in_full_beside_them() -> None:
    several = ["A. Smith", {"@type": "Organization", "name": "ACME"}]
    root = root_with(several)
    assert root["creator"] == "A. Smith, ACME"
    assert creator_of(root) == ["A. Smith", Organization(name="ACME")]


def test_details_of_somebody_else_do_not_count() -> None:
    root = {**root_with(Organization(name="ACME")), "creator": "A. Smith"}
    assert creator_of(root) == "A. Smith"


@pytest.mark.parametrize(
    ("value", "shown"), [({"name": "ACME"}, Person(name="ACME")), ({"@type": "Team"}, ""), (None, None)]
)
def test_whatever_a_file_has_as_creator_is_shown(value: Json, shown: Json) -> None:
    assert creator_of({"creator": value}) == shown
