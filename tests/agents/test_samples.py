"""The samples of the format's description, where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.difference import diff_checkpoints
from checkpoint_ld.agents.serialization import examine
from checkpoint_ld.agents.shapes import to_second
from checkpoint_ld.documents.values import same
from tests.conftest import corpus_folder

CANONICAL = ("canonical", "next", "quirks", "second-shape-as-canonical")


@pytest.fixture(scope="module")
def samples() -> Path:
    folder = corpus_folder().parent / "spec" / "agent-examples"
    if not folder.is_dir():
        pytest.skip(f"no samples at {folder}: set CHECKPOINT_LD_CORPUS to the folder of the corpus beside them")
    return folder


@pytest.mark.parametrize("name", CANONICAL)
def test_samples_are_written_to_the_byte_also_from_the_second_shape_and_the_graph(samples: Path, name: str) -> None:
    path = samples / f"{name}.json"
    loaded = AgentCheckpoint.load(path)
    assert examine(path).shape == "canonical"
    again = [AgentCheckpoint.from_graph(loaded.to_graph(prov=prov)) for prov in (False, True)]
    again += [loaded, AgentCheckpoint.load(loaded.content("second"))]
    assert [one.content() for one in again] == [path.read_bytes()] * 4


def test_the_second_shape_is_the_canonical_one_to_the_byte_and_back(samples: Path) -> None:
    loaded = AgentCheckpoint.load(samples / "second-shape.json")
    assert loaded.content() == (samples / "second-shape-as-canonical.json").read_bytes()
    assert loaded.content("second") == (samples / "second-shape.json").read_bytes()


def test_a_patch_that_another_program_made_is_applied(samples: Path) -> None:
    reading = examine(samples / "next-as-second-shape.json")
    assert reading.findings == ()
    assert same(reading.tree, json.loads((samples / "next.json").read_bytes()), exact=True)


# As many as the description counts, or fewer: calls are matched by their ids, not by their places.
@pytest.mark.parametrize(("name", "most"), [("canonical", 11), ("next", 29), ("quirks", 21)])
def test_patches_are_no_longer_than_the_description_counts(samples: Path, name: str, most: int) -> None:
    written = to_second(json.loads((samples / f"{name}.json").read_bytes()))
    assert 0 < len(written["canonical_patch"]["patch"]) <= most


def test_the_difference_of_the_samples_is_the_one_described(samples: Path) -> None:
    before, after = (AgentCheckpoint.load(samples / f"{name}.json") for name in ("canonical", "next"))
    described = json.loads((samples / "canonical-next.diff.json").read_bytes())
    assert same(diff_checkpoints(before, after).to_dict(), described, exact=True)
