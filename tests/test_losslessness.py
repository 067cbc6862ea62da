"""Nothing of a document is lost: each object of a rich one, with each unusual member, after every trip and edit."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Benchmark
from checkpoint_ld.graph.literals import same
from tests.documents import rich

Json = Any


def objects(tree: Json) -> Iterator[tuple[str, Json]]:
    """Yield one object of each kind that a benchmark is made of, with what it is."""
    element = tree["dataFeedElement"][0]
    question = element["item"]
    yield "root", tree
    yield "creator", tree["creator"]
    yield "unknown", tree["license"]
    yield "rating of all", tree["rating"][0]
    yield "property", tree["additionalProperty"][0]
    yield "element", element
    yield "question", question
    yield "answer", question["acceptedAnswer"]
    yield "template", question["hasPart"]
    yield "rating", question["rating"][0]
    yield "setting", question["rating"][0]["additionalProperty"][0]
    yield "mark", question["additionalProperty"][0]


KINDS = [kind for kind, _ in objects(rich())]


def edited(document: Json, file: Path) -> tuple[Json, Json]:
    """Return what a document should be after an edit of its description, and what it is in a file that was edited."""
    file.write_text(json.dumps(document), encoding="utf-8")
    benchmark = Benchmark.load(file)
    benchmark.description = "edited"
    benchmark.save(file)
    after = json.loads(file.read_text(encoding="utf-8"))
    return {**document, "description": "edited", "dateModified": after["dateModified"]}, after


@pytest.mark.parametrize(
    "identifier", ["urn:karenina:sha256:" + 64 * "a", "checkpoint://id/x", "checkpoint://id/a/../b"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_an_identifier_that_looks_like_a_name_of_ours_stays(kind: str, identifier: str, tmp_path: Path) -> None:
    document = rich()
    dict(objects(document))[kind]["@id"] = identifier
    file = tmp_path / "one.jsonld"
    text = json.dumps(document)
    file.write_text(text, encoding="utf-8")
    benchmark = Benchmark.load(file)
    benchmark.save(file)
    assert file.read_text(encoding="utf-8") == text
    for back in (
        Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt"),
        Benchmark.load(json.dumps(benchmark.to_jsonld()).encode()),
    ):
        assert same(back.to_jsonld("plain"), document)
        assert back.graph.root == benchmark.graph.root
    wanted, after = edited(copy.deepcopy(document), file)
    assert same(after, wanted)
