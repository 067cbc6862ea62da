"""The screen never passes a node that pySHACL would fail: what comes out is what pySHACL says of all nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from rdflib import URIRef

from checkpoint_ld import profiles
from checkpoint_ld.derivation import derived
from checkpoint_ld.errors import ReadError
from checkpoint_ld.examples import document
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.store import put
from checkpoint_ld.reading import Reading, examine_bytes
from checkpoint_ld.validation import results
from checkpoint_ld.validation.graph import Layers
from checkpoint_ld.validation.results import Result, shapes_of
from checkpoint_ld.validation.screen import Screen
from checkpoint_ld.vocabulary import KARENINA
from tests.validation.feeds import damaged, feed
from tests.validation.test_mutations import mutated

SCREEN = Screen(shapes_of(profiles.profile()))


def reading_of(tree: Any) -> Reading:
    return examine_bytes(json.dumps(tree).encode(), checked=False)


def graph_of(tree: Any) -> CheckpointGraph:
    return reading_of(tree).graph


def told(found: Any) -> set[tuple[str, ...]]:
    report, _ = found
    listed: list[Result] = list(results.results(report, SCREEN.shapes))
    return {(str(one.focus), str(one.shape), str(one.value), one.severity.name) for one in listed}


@settings(max_examples=40, deadline=None)
@given(mutated() | damaged())
@example(feed())
def test_the_results_are_those_without_the_screen(tree: Any) -> None:
    try:
        source = reading_of(tree)
        plain = told(results.complete(source.graph, SCREEN.shapes))
    except ReadError:
        return

    assert told(results.screened(source, SCREEN)) == plain


@pytest.mark.parametrize("name", ["metals", "interview"])
def test_of_a_valid_document_hardly_anything_is_left_to_pyshacl(name: str) -> None:
    graph = graph_of(document(name))
    found = derived(graph)
    left = SCREEN.doubtful(Layers(graph.index, found), (graph.index, found))

    assert not left
    assert len(SCREEN.screened) > 150
    assert len(SCREEN.others) < 5


def test_shapes_that_nothing_is_in_doubt_about_are_not_given_to_pyshacl() -> None:
    graph = graph_of(feed())
    shape = URIRef("urn:karenina:shape:question-text")
    left = SCREEN.remaining({shape: [graph.root]})

    assert shape in left
    assert URIRef("urn:karenina:shape:answer-text") not in left
    assert left.keys() >= SCREEN.others
    assert SCREEN.shapes.keys() > left.keys()


def test_a_hierarchy_of_classes_is_left_to_pyshacl() -> None:
    tree = feed()
    tree["dataFeedElement"][0]["item"]["text"] = ""
    source = reading_of(tree)
    graph = source.graph
    name = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
    put(graph.index, URIRef("urn:x:rating"), URIRef(name), URIRef(KARENINA + "Trait"))

    assert told(results.screened(source, SCREEN)) == told(results.complete(graph, SCREEN.shapes)) != set()
