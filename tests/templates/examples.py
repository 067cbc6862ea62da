"""Problems of templates: an example of each, and its neighbour that has none."""

from checkpoint_ld.templates import ProblemKind as Kind
from tests.templates import answer, field

Example = tuple[Kind, str, str, str]
"""A kind, a template that has it, what the message holds, and a template that has no problem."""

STRATEGY = "class VerificationStrategy:\n    verify_strategy = "
HOOK = "def model_post_init(self, context):\n    "
NUMBER = {"annotation": "float", "truth": "1.5"}
FLAG = {"annotation": "bool", "truth": "True"}


def verified(kind: Kind, faulty: str, expected: str, sound: str, **members: str) -> Example:
    """Return fields that are verified with the one thing and the other."""
    return kind, answer(field(verify_with=faulty, **members)), expected, answer(field(verify_with=sound, **members))


def called(name: str, kind: Kind, faulty: str, expected: str, sound: str, **members: str) -> Example:
    """Return fields with the one and the other parameters of a primitive."""
    return verified(kind, f"{name}({faulty})", expected, f"{name}({sound})", **members)


def graded(faulty: str, expected: str, sound: str) -> Example:
    return called("NumericGraded", Kind.PRIMITIVE_PARAMETERS, faulty, expected, sound, **NUMBER)


def matching(name: str, faulty: str, expected: str, sound: str, **members: str) -> Example:
    return called(name, Kind.PRIMITIVE_PARAMETERS, faulty, expected, sound, **members)


OF_PRIMITIVES: list[Example] = [
    verified(Kind.UNKNOWN_PRIMITIVE, "Nope()", "`Nope()`", "ExactMatch()"),
    verified(Kind.UNKNOWN_PRIMITIVE, "{'type': 'ExactMatch'}", "'gene' is verified", "ExactMatch()"),
    verified(Kind.UNKNOWN_PRIMITIVE, "ExactMatch", "`ExactMatch`", "ExactMatch()"),
    verified(Kind.UNKNOWN_PRIMITIVE, "exactmatch()", "`exactmatch()`", "ExactMatch()"),
    (
        Kind.UNKNOWN_PRIMITIVE,
        answer(field(), before="class ExactMatch(Thing): pass\n"),
        "`ExactMatch()`",
        answer(field(verify_with="p.ExactMatch()"), before="import karenina.schemas.primitives as p\n"),
    ),
    graded("", "cutoff is missing", "cutoff=0.1"),
    graded("cutoff=0", "cutoff is 0.0, not above 0", "cutoff='0.1'"),
    graded("cutoff='wide'", "'wide', not a number", "cutoff='1e-1'"),
    graded("cutoff=" + "9" * 400, "not a number", "cutoff=9"),
    graded("cutoff=None", "cutoff is null", "cutoff=1, full_credit=None"),
    graded("cutoff=[]", "cutoff is [], not a number", "cutoff=True"),
    graded("cutoff=1, full_credit=1", "full_credit is 1.0, not below cutoff", "cutoff=1, full_credit=0.5"),
    graded("cutoff=1, full_credit=-1", "full_credit is -1.0, below 0", "cutoff=1, full_credit=0"),
    graded("cutoff=1, decay='steep'", "'steep', not one of linear, quadratic", "cutoff=1, decay='quadratic'"),
    matching("ExactMatch", "['strip']", "by name, not `['strip']`", "normalize=['strip']"),
    matching(
        *("ExactMatch", "normalize=['upper']", "normaliser 'upper'"),
        "normalize=[SynonymMap(mapping={'a': 'b'}), {'mapping': {}}]",
    ),
    matching("ExactMatch", "normalize=[{'mapping': {'a': 1}}]", "map of synonyms", "normalize=('lowercase',)"),
    matching("ContainsAny", "substrings=['a', 1]", "item 1", "substrings=['a', '1']"),
    matching("ContainsAll", "substrings='ab'", "'ab', not a list", "substrings=[]"),
    matching("RegexMatch", "pattern='('", "pattern '(' does not compile: missing )", "pattern='()'"),
    matching(
        "RegexMatch", "pattern='a', flags=['LOUD']", "flag 'LOUD'", "pattern='( # a\\n)', flags=['X', 'IGNORECASE']"
    ),
    matching("TraceLength", "unit='lines'", "unit is 'lines'", "unit='words', max='3', min=2.0", **FLAG),
    matching("TraceLength", "min='1.5'", "'1.5', not an integer", "min='1'", **FLAG),
    matching("TraceLength", "min=1.5", "1.5, not an integer", "min=1", **FLAG),
    matching("TraceContains", "substring=5", "5, not a text", "substring=''", **FLAG),
    matching("NumericMinimum", "exclusive='perhaps'", "'perhaps', not true or false", "exclusive='no'", **NUMBER),
    called("ExactMatch", Kind.UNKNOWN_PARAMETER, "trim=1", "'trim'", ""),
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
    verified(Kind.PRIMITIVE_NEEDS, "SemanticMatch()", "an embedding stage", "ExactMatch()"),
    (
        Kind.TRACE_TYPE,
        answer(field(truth="True", verify_with="TraceRegex(pattern='a')")),
        "has the type str; TraceRegex is for bool",
        answer(field(verify_with="TraceRegex(pattern='a')", **FLAG)),
    ),
]


