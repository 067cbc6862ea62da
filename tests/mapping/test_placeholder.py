"""The template that stands for none, told by what it does."""

from __future__ import annotations

import pytest
from hypothesis import given

from checkpoint_ld.mapping.questions import default_template
from checkpoint_ld.mapping.traits import is_placeholder
from checkpoint_ld.templates import Level, read_template
from tests.mapping import texts

PLACEHOLDER = default_template("Which metal?")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (PLACEHOLDER, True),
        (default_template("Another question, of more than fifty characters in its text"), True),
        (PLACEHOLDER.replace('    """Answer template for: Which metal?..."""\n\n', ""), True),
        (PLACEHOLDER.replace("        # Default", '        """Says no."""\n        # Default'), True),
        (f"from pydantic import Field\n\n\n{PLACEHOLDER}", True),
        (PLACEHOLDER.replace("Which metal?", r"\d"), True),
        (PLACEHOLDER.replace("return False", "return True"), False),
        (PLACEHOLDER.replace("return False", "return 0"), False),
        (PLACEHOLDER.replace("return False", "print()\n        return False"), False),
        (PLACEHOLDER.replace("The answer response", "The answer response, please"), False),
        (PLACEHOLDER.replace("response: str", "response: int"), False),
        (PLACEHOLDER.replace("    response", "    more: int = 1\n    response"), False),
        (PLACEHOLDER + "\n    def ground_truth(self):\n        pass\n", False),
        (PLACEHOLDER + "\nprint()\n", False),
        (PLACEHOLDER + "\n(", False),
        (f"{PLACEHOLDER}# \ud800", False),
        ("", False),
        ("# The answer response\n" + "(" * 1500, False),
    ],
)
def test_a_template_is_the_placeholder_by_what_it_does(source: str, expected: bool) -> None:
    assert is_placeholder(source) is expected


@given(texts.filter(lambda text: '"' not in text and "\\" not in text and "\0" not in text))
def test_the_placeholder_of_any_question_is_one_as_the_reader_of_templates_sees_it(question: str) -> None:
    source = default_template(question)
    assert is_placeholder(source)
    assert read_template(source).level is Level.PLACEHOLDER
