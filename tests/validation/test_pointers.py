"""What names tell of the places of nodes is what annotation tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings

from checkpoint_ld.dialects.reading import examine_bytes
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import annotation as room
from checkpoint_ld.graph.annotation import Pointers, annotate
from checkpoint_ld.graph.contexts import table
from checkpoint_ld.rules import document
from tests.trials import examples
from tests.validation.feeds import damaged, feed
from tests.validation.test_mutations import mutated

FOLDERS = ("datafeed-ns-v3", "datafeed-legacy", "gui-datafeed", "dataset-1", "v2.0", "flat", "tricky")


def places(tree: Any) -> dict[str, str | None]:
    """Return where the nodes of a tree stand, by their names."""
    pointers = Pointers(tree)
    names = annotate(tree, table(tree.get("@context"))).names.values()
    return {name: pointers.get(name) for name in names}


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(damaged() | mutated())
@example(feed())
@example(document("interview"))
def test_places_are_those_of_annotation(tree: Any) -> None:
    try:
        reading = examine_bytes(json.dumps(tree).encode())
    except ReadError:
        return

    assert places(reading.tree) == Pointers(reading.tree).by_annotation


@pytest.mark.parametrize("folder", FOLDERS)
def test_places_in_the_corpus_are_those_of_annotation(corpus: Path, folder: str) -> None:
    for path in sorted((corpus / folder).iterdir())[:12]:
        if path.name != "index.json":
            try:
                tree = examine_bytes(path.read_bytes()).tree
            except ReadError:
                continue
            assert places(tree) == Pointers(tree).by_annotation, path


@pytest.mark.parametrize("name", ["metals", "interview"])
def test_usual_documents_are_not_annotated_for_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = examine_bytes(json.dumps(document(name)).encode())
    monkeypatch.setattr(room, "annotate", None)
    pointers = Pointers(reading.tree)

    assert None not in {pointers.get(str(one)) for one in reading.graph.subjects()}
