"""The quick way to tell where nodes stand tells what annotation tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings

from checkpoint_ld.errors import ReadError
from checkpoint_ld.examples import document
from checkpoint_ld.graph import building as room
from checkpoint_ld.graph.building import by_annotation, pointers
from checkpoint_ld.reading import examine_bytes
from tests.trials import examples
from tests.validation.feeds import damaged, feed
from tests.validation.test_mutations import mutated

FOLDERS = ("datafeed-ns-v3", "datafeed-legacy", "gui-datafeed", "dataset-1", "v2.0", "flat", "tricky")


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

    assert pointers(reading.tree) == by_annotation(reading.tree)


@pytest.mark.parametrize("folder", FOLDERS)
def test_places_in_the_corpus_are_those_of_annotation(corpus: Path, folder: str) -> None:
    for path in sorted((corpus / folder).iterdir())[:12]:
        if path.name != "index.json":
            try:
                tree = examine_bytes(path.read_bytes()).tree
            except ReadError:
                continue
            assert pointers(tree) == by_annotation(tree), path


@pytest.mark.parametrize("name", ["metals", "interview"])
def test_usual_documents_are_not_annotated_for_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = examine_bytes(json.dumps(document(name)).encode()).tree
    monkeypatch.setattr(room, "by_annotation", None)

    assert "/dataFeedElement/1/item" in pointers(tree).values() or name == "interview"
