"""What users give to a benchmark, checked before anything is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from checkpoint_ld import entities, templates
from checkpoint_ld.documents.dumping import dump_json
from checkpoint_ld.entities import LENIENT, DynamicRubric, Question, Rubric
from checkpoint_ld.errors import WriteError, WrongTypeError
from checkpoint_ld.mapping.faults import faults_of

if TYPE_CHECKING:
    from collections.abc import Mapping

Traits = TypeVar("Traits", Rubric, DynamicRubric)


def question_given(members: Mapping[str, Any]) -> Question:
    """Return the question that has these members; an empty answer is one, as in Karenina.

    Raises WriteError for what is no question, and for values that JSON cannot hold.
    """
    text = members.get("question")
    if isinstance(text, str) and not text.strip():
        raise WriteError("a question needs a text: it is empty or blank")
    if members.get("raw_answer") is None:
        raise WriteError(f"the question {text!r} needs a reference answer: give raw_answer")
    try:
        question = Question.model_validate(members, context=LENIENT)
    except ValidationError as error:
        raise WriteError(f"the question {text!r} is refused: {faults_of(error)}") from None
    dump_json([question.author, question.sources, question.few_shot_examples, question.custom_metadata])
    return question


def source_given(given: object) -> str | None:
    """Return the Python text of a template that is given as text or as a specification.

    Raises WrongTypeError for anything else, WriteError for a specification that is none.
    """
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, entities.TemplateSpec):
        return templates.source_of(given)
    raise WrongTypeError(f"answer_template is of type {type(given).__name__}: give Python text or a TemplateSpec")


def state_given(finished: object) -> bool | None:
    """Return whether a question is to count as finished, None where nothing is said. Raises WrongTypeError."""
    if finished is None or isinstance(finished, bool):
        return finished
    raise WrongTypeError(f"finished is {finished!r}: give True or False")


def rubric_given(given: object, model: type[Traits]) -> Traits | None:
    """Return a rubric that is given as such or as a mapping. Raises WriteError for traits that break a rule."""
    if given is None:
        return None
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise WriteError(f"the rubric of the question is refused: {faults_of(error)}") from None
