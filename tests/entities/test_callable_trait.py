"""Callable traits: their code is kept; a function of the caller's decides, or the stored one if it is trusted."""

import base64
import copy
import pickle
import sys
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from checkpoint_ld import EvaluationError, SettingsError, StoredCodeWarning, WriteError, WrongTypeError
from checkpoint_ld.entities import LENIENT, CallableCode, CallableRubricTrait, callable_worker
from checkpoint_ld.workers.trusted import Trust

TRUST = Trust()
CITED = "import re\ndef evaluate(trace: str) -> bool:\n    return bool(re.search(r'\\[\\d+\\]', trace))"
SOURCE = "def evaluate(text: str) -> bool:\n    return 'é' in text\n"
IN_BASE64 = base64.b64encode(SOURCE.encode()).decode()


class Trap:
    """Unpickling an object of this class ends the process."""

    def __reduce__(self) -> Any:
        return exec, ("import os; os._exit(9)",)


def trait(code: str | bytes | CallableCode, kind: str = "boolean", **members: Any) -> CallableRubricTrait:
    return CallableRubricTrait.model_validate({"name": "cited", "kind": kind, "callable_code": code, **members})


def judged(found: CallableRubricTrait, text: str, trust: Trust = TRUST) -> object:
    with pytest.warns(StoredCodeWarning, match=rf"^the function of the trait '{found.name}' is code that is stored"):
        return found.evaluate(text, trust=trust)


def failure(found: CallableRubricTrait, text: str = "", trust: Trust = TRUST) -> str:
    with pytest.raises(EvaluationError) as caught:
        judged(found, text, trust)
    return str(caught.value)


# The code


@pytest.mark.parametrize(
    ("code", "form", "content"),
    [
        (pickle.dumps(Trap(), 4), "pickle", pickle.dumps(Trap(), 4)),
        (base64.b64encode(pickle.dumps(1, 5)).decode(), "pickle", pickle.dumps(1, 5)),
        (IN_BASE64, "base64-source", SOURCE.encode()),
        (SOURCE.encode(), "base64-source", SOURCE.encode()),
        (SOURCE, "source", SOURCE.encode()),
        ("%%%", "source", b"%%%"),
        ("AAA", "source", b"AAA"),
        ("AAA=", "bytes", b"\x00\x00"),
        (b"\x80\x01", "bytes", b"\x80\x01"),
        (b"plain words", "bytes", b"plain words"),
        (b"", "bytes", b""),
        ("", "bytes", b""),
    ],
)
def test_code_looks_like_what_it_is(code: bytes | str, form: str, content: bytes) -> None:
    assert (CallableCode(code).form, bytes(CallableCode(code))) == (form, content)


@pytest.mark.parametrize("text", [IN_BASE64, IN_BASE64[:20] + "\n" + IN_BASE64[20:] + "\n", SOURCE, "%%%", ""])
def test_text_is_kept_exactly(text: str) -> None:
    found = trait(text)
    assert found.callable_code is not None
    assert found.callable_code.text == text
    assert found.model_dump()["callable_code"] == found.model_dump(mode="json")["callable_code"] == text


@given(st.binary() | st.text())
def test_a_trait_with_any_code_is_read_back(code: bytes | str) -> None:
    found = trait(code)
    read = [CallableRubricTrait.model_validate(found.model_dump()), copy.deepcopy(found)]
    read += [CallableRubricTrait.model_validate_json(found.model_dump_json()), pickle.loads(pickle.dumps(found))]
    assert read == [found] * 4
    if isinstance(code, bytes):
        text = CallableCode(code).text
        assert (text, CallableCode(text)) == (base64.b64encode(code).decode(), code)


def test_the_same_bytes_under_another_text_are_another_code() -> None:
    plain, encoded = CallableCode(SOURCE), CallableCode(IN_BASE64)
    assert plain != encoded
    assert not plain == encoded  # noqa: SIM201  # equality and inequality are two methods
    assert plain == encoded[:]
    assert len({CallableCode(SOURCE), CallableCode(SOURCE)}) == 1


def test_a_trait_takes_code_that_is_code_already_as_it_is() -> None:
    found = trait(CallableCode(SOURCE))
    found.description = "edited"
    assert found.callable_code is not None
    assert found.callable_code.form == "source"


