"""The second shape as the canonical one: other names, calls in one array, results by the ids of calls.

Nothing here refuses anything: what is broken in the second shape is as broken in the canonical one, for the rules to
find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.agent.json_patch import applied
from checkpoint_ld.agent.shapes.detection import CALL_LISTS
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.errors import ReadError
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.agent.text import Tree
    from checkpoint_ld.findings import Finding

PATCH: Final = "canonical_patch"
"""The member of the root of the second shape that makes up for what the second shape cannot say."""
ENDED: Final = {"completed": True, "failed": False}
"""The lists of calls that have ended, and whether with success."""
IN_FLIGHT: Final = ("pending", "running")
"""The lists of the ids of calls that have not ended, in the order in which they are read."""

# Both ways: a member that has the other shape's name, and means something else there, takes the name that is free.
THOUGHT_NAMES: Final = {"timestamp": "created_at", "created_at": "timestamp"}
CALL_NAMES: Final = {"arguments": "args", "args": "arguments", "timestamp": "started_at", "started_at": "timestamp"}


def of_second(data: Mapping[str, Any]) -> tuple[Tree, tuple[Finding, ...]]:
    """Return a checkpoint of the second shape as a canonical tree.

    Its `canonical_patch` is applied if it fits; if it does not, a finding says so. Nothing is copied that stays as it
    is.
    """
    tree = mapped(data)
    if PATCH not in data:
        return tree, ()
    try:
        return _patched(tree, data[PATCH]), ()
    except ReadError as error:
        return tree, (finding("agent-patch", f"the {PATCH} was not applied: {error}", pointer=f"/{PATCH}"),)


def mapped(data: Mapping[str, Any]) -> Tree:
    """Return a checkpoint of the second shape as a canonical tree, without regard to its `canonical_patch`."""
    tree = {name: value for name, value in data.items() if name != PATCH}
    if isinstance(tree.get("snapshot"), dict):
        tree["snapshot"] = _snapshot(tree["snapshot"])
    return tree


def renamed(members: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return an object with other names for its members."""
    return {names.get(name, name): value for name, value in members.items()}


def _patched(tree: Tree, value: Any) -> Tree:
    if not isinstance(value, dict) or not isinstance(value.get("patch"), list):
        raise ReadError("it is no object with sha256 and patch")
    if value.get("sha256") != sha256_of(tree):
        raise ReadError("the file was edited after it had been made, so that it does not fit any more")
    patched = applied(tree, value["patch"])
    if not isinstance(patched, dict):
        raise ReadError("it makes something else than an object of the checkpoint")
    return patched


def _snapshot(snapshot: dict[str, Any]) -> dict[str, Any]:
    found = dict(snapshot)
    chain, context, tools = (snapshot.get(name) for name in ("thought_chain", "context", "tool_state"))
    if isinstance(chain, dict):
        del found["thought_chain"]
        found |= _chain(chain, snapshot)
    if isinstance(context, dict):
        found["context"] = {"state": {}, **renamed(context, {"messages": "history"})}
    if isinstance(tools, dict):
        found["tool_state"] = _tool_state(tools)
    if isinstance(snapshot.get("progress"), dict):
        found["progress"] = {**_totals(found), **snapshot["progress"]}
    return found


def _chain(chain: dict[str, Any], snapshot: dict[str, Any]) -> dict[str, Any]:
    names = {"steps": "thought_chain", "current_step_id": "current_step_id"}
    found = {names[name]: value for name, value in chain.items() if name in names}
    extra = {name: chain[name] for name in sorted(chain) if name not in names}
    steps = found.get("thought_chain")
    if isinstance(steps, list):
        found["thought_chain"] = [renamed(one, THOUGHT_NAMES) if isinstance(one, dict) else one for one in steps]
    if extra and "thought_chain_extra" in snapshot:
        extra["thought_chain_extra"] = snapshot["thought_chain_extra"]
    return {**found, "thought_chain_extra": extra} if extra else found


def _tool_state(tools: dict[str, Any]) -> dict[str, Any]:
    calls: list[Any] = []
    results: dict[str, Any] = {}
    for name, success in ENDED.items():
        calls += [_ended(call, success, results) for call in _listed(tools, name)]
    for name in IN_FLIGHT:
        calls += [{"id": identifier, "status": name} for identifier in _listed(tools, name)]
    others = {name: value for name, value in tools.items() if name not in CALL_LISTS}
    return {**others, "calls": calls, "results": results}


def _listed(tools: dict[str, Any], name: str) -> list[Any]:
    value = tools.get(name)
    return value if isinstance(value, list) else []


def _ended(call: Any, success: bool, results: dict[str, Any]) -> Any:
    """Return a call that has ended; its result goes to `results`, unless it has no id to be found by."""
    if not isinstance(call, dict):
        return call
    found = {**renamed(call, CALL_NAMES), "success": success}
    if "result" in found and isinstance(found.get("id"), str):
        results[found["id"]] = found.pop("result")
    return found


def _totals(snapshot: dict[str, Any]) -> dict[str, Any]:
    tools = snapshot.get("tool_state")
    counted = {
        "total_thoughts": snapshot.get("thought_chain"),
        "total_tool_calls": tools.get("calls") if isinstance(tools, dict) else None,
    }
    return {name: len(value) for name, value in counted.items() if isinstance(value, list)}
