"""Regular expressions out of documents: what they find, and that none of them keeps the program from going on."""

from __future__ import annotations

import os
import re
import signal
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.entities import RegexMatch, TraceRegex, safe_check
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.workers import patterns, process
from checkpoint_ld.workers.patterns import answer

CATASTROPHIC = "(a+)+$"
LONG = "a" * 50 + "b"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time limit, once there is a process."""
    assert patterns.occurs(CATASTROPHIC, "a")
    monkeypatch.setattr(patterns, "TIME_LIMIT", 0.2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (CATASTROPHIC, LONG),
        (r"(a|aa)+$", LONG),
        (r"(.*)*x\1", LONG),
        (r"a*a*a*a*a*a*a*b$", "a" * 500),
        (r"\s+$", " " * 200_000 + "x"),
    ],
)
@pytest.mark.usefixtures("impatient")
def test_a_catastrophic_pattern_is_given_up(pattern: str, text: str) -> None:
    started = time.monotonic()
    with pytest.raises(EvaluationError, match="takes more than"):
        RegexMatch(pattern=pattern).check(text, None)
    result = safe_check(TraceRegex(pattern=pattern), text, expected=True)
    assert result.error is not None
    assert not result.passed
    assert time.monotonic() - started < 20
    assert patterns.occurs(CATASTROPHIC, "a")


def test_a_pattern_that_takes_too_long_to_compile_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert patterns.occurs(CATASTROPHIC, "a")
    monkeypatch.setattr(patterns, "TIME_LIMIT", 0.1)
    with pytest.raises(ValidationError, match="too long to compile"):
        RegexMatch(pattern=r"[\u0000-\U0010ffff]" * 500, flags=["I"])


def test_a_long_pattern_with_a_fault_is_refused() -> None:
    with pytest.raises(ValidationError, match="no regular expression"):
        RegexMatch(pattern="a" * 3000 + "(")


@pytest.mark.parametrize("pattern", [r"\[\d+\]", "colou?r", "^a|b$", "(a|b)(c|d)", "x{2,3}", "(?i)yes"])
def test_everyday_patterns_on_short_texts_are_matched_at_once(pattern: str) -> None:
    assert patterns.is_quick(pattern, "a short answer of one line")


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+",
        "(a|b)*",
        "(?:a)?",
        "(a){2}",
        r"(a)\1",
        "(?P<n>a)(?P=n)",
        "(a)(?(1)b|c)",
        "(?x)(a) # all\n*",
        "(a|a)" * 30,
        "é*",
        "a" * 3000,
    ],
)
def test_whatever_may_take_long_is_left_to_the_other_process(pattern: str) -> None:
    assert not patterns.is_quick(pattern, "a")


def test_a_long_text_may_take_long() -> None:
    assert patterns.is_quick("a+b", "a" * 500)
    assert not patterns.is_quick("a+b", "a" * 50_000)
    assert not patterns.is_quick("a{0,9}" * 4 + "b", "a" * 500)
    assert not patterns.is_quick("a+b", "a", ["VERBOSE"])


ATOMS = ["a", "b", ".", "[ab]", r"\w", "(a)", "(?:b)", "(a|b)", "^", "$", ""]
PATTERNS = st.lists(
    st.tuples(st.sampled_from(ATOMS[:-3]), st.sampled_from(["", "*", "+?", "{1,2}", "?", "|b"])), max_size=5
)


@given(PATTERNS.map(lambda parts: "".join(map("".join, parts))), st.text("ab\n", max_size=8))
def test_both_ways_of_matching_give_what_python_gives(pattern: str, text: str) -> None:
    found = re.findall(pattern, text)
    assert patterns.find_all(pattern, text) == found
    assert patterns.occurs(pattern, text) is bool(found)
    far = patterns.evaluate("findall", pattern, 0, text)
    assert [tuple(one) if isinstance(one, list) else one for one in far] == found


@pytest.mark.parametrize("text", ["é\ud800\n\r\u2028\x00", '"\\', ""])
def test_any_text_reaches_the_other_process(text: str) -> None:
    assert patterns.evaluate("findall", "(?s).+", 0, text) == re.findall("(?s).+", text)


def test_flags_reach_the_other_process() -> None:
    assert patterns.occurs("(A)+", "a", ["IGNORECASE"])
    assert patterns.occurs("(a )+ b", "aab", ["X"])
    with pytest.raises(EvaluationError, match="no flag"):
        patterns.occurs("a", "a", ["NOPE"])


needs_alarms = pytest.mark.skipif(not hasattr(signal, "alarm"), reason="this system has no alarms")


@pytest.mark.slow
@needs_alarms
def test_a_process_that_nobody_waits_for_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "ORPHANED_AFTER", -59)
    monkeypatch.setattr(patterns, "TIME_LIMIT", 60)
    with pytest.raises(EvaluationError, match="SIGALRM"):
        patterns.occurs(CATASTROPHIC, LONG)


@pytest.mark.slow
@needs_alarms
def test_a_process_that_has_nothing_to_do_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "ORPHANED_AFTER", -1)
    assert patterns.occurs(CATASTROPHIC, "a")
    time.sleep(1.3)
    assert patterns.occurs(CATASTROPHIC, "a")


@pytest.mark.parametrize("pattern", ["(", "(" + "a" * 3000])
def test_a_pattern_that_does_not_compile_is_not_matched(pattern: str) -> None:
    with pytest.raises(EvaluationError, match="unterminated"):
        patterns.occurs(pattern, "a")
    with pytest.raises(EvaluationError, match="unterminated"):
        patterns.find_all(pattern, "a")


def test_a_process_that_died_is_reported_and_replaced() -> None:
    assert patterns.occurs(CATASTROPHIC, "a")
    patterns._workers[os.getpid()]._popen.kill()  # noqa: SLF001 - nobody else knows it
    with pytest.raises(EvaluationError, match="cannot be matched safely"):
        patterns.occurs(CATASTROPHIC, "a")
    assert patterns.occurs(CATASTROPHIC, "a")


def test_without_a_process_nothing_is_matched_that_may_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns.end()
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(EvaluationError, match="cannot be matched safely"):
        patterns.occurs(CATASTROPHIC, "a")
    assert patterns.occurs("a+", "a")


def test_a_process_that_does_not_start_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns.end()
    monkeypatch.setattr(patterns, "START_LIMIT", 0.0)
    with pytest.raises(EvaluationError, match="did not start"):
        patterns.occurs(CATASTROPHIC, "a")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_program_has_a_process_of_its_own() -> None:
    assert patterns.occurs(CATASTROPHIC, "a")
    ours = patterns._workers[os.getpid()]  # noqa: SLF001 - nobody else knows it
    child = os.fork()
    if child == 0:
        fine = patterns.occurs(CATASTROPHIC, "a") and patterns._workers[os.getpid()] is not ours  # noqa: SLF001 - as above
        patterns.end()
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert patterns.occurs(CATASTROPHIC, "a")
    assert patterns._workers[os.getpid()] is ours  # noqa: SLF001 - as above


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        (("findall", "(a)(b)?", 0, "aab"), {"found": [("a", ""), ("a", "b")]}),
        (("search", "A", int(re.IGNORECASE), "ba"), {"found": [""]}),
        (("search", "c", 0, "ba"), {"found": []}),
        (("compile", "c", 0, "c"), {"found": []}),
        (("compile", "(", 0, ""), {"error": "missing ), unterminated subpattern at position 0"}),
    ],
)
def test_the_other_process_answers(request_: tuple[str, str, int, str], reply: dict[str, Any]) -> None:
    assert answer(request_) == reply
