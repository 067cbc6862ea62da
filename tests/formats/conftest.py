"""What tests of formats share: no way to the network, and benchmarks to export."""

from __future__ import annotations

from pathlib import Path

import pytest

import checkpoint_ld
from checkpoint_ld import Benchmark
from tests.cli.conftest import run

__all__ = ["run"]


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("nothing goes to the network")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr("socket.getaddrinfo", refused)


@pytest.fixture
def largest(corpus: Path) -> Benchmark:
    """Return the largest benchmark of the corpus."""
    file = max((corpus / "datafeed-ns-v3").glob("*.jsonld"), key=lambda one: one.stat().st_size)
    benchmark: Benchmark = checkpoint_ld.load(file)
    return benchmark
