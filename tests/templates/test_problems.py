"""Each kind of problem: an example that has it, and its neighbour that has none; primitives have their own table."""

from __future__ import annotations

import pytest

from checkpoint_ld.templates import ProblemKind as Kind
from checkpoint_ld.templates import read_template
from tests.templates import answer, field, kinds
from tests.templates.examples import OF_PRIMITIVES

STRATEGY = "class VerificationStrategy:\n    verify_strategy = "
HOOK = "def model_post_init(self, context):\n    "


# kind, a template that has it, what the message holds, a template that has no problem
EXAMPLES: list[tuple[Kind, str, str, str]] = [
    (Kind.SYNTAX, "class Answer(:", "invalid syntax", answer()),
    (Kind.SYNTAX, answer("x = '\0'"), "null bytes", answer("x = '0'")),
    (Kind.LIMIT, "#" * 200_001, "200001", "#" * 199_000 + "\n" + answer()),
    (Kind.LIMIT, "x = " + "-" * 50_000 + "1", "deeply", "x = " + "-" * 10 + "1\n" + answer()),
    (Kind.NO_ANSWER_CLASS, "class Planet(BaseModel): pass", "Planet", "class Planet(BaseAnswer): pass"),
    (
        Kind.SEVERAL_ANSWER_CLASSES,
        "class Part(BaseAnswer): pass\n" + answer(),
        "Part, Answer; 'Answer' is read",
        "class Part(BaseAnswer): pass\n" + answer(base="Part"),
    ),
    (
        Kind.PLACEHOLDER,
        answer('response: str = Field(description="The answer response")', "def verify(self):\n    return False"),
        "'Answer'",
        answer('response: str = Field(description="The gene")', "def verify(self):\n    return False"),
    ),
    (Kind.INCOMPLETE, answer("gene: str"), "gene", answer("gene: str", "def verify(self):\n    return self.ok")),
    (
        Kind.CUSTOM_VERIFY,
        answer(field(), "def verify(self):\n    return True"),
        "verify of class 'Answer'",
        answer(field(), "def explain(self):\n    return ''"),
    ),
    (Kind.CUSTOM_VERIFY, answer(field(), "verify_granular = half"), "verify_granular", answer(field())),
    (Kind.FIELD_NAME, answer("correct: dict = {}"), "'correct'", answer("right: dict = {}", "verify = f")),
    (Kind.FIELD_NAME, answer(field("id")), "'id'", answer(field("id_"))),
    (Kind.FIELD_NAME, answer(field("regex")), "'regex'", answer(field("regexes"))),
    (Kind.FIELD_NAME, answer(field("_gene")), "'_gene'", answer("_gene: str = ''")),
    (Kind.DUPLICATE_FIELD, answer(field(), field()), "'gene'", answer(field(), field("gene2"))),
    (Kind.FIELD_DEFINITION, answer("x: int = VerifiedField('d', 1)"), "lacks verify_with", answer(field())),
    (Kind.FIELD_DEFINITION, answer("x = VerifiedField('d', 'a', ExactMatch())"), "`x`", answer("x = 1")),
    (Kind.FIELD_DEFINITION, answer("x: str = VerifiedField(*a)"), "`*a`", answer(field(rest="min_length=1"))),
    (Kind.FIELD_DEFINITION, answer("x: str = VerifiedField(**a)"), "`a`", answer(field(rest="weight=2"))),
    (
        Kind.FIELD_DEFINITION,
        answer("x: str = VerifiedField('d', 'a', ExactMatch(), 1.0, 'h', 6)"),
        "`6`",
        answer("x: str = VerifiedField('d', 'a', ExactMatch(), 1.0, 'h')"),
    ),
    (
        Kind.FIELD_DEFINITION,
        answer("x: str = VerifiedField('d', 'a', ExactMatch(), description='e')"),
        "'description' twice",
        answer("x: str = VerifiedField('d', 'a', ExactMatch(), extraction_hint='e')"),
    ),
    (
        Kind.FIELD_DEFINITION,
        answer(field(rest="extraction_hint=5")),
        "hint 5",
        answer(field(rest="extraction_hint=''")),
    ),
    (
        Kind.FIELD_TYPE,
        answer(field(annotation="dict[str, int]")),
        "`dict[str, int]`",
        answer(field(annotation="'str'")),
    ),
    (Kind.FIELD_TYPE, answer(field(annotation="list")), "`list`", answer(field(annotation="str"))),
    (Kind.NULLABLE, answer(field(annotation="str | None")), "`str | None`", answer(field(annotation="str"))),
    (Kind.NULLABLE, answer(field(annotation="Optional[str]")), "Optional", answer(field(annotation="Union[str]"))),
    (
        Kind.LITERAL_VALUES,
        answer(field(annotation="Literal[GENES]", verify_with="LiteralMatch()")),
        "`Literal[GENES]`",
        answer(field(annotation="Literal[GENE]", verify_with="LiteralMatch()"), before="GENE = 'BCL2'\n"),
    ),
    (
        Kind.LITERAL_VALUES,
        answer(field(annotation="Literal[1.5]", verify_with="LiteralMatch()")),
        "`Literal[1.5]`",
        answer(field(annotation="Literal[15]", truth="15", verify_with="LiteralMatch()")),
    ),
    (Kind.DESCRIPTION, answer(field(description='" "')), "' '", answer(field(description='" a"'))),
    (Kind.DESCRIPTION, answer(field(description="5")), "description 5", answer(field(description="'5'"))),
    (Kind.WEIGHT, answer(field(rest="weight=-1")), "weight -1", answer(field(rest="weight=0"))),
    (Kind.WEIGHT, answer(field(rest="weight='2'")), "weight '2'", answer(field(rest="weight=2"))),
    (Kind.NOT_STATIC, answer(field(truth="GENE")), "`GENE`", answer(field(truth="GENE"), before="GENE = 'x'\n")),
    (Kind.NOT_STATIC, answer(field(truth="'a' * 3")), "`'a' * 3`", answer(field(truth="'a' + 'b'"))),
    (Kind.NOT_STATIC, answer(field(truth="f'{x}'")), "ground_truth", answer(field(truth="f'x'"))),
    (Kind.NOT_STATIC, answer(field(description="ask()")), "description", answer(field(description="'ask'"))),
    (
        Kind.NOT_STATIC,
        answer(field(verify_with="ExactMatch(normalize=steps())")),
        "normalize is not static: `steps()`",
        answer(field(verify_with="ExactMatch(normalize=[])")),
    ),
    (Kind.NOT_STATIC, answer(field(verify_with="ExactMatch(**steps)")), "** is not static", answer(field())),
    (Kind.NOT_STATIC, answer(HOOK + "self.correct = find()"), "`find()`", answer(HOOK + "self.correct = {}")),
    (Kind.GROUND_TRUTH, answer(HOOK + "self.correct = 5"), "self.correct is 5", answer(HOOK + "self.correct = {}")),
    (
        Kind.GROUND_TRUTH,
        answer(field(annotation="float", truth="'ten'", verify_with="NumericExact()")),
        "'gene': the ground truth of NumericExact is 'ten'",
        answer(field(annotation="float", truth="'1e1'", verify_with="NumericExact()")),
    ),
    (
        Kind.GROUND_TRUTH,
        answer(field(annotation="int", truth="True", verify_with="NumericExact()")),
        "True",
        answer(field(annotation="int", truth="1", verify_with="NumericExact()")),
    ),
    (
        Kind.GROUND_TRUTH,
        answer(field(annotation="bool", truth="'maybe'", verify_with="BooleanMatch()")),
        "'maybe'",
        answer(field(annotation="bool", truth="'No'", verify_with="BooleanMatch()")),
    ),
    (
        Kind.GROUND_TRUTH,
        answer(field(annotation="list[str]", truth="'a'", verify_with="SetContainment()")),
        "'a', not a list",
        answer(field(annotation="list[str]", truth="('a',)", verify_with="SetContainment()")),
    ),
    (
        Kind.GROUND_TRUTH,
        answer(field(annotation="Literal['BRCA1', 'TP53']", verify_with="LiteralMatch()")),
        "BRCA1, TP53",
        answer(field(annotation="Literal['BRCA1', 'BCL2']", verify_with="LiteralMatch()")),
    ),
    (
        Kind.GROUND_TRUTH,
        answer(field(truth="'March 2020'", verify_with="DateMatch()")),
        "'March 2020', not a whole date",
        answer(field(truth="'3 March 2020'", verify_with="DateMatch()")),
    ),
    (
        Kind.GROUND_TRUTH,
        answer(field(truth="'2020-03-31'", verify_with="DateMatch(format='%d.%m.%Y')")),
        "'2020-03-31'",
        answer(field(truth="'31.3.2020'", verify_with="DateMatch(format='%d.%m.%Y')")),
    ),
    (
        Kind.GROUND_TRUTH,
        answer(field(annotation="bool", truth="1", verify_with="TraceContains(substring='x')")),
        "is 1, not true or false",
        answer(field(annotation="bool", truth="False", verify_with="TraceContains(substring='x')")),
    ),
    (
        Kind.STRATEGY,
        answer(field(), STRATEGY + "FieldCheck(field='genes')"),
        "'genes'",
        answer(field(), STRATEGY + "FieldCheck(field='gene')"),
    ),
    (Kind.STRATEGY, answer(field(), STRATEGY + "best()"), "`best()`", answer(field(), STRATEGY + "None")),
    (
        Kind.STRATEGY,
        answer(field(), STRATEGY + "AnyOf(conditions=[])"),
        "never passes",
        answer(field(), STRATEGY + "AllOf(conditions=[])"),
    ),
    (
        Kind.STRATEGY,
        answer(field(), STRATEGY + "AtLeastN(n=1, conditions=[])"),
        "1 of 0",
        answer(field(), STRATEGY + "AtLeastN(n=0, conditions=[])"),
    ),
    (
        Kind.STRATEGY,
        answer(field(), STRATEGY + "AtLeastN(n=-1, conditions=[])"),
        "not -1",
        answer(field(), STRATEGY + "AtLeastN(n=0)"),
    ),
    (
        Kind.REGEX,
        answer(HOOK + "self.regex = {'a': {'pattern': '['}}"),
        "'['",
        answer(HOOK + "self.regex = {'a': {'pattern': '[a]'}}"),
    ),
    (
        Kind.REGEX,
        answer(HOOK + "self.regex = {'a': {'match_type': 'most'}}"),
        "'most'",
        answer(HOOK + "self.regex = {'a': {'match_type': 'contains'}}"),
    ),
    (
        Kind.REGEX,
        answer(HOOK + "self.regex = {'a': {'match_type': 'count', 'expected': '2'}}"),
        "expects '2'",
        answer(HOOK + "self.regex = {'a': {'match_type': 'count', 'expected': 2}}"),
    ),
    (Kind.REGEX, answer(HOOK + "self.regex = {'a': 'b'}"), "'b'", answer(HOOK + "self.regex = {'a': {}}")),
    (Kind.REGEX, answer(HOOK + "self.regex = {'a': {'pattern': 1}}"), "1", answer(HOOK + "self.regex = {}")),
    (Kind.REGEX, answer(HOOK + "self.regex = []"), "[]", answer(HOOK + "self.regex = {}")),
]


