"""What classic templates assign, and what code templates have beside their fields."""

from __future__ import annotations

import pytest

from checkpoint_ld.templates import CustomCode, RegexCheck, read_template
from tests.templates import answer, field, kinds

VERIFY = "def verify(self):\n    return self.x == self.correct['x']"


@pytest.mark.parametrize(
    ("hook", "truth"),
    [
        ("def ground_truth(self):\n    self.correct = {'x': 'a'}", {"x": "a"}),
        ("def model_post_init(self, __context):\n    self.id = 'q'\n    self.correct = {'x': 1}", {"x": 1}),
        ("def model_post_init(this, /, c):\n    this.correct: dict = {'x': [1]}", {"x": [1]}),
        ("def model_post_init(self, c):\n    other.correct = {'x': 1}", None),
        ("def prepare(self):\n    self.correct = {'x': 1}", None),
        ("def ground_truth():\n    self.correct = {'x': 1}", None),
    ],
)
def test_the_ground_truth_is_what_the_hooks_assign(hook: str, truth: object) -> None:
    template = read_template(answer("x: str", hook, VERIFY))
    assert template.ground_truth == truth
    assert template.problems == ()


def test_a_ground_truth_that_is_assigned_twice_is_not_static() -> None:
    hook = "def ground_truth(self):\n    if a:\n        self.correct = {}\n    else:\n        self.correct = {'x': 1}"
    source = answer("x: str", hook, VERIFY)
    assert (read_template(source).ground_truth, kinds(source)) == (None, ["not-static"])


def test_expressions_have_their_defaults() -> None:
    said = "{'a': {'pattern': 'b', 'expected': 2, 'match_type': 'count'}, 'c': {}}"
    hook = f"def model_post_init(self, c):\n    super().model_post_init(c)\n    self.regex = {said}"
    template = read_template(answer("regex: dict = {}", hook))
    assert template.regexes == {"a": RegexCheck("b", 2, "count"), "c": RegexCheck("")}
    assert template.problems == ()


@pytest.mark.parametrize(
    ("default", "regexes"),
    [
        ("{'a': {'pattern': 'b'}}", {"a": RegexCheck("b")}),
        ("Field(default={'a': {'pattern': 'b'}})", {"a": RegexCheck("b")}),
        ("Field(default_factory=dict)", None),
    ],
)
def test_expressions_may_be_the_default_of_their_field(default: str, regexes: object) -> None:
    template = read_template(answer(f"regex: dict = {default}"))
    assert (template.regexes, template.problems) == (regexes, ())


def test_code_beside_the_fields_is_listed() -> None:
    source = "import os\n'docs'\nprint(1)\n" + answer(
        field(), "'docs'", "pass", "limit = 5", "def verify(self): ...", "async def wait(self): ...", "for a in b: pass"
    ).replace("class Answer", "@frozen\n@p.sealed(1)\n@a[0]\nclass Answer")
    assert read_template(source).custom_code == (
        CustomCode("statement", "Expr", 3),
        CustomCode("decorator", "frozen", 4),
        CustomCode("decorator", "sealed", 5),
        CustomCode("decorator", "", 6),
        CustomCode("method", "verify", 12),
        CustomCode("method", "wait", 13),
        CustomCode("statement", "For", 14),
    )


def test_fields_alone_are_no_custom_code() -> None:
    source = answer('"""docs"""', field(), "class VerificationStrategy:\n    verify_strategy = AllOf()")
    assert read_template("from typing import Any\n" + source).custom_code == ()
