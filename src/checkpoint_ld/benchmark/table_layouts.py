"""Tables of other harnesses and well-known data sets: which of their columns is the question, and which the answer.

A layout is found by the columns that it needs. Its question, answer and choices become the columns of these names; all
other columns stay, as custom metadata. Columns of a model's own answers never become the reference answer.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Values = Mapping[str, Any]
"""The values of a row by the names of columns, in small letters with `_` for spaces."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A layout of a table: `needs` are the columns that tell it, `uses` those that question and answer are made of."""

    name: str
    needs: frozenset[str]
    uses: frozenset[str]
    read: Callable[[Values], dict[str, Any]]
    """A function that returns `question`, `answer` and perhaps `choices`, without those that a row lacks."""
    answers: frozenset[str] = frozenset()
    """Columns with the answers of models, whose names could be those of reference answers."""
    key: str = ""
    """The column that numbers the questions, where a question has several rows: one for each filter or provider."""


def layout_of(columns: Sequence[str]) -> TableLayout | None:
    """Return the layout of a table with these columns, None for any other table."""
    names = {usual(name) for name in columns}
    return next((layout for layout in LAYOUTS if layout.needs <= names), None)


def usual(name: str) -> str:
    """Return the name of a column in small letters, with `_` for spaces and hyphens."""
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _plain(question: str, answer: str, choices: str = "") -> Callable[[Values], dict[str, Any]]:
    names = {"question": question, "answer": answer, "choices": choices}
    return lambda values: {role: values.get(name) for role, name in names.items() if name}


def _instruction(values: Values) -> dict[str, Any]:
    """Return the instruction, followed by the input where there is one."""
    parts = [part for name in ("instruction", "input") if (part := values.get(name)) not in (None, "")]
    text = "\n\n".join(map(str, parts)) if values.get("instruction") not in (None, "") else None
    return {"question": text, "answer": values.get("output")}


def _chosen(question: str, label: str, *names: str, first: int = 0) -> Callable[[Values], dict[str, Any]]:
    """Return a reader of a question with choices in columns, or in one column, of which a number is right."""

    def read(values: Values) -> dict[str, Any]:
        held = [values.get(name) for name in names]
        choices = held[0] if len(names) == 1 else held
        number = _number(values.get(label))
        is_there = isinstance(choices, list) and number is not None and 0 <= number - first < len(choices)
        return {
            "question": values.get(question),
            "choices": choices,
            "answer": string.ascii_uppercase[number - first] if is_there and number is not None else None,
        }

    return read


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or value is None:
        return None
    text = str(value).strip().removesuffix(".0")
    return int(text) if text.isdecimal() and len(text) < 3 else None


_QUESTIONS = ("question", "query", "input", "prompt", "problem", "instruction", "text")
_ANSWERS = ("answer", "output", "expected", "expected_output", "reference", "target", "ground_truth", "label")


def _only(held: Any, names: Sequence[str]) -> Any:
    """Return the value of a usual member of an object, or of its only member."""
    if not isinstance(held, Mapping):
        return held
    found = [held[name] for name in names if held.get(name) not in (None, "")]
    return found[0] if found else next(iter(held.values())) if len(held) == 1 else None


def _nested(question: str, answer: str) -> Callable[[Values], dict[str, Any]]:
    return lambda values: {
        "question": _only(values.get(question), _QUESTIONS),
        "answer": _only(values.get(answer), _ANSWERS),
    }


_EXACT = ("equals", "factuality", "similar", "icontains", "contains", "model-graded-factuality")
"""The assertions of promptfoo whose value is a reference answer, not a rubric, a pattern or code."""


def _asserted(values: Values) -> dict[str, Any]:
    stated = values.get("assert")
    held = [item for item in (stated if isinstance(stated, list) else []) if isinstance(item, Mapping)]
    found = [item.get("value") for kind in _EXACT for item in held if item.get("type") == kind]
    return {"question": _only(values.get("vars"), _QUESTIONS), "answer": found[0] if len(found) == 1 else found}


def _tested(values: Values) -> dict[str, Any]:
    """Return the question of a result of promptfoo, which has the test case in it."""
    case = values.get("testcase")
    return _asserted(case if isinstance(case, Mapping) else {})


def _expected(values: Values) -> dict[str, Any]:
    """Return a row of promptfoo's tables, whose columns are variables, and whose expectation may state its kind."""
    text = str(values.get("__expected") or "")
    kind, colon, rest = text.partition(":")
    if colon and kind.strip() in _EXACT:
        text = rest
    elif colon and re.fullmatch(r"[a-z][a-z-]*(\([^)]*\))?", kind.strip()):
        text = ""  # a rubric, a pattern or code
    held = {name: value for name, value in values.items() if not name.startswith("__")}
    return {"question": _only(held, _QUESTIONS), "answer": text.strip()}


