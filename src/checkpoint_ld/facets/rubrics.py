"""The traits by which answers are judged, of the whole benchmark and of its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.entities.merging import merge_dynamic_rubrics, merge_rubrics
from checkpoint_ld.facets.facet import Facet, Json
from checkpoint_ld.facets.rubric_checks import counts_of, faults_of, merge_faults
from checkpoint_ld.mapping import rubrics
from checkpoint_ld.mapping.questions import TRAITS, asked_of

if TYPE_CHECKING:
    from checkpoint_ld.entities import DynamicRubric, Rubric

_BULK = ("dataFeedElement", "hasPart")


class Rubrics(Facet):
    """The rubrics of a benchmark; one without traits is None."""

    @property
    def global_rubric(self) -> Rubric | None:
        """The traits by which the answers to all questions are judged."""
        return rubrics.rubric_of(self._graph.read(self._graph.root, without=_BULK))

    def get_global_rubric(self) -> Rubric | None:
        """Return `global_rubric`."""
        return self.global_rubric

    def get_global_dynamic_rubric(self) -> DynamicRubric | None:
        """Return the traits that are judged only where their concept occurs."""
        return rubrics.dynamic_rubric_of(self._graph.read(self._graph.root, without=_BULK))

    def get_question_rubric(self, question_id: str) -> Rubric | None:
        """Return the traits of one question, None for a question that is not there too, as Karenina does."""
        return rubrics.rubric_of(asked_of(self._item(question_id))) if question_id in self._elements() else None

    def get_question_dynamic_rubric(self, question_id: str) -> DynamicRubric | None:
        """Return the dynamic traits of one question. Raises LookupFailedError."""
        return rubrics.dynamic_rubric_of(asked_of(self._item(question_id)))

    def get_merged_rubric_for_question(self, question_id: str) -> Rubric | None:
        """Return the traits by which the answers to a question are judged: those of the benchmark, then its own.

        Raises LookupFailedError, and SettingsError if the benchmark and the question have traits of one name.
        """
        own = rubrics.rubric_of(asked_of(self._item(question_id)))
        return merge_rubrics(self.global_rubric, own)

    def get_merged_dynamic_rubric_for_question(self, question_id: str) -> DynamicRubric | None:
        """Return the dynamic traits for a question, merged as `get_merged_rubric_for_question` does it."""
        return merge_dynamic_rubrics(self.get_global_dynamic_rubric(), self.get_question_dynamic_rubric(question_id))

    def get_rubric_trait_names(self, question_id: str | None = None) -> list[str]:
        """Return the names of the benchmark's traits, or of those of one question; of no question none."""
        rubric = self.global_rubric if question_id is None else self.get_question_rubric(question_id)
        return rubric.get_trait_names() if rubric is not None else []

    def has_rubric(self, question_id: str | None = None) -> bool:
        """Tell whether the benchmark, or one question, has traits that are not dynamic."""
        return bool(self.get_rubric_trait_names(question_id))

    def get_rubric_statistics(self) -> dict[str, Json]:
        """Return how many rubrics and traits there are.

        For each of `global`, `global_dynamic`, `question` and `question_dynamic` a mapping: `rubrics` counts those
        with traits, `traits` their traits, `by_kind` the traits of each kind, `llm` to `agentic`.
        """
        asked = [asked_of(item) for item in self._items(TRAITS).values()]
        return {
            "global": counts_of([self.global_rubric]),
            "global_dynamic": counts_of([self.get_global_dynamic_rubric()]),
            "question": counts_of(map(rubrics.rubric_of, asked)),
            "question_dynamic": counts_of(map(rubrics.dynamic_rubric_of, asked)),
        }

    def validate_rubrics(self) -> tuple[bool, list[dict[str, str]]]:
        """Tell whether all rubrics can be used, and what is wrong with them.

        Each fault has a `source`, the name of a global trait or `question:` and the identifier of a question, and an
        `error`, which says what is wrong and what to do. Every trait needs a description, a dynamic one a summary or a
        description; a score that is judged needs both bounds; a question has no trait of the name of a global one.
        """
        general, dynamic = self.global_rubric, self.get_global_dynamic_rubric()
        found = [*faults_of(general), *faults_of(dynamic)]
        for one, item in self._items(TRAITS).items():
            own, own_dynamic = rubrics.rubric_of(asked_of(item)), rubrics.dynamic_rubric_of(asked_of(item))
            told = [error for _, error in (*faults_of(own), *faults_of(own_dynamic))]
            told += [*merge_faults(general, own), *merge_faults(dynamic, own_dynamic)]
            found += [(f"question:{one}", error) for error in told]
        return not found, [{"source": source, "error": error} for source, error in found]
