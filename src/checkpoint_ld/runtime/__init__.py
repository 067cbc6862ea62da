"""The state of an agent while it runs: small changes, small events, snapshots that share what did not change."""

from checkpoint_ld.runtime.changes import Clock, new_id
from checkpoint_ld.runtime.context import Context, Record, Variables
from checkpoint_ld.runtime.events import Event
from checkpoint_ld.runtime.frozen_json import JsonArray, JsonObject
from checkpoint_ld.runtime.state import RuntimeState
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