def _sample(values: Values) -> dict[str, Any]:
    """Return the question of a sample of the harness: that of its document, or else the prompt."""
    doc, arguments = values.get("doc"), values.get("arguments")
    calls = [*arguments.values()] if isinstance(arguments, Mapping) else []
    prompts = [call.get("arg_0") for call in calls if isinstance(call, Mapping)]
    endings = [call.get("arg_1") for call in calls if isinstance(call, Mapping)]
    target, number = values.get("target"), _number(values.get("target"))
    question = next((doc[name] for name in _QUESTIONS if doc.get(name)), None) if isinstance(doc, Mapping) else None
    question = (
        question if isinstance(question, str) else next((text for text in prompts if isinstance(text, str)), None)
    )
    texts = [text.strip() for text in endings if isinstance(text, str)]
    is_choice = len(texts) == len(calls) > 1 and all(prompt == prompts[0] for prompt in prompts)
    if is_choice and number is not None and number < len(texts):
        return {"question": question, "answer": string.ascii_uppercase[number], "choices": texts}
    return {"question": question, "answer": target}


def _detail(values: Values) -> dict[str, Any]:
    """Return the question of a detail of lighteval, whose gold answers are indexes of its choices."""
    doc = values.get("doc") or values.get("__doc__")
    doc = doc if isinstance(doc, Mapping) else {}
    choices, gold = doc.get("choices"), doc.get("gold_index")
    numbers = [number for item in (gold if isinstance(gold, list) else [gold]) if (number := _number(item)) is not None]
    texts = [choices[number] for number in numbers if isinstance(choices, list) and number < len(choices)]
    return {"question": doc.get("query"), "answer": texts[0].strip() if texts and isinstance(texts[0], str) else None}


def _marked(values: Values) -> dict[str, Any]:
    """Return a question of TruthfulQA with the choices of which exactly one is marked as true."""
    held = values.get("mc1_targets")
    choices, labels = (held.get("choices"), held.get("labels")) if isinstance(held, Mapping) else (None, None)
    number = labels.index(1) if isinstance(labels, list) and labels.count(1) == 1 else None
    answer = None if number is None or not isinstance(choices, list) else string.ascii_uppercase[number]
    return {"question": values.get("question"), "choices": choices, "answer": answer}


def _layout(  # noqa: PLR0913 - a row of the table below
    name: str, needs: str, uses: str, read: Callable[[Values], dict[str, Any]], *, answers: str = "", key: str = ""
) -> TableLayout:
    return TableLayout(name, frozenset(needs.split()), frozenset(uses.split()), read, frozenset(answers.split()), key)


LAYOUTS = (
    _layout("Alpaca", "instruction input output", "instruction input output", _instruction),
    _layout("deepeval", "input expected_output", "input expected_output", _plain("input", "expected_output")),
    _layout("ragas", "user_input reference", "user_input reference", _plain("user_input", "reference")),
    _layout(
        "ragas 0.1",
        "question ground_truth",
        "question ground_truth",
        _plain("question", "ground_truth"),
        answers="answer",
    ),
    _layout("promptfoo", "vars assert", "vars assert", _asserted),
    _layout("promptfoo", "testcase testidx", "testcase vars", _tested, key="testidx"),
    _layout("promptfoo", "__expected", "__expected", _expected),
    _layout("lm-evaluation-harness", "doc_id doc target", "target", _sample, key="doc_id"),
    _layout("lighteval", "doc model_response", "", _detail),
    _layout("lighteval", "__doc__ __model_response__", "", _detail),
    _layout("LangSmith", "inputs outputs", "inputs outputs", _nested("inputs", "outputs")),
    _layout(
        "LangSmith", "inputs reference_outputs", "inputs reference_outputs", _nested("inputs", "reference_outputs")
    ),
    _layout(
        "GPQA",
        "question correct_answer incorrect_answer_1",
        "question correct_answer",
        _plain("question", "correct_answer"),
    ),
    _layout("MATH", "problem solution answer", "problem answer", _plain("problem", "answer")),
    _layout("HellaSwag", "ctx endings label", "ctx endings label", _chosen("ctx", "label", "endings")),
    _layout("PIQA", "goal sol1 sol2 label", "goal sol1 sol2 label", _chosen("goal", "label", "sol1", "sol2")),
    _layout(
        "WinoGrande",
        "sentence option1 option2 answer",
        "sentence option1 option2 answer",
        _chosen("sentence", "answer", "option1", "option2", first=1),
    ),
    _layout("TruthfulQA", "question best_answer", "question best_answer", _plain("question", "best_answer")),
    _layout("TruthfulQA", "question mc1_targets", "question mc1_targets", _marked),
    _layout("PubMedQA", "question final_decision", "question final_decision", _plain("question", "final_decision")),
)
"""The layouts that are known; the first that fits counts."""
