"""Checkpoints of agents for the tests of stores."""

from typing import Any

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from tests.agents import documents

MOMENT = documents.MOMENT


def checkpoint(
    identifier: str = "ckpt_1", step: int = 1, reason: str = "thought_completed", **members: Any
) -> AgentCheckpoint:
    """Return a checkpoint that was made `step` seconds after the first moment."""
    metadata = {"step_number": step, "tokens_used": 10 * step, "duration_ms": 20, "checkpoint_reason": reason}
    tree = documents.checkpoint(**{"timestamp": MOMENT + 1000 * step, "metadata": metadata, **members})
    tree["snapshot"]["progress"]["step_number"] = step
    return AgentCheckpoint.of_tree({**tree, "id": identifier})


HARD = checkpoint(
    "hard/é\u0000 漢",
    thoughts=[documents.thought("a b", confidence=1, note={"z": 1, "a": None}), documents.thought("@id")],
    calls=[
        documents.call("null"),
        documents.call("none"),
        documents.call("bad", success=False, error="boom"),
        {"id": "open", "status": "running"},
    ],
    results={"null": None, "bad": {"@id": 1.0}, "stray": 10**30},
    name='naïve \U0001f600 "q"',
    description=None,
    extra=[1, 1.0, -0.0, 12345678901234567890123, 1e21, {"b": 1, "a": 2}],
    about={"benchmark": "urn:b", "question": "q?", "replicate": 0},
    diff={"from_checkpoint_id": "../x", "changes": {}, "summary": ""},
    parent={"checkpoint_id": "../x", "is_branch": True, "branch_reason": "try"},
)
"""A checkpoint with what is hard to keep: numbers of all kinds, nulls, unknown members, results of no call."""
