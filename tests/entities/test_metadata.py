"""What a benchmark says about itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from checkpoint_ld.entities import BenchmarkMetadata, Organization, Person

PERSON = {"@type": "Person", "name": "A. Smith", "email": "a@example.org", "affiliation": {"@type": "Organization"}}
ORGANIZATION = {"@type": "Organization", "name": "Metals Ltd", "logo": "https://example.org/logo.png"}


@pytest.mark.parametrize(("creator", "cls"), [(PERSON, Person), (ORGANIZATION, Organization)])
def test_a_creator_is_written_as_it_was_read(creator: dict[str, Any], cls: type[Person | Organization]) -> None:
    metadata = BenchmarkMetadata.model_validate({"name": "Metals", "creator": creator})
    assert isinstance(metadata.creator, cls)
    assert metadata.model_dump(mode="json", by_alias=True, exclude_none=True)["creator"] == creator


def test_a_creator_may_be_a_name_an_untyped_person_or_several() -> None:
    assert BenchmarkMetadata(name="Metals", creator="A. Smith").creator == "A. Smith"
    untyped = BenchmarkMetadata.model_validate({"name": "Metals", "creator": {"name": "A. Smith"}})
    assert untyped.creator == Person(name="A. Smith")
    several = BenchmarkMetadata.model_validate({"name": "Metals", "creator": ["A. Smith", ORGANIZATION]})
    assert isinstance(several.creator, list)
    assert [type(one) for one in several.creator] == [str, Organization]


@pytest.mark.parametrize("creator", [5, {"@type": "Person"}, {"@type": "Dog", "name": "Rex"}, {"name": ""}])
def test_other_things_create_nothing(creator: object) -> None:
    with pytest.raises(ValidationError):
        BenchmarkMetadata.model_validate({"name": "Metals", "creator": creator})


def test_a_creator_can_be_edited() -> None:
    for creator in (Person(name="A"), Organization(name="A")):
        creator.name = "B"
        assert creator.model_dump(by_alias=True, exclude_none=True) == {"@type": creator.type, "name": "B"}
        with pytest.raises(ValidationError):
            creator.type = "Dog"  # type: ignore[assignment]  # the point of the test


def test_a_benchmark_has_a_name() -> None:
    assert BenchmarkMetadata(name="M").name == "M"
    with pytest.raises(ValidationError):
        BenchmarkMetadata(name="")


def test_what_is_not_said_is_none_and_dates_are_now() -> None:
    metadata = BenchmarkMetadata(name="Metals")
    assert (metadata.id, metadata.description, metadata.version, metadata.creator) == (None, None, None, None)
    assert datetime.fromisoformat(metadata.created_at).tzinfo is not None
    assert BenchmarkMetadata(name="Metals", modified_at="spring").modified_at == "spring"