@pytest.mark.parametrize(("kind", "faulty", "said", "sound"), EXAMPLES + OF_PRIMITIVES)
def test_a_problem_is_told_and_its_neighbour_has_none(kind: Kind, faulty: str, said: str, sound: str) -> None:
    (problem,) = read_template(faulty).problems
    assert problem.kind is kind
    assert said in problem.message
    assert kinds(sound) == []


def test_every_kind_of_problem_has_an_example() -> None:
    assert {kind for kind, *_ in EXAMPLES + OF_PRIMITIVES} == set(Kind)


def test_problems_have_the_lines_of_their_places_and_are_in_that_order() -> None:
    source = answer("x: str = VerifiedField(", "    ' ',", "    now(),", "    Nope(),", ")", field(annotation="dict"))
    found = [(problem.kind, problem.line) for problem in read_template(source).problems]
    assert found == [(Kind.DESCRIPTION, 3), (Kind.NOT_STATIC, 4), (Kind.UNKNOWN_PRIMITIVE, 5), (Kind.FIELD_TYPE, 7)]


def test_a_faulty_line_is_told_where_python_tells_it() -> None:
    (problem,) = read_template("class Answer(BaseAnswer):\n    x: int = = 1\n").problems
    assert problem.line == 2


def test_a_message_stays_short_whatever_the_value() -> None:
    source = answer(field(annotation="int", truth=repr(["a" * 1000] * 1000), verify_with="NumericExact()"))
    (problem,) = read_template(source).problems
    assert len(problem.message) < 600