def lines(kind: Kind, faulty: str, expected: str, sound: str) -> Example:
    """Return templates with the one and the other line in their class."""
    return kind, answer(faulty), expected, answer(sound)


def fields(kind: Kind, faulty: dict[str, str], expected: str, sound: dict[str, str], **members: str) -> Example:
    """Return templates with a field of the one and the other arguments."""
    return kind, answer(field(**members | faulty)), expected, answer(field(**members | sound))


def truth(verify_with: str, annotation: str, faulty: str, expected: str, sound: str) -> Example:
    members = {"annotation": annotation, "verify_with": verify_with}
    return fields(Kind.GROUND_TRUTH, {"truth": faulty}, expected, {"truth": sound}, **members)


def tree(faulty: str, expected: str, sound: str) -> Example:
    return Kind.STRATEGY, answer(field(), STRATEGY + faulty), expected, answer(field(), STRATEGY + sound)


def regex(faulty: str, expected: str, sound: str) -> Example:
    return lines(Kind.REGEX, f"{HOOK}self.regex = {faulty}", expected, f"{HOOK}self.regex = {sound}")


PLACEHOLDER = answer('response: str = Field(description="The answer response")', "def verify(self):\n    return False")
DEFINED = "x: str = VerifiedField('d', 'a', ExactMatch(){})"
LITERAL = {"verify_with": "LiteralMatch()"}

