"""What is read of a template: its level, its class and its names, its strategy, and what has no fields."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkpoint_ld.templates import CustomCode, Level, RegexCheck, Strategy, read_template
from tests.templates import answer, field, kinds, only

VERIFY = "def verify(self) -> bool:\n    return self.response == 'x'"
PLACEHOLDER = answer(
    '"""Answer template for: Which gene?..."""',
    'response: str = Field(description="The answer response")',
    "def verify(self) -> bool:\n    # returns False until it is written\n    return False",
)


# Levels


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
        (answer("x: str", before=answer(VERIFY).replace("Answer(", "Base("), base="Base"), Level.CLASSIC),
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


def test_nothing_of_a_template_is_run(tmp_path: Path) -> None:
    opened = f"open({str(tmp_path / 'trace')!r}, 'w')"
    source = f"{opened}\nimport no_such_module\n" + answer(f"x: str = {opened}", field(truth=f"{opened}.name"))
    template = read_template(source)
    assert (template.level, [part.name for part in template.custom_code]) == (Level.MIXED, ["Expr"])
    assert list(tmp_path.iterdir()) == []


# Names and classes


@pytest.mark.parametrize(
    ("before", "base"),
    [
        ("", "BaseAnswer"),
        ("from karenina.schemas.entities import BaseAnswer\n", "BaseAnswer"),
        ("from karenina.schemas.entities import BaseAnswer as Base\n", "Base"),
        ("import karenina.schemas.entities\n", "karenina.schemas.entities.BaseAnswer"),
        ("import karenina.schemas.entities as e\n", "e.BaseAnswer"),
        ("class Base(BaseAnswer): pass\n", "Base"),
        ("class Base(BaseAnswer): pass\nclass Part(Base): pass\n", "Part"),
        ("", "Generic[T], BaseAnswer"),
    ],
)
def test_a_base_is_found_under_its_names(before: str, base: str) -> None:
    template = read_template(answer(field(), before=before, base=base))
    assert (template.level, template.class_name, template.problems) == (Level.VERIFIED, "Answer", ())


@pytest.mark.parametrize(
    ("before", "base"),
    [
        ("from karenina.schemas.entities import VerifiedField as BaseAnswer\n", "BaseAnswer"),
        ("BaseAnswer = object\n", "BaseAnswer"),
        ("def BaseAnswer(): pass\n", "BaseAnswer"),
        ("class BaseAnswer: pass\n", "BaseAnswer"),
        ("class Base: pass\n", "Base"),
        ("", "make().BaseAnswer"),
        ("e = 1\n", "e.BaseAnswer"),
    ],
)
def test_a_name_that_means_something_else_is_no_base(before: str, base: str) -> None:
    assert read_template(answer(before=before, base=base)).level is Level.NO_ANSWER_CLASS


@pytest.mark.parametrize(
    ("source", "name", "line"),
    [
        ("class A(BaseAnswer): pass\nclass B(A): pass", "B", 2),
        ("class A(BaseAnswer): pass\nclass Answer(BaseAnswer): pass\nclass B(BaseAnswer): pass", "Answer", 2),
        ("class B(BaseAnswer): pass\nclass A(BaseAnswer): pass", "A", 2),
        ("class B(BaseAnswer): pass\nclass A(BaseAnswer): pass\nclass B(BaseAnswer): pass", "B", 3),
        ("class A(BaseAnswer): pass\nclass A(A): pass", "A", 2),
        ("class BaseAnswer(BaseAnswer): pass\nclass A(BaseAnswer): pass", "A", 2),
    ],
)
def test_the_answer_is_the_class_that_no_other_derives_from(source: str, name: str, line: int) -> None:
    template = read_template(source)
    assert (template.class_name, template.line) == (name, line)


def test_a_later_class_of_the_same_name_replaces_the_first() -> None:
    template = read_template(answer("a: int") + answer(field()))
    assert (template.level, template.line, template.problems) == (Level.VERIFIED, 3, ())


def test_imported_names_of_fields_and_types_count() -> None:
    read = only(
        "from karenina.schemas.entities import VerifiedField as VF\n"
        "from karenina.schemas.primitives import ExactMatch as Same\n"
        "from typing import Literal as L, Optional as Maybe\n"
        "class Answer(BaseAnswer):\n"
        "    x: Maybe[L['a']] = VF('d', 'a', Same())\n"
    )
    found = (read.type, read.literal_values, read.nullable, read.primitive)
    assert found == ("literal", ("a",), True, "ExactMatch")


def test_a_diamond_of_bases_gives_each_field_once() -> None:
    before = "class Root(BaseAnswer):\n    a: int\nclass Left(Root):\n    b: int\nclass Right(Root):\n    c: int\n"
    names = [plain.name for plain in read_template(answer("d: int", before=before, base="Left, Right")).plain_fields]
    assert (names[0], sorted(names)) == ("a", ["a", "b", "c", "d"])


# Classic templates, and code beside the fields


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
    template = read_template(answer("x: str", hook, "def verify(self):\n    return self.x == self.correct['x']"))
    assert (template.ground_truth, template.problems) == (truth, ())


def test_a_ground_truth_that_is_assigned_twice_is_not_static() -> None:
    hook = "def ground_truth(self):\n    if a:\n        self.correct = {}\n    else:\n        self.correct = {'x': 1}"
    source = answer("x: str", hook, VERIFY)
    assert (read_template(source).ground_truth, kinds(source)) == (None, ["not-static"])


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


def test_expressions_have_their_defaults() -> None:
    stated = "{'a': {'pattern': 'b', 'expected': 2, 'match_type': 'count'}, 'c': {}}"
    hook = f"def model_post_init(self, c):\n    super().model_post_init(c)\n    self.regex = {stated}"
    template = read_template(answer("regex: dict = {}", hook))
    assert template.regexes == {"a": RegexCheck("b", 2, "count"), "c": RegexCheck("")}
    assert template.problems == ()


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


# Strategies

LEAF = Strategy("field_check", field_name="gene")


def template(tree: str, assignment: str = "verify_strategy = ") -> str:
    return answer(field(), f"class VerificationStrategy:\n    {assignment}{tree}")


@pytest.mark.parametrize(
    ("tree", "read"),
    [
        ("None", None),
        ("FieldCheck(field='gene')", LEAF),
        ("AllOf()", Strategy("all_of")),
        ("AllOf(conditions=[FieldCheck(field='gene')])", Strategy("all_of", conditions=(LEAF,))),
        ("AnyOf(conditions=(FieldCheck(field='gene'),))", Strategy("any_of", conditions=(LEAF,))),
        (
            "AtLeastN(n=1, conditions=[FieldCheck(field='gene'), AllOf(conditions=[])])",
            Strategy("at_least_n", n=1, conditions=(LEAF, Strategy("all_of"))),
        ),
        ("c.AllOf(conditions=[])", Strategy("all_of")),
    ],
)
def test_a_tree_is_read(tree: str, read: Strategy | None) -> None:
    for assignment in ("verify_strategy = ", "verify_strategy: Any = "):
        source = template(tree, assignment)
        assert (read_template(source).strategy, kinds(source)) == (read, [])


@pytest.mark.parametrize(
    "tree",
    [
        *("pick()", "TREE", "FieldCheck('gene')", "FieldCheck()", "FieldCheck(field=5)", "FieldCheck(field=name)"),
        *("AllOf(**tree)", "AllOf(conditions=parts)", "AllOf(conditions=[*parts])", "AllOf(conditions=[pick()])"),
        *("AtLeastN(conditions=[])", "AtLeastN(n='1', conditions=[])", "AtLeastN(n=-1, conditions=[])"),
    ],
)
def test_a_tree_that_cannot_be_read_is_not_taken_for_none(tree: str) -> None:
    assert (read_template(template(tree)).strategy, kinds(template(tree))) == (Strategy("unknown"), ["strategy"])


def test_another_inner_class_and_another_name_state_nothing() -> None:
    assert read_template(template("AllOf()", "strategy = ")).strategy is None
    assert read_template(answer(field(), "class Config:\n    verify_strategy = AllOf()")).strategy is None


def test_a_strategy_is_inherited_and_replaced() -> None:
    base = template("AllOf()").replace("class Answer", "class Base")
    inherited = answer(before=base, base="Base")
    replaced = answer("class VerificationStrategy:\n    verify_strategy = AnyOf()", before=base, base="Base")
    assert [read_template(one).strategy for one in (inherited, replaced)] == [Strategy("all_of"), Strategy("any_of")]


def test_a_leaf_cannot_name_a_field_without_a_primitive() -> None:
    strategy = "class VerificationStrategy:\n    verify_strategy = FieldCheck(field='note')"
    source = answer(field(), "note: str = ''", strategy)
    assert kinds(source) == ["strategy"]
    assert read_template(source).strategy == Strategy("field_check", field_name="note")
