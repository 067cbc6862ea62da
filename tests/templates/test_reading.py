"""What is read of a template: its level, its class and its names, its strategy, and what has no fields."""

from pathlib import Path

import pytest
from pydantic import JsonValue

from checkpoint_ld.mapping.questions import default_template
from checkpoint_ld.templates import CustomCode, Level, ProblemKind, RegexCheck, Strategy, read_template
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
        (default_template('What does """ do?'), Level.PLACEHOLDER),
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


@pytest.mark.parametrize(
    "hook",
    [
        "def ground_truth(self):\n    if a:\n        self.correct = {}\n    else:\n        self.correct = {'x': 1}",
        "def ground_truth(self):\n    self.correct = {}\n    self.correct['x'] = 1",
        "def ground_truth(self):\n    self.correct = {}\n    self.correct.update(x=1)",
        "def ground_truth(self):\n    self.correct = {}\n    self.correct |= {'x': 1}",
    ],
)
def test_a_ground_truth_that_is_changed_is_not_static(hook: str) -> None:
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


# --- What is read of fields: types, values, arguments, inheritance.


def test_a_field_is_read_whole() -> None:
    source = answer(
        field(
            annotation="float",
            truth="2",
            verify_with='NumericTolerance(tolerance=1, mode="absolute")',
            rest='weight=2, extraction_hint="in kDa", ge=0',
        ),
        before="from karenina.schemas.entities import BaseAnswer, NumericTolerance, VerifiedField\n\n\n",
    )
    read = only(source)
    assert (read.name, read.type, read.line, read.description) == ("gene", "float", 5, "Which gene?")
    assert (read.ground_truth, read.weight, read.extraction_hint) == (2, 2.0, "in kDa")
    assert read.verify_with == {"tolerance": 1.0, "mode": "absolute", "type": "NumericTolerance"}
    assert (read.options, dict(read.unread), read.nullable, read.literal_values) == (("ge",), {}, False, None)
    assert read_template(source).problems == ()


def test_arguments_may_stand_without_their_names() -> None:
    read = only(answer("x: str = VerifiedField('d', 'a', ExactMatch(), 0.5, 'h')"))
    held = (read.description, read.ground_truth, read.primitive, read.weight, read.extraction_hint)
    assert held == ("d", "a", "ExactMatch", 0.5, "h")


@pytest.mark.parametrize(
    ("type_", "annotations"),
    [
        ("bool", ["bool"]),
        ("int", ["int", "Optional[int]", "int | None", "Union[int, None]", "Annotated[int, Gt(0)]"]),
        ("float", ["float", "'float'"]),
        ("list_str", ["list[str]", "List[int]", "List", "typing.List[str]", "None | list[str]"]),
        ("literal", ["Literal['a']", "'Literal[\"a\"]'"]),
        ("str", ["str", "int | str", "int | str | None", "dict[str, str]", "Gene", "'int +'", "5", "date"]),
    ],
)
def test_an_annotation_gives_a_type_of_the_vocabulary(type_: str, annotations: list[str]) -> None:
    assert {one: only(answer(field(annotation=one))).type for one in annotations} == dict.fromkeys(annotations, type_)


@pytest.mark.parametrize("primitive", ["DateMatch()", "DateTolerance(tolerance=1)", "DateRange()"])
def test_a_date_is_a_date_where_dates_are_compared(primitive: str) -> None:
    source = answer(field(annotation="datetime.date", truth="'2020-03-31'", verify_with=primitive))
    assert (only(source).type, kinds(source)) == ("date", [])


def test_a_quoted_annotation_has_the_place_of_its_quotes() -> None:
    source = answer("a: int", "x: 'Annotated[str, VerifiedField(f(), \"a\", ExactMatch())]'")
    (problem,) = read_template(source).problems
    assert (problem.kind, problem.line) == (ProblemKind.NOT_STATIC, 3)
    assert "`'Annotated[str, " in problem.message
    assert only(source).ground_truth == "a"


def test_literal_values_are_texts() -> None:
    read = only(answer(field(annotation="Literal['a', 1, -2, True, None, 'a']")))
    assert read.literal_values == ("a", "1", "-2", "True", "None")