OF_TEMPLATES: list[Example] = [
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
    (Kind.PLACEHOLDER, PLACEHOLDER, "'Answer'", PLACEHOLDER.replace("The answer response", "The gene")),
    (Kind.INCOMPLETE, answer("gene: str"), "gene", answer("gene: str", "def verify(self):\n    return self.ok")),
    (
        Kind.CUSTOM_VERIFY,
        answer(field(), "def verify(self):\n    return True"),
        "verify of class 'Answer'",
        answer(field(), "def explain(self):\n    return ''"),
    ),
    (Kind.CUSTOM_VERIFY, answer(field(), "verify_granular = half"), "verify_granular", answer(field())),
    (Kind.FIELD_NAME, answer("correct: dict = {}"), "'correct'", answer("right: dict = {}", "verify = f")),
    fields(Kind.FIELD_NAME, {"name": "id"}, "'id'", {"name": "id_"}),
    fields(Kind.FIELD_NAME, {"name": "regex"}, "'regex'", {"name": "regexes"}),
    lines(Kind.FIELD_NAME, field("_gene"), "'_gene'", "_gene: str = ''"),
    (Kind.DUPLICATE_FIELD, answer(field(), field()), "'gene'", answer(field(), field("gene2"))),
    lines(Kind.FIELD_DEFINITION, "x: int = VerifiedField('d', 1)", "lacks verify_with", field()),
    lines(Kind.FIELD_DEFINITION, "x = VerifiedField('d', 'a', ExactMatch())", "`x`", "x = 1"),
    lines(Kind.FIELD_DEFINITION, "x: str = VerifiedField(*a)", "`*a`", field(rest="min_length=1")),
    lines(Kind.FIELD_DEFINITION, "x: str = VerifiedField(**a)", "`a`", field(rest="weight=2")),
    lines(Kind.FIELD_DEFINITION, DEFINED.format(", 1.0, 'h', 6"), "`6`", DEFINED.format(", 1.0, 'h'")),
    lines(
        Kind.FIELD_DEFINITION,
        DEFINED.format(", description='e'"),
        "'description' twice",
        DEFINED.format(", extraction_hint='e'"),
    ),
    fields(Kind.FIELD_DEFINITION, {"rest": "extraction_hint=5"}, "hint 5", {"rest": "extraction_hint=''"}),
    fields(Kind.FIELD_TYPE, {"annotation": "dict[str, int]"}, "`dict[str, int]`", {"annotation": "'str'"}),
    fields(Kind.FIELD_TYPE, {"annotation": "list"}, "`list`", {"annotation": "str"}),
    fields(Kind.NULLABLE, {"annotation": "str | None"}, "`str | None`", {"annotation": "str"}),
    fields(Kind.NULLABLE, {"annotation": "Optional[str]"}, "Optional", {"annotation": "Union[str]"}),
    (
        Kind.LITERAL_VALUES,
        answer(field(annotation="Literal[GENES]", **LITERAL)),
        "`Literal[GENES]`",
        answer(field(annotation="Literal[GENE]", **LITERAL), before="GENE = 'BCL2'\n"),
    ),
    fields(
        Kind.LITERAL_VALUES,
        {"annotation": "Literal[1.5]"},
        "`Literal[1.5]`",
        {"annotation": "Literal[15]", "truth": "15"},
        **LITERAL,
    ),
    fields(Kind.DESCRIPTION, {"description": '" "'}, "' '", {"description": '" a"'}),
    fields(Kind.DESCRIPTION, {"description": "5"}, "description 5", {"description": "'5'"}),
    fields(Kind.WEIGHT, {"rest": "weight=-1"}, "weight -1", {"rest": "weight=0"}),
    fields(Kind.WEIGHT, {"rest": "weight='2'"}, "weight '2'", {"rest": "weight=2"}),
    (Kind.NOT_STATIC, answer(field(truth="GENE")), "`GENE`", answer(field(truth="GENE"), before="GENE = 'x'\n")),
    fields(Kind.NOT_STATIC, {"truth": "'a' * 3"}, "`'a' * 3`", {"truth": "'a' + 'b'"}),
    fields(Kind.NOT_STATIC, {"truth": "f'{x}'"}, "ground_truth", {"truth": "f'x'"}),
    fields(Kind.NOT_STATIC, {"description": "ask()"}, "description", {"description": "'ask'"}),
    called("ExactMatch", Kind.NOT_STATIC, "normalize=steps()", "normalize is not static: `steps()`", "normalize=[]"),
    called("ExactMatch", Kind.NOT_STATIC, "**steps", "** is not static", ""),
    lines(Kind.NOT_STATIC, HOOK + "self.correct = find()", "`find()`", HOOK + "self.correct = {}"),
    lines(Kind.GROUND_TRUTH, HOOK + "self.correct = 5", "self.correct is 5", HOOK + "self.correct = {}"),
    truth("NumericExact()", "float", "'ten'", "'gene': the ground truth of NumericExact is 'ten'", "'1e1'"),
    truth("NumericExact()", "int", "True", "True", "1"),
    truth("BooleanMatch()", "bool", "'maybe'", "'maybe'", "'No'"),
    truth("SetContainment()", "list[str]", "'a'", "'a', not a list", "('a',)"),
    truth("LiteralMatch()", "Literal['BRCA1', 'TP53']", "'BCL2'", "BRCA1, TP53", "'TP53'"),
    truth("DateMatch()", "str", "'March 2020'", "'March 2020', not a whole date", "'3 March 2020'"),
    truth("DateMatch(format='%d.%m.%Y')", "str", "'2020-03-31'", "'2020-03-31'", "'31.3.2020'"),
    truth("TraceContains(substring='x')", "bool", "1", "is 1, not true or false", "False"),
    tree("FieldCheck(field='genes')", "'genes'", "FieldCheck(field='gene')"),
    tree("best()", "`best()`", "None"),
    tree("AnyOf(conditions=[])", "never passes", "AllOf(conditions=[])"),
    tree("AtLeastN(n=1, conditions=[])", "1 of 0", "AtLeastN(n=0, conditions=[])"),
    tree("AtLeastN(n=-1, conditions=[])", "not -1", "AtLeastN(n=0)"),
    regex("{'a': {'pattern': '['}}", "'['", "{'a': {'pattern': '[a]'}}"),
    regex("{'a': {'match_type': 'most'}}", "'most'", "{'a': {'match_type': 'contains'}}"),
    regex(
        "{'a': {'match_type': 'count', 'expected': '2'}}",
        "expects '2'",
        "{'a': {'match_type': 'count', 'expected': 2}}",
    ),
    regex("{'a': 'b'}", "'b'", "{'a': {}}"),
    regex("{'a': {'pattern': 1}}", "1", "{}"),
    regex("[]", "[]", "{}"),
]

EXAMPLES = OF_TEMPLATES + OF_PRIMITIVES
