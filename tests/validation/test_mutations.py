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


def json_ld_faults(dialect: str) -> list[tuple[str, Json, str, str]]:
    """Return faults of the dialects whose questions are feed items: what, operation, rule, pointer."""
    item = f"{ITEMS.get(dialect, '/dataFeedElement')}/0"
    question = f"{item}/item"
    rating = f"{question}/rating/0"
    faults = [
        ("no text", remove(f"{question}/text"), "question-text", f"{question}/text"),
        ("empty text", put(f"{question}/text", ""), "question-text", f"{question}/text"),
        ("no answer", remove(f"{question}/acceptedAnswer"), "question-answer", f"{question}/acceptedAnswer"),
        (
            "answer a number",
            put(f"{question}/acceptedAnswer/text", 5),
            "answer-text",
            f"{question}/acceptedAnswer/text",
        ),
        ("no template", remove(f"{question}/hasPart"), "template-missing", f"{question}/hasPart"),
        ("broken template", put(f"{question}/hasPart/text", "class ("), "template-syntax", f"{question}/hasPart/text"),
        ("no name of a trait", remove(f"{rating}/name"), "trait-name", f"{rating}/name"),
        ("empty range", put(f"{rating}/worstRating", 7), "rating-range", f"{rating}/worstRating"),
        ("misspelt type", put(f"{rating}/additionalType", "GlobalRegxTrait"), "trait-type", f"{rating}/additionalType"),
        ("no date", put(f"{item}/dateModified", "yesterday"), "item-date-format", f"{item}/dateModified"),
        ("no name", remove("/name"), "benchmark-name", "/name"),
        ("finished is banana", put(f"{question}/additionalProperty/0/value", "banana"), "finished", "finished"),
        ("misspelt key", add(f"{question}/acceptedAnser", {}), "member-misspelt", f"{question}/acceptedAnser"),
        ("an element twice", {"op": "copy", "path": item}, "item-id-duplicate", f"{item[:-1]}1/@id"),
        ("an array in an array", put(f"{question}/rating", [[]]), "member-nested", f"{question}/rating"),
    ]
    return [(what, change, rule, pointer) for what, change, rule, pointer in faults]


def state_faults() -> list[tuple[str, Json, str, str]]:
    """Return faults of the GUI's state."""
    entry, lowest = f"/checkpoint/{KEY}", "/global_rubric/traits/0/min_score"
    return [
        ("empty text", put(f"{entry}/question", ""), "question-text", f"{entry}/question"),
        ("broken template", put(f"{entry}/answer_template", "class ("), "template-syntax", f"{entry}/answer_template"),
        ("finished is banana", put(f"{entry}/finished", "banana"), "finished", f"{entry}/finished"),
        ("empty range", put(lowest, 9), "rating-range", lowest),
        ("no date", put(f"{entry}/last_modified", "yesterday"), "item-date-format", f"{entry}/last_modified"),
    ]


def flat_faults() -> list[tuple[str, Json, str, str]]:
    """Return faults of the flat dialect."""
    question, pattern = "/dataFeedElement/0", "/rubric/regex_traits/0/pattern"
    template = f"{question}/answerTemplate"
    return [
        ("empty text", put(f"{question}/name", ""), "question-text", f"{question}/name"),
        ("no answer", remove(f"{question}/acceptedAnswer"), "question-answer", f"{question}/acceptedAnswer"),
        ("broken pattern", put(pattern, "["), "pattern-compiles", pattern),
        ("broken template", put(template, "class ("), "template-syntax", template),
    ]


def list_faults() -> list[tuple[str, Json, str, str]]:
    """Return faults of the earliest dialect."""
    return [
        ("empty text", put("/questions/0/question", ""), "question-text", "/questions/0/question"),
        ("broken template", put("/templates/q1/template", "class ("), "template-syntax", "/templates/q1/template"),
    ]


def put(path: str, value: Any) -> Json:
    return {"op": "replace", "path": path, "value": value}


def add(path: str, value: Any) -> Json:
    return {"op": "add", "path": path, "value": value}


def remove(path: str) -> Json:
    return {"op": "remove", "path": path}


def faults() -> list[Any]:
    by_dialect = {"v2.0-traits-key": state_faults(), "flat": flat_faults(), "v2.0-other": list_faults()}
    by_dialect["v2.0"] = []
    return [
        pytest.param(dialect, *fault[1:], id=f"{dialect}: {fault[0]}")
        for dialect in DIALECTS
        for fault in by_dialect.get(dialect) or (json_ld_faults(dialect) if dialect not in by_dialect else [])
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
    assert [str(one) for one in findings(valid(dialect)) if one.severity is Severity.VIOLATION] == []


@pytest.mark.slow
@pytest.mark.parametrize(("dialect", "change", "rule", "pointer"), faults())
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
    if rule == "finished" and "checkpoint" not in pointer:
        assert (held.place.pointer or "").endswith("/item/additionalProperty/0/value")
    else:
        assert held.place.pointer == pointer
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
