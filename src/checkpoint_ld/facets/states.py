"""How far the work on a benchmark is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.facets import entries
from checkpoint_ld.facets.elements import asked_in
from checkpoint_ld.facets.questions import Questions
from checkpoint_ld.mapping.questions import STATES, is_finished

if TYPE_CHECKING:
    from collections.abc import Iterable


class States(Questions):
    """What is finished and what is not.

    A question is dated as changed when its state changes, not when it is given the state that it has.
    """

    def mark_finished(self, question_id: str) -> None:
        """Mark a question as finished; an identifier that no question has is passed over, as in Karenina."""
        self._mark((question_id,), finished=True)

    def mark_unfinished(self, question_id: str) -> None:
        """Mark a question as not finished; an identifier that no question has is passed over, as in Karenina."""
        self._mark((question_id,), finished=False)

    def mark_finished_batch(self, question_ids: Iterable[str]) -> None:
        """Mark questions as finished, as `mark_finished` does."""
        self._mark(question_ids, finished=True)

    def mark_unfinished_batch(self, question_ids: Iterable[str]) -> None:
        """Mark questions as not finished, as `mark_unfinished` does."""
        self._mark(question_ids, finished=False)

    def toggle_finished(self, question_id: str) -> bool:
        """Mark a question as finished if it is not, as not finished if it is; return whether it is now.

        Raises LookupFailedError.
        """
        finished = not self.get_registry_entry(question_id).finished
        self._mark((question_id,), finished=finished)
        return finished

    def _mark(self, question_ids: Iterable[str], *, finished: bool) -> None:
        known = self._elements()
        nodes = [known[one] for one in dict.fromkeys(question_ids) if one in known]
        items = zip(nodes, self._graph.read_all(nodes, only=STATES), strict=True)
        changed = [node for node, item in items if is_finished(item) is not finished]
        for node in changed:
            with self._editing(asked_in(self._graph, node)) as asked:
                entries.set_value(asked, "finished", finished)
        if changed:
            self._touch(*changed)