def test_the_type_of_an_annotated_field_stands_first() -> None:
    source = answer('x: Annotated[str, VerifiedField("d", "a", ExactMatch())]')
    assert (only(source).ground_truth, kinds(source)) == ("a", [])


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("None", None),
        ("-1.5", -1.5),
        ("+2", 2),
        ("'a' 'b'", "ab"),
        ("'a' + 'b' + f'c'", "abc"),
        ("(1, 2)", [1, 2]),
        ("{3, 1, 2, 1}", [1, 2, 3]),
        ("{'a', \"it's\", 'b'}", ["a", "b", "it's"]),
        ("{'a': [True], 1: None, 1.5: 'b'}", {"a": [True], "1": None, "1.5": "b"}),
        ("date(2020, 3, 31)", "2020-03-31"),
        ("datetime.date(2020, month=3, day=31)", "2020-03-31"),
        ("datetime(2020, 3, 31, 12)", "2020-03-31T12:00:00"),
    ],
)
def test_a_value_is_what_is_stated_plainly(source: str, value: JsonValue) -> None:
    template = read_template(answer(field(truth=source)))
    assert (template.fields[0].ground_truth, template.problems) == (value, ())


@pytest.mark.parametrize(
    ("source", "named"),
    [
        *(("{None: 1}", "None"), ("[*a]", "*a")),
        *((one, one) for one in ("GENES['a']", "{**a}", "-True", "~1", "b'a'", "1j", "...", "1e999", "1 + 2")),
        *((one, one) for one in ("'a' + 1", "'\\ud800'", "date(2020, 2, 30)", "date(2020, 2, True)")),
        *((one, one) for one in ("date(**today)", "set()", "lambda: 1")),
    ],
)
def test_what_is_not_stated_plainly_is_named(source: str, named: str) -> None:
    template = read_template(answer(field(truth=source)))
    (read,), (problem,) = template.fields, template.problems
    assert (problem.kind, f"`{named}`" in problem.message) == (ProblemKind.NOT_STATIC, True)
    assert (read.ground_truth, dict(read.unread)) == (None, {"ground_truth": source})


@pytest.mark.parametrize(
    ("before", "inside", "value"),
    [
        ("A = 'x'\n", "", "x"),
        ("A: str = 'x'\n", "", "x"),
        ("B = 'x'\nA = [B, B]\n", "", ["x", "x"]),
        ("", "A = 'x'", "x"),
        ("A = 'x'\n", "A = 'y'", "y"),
        ("A = 'x'\n", "A = 'y'\nA = 'z'", None),
        ("A = 'x'\nA = 'y'\n", "", None),
        ("A = 'x'\nA += 'y'\n", "", None),
        ("A = 'x'\nfor A in b: pass\n", "", None),
        ("A = 'x'\ndef A(): pass\n", "", None),
        ("A, B = 'xy'\n", "", None),
        ("from a import A\n", "", None),
        ("A = A\n", "", None),
    ],
)
def test_a_name_counts_where_it_stands_for_one_value_all_the_time(before: str, inside: str, value: JsonValue) -> None:
    template = read_template(answer(*([inside] if inside else []), field(truth="A"), before=before))
    assert template.fields[0].ground_truth == value
    assert kinds(template) == ([] if value is not None else [ProblemKind.NOT_STATIC])


def test_what_runs_only_is_kept_as_source() -> None:
    rest = "weight=w, extraction_hint=h"
    read = only(answer(field(description="ask()", verify_with="ExactMatch(normalize=f())", rest=rest)))
    assert dict(read.unread) == {
        "description": "ask()",
        "verify_with": "ExactMatch(normalize=f())",
        "weight": "w",
        "extraction_hint": "h",
    }
    assert (read.description, read.weight, read.extraction_hint) == (None, 1.0, None)


def test_a_source_of_several_lines_is_cut_at_the_first() -> None:
    assert only(answer(field(truth="f(é,\n    1)"))).unread["ground_truth"] == "f(é, …"


