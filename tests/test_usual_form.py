"""What is called usual would not be changed by the longer way."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from checkpoint_ld.dialects.reading.literal_form import Normalization, PlainNames, UnusualObjects, is_literal
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.literals import same
from tests.corpus import expectations
from tests.documents import canonical, item
from tests.test_compiled import damaged, trees
from tests.test_graph import documents
from tests.trials import examples

Json = Any


def is_usual(tree: Json) -> bool:
    """Whether a document is usual, after what is found of its elements was held against the longer way."""
    table, names = contexts.table(tree.get("@context")), PlainNames.of_context(tree.get("@context"))
    marked = UnusualObjects(table, names).find(tree)
    if marked is None:
        return False
    assert is_literal(tree, table, names, marked) == is_literal(tree, table, names)
    if is_literal(tree, table, names):
        longer, shorter = Normalization(table), Normalization(table, marked)
        assert same(longer.root(tree), shorter.root(tree) if marked else tree)
        assert (longer.forms, longer.changed) == (shorter.forms, shorter.changed)
    return not marked


@pytest.mark.slow
@settings(max_examples=examples(1000), deadline=None)
@given(documents() | damaged() | trees())
def test_unusual_and_damaged_documents_and_unusual_objects_beside_usual_ones(tree: Json) -> None:
    is_usual(tree)


def test_one_unusual_object_among_many_is_enough() -> None:
    tree = canonical(*(item(f"{at}?", f"urn:x:{at}") for at in range(20)))
    assert is_usual(tree)
    for unusual in ({"@type": "schema:PropertyValue", "name": "a"}, {"@id": "urn:x"}, {"schema:name": "a"}, "text"):
        changed = copy.deepcopy(tree)
        changed["dataFeedElement"][-1]["item"]["additionalProperty"].append(unusual)
        assert not is_usual(changed)


@pytest.mark.parametrize("tree", [canonical(), canonical(item(), item("Another?", None))])
def test_documents_as_karenina_writes_them_are_usual(tree: Json) -> None:
    assert is_usual({**tree, "@context": contexts.plain()})


@pytest.mark.parametrize(
    ("key", "value"),
    [("@type", ["DataFeed"]), ("rating", {"@type": "Rating"}), ("keywords", "metals"), ("schema:name", "x")],
)
def test_departures_are_not_usual(key: str, value: Json) -> None:
    assert not is_usual({**canonical(), key: value})


def test_most_files_are_usual(corpus: Path) -> None:
    files = [corpus / case["file"] for case in expectations(corpus, "datafeed-ns-v3")]
    usual = [is_usual(json.loads(path.read_bytes())) for path in files]
    assert sum(usual) > len(usual) * 0.6


@pytest.mark.parametrize("key", ["x_karenina", "rubric", "globalRubric", "note"])
def test_json_literals_in_members_that_nobody_knows_are_usual(key: str) -> None:
    literal = {"@type": "@json", "@value": {"rating": [{"@list": [None]}], "llm_traits": {}}}
    tree = canonical(item())
    tree["dataFeedElement"][0][key] = tree["dataFeedElement"][0]["item"][key] = literal

    assert is_usual(tree)
    assert not is_usual({**tree, key: {**literal, "@id": "urn:x"}})
    assert not is_usual({**tree, "text": literal})
