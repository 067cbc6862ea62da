"""What a benchmark says about itself: name, version, makers, dates."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import ConfigDict, Field

from checkpoint_ld.entities.entity import Entity, now


class Person(Entity):
    """A schema.org Person; members other than the declared ones are kept."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    type: Literal["Person"] = Field(default="Person", validation_alias="@type", serialization_alias="@type")
    name: str = Field(min_length=1)
    url: str | None = None
    email: str | None = None


class Organization(Entity):
    """A schema.org Organization; members other than the declared ones are kept."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    type: Literal["Organization"] = Field(default="Organization", validation_alias="@type", serialization_alias="@type")
    name: str = Field(min_length=1)
    url: str | None = None


Creator: TypeAlias = str | Person | Organization
"""Who made a benchmark: a name, or an object that says more."""


class BenchmarkMetadata(Entity):
    """What a benchmark says about itself; None where it says nothing.

    `version` is that of the benchmark, not of the file format. Dates are ISO 8601 texts and are kept as they are.
    """

    id: str | None = None
    name: str = Field(min_length=1)
    description: str | None = None
    version: str | None = None
    creator: Creator | list[Creator] | None = None
    created_at: str = Field(default_factory=now)
    modified_at: str = Field(default_factory=now)
