"""A compiled context gives the statements of the whole algorithm for what the W3C tests JSON-LD 1.1 with.

The tests are about any JSON-LD, a checkpoint is one shape of it. So each document is tried as it is, as a feed, as a
member that nobody knows, and as a question: what the compiled way covers of them has to come out the same.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import building
from tests.trials import some

Json = Any

ROOT = {"@type": "DataFeed", "@id": "urn:x:feed"}


def as_it_is(document: Json) -> Json:
    return document


def as_a_feed(document: Json) -> Json:
    return {"@type": "DataFeed", **document}


def as_a_member(document: Json) -> Json:
    context = {"@context": document["@context"]} if "@context" in document else {}
    return {**context, **ROOT, "unknown": without_context(document)}


def as_a_question(document: Json) -> Json:
    question = {"@type": "Question", **without_context(document)}
    return {**ROOT, "dataFeedElement": [{"@type": "DataFeedItem", "item": question}]}


def without_context(document: Json) -> Json:
    return {key: value for key, value in document.items() if key != "@context"}


def documents(folder: Path, suite: str) -> Iterator[Json]:
    """Yield the inputs of the tests of JSON-LD 1.1 that are one object."""
    manifest = json.loads((folder / f"{suite}-manifest.jsonld").read_bytes())
    for test in manifest["sequence"]:
        if test.get("option", {}).get("specVersion") != "json-ld-1.0":
            document = json.loads((folder / test["input"]).read_bytes())
            if isinstance(document, dict):
                yield document


def agrees(tree: Json) -> bool:
    """Tell whether the compiled way covers a tree, having held it against the other way."""
    found = building.index_of(copy.deepcopy(tree))
    try:
        expected = building.by_algorithm(tree)
    except ReadError:
        assert found is None
        return False
    assert found in (None, expected)
    return found is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "least", "suite"),
    some(
        [
            (place, least, suite)
            for place, least in ((as_it_is, 10), (as_a_feed, 100), (as_a_member, 100), (as_a_question, 100))
            for suite in ("expand", "toRdf")
        ],
        3,
    ),
)
def test_what_is_covered_gives_the_statements_of_the_algorithm(
    w3c: Path, place: Callable[[Json], Json], least: int, suite: str
) -> None:
    covered = [agrees(place(document)) for document in documents(w3c / "json-ld-api", suite)]
    assert len(covered) > 300
    assert sum(covered) > least
