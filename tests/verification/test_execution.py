"""Templates that are run because somebody trusts them: what they find, and what is stated when they fail."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkpoint_ld import EvaluationError, StoredCodeWarning, VerificationResult, verify
from checkpoint_ld.templates import Level, read_template
from checkpoint_ld.templates.execution import run_template
from checkpoint_ld.workers.trusted import Trust

TRUST = Trust()
METAL = "    metal: str = VerifiedField(description='m', ground_truth='Mercury', verify_with=ExactMatch())\n"
HEAT = (
    METAL.replace("metal: str", "heat: float")
    .replace("'Mercury'", "10.0, weight=3.0")
    .replace("ExactMatch()", "NumericGraded(cutoff=0.2)")
)
CLASSIC = """
from karenina.schemas.entities import BaseAnswer
from pydantic import Field


class Answer(BaseAnswer):
    metal: str = Field(description="the metal")

    def ground_truth(self):
        self.correct = {"metal": "Mercury"}

    def verify(self) -> bool:
        return self.metal.lower() == self.correct["metal"].lower()
"""


def ran(source: str, answer: dict[str, Any], trace: str | None = None, **more: Any) -> VerificationResult:
    trust = more.pop("trust", TRUST)
    with pytest.warns(StoredCodeWarning, match=r"^the template ('\w+' )?is code that is stored in a document"):
        result = run_template(source, answer, trace, more.pop("context", None), trust)
    assert result.executed
    return result


def failure(source: str, answer: dict[str, Any] | None = None, **more: Any) -> str:
    with pytest.raises(EvaluationError) as caught:
        ran(source, answer or {}, **more)
    return str(caught.value)


@pytest.mark.slow
def test_a_classic_template_decides_when_it_is_trusted() -> None:
    with pytest.warns(StoredCodeWarning, match="the template 'Answer' is code"):
        right = verify(CLASSIC, {"metal": "mercury"}, trust=TRUST)
    assert (right.passed, right.executed, right.level) == (True, True, Level.CLASSIC)
    assert right.reason == "the template's own verify finds the answer right"
    wrong = ran(CLASSIC, {"metal": "lead"})
    assert (wrong.passed, wrong.reason) == (False, "the template's own verify finds the answer wrong")


@pytest.mark.usefixtures("in_this_process")
def test_an_answer_cannot_bring_its_own_ground_truth_along() -> None:
    late = f"class Answer(BaseAnswer):\n{METAL}    def verify(self): return self.metal == self.correct['metal']\n"
    given = {"metal": "lead", "correct": {"metal": "lead"}, "regex": {"a": {"pattern": "x"}}}
    assert ran(late, given).passed is False
    assert ran(CLASSIC, given, "a trace").regex is None


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    "head",
    [
        "",
        "from karenina.schemas.entities import BaseAnswer\nfrom karenina.schemas.primitives import Normalizer",
        "from karenina.schemas.domain import BaseAnswer\nfrom karenina.schemas.entities.primitives import ExactMatch",
        "from karenina.benchmark.verification.old.place import *",
        "import karenina.schemas.entities\nBaseAnswer = karenina.schemas.entities.BaseAnswer",
        "import karenina.schemas.primitives as p\nExactMatch = p.ExactMatch",
        "from karenina.schemas.entities import capture_answer_source as kept\n@kept",
        "from karenina.schemas.entities import RegexRubricTrait, evaluate_strategy, VerificationMeta",
        "from __future__ import annotations\nfrom typing import Optional",
    ],
)
def test_templates_find_the_library_under_all_names_that_it_has_had(head: str) -> None:
    source = f"{head}\nclass Answer(BaseAnswer):\n{METAL}    other: Optional[List[str]] = None\n"
    assert ran(source, {"metal": "Mercury"}).passed is True


@pytest.mark.usefixtures("in_this_process")
def test_all_preloaded_names_are_there() -> None:
    source = f"""
