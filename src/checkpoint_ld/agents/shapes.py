"""The two shapes of agent checkpoints: their detection, and conversion of each into the other.

A patch in the file holds what the second shape has no member for, so that nothing is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.agents.json_patch import applied, patch, reordered
from checkpoint_ld.agents.values import THOUGHT_TYPES, ordered, sha256_of
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.errors import ReadError, ShapeError
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from checkpoint_ld.agents.values import Shape, Tree
    from checkpoint_ld.findings import Finding

PATCH: Final = "canonical_patch"
"""The member of the root of the second shape that holds the patch."""
_ENDED: Final = {"completed": True, "failed": False}
"""The lists of calls that have ended, and whether those calls succeeded."""
_IN_FLIGHT: Final = ("pending", "running")
"""The lists of the ids of calls that have not ended, in the order in which they are read."""
_CALL_LISTS: Final = (*_IN_FLIGHT, *_ENDED)

_OF_SECOND = (("thought_chain", "steps"), ("context", "messages"), *(("tool_state", name) for name in _CALL_LISTS))
_OF_CANONICAL = (("context", "history"), ("tool_state", "calls"), ("tool_state", "results"))
"""Members of the parts of a snapshot that one shape alone has.

An array of thoughts marks the canonical shape. The others decide where the thoughts are no array, and keep two members
of the same meaning from being read as one.
"""
_BENCHMARK = frozenset(("dataFeedElement", "@graph", "hasPart", "questions", "checkpoint"))
_MESSAGE = ("role", "content")
_PROGRESS = ("iterations_completed", "tokens_used", "duration_ms")
_SHOWN = 8

# Names are exchanged: a member with a name that means something else in the other shape takes the free name.
_THOUGHT_NAMES: Final = {"timestamp": "created_at", "created_at": "timestamp"}
_CALL_NAMES: Final = {"arguments": "args", "args": "arguments", "timestamp": "started_at", "started_at": "timestamp"}
_REASONS: Final = {
    **{
        name: name for name in ("step_complete", "auto", "tool_error", "low_confidence", "decision", "manual", "branch")
    },
    "thought_completed": "step_complete",
    "execution_completed": "step_complete",
    "tool_completed": "auto",
    "execution_failed": "auto",
    "paused": "manual",
}
"""The reasons of the second shape, and those that it has for other reasons of the canonical one."""
_TYPES: Final = {**{name: name for name in THOUGHT_TYPES}, "action": "tool_execution"}
"""The types of thoughts likewise."""

_CHAIN = "/snapshot/thought_chain"
_MESSAGES = "/snapshot/context/messages"
_TOOLS = "/snapshot/tool_state"
_FIXED = {
    _CHAIN: f"{_CHAIN}/steps",
    "/snapshot/current_step_id": f"{_CHAIN}/current_step_id",
    "/snapshot/thought_chain_extra": _CHAIN,
    "/snapshot/context/history": _MESSAGES,
    f"{_TOOLS}/calls": _TOOLS,
    f"{_TOOLS}/results": _TOOLS,
}
"""The places of parts of the canonical shape in the second one."""


def is_agent(value: Any) -> bool:
    """Return whether a JSON value is an agent checkpoint, valid or not, rather than a benchmark or something else."""
    return isinstance(value, dict) and "snapshot" in value and "execution_id" in value


def detect_shape(data: Any) -> Shape:
    """Return the shape of an agent checkpoint by its structure.

    Raises ShapeError, with the members found, if no member decides, if both shapes are mixed, and for a value that is
    no agent checkpoint.
    """
    if not is_agent(data):
        raise ShapeError.of([_no_agent(data)])
    snapshot = _inside(data, "snapshot")
    second, canonical = (
        [pointer(("snapshot", part, name)) for part, name in members if name in _inside(snapshot, part)]
        for members in (_OF_SECOND, _OF_CANONICAL)
    )
    if isinstance(snapshot.get("thought_chain"), list):
        canonical.insert(0, _CHAIN)
    if second and canonical:
        both = f"{', '.join(canonical)} of the canonical one, {', '.join(second)} of the second one"
        message = f"members of both shapes are mixed: {both}"
        raise ShapeError.of([finding("agent-shape", message, pointer=second[0])])
    if not second and not canonical:
        seen = f"it has the members {_names(snapshot)}" if snapshot else "it is empty"
        seen = seen if isinstance(data["snapshot"], dict) else "it is no object"
        message = f"the shape of the snapshot is unknown: {seen}"
        raise ShapeError.of([finding("agent-shape", message, pointer="/snapshot")])
    return "second" if second else "canonical"


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


def _inside(value: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """Return the object that names lead to, an empty one where there is none."""
    for name in path:
        inner = value.get(name)
        value = inner if isinstance(inner, dict) else {}
    return value


def _entries(members: Mapping[str, Any], name: str) -> list[Any]:
    value = members.get(name)
    return value if isinstance(value, list) else []


def _without(members: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name not in names}


def _only(members: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: members[name] for name in names if name in members}


def _renamed(members: Any, names: Mapping[str, str]) -> Any:
    """Return an object with other names for its members; anything else as it is."""
    return {names.get(name, name): value for name, value in members.items()} if isinstance(members, dict) else members


def second_faults(data: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the faults of a checkpoint of the second shape that concern this shape; the pointers lead into `data`."""
    snapshot = _inside(data, "snapshot")
    yield from _missing(data.get("metadata"), ("agent_id",), "/metadata")
    reason = _inside(data, "metadata").get("checkpoint_reason")
    reasons = [known for known, second in _REASONS.items() if known == second]
    if isinstance(reason, str) and reason not in reasons:
        message = f"the second shape has no reason {shown(reason)}, only {', '.join(reasons)}"
        yield finding("agent-second-value", message, pointer="/metadata/checkpoint_reason")
    for at, step in enumerate(_entries(_inside(snapshot, "thought_chain"), "steps")):
        yield from _missing(step, ("confidence", "children"), f"{_CHAIN}/steps/{at}")
    for at, message in enumerate(_entries(_inside(snapshot, "context"), "messages")):
        if not isinstance(message, dict):
            yield _wrong(f"{_MESSAGES}/{at}", "an object")
            continue
        yield from _missing(message, _MESSAGE, f"{_MESSAGES}/{at}")
        places = (f"{_MESSAGES}/{at}/{name}" for name in _MESSAGE if not isinstance(message.get(name), str | None))
        yield from (_wrong(place, "a text") for place in places)
    yield from _missing(snapshot.get("tool_state"), _CALL_LISTS, _TOOLS)
    yield from _faults_of_calls(_inside(snapshot, "tool_state"))
    yield from _missing(snapshot.get("progress"), _PROGRESS, "/snapshot/progress")


