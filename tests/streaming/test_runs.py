"""Runs of texts come out as one file in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkpoint_ld.batch import statements
from tests.trials import examples

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS = st.lists(st.text("ab\u00e9\n\u2028\U0010ffff ", max_size=3).map(lambda text: f"{text}\n"), max_size=9)


def written(folder: Path, parts: list[list[str]]) -> list[Path]:
    """Write texts as runs."""
    files = [folder / str(number) for number in range(len(parts))]
    for file, blocks in zip(files, parts, strict=True):
        statements.write_run(file, blocks)
    return files


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(BLOCKS, max_size=9), st.integers(1, 40), st.integers(1, 9))
def test_all_texts_come_in_order(tmp_path: Path, parts: list[list[str]], most: int, least: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statements, "_MOST", most)
        patch.setattr(statements, "_LEAST", least)
        with statements.in_order(written(tmp_path, parts)) as joined:
            assert joined.read() == b"".join(sorted(block.encode() for blocks in parts for block in blocks))


def test_of_many_runs_little_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "_MOST", 1 << 12)
    monkeypatch.setattr(statements, "_LEAST", 16)
    sizes: list[int] = []
    taken = statements._Run.taken  # noqa: SLF001 - what it holds is no matter to others

    def seen(run: statements._Run, bound: bytes | None) -> list[bytes]:
        sizes.append(sum(map(len, run.blocks)))
        return taken(run, bound)

    monkeypatch.setattr(statements._Run, "taken", seen)  # noqa: SLF001 - as above
    parts = [[f"{at:06} of {number}\n" for at in range(number, 100_000, 97)] for number in range(20)]
    with statements.in_order(written(tmp_path, parts)) as joined:
        assert joined.read().decode() == "".join(sorted(block for blocks in parts for block in blocks))
    assert max(sizes) < 2 * (1 << 12) // len(parts)
