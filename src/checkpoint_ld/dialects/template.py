"""The object that holds an answer template."""

from __future__ import annotations

from typing import Any

NAME_LENGTH = 30
REPOSITORY = "karenina-benchmarks"
"""The codeRepository that Karenina and the GUI give to every template."""
_SHOWN_OF_QUESTION = 50
_PLACEHOLDER_HEAD = 'class Answer(BaseAnswer):\n    """Answer template for: '
_PLACEHOLDER_TAIL = (
    '..."""\n\n    response: str = Field(description="The answer response")\n\n'
    "    def verify(self) -> bool:\n"
    "        # Default template: returns False to indicate custom verification needed\n"
    "        return False\n"
)


def template_name(question: object) -> str:
    """Return the name that Karenina gives to the template of a question."""
    return f"{question[:NAME_LENGTH] if isinstance(question, str) else ''}... Answer Template"


def gui_template_name(question: object) -> str:
    """Return the name that the GUI gives to the template of a question: it counts UTF-16 code units.

    A character that would be cut in two is left out, because half of it cannot be written.
    """
    if not isinstance(question, str):
        return template_name(question)
    units = question.encode("utf-16-le", "surrogatepass")[: 2 * NAME_LENGTH]
    return f"{units.decode('utf-16-le', 'ignore')}... Answer Template"


def template_of(question: object, source: Any) -> dict[str, Any]:
    """Return the SoftwareSourceCode with the text `source` for a question with the text `question`."""
    name = template_name(question)
    return {"@type": "SoftwareSourceCode", "name": name, "text": source, "programmingLanguage": "Python"}


def new_template_of(question: object, source: Any) -> dict[str, Any]:
    """Return the SoftwareSourceCode for a template that did not come from a file, as Karenina makes it."""
    return {**template_of(question, source), "codeRepository": REPOSITORY}


def default_template(question: str) -> str:
    """Return the template that stands for none: Karenina tells by its exact text that a question has no template."""
    return f"{_PLACEHOLDER_HEAD}{question[:_SHOWN_OF_QUESTION]}{_PLACEHOLDER_TAIL}"