def _faults_of_calls(tools: Mapping[str, Any]) -> Iterator[Finding]:
    for name in _CALL_LISTS:
        if not isinstance(tools.get(name), list | None):
            yield _wrong(f"{_TOOLS}/{name}", "an array")
    for name, success in _ENDED.items():
        for at, call in enumerate(_entries(tools, name)):
            yield from _missing(call, ("status",), f"{_TOOLS}/{name}/{at}")
            if isinstance(call, dict) and call.get("success", success) is not success:
                message = f"the success of a call in {name} differs from the list that the call is in; the list counts"
                yield finding("agent-second-value", message, pointer=f"{_TOOLS}/{name}/{at}/success")


def _missing(members: Any, names: Iterable[str], place: str) -> Iterator[Finding]:
    """Yield the members that an object lacks; null counts as missing."""
    for name in names if isinstance(members, dict) else ():
        if members.get(name) is None:
            where = f"{place}/{name}"
            yield finding("agent-second-member", f"the second shape requires {where}", pointer=where)


def _wrong(place: str, wanted: str) -> Finding:
    return finding("agent-second-member", f"{place} is not {wanted}", pointer=place)


def origins_of(tree: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, str]:
    """Return the places in `data` of values of the canonical `tree`, by JSON Pointers (RFC 6901), where these differ.

    A value inside one that is listed has the same place inside its origin.
    """
    found = dict(_FIXED)
    for index in range(len(_entries(_inside(tree, "snapshot"), "thought_chain"))):
        found[f"{_CHAIN}/{index}/created_at"] = f"{_CHAIN}/steps/{index}/timestamp"
    standing: list[tuple[Any, str]] = []
    for name in (*_ENDED, *_IN_FLIGHT):
        for index, value in enumerate(_entries(_inside(data, "snapshot", "tool_state"), name)):
            is_whole = isinstance(value, dict) and name in _ENDED
            standing.append((value.get("id") if is_whole else value, f"{_TOOLS}/{name}/{index}"))
    # A patch may have put the calls into another order, but not given them other identifiers.
    by_id = {identifier: place for identifier, place in reversed(standing) if isinstance(identifier, str)}
    for index, call in enumerate(_entries(_inside(tree, "snapshot", "tool_state"), "calls")):
        place, origin = f"{_TOOLS}/calls/{index}", standing[index][1] if index < len(standing) else _TOOLS
        identifier = call.get("id") if isinstance(call, dict) else None
        if isinstance(identifier, str):
            if index >= len(standing) or standing[index][0] != identifier:
                origin = by_id.get(identifier, origin)
            found[f"{_TOOLS}/results{pointer([identifier])}"] = f"{origin}/result"
        found |= {place: origin, f"{place}/args": f"{origin}/arguments", f"{place}/started_at": f"{origin}/timestamp"}
    return found


