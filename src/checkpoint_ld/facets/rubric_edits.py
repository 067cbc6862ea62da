"""The rubrics of a benchmark, to change."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from checkpoint_ld.arguments import renamed
from checkpoint_ld.entities import DynamicRubric, Rubric
from checkpoint_ld.facets.held_rubric import HeldRubric
from checkpoint_ld.facets.rubrics import Rubrics
from checkpoint_ld.vocabulary import SCOPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.entities import AnyTrait
    from checkpoint_ld.mapping.rubrics import Traits

_GLOBAL, _QUESTION = SCOPES


class RubricEdits(Rubrics):
    """Changes of rubrics, each of one rubric alone: dynamic traits survive a change of the others, and these of them.

    A rubric can be given as the list of its traits. Raised beside what the methods say, with nothing changed:
    WrongTypeError for what is no trait or rubric, WriteError for the name of a trait that is there already and for
    whatever else keeps an author from making such a rubric. What is odd about a rubric from a file may stay as it is.
    What a rating says beyond its trait stays as long as the trait.
    """

    def add_global_rubric_trait(self, trait: AnyTrait) -> None:
        """Add a trait by which the answers to all questions are judged."""
        with self._of_benchmark(Rubric) as held:
            held.add(trait)
        self._touch()

    def set_global_rubric(self, rubric: Rubric | Sequence[AnyTrait]) -> None:
        """Replace the traits by which the answers to all questions are judged; one without traits takes them away."""
        with self._of_benchmark(Rubric) as held:
            held.replace(rubric)
        self._touch()

    def update_global_rubric_trait(self, name: str, trait: AnyTrait) -> bool:
        """Put `trait` in the place of the global trait `name`; return False, with nothing changed, if there is none."""
        with self._of_benchmark(Rubric) as held:
            changed = held.update(name, trait)
        return self._touched(changed)

    def remove_global_rubric_trait(self, name: str) -> bool:
        """Take the global trait `name` away; return whether there was one."""
        with self._of_benchmark(Rubric) as held:
            changed = held.remove(name)
        return self._touched(changed)

    def clear_global_rubric(self) -> bool:
        """Take all global traits away; return whether there were any."""
        with self._of_benchmark(Rubric) as held:
            changed = held.clear()
        return self._touched(changed)

    @renamed(rubric="dynamic_rubric")
    def set_global_dynamic_rubric(self, dynamic_rubric: DynamicRubric | Sequence[AnyTrait] | None) -> None:
        """Replace the traits that are judged only where their concept occurs; None takes them away."""
        with self._of_benchmark(DynamicRubric) as held:
            held.replace(dynamic_rubric or ())
        self._touch()

    def add_question_rubric_trait(self, question_id: str, trait: AnyTrait) -> None:
        """Add a trait by which the answers to one question are judged. Raises LookupFailedError."""
        with self._of_question(question_id, Rubric) as held:
            held.add(trait)
        self._touch(self._node(question_id))

    def set_question_rubric(self, question_id: str, rubric: Rubric | Sequence[AnyTrait]) -> None:
        """Replace the traits of one question; a rubric without traits takes them away. Raises LookupFailedError."""
        with self._of_question(question_id, Rubric) as held:
            held.replace(rubric)
        self._touch(self._node(question_id))

    def remove_question_rubric(self, question_id: str) -> bool:
        """Take the traits of one question away; return whether there were any. Raises LookupFailedError."""
        with self._of_question(question_id, Rubric) as held:
            changed = held.clear()
        return self._touched(changed, self._node(question_id))

    def set_question_dynamic_rubric(self, question_id: str, rubric: DynamicRubric | Sequence[AnyTrait] | None) -> None:
        """Replace the dynamic traits of one question; None takes them away. Raises LookupFailedError."""
        with self._of_question(question_id, DynamicRubric) as held:
            held.replace(rubric or ())
        self._touch(self._node(question_id))

    def clear_all_rubrics(self) -> int:
        """Take away the traits of the benchmark and of all questions; return how many rubrics there were.

        Dynamic rubrics stay.
        """
        cleared = int(self.clear_global_rubric())
        return cleared + sum(self.remove_question_rubric(one) for one in self._elements())

    @contextmanager
    def _of_benchmark(self, model: type[Traits]) -> Iterator[HeldRubric[Traits]]:
        with self._editing_head() as head:
            yield HeldRubric(head, _GLOBAL, model)

    @contextmanager
    def _of_question(self, question_id: str, model: type[Traits]) -> Iterator[HeldRubric[Traits]]:
        with self._editing(self._asked(question_id)) as asked:
            yield HeldRubric(asked, _QUESTION, model)

    def _touched(self, changed: bool, *items: Node) -> bool:
        if changed:
            self._touch(*items)
        return changed
