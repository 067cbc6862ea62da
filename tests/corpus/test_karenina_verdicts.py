"""The profile `karenina` and what Karenina 0.1.0 made of documents with one fault each."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Severity, validate
from checkpoint_ld.validation import profiles

_PATH = Path(__file__).parents[2] / "benchmarks" / "karenina_verdicts.py"


@pytest.fixture(scope="module")
def program() -> Any:
    spec = importlib.util.spec_from_file_location("karenina_verdicts", _PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def differing(program: Any, folder: Path, every: int) -> list[Any]:
    table = folder / "verdicts.jsonl.gz"
    documents = {path.name: json.loads(path.read_text()) for path in folder.glob("*.jsonld")}
    known = {
        name: frozenset(one.code for one in validate(folder / name).at_least(Severity.WARNING)) for name in documents
    }
    chosen = list(program.rows(table))[::every]
    assert len(chosen) > 200
    return [
        row
        for row in chosen
        if not program.is_alike(program.changed(documents[row[0]], row[1], row[2]), row, known[row[0]])
    ]


def test_a_sample_of_the_verdicts_is_that_of_karenina(program: Any, corpus: Path) -> None:
    assert differing(program, corpus / "tables" / "karenina-verdicts", 17) == []


@pytest.mark.slow
def test_every_verdict_is_that_of_karenina(program: Any, corpus: Path) -> None:
    assert differing(program, corpus / "tables" / "karenina-verdicts", 1) == []


def test_each_change_of_each_value_is_made(program: Any) -> None:
    document = {"@context": {}, "name": "Metals", "a/b": [{"c": 1}]}

    assert [*program.places(document)] == ["/name", "/a~1b", "/a~1b/0", "/a~1b/0/c"]
    assert program.changed(document, "/a~1b/0/c", "delete") == {"@context": {}, "name": "Metals", "a/b": [{}]}
    assert program.changed(document, "/name", "object")["name"] == {}


def test_the_profile_names_the_version_that_it_describes() -> None:
    assert profiles.profile("karenina").describes == "Karenina 0.1.0"
