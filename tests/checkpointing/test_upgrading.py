"""Files of older versions."""

import gzip
import json
from pathlib import Path

import pytest

from checkpoint_ld.agent import values
from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.shapes import detect_shape
from checkpoint_ld.agent.values import Shape
from checkpoint_ld.checkpointing import upgrade
from checkpoint_ld.errors import UnsupportedVersion, WriteError
from tests.checkpointing.managers import Bench


@pytest.mark.parametrize("shape", ["canonical", "second"])
def test_a_file_of_the_newest_version_is_not_touched(bench: Bench, tmp_path: Path, shape: Shape) -> None:
    path = bench.manager.export(bench.manager.save(bench.state).id, tmp_path / "c.json", shape)
    before, text = path.stat(), path.read_bytes()
    done = upgrade(path)
    assert (done.path, done.before, done.after, done.changed) == (path, "0.0.1", "0.0.1", False)
    # Not the time of access: `upgrade` reads the file, and the second may turn while it does.
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert path.read_bytes() == text


def test_a_version_from_the_future_is_left_as_it_is(bench: Bench, tmp_path: Path) -> None:
    path = bench.manager.export(bench.manager.save(bench.state).id, tmp_path / "c.json")
    text = path.read_text().replace('"0.0.1"', '"9.0.0"')
    path.write_text(text)
    with pytest.raises(UnsupportedVersion, match=r"9\.0\.0"):
        upgrade(path)
    assert path.read_text() == text


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    step = values.Migration("0.0.0", "0.0.1", "a name", lambda tree: {**tree, "name": "migrated"})
    monkeypatch.setattr(values, "MIGRATIONS", [step])


@pytest.mark.usefixtures("older")
@pytest.mark.parametrize("shape", ["canonical", "second"])
def test_an_older_file_becomes_one_of_the_newest_version(bench: Bench, tmp_path: Path, shape: Shape) -> None:
    saved = bench.manager.save(bench.state)
    path = tmp_path / "c.json"
    path.write_bytes(saved.checkpoint.content(shape).replace(b'"0.0.1"', b'"0.0.0"', 1))
    before = path.read_bytes()
    assert upgrade(path, dry_run=True).changed
    assert path.read_bytes() == before
    done = upgrade(path)
    assert (done.before, done.after, done.changed) == ("0.0.0", "0.0.1", True)
    written = json.loads(path.read_bytes())
    assert (written["version"], detect_shape(written)) == ("0.0.1", shape)
    assert [one.name for one in tmp_path.glob("c.*")] == ["c.json"]
    assert AgentCheckpoint.load(path).name == "migrated"
    assert not upgrade(path).changed


@pytest.mark.usefixtures("older")
def test_a_compressed_file_stays_one(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "c.json.gz"
    content = bench.manager.save(bench.state).checkpoint.content()
    path.write_bytes(gzip.compress(content.replace(b'"0.0.1"', b'"0.0.0"', 1)))
    assert upgrade(path).changed
    assert json.loads(gzip.decompress(path.read_bytes()))["name"] == "migrated"


@pytest.mark.usefixtures("older")
def test_rdf_is_not_upgraded_in_place(bench: Bench, tmp_path: Path) -> None:
    path = bench.manager.export(bench.manager.save(bench.state).id, tmp_path / "c.nq", "nquads")
    text = path.read_text().replace('"0.0.1"', '"0.0.0"')
    path.write_text(text)
    with pytest.raises(WriteError, match="only JSON files are upgraded"):
        upgrade(path)
    assert path.read_text() == text
