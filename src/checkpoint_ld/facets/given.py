"""What users give to a benchmark, checked before anything is changed."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from checkpoint_ld import entities, templates
from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.documents.values import inside
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
    dump_json({name: getattr(question, name) for name in Question.model_fields}, limits=inside(4))
    return question


def source_given(given: object) -> str:
    """Return the Python text of a template that is given as text, as a specification or as an answer class.

    Raises WrongTypeError for anything else, WriteError for a specification that is none and a class without source.
    """
    if isinstance(given, str):
        return given
    if isinstance(given, entities.TemplateSpec):
        return templates.source_of(given)
    if isinstance(given, type) and any(one.__name__ == "BaseAnswer" for one in given.__mro__):
        return _source_of_class(given)
    wanted = "Python text, a TemplateSpec or a class that derives from BaseAnswer"
    raise WrongTypeError(f"the template is {given!r:.60}: give {wanted}")


def _source_of_class(given: type) -> str:
    """Return the source of an answer class, in which it is called Answer, as Karenina wants it."""
    captured = getattr(given, "get_source_code", None)
    try:
        source = textwrap.dedent((captured() if captured else None) or inspect.getsource(given))
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError):
        message = f"the source of the class {given.__qualname__} is not to be found: give the text of the template"
        raise WriteError(message) from None
    named = [one for one in ast.walk(tree) if isinstance(one, ast.Name) and one.id == given.__name__]
    lines, old = source.encode().splitlines(keepends=True), given.__name__.encode()
    for line, column in sorted(((one.lineno - 1, one.col_offset) for one in named), reverse=True):
        lines[line] = lines[line][:column] + b"Answer" + lines[line][column + len(old) :]
    text = b"".join(lines).decode()
    return re.sub(rf"^class\s+{given.__name__}\b", "class Answer", text, count=1, flags=re.MULTILINE)


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
