"""What is derived by the layout of objects is what is derived from each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from checkpoint_ld.dialects.reading import examine_bytes
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.rules import document
from checkpoint_ld.validation.inference import infer, roles
from tests.trials import examples
from tests.validation.feeds import damaged, feed
from tests.validation.test_mutations import mutated

FOLDERS = ("datafeed-ns-v3", "datafeed-legacy", "gui-datafeed", "dataset-1", "v2.0", "flat", "tricky")


def both_ways(graph: CheckpointGraph) -> tuple[set[Any], set[Any]]:
    """Return what is derived with layouts, and what is derived by reading every object whole."""
    quick = set(triples_of(infer(graph)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roles, "layout_of", lambda *_arguments: None)
        return quick, set(triples_of(infer(graph)))


def graph_of(tree: Any) -> CheckpointGraph:
    return examine_bytes(json.dumps(tree).encode()).graph


@settings(max_examples=examples(150), deadline=None)
@given(damaged() | mutated())
@example(feed())
@example(document("interview"))
def test_the_same_is_derived_as_by_reading_every_object(tree: Any) -> None:
    try:
        graph = graph_of(tree)
    except ReadError:
        return

    quick, whole = both_ways(graph)

    assert quick == whole


@settings(max_examples=examples(30), deadline=None)
@given(st.dictionaries(st.sampled_from(["url", "texts", "karenina:x", "author"]), st.lists(st.text(max_size=2))))
def test_keys_that_nobody_knows_are_derived_with_their_arrays(added: dict[str, list[str]]) -> None:
    tree = feed()
    tree["dataFeedElement"][0]["item"].update(added)

    quick, whole = both_ways(graph_of(tree))

    assert quick == whole
    assert {str(term) for _, predicate, term in quick if predicate.endswith("unknownKey")} >= added.keys() - {
        key for key, values in added.items() if not values
    }


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_same_is_derived_of_the_corpus(corpus: Path, folder: str) -> None:
    for path in sorted((corpus / folder).iterdir())[:12]:
        if path.name != "index.json":
            try:
                graph = examine_bytes(path.read_bytes()).graph
            except ReadError:
                continue
            quick, whole = both_ways(graph)
            assert quick == whole, path
