"""The traits by which answers are judged, of the whole benchmark and of its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.facets.facet import Facet
from checkpoint_ld.mapping import rubrics

if TYPE_CHECKING:
    from checkpoint_ld.entities import DynamicRubric, Rubric


class Rubrics(Facet):
    """The rubrics of a benchmark; one without traits is None."""

    @property
    def global_rubric(self) -> Rubric | None:
        """The traits by which the answers to all questions are judged."""
        return rubrics.rubric_of(self._root())

    def get_global_rubric(self) -> Rubric | None:
        """Return `global_rubric`."""
        return self.global_rubric

    def get_global_dynamic_rubric(self) -> DynamicRubric | None:
        """Return the traits that are judged only where their concept occurs."""
        return rubrics.dynamic_rubric_of(self._root())

    def get_question_rubric(self, question_id: str) -> Rubric | None:
        """Return the traits of one question. Raises LookupFailedError."""
        return rubrics.rubric_of(self._item(question_id).get("item", {}))

    def get_question_dynamic_rubric(self, question_id: str) -> DynamicRubric | None:
        """Return the dynamic traits of one question. Raises LookupFailedError."""
        return rubrics.dynamic_rubric_of(self._item(question_id).get("item", {}))
