"""Whether a text can be the template of a question, told without running it."""

from __future__ import annotations

from functools import lru_cache

from checkpoint_ld.templates.reading import read_template
from checkpoint_ld.templates.template import Level, Problem, ProblemKind

_REMEDIES = {
    ProblemKind.SYNTAX: "correct the text",
    ProblemKind.LIMIT: "write a smaller template",
    ProblemKind.NO_ANSWER_CLASS: "derive a class from BaseAnswer",
    ProblemKind.INCOMPLETE: "give the class a method verify, or define the fields with VerifiedField",
    ProblemKind.FIELD_NAME: "rename the field",
    ProblemKind.FIELD_DEFINITION: "correct the arguments of VerifiedField",
    ProblemKind.DESCRIPTION: "say in a text what the field is about",
    ProblemKind.UNKNOWN_PRIMITIVE: "use one of the primitives",
    ProblemKind.PRIMITIVE_PARAMETERS: "correct the parameters",
}
"""Problems with which a template fails as soon as it is run, each with what to do about it."""

_UNUSABLE = frozenset({Level.SYNTAX_ERROR, Level.NO_ANSWER_CLASS, Level.INCOMPLETE})


@lru_cache(maxsize=4096)
def faults(source: str) -> tuple[str, ...]:
    """Say why a text cannot be used as a template, with lines and what to do; empty if nothing speaks against it."""
    template = read_template(source)
    if template.level is Level.EMPTY:
        return ("the template is empty; give the text of one",)
    serious = _REMEDIES if template.level in _UNUSABLE else _REMEDIES.keys() - {ProblemKind.LIMIT}
    return tuple(_told(problem) for problem in template.problems if problem.kind in serious)


def _told(problem: Problem) -> str:
    place = f"line {problem.line}: " if problem.line else ""
    return f"{place}{problem.message}; {_REMEDIES[problem.kind]}"
