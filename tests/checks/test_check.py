"""The promises of the whole: it judges real documents as expected, takes any JSON object, and stays linear."""

from __future__ import annotations

import gzip
import json
import sys
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.checks import check
from tests.checks import Json, found
from tests.documents import canonical, item, scenario

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

UNSEEN = frozenset(
    ("W-FORM", "W-CONTEXT", "W-TYPE-MISSING", "W-BOM", "E-JSON", "E-ENCODING", "E-DUPKEY", "E-NUMBER", "E-SURROGATE")
)
"""Codes of conditions that a canonical tree does not show any more."""

SOMEWHERE = "/dataFeedElement/0/item/rating/0"
"""Where the one mutation stands that the corpus reports for the document as a whole."""


def judgements(corpus: Path) -> dict[str, set[tuple[str, str]]]:
    """Return what is expected of each canonical document of the corpus."""
    expected = {}
    with gzip.open(corpus / "expected.jsonl.gz", "rt", encoding="utf-8") as lines:
        for entry in map(json.loads, lines):
            if entry["dialect"] == "datafeed-ns-v3":
                expected[entry["file"]] = entry["warnings"]
    for folder in ("tricky", "rejected"):
        for entry in json.loads((corpus / folder / "index.json").read_text(encoding="utf-8")):
            expected[entry["file"]] = entry.get("errors", []) + entry.get("warnings", [])
    return {
        file: {(code, pointer or SOMEWHERE) for code, pointer in pairs if code not in UNSEEN}
        for file, pairs in expected.items()
    }


def canonical_tree(file: Path) -> Json:
    """Return a document, or None where it is no JSON or not written in canonical keys."""
    try:
        tree = json.loads(file.read_text(encoding="utf-8-sig"), parse_constant=lambda _: None)
    except ValueError:
        return None
    return tree if isinstance(tree, dict) and isinstance(tree.get("dataFeedElement"), list) else None


def test_the_canonical_documents_of_the_corpus_are_judged_as_expected(corpus: Path) -> None:
    expected = judgements(corpus)
    trees = {file: tree for file in expected if (tree := canonical_tree(corpus / file)) is not None}
    del trees["rejected/case-nan-bestrating.jsonld"]  # refused as JSON already

    assert len(trees) > 75
    assert {file: set(found(tree)) for file, tree in trees.items()} == {file: expected[file] for file in trees}


NAMES = st.sampled_from(
    [
        "@id",
        "@type",
        "name",
        "text",
        "value",
        "version",
        "creator",
        "dateCreated",
        "rating",
        "dataFeedElement",
        "item",
        "hasPart",
        "acceptedAnswer",
        "keywords",
        "additionalProperty",
        "additionalType",
        "bestRating",
        "worstRating",
        "nodes",
        "edges",
        "entryNode",
        "source",
        "outcomeCriteria",
        "question",
        "programmingLanguage",
        "schema",
        "x/~y",
    ]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(
        ("5", "1e999", "[a", "class X(:", "karenina:Scenario", "karenina:GlobalRubricTrait", "\ud800", "{")
    ),
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6), max_leaves=40
)


@given(st.dictionaries(NAMES, ANYTHING))
def test_any_json_object_can_be_checked(tree: Any) -> None:
    assert all(finding.place.pointer is not None for finding in check(tree))


def places(value: Json) -> list[tuple[Json, Any]]:
    """Return every member and element inside `value`, as its holder and its key or index."""
    pairs: list[Any] = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    inside = [found for _, inner in pairs if isinstance(inner, dict | list) for found in places(inner)]
    return [(value, step) for step, _ in pairs] + inside


def rich() -> Json:
    tree = canonical()
    tree["hasPart"] = scenario()["hasPart"]
    return tree


@given(st.integers(0, len(places(rich())) - 1), ANYTHING)
def test_a_document_with_anything_anywhere_can_be_checked(at: int, value: Any) -> None:
    tree = rich()
    holder, step = places(tree)[at]
    holder[step] = value

    assert isinstance(check(tree), list)


def test_a_tree_nested_beyond_the_stack_can_be_checked() -> None:
    deep: Json = []
    for _ in range(sys.getrecursionlimit() * 3):
        deep = [deep]
    tree = canonical()
    tree["additionalProperty"].append({"name": "author", "value": deep})
    tree["dataFeedElement"][0]["item"]["keywords"] = deep
    tree["version"] = deep

    assert {code for code, _ in found(tree)} == {"W-VALUE", "E-VALUE"}


def test_an_empty_object_lacks_everything() -> None:
    assert found({}) == [
        ("E-NAME", "/name"),
        ("W-DATE-MISSING", "/dateCreated"),
        ("W-DATE-MISSING", "/dateModified"),
        ("E-ROOT", "/dataFeedElement"),
    ]


def test_each_distinct_template_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    monkeypatch.setattr("checkpoint_ld.checks.questions.python_fault", parsed.append)
    elements = [item(f"question {at}", f"urn:{at}") for at in range(50)]

    check(canonical(*elements))

    assert len(parsed) == 1
