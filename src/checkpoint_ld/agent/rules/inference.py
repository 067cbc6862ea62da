"""What follows from the parts of an agent checkpoint, as statements with the prefix `cafd:`.

Shapes of SHACL Core look at one node and the values of a path. What they are to know beyond that is inferred first: the
texts of ids, what is inside JSON values, and what parts say against each other. A statement of the last kind holds what
is at odds, so that the shape about it allows no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent import names as agent_names
from checkpoint_ld.agent import schema
from checkpoint_ld.agent.graph import AgentGraph
from checkpoint_ld.agent.rules import sweeps
from checkpoint_ld.agent.rules.parts import CALL, DIFF, METADATA, PROGRESS, THOUGHT, TOOL_STATE, Parts, Value, term_of
from checkpoint_ld.constraints import names
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import is_number
from checkpoint_ld.graph.expansion import RDF_TYPE, named
from checkpoint_ld.graph.store import copied, put, triples_of
from checkpoint_ld.phrases import given, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.agent.rules.parts import Part
    from checkpoint_ld.graph.store import Index

_Odd = tuple["Part", str, Value, str, str]
"""A part, the local name of a property, its value, the place from the part on, and what there is to say about it."""

_SECONDS = 10**11
"""Below this a number of milliseconds looks like seconds (it is a day of 1973, or before)."""
_COPIES = ("step_number", "tokens_used", "duration_ms")
_TOTALS = {"total_thoughts": ("thought_chain", "thoughts"), "total_tool_calls": ("calls", "calls")}
_STATUSES = {True: ("completed",), False: ("failed", "cancelled"), None: ("pending", "running")}
_KNOWN_STATUSES = frozenset(status for expected in _STATUSES.values() for status in expected)
_SUCCESS = {
    True: "success is true",
    False: "success is false",
    None: "there is no success, as long as it is in flight",
}
INFERRED = named(agent_names.CAF_DERIVED + "Checkpoint")
"""The class of a checkpoint in whose graph everything that follows stands."""
_EXTRA = "thought_chain_extra"
"""Where unknown keys are kept that stand beside the thoughts in the second shape."""


def infer(parts: Parts) -> Index:
    """Note at the parts of a checkpoint what follows from them, and return that as statements."""
    for inference in (_keys, _thoughts, _calls, _metadata, _progress, _results, _diff, _anywhere):
        for part, name, value, place, detail in inference(parts):
            part.infer(agent_names.CAF_DERIVED + name, value, part.pointer + place, detail)
    index: Index = {}
    for part in parts.by_node.values():
        for kind in part.classes[1:] if part.plan is not None else part.classes:
            put(index, part.node, RDF_TYPE, named(kind))
        for prop, found in part.inferred.items():
            predicate = named(prop)
            for one in found:
                put(index, part.node, predicate, term_of(one.value))
    return index


def with_inferred(graph: AgentGraph) -> AgentGraph:
    """Return a graph together with what follows from it, for queries and other tools; reading passes that over."""
    index = copied(graph.index)
    for subject, predicate, term in triples_of(infer(Parts(graph.tree()))):
        put(index, subject, predicate, term)
    put(index, graph.root, RDF_TYPE, INFERRED)
    return AgentGraph(index, graph.root)


def _keys(parts: Parts) -> Iterator[_Odd]:
    """Infer unknown keys, and members that are null; inside JSON values all keys are one's own."""
    for kind, plan in schema.plans().items():
        known = dict.fromkeys((*plan.keys, *(("id",) if plan.kind is not None else ())))
        for part in parts.of(kind):
            if not part.tree.keys() <= known.keys():
                for key in part.tree.keys() - known.keys():
                    yield from _unknown(part, key, part.tree[key], known)
            if None in part.tree.values():
                for key, value in part.tree.items():
                    if value is None and key in known:
                        yield part, "nullIn", key, pointer((key,)), ""


def _unknown(part: Part, key: str, value: Any, known: Iterable[str]) -> Iterator[_Odd]:
    if key == _EXTRA and isinstance(value, dict):
        yield from ((part, "unknownKey", one, pointer((key, one)), "") for one in value)
        return
    near = names.nearest(key, (*known,))
    name, detail = ("misspeltKey", f"did you mean {near}?") if near else ("unknownKey", "")
    yield part, name, key, pointer((key,)), detail


def _thoughts(parts: Parts) -> Iterator[_Odd]:
    """Infer what is at odds about the times, parents and children of thoughts."""
    thoughts = parts.of(THOUGHT)
    by_id: dict[str, Part] = {}
    for part in thoughts:
        identifier = part.tree.get("id")
        if isinstance(identifier, str):
            by_id.setdefault(identifier, part)
    for part in thoughts:
        created: Any = part.tree.get("created_at")
        if _is_late(parts, created):
            yield part, "afterCheckpoint", created, "/created_at", shown(parts.tree["timestamp"])
        parent = _parent(part, by_id)
        if parent is not None and _is_before(created, parent.tree.get("created_at")):
            yield part, "olderThanParent", created, "/created_at", shown(parent.tree["created_at"])
    for part in _in_cycles(thoughts, by_id):
        yield part, "ownAncestor", part.tree["parent_id"], "/parent_id", ""
    if any(isinstance(part.tree.get("children"), list) for part in thoughts):
        yield from _children(thoughts)


def _parent(part: Part, by_id: dict[str, Part]) -> Part | None:
    parent = part.tree.get("parent_id")
    return by_id.get(parent) if isinstance(parent, str) else None


