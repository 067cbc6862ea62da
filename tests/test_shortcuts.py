"""What shortcuts come to is what comes out without them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkpoint_ld import shortcuts
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.shortcuts import ALL, SHORTCUTS, VARIABLE
from tests.documents import canonical, item, rating

DOCS = Path(__file__).parents[1] / "docs"
WORK = """
import json
import sys
from checkpoint_ld import Benchmark, ReadError, emission, reading, shortcuts, validation
from checkpoint_ld.streaming.entrance import Streaming

asked, is_taken = set(), shortcuts.is_taken
shortcuts.is_taken = lambda name: asked.add(name) or is_taken(name)
for path in sys.argv[1:]:
    read = reading.examine(path)
    benchmark = Benchmark.of_reading(read)
    print(emission.ntriples_of(read.graph) == emission.ntriples_of_tree(read.tree))
    print(sorted(emission.ntriples_of(read.graph).splitlines()))
    try:
        print([one.model_dump() for one in benchmark.questions])
        benchmark.name = "Another"
        print([one.model_dump() for one in benchmark.questions])
    except ReadError as error:
        print(error)
    with Streaming(1, window=16).statements(path, "nt") as streamed:
        print(streamed is None or streamed.lines.read() == emission.ntriples_of_tree(read.tree))
    for one in validation.validate(path, profile="strict").findings:
        print(one)
print(json.dumps(sorted(asked)), file=sys.stderr)
"""


TEMPLATE = """class Answer(BaseAnswer):
    part_{at}: str = VerifiedField(description="Part {at} of it", ground_truth="x {at}", verify_with=ExactMatch())
"""


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the examples of the docs, and a checkpoint with so many templates that not each of them is read."""
    items = [item(f"Which metal is number {at}?", f"urn:x:{at}") for at in range(40)]
    for at, one in enumerate(items):
        one["item"]["hasPart"]["text"] = TEMPLATE.format(at=at)
        one["item"]["rating"] = [rating(f"trait {at}"), rating("second")]
    items[7]["item"]["rating"] *= 2
    file = tmp_path_factory.mktemp("shortcuts") / "many.jsonld"
    file.write_text(json.dumps(canonical(*items), indent=2), encoding="utf-8")
    return [*sorted(map(str, DOCS.glob("examples/*.jsonld"))), str(file)]


def outcome(documents: list[str], left_out: str) -> tuple[str, list[str]]:
    """Return what comes out for documents without some shortcuts, and which ones are asked for."""
    environment = {**os.environ, VARIABLE: left_out, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-c", WORK, *documents]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(done.stderr)


@pytest.fixture(scope="module")
def quick(documents: list[str]) -> str:
    """Return what comes out with all shortcuts, having seen that each of them is asked for."""
    said, asked = outcome(documents, "")
    assert asked == sorted(SHORTCUTS)
    assert "the rubric has another trait" in said
    assert "False" not in said.splitlines()
    return said


@pytest.mark.parametrize("left_out", [*SHORTCUTS, ALL, "tree-look, object-plans"])
def test_it_comes_to_the_same_without(left_out: str, documents: list[str], quick: str) -> None:
    assert outcome(documents, left_out)[0] == quick


@pytest.fixture
def _read_anew() -> Iterator[None]:
    shortcuts.left_out.cache_clear()
    yield
    shortcuts.left_out.cache_clear()


@pytest.mark.usefixtures("_read_anew")
def test_the_variable_names_those_that_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, " tree-look ,usual-form,")
    assert [one for one in SHORTCUTS if not shortcuts.is_taken(one)] == ["tree-look", "usual-form"]


@pytest.mark.usefixtures("_read_anew")
def test_a_name_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "tree-look,fast")
    with pytest.raises(SettingsError, match="there is no shortcut 'fast': use all, or some of built-questions, "):
        shortcuts.is_taken("tree-look")


def test_the_docs_list_them() -> None:
    text = (DOCS / "performance.md").read_text(encoding="utf-8")
    assert "".join(f"| `{name}` | {what} |\n" for name, what in SHORTCUTS.items()) in text
