"""Where the values of a canonical tree stand in the document of the second shape that it was made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.shapes.from_second import ENDED, IN_FLIGHT
from checkpoint_ld.documents.text import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


def _inside(members: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = members.get(name)
    return value if isinstance(value, dict) else {}
