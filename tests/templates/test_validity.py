"""What is wrong with a specification: each check with its neighbour that is right, in the order of the format."""

import json
import keyword
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.entities.template_spec import TemplateSpec, VerifyStrategySpec
from checkpoint_ld.templates import Level, ProblemKind, Template, read_template
from checkpoint_ld.templates.specification import validate_spec
from tests.templates import answer, field, kinds
from tests.templates.examples import EXAMPLES

FIELD: dict[str, Any] = {"name": "gene", "type": "str", "description": "Which gene?", "ground_truth": "BCL2"}
FIELD |= {"verify_with": {"type": "ExactMatch"}}
COUNT: dict[str, Any] = {**FIELD, "type": "int", "ground_truth": 2, "verify_with": {"type": "NumericExact"}}
LITERAL = {"type": "literal", "literal_values": ["solid", "2"], "ground_truth": "solid"}
STATE: dict[str, Any] = {**FIELD, **LITERAL, "verify_with": {"type": "LiteralMatch"}}
CONTAINS = {"type": "TraceContains", "substring": "x"}
FOUND: dict[str, Any] = {**FIELD, "type": "bool", "ground_truth": True, "verify_with": CONTAINS, "is_trace": True}
GRADED: dict[str, Any] = {"type": "NumericGraded", "cutoff": 1}
DATE: dict[str, Any] = {**FIELD, "type": "date", "ground_truth": "2020-01-31", "verify_with": {"type": "DateMatch"}}
VERBOSE: dict[str, Any] = {**FIELD, "verify_with": {"type": "RegexMatch", "pattern": "a # :(", "flags": ["X"]}}
BOOLEAN: dict[str, Any] = {"verify_with": {"type": "BooleanMatch"}, "is_trace": False}
NESTED: Any = []
for _ in range(100):
    NESTED = [NESTED]


def faults(**field: Any) -> list[str]:
    return validate_spec(TemplateSpec.model_validate({"fields": [field]}))


def conditional(**parts: Any) -> dict[str, Any]:
    whole = {"source": "s", "cases": {"a": {"value": 1}}, "default": {"value": 2, "verify_with": None}}
    return {**COUNT, "ground_truth": {**whole, "__conditional__": True, **parts}}


def with_case(verify_with: dict[str, Any]) -> dict[str, Any]:
    return conditional(cases={"a": {"value": 1, "verify_with": verify_with}})


def strategy(**node: Any) -> list[str]:
    return validate_spec(TemplateSpec.model_validate({"fields": [FIELD], "verify_strategy": node}))


@pytest.mark.parametrize("field", [FIELD, COUNT, STATE, FOUND, DATE, VERBOSE, conditional()])
def test_nothing_is_wrong_with_what_is_right(field: dict[str, Any]) -> None:
    assert faults(**field) == []


