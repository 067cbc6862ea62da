"""Questions with their state in a benchmark, the metadata of a benchmark, and scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, computed_field, model_validator
from pydantic.alias_generators import to_camel

from checkpoint_ld.documents.values import now, plain
from checkpoint_ld.entities.entity import LENIENT, Entity, problem
from checkpoint_ld.identifiers import question_object_id
from checkpoint_ld.vocabulary import END

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.findings import Finding


_TAGS = {
    "description": "The old name of keywords",
    "type": ["array", "string", "null"],
    "deprecated": True,
    "items": {"type": ["string", "null"]},
    "title": "Tags",
}


def _with_arrays(value: Any) -> Any:
    """Return a value with its tuples as lists, because JSON has only arrays, and NumPy's scalars as numbers."""
    try:
        if isinstance(value, Mapping):
            return {name: _with_arrays(part) for name, part in value.items()}
        return [_with_arrays(part) for part in value] if isinstance(value, list | tuple) else plain(value)
    except RecursionError:
        return value  # JsonValue refuses it


JsonObject: TypeAlias = Annotated[dict[str, JsonValue], BeforeValidator(_with_arrays)]


class Question(Entity):
    """A question with its reference answer and everything that its author adds.

    Dates are ISO 8601 texts and are kept unchanged. An input member `id` is ignored, because `id` follows from the
    text; `tags`, the old name of `keywords`, is accepted if `keywords` is absent.
    """

    model_config = ConfigDict(json_schema_extra=lambda schema: schema["properties"].update(tags=_TAGS))

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
    author: JsonObject | None = Field(default=None, description="By convention a schema.org Person")
    sources: list[JsonObject] | None = Field(default=None, description="Where the question comes from")
    custom_metadata: JsonObject | None = Field(default=None, description="Anything else, by names of your own")
    question_rubric: JsonObject | None = Field(default=None, description="A serialised Rubric")
    question_dynamic_rubric: JsonObject | None = Field(default=None, description="A serialised DynamicRubric")
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
            tags = [data["tags"]] if isinstance(data["tags"], str | None) else data["tags"]
            members["keywords"] = [tag for tag in tags if tag is not None] if isinstance(tags, list | tuple) else tags
        return members


class QuestionRegistryEntry(Entity):
    """The progress of the work on one question of one benchmark; kept beside the question, not in it."""

    finished: bool = Field(default=False, description="Whether the work on the question is done")
    date_added: str = Field(default_factory=now, description="When the question joined the benchmark")
    date_modified: str = Field(default_factory=now, description="When this entry changed last")


def _type(name: str) -> Any:
    return Field(default=name, validation_alias="@type", serialization_alias="@type", description="The type in JSON-LD")


class Person(Entity):
    """A schema.org Person; members other than the declared ones are kept."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    type: Literal["Person"] = _type("Person")
    name: str = Field(min_length=1, description="The name of the person")
    url: str | None = Field(default=None, description="A page about the person")
    email: str | None = Field(default=None, description="An address for letters to the person")


class Organization(Entity):
    """A schema.org Organization; members other than the declared ones are kept."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    type: Literal["Organization"] = _type("Organization")
    name: str = Field(min_length=1, description="The name of the organisation")
    url: str | None = Field(default=None, description="A page about the organisation")


Creator: TypeAlias = str | Person | Organization
"""The creator of a benchmark: a name, or an object with more members."""


class BenchmarkMetadata(Entity):
    """The metadata of a benchmark; None for absent values.

    `version` is that of the benchmark, not of the file format. Dates are ISO 8601 texts and are kept unchanged.
    """

    id: str | None = Field(default=None, description="The identifier of the benchmark, an IRI as a rule")
    name: str = Field(min_length=1, description="The name of the benchmark")
    description: str | None = Field(default=None, description="What the benchmark is about")
    version: str | None = Field(default=None, description="The version of the benchmark, not of the file format")
    creator: Creator | list[Creator] | None = Field(default=None, description="Who made it")
    created_at: str = Field(default_factory=now, description="When the benchmark was made, ISO 8601")
    modified_at: str = Field(default_factory=now, description="When the benchmark changed last, ISO 8601")


_TEMPLATE_NAME_LENGTH = 40


class ScenarioPart(Entity):
    """An object of a scenario: fields may have their names or those of the file (`entryNode`).

    `model_dump(by_alias=True, exclude_none=True)` returns the object as in a file. Other members than the declared ones
    are kept. Python source is kept as text and never run.
    """

    model_config = ConfigDict(extra="allow", alias_generator=to_camel, populate_by_name=True)