def to_second(tree: Mapping[str, Any]) -> Tree:
    """Return a canonical tree as the second shape; `tree` is not changed.

    Where reading it back would not give the same data, `canonical_patch` holds the patch (RFC 6902) and the `sha256` of
    the text of the canonical shape that it gives.
    """
    second = _without(tree, PATCH)
    if isinstance(tree.get("metadata"), dict):
        second["metadata"] = metadata = _completed(tree["metadata"], {"agent_id": tree.get("agent_id")})
        if isinstance(reason := metadata.get("checkpoint_reason"), str):
            metadata["checkpoint_reason"] = _REASONS.get(reason, "auto")
    if isinstance(tree.get("snapshot"), dict):
        second["snapshot"] = _second_snapshot(tree["snapshot"], tree)
    second = ordered(second, "second")
    back, wanted = ordered(_mapped(second)), ordered(tree)
    before, results = (_inside(one, "snapshot", "tool_state", "results") for one in (back, wanted))
    # As the patch leaves them: those that stay in their order, then those that it adds.
    names = [name for name in before if name in results] + [name for name in results if name not in before]
    operations = [*patch(back, wanted), *reordered(names, results, f"{_TOOLS}/results")]
    if operations:
        second[PATCH] = {"sha256": sha256_of(back), "patch": operations}
    return second


def _second_snapshot(snapshot: dict[str, Any], tree: Mapping[str, Any]) -> dict[str, Any]:
    found = _without(snapshot, "current_step_id")
    found["thought_chain"] = chain = _renamed(
        _only(snapshot, "thought_chain", "current_step_id"), {"thought_chain": "steps"}
    )
    if isinstance(chain.get("steps"), list):
        chain["steps"] = _second_thoughts(chain["steps"])
    extra = snapshot.get("thought_chain_extra")
    # Other members of the chain come back in the order of the text form.
    if isinstance(extra, dict) and not {"steps", "current_step_id"} & extra.keys() and sorted(extra) == list(extra):
        found["thought_chain"] |= found.pop("thought_chain_extra")
    if isinstance(context := snapshot.get("context"), dict):
        found["context"] = _without(context, "state", "history")
        if "history" in context:
            history = context["history"]
            found["context"]["messages"] = [*filter(_is_message, history)] if isinstance(history, list) else history
    if isinstance(snapshot.get("tool_state"), dict):
        found["tool_state"] = _second_tool_state(snapshot["tool_state"], tree.get("timestamp"))
    if isinstance(progress := snapshot.get("progress"), dict):
        metadata = _inside(tree, "metadata")
        needed = {"iterations_completed": progress.get("step_number")}
        needed |= {name: metadata.get(name) for name in ("tokens_used", "duration_ms")}
        found["progress"] = _completed(_without(progress, "total_thoughts", "total_tool_calls"), needed)
    return found


def _second_thoughts(thoughts: list[Any]) -> list[Any]:
    children: dict[str, list[Any]] = {}
    for thought in thoughts:
        if isinstance(thought, dict) and isinstance(parent := thought.get("parent_id"), str):
            children.setdefault(parent, []).append(thought.get("id"))
    found = []
    for thought in thoughts:
        step = thought
        if isinstance(thought, dict):
            identifier, kind = thought.get("id"), thought.get("type")
            own = children.get(identifier, []) if isinstance(identifier, str) else []
            step = _completed(_renamed(thought, _THOUGHT_NAMES), {"confidence": 1, "children": own})
            if isinstance(kind, str):
                step["type"] = _TYPES.get(kind, "observation")
        found.append(step)
    return found


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and isinstance(value.get("content"), str)