def test_fields_of_bases_come_first_and_are_replaced_in_place() -> None:
    base = answer(field("a"), field("b"), "note: int").replace("class Answer", "class Base")
    source = answer(field("c"), field("a", truth='"TP53"'), before=base, base="Base")
    template = read_template(source)
    assert [(read.name, read.ground_truth) for read in template.fields] == [("a", "TP53"), ("b", "BCL2"), ("c", "BCL2")]
    assert [(plain.name, plain.type, plain.line) for plain in template.plain_fields] == [("note", "int", 4)]
    assert template.problems == ()


def test_a_plain_field_keeps_its_description() -> None:
    dated = "when: date = Field(description='The ' + 'day')"
    unknown = "c: int = Field(description=ask())"
    template = read_template(answer(dated, "b: int = Field(5)", unknown, "verify = f"))
    assert [(plain.name, plain.type, plain.description) for plain in template.plain_fields] == [
        ("when", "str", "The day"),
        ("b", "int", None),
        ("c", "int", None),
    ]


def test_a_conditional_ground_truth_keeps_its_form() -> None:
    truth = (
        'ConditionalGroundTruth(source="state.mode", cases={"fast": GroundTruthCase(value=1), "slow": '
        'GroundTruthCase(value=2, verify_with=NumericTolerance(tolerance=1)), "old": GroundTruthCase(value=3, '
        'verify_with={"type": "NumericExact"})}, default=GroundTruthCase(value=0, verify_with=None))'
    )
    source = answer(field(annotation="int", truth=truth, verify_with="NumericExact()"))
    tolerance = {"tolerance": 1.0, "mode": "relative", "type": "NumericTolerance"}
    assert only(source).ground_truth == {
        "source": "state.mode",
        "cases": {
            "fast": {"value": 1, "verify_with": None},
            "slow": {"value": 2, "verify_with": tolerance},
            "old": {"value": 3, "verify_with": {"type": "NumericExact"}},
        },
        "default": {"value": 0, "verify_with": None},
        "__conditional__": True,
    }
    assert kinds(source) == []


UNKNOWN = "source='a', cases={}, default=GroundTruthCase(value=1, verify_with="


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ("", ProblemKind.NOT_STATIC),
        ("source=1, cases={}, default=GroundTruthCase(value=1)", ProblemKind.NOT_STATIC),
        ("source='a', cases={}, default=1", ProblemKind.NOT_STATIC),
        ("source='a', cases={1: 1}, default=1", ProblemKind.NOT_STATIC),
        (UNKNOWN + "Nope())", ProblemKind.UNKNOWN_PRIMITIVE),
        (UNKNOWN + "{'type': 'N'})", ProblemKind.UNKNOWN_PRIMITIVE),
    ],
)
def test_a_conditional_ground_truth_can_be_wrong(arguments: str, kind: ProblemKind) -> None:
    assert kinds(answer(field(truth=f"ConditionalGroundTruth({arguments})"))) == [kind]


DATES = ["2020-03-31", "2020-03-31T10:00:00+02:00", "03/31/2020", "31 Mar 2020", "20200331"]
DATES.append("Tuesday, March 31st, 2020 at 5 pm")
NO_DATES = ["2020", "5", "March 2020", "3.14", "in version 1.2.3", "soon", "1" * 101]


@pytest.mark.parametrize("text", DATES + NO_DATES)
def test_a_date_is_whole(text: str) -> None:
    found = kinds(answer(field(truth=repr(text), verify_with="DateMatch()")))
    assert found == (["ground-truth"] if text in NO_DATES else [])


@pytest.mark.parametrize("weight", ["1e999", "-1", "'a'", "9" * 400])
def test_a_weight_that_is_none_leaves_a_number(weight: str) -> None:
    assert isinstance(only(answer(field(rest=f"weight={weight}"))).weight, float)


def test_class_variables_are_no_fields() -> None:
    template = read_template(answer("a: ClassVar = 1", "b: ClassVar[int] = 2", "model_config: dict = {}", field()))
    assert (template.plain_fields, template.problems) == ((), ())
