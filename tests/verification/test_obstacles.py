"""Templates that only running them would decide: the result says so, with the remedy."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint_ld import verify
from checkpoint_ld.errors import StoredCodeWarning
from checkpoint_ld.templates import Level, read_template
from checkpoint_ld.workers.trusted import Trust

FIELD = '    x: str = VerifiedField(description="x", ground_truth="a", verify_with=ExactMatch())\n'
VERIFIED = "class Answer(BaseAnswer):\n" + FIELD
REMEDY = "run it with trust=Trust(), or --trust-stored-code, if you trust its code"
OWN = "    def verify(self):\n        return True\n"
REGEX = "    def model_post_init(self, c):\n        super().model_post_init(c)\n        self.regex = {}\n"
CITED = REGEX.replace("{}", '{"cites": {"pattern": r"\\[\\d\\]", "expected": 2, "match_type": "count"}}')
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
        (VERIFIED + REGEX.replace("{}", "make()"), "model_post_init"),
        (
            VERIFIED + REGEX.replace("{}", "make()").replace("        self", "        self.correct = {}\n        self"),
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
        VERIFIED + REGEX,
        "NAMES: list[str] = ['a', 'b']\nLOW = HIGH = -1\n" + VERIFIED,
        VERIFIED + "    model_config = ConfigDict(extra='forbid')\n",
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


CLASSIC = "class Answer(BaseAnswer):\n" + CITED


@pytest.mark.parametrize(
    ("trace", "passed", "reason"),
    [
        ("[1] [2]", True, "all regular expressions are met"),
        ("[1]", False, "regular expressions not met: cites"),
        (None, None, "the regular expressions look at the raw response: give its text as trace"),
    ],
)
def test_regular_expressions_alone_can_be_decided(trace: str | None, passed: bool | None, reason: str) -> None:
    result = verify(CLASSIC, {}, trace)
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
    text = "class Answer(BaseAnswer):\n" + REGEX.replace("{}", expressions)
    result = verify(text, {}, "a")
    assert result.passed is False
    assert result.regex is not None
    assert (result.regex["success"], result.regex["results"]["good"]) == (False, True)
