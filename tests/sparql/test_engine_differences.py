"""The table of queries.md about engines: what each engine answers, and which queries SPARQL 1.1 decides."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import NamedNode, RdfFormat, Store

from checkpoint_ld.errors import QueryFailedError
from checkpoint_ld.sparql import run
from checkpoint_ld.vocabulary import XSD

FILE = Path(__file__).parents[2] / "docs" / "engine_differences.toml"
CASES = tomllib.loads(FILE.read_text(encoding="utf-8"))["queries"]


@pytest.mark.parametrize("engine", ["oxigraph", "rdflib"])
@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_an_engine_answers_as_the_table_states(case: dict[str, Any], engine: Any) -> None:
    store = Store()
    data = f"@prefix xsd: <{XSD}> . {case['data']}"
    store.load(data.encode(), format=RdfFormat.TURTLE, to_graph=NamedNode("urn:g"))
    if case[engine] == "refused":
        with pytest.raises(QueryFailedError, match="rdflib cannot evaluate"):
            run(store, case["query"], engine=engine)
        return
    rows = run(store, case["query"], engine=engine).rows
    found = ["" if row[0] is None else str(row[0]) for row in rows]
    assert sorted(re.sub(rf"<{XSD}(\w+)>", r"xsd:\1", term) for term in found) == sorted(case[engine])


def test_each_case_shows_a_difference() -> None:
    for case in CASES:
        assert not case["oxigraph"] == case["rdflib"] == case.get("right"), case["what"]
