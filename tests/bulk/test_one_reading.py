"""A checkpoint that one command refuses is refused by all that make statements of it."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld.batch.bulk import ConvertOptions, convert_shard, plan_shards
from checkpoint_ld.errors import ReadError
from checkpoint_ld.stores.collection import Collection, Kind
from tests.documents import Json, rich

_VALUES: tuple[Json, ...] = (
    "",
    5,
    -1.5,
    True,
    None,
    [],
    {},
    ["x"],
    {"@id": "urn:x"},
    {"@type": "Dataset", "name": "n"},
)


def places(value: Json, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all members and entries."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*place, key)
        yield from places(one, (*place, key))


def mutants(seed: int, count: int) -> Iterator[Json]:
    """Yield documents with one member taken away or replaced, each with an identifier of its own."""
    chance = random.Random(seed)
    document = rich()
    among = list(places(document))
    for number in range(count):
        changed: Any = copy.deepcopy(document)
        *above, last = chance.choice(among)
        inner = changed
        for step in above:
            inner = inner[step]
        if chance.random() < 0.3:
            del inner[last]
        else:
            inner[last] = chance.choice(_VALUES)
        yield {**changed, "@id": f"urn:uuid:karenina-checkpoint-{number}.5"}


@pytest.mark.slow
@pytest.mark.parametrize("profile", [None, "karenina"])
def test_bulk_store_and_load_refuse_the_same(profile: str | None, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    refused = set()
    for number, document in enumerate(mutants(7, 40)):
        file = tmp_path / "files" / f"{number}.json"
        file.write_text(json.dumps(document))
        try:
            checkpoint_ld.load(file)
        except ReadError:
            refused.add(str(file))
    assert 5 < len(refused) < 35

    [shard] = plan_shards(sorted((tmp_path / "files").iterdir()), tmp_path / "out")
    result = convert_shard(shard, ConvertOptions(profile))
    written = [json.loads(line) for line in (tmp_path / "out" / "part-00000.graphs.jsonl").read_text().splitlines()]
    assert {str(one["file"]) for one in written} == set(shard.paths) - refused
    assert result.failed == len(refused)

    quads = (tmp_path / "out" / "part-00000.nq").read_bytes().splitlines(keepends=True)
    for one in written:
        own, quads = quads[: one["quads"]], quads[one["quads"] :]
        again = checkpoint_ld.Benchmark.load(rdf_file(tmp_path, b"".join(own)))
        assert again == checkpoint_ld.Benchmark.load(one["file"]), one["file"]
    assert quads == []

    with Collection.open(tmp_path / "store") as collection:
        outcomes = collection.add(tmp_path / "files").outcomes
        assert {one.source for one in outcomes if one.kind is Kind.REFUSED} == refused


def rdf_file(folder: Path, quads: bytes) -> Path:
    (folder / "one.nq").write_bytes(quads)
    return folder / "one.nq"
