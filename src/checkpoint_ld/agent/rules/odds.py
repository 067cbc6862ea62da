"""Odds: what the parts of a checkpoint say against each other, as derived properties that no part should have."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.agent.names import CAF_DERIVED
from checkpoint_ld.agent.rules import calls, keys, sweeps, thoughts
from checkpoint_ld.agent.rules.parts import DIFF, METADATA, PROGRESS, TOOL_STATE
from checkpoint_ld.checks.readings import given, shown
from checkpoint_ld.documents.places import pointer
from checkpoint_ld.documents.values import is_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agent.rules.parts import Part, Parts
    from checkpoint_ld.agent.rules.values import Told, Value


class Odd(NamedTuple):
    """One thing that is at odds: the derived property and its value, where that stands, and what is said about it."""

    prop: str
    value: Value
    place: str
    detail: str = ""


_COPIES = ("step_number", "tokens_used", "duration_ms")
_TOTALS = {"total_thoughts": ("thought_chain", "thoughts"), "total_tool_calls": ("calls", "calls")}


def odds(parts: Parts) -> dict[Part, list[Odd]]:
    """Return what is at odds, by part."""
    found: dict[Part, list[Odd]] = defaultdict(list)
    for part, (name, value, place, detail) in _all(parts):
        found[part].append(Odd(CAF_DERIVED + name, value, part.pointer + place, detail))
    return found


def _all(parts: Parts) -> Iterator[tuple[Part, Told]]:
    yield from keys.odd(parts)
    yield from thoughts.odd(parts)
    yield from calls.odd(parts)
    for found in (_metadata, _progress, _results, _diff):
        yield from found(parts)
    for name, place, detail in sweeps.sweep(parts.tree):
        yield parts.root, (name, place, place, detail)


def _metadata(parts: Parts) -> Iterator[tuple[Part, Told]]:
    metadata, progress = parts.one(METADATA), parts.one(PROGRESS)
    if metadata is None:
        return
    agent, own = parts.tree.get("agent_id"), metadata.tree.get("agent_id")
    if isinstance(agent, str) and isinstance(own, str) and own != agent:
        yield metadata, ("otherAgent", own, "/agent_id", shown(agent))
    if progress is None:
        return
    for key in _COPIES:
        one, other = metadata.tree.get(key), progress.tree.get(key)
        is_same_kind = is_number(one) and is_number(other) and (key == "duration_ms" or isinstance(other, int))
        if is_same_kind and one != other:
            yield metadata, ("otherThanProgress", key, "/" + key, shown(other))


def _progress(parts: Parts) -> Iterator[tuple[Part, Told]]:
    progress = parts.one(PROGRESS)
    if progress is None:
        return
    snapshot = parts.tree["snapshot"]
    tools = snapshot.get("tool_state")
    for key, (counted, noun) in _TOTALS.items():
        holder = snapshot if counted == "thought_chain" else tools
        there = holder.get(counted) if isinstance(holder, dict) else None
        total = progress.tree.get(key)
        if isinstance(there, list) and is_number(total) and total != len(there):
            yield progress, ("miscounted", key, "/" + key, f"{len(there)} {noun}")


def _results(parts: Parts) -> Iterator[tuple[Part, Told]]:
    tools = parts.one(TOOL_STATE)
    results = None if tools is None else tools.tree.get("results")
    if tools is None or not isinstance(results, dict) or not isinstance(tools.tree.get("calls"), list):
        return
    known = {one.get("id") for one in tools.tree["calls"] if isinstance(one, dict) and isinstance(one.get("id"), str)}
    for key in results:
        if key not in known:
            yield tools, ("resultOfNoCall", key, "/results" + pointer((key,)), "")


def _diff(parts: Parts) -> Iterator[tuple[Part, Told]]:
    diff = parts.one(DIFF)
    origin = None if diff is None else diff.tree.get("from_checkpoint_id")
    if diff is None or not isinstance(origin, str):
        return
    parent = parts.tree.get("parent")
    known = parent.get("checkpoint_id") if isinstance(parent, dict) else None
    if known != origin and (known is None or isinstance(known, str)):
        yield diff, ("otherThanParent", origin, "/from_checkpoint_id", given(known))
