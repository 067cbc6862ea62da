"""What only the second shape requires, and what it says twice: faults that the canonical tree does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.shapes.detection import CALL_LISTS
from checkpoint_ld.agent.shapes.from_second import ENDED
from checkpoint_ld.agent.shapes.to_second import REASONS
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from checkpoint_ld.findings import Finding

_Path = tuple[str | int, ...]

_STEP = ("confidence", "children")
_CALL = ("status",)
_PROGRESS = ("iterations_completed", "tokens_used", "duration_ms")
_METADATA = ("agent_id",)
_MESSAGE = ("role", "content")


def second_faults(data: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is wrong with a checkpoint of the second shape as such; the pointers lead into `data`."""
    snapshot = _inside(data, "snapshot")
    yield from _missing(data.get("metadata"), _METADATA, ("metadata",))
    reason = _inside(data, "metadata").get("checkpoint_reason")
    if isinstance(reason, str) and reason not in REASONS:
        message = f"the second shape has no reason {shown(reason)}, only {', '.join(REASONS)}"
        yield finding("agent-second-value", message, pointer="/metadata/checkpoint_reason")
    for path, step in _elements(_inside(snapshot, "thought_chain"), "steps", ("snapshot", "thought_chain")):
        yield from _missing(step, _STEP, path)
    yield from _of_messages(_inside(snapshot, "context"))
    yield from _missing(snapshot.get("tool_state"), CALL_LISTS, ("snapshot", "tool_state"))
    yield from _of_calls(_inside(snapshot, "tool_state"))
    yield from _missing(snapshot.get("progress"), _PROGRESS, ("snapshot", "progress"))


def _of_messages(context: Mapping[str, Any]) -> Iterator[Finding]:
    for path, message in _elements(context, "messages", ("snapshot", "context")):
        if not isinstance(message, dict):
            yield _wrong(path, "an object")
            continue
        yield from _missing(message, _MESSAGE, path)
        for name in _MESSAGE:
            if not isinstance(message.get(name), str | None):
                yield _wrong((*path, name), "a text")


def _of_calls(tools: Mapping[str, Any]) -> Iterator[Finding]:
    path = ("snapshot", "tool_state")
    for name in CALL_LISTS:
        if not isinstance(tools.get(name), list | None):
            yield _wrong((*path, name), "an array")
    for name, success in ENDED.items():
        for place, call in _elements(tools, name, path):
            yield from _missing(call, _CALL, place)
            if isinstance(call, dict) and call.get("success", success) is not success:
                message = f"the success of a call in {name} is said to be another one; the list that it is in counts"
                yield finding("agent-second-value", message, pointer=pointer((*place, "success")))


def _missing(members: Any, names: Iterable[str], path: _Path) -> Iterator[Finding]:
    """Yield what is missing in an object, where there is one; null is as good as nothing."""
    for name in names if isinstance(members, dict) else ():
        if members.get(name) is None:
            where = (*path, name)
            yield finding("agent-second-member", f"the second shape requires {pointer(where)}", pointer=pointer(where))


def _wrong(path: _Path, wanted: str) -> Finding:
    return finding("agent-second-member", f"{pointer(path)} is not {wanted}", pointer=pointer(path))


def _elements(members: Mapping[str, Any], name: str, path: _Path) -> Iterator[tuple[_Path, Any]]:
    values = members.get(name)
    for index, value in enumerate(values if isinstance(values, list) else ()):
        yield (*path, name, index), value


def _inside(members: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = members.get(name)
    return value if isinstance(value, dict) else {}
