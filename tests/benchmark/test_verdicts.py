"""The verdict after edits is that of a fresh validation."""

import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from checkpoint_ld.benchmark.overview import Verdict
from checkpoint_ld.dialects import reading
from checkpoint_ld.errors import CheckpointLdError, ReadError
from checkpoint_ld.graph.store import copied
from checkpoint_ld.validation import profiles, validator
from checkpoint_ld.validation.results import Checked
from tests.benchmark.edits import EDITS, applied, sample
from tests.trials import examples, some

RANDOM = st.lists(st.tuples(st.sampled_from(sorted(EDITS)), st.integers(0, 50)), min_size=1, max_size=6)


def fresh(benchmark: Benchmark, profile: str = "karenina") -> Checked:
    try:
        read = reading.of_statements(copied(benchmark.graph.held))
        return validator.check_reading(read, profiles.profile(profile))
    except ReadError as error:
        return Checked(None, error.findings)


def assert_as_fresh(benchmark: Benchmark, profile: str = "karenina") -> None:
    verdict: Verdict = benchmark.validate(profile)
    expected = fresh(benchmark, profile)
    [checked] = verdict.report.checked
    assert sorted(map(repr, checked.findings)) == sorted(map(repr, expected.findings))
    assert checked.dialect == expected.dialect
    assert (checked.results is None) == (expected.results is None)
    assert checked.results is None or len(checked.results) == len(expected.results or ())
    assert list(verdict.template_errors) == Benchmark.validate_templates(benchmark)[1]


@settings(max_examples=examples(80), deadline=None)
@given(RANDOM)
def test_the_verdict_after_each_edit_is_that_of_a_fresh_validation(edits: list[tuple[str, int]]) -> None:
    benchmark = sample()
    assert_as_fresh(benchmark)
    for edit in edits:
        applied(benchmark, *edit)
        assert_as_fresh(benchmark)


@settings(max_examples=examples(20), deadline=None)
@given(RANDOM, st.sampled_from(["strict", "load", "legacy-dataset"]))
def test_it_is_so_for_clones_loaded_benchmarks_and_other_profiles(edits: list[tuple[str, int]], profile: str) -> None:
    benchmark = Benchmark.load(sample().to_ntriples().encode(), syntax="nt")
    for edit in edits:
        applied(benchmark, *edit)
    assert_as_fresh(benchmark)
    other = benchmark.clone()
    for edit in edits:
        applied(other, *edit)
        assert_as_fresh(other, profile)
    assert_as_fresh(benchmark)


@pytest.mark.slow
def test_it_is_so_for_documents_of_the_corpus(corpus: Path) -> None:
    files = sorted(one for one in corpus.rglob("*.json*") if one.stat().st_size < 300_000)
    followed = 0
    for number, file in enumerate(some(files, 12)):
        try:
            benchmark = Benchmark.load(file)
        except CheckpointLdError:
            continue
        assert_as_fresh(benchmark)
        for at, name in enumerate(sorted(EDITS)[number % 3 :: 3]):
            applied(benchmark, name, at + number)
            assert_as_fresh(benchmark)
            state = vars(benchmark)["_followed"]
            followed += state.is_followed
    assert followed


def test_edits_of_every_usual_kind_are_followed() -> None:
    benchmark = sample()
    benchmark.validate()
    for at, name in enumerate(
        sorted(
            EDITS.keys()
            - {"link", "authority", "elsewhere", "typed member", "removed", "same question", "identifier", "undone"}
        )
    ):
        applied(benchmark, name, at)
        benchmark.validate()
        assert vars(benchmark)["_followed"].is_followed, name


def test_edits_in_other_threads_are_never_missed() -> None:
    benchmark = sample()
    ids = benchmark.get_question_ids()

    def edit() -> None:
        for number in range(60):
            benchmark.set_question_custom_property(ids[number % 4], "due", "tomorrow" if number % 3 else "2026-01-01")

    thread = threading.Thread(target=edit)
    thread.start()
    while thread.is_alive():
        benchmark.validate()
        benchmark.query("ASK { ?s ?p ?o }", inferred=True)
    assert_as_fresh(benchmark)
    assert len(benchmark.query("SELECT ?s { ?s ?p ?o }", inferred=True).rows) == len(benchmark.inferred_graph())