names = [Any, Dict, List, Literal, Optional, Union, Field, VerifiedField, AllOf, AnyOf, AtLeastN, FieldCheck]
names += [SynonymMap, ConditionalGroundTruth, GroundTruthCase, BooleanMatch, ContainsAll, ContainsAny, DateMatch]
names += [DateRange, DateTolerance, ExactMatch, LiteralMatch, NumericExact, NumericGraded, NumericRange, RegexMatch]
names += [NumericMaximum, NumericMinimum, NumericRangeGraded, NumericThresholdGraded, NumericTolerance, OrderedMatch]
names += [SemanticMatch, SetContainment, TraceContains, TraceLength, TraceRegex]
class Answer(BaseAnswer):
{METAL}
"""
    assert ran(source, {"metal": "mercury"}).passed is True
    own = f"{source}    def verify(self): return self._scenario_context['room'] == 'hot'\n"
    assert ran(own, {"metal": "lead"}, context={"room": "hot"}).passed is True


@pytest.mark.slow
def test_fields_may_have_the_names_of_methods() -> None:
    field = METAL.replace("metal: str", "attach: str")
    source = f"class Answer(BaseAnswer):\n{field}    def verify(self): return super().verify()\n"
    assert ran(source, {"attach": "mercury"}).passed is True


@pytest.mark.usefixtures("in_this_process")
def test_a_field_about_the_response_may_be_null() -> None:
    polite = "    polite: bool = VerifiedField('p', True, TraceContains(substring='please'))\n"
    source = f"class Answer(BaseAnswer):\n{METAL}{polite}    def verify(self): return super().verify()\n"
    assert ran(source, {"metal": "mercury", "polite": None}, "please").passed is True


def test_a_name_that_the_library_never_had_is_reported() -> None:
    source = "from karenina.schemas.entities import Nope\nclass Answer(BaseAnswer):\n    def verify(self): return True"
    assert "raised ImportError: cannot import name 'Nope' from 'karenina.schemas.entities'" in failure(source)


ODD_REGEX = "    def ground_truth(self): self.regex = {'a': {}}\n    def verify_regex(self, trace): return 1\n"
ODD_STRATEGY = "    class VerificationStrategy:\n        verify_strategy = FieldCheck(field='no' + 'pe')\n"
YES, NO = "    def verify(self): return True\n", "    def verify(self): return False\n"


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    "source",
    [
        f"class Base(BaseAnswer):\n{NO}class Any(Base):\n{YES}",
        f"class Answer(BaseAnswer):\n{YES}class Z(BaseAnswer):\n{NO}",
        f"class A(BaseAnswer):\n{NO}class Z(BaseAnswer):\n{YES}",
        f"class Answer(BaseAnswer):\n{YES}Other = Answer\n",
        f"class A(BaseAnswer): ...\nclass Z(BaseAnswer):\n{NO}class A(BaseAnswer):\n{YES}",
        f"from typing import Annotated\nclass Answer(BaseAnswer):\n{METAL.replace('str =', 'Annotated[str,')[:-1]}]\n",
    ],
)
def test_the_class_is_chosen_as_when_a_template_is_read(source: str) -> None:
    assert ran(source, {"metal": "Mercury"}).passed is True


@pytest.mark.usefixtures("in_this_process")
def test_what_only_running_shows_is_decided() -> None:
    source = f"truth = 'Mer' + chr(99) + 'ury'\nclass Answer(BaseAnswer):\n{METAL.replace(repr('Mercury'), 'truth')}"
    assert verify(source, {"metal": "Mercury"}).passed is None
    result = ran(source, {"metal": "lead", "colour": "grey"})
    assert (result.passed, result.reason) == (False, "1 of 1 fields do not pass: metal")
    assert [(one.name, one.passed, one.expected, one.primitive) for one in result.fields] == [
        *(("metal", False, "Mercury", "ExactMatch"), ("colour", None, None, None))
    ]
    assert (result.granular_score, result.karenina_granular_score) == (0.0, 0.0)


@pytest.mark.usefixtures("in_this_process")
def test_values_become_what_the_template_states() -> None:
    source = (
        "from datetime import date\nclass Answer(BaseAnswer):\n    day: date\n    count: int\n"
        "    def verify(self): return self.day == date(2026, 1, 2) and self.count == 3\n"
    )
    assert ran(source, {"day": "2026-01-02", "count": "3"}).passed is True


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("answer", [{}, {"metal": None}, {"metal": ["Mercury"]}])
def test_an_answer_that_does_not_fit_is_reported_and_not_decided(answer: dict[str, Any]) -> None:
    result = ran(CLASSIC, answer)
    assert result.passed is None
    assert result.reason.startswith("the answer does not fit the template: metal: ")


@pytest.mark.usefixtures("in_this_process")
def test_scores_come_from_the_fields_or_from_the_templates_own_method() -> None:
    fields = f"class Answer(BaseAnswer):\n{METAL}{HEAT}    def verify(self): return True\n"
    result = ran(fields, {"metal": "Mercury", "heat": 11.0})
    assert result.passed is True
    assert result.granular_score == pytest.approx((1 + 3 * 0.5) / 4)
    own = f"{fields}    def verify_granular(self): return 0.125\n"
    assert ran(own, {"metal": "Mercury", "heat": 11.0}).granular_score == 0.125
    assert ran(CLASSIC, {"metal": "Mercury"}).granular_score is None


@pytest.mark.usefixtures("in_this_process")
def test_the_case_is_chosen_by_the_context() -> None:
    cases = "cases={'hot': GroundTruthCase(value='Lead')}, default=GroundTruthCase(value='Mercury')"
    field = METAL.replace("'Mercury'", f"ConditionalGroundTruth(source='ro' + 'om', {cases})")
    source = f"class Answer(BaseAnswer):\n{field}"
    assert ran(source, {"metal": "lead"}, context={"room": "hot"}).passed is True
    assert ran(source, {"metal": "lead"}, context={"room": "cold"}).passed is False
    assert ran(source, {"metal": "mercury"}).passed is True


REGEX = """
class Answer(BaseAnswer):
    def model_post_init(self, context):
        self.regex = {name: {"pattern": r"\\[\\d+\\]", "expected": 1, "match_type": "count"} for name in ["cites"]}