@pytest.mark.parametrize("code", [1, ["AAA="], {}, bytearray(b"x")])
def test_other_things_are_no_code(code: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(CallableCode).validate_python(code)


# Running it


@pytest.mark.slow
@pytest.mark.parametrize("code", [CITED, CITED.encode(), base64.b64encode(CITED.encode()).decode()])
def test_trusted_source_is_run_in_every_form_in_which_it_is_stored(code: str | bytes) -> None:
    assert judged(trait(code), "so it is [1]") is True
    assert judged(trait(code, invert_result=True), "so it is") is True


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
        "from functools import cache\n@cache\ndef f(t): return 'a' in t",
        "class Judge:\n  def __call__(self, t): return 'a' in t\nf = Judge()",
    ],
)
def test_a_source_states_which_function_is_meant(source: str) -> None:
    request = {"code": base64.b64encode(source.encode()), "pickled": False, "name": "cited"}
    assert [callable_worker.answer({**request, "text": text}) for text in ("cat", "dog")] == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "members", "source", "result"),
    [
        ("score", {"min_score": 0, "max_score": 10}, "lambda text: len(text)", 3),
        ("score", {}, "lambda text: -1e300", -1e300),
        ("literal", {"classes": {"no": "n", "yes": "y"}}, "lambda text: 'yes'", 1),
    ],
)
def test_scores_and_classes_come_back(kind: str, members: dict[str, Any], source: str, result: object) -> None:
    found = judged(trait(source, kind, **members), "cat")
    assert (found, type(found)) == (result, type(result))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("members", "source", "message"),
    [
        ({"kind": "score"}, "lambda text: float('nan')", "returned nan, not a number"),
        ({"kind": "score", "min_score": 1}, "lambda text: 10**400", "000, not a number from 1"),
        ({}, "class E(Exception):\n  __str__ = None\ndef f(t): raise E", "raised E (line 3)"),
        ({}, "lambda text: None", "the function of the trait 'cited' returned None, which is no truth value"),
        ({}, "lambda text: [text] * 1000", "returned ['cat', 'cat', "),
        (
            {},
            "def f(text):\n    return text.nope",
            "object has no attribute 'nope' (line 2)",
        ),
        ({}, "lambda: True", "raised TypeError: <lambda>() takes 0 positional"),
        ({}, "def f(text) return", "raised SyntaxError: "),
        ({}, "def f(t): ...\ndef g(t): ...", "defines the functions f, g: it needs one, or one called 'cited'"),
        ({}, "from re import search as found  # no def", "defines no function: it needs one"),
        ({}, "class Def: pass", "defines no function"),
        ({}, b"\x00\x00", "neither Python source nor a pickle"),
        ({}, "", "the stored code is missing"),
        ({}, pickle.dumps(3), "is a pickle that holds no function but int"),
        ({}, pickle.dumps([1])[:-4], "raised "),
    ],
)
def test_what_is_no_result_is_reported(
    members: dict[str, Any], source: str | bytes, message: str, recwarn: pytest.WarningsRecorder
) -> None:
    whole = {"name": "cited", "kind": "boolean", "callable_code": source, **members}
    with pytest.raises(EvaluationError) as caught:
        CallableRubricTrait.model_validate(whole, context=LENIENT).evaluate("cat", trust=TRUST)
    assert message in str(caught.value)
    assert {one.category for one in recwarn} <= {StoredCodeWarning}


def test_an_endless_function_is_ended() -> None:
    source = "def f(text):\n    while True: pass"
    assert "took longer than 0.3 s" in failure(trait(source), trust=Trust(seconds=0.3))


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", 'é\ud800\x00\n"\\', "x" * 300_000])
def test_every_text_reaches_the_function(text: str) -> None:
    expected = text.encode("utf-8", "surrogatepass").hex()
    assert judged(trait(f"lambda text: text.encode('utf-8', 'surrogatepass').hex() == {expected!r}"), text) is True


def test_nothing_is_run_without_trust_and_an_own_function_comes_before_the_stored_one() -> None:
    stored = trait("raise SystemExit")
    with pytest.raises(EvaluationError, match=r"never run; pass .*callable_override.*or trust=Trust\(\)"):
        stored.evaluate("text")
    assert stored.evaluate("text", callable_override=lambda _: True, trust=TRUST) is True


def test_nothing_but_trust_trusts() -> None:
    stored = CallableRubricTrait(name="c", kind="boolean", callable_code=CallableCode("lambda text: True"))
    for call in (lambda: stored.evaluate("x", trust=True), lambda: stored.deserialize_callable(trust=True)):  # type: ignore[arg-type]
        with pytest.raises(WrongTypeError, match=r"^trust is of type bool: give Trust\(\)$"):
            call()
    with pytest.raises(WrongTypeError, match="the code is of type int: give bytes or str"):
        CallableCode(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, 3, b"text"])
def test_only_texts_are_judged(text: Any) -> None:
    with pytest.raises(EvaluationError, match="give a text"):
        trait(CITED).evaluate(text, callable_override=lambda _: True)


# Storing a function


