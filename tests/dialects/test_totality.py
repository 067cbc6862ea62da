"""Any document that a dialect recognises can be upgraded and written, however mutilated it is."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as trial
from hypothesis import strategies as st

from checkpoint_ld.dialects import DIALECTS, detect
from tests.dialects import HTTPS, ITEM, Json, dataset, element, feed, prop, question, rating, state
from tests.trials import examples

NAMES = st.sampled_from(
    [
        *(
            "@id",
            "@type",
            "name",
            "value",
            "kind",
            "classes",
            "text",
            "item",
            "rating",
            "additionalProperty",
            "keywords",
        ),
        *(
            "x_karenina",
            "x_v2",
            "traits",
            "scale",
            "min_score",
            "bestRating",
            "creator_details",
            "type",
            "metrics",
            "é/~",
        ),
        *("finished", "hasPart", "creator", "rubric", "globalRubric", "dataFeedElement", "acceptedAnswer", "invert"),
    ]
)
TEXTS = st.sampled_from(
    [
        *("", "a", "tone", "literal", "score", "boolean", "template", "tp_and_tn", "Person", "Question", "DataFeed"),
        *("{}", "[]", '[{"name": "x"}]', '{"a": 1, "a": 2}', "NaN", "karenina:GlobalRubricTrait", "Global Rubric"),
        *(
            "GlobalRegexTrait",
            "QuestionSpecificMetricRubricTrait",
            "urn:uuid:q1",
            "RegexTrait",
            "true",
            "\U0001f600" * 40,
        ),
    ]
)
NUMBERS = st.integers(-3, 10) | st.floats(allow_nan=False, allow_infinity=False) | st.just(10**400)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)

_GLOBAL = [rating(), rating("cites", "GlobalRegexTrait", additionalProperty=[prop("pattern", "x")])]
_OWN = [
    rating("depth", "QuestionSpecificRubricTrait", bestRating=5, worstRating=1, deep_judgment_enabled=True),
    rating("m", "QuestionSpecificMetricRubricTrait", additionalProperty=[prop("evaluation_mode", "tp_and_tn")]),
]
_PROPERTIES = [
    prop("finished", True),
    prop("author", '{"name": "A"}'),
    prop("custom_level", "easy"),
    prop("answer_notes", "n"),
]
_LEGACY = [prop("global_regex_rubric_traits", '[{"name": "r", "pattern": "x", "invert": true}]'), prop("own", 1)]
_ELEMENT = element(item=question(rating=_OWN, additionalProperty=_PROPERTIES, keywords=["a"]), keywords=["b"])
_RUBRIC = {
    "name": "R",
    "llm_traits": [{"name": "t", "kind": "score", "scale": [1, 2, 3]}],
    "regex_traits": [{"name": "r", "pattern": "x", "weight": 1}],
    "callable_traits": [{"name": "c", "callable_code": "AAAA"}],
    "metric_traits": [{"name": "m", "metrics": ["f1"], "tp_instructions": ["x"]}],
}
_METADATA = {"name": "Metals", "creator": {"@type": "Organization", "name": "O"}, "custom_properties": {"a": "b"}}
_ITEM: dict[str, Json] = {
    "question_rubric": _RUBRIC,
    "author": {"name": "A"},
    "custom_metadata": {"level": "easy"},
    "foo": 1,
}
_LEFT = {"@id": "q", "item": {"additionalProperty": [prop("answer_notes", "n")], "rating": [rating()]}}
SEEDS: tuple[dict[str, Json], ...] = (
    feed(rating=_GLOBAL, additionalProperty=_LEGACY, globalRubric=_RUBRIC),
    feed(rating=_GLOBAL, dataFeedElement=[_ELEMENT], additionalProperty=_LEGACY, globalRubric=_RUBRIC),
    feed(dataFeedElement=[_ELEMENT], additionalProperty=[prop("checkpoint_format_version", "3.0.0-jsonld")]),
    feed(**{"@context": HTTPS}, rating=_GLOBAL, dataFeedElement=[_ELEMENT], hasPart=[{"@type": "karenina:Scenario"}]),
    dataset(rating=_GLOBAL, hasPart=[_ELEMENT]),
    dataset(hasPart=[element(item=question(rating=[rating(ratingValue=1), *_OWN]))], dataFeedElement=[element()]),
    feed(
        dataFeedElement=[
            {"@type": "Question", "name": "Which?", "answerTemplate": "", "rubric": _RUBRIC, "scenario": "s"}
        ]
    ),
    state({**_ITEM, "x_karenina": _LEFT}, global_rubric=_RUBRIC, dataset_metadata=_METADATA, extra=[1]),
    state(_ITEM, global_rubric={"traits": [{"name": "t", "type": "RegexTrait"}]}),
    {
        "version": "2.0",
        "questions": [{"id": "q1", "question": "Which?", "category": "c", "isFinished": True, "rubric": _RUBRIC}],
        "templates": {"q1": {"template": "class Answer: ..."}, "q2": {}},
        "globalRubric": _RUBRIC,
    },
)


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, held in inner for place in places(held, (*path, key)))]


@st.composite
def mutilated(draw: st.DrawFn) -> dict[str, Any]:
    """A document of some dialect in which a few places were overwritten, emptied, or given a member more."""
    document = copy.deepcopy(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        *path, last = draw(st.sampled_from(places(document)[1:]))
        holder: Any = document
        for key in path:
            holder = holder[key]
        deed = draw(st.sampled_from(["overwrite", "remove", "add"]))
        if deed == "remove":
            del holder[last]
        elif deed == "add" and isinstance(holder[last], dict):
            holder[last][draw(NAMES)] = draw(VALUES)
        elif deed == "add" and isinstance(holder[last], list):
            holder[last].append(draw(VALUES))
        else:
            holder[last] = draw(VALUES)
        assume(len(document) > 1)
    return document


@trial(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None, max_examples=examples(300)
)
@given(mutilated())
def test_whatever_is_recognised_can_be_upgraded_and_written(document: dict[str, Any]) -> None:
    found = detect(document)
    assume(found is not None)
    assert found is not None
    before = copy.deepcopy(document)

    upgrade = found.upgrade(document)

    assert document == before
    assert upgrade == found.upgrade(document)
    assert all(not place or place.startswith("/") for pair in upgrade.origins.items() for place in pair)
    for writable in DIALECTS:
        if writable.downgrade is not None:
            now = {"now": "2026-01-01T00:00:00.000Z"} if writable.name == "gui-datafeed" else {}
            written = writable.downgrade(upgrade.tree, **now)
            again = detect(written.value)
            assert again is not None
            again.upgrade(written.value)
    assert document == before


@pytest.mark.parametrize("document", SEEDS)
def test_the_documents_to_mutilate_are_of_some_dialect(document: dict[str, Any]) -> None:
    found = detect(document)

    assert found is not None
    assert found.upgrade(document).tree["dataFeedElement"]


def test_the_documents_to_mutilate_cover_all_dialects() -> None:
    assert {found.name for document in SEEDS if (found := detect(document))} == {one.name for one in DIALECTS}


def test_items_of_the_state_may_be_anything() -> None:
    document = state()
    document["checkpoint"] = {"a": 1, "b": None, "c": [], "d": {**ITEM, "question_rubric": "x"}}
    found = detect(document)

    assert found is not None
    assert [entry for entry in found.upgrade(document).tree["dataFeedElement"] if not isinstance(entry, dict)] == [
        1,
        None,
        [],
    ]
