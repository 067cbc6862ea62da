"""The command `serve`, as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from checkpoint_ld import Benchmark
from checkpoint_ld.stores.collection import Collection
from tests import documents
from tests.cli.conftest import Run
from tests.remote.oxigraph_server import free_port

COMMAND = "from checkpoint_ld.cli import main\nif __name__ == '__main__': main()"
NAMES = "SELECT ?name WHERE { ?benchmark a schema:DataFeed ; schema:name ?name } ORDER BY ?name"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    for number, name in enumerate(("Alloys", "Metals")):
        tree = {**documents.canonical(), "@id": f"urn:uuid:karenina-checkpoint-{number}", "name": name}
        (folder / f"{name}.jsonld").write_text(json.dumps(tree))
    return folder


@contextmanager
def serving(*arguments: object, temporary: Path, said: list[str] | None = None) -> Iterator[str]:
    """Run the command until the block ends, by the signal that service managers send; give the URL that it says."""
    script = temporary / "command.py"
    script.write_text(COMMAND)
    temporary = temporary / "temporary"
    temporary.mkdir()
    command = [sys.executable, str(script), "serve", "--port", "0", *map(str, arguments)]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            if said is not None and process.stderr is not None:
                said += process.stderr.read().splitlines()
        finally:
            process.kill()
    assert list(temporary.iterdir()) == []


def names(url: str) -> list[str]:
    with httpx.Client(trust_env=False, timeout=120) as client:
        answer = client.get(f"{url}sparql", params={"query": NAMES})
    return [row["name"]["value"] for row in answer.json()["results"]["bindings"]]


@pytest.mark.slow
def test_files_are_served_until_the_process_is_asked_to_end(files: Path, tmp_path: Path) -> None:
    said: list[str] = []
    with serving(files, temporary=tmp_path, said=said) as url:
        assert url.startswith("http://127.0.0.1:")
        assert names(url) == ["Alloys", "Metals"]
    count = sum(len(Benchmark.load(file).graph) for file in files.iterdir())
    assert f"2 checkpoints, {count} statements" in said


@pytest.mark.slow
def test_a_collection_is_served_as_it_is(files: Path, tmp_path: Path) -> None:
    with Collection.open(tmp_path / "collection") as collection:
        collection.add(files)

    with serving(tmp_path / "collection", temporary=tmp_path) as url:
        assert names(url) == ["Alloys", "Metals"]


@pytest.mark.slow
def test_an_address_of_this_machine_is_what_it_listens_at(files: Path, tmp_path: Path) -> None:
    with serving(files, "--host", "127.0.0.2", temporary=tmp_path) as url:
        assert url.startswith("http://127.0.0.2:")
        port = int(url.rstrip("/").rpartition(":")[2])
        with httpx.Client(trust_env=False) as client, pytest.raises(httpx.ConnectError):
            client.get(f"http://127.0.0.1:{port}/")


def test_nothing_to_serve_is_said(run: Run, tmp_path: Path) -> None:
    outcome = run("serve", tmp_path)

    assert outcome.code == 2
    assert "nothing to serve in" in outcome.err


def test_a_host_that_is_none_of_this_machine_is_refused(run: Run, files: Path) -> None:
    outcome = run("serve", files, "--host", "192.0.2.1", "--port", str(free_port()))

    assert outcome.code == 2
    assert "cannot listen at 192.0.2.1" in outcome.err