class TestWithCloudpickle:
    """Functions that are stored in the way that Karenina can load."""

    @pytest.fixture(autouse=True)
    def cloudpickle(self) -> Any:
        return pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")

    def test_a_function_is_stored_and_run(self) -> None:
        least = 3
        found = CallableRubricTrait.from_callable("long", lambda text: len(text) > least, "boolean", "is it long?")
        assert found.callable_code is not None
        held = (found.callable_code.form, found.description, found.higher_is_better)
        assert held == ("pickle", "is it long?", True)
        read = CallableRubricTrait.model_validate_json(found.model_dump_json())
        assert (judged(read, "lead"), judged(read, "tin")) == (True, False)

    def test_the_function_itself_runs_until_the_trait_is_read(self) -> None:
        heard: list[str] = []

        def is_long(text: str) -> bool:
            heard.append(text)
            return len(text) > 3

        made = CallableRubricTrait.from_callable("long", is_long, "boolean", invert_result=True)
        assert (made.evaluate("lead"), made.evaluate("tin"), heard) == (False, True, ["lead", "tin"])
        assert made.model_copy(deep=True).evaluate("lead") is False
        assert made.evaluate("lead", callable_override=lambda _: False) is True
        assert judged(made, "tin") is True
        assert heard == ["lead", "tin", "lead"]
        for read in (
            CallableRubricTrait.model_validate_json(made.model_dump_json()),
            pickle.loads(pickle.dumps(made)),
            made.model_copy(update={"callable_code": CallableCode("lambda text: True")}),
        ):
            with pytest.raises(EvaluationError, match="stored code is never run"):
                read.evaluate("lead")
        failing = CallableRubricTrait.from_callable("fails", lambda text: 1 / len(text) > 0, "boolean")
        with pytest.raises(EvaluationError, match="the function raised ZeroDivisionError"):
            failing.evaluate("")

    def test_all_members_are_kept(self) -> None:
        found = CallableRubricTrait.from_callable("s", len, "score", None, "length", 0, 9, higher_is_better=None)
        assert (found.min_score, found.max_score, found.summary, found.higher_is_better) == (0, 9, "length", None)
        assert judged(found, "lead") == 4
        classes = {"no": "n", "yes": "y"}
        named = CallableRubricTrait.from_callable("k", lambda _: "yes", "literal", classes=classes)
        assert judged(named, "") == 1
        assert CallableRubricTrait.from_callable("i", lambda _: True, "boolean", invert_result=True).invert_result

    @pytest.mark.parametrize(
        ("func", "kind", "members", "error", "message"),
        [
            (lambda: True, "boolean", {}, SettingsError, "of 0 parameters: give one of exactly one parameter"),
            (lambda _a, _b: True, "boolean", {}, SettingsError, "a function of 2 parameters"),
            ("def f(t): ...", "boolean", {}, SettingsError, "no function"),
            (max, "boolean", {}, SettingsError, "no function"),
            (len, "score", {}, SettingsError, "a score needs a range"),
            (len, "score", {"min_score": 1}, SettingsError, "a score needs a range"),
            (len, "boolean", {"max_score": 1}, SettingsError, "a truth value has no range"),
            (len, "literal", {}, ValidationError, "at least two classes"),
            (len, "score", {"min_score": 2, "max_score": 2}, ValidationError, "min_score 2"),
            (len, "other", {}, ValidationError, "kind"),
        ],
    )
    def test_what_makes_no_trait_is_refused(
        self, func: Any, kind: Any, members: Any, error: type[Exception], message: str
    ) -> None:
        with pytest.raises(error, match=message):
            CallableRubricTrait.from_callable("a", func, kind, **members)

    def test_a_function_that_holds_what_cannot_be_stored_is_refused(self) -> None:
        lock = threading.Lock()
        with pytest.raises(WriteError, match="cannot be stored: "):
            CallableRubricTrait.from_callable("a", lambda text: lock.locked() or text, "boolean")

    def test_a_pickle_that_runs_code_when_it_is_read_does_so_only_in_the_other_process(self) -> None:
        assert "exit code 9" in failure(trait(pickle.dumps(Trap())))


def test_without_cloudpickle_a_function_cannot_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(WriteError, match=r"only with the package cloudpickle: install it"):
        CallableRubricTrait.from_callable("a", lambda _: True, "boolean")


def test_a_pickle_that_needs_cloudpickle_states_so(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = 'raise ModuleNotFoundError("No module named \'cloudpickle\'", name="cloudpickle")\n'
    (tmp_path / "cloudpickle.py").write_text(missing)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = trait(b"\x80\x04\x8c\x17cloudpickle.cloudpickle\x94\x8c\x0e_make_function\x94\x93\x94.")
    assert "is a cloudpickle: install the package cloudpickle to run it" in failure(found)
