"""A compiled context gives exactly the statements that JSON-LD's own algorithm gives."""

from __future__ import annotations

import copy
import gc
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.dialects import reading
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import building, contexts
from tests.corpus import DIALECTS, expectations
from tests.documents import canonical, item, rich, scenario
from tests.test_graph import JSON, documents, objects_of
from tests.trials import examples

if TYPE_CHECKING:
    from pathlib import Path

Json = Any

MEMBERS = st.sampled_from(
    [
        *("name", "text", "description", "keywords", "rating", "additionalProperty", "value", "item", "hasPart"),
        *("acceptedAnswer", "additionalType", "dateCreated", "bestRating", "creator", "unknown", "nodes", "edges"),
    ]
)
VALUES: st.SearchStrategy[Json] = st.one_of(
    JSON,
    st.lists(st.sampled_from(["b", "a", "c"]), max_size=3),
    st.sampled_from([[], None, 1, 1.0, -0.0, True, "GlobalRegexTrait", "karenina:GlobalRegexTrait", "a b", 10**400]),
    st.sampled_from([{"@id": "urn:x"}, {"@id": "urn:x", "name": "x"}, {"@value": "x"}, {"name": "x"}, {}, [{}, {}]]),
    st.sampled_from(["2026-01-01T00:00:00", "2026-02-30T00:00:00", {"@type": "Person", "name": "A"}]),
)


def agrees(tree: Json) -> bool:
    """Tell whether the compiled way covers a tree, having held it against the other way.

    So is what leaves the members to PyLD that are not covered.
    """
    found = building.index_of(copy.deepcopy(tree))
    exact = building.by_algorithm(copy.deepcopy(tree))
    assert building.index_with_left(copy.deepcopy(tree)) in (None, exact)
    assert found in (None, exact)
    return found is not None


@st.composite
def damaged(draw: st.DrawFn) -> Json:
    tree = canonical() if draw(st.booleans()) else rich()
    objects = objects_of(tree) if draw(st.booleans()) else [tree, *tree["dataFeedElement"]]
    for _ in range(draw(st.integers(1, 4))):
        one = draw(st.sampled_from(objects))
        if draw(st.booleans()):
            one[draw(MEMBERS)] = draw(VALUES)
        else:
            one.pop(draw(MEMBERS), None)
    return tree


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(documents())
def test_odd_documents_give_the_same_statements_either_way(tree: Json) -> None:
    agrees(tree)


@pytest.mark.slow
@settings(max_examples=examples(400), deadline=None)
@given(damaged())
def test_damaged_documents_give_the_same_statements_either_way(tree: Json) -> None:
    try:
        building.by_algorithm(copy.deepcopy(tree))
    except ReadError:
        assert building.index_of(tree) is None
        assert building.index_with_left(tree) is None
        return
    agrees(tree)


@pytest.mark.parametrize("context", [contexts.plain(), contexts.improved(), None, {"@vocab": "https://schema.org/"}])
def test_documents_as_karenina_and_we_write_them_are_covered(context: Json) -> None:
    for tree in (canonical(item(), item("Another?", None)), rich(), scenario()):
        unshared = json.loads(json.dumps(tree))
        assert agrees({**unshared, "@context": context})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(
            ("note", {}),
            ("note", [{}, {"@id": "urn:x"}]),
            ("see", {"@id": "urn:x"}),
            ("ex:note", "x"),
            ("two words", 1),
        ),
        *(("@type", ["Question", "Thing"]), ("note", {"@value": "x", "@language": "en"}), ("note", [[1], {"a": {}}])),
        *(("note", {"@id": "https://example.org/#a", "name": {"name": "b"}}), ("@id", 5), ("keywords", {"@list": []})),
    ],
)
def test_what_is_not_covered_is_left_to_pyld_alone(key: str, value: Json) -> None:
    tree = json.loads(json.dumps({**rich(), "@context": {**contexts.plain(), "ex": "https://example.org/"}}))
    tree["dataFeedElement"][0]["item"][key] = value

    agrees(tree)
    assert building.index_with_left(tree) is not None


@pytest.mark.parametrize("levels", [20, 80])
def test_what_is_nested_deeply_is_left_to_the_algorithm_as_a_whole(levels: int) -> None:
    tree = json.loads(json.dumps(canonical(item())))
    part = tree["dataFeedElement"][0]["item"]
    for _ in range(levels):
        part["part"] = part = {"name": "a", "two words": 1}

    agrees(tree)
    assert (building.index_with_left(tree) is None) == (levels == 80)


def test_terms_of_a_documents_own_are_covered() -> None:
    tree = {**canonical(), "reviewed": "2026-01-01", "@context": {**contexts.plain(), "reviewed": "urn:x:reviewed"}}
    assert agrees(tree)


@pytest.mark.slow
def test_every_file_gives_the_same_statements_either_way(corpus: Path) -> None:
    files = [corpus / case["file"] for dialect in DIALECTS for case in expectations(corpus, dialect)]
    covered = [agrees(reading.examine(path).tree) for path in files]
    assert sum(covered) > len(covered) * 0.97


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(is_enabled: bool) -> None:
    was_enabled = gc.isenabled()
    (gc.enable if is_enabled else gc.disable)()
    try:
        building.built(canonical())
        assert gc.isenabled() is is_enabled
        deep: Json = {}
        for _ in range(5000):
            deep = {"unknown": deep}
        with pytest.raises(ReadError):
            building.built({**canonical(), "unknown": deep})
        assert gc.isenabled() is is_enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()