def _in_cycles(thoughts: list[Part], by_id: dict[str, Part]) -> Iterator[Part]:
    """Yield the first thought of each cycle of parents."""
    position = {part: at for at, part in enumerate(thoughts)}
    seen: set[Part] = set()
    for part in thoughts:
        walked: dict[Part, None] = {}
        at: Part | None = part
        while at is not None and at not in seen and at not in walked:
            walked[at] = None
            at = _parent(at, by_id)
        seen.update(walked)
        if at is not None and at in walked:
            steps = list(walked)
            yield min(steps[steps.index(at) :], key=position.__getitem__)


def _children(thoughts: list[Part]) -> Iterator[_Odd]:
    """Infer which thoughts name other children than those that have them as parent."""
    children: dict[str, set[str]] = {}
    for part in thoughts:
        parent, identifier = part.tree.get("parent_id"), part.tree.get("id")
        if isinstance(parent, str) and isinstance(identifier, str):
            children.setdefault(parent, set()).add(identifier)
    for part in thoughts:
        told, identifier = part.tree.get("children"), part.tree.get("id")
        is_comparable = isinstance(told, list) and all(isinstance(one, str) for one in told)
        if isinstance(identifier, str) and isinstance(told, list) and is_comparable:
            expected = children.get(identifier, set())
            unknown, missing = sorted(set(told) - expected), sorted(expected - set(told))
            if unknown or missing:
                detail = f"{shown((unknown or missing)[0])} is {'none of them' if unknown else 'missing'}"
                yield part, "otherChildren", detail, "/children", detail


def _calls(parts: Parts) -> Iterator[_Odd]:
    """Infer what is at odds about the times, the status and the errors of calls."""
    metadata = parts.one(METADATA)
    is_complete = metadata is not None and metadata.tree.get("checkpoint_reason") == "execution_completed"
    for part in parts.of(CALL):
        call = part.tree
        for key in ("started_at", "completed_at"):
            if _is_late(parts, call.get(key)):
                yield part, "afterCheckpoint", key, "/" + key, shown(parts.tree["timestamp"])
        if _is_before(call.get("completed_at"), call.get("started_at")):
            yield part, "completedEarly", call["completed_at"], "/completed_at", shown(call["started_at"])
        success = call.get("success")
        if success is None and is_complete:
            yield part, "inFlightAtEnd", True, "", ""
        if success is None or isinstance(success, bool):
            yield from _end(part, success)


def _end(part: Part, success: bool | None) -> Iterator[_Odd]:
    """Infer what is at odds about how a call ended, or that it did not."""
    status, error = part.tree.get("status"), part.tree.get("error")
    if isinstance(status, str) and status in _KNOWN_STATUSES and status not in _STATUSES[success]:
        yield part, "statusAgainstSuccess", status, "/status", _SUCCESS[success]
    if success is True and isinstance(error, str) and error:
        yield part, "errorOfSuccess", error, "/error", ""
    if success is False and status != "cancelled" and (error is None or error == ""):
        yield part, "failedWithoutError", True, "/error", ""


def _metadata(parts: Parts) -> Iterator[_Odd]:
    metadata, progress = parts.one(METADATA), parts.one(PROGRESS)
    if metadata is None:
        return
    agent, own = parts.tree.get("agent_id"), metadata.tree.get("agent_id")
    if isinstance(agent, str) and isinstance(own, str) and own != agent:
        yield metadata, "otherAgent", own, "/agent_id", shown(agent)
    if progress is None:
        return
    for key in _COPIES:
        one, other = metadata.tree.get(key), progress.tree.get(key)
        is_same_kind = is_number(one) and is_number(other) and (key == "duration_ms" or isinstance(other, int))
        if is_same_kind and one != other:
            yield metadata, "otherThanProgress", key, "/" + key, shown(other)


def _progress(parts: Parts) -> Iterator[_Odd]:
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
            yield progress, "miscounted", key, "/" + key, f"{len(there)} {noun}"


def _results(parts: Parts) -> Iterator[_Odd]:
    tools = parts.one(TOOL_STATE)
    results = None if tools is None else tools.tree.get("results")
    if tools is None or not isinstance(results, dict) or not isinstance(tools.tree.get("calls"), list):
        return
    known = {one.get("id") for one in tools.tree["calls"] if isinstance(one, dict) and isinstance(one.get("id"), str)}
    for key in results:
        if key not in known:
            yield tools, "resultOfNoCall", key, "/results" + pointer((key,)), ""


def _diff(parts: Parts) -> Iterator[_Odd]:
    diff = parts.one(DIFF)
    origin = None if diff is None else diff.tree.get("from_checkpoint_id")
    if diff is None or not isinstance(origin, str):
        return
    parent = parts.tree.get("parent")
    known = parent.get("checkpoint_id") if isinstance(parent, dict) else None
    if known != origin and (known is None or isinstance(known, str)):
        yield diff, "otherThanParent", origin, "/from_checkpoint_id", given(known)


def _anywhere(parts: Parts) -> Iterator[_Odd]:
    for name, place, detail in sweeps.sweep(parts.tree):
        yield parts.root, name, place, place, detail


def _moment(value: Any) -> int | None:
    """Return a time in milliseconds, None for what is none, which the shapes of structure report."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_before(one: Any, other: Any) -> bool:
    """Return whether one time is before another; what is no time is before nothing, and nothing before it."""
    first, second = _moment(one), _moment(other)
    return first is not None and second is not None and first < second


def _is_late(parts: Parts, value: Any) -> bool:
    """Return whether a time is after the checkpoint was made.

    A checkpoint whose timestamp looks like seconds is before everything in it: that is reported once, at the timestamp.
    """
    made = _moment(parts.tree.get("timestamp"))
    return made is not None and made >= _SECONDS and _is_before(made, value)
