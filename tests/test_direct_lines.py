"""N-Triples and N-Quads straight from a tree are those of its graph, byte for byte."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from checkpoint_ld import emission, reading
from checkpoint_ld.emission import direct_lines
from checkpoint_ld.errors import ReadError, WriteError
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.plans import NotCoveredError
from tests.corpus import DIALECTS, expectations
from tests.documents import canonical, item, rich, scenario
from tests.test_compiled import damaged
from tests.test_graph import documents

Json = Any


def is_direct(tree: Json) -> bool:
    """Tell whether a tree is written without a graph, having held that against its graph."""
    before = copy.deepcopy(tree)
    try:
        by_graph = emission.ntriples_of(CheckpointGraph.of_tree(copy.deepcopy(tree)))
    except (ReadError, WriteError) as error:
        with pytest.raises(type(error)):
            direct_lines.ntriples_of_tree(tree)
        return False
    assert direct_lines.ntriples_of_tree(tree) == by_graph
    assert direct_lines.nquads_of_tree(tree) == emission.nquads_of(CheckpointGraph.of_tree(copy.deepcopy(tree)))
    assert tree == before
    try:
        return direct_lines.TextWalk(tree.get("@context")).write(tree) == by_graph
    except NotCoveredError:
        return False


@settings(max_examples=300, deadline=None)
@given(documents())
def test_odd_documents(tree: Json) -> None:
    is_direct(tree)


@settings(max_examples=300, deadline=None)
@given(damaged())
def test_damaged_documents(tree: Json) -> None:
    is_direct(tree)


@pytest.mark.parametrize("context", [contexts.plain(), contexts.improved(), None, {"@vocab": "https://schema.org/"}])
def test_usual_documents_need_no_graph(context: Json) -> None:
    for tree in (canonical(item(), item("Another?", None)), rich(), scenario()):
        unshared = json.loads(json.dumps(tree))
        assert is_direct({**unshared, "@context": context})


def test_quads_of_a_usual_document_need_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = [
        json.loads(json.dumps(tree)) for tree in (canonical(item()), {**canonical(item("No id?", None)), "@id": "x y"})
    ]
    expected = [emission.nquads_of(CheckpointGraph.of_tree(tree)) for tree in trees]
    monkeypatch.setattr(direct_lines, "CheckpointGraph", None)
    assert [direct_lines.nquads_of_tree(tree) for tree in trees] == expected


def test_what_the_statements_say_otherwise_is_told_too() -> None:
    tree = canonical(item(), item("Another?", None))
    one, other = tree["dataFeedElement"]
    one["item"]["keywords"], other["item"]["keywords"], tree["version"] = ["b", "a", "b"], [], None
    assert is_direct(json.loads(json.dumps(tree)))


def test_every_file(corpus: Path) -> None:
    files = [corpus / case["file"] for dialect in DIALECTS for case in expectations(corpus, dialect)]
    direct = [is_direct(reading.examine(path, checked=False).tree) for path in files]
    assert sum(direct) > len(direct) * 0.9
