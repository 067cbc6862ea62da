"""Telling agent checkpoints from other documents, and the two shapes from each other.

Both shapes call themselves version 0.0.1, so that the structure tells: the canonical shape has its thoughts in an
array, the second one, which an existing TypeScript program writes, in an object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.arguments import checked
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.errors import ShapeError
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from checkpoint_ld.agent.values import Shape
    from checkpoint_ld.findings import Finding


REASONS = ("step_complete", "auto", "tool_error", "low_confidence", "decision", "manual", "branch")
"""The reasons for a checkpoint that the second shape knows."""
ENDED: Final = {"completed": True, "failed": False}
"""The lists of calls that have ended, and whether with success."""
IN_FLIGHT: Final = ("pending", "running")
"""The lists of the ids of calls that have not ended, in the order in which they are read."""

CALL_LISTS: Final = ("pending", "running", "completed", "failed")
"""Where the second shape has the calls of tools, by what became of them."""

_OF_SECOND = (
    ("thought_chain", "steps"),
    ("context", "messages"),
    *(("tool_state", name) for name in CALL_LISTS),
)
_OF_CANONICAL = (("context", "history"), ("tool_state", "calls"), ("tool_state", "results"))
"""Members of the parts of a snapshot that one shape alone has.

An array of thoughts is the sign of the canonical one. The others stand in for it where the thoughts are something else
by mistake, and keep two members that mean the same from being read as one.
"""
_SHOWN = 8
_BENCHMARK = frozenset(("dataFeedElement", "@graph", "hasPart", "questions", "checkpoint"))
_Path = tuple[str, ...]


def is_agent(value: Any) -> bool:
    """Tell whether a JSON value is an agent checkpoint, be it a broken one, and not a benchmark or something else."""
    return isinstance(value, dict) and "snapshot" in value and "execution_id" in value


@checked
def detect_shape(data: Any) -> Shape:
    """Tell the shape of an agent checkpoint by its structure.

    Raises ShapeError, with the members seen, where nothing tells, where both shapes are mixed, and for what is no
    agent checkpoint.
    """
    if not is_agent(data):
        raise ShapeError.of([_no_agent(data)])
    snapshot = _inside(data, "snapshot")
    second, canonical = _signs(snapshot, _OF_SECOND), _signs(snapshot, _OF_CANONICAL)
    if isinstance(snapshot.get("thought_chain"), list):
        canonical.insert(0, ("snapshot", "thought_chain"))
    if second and canonical:
        message = (
            f"members of both shapes are mixed: {_listed(canonical)} of the canonical one, {_listed(second)} of the "
            "second one"
        )
        raise ShapeError.of([finding("agent-shape", message, pointer=pointer(second[0]))])
    if second:
        return "second"
    if canonical:
        return "canonical"
    raise ShapeError.of([_untold(data)])


def _signs(snapshot: Mapping[str, Any], members: Iterable[tuple[str, str]]) -> list[_Path]:
    return [("snapshot", part, name) for part, name in members if name in _inside(snapshot, part)]


def _inside(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def _untold(data: Mapping[str, Any]) -> Finding:
    snapshot = data["snapshot"]
    if not isinstance(snapshot, dict):
        seen = "it is no object"
    else:
        seen = f"it has the members {_names(snapshot)}" if snapshot else "it is empty"
    return finding("agent-shape", f"nothing tells the shape of the snapshot: {seen}", pointer="/snapshot")


def _no_agent(data: Any) -> Finding:
    names = data.keys() if isinstance(data, dict) else ()
    if not _BENCHMARK.isdisjoint(names):
        message = f"this is a benchmark, not an agent checkpoint: it has the members {_names(data)}"
        return finding("agent-family", message, pointer="")
    seen = f"an object with the members {_names(data)}" if names else "an object without members"
    if not isinstance(data, dict):
        seen = "an array" if isinstance(data, list) else "no object"
    message = f"this is no agent checkpoint but {seen}: it needs snapshot and execution_id"
    return finding("agent-shape", message, pointer="")


def _names(value: Mapping[str, Any]) -> str:
    names = [shown(str(name)) for name in list(value)[:_SHOWN]]
    return ", ".join(names) + (f" and {len(value) - _SHOWN} more" if len(value) > _SHOWN else "")


def _listed(paths: list[_Path]) -> str:
    return ", ".join(pointer(path) for path in paths)


_Steps = tuple[str | int, ...]

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


def _missing(members: Any, names: Iterable[str], path: _Steps) -> Iterator[Finding]:
    """Yield what is missing in an object, where there is one; null is as good as nothing."""
    for name in names if isinstance(members, dict) else ():
        if members.get(name) is None:
            where = (*path, name)
            yield finding("agent-second-member", f"the second shape requires {pointer(where)}", pointer=pointer(where))


def _wrong(path: _Steps, wanted: str) -> Finding:
    return finding("agent-second-member", f"{pointer(path)} is not {wanted}", pointer=pointer(path))


def _elements(members: Mapping[str, Any], name: str, path: _Steps) -> Iterator[tuple[_Steps, Any]]:
    values = members.get(name)
    for index, value in enumerate(values if isinstance(values, list) else ()):
        yield (*path, name, index), value


_CHAIN = "/snapshot/thought_chain"
_TOOLS = "/snapshot/tool_state"
_FIXED = {
    _CHAIN: f"{_CHAIN}/steps",
    "/snapshot/current_step_id": f"{_CHAIN}/current_step_id",
    "/snapshot/thought_chain_extra": _CHAIN,
    "/snapshot/context/history": "/snapshot/context/messages",
    f"{_TOOLS}/calls": _TOOLS,
    f"{_TOOLS}/results": _TOOLS,
}


def origins_of(tree: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, str]:
    """Return where values of the canonical `tree` stand in `data`, by JSON Pointers (RFC 6901), where these differ.

    What stands inside a value that is told stands at the same place inside its origin.
    """
    found = dict(_FIXED)
    snapshot = _inside(tree, "snapshot")
    thoughts = snapshot.get("thought_chain")
    for index in range(len(thoughts) if isinstance(thoughts, list) else 0):
        found[f"{_CHAIN}/{index}/created_at"] = f"{_CHAIN}/steps/{index}/timestamp"
    standing = list(_standing(_inside(_inside(data, "snapshot"), "tool_state")))
    # A patch may have put the calls into another order, but not given them other identifiers.
    by_id = {identifier: place for identifier, place in reversed(standing) if isinstance(identifier, str)}
    calls = _inside(snapshot, "tool_state").get("calls")
    for index, call in enumerate(calls if isinstance(calls, list) else ()):
        origin = standing[index][1] if index < len(standing) else _TOOLS
        identifier = call.get("id") if isinstance(call, dict) else None
        if isinstance(identifier, str) and (index >= len(standing) or standing[index][0] != identifier):
            origin = by_id.get(identifier, origin)
        found |= _of_call(f"{_TOOLS}/calls/{index}", origin, identifier)
    return found


def _of_call(place: str, origin: str, identifier: Any) -> dict[str, str]:
    found = {place: origin, f"{place}/args": f"{origin}/arguments", f"{place}/started_at": f"{origin}/timestamp"}
    if isinstance(identifier, str):
        found[f"{_TOOLS}/results{pointer([identifier])}"] = f"{origin}/result"
    return found


def _standing(tools: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    """Yield the identifiers of the calls of the second shape in the order in which they are read, with their places."""
    for name in (*ENDED, *IN_FLIGHT):
        values = tools.get(name)
        for index, value in enumerate(values if isinstance(values, list) else ()):
            is_whole = isinstance(value, dict) and name in ENDED
            yield value.get("id") if is_whole else value, f"{_TOOLS}/{name}/{index}"
