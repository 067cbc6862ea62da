"""What was parsed beforehand is what the files of shapes say."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import pytest
from rdflib import Graph
from rdflib.compare import to_isomorphic

from checkpoint_ld import data, rules
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.store import Index

SCRIPT = Path(__file__).parents[2] / "docs" / "parsed_shapes.py"
FOLDER = data.folder(rules.FOLDER)
FILES = sorted(FOLDER.rglob("*.ttl"))


def graph_of(index: Index) -> Graph:
    graph = Graph()
    for subject, predicates in index.items():
        for predicate, held in predicates.items():
            for term in held if isinstance(held, list) else [held]:
                graph.add((subject, predicate, term))
    return graph


def test_what_was_parsed_beforehand_is_what_would_be_parsed_today() -> None:
    contents = runpy.run_path(str(SCRIPT))["contents"]()
    written = {file: file.read_bytes() for file in (FOLDER / rules.PARSED).rglob("*.json")}
    assert written == contents, "run python docs/parsed_shapes.py"


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_of_our_files_makes_the_same_statements_without_being_parsed(file: Path) -> None:
    stated = rules.parsed_beforehand(file)
    assert stated is not None
    beforehand, today = graph_of(emission.index_of(stated)), graph_of(emission.parse(file.read_bytes(), "turtle"))
    assert len(today) > 0
    assert to_isomorphic(beforehand) == to_isomorphic(today)
    assert [*stated] == [*rules.parsed(file)], "the order is that of the file"


def test_a_file_that_was_changed_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(FOLDER, tmp_path / "shapes")
    monkeypatch.setattr(data, "folder", lambda name: tmp_path / name)
    file = tmp_path / "shapes" / "karenina" / "names.ttl"
    assert rules.parsed_beforehand(file) is not None
    text = file.read_text(encoding="utf-8")
    title = next(rules.rules_of(file)).title
    file.write_text(text.replace(title, "a changed title"), encoding="utf-8")
    assert rules.parsed_beforehand(file) is None
    assert next(rules.rules_of(file)).title == "a changed title"
    (tmp_path / "shapes" / "karenina" / "new.ttl").write_text("<urn:x> a <urn:y> .", encoding="utf-8")
    assert rules.parsed_beforehand(tmp_path / "shapes" / "karenina" / "new.ttl") is None


def test_files_of_others_are_parsed(tmp_path: Path) -> None:
    file = tmp_path / "own.ttl"
    file.write_text('<urn:x> <urn:p> "a", "b"@en, 1, [ <urn:q> <urn:x> ] .', encoding="utf-8")
    assert rules.parsed_beforehand(file) is None
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    values = [["a", None, None], ["b", None, "en"], ["1", integer, None], "_:own-0"]
    assert rules.statements_in(file) == {"urn:x": {"urn:p": values}, "_:own-0": {"urn:q": ["urn:x"]}}
