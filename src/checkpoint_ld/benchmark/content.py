"""What a benchmark holds, read from its graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, overload

from checkpoint_ld import templates
from checkpoint_ld.dialects.state import DEFAULT_VERSION
from checkpoint_ld.entities import Question
from checkpoint_ld.identifiers import unique_question_id
from checkpoint_ld.mapping import questions, traits
from checkpoint_ld.mapping.creators import creator_of
from checkpoint_ld.mapping.properties import as_list, text_of
from checkpoint_ld.mapping.questions import is_scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rdflib.term import Node

    from checkpoint_ld.entities import DynamicRubric, Rubric
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.object_reading import Frame
    from checkpoint_ld.templates import Template


class Elements(dict[str, "Node"]):
    """The feed items of a benchmark by identifier, in their order.

    `computed` holds the identifiers that no item has as its own: they follow from the other items, and from the texts.
    """

    def __init__(self) -> None:
        super().__init__()
        self.computed: set[str] = set()


def elements_of(graph: CheckpointGraph) -> Elements:
    """Return the feed items of a benchmark.

    An item without an identifier has the one that Karenina computes from the text of its question. Of two items with
    one identifier both are there: the later one gets the first suffix that is free.
    """
    elements = Elements()
    nodes = graph.member(graph.root, "dataFeedElement")
    described = [node for node in nodes if node in graph.held]
    told = dict(zip(described, graph.read_all(described, only={}), strict=True))
    own = [told[node].get("@id") if node in told else graph.plain(node, "@id") for node in nodes]
    taken = {one for one in own if isinstance(one, str)}
    for node, identifier in zip(nodes, own, strict=True):
        name = str(identifier) if identifier else unique_question_id(_text_of(graph, node), taken)
        if name in elements:
            name = _suffixed(name, taken)
        if name != identifier:
            elements.computed.add(name)
        taken.add(name)
        elements[name] = node
    return elements


def keep_identifiers(graph: CheckpointGraph, elements: Elements, freed: str) -> None:
    """Give those feed items their identifiers as their own that would be named anew, now that `freed` is free.

    They are alike but for the suffix; the others need not be looked at.
    """
    stems = {freed, _stem(freed)} - {None}
    if any(_stem(one) in stems for one in elements.computed):
        renamed = {node: name for name, node in elements_of(graph).items()}
        for name in [one for one in elements.computed if renamed[elements[one]] != one]:
            keep_identifier(graph, elements, name)


def keep_identifier(graph: CheckpointGraph, elements: Elements, name: str) -> None:
    """Give a feed item its identifier as its own, if it is a computed one."""
    if name in elements.computed:
        graph.replace(elements[name], "@id", name)
        elements.computed.remove(name)


def asked_in(graph: CheckpointGraph, item: Node) -> Node:
    """Return the node of the question in a feed item; a bare question is its own item."""
    asked = graph.member(item, "item")
    return asked[0] if asked else item


def _suffixed(identifier: str, taken: set[str]) -> str:
    suffix = 1
    while f"{identifier}-{suffix}" in taken:
        suffix += 1
    return f"{identifier}-{suffix}"


def _stem(identifier: str) -> str | None:
    """Return what is before the suffix of an identifier, None where there is none."""
    stem, _, suffix = identifier.rpartition("-")
    return stem if suffix.isdecimal() else None


def _text_of(graph: CheckpointGraph, node: Node) -> str:
    text = graph.plain(asked_in(graph, node), "text")
    return text if isinstance(text, str) else ""


Json = dict[str, Any]


_read_template = lru_cache(maxsize=4096)(templates.read_template)
"""Templates by their text: reading one takes ten times as long as the other members of its question."""


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
        return traits.has_traits(questions.asked_of(self.item))

    @property
    def has_source(self) -> bool:
        """Whether there is the text of a template, be it only the placeholder."""
        return questions.has_source(self.item)

    @cached_property
    def template(self) -> Template:
        """What the answer template says, read without running it."""
        return _read_template(self.members["answer_template"])

    @cached_property
    def rubric(self) -> Rubric | None:
        """The traits of the question, None if there are none."""
        return traits.rubric_of(questions.asked_of(self.item))

    @cached_property
    def dynamic_rubric(self) -> DynamicRubric | None:
        """The dynamic traits of the question, None if there are none."""
        return traits.dynamic_rubric_of(questions.asked_of(self.item))

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
        return traits.rubric_of(self.root)

    @cached_property
    def global_dynamic_rubric(self) -> DynamicRubric | None:
        """The traits that are judged only where their concept occurs."""
        return traits.dynamic_rubric_of(self.root)

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


_TOGETHER = 512
"""So many feed items at most are read together by who goes through questions."""


class QuestionSequence(Sequence[Question]):
    """The questions of the feed items `nodes` of a graph, each made of what the graph says when its turn comes."""

    def __init__(self, graph: CheckpointGraph, nodes: list[Node]) -> None:
        self._graph = graph
        self._nodes = nodes

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Question]: ...
    def __getitem__(self, index: int | slice) -> Question | Sequence[Question]:
        if isinstance(index, slice):
            return QuestionSequence(self._graph, self._nodes[index])
        return questions.question_of(self._graph.read(self._nodes[index]))

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Question]:
        at, size = 0, 1
        while at < len(self):
            changes = self._graph.changes
            held = [*takewhile(self._graph.held.__contains__, self._nodes[at : at + size])]
            size = min(2 * size, _TOGETHER)
            for item in self._graph.read_all(held or self._nodes[at : at + 1]):
                at += 1
                yield questions.question_of(item)
                if self._graph.changes != changes:
                    size = 1
                    break