@pytest.mark.parametrize(
    ("field", "change", "message"),
    [
        (STATE, {"literal_values": []}, "needs literal_values"),
        (STATE, {"literal_values": None}, "needs literal_values"),
        (FIELD, {"verify_with": {}}, "verify_with has no type"),
        (FIELD, {"verify_with": {"type": None}}, "verify_with has no type"),
        (FIELD, {"verify_with": {"type": "Exact"}}, "the type 'Exact', which is no known primitive"),
        (FIELD, {"verify_with": {"type": 5}}, "the type 5, which is no known primitive"),
        (FIELD, {"verify_with": {"type": "RegexMatch"}}, "RegexMatch: parameter pattern is missing"),
        (FIELD, {"verify_with": {"type": "RegexMatch", "pattern": None}}, "parameter pattern is null"),
        (FIELD, {"verify_with": {"type": "RegexMatch", "pattern": "("}}, "pattern '(' does not compile"),
        (FIELD, {"verify_with": {"type": "RegexMatch", "pattern": "x", "flags": ["Q"]}}, "unknown flag 'Q'"),
        (FIELD, {"verify_with": {"type": "ExactMatch", "normalize": ["upper"]}}, "unknown normaliser 'upper'"),
        (FIELD, {"verify_with": {"type": "ExactMatch", "a": 1}}, "no parameter 'a'; there are normalize"),
        (COUNT, {"verify_with": {"type": "NumericExact", "x": 1}}, "no parameter 'x'; there are none"),
        (COUNT, {"verify_with": {**GRADED, "cutoff": 0}}, "NumericGraded: parameter cutoff is 0.0, not above 0"),
        (COUNT, {"verify_with": {**GRADED, "full_credit": 2}}, "parameter full_credit is 2.0, not below"),
        (COUNT, {"type": "bool", "ground_truth": 1}, "the type is 'bool'; NumericExact is for int, float"),
        ({**FOUND, **BOOLEAN}, {"is_trace": True}, "is_trace is true, and BooleanMatch does not look at the raw"),
        (FOUND, {"is_trace": False}, "is_trace is false, and TraceContains looks at the raw response"),
        (FIELD, {"name": "the gene"}, "'the gene' is not a name in Python"),
        (FIELD, {"name": ""}, "'' is not a name in Python"),
        (FIELD, {"name": "class"}, "'class' is not a name in Python"),
        (FIELD, {"name": "correct"}, "'correct' is reserved, with which the class cannot be made"),
        (FIELD, {"name": "id"}, "'id' is reserved"),
        (FIELD, {"name": "regex"}, "'regex' is reserved"),
        (FIELD, {"name": "_gene"}, "begins with an underscore"),
        (FIELD, {"name": "ﬁt"}, "'ﬁt' is read as 'fit' by Python"),
        (FIELD, {"name": "str"}, "'str' stands for something else"),
        (FIELD, {"name": "ExactMatch"}, "'ExactMatch' stands for something else"),
        (FIELD, {"name": "verify"}, "'verify' stands for something else"),
        (FIELD, {"name": "model_config"}, "'model_config' stands for something else"),
        (FIELD, {"description": " \n"}, "the description is empty"),
        (FIELD, {"description": "\ud800"}, r"description has '\ud800' in it, which is no text"),
        (FIELD, {"extraction_hint": "a\udfffb"}, r"extraction_hint has 'a\udfffb' in it"),
        (FIELD, {"literal_values": ["a"]}, "literal_values are for the type literal, not for 'str'"),
        (STATE, {"literal_values": ["solid", "solid"]}, "literal_values has a value twice"),
        (FIELD, {"weight": -1}, "the weight is -1.0"),
        (FIELD, {"weight": float("inf")}, "the weight is inf"),
        (FIELD, {"weight": float("nan")}, "the weight is nan"),
        (FIELD, {"ground_truth": {"a": [float("nan")]}}, "ground_truth has nan in it"),
        (FIELD, {"ground_truth": {"\ud800": 1}}, r"ground_truth has '\ud800' in it"),
        (FIELD, {"ground_truth": 2**4096}, "ground_truth has a number of more than 4096 bits"),
        (FIELD, {"ground_truth": NESTED}, "ground_truth is nested more than 100 levels deep"),
        (COUNT, {"ground_truth": "\ud800"}, r"ground_truth has '\ud800' in it"),
        (COUNT, {"ground_truth": "many"}, "the ground truth of NumericExact is 'many', not a number"),
        (STATE, {"ground_truth": "liquid"}, "is 'liquid', not one of the literal values solid, 2"),
        (STATE, {"ground_truth": 2}, "is 2, not one of the texts solid, 2"),
        (FOUND, {"ground_truth": "yes"}, "the ground truth of TraceContains is 'yes', not true or false"),
        (DATE, {"ground_truth": "March 2020"}, "is 'March 2020', not a whole date"),
        (conditional(), conditional(source=5), "marked as conditional and is not: source:"),
        (conditional(), conditional(default={}), "marked as conditional and is not: default.value:"),
        (conditional(), conditional(more=1), "marked as conditional and is not: more:"),
        (conditional(), conditional(default={"value": "b"}), "default case: the ground truth of NumericExact is 'b'"),
        (conditional(), with_case({"cutoff": 1}), "case 'a': verify_with has no type"),
        (conditional(), with_case({"type": "BooleanMatch"}), "case 'a': the type is 'int'; BooleanMatch is for bool"),
    ],
)
def test_each_fault_is_recognised_by_itself(field: dict[str, Any], change: dict[str, Any], message: str) -> None:
    (fault,) = faults(**{**field, **change})
    assert fault.startswith("field '")
    assert message in fault


