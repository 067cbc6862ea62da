"""Fixtures that every test may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import rdflib
from hypothesis import HealthCheck, settings

from tests.trials import ALL, examples

# A shared machine is slow at times, which is no fault of a test. New examples are tried where everything is, but not in
# CI, where a change is not refused for a fault that it does not make.
settings.register_profile(
    "ours",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=examples(100),
    derandomize=not ALL or "CI" in os.environ,
)
settings.load_profile("ours")

REPOSITORY = Path(__file__).resolve().parents[1]


def corpus_folder() -> Path:
    """Return where the corpus of real documents is expected; the folder may be absent."""
    return (REPOSITORY / os.environ.get("CHECKPOINT_LD_CORPUS", "../shared/corpus")).resolve()


@pytest.fixture(scope="session")
def corpus() -> Path:
    folder = corpus_folder()
    if not folder.is_dir():
        pytest.skip(f"no corpus of real documents at {folder}: set CHECKPOINT_LD_CORPUS to its folder to run this test")
    return folder


@pytest.fixture(autouse=True)
def _lexical_forms() -> Iterator[None]:
    """Keep rdflib's parsers from rewriting literals, so that texts can be compared."""
    kept, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
    yield
    rdflib.NORMALIZE_LITERALS = kept
