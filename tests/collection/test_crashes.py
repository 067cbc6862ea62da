"""A process that is killed at any moment leaves nothing half loaded that counts as whole; the next run completes it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint_ld.stores.collection import Collection
from tests.collection.conftest import Write, checkpoint, iri
from tests.collection.crashing import CHECKPOINTS
from tests.trials import CI

REPOSITORY = Path(__file__).parents[2]
ROUNDS = 4 if CI else 8

needs_fork = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")


def dumped(folder: Path) -> bytes:
    out = io.BytesIO()
    with Collection.open(folder, read_only=True) as collection:
        collection.dump(out)
    return out.getvalue()


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("kind", ["anywhere", "between-two-changes"])
def test_kills_leave_nothing_half_there_and_the_next_run_completes(kind: str, tmp_path: Path) -> None:
    store, files = tmp_path / "store", tmp_path / "files"
    command = [sys.executable, "-m", "tests.collection.crashing", str(store), str(files), kind, str(ROUNDS)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    checks = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(checks) > ROUNDS / 2
    # Where a kill after so many seconds hits depends on how busy the machine is; one before a change hits the middle.
    assert kind == "anywhere" or any(one["unfinished"] for one in checks), "some kills hit in the middle"
    assert all(one["half"] == [] and one["problems"] == [] for one in checks), checks
    assert checks[-1] == {"unfinished": 0, "half": [], "problems": [], "done": CHECKPOINTS}
    fresh = tmp_path / "fresh"
    with Collection.open(fresh) as collection:
        collection.add(files)
    assert dumped(store) == dumped(fresh)


class Interrupted(BaseException):
    """Raised where a process would be killed."""


@pytest.fixture
def interrupted(write: Write, store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of which the loading was interrupted, after its statements and before they were counted.

    Only what is too much for one transaction can be.
    """
    file = write("one.jsonld", checkpoint())
    with Collection.open(store) as collection:
        collection.add(write("two.jsonld", checkpoint(2)))
        with monkeypatch.context() as patch:
            patch.setattr("checkpoint_ld.stores.holdings._BULK", 10)
            patch.setattr("checkpoint_ld.stores.holdings.Holdings.count", stop)
            with pytest.raises(Interrupted):
                collection.add(file)
    return file


def stop(*_: object) -> None:
    raise Interrupted


@pytest.mark.usefixtures("interrupted")
def test_a_reader_is_reported_and_no_graph_of_it_is_given_away(store: Path) -> None:
    with Collection.open(store, read_only=True) as collection:
        assert [one.graph for one in collection.unfinished] == [iri()]
        assert str(collection.source(iri())).endswith("one.jsonld")
        with pytest.raises(LookupError, match=r"interrupted; add .*one\.jsonld again"):
            collection.get(iri())
        with pytest.raises(Exception, match="verify --repair"):
            collection.dump(io.BytesIO())


@pytest.mark.usefixtures("interrupted")
def test_the_next_writer_finds_nothing_half_there(store: Path) -> None:
    with Collection.open(store) as collection:
        assert not collection.query("ASK { GRAPH ?g { <urn:uuid:question-1-0> ?p ?o } }").boolean
        assert collection.query("ASK { GRAPH ?g { <urn:uuid:question-2-0> ?p ?o } }").boolean
        assert len(collection.unfinished) == 1


@pytest.mark.usefixtures("interrupted")
def test_repair_loads_it_again(store: Path) -> None:
    with Collection.open(store) as collection:
        [problem] = collection.verify()
        assert problem.message == "its loading was interrupted"
        assert problem.repair == ""
        [problem] = collection.verify(repair=True)
        assert problem.repair.startswith("loaded again from")
        assert collection.verify() == ()
        assert collection.benchmark(iri())[0].question == "What is it?"


def test_repair_takes_it_out_if_its_file_is_gone(interrupted: Path, store: Path) -> None:
    interrupted.unlink()
    with Collection.open(store) as collection:
        [problem] = collection.verify(repair=True)
        assert problem.repair.startswith("taken out, for it cannot be loaded again")
        assert list(collection) == [iri(2)]
        assert collection.verify() == ()
