"""Seeded faults: from valid documents of every dialect, each is found by its rule at its line and column."""

import copy
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, families, writing
from checkpoint_ld.dialects.reading import examine_bytes
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.rules import document, patch
from checkpoint_ld.validation import profiles
from tests.rules.broken import added, removed, replaced
from tests.trials import examples

Json = dict[str, Any]

ANSWER = (
    "class Answer(BaseAnswer):\n    metal: str\n\n    def verify(self) -> bool:\n        return self.metal == 'Hg'\n"
)
TRAIT = {"name": "depth", "kind": "score", "min_score": 1, "max_score": 5, "higher_is_better": True}
REGEX = {"name": "cites", "pattern": "\\[\\d+\\]", "higher_is_better": True}
KEY = "4f1c0a77d7a54b2c9a3e8f6b5d4c3b2a"

BY_HAND: dict[str, Json] = {
    "v2.0-other": {
        "version": "2.0",
        "questions": [
            {
                "id": "q1",
                "question": "Which metal is liquid?",
                "category": "metals",
                "isFinished": True,
                "hasGeneratedTemplate": True,
                "rubric": {"traits": [{"name": "short", "description": "Is it?", "scale": [1, 5]}]},
            }
        ],
        "templates": {"q1": {"template": ANSWER}},
        "globalRubric": {"traits": [{"name": "clear", "description": "Is it?", "scale": [1, 5]}]},
        "progress": {"finished": 1, "total": 1},
    },
    "v2.0-traits-key": {
        "version": "2.0",
        "global_rubric": {"traits": [TRAIT]},
        "checkpoint": {
            KEY: {
                "question": "Which metal is liquid?",
                "raw_answer": "Mercury",
                "original_answer_template": ANSWER,
                "answer_template": ANSWER,
                "last_modified": "2025-09-01T08:00:00Z",
                "finished": True,
            }
        },
    },
    "flat": {
        "@context": "https://schema.org",
        "@type": "DataFeed",
        "name": "Metals",
        "version": "1.0.0",
        "dateModified": "2026-01-13T00:00:00Z",
        "rubric": {"llm_traits": [TRAIT], "regex_traits": [REGEX]},
        "dataFeedElement": [
            {
                "@type": "Question",
                "identifier": KEY,
                "name": "Which metal is liquid?",
                "acceptedAnswer": {"@type": "Answer", "text": "Mercury"},
                "answerTemplate": ANSWER,
            }
        ],
    },
}


def older(tree: Json) -> Json:
    """Return a canonical document as Karenina wrote it before March 2026."""
    text = json.dumps(tree).replace("karenina:", "").replace("https://schema.org/", "http://schema.org/")
    loaded: Json = json.loads(text)
    del loaded["@context"]["karenina"]
    return loaded


RATING = {
    "@type": "Rating",
    "name": "clear",
    "description": "Is it clear?",
    "bestRating": 1,
    "worstRating": 0,
    "additionalType": "QuestionSpecificRubricTrait",
}


def first_dataset(tree: Json) -> Json:
    """Return a Dataset of August 2025 as the GUI wrote it a month before: global traits as JSON text."""
    held = copy.deepcopy(tree)
    held["rating"] = []
    traits = json.dumps([TRAIT])
    held["additionalProperty"] = [{"@type": "PropertyValue", "name": "global_rubric_traits", "value": traits}]
    return held


@cache
def valid(dialect: str) -> str:
    """Return a valid document of a dialect as text."""
    if dialect in BY_HAND:
        return json.dumps(BY_HAND[dialect])
    tree: Json = document("metals")
    del tree["rating"][4], tree["dataFeedElement"][0]["item"]["rating"][2]
    benchmark = Benchmark.load(json.dumps(tree).encode())
    if dialect == "datafeed-legacy":
        return json.dumps(older(tree))
    written = "dataset-1" if dialect == "dataset-0" else dialect
    data = json.loads(writing.write(benchmark.graph, syntax="jsonld", dialect=written).data)
    if dialect in ITEMS:  # a Dataset has no words for the regular expressions of the first question
        data["hasPart"][0]["item"]["rating"] = [RATING]
    return json.dumps(first_dataset(data) if dialect == "dataset-0" else data)