def _second_tool_state(tools: dict[str, Any], timestamp: Any) -> dict[str, Any]:
    results = _inside(tools, "results")
    lists: dict[str, list[Any]] = {name: [] for name in _CALL_LISTS}
    for call in _entries(tools, "calls"):
        if not isinstance(call, dict):
            lists["completed"].append(call)
        elif isinstance(call.get("success"), bool):
            name = "completed" if call["success"] else "failed"
            lists[name].append(_second_call(call, name, results, timestamp))
        else:
            lists["running" if call.get("status") == "running" else "pending"].append(call.get("id"))
    return {**_without(tools, "calls", "results"), **lists}


def _second_call(call: dict[str, Any], status: str, results: Mapping[str, Any], timestamp: Any) -> dict[str, Any]:
    needed = {"arguments": {}, "status": status, "timestamp": timestamp}
    start, end = call.get("started_at"), call.get("completed_at")
    if isinstance(start, int) and isinstance(end, int) and end >= start:
        needed["duration_ms"] = end - start
    found = _completed(_renamed(_without(call, "success", "completed_at", "result"), _CALL_NAMES), needed)
    if isinstance(call.get("id"), str) and call["id"] in results:
        found["result"] = results[call["id"]]
    return found


def _completed(members: dict[str, Any], needed: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the required members of the second shape, where they are absent or null."""
    return {**members, **{name: value for name, value in needed.items() if members.get(name) is None}}


def of_second(data: Mapping[str, Any]) -> tuple[Tree, tuple[Finding, ...]]:
    """Return a checkpoint of the second shape as a canonical tree.

    Its `canonical_patch` is applied if it fits; if it does not, there is a finding. Unchanged values are not copied.
    """
    tree = _mapped(data)
    if PATCH not in data:
        return tree, ()
    value = data[PATCH]
    try:
        if not isinstance(value, dict) or not isinstance(value.get("patch"), list):
            raise ReadError("it is no object with sha256 and patch")
        if value.get("sha256") != sha256_of(tree):
            raise ReadError("the file was edited after it had been made, so that it does not fit any more")
        patched = applied(tree, value["patch"])
        if not isinstance(patched, dict):
            raise ReadError("it makes something else than an object of the checkpoint")
    except ReadError as error:
        return tree, (finding("agent-patch", f"the {PATCH} was not applied: {error}", pointer=f"/{PATCH}"),)
    return patched, ()


def _mapped(data: Mapping[str, Any]) -> Tree:
    """Return a checkpoint of the second shape as a canonical tree, without regard to its `canonical_patch`."""
    tree = _without(data, PATCH)
    if not isinstance(tree.get("snapshot"), dict):
        return tree
    tree["snapshot"] = found = dict(tree["snapshot"])
    if isinstance(chain := found.get("thought_chain"), dict):
        del found["thought_chain"]
        names = {"steps": "thought_chain", "current_step_id": "current_step_id"}
        found |= {names[name]: value for name, value in chain.items() if name in names}
        if isinstance(steps := found.get("thought_chain"), list):
            found["thought_chain"] = [_renamed(step, _THOUGHT_NAMES) for step in steps]
        if extra := {name: chain[name] for name in sorted(chain) if name not in names}:
            found["thought_chain_extra"] = extra | _only(found, "thought_chain_extra")
    if isinstance(found.get("context"), dict):
        found["context"] = {"state": {}, **_renamed(found["context"], {"messages": "history"})}
    if isinstance(found.get("tool_state"), dict):
        found["tool_state"] = _first_tool_state(found["tool_state"])
    if isinstance(found.get("progress"), dict):
        thoughts, calls = found.get("thought_chain"), _inside(found, "tool_state").get("calls")
        counted = {"total_thoughts": thoughts, "total_tool_calls": calls}
        totals = {name: len(value) for name, value in counted.items() if isinstance(value, list)}
        found["progress"] = totals | found["progress"]
    return tree


def _first_tool_state(tools: dict[str, Any]) -> dict[str, Any]:
    calls: list[Any] = []
    results: dict[str, Any] = {}
    for name, success in _ENDED.items():
        for entry in _entries(tools, name):
            call = {**_renamed(entry, _CALL_NAMES), "success": success} if isinstance(entry, dict) else entry
            # A result of a call without an id stays where it is.
            if isinstance(call, dict) and "result" in call and isinstance(call.get("id"), str):
                results[call["id"]] = call.pop("result")
            calls.append(call)
    for name in _IN_FLIGHT:
        calls += [{"id": identifier, "status": name} for identifier in _entries(tools, name)]
    return {**_without(tools, *_CALL_LISTS), "calls": calls, "results": results}
