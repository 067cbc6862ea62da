"""What a benchmark says about itself: name, version, makers, dates."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import ConfigDict, Field

from checkpoint_ld.entities.entity import Entity, now


class Person(Entity):
    """A schema.org Person; members other than the declared ones are kept."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    type: Literal["Person"] = Field(
        default="Person", validation_alias="@type", serialization_alias="@type", description="The type in JSON-LD"
    )
    name: str = Field(min_length=1, description="The name of the person")
    url: str | None = Field(default=None, description="A page about the person")
    email: str | None = Field(default=None, description="An address for letters to the person")


class Organization(Entity):
    """A schema.org Organization; members other than the declared ones are kept."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    type: Literal["Organization"] = Field(
        default="Organization", validation_alias="@type", serialization_alias="@type", description="The type in JSON-LD"
    )
    name: str = Field(min_length=1, description="The name of the organisation")
    url: str | None = Field(default=None, description="A page about the organisation")


Creator: TypeAlias = str | Person | Organization
"""Who made a benchmark: a name, or an object that says more."""


class BenchmarkMetadata(Entity):
    """What a benchmark says about itself; None where it says nothing.

    `version` is that of the benchmark, not of the file format. Dates are ISO 8601 texts and are kept as they are.
    """

    id: str | None = Field(default=None, description="The identifier of the benchmark, an IRI as a rule")
    name: str = Field(min_length=1, description="The name of the benchmark")
    description: str | None = Field(default=None, description="What the benchmark is about")
    version: str | None = Field(default=None, description="The version of the benchmark, not of the file format")
    creator: Creator | list[Creator] | None = Field(default=None, description="Who made it")
    created_at: str = Field(default_factory=now, description="When the benchmark was made, ISO 8601")
    modified_at: str = Field(default_factory=now, description="When the benchmark changed last, ISO 8601")
