"""The documents of the suite: small, each with a difficulty of its own."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.agents.checkpoint import AgentCheckpoint

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]

START: Final = 1_750_000_000_000
"""2025-06-15 15:06:40 UTC, in milliseconds since 1970."""
MANY: Final = 10_000_000
"""Characters of the longest text."""
HOSTILE_IDS: Final = (
    "../../etc/passwd",
    "a/b",
    "CON",
    "nul.json",
    "x\u0000",
    " ",
    ".",
    "..",
    "%2e%2e",
    "a b#c?d",
    '<"{}|\\^`>',
    "naïve-漢字-🜚",
    "n" * 900,
    "checkpoint",
    "CHECKPOINT",
)
"""Identifiers that are no file names, no IRIs, or differ in case only."""


def thought(number: int, **members: Any) -> Json:
    """Return a thought; `members` are put over the usual ones, None takes one away."""
    usual = {"id": f"thought_{number}", "type": "reasoning", "content": f"thought {number}"}
    return _without_none({**usual, "created_at": START + number, **members})


def call(number: int, **members: Any) -> Json:
    """Return a call of a tool that ended well, as `thought` does."""
    usual: Json = {"id": f"call_{number}", "tool_id": "read_file", "args": {"path": f"{number}.py"}, "success": True}
    times = {"started_at": START + number, "completed_at": START + number + 1}
    return _without_none({**usual, **times, **members})


def tree(checkpoint_id: str = "ckpt_1", *, step: int = 1, **members: Any) -> Json:
    """Return a document at a step; `thoughts`, `calls`, `results`, `variables`, `metadata` go to their places."""
    thoughts, calls = members.pop("thoughts", []), members.pop("calls", [])
    results, variables = members.pop("results", {}), members.pop("variables", {})
    metadata = {"step_number": step, "tokens_used": 10 * step, "duration_ms": step, "checkpoint_reason": "manual"}
    return {
        "version": "0.0.1",
        "id": checkpoint_id,
        "timestamp": START + 60_000 + 1_000 * step,
        "execution_id": "exec_1",
        "agent_id": "agent_1",
        "snapshot": {
            "thought_chain": thoughts,
            "context": {"variables": variables, "state": {}, "history": []},
            "tool_state": {"calls": calls, "results": results},
            "progress": {"step_number": step, "total_thoughts": len(thoughts), "total_tool_calls": len(calls)},
        },
        "metadata": {**metadata, **members.pop("metadata", {})},
        **members,
    }


def checkpoint(checkpoint_id: str = "ckpt_1", **members: Any) -> AgentCheckpoint:
    """Return a checkpoint; parameters are those of `tree`."""
    return AgentCheckpoint.of_tree(tree(checkpoint_id, **members))


def line(length: int, *, execution: str = "exec_1", prefix: str = "ckpt") -> list[AgentCheckpoint]:
    """Return the checkpoints of a run that thinks once a step, each linked to the one before."""
    made = []
    for step in range(1, length + 1):
        parent = {"parent": {"checkpoint_id": f"{prefix}_{step - 1}"}} if step > 1 else {}
        thoughts = [thought(number) for number in range(step)]
        made.append(checkpoint(f"{prefix}_{step}", step=step, thoughts=thoughts, execution_id=execution, **parent))
    return made


def _without_none(members: Json) -> Json:
    return {key: value for key, value in members.items() if value is not None}


def _deep(levels: int) -> Any:
    value: Any = "bottom"
    for level in range(levels):
        value = {"in": value} if level % 2 else [value]
    return value


def _everything() -> Json:
    return tree(
        "everything",
        step=3,
        name="a name",
        description="what it is",
        parent={"checkpoint_id": "before", "is_branch": True, "branch_reason": "to try"},
        about={"benchmark": "urn:b", "question": 'urn:uuid:question-"q"', "benchmark_version": "1", "replicate": 2},
        diff={"from_checkpoint_id": "before", "changes": {"/a": {"before": 1, "after": None}}, "summary": "s"},
        thoughts=[
            thought(0, confidence=0.25, reasoning="because", children=["thought_1"], metadata={"k": [1]}),
            thought(1, parent_id="thought_0", alternatives=[{"option": "o", "reason_rejected": "r"}]),
            thought(2, type="decision", confidence=1),
        ],
        calls=[
            call(0),
            call(1, success=False, error="no such file", status="failed", duration_ms=1.5),
            call(2, success=None, completed_at=None, status="running"),
        ],
        results={"call_0": [1, 2], "call_1": None},
        metadata={"agent_name": "Agent", "agent_id": "agent_1", "total_steps_estimate": 9},
    )


DOCUMENTS: Final[Mapping[str, Json]] = MappingProxyType(
    {
        "plain": tree("plain"),
        "everything": _everything(),
        "nulls": tree("nulls", name=None, variables={"a": [None]}, calls=[call(0)], results={"call_0": None}),
        "numbers": tree(
            "numbers",
            variables={"big": 2**80, "one": 1, "float": 1.0, "minus": -0.0, "small": 5e-324, "large": 1.7e308},
            thoughts=[thought(0, confidence=1), thought(1, confidence=1.0)],
        ),
        "unknown": {
            **tree("unknown", thoughts=[thought(0, later=[1])], calls=[call(0, later={"a": 1})], metadata={"zeta": 1}),
            "zeta": {"b": 1, "a": 2},
            "alpha": [],
        },
        "order": tree("order", variables={"z": {"b": 1, "a": 2}, "a": [3, 1, 2], "m": {}}),
        "unicode": tree("unicode", variables={"é": "e\u0301", "🜚": "\u202eabc\u2028\u0000\u007f"}),
        "deep": tree("deep", variables={"deep": _deep(60)}),
        "open": tree("open", thoughts=[thought(0, type="of-my-own")], metadata={"checkpoint_reason": "of-my-own"}),
        "long": tree("long", thoughts=[thought(0, content="long " * (MANY // 5))]),
    }
)
"""Documents by their difficulty."""
