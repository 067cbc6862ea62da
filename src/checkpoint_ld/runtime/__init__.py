"""The state of an agent while it runs: small changes, small events, snapshots that share what did not change."""

from checkpoint_ld.runtime.changes import Clock, Event, new_id
from checkpoint_ld.runtime.frozen_json import JsonArray, JsonObject
from checkpoint_ld.runtime.state import Context, Record, RuntimeState, Variables
from checkpoint_ld.runtime.thought_chain import ThoughtChain
from checkpoint_ld.runtime.tool_state import ExecutionProgress, ToolState

__all__ = [
    "Clock",
    "Context",
    "Event",
    "ExecutionProgress",
    "JsonArray",
    "JsonObject",
    "Record",
    "RuntimeState",
    "ThoughtChain",
    "ToolState",
    "Variables",
    "new_id",
]