class ScenarioNode(ScenarioPart):
    """A turn of a scenario, with its question.

    A file holds the question twice: `question_object` is the schema.org form, `question_data` all the members of a
    `Question`. Both are kept as they are; the property `question` reads and replaces them.
    """

    type: str = _type("karenina:ScenarioNode")
    node_id: str = Field(description="The key of the node in the scenario")
    question_object: JsonObject = Field(
        validation_alias="question", serialization_alias="question", description="The question as a schema.org Question"
    )
    model_override: JsonObject | None = Field(default=None, description="Settings of the models for this turn")
    tool_filter: JsonObject | None = Field(default=None, description="Tools that this turn goes without")
    state_update_source: str | None = Field(
        default=None, description="Python source that changes the state after the turn; text, never run"
    )
    question_data: JsonObject | None = Field(default=None, description="The question as the members of a Question")
    agent_identity: JsonValue = Field(default=None, description="Which agent answers; kept as it is")
    metadata: JsonObject = Field(default_factory=dict, description="Anything else about the node")

    @classmethod
    def asking(cls, node_id: str, question: Question) -> Self:
        """Return a node with `question`."""
        return cls.model_validate({"node_id": node_id, "question": question})

    @model_validator(mode="before")
    @classmethod
    def _accept_question(cls, data: Any) -> Any:
        question = data.get("question") if isinstance(data, Mapping) else None
        if not isinstance(question, Question):
            return data
        return {**data, "question": _question_object(question, {}), "question_data": _data(question)}

    @property
    def question(self) -> Question:
        """The question of the node: of `question_data` if that is present, else of `question_object`."""
        return (
            _question_of_object(self.question_object) if self.question_data is None else _question(self.question_data)
        )

    @question.setter
    def question(self, question: Question) -> None:
        self.question_object = _question_object(question, self.question_object)
        self.question_data = _data(question)

    @model_validator(mode="after")
    def _has_question(self) -> Self:
        _ = self.question  # raises if there is no question in it
        return self


class ScenarioEdge(ScenarioPart):
    """A way from one node to another, or to the end; a list of conditions means all of them."""

    source: str = Field(description="The id of the node that the edge leaves")
    target: str = Field(description=f"A node's id, or {END}")
    condition: JsonObject | list[JsonObject] | None = Field(
        default=None, description="When the edge is taken; all of a list have to hold"
    )
    condition_source: str | None = Field(default=None, description="Python source of a condition; text, never run")
    handover: str | None = Field(default=None, description="transcript_prepend or transcript_append")


class OutcomeCriterion(ScenarioPart):
    """A criterion for the success of a conversation."""

    name: str = Field(description="The name of the criterion")
    description: str = Field(default="", description="What the criterion asks for")
    check: JsonObject | None = Field(default=None, description="What has to hold in the end")
    evaluate_source: str | None = Field(default=None, description="Python source of the criterion; text, never run")


class Scenario(ScenarioPart):
    """A conversation of several turns: nodes by their ids, and the edges between them."""

    type: str = _type("karenina:Scenario")
    name: str = Field(description="The name of the scenario")
    description: str = Field(default="", description="What the conversation is about")
    entry_node: str = Field(min_length=1, description="The id of the first node")
    nodes: dict[str, ScenarioNode] = Field(description="The turns by their ids")
    edges: list[ScenarioEdge] = Field(description="The ways between the turns")
    outcome_criteria: list[OutcomeCriterion] = Field(
        default_factory=list, description="What decides whether it went well"
    )
    metadata: JsonObject = Field(default_factory=dict, description="Anything else about the scenario")

    def problems(self) -> tuple[Finding, ...]:
        """Report an entry and edges that lead from or to no node."""
        return tuple(
            problem("edge-target-node", f"{where} {node!r} is no node", "add or correct the node", subject=self.name)
            for where, node in self._references()
            if node not in self.nodes
        )

    def _references(self) -> Iterator[tuple[str, str]]:
        yield "entry_node", self.entry_node
        for index, edge in enumerate(self.edges):
            yield f"source of edge {index}", edge.source
            if edge.target != END:
                yield f"target of edge {index}", edge.target


def _data(question: Question) -> JsonObject:
    return question.model_dump(mode="json")


def _question(data: JsonObject) -> Question:
    known = {name: value for name, value in data.items() if name in _MEMBERS and value is not None}
    return Question.model_validate({**_UNDATED, **known}, context=LENIENT)


def _question_of_object(members: JsonObject) -> Question:
    answer, template = _single(members.get("acceptedAnswer")), _single(members.get("hasPart"))
    return _question(
        {
            "question": members.get("text"),
            "raw_answer": answer.get("text"),
            "answer_template": template.get("text"),
            "keywords": members.get("keywords"),
        }
    )


def _single(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _question_object(question: Question, members: JsonObject) -> JsonObject:
    text = question.question
    long = len(text) > _TEMPLATE_NAME_LENGTH
    return {
        "@type": "Question",
        **members,
        "text": text,
        "acceptedAnswer": {"@type": "Answer", **_single(members.get("acceptedAnswer")), "text": question.raw_answer},
        "hasPart": {
            "@type": "SoftwareSourceCode",
            **_single(members.get("hasPart")),
            "name": f"{text[:_TEMPLATE_NAME_LENGTH]}... Answer Template" if long else f"{text} Answer Template",
            "text": question.answer_template or "",
            "programmingLanguage": "Python",
        },
    }


_MEMBERS = frozenset(Question.model_fields) | {"tags"}
_UNDATED: JsonObject = {"date_created": "", "date_modified": ""}
"""The dates of a question without dates in the file: no date is invented."""
