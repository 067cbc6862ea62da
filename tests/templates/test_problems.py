"""Problems of templates are reported, and any text gives a template, whatever it holds and however large it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.templates import Level, ProblemKind, Template, read_template
from tests.templates import answer, field, kinds
from tests.templates.examples import EXAMPLES

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
    return f"A0 = {first}\n{names}" + answer(*(field(f"x{n}", truth="A40") for n in range(500)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "level"),
    [
        (filled("class C#(BaseAnswer): pass"), Level.CLASSIC),
        (derived(6000), Level.INCOMPLETE),
        ("class A(BaseAnswer): x: int\n" + "class A(A): x: int\n" * 9000, Level.INCOMPLETE),
        (answer(filled("x#: q = VerifiedField('', z, Y())", 150_000)), Level.VERIFIED),
        (answer("; ".join(f"x{n}: 'q[1]' = VerifiedField('', z, Y())" for n in range(4000))), Level.VERIFIED),
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
    assert kinds(answer(filled(line, 150_000))) == [ProblemKind.LIMIT]
    assert kinds(answer(filled(line, 2_000))) == []


def test_a_long_expression_under_many_names_is_compiled_a_few_times() -> None:
    part = "PART = '" + "[a-z]" * 10_000 + "'\n"
    fields = [field(f"x{n}", verify_with=f"RegexMatch(pattern=PART + '{n}')") for n in range(6)]
    assert kinds(answer(*fields, before=part)) == [ProblemKind.LIMIT]
    assert kinds(answer(*fields[:3], before=part)) == []


def test_a_nested_expression_does_not_end_the_reading() -> None:
    source = answer(field(verify_with=f"RegexMatch(pattern='{'(' * 5000}{')' * 5000}')"))
    assert kinds(source) == [ProblemKind.PRIMITIVE_PARAMETERS]