DIALECTS = (
    *("v2.0-other", "v2.0-traits-key", "v2.0", "flat", "dataset-0", "dataset-1"),
    *("gui-datafeed", "datafeed-legacy", "datafeed-ns-v3"),
)
ITEMS = {"dataset-0": "/hasPart", "dataset-1": "/hasPart"}


Fault = tuple[str, Json, str, str]
"""What was done, the operation, the rule that finds it, and where."""


def fault(what: str, change: Json, rule: str, pointer: str | None = None) -> Fault:
    """Return a fault, which is found where it was made if nothing else is stated."""
    return what, change, rule, change["path"] if pointer is None else pointer


def json_ld_faults(dialect: str) -> list[Fault]:
    """Return faults of the dialects whose questions are feed items."""
    item = f"{ITEMS.get(dialect, '/dataFeedElement')}/0"
    question = f"{item}/item"
    rating = f"{question}/rating/0"
    return [
        fault("no text", removed(f"{question}/text"), "question-text"),
        fault("empty text", replaced(f"{question}/text", ""), "question-text"),
        fault("no answer", removed(f"{question}/acceptedAnswer"), "question-answer"),
        fault("answer a number", replaced(f"{question}/acceptedAnswer/text", 5), "answer-text"),
        fault("no template", removed(f"{question}/hasPart"), "template-missing"),
        fault("broken template", replaced(f"{question}/hasPart/text", "class ("), "template-syntax"),
        fault("no name of a trait", removed(f"{rating}/name"), "trait-name"),
        fault("empty range", replaced(f"{rating}/worstRating", 7), "rating-range"),
        fault("misspelt type", replaced(f"{rating}/additionalType", "GlobalRegxTrait"), "trait-type"),
        fault("no date", replaced(f"{item}/dateModified", "yesterday"), "item-date-format"),
        fault("no name", removed("/name"), "benchmark-name"),
        fault("finished is banana", replaced(f"{question}/additionalProperty/0/value", "banana"), "finished", ""),
        fault("misspelt key", added(f"{question}/acceptedAnser", {}), "member-misspelt"),
        fault("an element twice", {"op": "copy", "path": item}, "item-id-duplicate", f"{item[:-1]}1/@id"),
        fault("an array in an array", replaced(f"{question}/rating", [[]]), "member-nested"),
    ]


ENTRY = f"/checkpoint/{KEY}"
OF_OTHER_DIALECTS = {
    "v2.0-traits-key": [
        fault("empty text", replaced(f"{ENTRY}/question", ""), "question-text"),
        fault("broken template", replaced(f"{ENTRY}/answer_template", "class ("), "template-syntax"),
        fault("finished is banana", replaced(f"{ENTRY}/finished", "banana"), "finished"),
        fault("empty range", replaced("/global_rubric/traits/0/min_score", 9), "rating-range"),
        fault("no date", replaced(f"{ENTRY}/last_modified", "yesterday"), "item-date-format"),
    ],
    "flat": [
        fault("empty text", replaced("/dataFeedElement/0/name", ""), "question-text"),
        fault("no answer", removed("/dataFeedElement/0/acceptedAnswer"), "question-answer"),
        fault("broken pattern", replaced("/rubric/regex_traits/0/pattern", "["), "pattern-compiles"),
        fault("broken template", replaced("/dataFeedElement/0/answerTemplate", "class ("), "template-syntax"),
    ],
    "v2.0-other": [
        fault("empty text", replaced("/questions/0/question", ""), "question-text"),
        fault("broken template", replaced("/templates/q1/template", "class ("), "template-syntax"),
    ],
    "v2.0": [],
}
FAULTS = [
    pytest.param(dialect, *rest, id=f"{dialect}: {what}")
    for dialect in DIALECTS
    for what, *rest in (OF_OTHER_DIALECTS[dialect] if dialect in OF_OTHER_DIALECTS else json_ld_faults(dialect))
]