def test_a_type_that_does_not_exist_fits_no_primitive_and_no_trace() -> None:
    assert faults(**{**FIELD, "type": "text", "is_trace": True}) == [
        "field 'gene': the type is 'text', not one of bool, str, int, float, list_str, literal, date",
        "field 'gene': the type is 'text'; ExactMatch is for str, int, float",
        "field 'gene': the type is 'text'; a field that looks at the raw response has the type bool",
        "field 'gene': is_trace is true, and ExactMatch does not look at the raw response",
    ]


@pytest.mark.parametrize("word", keyword.kwlist)
def test_words_of_python_are_no_names(word: str) -> None:
    assert len(faults(**{**FIELD, "name": word})) == 1
    assert len(validate_spec(TemplateSpec.model_validate({"fields": [FIELD], "class_name": word}))) == 1


def test_faults_come_field_by_field_in_the_order_of_the_format_and_the_whole_at_the_end() -> None:
    first = {**FIELD, "type": "?", "name": "", "description": "", "verify_with": {"type": "?"}}
    second = {**COUNT, "type": "bool", "ground_truth": None, "is_trace": True}
    found = validate_spec(
        TemplateSpec.model_validate(
            {"fields": [first, second, second], "class_name": "", "verify_strategy": {"type": "?"}}
        )
    )
    parts = [
        *("field '': the type", "field '': verify_with", "field '': the name", "field '': the description"),
        *("field 'gene': the type is 'bool'", "field 'gene': is_trace", "field 'gene': the ground truth") * 2,
        *("the class name", "2 fields have the name 'gene'", "strategy: the type"),
    ]
    assert len(found) == len(parts)
    assert all(fault.startswith(part) for fault, part in zip(found, parts, strict=True))


@pytest.mark.parametrize("name", ["A B", "", "None", "BaseAnswer", "str", "ExactMatch", "\uff21"])
def test_a_class_has_a_name_of_its_own(name: str) -> None:
    (fault,) = validate_spec(TemplateSpec.model_validate({"fields": [FIELD], "class_name": name}))
    assert fault.startswith(f"the class name {name!r}")


def test_a_template_has_fields() -> None:
    assert validate_spec(TemplateSpec(fields=[])) == ["there are no fields"]


@pytest.mark.parametrize(
    "node",
    [
        {"type": "field_check", "field_name": "gene"},
        {"type": "all_of"},
        {"type": "any_of"},
        {"type": "at_least_n", "n": 0},
        {"type": "at_least_n", "n": 9, "conditions": [{"type": "all_of"}]},
    ],
)
def test_a_strategy_may_pass_always_or_never(node: dict[str, Any]) -> None:
    assert strategy(**node) == []


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"type": "none_of"}, "the type is 'none_of', not one of all_of, any_of, at_least_n, field_check"),
        ({"type": "field_check"}, "field_check names None, which is no field"),
        ({"type": "field_check", "field_name": "protein"}, "field_check names 'protein', which is no field"),
        ({"type": "field_check", "field_name": "gene", "conditions": [{"type": "all_of"}]}, "has conditions"),
        ({"type": "field_check", "field_name": "gene", "n": 1}, "'field_check' has the n 1, which is for at_least_n"),
        ({"type": "all_of", "field_name": "gene"}, "'all_of' has the field_name 'gene'"),
        ({"type": "all_of", "n": 1}, "'all_of' has the n 1"),
        ({"type": "at_least_n"}, "at_least_n has the n None"),
        ({"type": "at_least_n", "n": -1}, "at_least_n has the n -1"),
        ({"type": "at_least_n", "n": 2**4096}, "at_least_n has the n 1044"),
    ],
)
def test_a_broken_strategy_is_reported_wherever_it_stands(node: dict[str, Any], message: str) -> None:
    for tree in (node, {"type": "any_of", "conditions": [{"type": "all_of", "conditions": [node]}]}):
        (fault,) = strategy(**tree)
        assert fault.startswith("strategy: ")
        assert message in fault


