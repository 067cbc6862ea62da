"""The questions of a benchmark, to look at."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, overload

from checkpoint_ld.documents.values import copied
from checkpoint_ld.entities import Question
from checkpoint_ld.facets.facet import Facet, Json
from checkpoint_ld.mapping import questions
from checkpoint_ld.mapping.properties import values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.entities import QuestionRegistryEntry
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

_TOGETHER = 512
"""So many feed items at most are read together by who goes through questions."""


class _Questions(Sequence[Question]):
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
            return _Questions(self._graph, self._nodes[index])
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


class Questions(Facet):
    """The questions of a benchmark, known by identifier: their own, or else the one that Karenina computes."""

    @property
    def questions(self) -> Sequence[Question]:
        """The questions in their order, each made of what the graph says when it is asked for."""
        return _Questions(self._graph, list(self._elements().values()))

    def get_question_ids(self) -> list[str]:
        """Return the identifiers in the order of the questions; of two alike the later has a suffix."""
        return list(self._elements())

    def get_question(self, question_id: str) -> Json:
        """Return a question as a dictionary.

        It has the members of a `Question`, with `id` as the benchmark has it and rubrics as maps of five lists of
        traits, and `finished`. Raises LookupFailedError when there is no such question.
        """
        return {"id": question_id, **questions.members_of(self._item(question_id))}

    @overload
    def get_all_questions(self, ids_only: Literal[False] = False) -> list[Json]: ...
    @overload
    def get_all_questions(self, ids_only: Literal[True]) -> list[str]: ...
    def get_all_questions(self, ids_only: bool = False) -> list[Json] | list[str]:
        """Return all questions as dictionaries, or only their identifiers."""
        return self._listed(self.get_question_ids(), ids_only=ids_only)

    @overload
    def get_finished_questions(self, ids_only: Literal[False] = False) -> list[Json]: ...
    @overload
    def get_finished_questions(self, ids_only: Literal[True]) -> list[str]: ...
    def get_finished_questions(self, ids_only: bool = False) -> list[Json] | list[str]:
        """Return the questions that are marked as finished, as dictionaries or only their identifiers."""
        return self._listed(self._by_state(finished=True), ids_only=ids_only)

    @overload
    def get_unfinished_questions(self, ids_only: Literal[False] = False) -> list[Json]: ...
    @overload
    def get_unfinished_questions(self, ids_only: Literal[True]) -> list[str]: ...
    def get_unfinished_questions(self, ids_only: bool = False) -> list[Json] | list[str]:
        """Return the questions that are not marked as finished, as dictionaries or only their identifiers."""
        return self._listed(self._by_state(finished=False), ids_only=ids_only)

    def _listed(self, ids: list[str], *, ids_only: bool) -> list[Json] | list[str]:
        return ids if ids_only else self._dictionaries(ids)

    def _dictionaries(self, ids: list[str]) -> list[Json]:
        items = self._graph.read_all([*map(self._node, ids)])
        return [{"id": one, **questions.members_of(item)} for one, item in zip(ids, items, strict=True)]

    def _by_state(self, *, finished: bool) -> list[str]:
        items = self._items(questions.STATES)
        return [one for one, item in items.items() if questions.is_finished(item) is finished]

    def get_question_as_object(self, question_id: str) -> Question:
        """Return a question. Raises LookupFailedError when there is none of that identifier."""
        return questions.question_of(self._item(question_id))

    def get_all_questions_as_objects(self) -> list[Question]:
        """Return all questions."""
        return list(self.questions)

    def get_registry_entry(self, question_id: str) -> QuestionRegistryEntry:
        """Return how far the work on a question is. Raises LookupFailedError."""
        return questions.registry_entry_of(self._item(question_id))

    def get_question_metadata(self, question_id: str) -> Json:
        """Return what is said about a question, without template, examples and traits. Raises LookupFailedError."""
        told = questions.members_of(self._item(question_id))
        members = ("question", "raw_answer", "date_created", "date_modified", "finished", "author", "sources")
        return {
            "id": question_id,
            **{name: told[name] for name in (*members, "custom_metadata")},
            "has_template": self.has_template(question_id),
            "has_rubric": told["question_rubric"] is not None,
        }

    def get_question_timestamps(self, question_id: str) -> dict[str, str]:
        """Return the dates of a question and of its entry in the benchmark. Raises LookupFailedError."""
        entry = self.get_registry_entry(question_id)
        return {
            "created": entry.date_added,
            "modified": entry.date_modified,
            "date_added": entry.date_added,
            "registry_modified": entry.date_modified,
        }

    def get_question_properties(self, question_id: str) -> Json:
        """Return all properties of a question by name, those too that no member of a `Question` stands for.

        The values are as the file has them. Raises LookupFailedError.
        """
        told: Json = copied(values(questions.asked_of(self._item(question_id)).get("additionalProperty")))
        return told

    def has_template(self, question_id: str) -> bool:
        """Tell whether a question has an answer template of its own, not just the placeholder."""
        if question_id not in self._elements():
            return False
        (item,) = self._graph.read_all([self._node(question_id)], only=questions.TEMPLATES)
        return questions.has_template(item)

    @property
    def question_count(self) -> int:
        """How many questions there are."""
        return len(self._elements())

    @property
    def finished_count(self) -> int:
        """How many questions are marked as finished."""
        return len(self._by_state(finished=True))

    @property
    def is_complete(self) -> bool:
        """Whether there are questions, and all of them are finished and have the text of a template."""
        items = self._items(questions.frame(additionalProperty=None, hasPart=None)).values()
        return bool(items) and all(questions.is_finished(one) and questions.has_source(one) for one in items)

    def get_progress(self) -> float:
        """Return the share of finished questions in percent, 0 if there are no questions."""
        return self.finished_count / self.question_count * 100 if self.question_count else 0.0
