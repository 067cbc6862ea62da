"""Collections leave as N-Quads and TriG: sorted, the same bytes for the same content, in shards with their list."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
from pathlib import Path

import pyoxigraph
import pytest
from pyoxigraph import RdfFormat

from checkpoint_ld.errors import SettingsError, WriteError
from checkpoint_ld.graph import emission
from checkpoint_ld.stores.collection import Collection, OnConflict, Options
from checkpoint_ld.validation import validator
from tests.collection.conftest import Write, checkpoint, iri

MANIFEST = "urn:checkpoint-ld:manifest"


def dumped(collection: Collection, syntax: str = "nq") -> bytes:
    out = io.BytesIO()
    collection.dump(out, syntax)
    return out.getvalue()


@pytest.fixture
def files(write: Write) -> list[Path]:
    return [write(f"{number:02}.jsonld", checkpoint(number)) for number in range(12)]


@pytest.fixture
def filled(files: list[Path], store: Path) -> Path:
    with Collection.open(store) as collection:
        collection.add(*files)
    return store


def test_a_dump_is_the_graphs_one_after_the_other(filled: Path, files: list[Path]) -> None:
    with Collection.open(filled, read_only=True) as collection:
        graphs = sorted((validator.read(file).graph for file in files), key=lambda graph: str(graph.root))
        assert dumped(collection) == b"".join(map(emission.nquads_of, graphs))
        assert dumped(collection, "trig") == b"".join(map(emission.trig_of, graphs))
        with pytest.raises(SettingsError, match="use one of nq, trig"):
            collection.dump(io.BytesIO(), "turtle")


def test_equal_collections_have_equal_dumps_whatever_their_history(
    filled: Path, files: list[Path], tmp_path: Path
) -> None:
    mixed = random.Random(1).sample(files, len(files))
    with Collection.open(tmp_path / "other") as other:
        for file in mixed:
            other.add(file)
        other.remove(iri(3), iri(4))
        other.add(files[3].parent)
        with Collection.open(filled, read_only=True) as collection:
            assert dumped(other) == dumped(collection)
        other.remove(iri(5))
        with Collection.open(filled, read_only=True) as collection:
            assert dumped(other) != dumped(collection)


def test_graphs_that_are_kept_beside_each_other_keep_their_names(filled: Path, write: Write) -> None:
    beside = write("beside.jsonld", checkpoint(1, "Another?"))
    with Collection.open(filled) as collection:
        collection.add(beside, options=Options(OnConflict.KEEP_BOTH))
        for syntax in (RdfFormat.N_QUADS, RdfFormat.TRIG):
            quads = pyoxigraph.parse(dumped(collection, syntax.file_extension), format=syntax)
            assert {quad.graph_name.value for quad in quads} == set(collection)


@pytest.mark.slow
@pytest.mark.parametrize("shards", [1, 3, 12, 100])
@pytest.mark.parametrize("compressed", [False, True])
def test_shards_together_are_the_dump_and_their_list_is_right(
    shards: int, compressed: bool, filled: Path, tmp_path: Path
) -> None:
    with Collection.open(filled, read_only=True) as collection:
        found = collection.export(tmp_path / "out", shards=shards, compressed=compressed)
        whole = dumped(collection)
        again = collection.export(tmp_path / "again", shards=shards, compressed=compressed)
    assert found == again, "the same bytes each time"
    listed = json.loads((tmp_path / "out" / "shards.json").read_bytes())
    assert [one["file"] for one in listed] == [one.file for one in found]
    assert len(listed) == min(shards, 12) + 1
    parts = []
    for one in listed:
        data = (tmp_path / "out" / one["file"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (one["bytes"], one["sha256"])
        text = gzip.decompress(data) if compressed else data
        quads = list(pyoxigraph.parse(text, format=RdfFormat.N_QUADS))
        assert len(quads) == one["quads"]
        assert len({quad.graph_name for quad in quads}) == one["graphs"]
        parts.append(text)
    assert b"".join(parts[:-1]) == whole
    counts = [one["quads"] for one in listed[:-1]]
    assert max(counts) <= 2 * min(counts)
    assert b"_:" not in b"".join(parts)
    about = {quad.graph_name.value for quad in pyoxigraph.parse(parts[-1], format=RdfFormat.N_QUADS)}
    assert about == {MANIFEST}


def test_an_export_writes_over_nothing(filled: Path, tmp_path: Path) -> None:
    with Collection.open(filled, read_only=True) as collection:
        with pytest.raises(WriteError, match="name a new one"):
            collection.export(tmp_path / "files")
        with pytest.raises(WriteError, match="name a new one"):
            collection.export(tmp_path / "files" / "01.jsonld")
        with pytest.raises(WriteError, match="cannot be made"):
            collection.export(tmp_path / "files" / "01.jsonld" / "below")


def test_an_empty_collection_is_exported_too(store: Path, tmp_path: Path) -> None:
    with Collection.open(store) as collection:
        assert dumped(collection) == b""
        assert [one.file for one in collection.export(tmp_path / "out", shards=4)] == ["manifest.nq"]
