"""Files of older versions."""

import gzip
import json
from pathlib import Path

import pytest

from checkpoint_ld.agents import values
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.shapes import detect_shape
from checkpoint_ld.agents.values import Shape
from checkpoint_ld.checkpointing import ExportShape, upgrade
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


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    step = values.Migration("0.0.0", "0.0.1", "a name", lambda tree: {**tree, "name": "migrated"})
    monkeypatch.setattr(values, "MIGRATIONS", [step])


@pytest.mark.usefixtures("older")
@pytest.mark.parametrize("shape", ["canonical", "second"])
@pytest.mark.parametrize("packed", [False, True])
def test_an_older_file_becomes_one_of_the_newest_version(
    bench: Bench, tmp_path: Path, shape: Shape, packed: bool
) -> None:
    path = tmp_path / ("c.json.gz" if packed else "c.json")
    content = bench.manager.save(bench.state).checkpoint.content(shape).replace(b'"0.0.1"', b'"0.0.0"', 1)
    before = gzip.compress(content) if packed else content
    path.write_bytes(before)
    assert upgrade(path, dry_run=True).changed
    assert path.read_bytes() == before
    done = upgrade(path)
    assert (done.before, done.after, done.changed) == ("0.0.0", "0.0.1", True)
    written = json.loads(gzip.decompress(path.read_bytes()) if packed else path.read_bytes())
    assert (written["version"], detect_shape(written)) == ("0.0.1", shape)
    assert [*tmp_path.glob("c.*")] == [path]
    assert AgentCheckpoint.load(path).name == "migrated"
    assert not upgrade(path).changed


@pytest.mark.usefixtures("older")
@pytest.mark.parametrize(
    ("shape", "version", "error"),
    [
        ("canonical", "9.0.0", (UnsupportedVersion, r"9\.0\.0")),
        ("nquads", "0.0.0", (WriteError, "only JSON files are upgraded")),
    ],
)
def test_versions_from_the_future_and_rdf_are_left_as_they_are(
    bench: Bench, tmp_path: Path, shape: ExportShape, version: str, error: tuple[type[Exception], str]
) -> None:
    path = tmp_path / ("c.nq" if shape == "nquads" else "c.json")
    bench.manager.export(bench.manager.save(bench.state).id, path, shape)
    text = path.read_text().replace('"0.0.1"', f'"{version}"')
    path.write_text(text)
    with pytest.raises(error[0], match=error[1]):
        upgrade(path)
    assert path.read_text() == text
