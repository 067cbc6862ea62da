"""The table of shapes.md about engines: what ours and pySHACL find, and that each case shows a difference."""

import runpy
import tomllib
from typing import Any

import pyshacl
import pytest
import rdflib
from rdflib import SH, Graph

from checkpoint_ld import shacl
from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.emission import parse
from checkpoint_ld.shacl.shapes import compile_statements
from tests.conftest import REPOSITORY

FILE = REPOSITORY / "docs" / "shacl_differences.toml"
CASES = tomllib.loads(FILE.read_text(encoding="utf-8"))["cases"]
PREFIXES = """@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""
cases = pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])


@cases
def test_our_engine_finds_what_the_recommendation_requires(case: dict[str, Any]) -> None:
    data, shapes = (parse((PREFIXES + case[name]).encode(), "turtle") for name in ("data", "shapes"))
    if case["right"] == "error":
        with pytest.raises(ShapesError):
            shacl.results(shacl.DataGraph(data), compile_statements(shapes, {}))
    else:
        assert len(shacl.results(shacl.DataGraph(data), compile_statements(shapes, {}))) == case["right"]
    assert case["found"]["checkpoint-ld"] == case["right"]


@cases
@pytest.mark.filterwarnings("ignore")
def test_pyshacl_finds_what_the_table_states(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", True)
    data, shapes = (Graph().parse(data=PREFIXES + case[name]) for name in ("data", "shapes"))
    found: int | str = "error"
    try:
        _, report, _ = pyshacl.validate(data, shacl_graph=shapes)
        if isinstance(report, Graph):
            found = len(set(report.objects(None, SH.result)))
    except Exception:  # noqa: BLE001 - pySHACL raises any exception
        found = "error"

    assert found == case["found"]["pySHACL"]


def test_the_page_has_the_table() -> None:
    page = (FILE.parent / "shapes.md").read_text(encoding="utf-8")

    assert page == runpy.run_path(str(FILE.parent / "shapes_page.py"))["with_list"](page), "run docs/shapes_page.py"
