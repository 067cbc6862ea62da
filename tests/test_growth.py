"""What is done with a document grows as the document does, in whatever there is much of.

Calls are counted, not seconds: they are the same on every machine.
"""

import cProfile
import gc
import json
from collections.abc import Callable
from functools import partial
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pyld import jsonld

import checkpoint_ld
from checkpoint_ld import Benchmark
from checkpoint_ld.benchmark.difference import semantic_diff
from tests.documents import Json, canonical, item, rating, setting
from tests.trials import some

SMALL = 40
DIALECTS = ("v2.0", "gui-datafeed", "dataset-1")


def with_question(**members: Json) -> Json:
    document = canonical(item())
    document["dataFeedElement"][0]["item"].update(members)
    return document


def with_root(**members: Json) -> Json:
    return {**canonical(item()), **members}


DYNAMIC = {"additionalType": "karenina:GlobalDynamicRubricTrait"}

DOCUMENTS: dict[str, Callable[[int], Json]] = {
    "unknown keys of a question": lambda n: with_question(**{f"k{at}": at for at in range(n)}),
    "unknown keys of an unknown object": lambda n: with_root(extra={f"k{at}": at for at in range(n)}),
    "keys that are no IRI": lambda n: with_root(extra={f"k {at}": at for at in range(n)}),
    "traits of one name": lambda n: with_root(rating=[rating("same", "Global") for _ in range(n)]),
    "traits": lambda n: with_root(
        rating=[rating(f"t{at}", "Global", dynamic_trait_type="regex") | DYNAMIC for at in range(n)]
    ),
    "elements of one identifier": lambda n: canonical(*(item(f"What {at}?", "urn:uuid:question-q") for at in range(n))),
    "elements of one text": lambda n: canonical(*(item("What?", f"urn:uuid:question-{at}") for at in range(n))),
    "keywords": lambda n: with_question(keywords=[f"k{at}" for at in range(n)]),
    "properties of one name": lambda n: with_root(additionalProperty=[setting("same", at) for at in range(n)]),
    "other properties of a question": lambda n: with_question(
        additionalProperty=[setting(f"p{at}", at) for at in range(n)]
    ),
    "properties of a question": lambda n: with_question(
        additionalProperty=[setting("custom_x", at) for at in range(n)]
    ),
    "unknown objects of one identifier": lambda n: with_root(extra=[{"@id": "urn:x:a", "a": at} for at in range(n)]),
}


def written(benchmark: Benchmark, folder: Path, dialect: str) -> object:
    return benchmark.save(folder / "out.json", dialect=dialect)


def edited(benchmark: Benchmark, folder: Path) -> object:
    benchmark.add_question("One more?", "yes")
    return written(benchmark, folder, "datafeed-ns-v3")


JOBS: dict[str, Callable[[bytes, Path], object]] = {
    "validate": lambda data, _: checkpoint_ld.validate(BytesIO(data)),
    "edit": lambda data, folder: edited(Benchmark.load(BytesIO(data)), folder),
    "N-Triples": lambda data, _: Benchmark.load(BytesIO(Benchmark.load(data).to_ntriples().encode()), syntax="nt"),
    "convert": lambda data, folder: [written(Benchmark.load(data), folder, one) for one in DIALECTS],
    "diff": lambda data, _: semantic_diff(Benchmark.load(data), Benchmark.load(data)),
}


def calls(job: Callable[[], object]) -> int:
    """Return how many functions a job calls."""
    counter = cProfile.Profile()
    gc.disable()  # what other tests leave behind ends in calls
    try:
        counter.runcall(job)
    finally:
        gc.enable()
    return sum(entry.callcount for entry in counter.getstats())


@pytest.mark.slow
@pytest.mark.parametrize(("much", "job"), some([*product(DOCUMENTS, JOBS)], 2))
def test_work_grows_as_the_document_does(much: str, job: str, tmp_path: Path) -> None:
    JOBS[job](json.dumps(DOCUMENTS[much](8)).encode(), tmp_path)
    documents = [json.dumps(DOCUMENTS[much](size)).encode() for size in (SMALL, 2 * SMALL, 4 * SMALL)]
    small, middle, large = (calls(partial(JOBS[job], data, tmp_path)) for data in documents)
    assert large - middle < 2.5 * (middle - small) + 4_000, (small, middle, large)


def test_unknown_keys_are_looked_up_together(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    expand = jsonld.expand

    def counted(*arguments: Any, **options: Any) -> Any:
        given.append(arguments)
        return expand(*arguments, **options)

    monkeypatch.setattr(jsonld, "expand", counted)
    benchmark = Benchmark.load(json.dumps(with_question(**{f"unheardOf{at}": at for at in range(500)})).encode())
    assert benchmark.to_jsonld("plain")["dataFeedElement"][0]["item"]["unheardOf499"] == 499
    assert len(given) < 5
