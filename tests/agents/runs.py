"""Checkpoints of one run, made for tests of differences and timelines."""

from typing import Any

from checkpoint_ld.agents.checkpoint import AgentCheckpoint

START = 1_738_790_400_000
"""2025-02-05 21:20:00 UTC, in milliseconds."""


def thought(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"t{number}",
        "type": "reasoning",
        "content": f"thought {number}",
        "created_at": START + 1000 * number,
        **more,
    }


def call(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "tool_id": "read_file",
        "args": {"path": f"{number}.py"},
        "success": True,
        "started_at": START + 1000 * number,
        "completed_at": START + 1000 * number + 500,
        **more,
    }


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
    thoughts, calls = thoughts or [], calls or []
    return {
        "version": "0.0.1",
        "id": key,
        "timestamp": START + 10_000 * step,
        "execution_id": "exec_1",
        "agent_id": "reader",
        "snapshot": {
            "thought_chain": thoughts,
            "context": {"variables": variables or {}, "state": {}, "history": []},
            "tool_state": {"calls": calls, "results": results or {}},
            "progress": {"step_number": step, "total_thoughts": len(thoughts), "total_tool_calls": len(calls)},
        },
        "metadata": {"step_number": step, "tokens_used": 100 * step, "duration_ms": 5, "checkpoint_reason": "manual"},
        **more,
    }


def checkpoint(key: str = "k1", **given: Any) -> AgentCheckpoint:
    return AgentCheckpoint.model_validate(tree(key, **given))