def test_a_strategy_that_holds_itself_is_no_endless_matter() -> None:
    spec = TemplateSpec.model_validate({"fields": [FIELD], "verify_strategy": {"type": "all_of"}})
    node = spec.verify_strategy
    assert isinstance(node, VerifyStrategySpec)
    node.conditions.append(node)
    assert validate_spec(spec) == ["strategy: the tree has more than 100 levels"]


# --- Problems of templates are reported, and any text gives a template, whatever it holds and however large it is.


PIECES = [
    *("class Answer(BaseAnswer):\n    ", "class A(Answer):\n    ", "x: str = ", "VerifiedField(", "Field(", "'d', "),
    *("ground_truth=", "verify_with=", "ExactMatch(", "NumericGraded(cutoff=", "RegexMatch(pattern=", "normalize=["),
    *("]", ")", "\n    ", "\n", "{'mapping': ", "}", "date(", "1", "-", "+", "None", "Literal[", "Optional["),
    *("Annotated[str, ", "class VerificationStrategy:\n        verify_strategy = ", "AllOf(conditions=["),
    *("FieldCheck(field='x')", ", ", "def verify(self): return False", "A = A", "**", "*", "f'{x}'", "0x" + "f" * 5000),
    *("def ground_truth(self):\n        self.correct = {", "ConditionalGroundTruth(source='', cases={"),
    *("GroundTruthCase(value=", "\x00", "\ud800", "'\\ud800'", "b''"),
]


@pytest.mark.parametrize(("kind", "faulty", "words", "sound"), EXAMPLES)
def test_a_problem_is_reported_and_its_neighbour_has_none(
    kind: ProblemKind, faulty: str, words: str, sound: str
) -> None:
    (problem,) = read_template(faulty).problems
    assert problem.kind is kind
    assert words in problem.message
    assert kinds(sound) == []


def test_every_kind_of_problem_has_an_example() -> None:
    assert {kind for kind, *_ in EXAMPLES} == set(ProblemKind)


def test_problems_have_the_lines_of_their_places_and_are_in_that_order() -> None:
    source = answer("x: str = VerifiedField(", "    ' ',", "    now(),", "    Nope(),", ")", field(annotation="dict"))
    found = [(problem.kind, problem.line) for problem in read_template(source).problems]
    assert found == [("description", 3), ("not-static", 4), ("unknown-primitive", 5), ("field-type", 7)]
    (problem,) = read_template("class Answer(BaseAnswer):\n    x: int = = 1\n").problems
    assert problem.line == 2


def test_a_message_stays_short_whatever_the_value() -> None:
    source = answer(field(annotation="int", truth=repr(["a" * 1000] * 1000), verify_with="NumericExact()"))
    (problem,) = read_template(source).problems
    assert len(problem.message) < 600


# Any text


def whole(template: Template) -> None:
    """Assert that a template is what callers may rely on."""
    values = [template.ground_truth and dict(template.ground_truth), *(read.ground_truth for read in template.fields)]
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    for problem in template.problems:
        assert problem.message.encode()
        assert problem.line is None or problem.line > 0


