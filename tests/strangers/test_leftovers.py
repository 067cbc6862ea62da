"""Metadata called `self`, FROM with a path, a database that may only be read, and folders of killed runs."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark, DatabaseStore, StoreBusyError, StoreError, import_benchmark
from checkpoint_ld.documents.files import temporary_folder, working_folder
from checkpoint_ld.stores.collection import Collection
from tests.agents.runs import checkpoint
from tests.cli.conftest import Run
from tests.documents import canonical, item


def test_metadata_may_be_called_self(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps({"question": "q", "answer": "a", "self": "x", "cls": 1}) + "\n", encoding="utf-8")
    [question] = import_benchmark(file).benchmark.get_all_questions()
    assert question["custom_metadata"] == {"self": "x", "cls": 1}
    benchmark = Benchmark("Metals")
    identifier = benchmark.add_question("q", "a", custom_metadata={"self": 1})
    assert [one["id"] for one in benchmark.filter_by_custom_metadata(self=1)] == [identifier]
    for call in (benchmark.set_metadata, lambda **more: benchmark.update_question_metadata(identifier, **more)):
        with pytest.raises(ValueError, match="self"):
            call(self="x")


@pytest.mark.parametrize("name", ["other.jsonld", "/etc/hosts", "file:///etc/hosts", "../x", "urn:none"])
@pytest.mark.parametrize("clause", ["FROM", "FROM NAMED"])
def test_from_with_a_file_is_answered_by_a_sentence(run: Run, tmp_path: Path, name: str, clause: str) -> None:
    file = tmp_path / "one.jsonld"
    file.write_text(json.dumps(canonical(item())), encoding="utf-8")
    outcome = run("query", file, "--query", f"SELECT * {clause} <{name}> WHERE {{ ?s ?p ?o }}")
    assert outcome.code == 2
    assert outcome.err.startswith(f"FROM <{name}>: no such graph was loaded, and nothing is fetched; ")


def test_a_query_of_a_collection_can_wait(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonld"
    file.write_text(json.dumps(canonical(item())), encoding="utf-8")
    with Collection.open(tmp_path / "collection") as collection:
        collection.add(file)
        busy = run("store", "query", tmp_path / "collection", "--name", "questions")
        assert busy.code == 2
        waiting = run("query", tmp_path / "collection", "--name", "questions", "--wait", "0.1")
        assert waiting.code == 2
        with pytest.raises(StoreBusyError):
            Collection.open(tmp_path / "collection", read_only=True, wait=0.1)
    assert run("store", "query", tmp_path / "collection", "--name", "questions", "--wait", "1").code == 0


def test_a_database_that_may_only_be_read_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.db"
    store = DatabaseStore(str(path))
    kept = checkpoint()
    store.put(kept)
    store.close()
    before = path.read_bytes(), sorted(tmp_path.iterdir())
    monkeypatch.setattr(os, "access", lambda *_, **__: False)  # for the administrator, nothing is read-only
    store = DatabaseStore(str(path))
    assert [header.id for header in store.headers()] == [kept.id]
    assert store.get(kept.id).sha256 == kept.sha256
    with pytest.raises(StoreError, match="readonly database"):
        store.delete(kept.id)
    store.close()
    assert (path.read_bytes(), sorted(tmp_path.iterdir())) == before


def test_a_version_with_control_characters_is_harmless_in_repr() -> None:
    benchmark = Benchmark("x\x1b[2J", version="1\x1b[2J\x07")
    assert not any(char in repr(benchmark) for char in "\x1b\x07\n")


HOLDING = """
import sys, time
from pathlib import Path
from checkpoint_ld.documents.files import temporary_folder, working_folder
target = Path(sys.argv[1])
with temporary_folder(target) as beside, working_folder() as working:
    (beside / "part").write_text("x")
    (working / "part").write_text("x")
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(importlib.util.find_spec("fcntl") is None, reason="no locks that end with a process")
def test_folders_of_a_killed_run_are_removed_by_the_next_and_those_of_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (temporary / "checkpoint-ld-mine").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def left() -> int:
        return sum(1 for folder in (tmp_path, temporary) for _ in folder.glob("*checkpoint-ld-" + "[0-9a-f]" * 16))

    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", HOLDING, str(tmp_path / "target")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(temporary)})
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        return process

    with start() as killed:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    assert left() == 2
    with start() as alive:
        assert left() == 2  # those of the killed run went when these came
        with temporary_folder(tmp_path / "other") as beside, working_folder() as working:
            assert left() == 4
            assert beside.stat().st_mode & 0o077 == (tmp_path / "temporary").stat().st_mode & 0o077
            assert working.stat().st_mode & 0o077 == 0
        assert left() == 2
        alive.kill()
    with temporary_folder(tmp_path / "other"), working_folder():
        pass
    assert left() == 0
    assert (temporary / "checkpoint-ld-mine").is_dir()
