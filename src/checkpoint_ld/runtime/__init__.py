"""The state of an agent while it runs: small changes, small events, snapshots that share what did not change."""

from checkpoint_ld.runtime.changes import Clock, Event, JsonArray, JsonObject, new_id
from checkpoint_ld.runtime.parts import Context, ExecutionProgress, Record, ThoughtChain, ToolState, Variables
from checkpoint_ld.runtime.state import RuntimeState

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
