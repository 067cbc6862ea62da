"""The questions of a benchmark, to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from checkpoint_ld.documents.values import copied
from checkpoint_ld.facets import entries
from checkpoint_ld.facets.elements import asked_in
from checkpoint_ld.facets.facet import Facet, Json
from checkpoint_ld.facets.lazy_questions import LazyQuestions
from checkpoint_ld.mapping import questions
from checkpoint_ld.mapping.properties import values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rdflib.term import Node

    from checkpoint_ld.entities import Question, QuestionRegistryEntry


class Questions(Facet):
    """The questions of a benchmark, known by identifier: their own, or else the one that Karenina computes."""

    @property
    def questions(self) -> Sequence[Question]:
        """The questions in their order; each is built when it is asked for."""
        return LazyQuestions(self._graph, list(self._elements().values()))

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
        return ids if ids_only else [self.get_question(one) for one in ids]

    def _by_state(self, *, finished: bool) -> list[str]:
        return [name for name, node in self._elements().items() if self._is_finished(node) is finished]

    def _is_finished(self, item: Node) -> bool:
        asked = asked_in(self._graph, item)
        return questions.means_true(entries.value_of(self._graph, asked, "finished", default=False))

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
        return question_id in self._elements() and questions.has_template(self._template_of(self._node(question_id)))

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
        nodes = self._elements().values()
        return bool(nodes) and all(
            self._is_finished(one) and questions.has_source(self._template_of(one)) for one in nodes
        )

    def get_progress(self) -> float:
        """Return the share of finished questions in percent, 0 if there are no questions."""
        return self.finished_count / self.question_count * 100 if self.question_count else 0.0

    def _template_of(self, item: Node) -> Json:
        """Return so much of the question in a feed item as holds its template."""
        return {"hasPart": self._graph.content(asked_in(self._graph, item), "hasPart")}
