"""`checkpoint-ld schema`: JSON Schemas for editors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checkpoint_ld.entities.json_schemas import json_schema, summaries
from tests.cli.conftest import Run


@pytest.mark.parametrize("name", ["checkpoint", "question", "NumericTolerance"])
def test_a_schema_is_printed(run: Run, name: str) -> None:
    done = run("schema", name)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == json_schema(name)
    assert done.out.endswith(b"}\n")


@pytest.mark.parametrize("arguments", [(), ("--list",), ("question", "--list")])
def test_all_are_listed(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("schema", *arguments)
    lines = done.out.decode().splitlines()
    assert (done.code, done.err) == (0, "")
    assert {line.split(maxsplit=1)[0]: line.split(maxsplit=1)[1] for line in lines} == summaries()


def test_a_schema_is_written_to_a_file_that_is_not_there_yet(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "question.schema.json"
    assert run("schema", "question", "-o", target).code == 0
    assert json.loads(target.read_bytes()) == json_schema("question")

    refused = run("schema", "person", "--output", target)
    assert (refused.code, json.loads(target.read_bytes())) == (2, json_schema("question"))
    assert str(target) in refused.err

    assert run("schema", "person", "--output", target, "--force").code == 0
    assert json.loads(target.read_bytes()) == json_schema("person")


def test_a_name_that_does_not_exist_is_refused(run: Run) -> None:
    done = run("schema", "checkpont")
    assert (done.code, done.out) == (2, b"")
    assert 'there is no schema "checkpont"; did you mean checkpoint?' in done.err
