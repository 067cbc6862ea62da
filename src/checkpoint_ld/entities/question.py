"""Questions, what a benchmark notes about each of them, and about itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, JsonValue, computed_field, model_validator

from checkpoint_ld.entities.entity import Entity, now, problem
from checkpoint_ld.identifiers import question_object_id

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding


def _with_older_name(schema: dict[str, Any]) -> None:
    tags = {"description": "The old name of keywords", "type": ["array", "string", "null"], "deprecated": True}
    schema["properties"]["tags"] = {**tags, "items": {"type": ["string", "null"]}, "title": "Tags"}


class Question(Entity):
    """A question with its reference answer and all that an author says about it.

    Dates are ISO 8601 texts and are kept as they are. An input member `id` is ignored, since `id` follows from the
    text; `tags`, the old name of `keywords`, is accepted where `keywords` is absent.
    """

    model_config = ConfigDict(json_schema_extra=_with_older_name)

    question: str = Field(min_length=1, description="The text of the question")
    raw_answer: str = Field(description="The reference answer as free text", json_schema_extra={"minLength": 1})
    keywords: list[str] = Field(default_factory=list, description="Topics")
    few_shot_examples: list[dict[str, str]] | None = Field(
        default=None, description="Example pairs, by convention with the keys question and answer"
    )
    date_created: str = Field(default_factory=now, description="When the question was made, ISO 8601")
    date_modified: str = Field(default_factory=now, description="When the question changed last, ISO 8601")
    answer_template: str | None = Field(default=None, description="Python source of the template; text, never run")
    answer_notes: str | None = Field(default=None, description="How the author wants answers to be understood")
    author: dict[str, JsonValue] | None = Field(default=None, description="By convention a schema.org Person")
    sources: list[dict[str, JsonValue]] | None = Field(default=None, description="Where the question comes from")
    custom_metadata: dict[str, JsonValue] | None = Field(
        default=None, description="Anything else, by names of your own"
    )
    question_rubric: dict[str, JsonValue] | None = Field(default=None, description="A serialised Rubric")
    question_dynamic_rubric: dict[str, JsonValue] | None = Field(default=None, description="A serialised DynamicRubric")
    workspace_path: str | None = Field(
        default=None, description="A folder, relative to the root of the benchmark's workspace"
    )

    # mypy refuses decorators above @property; this is how pydantic documents a computed field.
    @computed_field(description="The MD5 hash of the text, 32 hexadecimal digits")  # type: ignore[prop-decorator]
    @property
    def id(self) -> str:
        """The MD5 hash of the text: it changes with the text, and need not be the identifier in a file."""
        return question_object_id(self.question)

    def problems(self) -> tuple[Finding, ...]:
        """Report an empty reference answer, which files have and authors should not write."""
        if self.raw_answer:
            return ()
        message = f"raw_answer of {self.question!r} is empty"
        return (problem("answer-missing", message, "give the reference answer", subject=self.question),)

    @model_validator(mode="before")
    @classmethod
    def _accept_older_members(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        members = {key: value for key, value in data.items() if key not in {"id", "tags"}}
        if "tags" in data and "keywords" not in data:
            members["keywords"] = _keywords(data["tags"])
        return members


class QuestionRegistryEntry(Entity):
    """How far the work on one question of one benchmark is; kept beside the question, not in it."""

    finished: bool = Field(default=False, description="Whether the work on the question is done")
    date_added: str = Field(default_factory=now, description="When the question joined the benchmark")
    date_modified: str = Field(default_factory=now, description="When this entry changed last")


def _keywords(tags: Any) -> Any:
    if isinstance(tags, str):
        return [tags]
    if tags is None:
        return []
    return [tag for tag in tags if tag is not None] if isinstance(tags, list | tuple) else tags


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
