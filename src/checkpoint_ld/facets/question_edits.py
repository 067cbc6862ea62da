"""The questions of a benchmark, to change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.documents.values import inside
from checkpoint_ld.entities import DynamicRubric, Question, Rubric
from checkpoint_ld.errors import WriteError
from checkpoint_ld.facets import entries
from checkpoint_ld.facets.elements import keep_identifier, keep_identifiers
from checkpoint_ld.facets.given import question_given, rubric_given, source_given, state_given
from checkpoint_ld.facets.question_object import tell
from checkpoint_ld.facets.questions import Questions
from checkpoint_ld.facets.rubric_edits import RubricEdits
from checkpoint_ld.mapping.properties import CUSTOM
from checkpoint_ld.mapping.questions import asked_of, untraited_question_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from checkpoint_ld.facets.facet import Json

_TRAITS = ("question_rubric", "question_dynamic_rubric")
_MEMBERS = (*Question.model_fields, "finished")


class QuestionEdits(RubricEdits, Questions):
    """Changes of single questions. What an edit does not touch stays, whatever it is; identifiers never change."""

    def update_question_metadata(self, question_id: str, **fields: Any) -> None:
        """Give a question new members: those of a `Question`, and `finished`.

        None or an empty value takes away what a question may do without. Custom metadata is replaced as a whole. With
        the text of the question the placeholder for a missing template changes too.
        Raises LookupFailedError; WriteError, having changed nothing, for members that no question has and values that
        none can have.
        """
        node = self._node(question_id)
        if unknown := fields.keys() - set(_MEMBERS):
            raise WriteError(f"no question has {', '.join(sorted(unknown))}: choose from {', '.join(_MEMBERS)}")
        rubric = rubric_given(fields.get("question_rubric"), Rubric)
        dynamic = rubric_given(fields.get("question_dynamic_rubric"), DynamicRubric)
        if rubric is not None and dynamic is not None:
            # The second of the two may not be refused when the first has been changed.
            dump_json(dynamic.model_dump(mode="json"))
            dynamic = rubric_given(dynamic.model_dump(), DynamicRubric)
        finished = state_given(fields.get("finished"))
        told = {name: value for name, value in fields.items() if name not in (*_TRAITS, "finished")}
        if told.get("answer_template") is not None:
            told["answer_template"] = source_given(told["answer_template"])
        if told.get("keywords", ()) is None:
            told["keywords"] = []
        edited = question_given({**self._untraited(question_id).model_dump(exclude={"id", *_TRAITS}), **told})
        if "question_rubric" in fields:
            self.set_question_rubric(question_id, rubric or Rubric())
        if "question_dynamic_rubric" in fields:
            self.set_question_dynamic_rubric(question_id, dynamic)
        if finished is not None:
            with self._editing(self._asked(question_id)) as asked:
                entries.set_value(asked, "finished", finished)
        self._tell(question_id, told, edited)
        if fields:
            self._touch(*(() if "date_modified" in fields else (node,)))

    def _tell(self, question_id: str, told: Iterable[str], edited: Question) -> None:
        node = self._node(question_id)
        if "question" in told and not self._graph.plain(node, "@id"):
            keep_identifier(self._graph, self._elements(), question_id)
        with self._editing(node) as item:
            for name in told:
                tell(item, name, edited)

    def get_question_author(self, question_id: str) -> Json | None:
        """Return who wrote a question, None where nobody is named. Raises LookupFailedError."""
        return self._untraited(question_id).author

    def set_question_author(self, question_id: str, author: Mapping[str, Any] | None) -> None:
        """Say who wrote a question; None takes the author away. Raises LookupFailedError, WriteError."""
        self.update_question_metadata(question_id, author=author)

    def get_question_sources(self, question_id: str) -> list[Json] | None:
        """Return the sources of a question, None where there are none. Raises LookupFailedError."""
        return self._untraited(question_id).sources

    def set_question_sources(self, question_id: str, sources: Sequence[Mapping[str, Any]] | None) -> None:
        """Give a question its sources; None takes them away. Raises LookupFailedError, WriteError."""
        self.update_question_metadata(question_id, sources=sources)

    def get_question_custom_property(self, question_id: str, name: str) -> Any:
        """Return a value of a question's custom metadata, None where there is none. Raises LookupFailedError."""
        return entries.value_of(asked_of(self._item(question_id)), f"{CUSTOM}{name}")

    def set_question_custom_property(self, question_id: str, name: str, value: Any) -> None:
        """Set one value of a question's custom metadata; None is kept as a property without a value.

        Raises LookupFailedError; WriteError, having changed nothing, for a value that JSON cannot hold.
        """
        asked = self._asked(question_id)
        dump_json({name: value}, limits=inside(5))
        with self._editing(asked) as held:
            entries.set_value(held, f"{CUSTOM}{name}", value)
        self._touch(self._node(question_id))

    def remove_question_custom_property(self, question_id: str, name: str) -> bool:
        """Take one value of a question's custom metadata away; return whether there was one.

        Raises LookupFailedError.
        """
        with self._editing(self._asked(question_id)) as held:
            found = entries.take_away(held, f"{CUSTOM}{name}".__eq__)
        if found:
            self._touch(self._node(question_id))
        return found

    def remove_question(self, question_id: str) -> bool:
        """Take a question away, with all that belongs to it; return whether there was one."""
        elements = self._elements()
        node = elements.get(question_id)
        if node is None:
            return False
        self._graph.discard(self._graph.root, "dataFeedElement", node)
        del elements[question_id]
        elements.computed.discard(question_id)
        keep_identifiers(self._graph, elements, question_id)
        self._touch()
        return True

    def clear_questions(self) -> int:
        """Take all questions away; return how many there were."""
        count = self.question_count
        if count:
            self._graph.replace(self._graph.root, "dataFeedElement", [])
            self._known = None
            self._touch()
        return count

    def _untraited(self, question_id: str) -> Question:
        return untraited_question_of(self._item(question_id))