"""


@pytest.mark.usefixtures("in_this_process")
def test_regular_expressions_look_at_the_response() -> None:
    met = ran(REGEX, {}, "so it is [1]")
    assert (met.passed, met.reason) == (True, "all regular expressions are met")
    assert met.regex is not None
    assert met.regex["results"] == {"cites": True}
    assert (ran(REGEX, {}, "so it is").passed, ran(REGEX, {}).passed) == (False, None)
    both = f"{REGEX}    def verify(self): return False\n"
    assert ran(both, {}, "so it is [1]").passed is False


@pytest.mark.usefixtures("in_this_process")
def test_trace_primitives_look_at_the_response() -> None:
    source = (
        "class Answer(BaseAnswer):\n    said: bool = VerifiedField(description='s', ground_truth=True, "
        "verify_with=TraceContains(substring='quick' + 'silver'))\n"
    )
    assert ran(source, {}, "it is quicksilver").passed is True
    missing = ran(source, {})
    assert missing.passed is None
    assert "give its text as trace" in missing.reason
    own = f"{source}    def verify(self): return super().verify()\n"
    assert ran(own, {}, "it is lead").passed is False
    assert (ran(own, {}).passed, ran(own, {}).reason) == (None, "field 'said' is about the raw response: attach it")


@pytest.mark.slow
def test_patterns_that_take_long_are_given_up_with_the_template() -> None:
    source = f"class Answer(BaseAnswer):\n{METAL.replace('ExactMatch()', 'RegexMatch(pattern=' + repr('(a+)+$') + ')')}"
    assert ran(source, {"metal": "aaa"}).passed is True
    assert "took longer than 0.5 s" in failure(source, {"metal": "a" * 60 + "b"}, trust=Trust(seconds=0.5))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class Answer(BaseAnswer):\n    def verify(self):\n        return self.nope", "attribute 'nope' (line 3)"),
        ("class Answer(BaseAnswer):\n    def verify(self): return 1", "a method verify that returned 1, not true or"),
        ("class Answer(BaseAnswer):\n    def verify(self): return None", "a method verify that returned None"),
        ("class Answer(BaseAnswer):\n    def verify(self): import sys; sys.exit(3)", "raised SystemExit: 3 (line 2)"),
        ("class Answer(BaseAnswer):\n    def verify(self): import os; os._exit(3)", "(exit code 3)"),
        ("class Answer(BaseAnswer):\n    def verify(self):\n        while True: pass", "took longer than 1 s"),
        ("class Answer(BaseAnswer):\n    def verify(self): return open('x', 'w')", "may not change files"),
        ("import socket; socket.create_connection(('localhost', 1))\nclass Answer(BaseAnswer): ...", "no connections"),
        ("raise ValueError('at import')\nclass Answer(BaseAnswer): ...", "raised ValueError: at import (line 1)"),
        ("class Answer(BaseAnswer):\n    correct: str", "raised TypeError: Answer has a field 'correct'"),
        ("x = 1", "the template defines no class that derives from BaseAnswer"),
        ("class Answer(", "the template raised SyntaxError: "),
        ("x = '\x00'", "the template raised "),
        (f"class Answer(BaseAnswer):\n{METAL}    def verify_granular(self): return 'all'", '"all", not a number'),
        (f"class Answer(BaseAnswer):\n{METAL}    def verify_granular(self): return float('nan')", "not a number"),
        (f"class Answer(BaseAnswer):\n{YES}{ODD_REGEX}", "a method verify_regex that returned 1"),
        (f"class Answer(BaseAnswer):\n{METAL}{ODD_STRATEGY}", "raised LookupFailedError: "),
        (f"class Answer(BaseAnswer):\n{YES}    def __init__(self, **k): raise BaseException", "raised BaseException"),
    ],
)
def test_what_went_wrong_is_reported(source: str, message: str) -> None:
    trust = Trust(seconds=1) if "while True" in source else TRUST
    found = failure(source, {"metal": "Mercury"}, trace="a trace", trust=trust)
    assert found.startswith("the template ")
    assert message in found


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("answer", ["class Answer(BaseAnswer):\n    x: str\n", "class Answer(BaseAnswer): ...\n"])
def test_a_template_that_states_nothing_decides_nothing(answer: str) -> None:
    reason = "the template does not say how its fields are verified: define verify"
    result = ran(answer, {"x": "y"})
    assert (result.passed, result.reason) == (None, reason)


def test_what_a_template_prints_does_no_harm() -> None:
    source = (
        "import sys\nprint('{\"answer\": {}}')\nclass Answer(BaseAnswer):\n"
        "    def verify(self):\n        print('x' * 10_000_000, file=sys.stderr)\n        return True\n"
    )
    assert ran(source, {}).passed is True


def test_a_forged_reply_is_no_result() -> None:
    forged = b'{"answer": {"passed": true, "level": "classic", "fields": [], "nope": 1}}\n'
    source = (
        f"import os\nfor n in range(3, 20):\n    try: os.write(n, {forged!r})\n    except OSError: pass\nos._exit(0)"
    )
    assert failure(source) == "the template gave a reply that is no result"


names = st.sampled_from(["Mercury", "mercury ", "lead", ""])


@pytest.mark.usefixtures("in_this_process")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.fixed_dictionaries({"metal": names, "heat": st.floats(5, 15)}),
    st.sampled_from(["", "AnyOf", "AllOf", "AtLeastN"]),
    st.sampled_from([0, 1, 2]),
)
def test_running_a_template_finds_what_reading_it_does(answer: dict[str, Any], root: str, least: int) -> None:
    parts = "conditions=[FieldCheck(field='metal'), FieldCheck(field='heat')]"
    n = f"n={least}, " if root == "AtLeastN" else ""
    inner = f"    class VerificationStrategy:\n        verify_strategy = {root}({n}{parts})\n" if root else ""
    source = f"class Answer(BaseAnswer):\n{METAL}{HEAT}{inner}"
    read, run = verify(source, answer), ran(source, answer)
    assert {**read.as_json(), "executed": True} == run.as_json()


# --- Templates that only running them would decide: the result says so, with the remedy.


FIELD = '    x: str = VerifiedField(description="x", ground_truth="a", verify_with=ExactMatch())\n'
VERIFIED = "class Answer(BaseAnswer):\n" + FIELD
REMEDY = "run it with trust=Trust(), or --trust-stored-code, if you trust its code"
OWN = "    def verify(self):\n        return True\n"
REGEX_ANSWER = "    def model_post_init(self, c):\n        super().model_post_init(c)\n        self.regex = {}\n"
CITED = REGEX_ANSWER.replace("{}", '{"cites": {"pattern": r"\\[\\d\\]", "expected": 2, "match_type": "count"}}')
PLACEHOLDER = (
    'class Answer(BaseAnswer):\n    response: str = Field(description="The answer response")\n'
    "    def verify(self):\n        return False\n"
)


@pytest.mark.parametrize(
    ("text", "level", "reason"),
    [
        (None, Level.EMPTY, "there is no template: write one"),
        ("", Level.EMPTY, "there is no template: write one"),
        ("class Answer(", Level.SYNTAX_ERROR, "the template is no Python: correct it"),
        ("x = 1", Level.NO_ANSWER_CLASS, "no class of the template derives from BaseAnswer: write one"),
        (PLACEHOLDER, Level.PLACEHOLDER, "the placeholder"),
        ("class Answer(BaseAnswer):\n    x: str\n", Level.INCOMPLETE, "nothing says how the fields are verified"),
        ("class Answer(BaseAnswer):\n    pass\n", Level.CLASSIC, "nothing that can be evaluated"),
    ],
)
def test_what_is_no_template_states_what_to_do(text: str | None, level: Level, reason: str) -> None:
    result = verify(text, {"x": "a"})
    assert (result.passed, result.level, result.fields, result.executed) == (None, level, (), False)
    assert reason in result.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (VERIFIED + OWN, "the method verify of the template (line 3) decides"),
        (VERIFIED + "    def _clean(self):\n        pass\n", "the method _clean of the template (line 3) may decide"),
        (VERIFIED + "    def ground_truth(self):\n        self.x = 'a'\n", "the method ground_truth"),
        ("@twist\n" + VERIFIED, "the decorator twist of the template (line 1)"),
        (VERIFIED + "Answer.verify = lambda self: True\n", "the statement Assign of the template (line 3)"),
        (VERIFIED + "Answer = None\n", "the statement Assign of the template (line 3)"),
        ("_ = setattr(BaseAnswer, 'verify', None)\n" + VERIFIED, "the statement Assign of the template (line 1)"),
        (VERIFIED.replace('"a"', "make()"), "make()"),
        (VERIFIED.replace("ExactMatch()", "Mine()"), "no known primitive"),
        (VERIFIED + "    class VerificationStrategy:\n        verify_strategy = make()\n", "make()"),
        (VERIFIED + "    regex: dict = Field(default_factory=make)\n", "the regular expressions"),
        (VERIFIED + REGEX_ANSWER.replace("{}", "make()"), "model_post_init"),
        (VERIFIED + "    class VerificationStrategy(Any):\n        pass\n", "the strategy cannot be read"),
        (VERIFIED + "    class VerificationStrategy:\n        def verify_strategy(): ...\n", "the strategy cannot be"),
        (
            VERIFIED + "    model_config = ConfigDict(str_to_lower=True)\n",
            "the setting str_to_lower of the template (line 3)",
        ),
        (VERIFIED + "    model_config = {'strict': True}\n", "the setting strict"),
        (VERIFIED + "    class Config:\n        str_to_lower = True\n", "the setting str_to_lower"),
        (VERIFIED.replace("BaseAnswer)", "BaseAnswer, str_to_lower=True)"), "the setting str_to_lower"),
        (VERIFIED.replace("x: str", "x: Annotated[str, BeforeValidator(low)]"), "the annotation BeforeValidator"),
        (VERIFIED + "    _low = field_validator('x')(low)\n", "the statement Assign of the template (line 3)"),
        (VERIFIED + "    field_results = lambda self: {'x': True}\n", "the statement Assign of the template (line 3)"),
        (
            VERIFIED
            + REGEX_ANSWER.replace("{}", "make()").replace("        self", "        self.correct = {}\n        self"),
            "the regular expressions",
        ),
    ],
)
def test_what_only_running_would_decide_is_not_decided(text: str, reason: str) -> None:
    result = verify(text, {"x": "a"}, "trace")
    assert (result.passed, result.fields) == (None, ())
    assert reason in result.reason
    assert result.reason.endswith(REMEDY)


@pytest.mark.parametrize(
    "text",
    [
        VERIFIED,
        '"""A template."""\nimport os\nfrom karenina.schemas.entities import BaseAnswer\n' + VERIFIED,
        "@capture_answer_source\n" + VERIFIED,
        VERIFIED + "    def ground_truth(self):\n        self.correct = {'x': 'a'}\n",
        VERIFIED + REGEX_ANSWER,
        "NAMES: list[str] = ['a', 'b']\nLOW = HIGH = -1\n" + VERIFIED,
        VERIFIED + "    model_config = ConfigDict(extra='forbid')\n",
        VERIFIED.replace("x: str", "x: Annotated[str, 'a note']"),
        VERIFIED + "    class VerificationStrategy:\n        tree = verify_strategy = FieldCheck(field='x')\n",
    ],
)
def test_code_that_decides_nothing_is_no_obstacle(text: str) -> None:
    assert verify(text, {"x": "a"}).passed is True
    assert verify(text, {"x": "b"}).passed is False


def test_a_granular_score_of_its_own_is_not_known() -> None:
    result = verify(VERIFIED + "    def verify_granular(self):\n        return 0.3\n", {"x": "a"})
    assert (result.passed, result.granular_score, result.karenina_granular_score) == (True, None, None)


def test_a_template_without_its_source_cannot_be_run() -> None:
    read = read_template(VERIFIED + OWN)
    assert verify(read, {"x": "a"}, trust=Trust()).reason.endswith(f"{REMEDY} (give its source text)")


def test_code_is_run_only_if_there_is_some_and_it_is_trusted() -> None:
    own = "class Answer(BaseAnswer):\n    x: str\n    def verify(self):\n        return self.x == 'a'\n"
    assert verify(VERIFIED, {"x": "a"}, trust=Trust()).executed is False
    with pytest.warns(StoredCodeWarning, match="Answer"):
        result = verify(own, {"x": "a"}, trust=Trust())
    assert (result.passed, result.executed, result.level) == (True, True, Level.CLASSIC)
    for text in (None, "class Answer(", "x = 1", "class Answer(BaseAnswer):\n    x: str\n"):
        assert verify(text, {"x": "a"}, trust=Trust()).executed is False


CLASSIC_ANSWER = "class Answer(BaseAnswer):\n" + CITED


@pytest.mark.parametrize(
    ("trace", "passed", "reason"),
    [
        ("[1] [2]", True, "all regular expressions are met"),
        ("[1]", False, "regular expressions not met: cites"),
        (None, None, "the regular expressions look at the raw response: give its text as trace"),
    ],
)
def test_regular_expressions_alone_can_be_decided(trace: str | None, passed: bool | None, reason: str) -> None:
    result = verify(CLASSIC_ANSWER, {}, trace)
    assert (result.passed, result.reason, result.level) == (passed, reason, Level.CLASSIC)
    assert (result.granular_score, result.executed) == (None, False)
    if trace is not None:
        assert result.regex is not None
        assert result.regex["success"] is passed
        assert result.as_json()["regex"] == result.regex


@pytest.mark.parametrize(
    ("value", "trace", "passed", "reason"),
    [
        ("a", "[1] [2]", True, "all fields pass; all regular expressions are met"),
        ("a", "[1]", False, "all fields pass; regular expressions not met: cites"),
        ("b", "[1] [2]", False, "1 of 1 fields do not pass: x; all regular expressions are met"),
        ("a", None, None, "all fields pass; the regular expressions look at the raw response: give its text as trace"),
        ("b", None, False, "1 of 1 fields do not pass: x; the regular expressions look at the raw response"),
    ],
)
def test_fields_and_regular_expressions_have_to_pass(value: str, trace: Any, passed: Any, reason: str) -> None:
    result = verify(VERIFIED + CITED, {"x": value}, trace)
    assert result.passed is passed
    assert result.reason.startswith(reason)
    assert result.granular_score == float(value == "a")


@pytest.mark.parametrize(
    "words", ['"x"', '{"pattern": 1}', '{"pattern": "("}', '{"pattern": "a", "match_type": "odd"}']
)
def test_an_expression_with_a_fault_is_never_met(words: str) -> None:
    expressions = f'{{"good": {{"pattern": "a", "expected": "a"}}, "bad": {words}}}'
    text = "class Answer(BaseAnswer):\n" + REGEX_ANSWER.replace("{}", expressions)
    result = verify(text, {}, "a")
    assert result.passed is False
    assert result.regex is not None
    assert (result.regex["success"], result.regex["results"]["good"]) == (False, True)