@given(st.text() | st.text(st.characters()) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_gives_a_template(source: str) -> None:
    whole(read_template(source))


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_arguments_of_a_field_give_a_template(inside: str) -> None:
    whole(read_template(answer(f"x: str = VerifiedField('d', {inside}, ExactMatch())")))


def filled(line: str, size: int = 190_000) -> str:
    """Return lines with `#` replaced by 0, 1, 2 and so on, together of at most `size` characters."""
    return "".join(f"{line.replace('#', str(number))}\n" for number in range(size // (len(line) + 5)))


def derived(classes: int) -> str:
    """Return classes of which each derives from the one before."""
    return "class C0(BaseAnswer): pass\n" + "".join(f"class C{n + 1}(C{n}): x: int\n" for n in range(classes))


def doubling(first: str, more: str) -> str:
    """Return names of which each stands for several times the one before, and fields that use the last."""
    names = "".join(f"A{n + 1} = {more.replace('#', str(n))}\n" for n in range(40))
    return f"A0 = {first}\n{names}" + answer(*(field(f"x{n}", truth="A40") for n in range(100)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "level"),
    [
        (filled("class C#(BaseAnswer): pass"), Level.CLASSIC),
        (derived(3000), Level.INCOMPLETE),
        ("class A(BaseAnswer): x: int\n" + "class A(A): x: int\n" * 4500, Level.INCOMPLETE),
        (answer(filled("x#: q = VerifiedField('', z, Y())", 75_000)), Level.VERIFIED),
        (answer("; ".join(f"x{n}: 'q[1]' = VerifiedField('', z, Y())" for n in range(2000))), Level.VERIFIED),
        (filled("a# = 1") + answer(field(truth="a7")), Level.VERIFIED),
        (answer("x: " + "|".join(["int"] * 500) + " = 1"), Level.INCOMPLETE),
        (answer(field(truth=" + ".join(["'a'"] * 500))), Level.VERIFIED),
        (answer(field(truth="-" * 500 + "1")), Level.VERIFIED),
        (answer(field(truth="[" * 150 + "]" * 150)), Level.VERIFIED),
        ("x = " + "(" * 10_000, Level.SYNTAX_ERROR),
        ("x = " + "a." * 90_000 + "a", Level.SYNTAX_ERROR),
        ("a" * 10_000_000, Level.SYNTAX_ERROR),
        ("\ud800", Level.SYNTAX_ERROR),
        ("\x00", Level.SYNTAX_ERROR),
        (answer(field("\u00aa" * 9000)), Level.VERIFIED),
        (answer(field("__class__"), field("__slots__")), Level.CLASSIC),
    ],
    ids=range(17),
)
def test_large_and_unusual_texts_are_read(source: str, level: Level) -> None:
    template = read_template(source)
    whole(template)
    assert template.level is level


def test_a_text_that_exhausts_the_reader_has_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("checkpoint_ld.templates.reading.read_fields", exhausted)
    template = read_template(answer())
    assert (template.level, kinds(template)) == (Level.SYNTAX_ERROR, ["limit"])


@pytest.mark.parametrize(("first", "more"), [("[1]", "[A#, A#, A#]"), ("'0123456789'", "A# + A#"), ("1", "[A41, A#]")])
def test_names_that_stand_for_ever_more_are_given_up(first: str, more: str) -> None:
    template = read_template(doubling(first, more))
    assert set(kinds(template)) == {ProblemKind.NOT_STATIC}
    assert all(read.unread["ground_truth"] == "A40" for read in template.fields)


@pytest.mark.parametrize(("levels", "expected"), [(150, [ProblemKind.NOT_STATIC]), (90, [])])
def test_a_list_nested_too_deeply_is_not_read_and_a_shallow_one_is(levels: int, expected: list[ProblemKind]) -> None:
    assert kinds(answer(field(truth="[" * levels + "]" * levels))) == expected


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["'(?i)[\\0-\\uffff]#'", "'[\u0430-\uffff]#', flags=['I']"])
def test_expressions_that_cost_too_much_are_not_compiled(pattern: str) -> None:
    line = f"x#: str = VerifiedField('d', 'a', RegexMatch(pattern={pattern}))"
    assert kinds(answer(filled(line, 30_000))) == [ProblemKind.LIMIT]
    assert kinds(answer(filled(line, 2_000))) == []


def test_a_long_expression_under_many_names_is_compiled_a_few_times() -> None:
    part = "PART = '" + "[a-z]" * 10_000 + "'\n"
    fields = [field(f"x{n}", verify_with=f"RegexMatch(pattern=PART + '{n}')") for n in range(6)]
    assert kinds(answer(*fields, before=part)) == [ProblemKind.LIMIT]
    assert kinds(answer(*fields[:3], before=part)) == []


def test_a_nested_expression_does_not_end_the_reading() -> None:
    source = answer(field(verify_with=f"RegexMatch(pattern='{'(' * 5000}{')' * 5000}')"))
    assert kinds(source) == [ProblemKind.PRIMITIVE_PARAMETERS]
