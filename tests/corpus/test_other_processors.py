"""Real documents as other JSON-LD processors read what is written of them: the statements of our own graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corpus import DIALECTS, Json, expectations, loaded
from tests.processors import PROCESSORS, statements_of, statements_of_graph
from tests.trials import some


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_processor_reads_the_statements_of_our_graph(corpus: Path, dialect: str) -> None:
    for case in some(expectations(corpus, dialect), 2):
        benchmark = loaded(corpus / case["file"])
        document = benchmark.to_jsonld()
        names = list(identifiers(document))
        if any(" " in name for name in names):  # no IRI: other processors drop what is stated of it
            continue
        first, *others = (statements_of(processor, document) for processor in PROCESSORS)
        assert all(one == first for one in others), case["file"]
        # One name on two objects is one node for the others, and two for us, so that both come back.
        assert first == statements_of_graph(benchmark.graph) or len(set(names)) < len(names), case["file"]


def identifiers(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["@id"]] if "@id" in value else ())
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from identifiers(one)
