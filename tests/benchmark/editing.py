"""What the tests of edits share: documents that say more than we know, and benchmarks compared with documents."""

import json
from datetime import datetime
from typing import Any

from checkpoint_ld import Benchmark
from tests.documents import canonical, item, setting

Json = Any
METAL = "urn:uuid:question-metal-1"
EDITED = "edited"
"""Stands for the date of an edit."""


def load(tree: Json) -> Benchmark:
    return Benchmark.load(json.dumps(tree).encode())


def strange(*items: Json) -> Json:
    """Return a benchmark with members, properties and a term that nobody knows, at every object of a question."""
    tree = canonical(*items)
    tree["@context"]["ex"] = "https://example.org/terms#"
    tree["ex:colour"] = {"@type": "ex:Colour", "ex:shade": ["dark", None, 1.0]}
    tree["two words"] = [1, [2, []]]
    tree["additionalProperty"].append({**setting("licence", {"@id": [1, None]}), "ex:since": 2020})
    for element in tree["dataFeedElement"]:
        element["ex:origin"] = "a book"
        given = element["item"]
        given["unknown"] = {"deep": {"@list": ["x", {}]}, "none": None}
        given["acceptedAnswer"]["ex:sure"] = True
        given["hasPart"]["codeRepository"] = "karenina-benchmarks"
        given["additionalProperty"][0]["ex:by"] = "B. Jones"
        given["additionalProperty"] += [
            setting("custom_level", ["easy", 1.0, None]),
            setting("original_answer_template", "class A: ..."),
        ]
    return tree


def plain_item(text: str, identifier: str | None, **properties: Json) -> Json:
    """Return a feed item whose question is not finished and has these properties."""
    whole = item(text, identifier)
    whole["item"]["additionalProperty"] = [setting("finished", False), *(setting(*one) for one in properties.items())]
    return whole


def assert_says(benchmark: Benchmark, tree: Json, *, edited: bool = True) -> None:
    """Assert that a benchmark says what `tree` does, where `EDITED` stands for a date that an edit has set.

    So does what is read back from its statements, and from its JSON. If `edited`, the benchmark itself is dated.
    """
    stated = benchmark.to_jsonld("plain")
    assert (datetime.fromisoformat(stated["dateModified"]).tzinfo is not None) is edited
    expected = {**tree, "dateModified": EDITED if edited else tree["dateModified"]}
    assert _dated(stated, expected) == expected
    for again in (Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt"), load(stated)):
        assert again.to_jsonld("plain") == stated
        assert again.get_all_questions() == benchmark.get_all_questions()


def _dated(words: Json, expected: Json) -> Json:
    """Return `stated` with `EDITED` for each recent date where `expected` has it."""
    if isinstance(words, dict) and isinstance(expected, dict):
        return {key: _dated(value, expected.get(key)) for key, value in words.items()}
    if isinstance(words, list) and isinstance(expected, list) and len(words) == len(expected):
        return [_dated(*pair) for pair in zip(words, expected, strict=True)]
    if expected == EDITED and isinstance(words, str) and datetime.fromisoformat(words) > BEFORE:
        return EDITED
    return words


BEFORE = datetime.now().astimezone()
