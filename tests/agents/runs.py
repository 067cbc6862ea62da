"""Checkpoints of one run, made for tests of differences and timelines."""

from typing import Any

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from tests.agents import documents

START = documents.MOMENT
"""2025-02-05 21:20:00 UTC, in milliseconds."""


def thought(number: int, **more: Any) -> dict[str, Any]:
    return _of(documents.thought(f"t{number}", content=f"thought {number}", created_at=START + 1000 * number), more)


def call(number: int, **more: Any) -> dict[str, Any]:
    times = {"started_at": START + 1000 * number, "completed_at": START + 1000 * number + 500}
    return _of(documents.call(f"c{number}", tool_id="read_file", args={"path": f"{number}.py"}, **times), more)


def _of(entry: Any, more: dict[str, Any]) -> dict[str, Any]:
    return {**entry, **more}


def tree(
    key: str = "k1",
    *,
    thoughts: list[dict[str, Any]] | None = None,
    calls: list[dict[str, Any]] | None = None,
    variables: dict[str, Any] | None = None,
    results: dict[str, Any] | None = None,
    step: int = 1,
    **more: Any,
) -> dict[str, Any]:
    metadata = {"step_number": step, "tokens_used": 100 * step, "duration_ms": 5, "checkpoint_reason": "manual"}
    usual = {"id": key, "timestamp": START + 10_000 * step, "agent_id": "reader", "metadata": metadata}
    found = documents.checkpoint(thoughts or [], calls or [], results or {}, **{**usual, **more})
    found["snapshot"]["context"]["variables"] = variables or {}
    found["snapshot"]["progress"]["step_number"] = step
    return dict(found)


def checkpoint(key: str = "k1", **given: Any) -> AgentCheckpoint:
    return AgentCheckpoint.model_validate(tree(key, **given))
