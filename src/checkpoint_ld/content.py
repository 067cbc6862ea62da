"""What a benchmark holds, read once, for everything that looks at all of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from checkpoint_ld import templates
from checkpoint_ld.dialects.state import DEFAULT_VERSION
from checkpoint_ld.mapping import questions, rubrics
from checkpoint_ld.mapping.creators import creator_of
from checkpoint_ld.mapping.properties import as_list, text_of
from checkpoint_ld.mapping.scenarios import is_scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib.term import Node

    from checkpoint_ld.entities import DynamicRubric, Question, Rubric
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.object_reading import Frame
    from checkpoint_ld.templates import Template

Json = dict[str, Any]


@dataclass(frozen=True)
class QuestionContent:
    """A question with its identifier in the benchmark; `item` is the feed item that holds it, to look at only."""

    id: str
    item: Json = field(repr=False)

    @cached_property
    def question(self) -> Question:
        """The question as an entity."""
        return questions.question_of(self.item)

    @cached_property
    def finished(self) -> bool:
        """Whether the question is marked as finished."""
        return questions.is_finished(self.item)

    @cached_property
    def has_template(self) -> bool:
        """Whether there is an answer template of its own, not just the placeholder."""
        return questions.has_template(self.item)

    @cached_property
    def members(self) -> Json:
        """The members of the question that is there, as JSON, without rubrics."""
        return questions.stated_by(self.item)

    @cached_property
    def has_rubric(self) -> bool:
        """Whether there are traits that are not dynamic."""
        return rubrics.has_traits(questions.asked_of(self.item))

    @property
    def has_source(self) -> bool:
        """Whether there is the text of a template, be it only the placeholder."""
        return questions.has_source(self.item)

    @cached_property
    def template(self) -> Template:
        """What the answer template says, read without running it."""
        return templates.read_template(self.members["answer_template"])

    @cached_property
    def rubric(self) -> Rubric | None:
        """The traits of the question, None if there are none."""
        return rubrics.rubric_of(questions.asked_of(self.item))

    @cached_property
    def dynamic_rubric(self) -> DynamicRubric | None:
        """The dynamic traits of the question, None if there are none."""
        return rubrics.dynamic_rubric_of(questions.asked_of(self.item))

    @property
    def author(self) -> str:
        """The name of the author, "" where nobody is named."""
        return text_of((self.members["author"] or {}).get("name"))


@dataclass(frozen=True)
class BenchmarkContent:
    """What a benchmark says about itself, and its questions in their order; `root` is all but the questions."""

    root: Json = field(repr=False)
    questions: tuple[QuestionContent, ...]

    @property
    def name(self) -> str:
        """The name."""
        return text_of(self.root.get("name"))

    @property
    def description(self) -> str:
        """The description, "" where there is none."""
        return text_of(self.root.get("description"))

    @property
    def version(self) -> str:
        """The version of the benchmark."""
        return text_of(self.root.get("version")) or DEFAULT_VERSION

    @property
    def creator(self) -> str:
        """The names of those who made it, "" where nobody is named."""
        told = creator_of(self.root)
        makers = told if isinstance(told, list) else [] if told is None else [told]
        return ", ".join(one if isinstance(one, str) else one.name for one in makers)

    @property
    def created_at(self) -> str:
        """When it was made, ISO 8601, "" where nothing is said."""
        return text_of(self.root.get("dateCreated"))

    @property
    def modified_at(self) -> str:
        """When it was changed last, ISO 8601, "" where nothing is said."""
        return text_of(self.root.get("dateModified"))

    @cached_property
    def global_rubric(self) -> Rubric | None:
        """The traits by which the answers to all questions are judged."""
        return rubrics.rubric_of(self.root)

    @cached_property
    def global_dynamic_rubric(self) -> DynamicRubric | None:
        """The traits that are judged only where their concept occurs."""
        return rubrics.dynamic_rubric_of(self.root)

    @property
    def scenarios(self) -> list[Json]:
        """The objects of the scenarios, in their order."""
        return [part for part in as_list(self.root.get("hasPart")) if is_scenario(part)]


def content_of(graph: CheckpointGraph, elements: Mapping[str, Node], only: Frame | None = None) -> BenchmarkContent:
    """Return what a graph holds; `elements` are its feed items by the identifiers of their questions.

    With `only`, no more is read of each `item` than this frame names.
    """
    items = graph.read_all([*elements.values()], only=only)
    return BenchmarkContent(
        graph.read(graph.root, without=("dataFeedElement",)),
        tuple(QuestionContent(*one) for one in zip(elements, items, strict=True)),
    )