def findings(text: str) -> tuple[Finding, ...]:
    return families.check(text.encode(), profiles.profile()).findings


@cache
def unbroken(dialect: str) -> frozenset[tuple[str, str | None]]:
    """Return the findings of the valid document of a dialect."""
    return frozenset((one.code, one.place.pointer) for one in findings(valid(dialect)))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_valid_document_has_no_violation(dialect: str) -> None:
    assert examine_bytes(valid(dialect).encode()).dialect == dialect
    found = [one for one in findings(valid(dialect)) if one.severity is Severity.VIOLATION]
    assert {one.rule for one in found} <= {"dialect-not-loaded", "metric-mode-gui"}, "what Karenina refuses"


@pytest.mark.slow
@pytest.mark.parametrize(("dialect", "change", "rule", "pointer"), FAULTS)
def test_a_fault_is_found_by_its_rule_at_its_place(dialect: str, change: Json, rule: str, pointer: str) -> None:
    tree = json.loads(valid(dialect))
    if change["op"] == "copy":
        elements = tree[change["path"].split("/")[1]]
        elements.insert(1, copy.deepcopy(elements[0]))
    else:
        patch(tree, [change])
    text = json.dumps(tree, ensure_ascii=False, indent=len(pointer) % 2 or None)  # every other one in a single line
    before = unbroken(dialect)
    found = [one for one in findings(text) if (one.code, one.place.pointer) not in before]

    assert rule in {one.rule for one in found}, [str(one) for one in found]
    held = next(one for one in found if one.rule == rule)
    if pointer:
        assert held.place.pointer == pointer
    else:  # each dialect has the setting at another index
        assert (held.place.pointer or "").endswith("/item/additionalProperty/0/value")
    assert_starts_there(text, held)


def assert_starts_there(text: str, found: Finding) -> None:
    """Hold line and column against the text, by a way of its own: the value that is read there is the one meant."""
    assert found.place.line is not None
    assert found.place.column is not None
    lines = text.split("\n")
    rest = "\n".join([lines[found.place.line - 1][found.place.column - 1 :], *lines[found.place.line :]])
    value, key = json.loads(text), ""
    for token in (found.place.pointer or "").split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, TypeError, ValueError):
            break
    read, _ = json.JSONDecoder().raw_decode(rest)
    assert read in (value, key)


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 5, 0.5, "", "x", [], {}, ["x"], {"a": 1}, [None], [[]], -1, "5"]
)


@st.composite
def mutated(draw: st.DrawFn) -> Json:
    """Return a valid document in which one value was replaced, removed, repeated or emptied."""
    tree: Json = document(draw(st.sampled_from(["metals", "interview"])))
    holder: Any = tree
    key: Any = None
    for _ in range(draw(st.integers(1, 9))):
        inner = holder if key is None else holder[key]
        if not isinstance(inner, dict | list) or not inner:
            break
        keys = [one for one in inner if one != "@context"] if isinstance(inner, dict) else list(range(len(inner)))
        holder, key = inner, draw(st.sampled_from(keys))
    match draw(st.sampled_from(["remove", "replace", "repeat", "wrap"])):
        case "remove":
            del holder[key]
        case "repeat" if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        case "wrap":
            holder[key] = [holder[key]]
        case _:
            holder[key] = copy.deepcopy(draw(ODD))
    return tree


@settings(max_examples=examples(40), deadline=None)
@given(mutated())
def test_whatever_happens_to_a_document_what_reading_refuses_is_a_violation_with_its_place(tree: Json) -> None:
    text = json.dumps(tree, indent=1)
    found = findings(text)
    try:
        refused = [one for one in examine_bytes(text.encode()).findings if one.severity is Severity.VIOLATION]
    except ReadError as error:
        refused = list(error.findings)

    if refused:
        assert any(one.severity is Severity.VIOLATION for one in found), refused
    for one in found:
        assert one.place.line is not None, one
        assert one.message
        if one.place.pointer:
            assert_starts_there(text, one)
    places = [(one.code, one.place.pointer) for one in found]
    assert len(set(places)) == len(places)
