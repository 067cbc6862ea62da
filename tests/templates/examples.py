"""Problems with primitives: an example of each, and its neighbour that has none."""

from __future__ import annotations

from checkpoint_ld.templates import ProblemKind as Kind
from tests.templates import answer, field

NUMBER = {"annotation": "float", "truth": "1.5"}
FLAG = {"annotation": "bool", "truth": "True"}


def graded(parameters: str) -> str:
    return answer(field(verify_with=f"NumericGraded({parameters})", **NUMBER))


# kind, a template that has it, what the message holds, a template that has no problem
OF_PRIMITIVES: list[tuple[Kind, str, str, str]] = [
    (Kind.UNKNOWN_PRIMITIVE, answer(field(verify_with="Nope()")), "`Nope()`", answer(field())),
    (
        Kind.UNKNOWN_PRIMITIVE,
        answer(field(verify_with="{'type': 'ExactMatch'}")),
        "'gene' is verified",
        answer(field()),
    ),
    (Kind.UNKNOWN_PRIMITIVE, answer(field(verify_with="ExactMatch")), "`ExactMatch`", answer(field())),
    (Kind.UNKNOWN_PRIMITIVE, answer(field(verify_with="exactmatch()")), "`exactmatch()`", answer(field())),
    (
        Kind.UNKNOWN_PRIMITIVE,
        answer(field(), before="class ExactMatch(Thing): pass\n"),
        "`ExactMatch()`",
        answer(field(verify_with="p.ExactMatch()"), before="import karenina.schemas.primitives as p\n"),
    ),
    (Kind.PRIMITIVE_PARAMETERS, graded(""), "cutoff is missing", graded("cutoff=0.1")),
    (Kind.PRIMITIVE_PARAMETERS, graded("cutoff=0"), "cutoff is 0.0, not above 0", graded("cutoff='0.1'")),
    (Kind.PRIMITIVE_PARAMETERS, graded("cutoff='wide'"), "'wide', not a number", graded("cutoff='1e-1'")),
    (Kind.PRIMITIVE_PARAMETERS, graded("cutoff=" + "9" * 400), "not a number", graded("cutoff=9")),
    (Kind.PRIMITIVE_PARAMETERS, graded("cutoff=None"), "cutoff is null", graded("cutoff=1, full_credit=None")),
    (Kind.PRIMITIVE_PARAMETERS, graded("cutoff=[]"), "cutoff is [], not a number", graded("cutoff=True")),
    (
        Kind.PRIMITIVE_PARAMETERS,
        graded("cutoff=1, full_credit=1"),
        "full_credit is 1.0, not below cutoff",
        graded("cutoff=1, full_credit=0.5"),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        graded("cutoff=1, full_credit=-1"),
        "full_credit is -1.0, below 0",
        graded("cutoff=1, full_credit=0"),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        graded("cutoff=1, decay='steep'"),
        "decay is 'steep', not one of linear, quadratic",
        graded("cutoff=1, decay='quadratic'"),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="ExactMatch(['strip'])")),
        "by name, not `['strip']`",
        answer(field(verify_with="ExactMatch(normalize=['strip'])")),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="ExactMatch(normalize=['upper'])")),
        "normaliser 'upper'",
        answer(field(verify_with="ExactMatch(normalize=[SynonymMap(mapping={'a': 'b'}), {'mapping': {}}])")),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="ExactMatch(normalize=[{'mapping': {'a': 1}}])")),
        "map of synonyms",
        answer(field(verify_with="ExactMatch(normalize=('lowercase',))")),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="ContainsAny(substrings=['a', 1])")),
        "item 1",
        answer(field(verify_with="ContainsAny(substrings=['a', '1'])")),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="ContainsAll(substrings='ab')")),
        "'ab', not a list",
        answer(field(verify_with="ContainsAll(substrings=[])")),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="RegexMatch(pattern='(')")),
        "pattern '(' does not compile: missing )",
        answer(field(verify_with="RegexMatch(pattern='()')")),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="RegexMatch(pattern='a', flags=['LOUD'])")),
        "flag 'LOUD'",
        answer(field(verify_with="RegexMatch(pattern='( # a\\n)', flags=['X', 'IGNORECASE'])")),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="TraceLength(unit='lines')", **FLAG)),
        "unit is 'lines'",
        answer(field(verify_with="TraceLength(unit='words', max='3', min=2.0)", **FLAG)),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="TraceLength(min='1.5')", **FLAG)),
        "'1.5', not an integer",
        answer(field(verify_with="TraceLength(min='1')", **FLAG)),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="TraceLength(min=1.5)", **FLAG)),
        "1.5, not an integer",
        answer(field(verify_with="TraceLength(min=1)", **FLAG)),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="TraceContains(substring=5)", **FLAG)),
        "5, not a text",
        answer(field(verify_with="TraceContains(substring='')", **FLAG)),
    ),
    (
        Kind.PRIMITIVE_PARAMETERS,
        answer(field(verify_with="NumericMinimum(exclusive='perhaps')", **NUMBER)),
        "'perhaps', not true or false",
        answer(field(verify_with="NumericMinimum(exclusive='no')", **NUMBER)),
    ),
    (Kind.UNKNOWN_PARAMETER, answer(field(verify_with="ExactMatch(trim=1)")), "'trim'", answer(field())),
    (
        Kind.PRIMITIVE_TYPE,
        answer(field(annotation="bool")),
        "has the type bool; ExactMatch is for str, int, float",
        answer(field(annotation="int")),
    ),
    (
        Kind.PRIMITIVE_TYPE,
        answer(field(annotation="date", truth="1", verify_with="NumericExact()")),
        "has the type str",
        answer(field(annotation="date", truth="date(2020, 3, 31)", verify_with="DateMatch()")),
    ),
    (Kind.PRIMITIVE_NEEDS, answer(field(verify_with="SemanticMatch()")), "an embedding stage", answer(field())),
    (
        Kind.TRACE_TYPE,
        answer(field(truth="True", verify_with="TraceRegex(pattern='a')")),
        "has the type str; TraceRegex is for bool",
        answer(field(verify_with="TraceRegex(pattern='a')", **FLAG)),
    ),
]
