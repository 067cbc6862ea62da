"""Runs of texts come out as one file in order."""

from __future__ import annotations

import hashlib
import tracemalloc
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkpoint_ld.batch import windows
from tests.trials import examples

BLOCKS = st.lists(st.text("ab\u00e9\n\u2028\U0010ffff ", max_size=3).map(lambda text: f"{text}\n"), max_size=9)


def written(folder: Path, parts: list[list[str]]) -> list[Path]:
    """Write texts as runs."""
    files = [folder / str(number) for number in range(len(parts))]
    for file, blocks in zip(files, parts, strict=True):
        windows.write_run(file, blocks)
    return files


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(BLOCKS, max_size=9), st.integers(1, 40), st.integers(1, 9))
def test_all_texts_come_in_order(tmp_path: Path, parts: list[list[str]], most: int, least: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_MOST", most)
        patch.setattr(windows, "_LEAST", least)
        with windows.in_order(written(tmp_path, parts)) as joined:
            assert joined.read() == b"".join(sorted(block.encode() for blocks in parts for block in blocks))


def test_of_many_runs_little_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "_MOST", 1 << 12)
    monkeypatch.setattr(windows, "_LEAST", 16)
    parts = [[f"{at:06} of {number}{100 * '.'}\n" for at in range(number, 100_000, 97)] for number in range(20)]
    runs, wanted = written(tmp_path, parts), hashlib.sha256("".join(sorted(chain(*parts))).encode()).digest()
    found = hashlib.sha256()
    tracemalloc.start()
    with windows.in_order(runs) as joined:
        while data := joined.read(1 << 10):
            found.update(data)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.digest() == wanted
    assert held < sum(run.stat().st_size for run in runs) / 4
