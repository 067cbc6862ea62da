"""Runs of sorted lines come out as one sorted file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkpoint_ld.streaming import runs

if TYPE_CHECKING:
    from pathlib import Path

LINES = st.lists(st.text("ab\u00e9 ", max_size=3).map(lambda text: f"{text}\n".encode()), max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(LINES, max_size=9), st.integers(2, 4), st.integers(1, 3))
def test_all_lines_come_in_order(tmp_path: Path, parts: list[list[bytes]], together: int, at_once: int) -> None:
    files = [tmp_path / str(number) for number in range(len(parts))]
    for file, lines in zip(files, parts, strict=True):
        file.write_bytes(b"".join(sorted(lines)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "_TOGETHER", together)
        patch.setattr(runs, "_LINES", at_once)
        with runs.in_order(files) as joined:
            assert joined.read() == b"".join(sorted(line for lines in parts for line in lines))
