"""What is known about our contexts is what PyLD says about them."""

from __future__ import annotations

import runpy
from pathlib import Path

from checkpoint_ld.graph import contexts

SCRIPT = Path(__file__).parents[1] / "docs" / "resolved_contexts.py"
FILE = SCRIPT.parents[1] / "contexts" / contexts.FILE


def test_what_is_known_is_what_pyld_states_today() -> None:
    assert runpy.run_path(str(SCRIPT))["content"]() == FILE.read_bytes(), "run python docs/resolved_contexts.py"


def test_definitions_are_the_same_whether_they_are_known_or_requested() -> None:
    for context in (contexts.plain(), contexts.improved()):
        assert contexts.definitions(context) == contexts.resolve(context) != {}
