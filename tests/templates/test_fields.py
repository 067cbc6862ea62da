"""What is read of fields: types, values, arguments, inheritance."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from checkpoint_ld.templates import ProblemKind, read_template
from tests.templates import answer, field, kinds, only


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
