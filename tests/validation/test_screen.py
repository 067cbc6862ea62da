"""The screen never passes a node that pySHACL would fail: what comes out is what pySHACL says of all nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph, URIRef

from checkpoint_ld import profiles
from checkpoint_ld.errors import ReadError
from checkpoint_ld.examples import document
from checkpoint_ld.graph.store import Index
from checkpoint_ld.reading import examine_bytes
from checkpoint_ld.validation import results
from checkpoint_ld.validation.graph import validation_graph
from checkpoint_ld.validation.results import shapes_graph
from checkpoint_ld.validation.screen import Screen
from checkpoint_ld.vocabulary import SHACL
from tests.validation.test_mutations import mutated

SCREEN = Screen(shapes_graph(profiles.profile()))


class Unscreened(Screen):
    """Leaves every shape and every node to pySHACL."""

    def remaining(self, index: Index) -> Graph | None:  # noqa: ARG002 - it is that of what it replaces
        return self.shapes


def told(tree: Any, screen: Screen) -> set[tuple[str, ...]]:
    graph = validation_graph(examine_bytes(json.dumps(tree).encode(), checked=False).graph)
    found = results.results(results.validate(graph, screen), screen.shapes)
    return {(str(one.focus), str(one.shape), str(one.value), one.severity.name) for one in found}


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_results_are_those_without_the_screen(data: st.DataObject) -> None:
    tree = data.draw(mutated())
    try:
        screened = told(tree, SCREEN)
    except ReadError:
        return

    assert screened == told(tree, Unscreened(SCREEN.shapes))


@pytest.mark.parametrize("name", ["metals", "interview"])
def test_of_a_valid_document_hardly_anything_is_left_to_pyshacl(name: str) -> None:
    graph = validation_graph(examine_bytes(json.dumps(document(name)).encode(), checked=False).graph)
    left = SCREEN.remaining(graph.index)

    assert left is not None
    assert set(left.subject_objects(URIRef(SHACL + "targetNode"))) == set()
    assert set(left.subjects(URIRef(SHACL + "targetClass"))) <= SCREEN.others
    assert len(SCREEN.screened) > 150
    assert len(SCREEN.others) < 5


def test_a_hierarchy_of_classes_is_left_to_pyshacl() -> None:
    turtle = "<urn:x> a <urn:Feed> . <urn:Feed> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:y> ."
    index: Index = {}
    for subject, predicate, term in Graph().parse(data=turtle, format="turtle"):
        index.setdefault(subject, {})[predicate] = term

    assert SCREEN.remaining(index) is SCREEN.shapes
