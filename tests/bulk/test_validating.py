"""`validate --jobs`: the same output in the same order, by processes that live as long as the run."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.batch import bulk, validating
from checkpoint_ld.batch.validating import ValidatedFile, Work, outcomes
from tests.agents.runs import checkpoint
from tests.cli.conftest import Run, run
from tests.documents import canonical, item

__all__ = ["run"]

SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix schema: <https://schema.org/> .
<urn:s> a sh:NodeShape ; sh:targetClass schema:DataFeed ; sh:property [ sh:path schema:license ; sh:minCount 1 ] .
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of benchmarks with and without faults, an agent's checkpoint, and files that cannot be read."""
    monkeypatch.chdir(tmp_path)
    for number in range(9):
        document = canonical(item(f"What {number}?", f"urn:uuid:question-{number}"))
        document["@id"] = f"urn:uuid:karenina-checkpoint-{number}"
        if number % 3 == 0:
            question = document["dataFeedElement"][0]["item"]
            question["acceptedAnser"] = question.pop("acceptedAnswer")
        Path(f"{number}.jsonld").write_text(json.dumps(document), encoding="utf-8")
    Path("broken.jsonld").write_text('{"@type": "DataFeed", ', encoding="utf-8")
    # Two checkpoints of one id with different content: a finding about both.
    for name, kept in (("a", checkpoint()), ("b", checkpoint().but(name="other"))):
        Path(f"{name}.json").write_text(json.dumps(kept.tree()), encoding="utf-8")
    Path("shapes.ttl").write_text(SHAPES, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        ("--format", "json"),
        ("--format", "text", "--shapes", "shapes.ttl"),
        ("--format", "turtle"),
        ("--select", "KQ", "--format", "markdown"),
        ("missing.jsonld", "--quiet"),
        ("--engine", "pyshacl", "--quiet"),
    ],
)
def test_several_processes_give_the_same_output(run: Run, arguments: tuple[str, ...]) -> None:
    alone = run("validate", ".", *arguments)
    together = run("validate", ".", *arguments, "--jobs", 2)
    assert (together.code, together.out, together.err) == (alone.code, alone.out, alone.err)
    assert alone.out


def dying(files: list[str], work: Work) -> list[ValidatedFile]:
    """Die of one of the files, as of a fault in a compiled package."""
    if any(file.startswith("4") for file in files):
        os._exit(3)
    return validating.validated(files, work)


@pytest.mark.usefixtures("folder")
def test_a_process_that_dies_takes_one_file_along(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [f"{number}.jsonld" for number in range(9)]
    monkeypatch.setattr(validating, "validated", dying)
    found = [*outcomes(files, Work(), 2)]
    assert [one.file for one in found] == files
    assert [one.file for one in found if one.checked is None] == ["4.jsonld"]
    assert found[4].fault == "4.jsonld: the process that validated it died; validate it alone"


@pytest.mark.usefixtures("folder")
def test_processes_live_as_long_as_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    pool = bulk.pool

    def counted(jobs: int) -> Any:
        made.append(jobs)
        return pool(jobs)

    monkeypatch.setattr(validating, "pool", counted)
    assert len([*outcomes([f"{number % 9}.jsonld" for number in range(200)], Work(), 2)]) == 200
    assert made == [2]
