"""Callable traits: decided by a function of the caller's, or by the stored one if it is trusted."""

from __future__ import annotations

import base64
import pickle
import sys
import textwrap
import threading
from typing import Any

import pytest
from pydantic import ValidationError

from checkpoint_ld import EvaluationError, SettingsError, StoredCodeWarning, WriteError
from checkpoint_ld.entities import CallableRubricTrait
from checkpoint_ld.workers.trusted import Trust

TRUST = Trust()
CITED = "import re\ndef evaluate(trace: str) -> bool:\n    return bool(re.search(r'\\[\\d+\\]', trace))"


def trait(code: str | bytes, kind: str = "boolean", **members: Any) -> CallableRubricTrait:
    return CallableRubricTrait.model_validate({"name": "cited", "kind": kind, "callable_code": code, **members})


def judged(found: CallableRubricTrait, text: str, trust: Trust = TRUST) -> object:
    with pytest.warns(StoredCodeWarning, match=rf"^the function of the trait '{found.name}' is code that is stored"):
        return found.evaluate(text, trust=trust)


def failure(found: CallableRubricTrait, text: str = "", trust: Trust = TRUST) -> str:
    with pytest.raises(EvaluationError) as caught:
        judged(found, text, trust)
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("code", [CITED, CITED.encode(), base64.b64encode(CITED.encode()).decode()])
def test_trusted_source_is_run_in_every_form_in_which_it_is_stored(code: str | bytes) -> None:
    assert judged(trait(code), "so it is [1]") is True
    assert judged(trait(code), "so it is") is False
    assert judged(trait(code, invert_result=True), "so it is") is True


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "lambda text: 'a' in text",
        "check = lambda text: 'a' in text",
        "def anything(text): return 'a' in text",
        "def _help(t): return 'a' in t\ndef judge(t): return _help(t)",
        "def other(t): return None\ndef cited(t): return 'a' in t",
        "def other(t): return None\ndef evaluate(t): return 'a' in t",
        "from textwrap import dedent\nclass Helper: pass\ndef f(t): return 'a' in dedent(t)",
        "def same(f):\n  def inner(t): return f(t)\n  return inner\n@same\ndef evaluate(t): return 'a' in t",
    ],
)
def test_a_source_says_which_function_is_meant(source: str) -> None:
    assert judged(trait(source), "cat") is True
    assert judged(trait(source), "dog") is False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "members", "source", "result"),
    [
        ("score", {"min_score": 0, "max_score": 10}, "lambda text: len(text)", 3),
        ("score", {"min_score": 0, "max_score": 1}, "lambda text: 0.25", 0.25),
        ("score", {}, "lambda text: -1e300", -1e300),
        ("literal", {"classes": {"no": "n", "yes": "y"}}, "lambda text: 'yes'", 1),
    ],
)
def test_scores_and_classes_come_back(kind: str, members: dict[str, Any], source: str, result: object) -> None:
    found = judged(trait(source, kind, **members), "cat")
    assert found == result
    assert type(found) is type(result)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "members", "source", "message"),
    [
        ("boolean", {}, "lambda text: 1", "trait 'cited': the function returned 1, not true or false"),
        ("score", {"min_score": 0, "max_score": 2}, "lambda text: 3", "returned 3, not a number from 0 to 2"),
        ("score", {"min_score": 0, "max_score": 2}, "lambda text: float('nan')", "returned nan, not a number"),
        ("literal", {"classes": {"no": "", "yes": "y"}}, "lambda text: 'maybe'", "not one of the classes no, yes"),
        (
            "boolean",
            {},
            "lambda text: None",
            "the function of the trait 'cited' returned None, which is no truth value",
        ),
        ("boolean", {}, "lambda text: [text] * 1000", "returned ['cat', 'cat', "),
        ("boolean", {}, "def f(text):\n    return text.nope", "raised AttributeError: 'str' object has no"),
        ("boolean", {}, "def f(text):\n    return text.nope", "(line 2)"),
        ("boolean", {}, "lambda: True", "raised TypeError: <lambda>() takes 0 positional"),
        ("boolean", {}, "def f(text) return", "raised SyntaxError: "),
        (
            "boolean",
            {},
            "def f(t): ...\ndef g(t): ...",
            "defines the functions f, g: it needs one, or one called 'cited'",
        ),
        ("boolean", {}, "from re import search as found  # no def", "defines no function: it needs one"),
        ("boolean", {}, "class Def: pass", "defines no function"),
        ("boolean", {}, b"\x00\x00", "neither Python source nor a pickle"),
        ("boolean", {}, "", "the stored code is missing"),
        ("boolean", {}, pickle.dumps(3), "is a pickle that holds no function but int"),
        ("boolean", {}, pickle.dumps([1])[:-4], "raised "),
    ],
)
def test_what_is_no_result_is_told(
    kind: str, members: dict[str, Any], source: str | bytes, message: str, recwarn: pytest.WarningsRecorder
) -> None:
    with pytest.raises(EvaluationError) as caught:
        CallableRubricTrait.model_validate(
            {"name": "cited", "kind": kind, "callable_code": source, **members}, context={"lenient": True}
        ).evaluate("cat", trust=TRUST)
    assert message in str(caught.value)
    assert {one.category for one in recwarn} <= {StoredCodeWarning}


