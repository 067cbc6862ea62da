"""Values that look like secrets, withheld from a checkpoint before it is saved, and wherever one is shown.

Thoughts, calls and results are looked at once; a later checkpoint that holds them again takes what was found then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import CHECKED, Thought, ToolCall, kept_with, kept_with_results
from checkpoint_ld.secrets import is_harmless, without_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.agents.serialization import AgentReading
    from checkpoint_ld.agents.values import Snapshot, SnapshotToolState

_TEXTS: Final = {
    Thought: ("content", "reasoning", "alternatives", "metadata"),
    ToolCall: ("args", "error"),
}
"""The members of parts that may hold secrets; so may members that are not known."""
OF_LANGGRAPH: Final = "langgraph"
"""The member of a snapshot with LangGraph's own bytes, from which a graph resumes: nothing in it can be withheld."""
_P = TypeVar("_P", Thought, ToolCall)


class _Looked(NamedTuple):
    """What was found in a part: the value without secrets, and where they were in it."""

    value: Any
    places: tuple[str, ...]


_HARMLESS: Final = _Looked(None, ())


def withheld(checkpoint: AgentCheckpoint) -> tuple[AgentCheckpoint, tuple[str, ...]]:
    """Return a checkpoint without values that look like secrets, and their places as JSON Pointers.

    The same checkpoint is returned if there are none.
    """
    snapshot, places = _of_snapshot(checkpoint.snapshot)
    members = {name: getattr(checkpoint, name) for name in ("name", "description", "diff")}
    members = {name: value for name, value in members.items() if value is not None} | (checkpoint.model_extra or {})
    rest, others = _masked(members, "")
    metadata, more = _masked(checkpoint.metadata.model_extra or {}, "/metadata")
    places += others + more
    if not places:
        return checkpoint, ()
    changed: dict[str, Any] = {**rest, "snapshot": snapshot}
    if more:
        changed["metadata"] = checkpoint.metadata.but(**metadata)
    return checkpoint.but(**changed), places


def shown(reading: AgentReading) -> tuple[AgentCheckpoint | None, int]:
    """Return the checkpoint of a reading without such values and how many they were, None if there are none."""
    if is_harmless(reading.tree):
        return None, 0
    checkpoint, places = withheld(AgentCheckpoint.of_reading(reading))
    return (checkpoint if places else None), len(places)


def _of_snapshot(snapshot: Snapshot) -> tuple[Snapshot, tuple[str, ...]]:
    chain, places = _parts(snapshot.thought_chain, "/snapshot/thought_chain")
    tools = snapshot.tool_state
    calls, more = _parts(tools.calls, "/snapshot/tool_state/calls")
    results, others = _results(tools)
    given = snapshot.context
    context = {name: getattr(given, name) for name in ("variables", "state", "history", "memory")}
    context = {name: value for name, value in context.items() if value is not None} | (given.model_extra or {})
    around, beside = _masked(context, "/snapshot/context")
    extra = {name: value for name, value in (snapshot.model_extra or {}).items() if name != OF_LANGGRAPH}
    rest, outside = _masked(extra, "/snapshot")
    found = places + more + others + beside + outside
    if not found:
        return snapshot, ()
    state = tools.but(calls=calls, results=results)
    return snapshot.but(thought_chain=chain, context=given.but(**around), tool_state=state, **rest), found


def _parts(parts: tuple[_P, ...], place: str) -> tuple[tuple[_P, ...], tuple[str, ...]]:
    looked = kept_with(parts, CHECKED, _look)
    if looked.count(_HARMLESS) == len(looked):
        return parts, ()
    places = tuple(f"{place}/{number}{inner}" for number, one in enumerate(looked) for inner in one.places)
    both = zip(parts, looked, strict=True)
    return tuple(part if one is _HARMLESS else one.value for part, one in both), places


def _look(part: Thought | ToolCall) -> _Looked:
    tree, found = part.tree(), _HARMLESS
    if not is_harmless(tree):
        known = {*type(part).model_fields} - {*_TEXTS[type(part)]}
        members, places = _masked({name: value for name, value in tree.items() if name not in known}, "")
        if places:
            found = _Looked(part.but(**members), places)
    part.__dict__[CHECKED] = found
    return found


def _results(tools: SnapshotToolState) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    looked = kept_with_results(tools, CHECKED, _look_at_result)
    if looked.count(_HARMLESS) == len(looked):
        return tools.results, ()
    both = zip(tools.results.items(), looked, strict=True)
    changed = {name: value if one is _HARMLESS else one.value for (name, value), one in both}
    places = tuple(f"/snapshot/tool_state/results{inner}" for one in looked for inner in one.places)
    return changed, places


def _look_at_result(name: str, value: Any) -> _Looked:
    found: list[str] = []
    masked = value if is_harmless(value) else without_secrets(value, "", (name,), found)
    return _Looked(masked, tuple(found)) if found else _HARMLESS


def _masked(members: dict[str, Any], place: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    if is_harmless(members):
        return members, ()
    found: list[str] = []
    masked: dict[str, Any] = without_secrets(members, "", (), found)
    return masked, tuple(f"{place}{inner}" for inner in found)
