"""Adding questions to a benchmark."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld.arguments import renamed
from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.documents.values import inside
from checkpoint_ld.entities import DynamicRubric, Question, Rubric
from checkpoint_ld.entities.entity import now
from checkpoint_ld.errors import WriteError, WrongTypeError
from checkpoint_ld.facets.given import question_given, rubric_given, source_given, state_given
from checkpoint_ld.facets.scenarios import Scenarios
from checkpoint_ld.identifiers import unique_question_id
from checkpoint_ld.mapping import questions

if TYPE_CHECKING:
    from checkpoint_ld.entities.template_spec import TemplateSpec
    from checkpoint_ld.facets.facet import Json


@dataclass(frozen=True, slots=True)
class _Addition:
    """A question that is fit to be added; `identifier` is None where one is to be computed from the text."""

    question: Question
    identifier: str | None
    finished: bool | None
    rubric: Rubric | None
    dynamic: DynamicRubric | None

    def item(self, identifier: str) -> Json:
        """Return the feed item of the question. Raises WriteError if it holds what JSON cannot."""
        item = questions.item_of(self.question, identifier, self.rubric, self.dynamic, finished=self.finished)
        dump_json(item, limits=inside(2))
        return item


class Additions(Scenarios):
    """Adding questions: a benchmark of scenarios takes none."""

    def add_question(  # noqa: PLR0913, PLR0917 - the names and the order are Karenina's
        self,
        question: str | Mapping[str, Any] | Question,
        raw_answer: str | None = None,
        answer_template: str | TemplateSpec | type | None = None,
        question_id: str | None = None,
        finished: bool | None = None,
        author: Mapping[str, Any] | None = None,
        sources: Sequence[Mapping[str, Any]] | None = None,
        custom_metadata: Mapping[str, Any] | None = None,
        few_shot_examples: Sequence[Mapping[str, str]] | None = None,
        answer_notes: str | None = None,
        keywords: Sequence[str] | None = None,
    ) -> str:
        """Add a question at the end and return its identifier.

        `question` is a text (then `raw_answer` is needed), a `Question` (the other arguments go before what it says),
        or a mapping with the names of the arguments or of a `Question` (what it says goes before the arguments). A
        template is Python text, which is kept as it is, a specification, of which the text is made, or an answer
        class, which is written as its source under the name `Answer`; nothing of it is run. A `Question` is
        identified by its own id, anything else by the identifier that Karenina computes from the text.
        A question counts as finished if it has a template of its own, unless `finished` says otherwise.

        Raises WriteError, having added nothing, for an identifier that is taken, a question without text or answer,
        and members that no question has; WrongTypeError, which is one, where a value of another type is asked for.
        """
        told = {
            "raw_answer": raw_answer,
            "answer_template": answer_template,
            "question_id": question_id,
            "finished": finished,
            "author": author,
            "sources": sources,
            "custom_metadata": custom_metadata,
            "few_shot_examples": few_shot_examples,
            "answer_notes": answer_notes,
            "keywords": keywords,
        }
        return self._add([_addition(question, {name: value for name, value in told.items() if value is not None})])[0]

    @renamed(question="question_obj")
    def add_question_from_object(self, question_obj: Question, **metadata: Any) -> str:
        """Add a `Question` at the end and return its identifier; `metadata` are other arguments of `add_question`.

        Raises WriteError, having added nothing, for anything but a `Question`, and as `add_question` does.
        """
        return self._add([_addition(question_obj, {name: one for name, one in metadata.items() if one is not None})])[0]

    @renamed(added="questions_data")
    def add_questions(
        self, questions_data: Iterable[str | Mapping[str, Any] | Question], finished: bool | None = None
    ) -> list[str]:
        """Add questions, each a mapping or a `Question`, at the end; return their identifiers.

        All of them are added or, if one of them cannot be, none. Raises WriteError as `add_question` does.
        """
        told = {} if finished is None else {"finished": finished}
        return self._add([_addition(one, told) for one in questions_data])

    add_questions_batch = add_questions

    def _add(self, additions: list[_Addition]) -> list[str]:
        if self.is_scenario_benchmark:
            raise WriteError("a benchmark of scenarios holds no questions: put the question into a scenario")
        elements = self._elements()
        fresh: dict[str, Json] = {}
        taken = ChainMap[str, Any](fresh, elements)
        for one in additions:
            if one.identifier in taken:
                message = f"there is a question {one.identifier!r} already: give another question_id, or the text alone"
                raise WriteError(message)
            identifier = one.identifier or unique_question_id(one.question.question, taken)
            fresh[identifier] = one.item(identifier)
        for identifier, item in fresh.items():
            elements[identifier] = self._graph.append(self._graph.root, "dataFeedElement", item)
        if additions:
            self._touch()
        return list(fresh)


def _addition(given: str | Mapping[str, Any] | Question, told: Json) -> _Addition:
    members = _members(given, told)
    identifier, finished = members.pop("question_id", None), state_given(members.pop("finished", None))
    if identifier is not None and not (isinstance(identifier, str) and identifier):
        raise WriteError(f"the question_id {identifier!r} is no text: give a text that is not empty, or none")
    rubric = rubric_given(members.pop("question_rubric", None), Rubric)
    dynamic = rubric_given(members.pop("question_dynamic_rubric", None), DynamicRubric)
    if members.get("answer_template") is not None:
        members["answer_template"] = source_given(members["answer_template"])
    if members.get("date_created") is None:
        members["date_created"] = members["date_modified"] = now()
    question = question_given({name: one for name, one in members.items() if one is not None})
    return _Addition(question, identifier, finished, rubric, dynamic)


def _members(given: str | Mapping[str, Any] | Question, told: Json) -> Json:
    if isinstance(given, Question):
        said = given.model_dump(mode="json", exclude={"id"})
        return {"question_id": given.id, **{name: one for name, one in said.items() if one is not None}, **told}
    if isinstance(given, str):
        return {**told, "question": given}
    if isinstance(given, Mapping):
        return {**told, **given}
    raise WrongTypeError(f"{given!r} is no question: give a text, a mapping or a Question")