def test_an_endless_function_is_ended() -> None:
    source = "def f(text):\n    while True: pass"
    assert "took longer than 0.3 s" in failure(trait(source), trust=Trust(seconds=0.3))


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", 'é\ud800\x00\n"\\', "x" * 300_000])
def test_every_text_reaches_the_function(text: str) -> None:
    source = f"import hashlib\ndef f(text): return text.encode('utf-8', 'surrogatepass').hex() == {_hex(text)!r}"
    assert judged(trait(source), text) is True


def _hex(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").hex()


def test_nothing_is_run_without_trust() -> None:
    with pytest.raises(EvaluationError, match=r"never run; pass .*callable_override.*or trust=Trust\(\)"):
        trait(CITED).evaluate("text")


def test_an_own_function_comes_before_the_stored_one() -> None:
    assert trait("raise SystemExit").evaluate("text", callable_override=lambda _: True, trust=TRUST) is True


@pytest.mark.parametrize("text", [None, 3, b"text"])
def test_only_texts_are_judged(text: Any) -> None:
    with pytest.raises(EvaluationError, match="give a text"):
        trait(CITED).evaluate(text, callable_override=lambda _: True)


class TestWithCloudpickle:
    """Functions that are stored in the way that Karenina can load."""

    @pytest.fixture(autouse=True)
    def cloudpickle(self) -> Any:
        return pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")

    def test_a_function_is_stored_and_run(self) -> None:
        least = 3
        found = CallableRubricTrait.from_callable("long", lambda text: len(text) > least, "boolean", "is it long?")
        assert found.callable_code is not None
        assert found.callable_code.form == "pickle"
        assert (found.description, found.higher_is_better) == ("is it long?", True)
        read = CallableRubricTrait.model_validate_json(found.model_dump_json())
        assert judged(read, "lead") is True
        assert judged(read, "tin") is False

    def test_all_members_are_kept(self) -> None:
        found = CallableRubricTrait.from_callable("s", len, "score", None, "length", 0, 9, higher_is_better=None)
        assert (found.min_score, found.max_score, found.summary, found.higher_is_better) == (0, 9, "length", None)
        assert judged(found, "lead") == 4
        classes = {"no": "n", "yes": "y"}
        named = CallableRubricTrait.from_callable("k", lambda _: "yes", "literal", classes=classes)
        assert judged(named, "") == 1
        assert CallableRubricTrait.from_callable("i", lambda _: True, "boolean", invert_result=True).invert_result

    @pytest.mark.parametrize(
        ("func", "kind", "members", "message"),
        [
            (lambda: True, "boolean", {}, "a function of 0 parameters: give one of exactly one parameter"),
            (lambda _a, _b: True, "boolean", {}, "a function of 2 parameters"),
            ("def f(t): ...", "boolean", {}, "no function"),
            (max, "boolean", {}, "no function"),
            (lambda _: 1, "score", {}, "a score needs a range"),
            (lambda _: 1, "score", {"min_score": 1}, "a score needs a range"),
            (lambda _: 1, "boolean", {"max_score": 1}, "a truth value has no range"),
        ],
    )
    def test_what_makes_no_trait_is_refused(self, func: Any, kind: Any, members: Any, message: str) -> None:
        with pytest.raises(SettingsError, match=message):
            CallableRubricTrait.from_callable("a", func, kind, **members)

    @pytest.mark.parametrize(
        ("kind", "members"), [("literal", {}), ("score", {"min_score": 2, "max_score": 2}), ("other", {})]
    )
    def test_what_no_trait_may_have_is_refused(self, kind: Any, members: Any) -> None:
        with pytest.raises(ValidationError):
            CallableRubricTrait.from_callable("a", lambda _: 1, kind, **members)

    def test_a_function_that_holds_what_cannot_be_stored_is_refused(self) -> None:
        lock = threading.Lock()
        with pytest.raises(WriteError, match="cannot be stored: "):
            CallableRubricTrait.from_callable("a", lambda text: lock.locked() or text, "boolean")

    def test_a_pickle_that_runs_code_when_it_is_read_does_so_only_in_the_other_process(self) -> None:
        class Trap:
            def __reduce__(self) -> Any:
                return exec, ("import os; os._exit(9)",)

        assert "exit code 9" in failure(trait(pickle.dumps(Trap())))


def test_without_cloudpickle_a_function_cannot_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(WriteError, match=r"only with the package cloudpickle: install it"):
        CallableRubricTrait.from_callable("a", lambda _: True, "boolean")


def test_a_pickle_that_needs_cloudpickle_says_so(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cloudpickle.py").write_text(
        textwrap.dedent("""
        raise ModuleNotFoundError("No module named 'cloudpickle'", name="cloudpickle")
        """)
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = trait(b"\x80\x04\x8c\x17cloudpickle.cloudpickle\x94\x8c\x0e_make_function\x94\x93\x94.")
    assert "is a cloudpickle: install the package cloudpickle to run it" in failure(found)
