"""Who goes through the questions of a benchmark gets what its graph says when the turn of each has come."""

from __future__ import annotations

import gc
import json
from typing import TYPE_CHECKING, Any

import pytest
from rdflib import Literal, URIRef

from checkpoint_ld import Benchmark
from checkpoint_ld.errors import LookupFailedError, ReadError
from checkpoint_ld.vocabulary import SCHEMA
from tests.documents import canonical, item, rating

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COUNT = 40
TEXT = URIRef(SCHEMA + "text")


@pytest.fixture
def benchmark() -> Benchmark:
    items = [item(f"Metal {number}?", f"urn:uuid:{number}") for number in range(COUNT)]
    return Benchmark.load(json.dumps(canonical(*items)).encode())


def texts(benchmark: Benchmark) -> list[str]:
    return [one.question for one in benchmark.questions]


def asked(benchmark: Benchmark, number: int) -> Any:
    return benchmark.graph.member(URIRef(f"urn:uuid:{number}"), "item")[0]


def test_all_are_there_in_their_order(benchmark: Benchmark) -> None:
    assert texts(benchmark) == [f"Metal {number}?" for number in range(COUNT)]
    assert texts(benchmark) == [benchmark.questions[number].question for number in range(COUNT)]
    assert [one.question for one in reversed(benchmark.questions[30:33])] == ["Metal 32?", "Metal 31?", "Metal 30?"]
    assert not list(benchmark.questions[COUNT:])
    assert benchmark.questions[3] in benchmark.questions


CHANGES: dict[str, Callable[[Benchmark, int], object]] = {
    "by the benchmark": lambda benchmark, at: benchmark.set_question_author(f"urn:uuid:{at}", {"name": "New"}),
    "by the graph": lambda benchmark, at: benchmark.graph.replace(asked(benchmark, at), "keywords", "New"),
    "by rdflib": lambda benchmark, at: benchmark.graph.add(
        (asked(benchmark, at), URIRef(SCHEMA + "keywords"), Literal("New"))
    ),
    "by SPARQL": lambda benchmark, at: benchmark.graph.update(
        f'INSERT DATA {{ <{asked(benchmark, at)}> schema:keywords "New" }}'
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("every", [1, 7])
def test_a_change_shows_in_the_questions_that_come_after_it(
    benchmark: Benchmark, change: Callable[[Benchmark, int], object], every: int
) -> None:
    seen = 0
    for at, question in enumerate(benchmark.questions):
        assert question.question == f"Metal {at}?"
        is_changed = at > 0 and at % every == 0
        assert (question.author == {"name": "New"} or "New" in question.keywords) is is_changed
        if (at + 1) % every == 0 and at + 1 < COUNT:
            change(benchmark, at + 1)
        seen += 1
    assert seen == COUNT


def test_a_question_that_is_taken_away_meanwhile_is_missed_when_its_turn_comes(benchmark: Benchmark) -> None:
    coming = iter(benchmark.questions)
    for _ in range(10):
        next(coming)
    benchmark.remove_question("urn:uuid:12")
    assert [next(coming).question for _ in range(2)] == ["Metal 10?", "Metal 11?"]
    with pytest.raises(LookupFailedError):
        next(coming)


def test_a_question_that_cannot_be_read_fails_when_its_turn_comes(benchmark: Benchmark) -> None:
    benchmark.graph.replace(asked(benchmark, 20), "rating", [rating(pattern="(")])
    coming = iter(benchmark.questions)
    assert [next(coming).question for _ in range(20)] == [f"Metal {number}?" for number in range(20)]
    with pytest.raises(ReadError, match="cannot be read"):
        next(coming)


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_garbage_collector_is_as_it_was_between_them(
    benchmark: Benchmark, collector: Callable[[bool], None], is_enabled: bool
) -> None:
    collector(is_enabled)
    assert {gc.isenabled() for _ in benchmark.questions} == {is_enabled}


@pytest.fixture
def collector() -> Iterator[Callable[[bool], None]]:
    was_enabled = gc.isenabled()
    yield lambda is_enabled: gc.enable() if is_enabled else gc.disable()
    if was_enabled:
        gc.enable()
