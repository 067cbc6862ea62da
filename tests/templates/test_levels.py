"""How far a text is an answer template."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkpoint_ld.templates import Level, read_template
from tests.templates import answer, field

VERIFY = "def verify(self) -> bool:\n    return self.response == 'x'"
PLACEHOLDER = answer(
    '"""Answer template for: Which gene?..."""',
    'response: str = Field(description="The answer response")',
    "def verify(self) -> bool:\n    # returns False until it is written\n    return False",
)


@pytest.mark.parametrize(
    ("source", "level"),
    [
        (None, Level.EMPTY),
        ("", Level.EMPTY),
        (" \n\t\n", Level.EMPTY),
        ("class Answer(:", Level.SYNTAX_ERROR),
        ("class Answer(BaseAnswer):\n  x: int\n x", Level.SYNTAX_ERROR),
        ("# only a comment", Level.NO_ANSWER_CLASS),
        ("class Answer(BaseModel):\n    x: int", Level.NO_ANSWER_CLASS),
        ("def f():\n    class Answer(BaseAnswer): pass", Level.NO_ANSWER_CLASS),
        (PLACEHOLDER, Level.PLACEHOLDER),
        (PLACEHOLDER.replace("Which gene?", "Which planet?"), Level.PLACEHOLDER),
        (PLACEHOLDER.replace("return False", "return True"), Level.CLASSIC),
        (PLACEHOLDER.replace("response:", "gene:"), Level.CLASSIC),
        (answer("response: str", VERIFY), Level.CLASSIC),
        (answer("response: str", "async " + VERIFY), Level.CLASSIC),
        (answer("response: str", "verify = compare"), Level.CLASSIC),
        (answer(), Level.CLASSIC),
        (answer("id: str | None = None"), Level.CLASSIC),
        (answer("regex: dict = Field(default_factory=dict)"), Level.CLASSIC),
        (answer("response: str"), Level.INCOMPLETE),
        (answer("response: str", "regex: dict = {}"), Level.INCOMPLETE),
        (answer("kind: ClassVar[str] = 'x'", "_note: str = ''"), Level.CLASSIC),
        (answer(field()), Level.VERIFIED),
        (answer(field(), "id: str = ''"), Level.VERIFIED),
        (answer(field(), "note: str = ''"), Level.MIXED),
        (answer(field(), "regex: dict = {}"), Level.MIXED),
    ],
)
def test_each_text_has_its_level(source: str | None, level: Level) -> None:
    assert read_template(source).level is level


def test_a_method_of_a_class_in_between_verifies_as_well() -> None:
    base = answer(VERIFY).replace("class Answer", "class Base")
    source = answer("response: str", before=base, base="Base")
    assert read_template(source).level is Level.CLASSIC


def test_the_class_and_its_line_are_named() -> None:
    template = read_template("from karenina.schemas.entities import BaseAnswer\n\nclass Gene(BaseAnswer):\n    x: int")
    assert (template.class_name, template.line) == ("Gene", 3)


def test_a_text_that_exhausts_the_reader_has_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("checkpoint_ld.templates.reading.read_fields", exhausted)
    template = read_template(answer())
    assert (template.level, [problem.kind for problem in template.problems]) == (Level.SYNTAX_ERROR, ["limit"])


def test_nothing_of_a_template_is_run(tmp_path: Path) -> None:
    trace = str(tmp_path / "trace")
    source = f"open({trace!r}, 'w')\nimport no_such_module\n" + answer(
        f"x: str = open({trace!r}, 'w')", field(truth=f"open({trace!r}, 'w').name")
    )
    template = read_template(source)
    assert (template.level, [part.name for part in template.custom_code]) == (Level.MIXED, ["Expr"])
    assert list(tmp_path.iterdir()) == []
