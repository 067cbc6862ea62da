"""Inference for agent checkpoints: derived statements with the prefix `cafd:`.

A shape of SHACL Core is about one node and the values of a path. What the rules need beyond that is inferred first: the
texts of ids, the contents of JSON values, and contradictions between parts. A statement about a contradiction holds the
value at fault, so that its shape allows no value.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson
from rdflib import URIRef

from checkpoint_ld.agents import schema
from checkpoint_ld.agents.graph import AgentGraph, AgentWalk, built, is_texts
from checkpoint_ld.agents.schema import derived, escaped
from checkpoint_ld.agents.structure import ENDED
from checkpoint_ld.agents.values import COUNTERS, OF_FRAMEWORKS, SCHEMA_VERSION, STATUSES
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import is_number, walk
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import literal_of
from checkpoint_ld.graph.store import copied, put, terms_of, triples_of
from checkpoint_ld.phrases import given, shown
from checkpoint_ld.secrets import is_harmless, secret
from checkpoint_ld.validation.constraints import forms
from checkpoint_ld.vocabulary import CAF, CAF_DERIVED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.agents.schema import AgentPlan
    from checkpoint_ld.agents.values import Tree
    from checkpoint_ld.graph.store import Index

CHECKPOINT, SNAPSHOT, PARENT = CAF + "Checkpoint", CAF + "Snapshot", CAF + "Parent"
THOUGHT, CALL, TOOL_STATE = CAF + "Thought", CAF + "ToolCall", CAF + "ToolState"
CONTEXT, METADATA, PROGRESS = CAF + "Context", CAF + "Metadata", CAF + "Progress"
ENDED_CALL: Final = CAF_DERIVED + "EndedCall"
ALTERNATIVE, MEMORY_ENTRY = CAF_DERIVED + "Alternative", CAF_DERIVED + "MemoryEntry"
DIFF, CHANGE = CAF_DERIVED + "Diff", CAF_DERIVED + "Change"
INFERRED = named(CAF_DERIVED + "Checkpoint")
"""The class of a checkpoint with which the derived statements stand."""

_ID = derived("id")
_ARRAYS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    SNAPSHOT: {"thought_chain": ("thoughtCount", "nullThought")},
    TOOL_STATE: {"calls": ("callCount", "nullCall")},
}
"""Arrays of objects: the properties that count their members, and that hold those that are null."""
_INSIDE: Mapping[str, Mapping[str, tuple[str, str]]] = {
    CHECKPOINT: {"diff": ("diffPart", DIFF)},
    DIFF: {"changes": ("change", CHANGE)},
    THOUGHT: {"alternatives": ("alternative", ALTERNATIVE)},
    CONTEXT: {"memory": ("memoryEntry", MEMORY_ENTRY)},
}
"""JSON values with objects that have rules: the property that leads to the objects, and their class."""
_MEMBERS: Mapping[str, Mapping[str, str]] = {
    ALTERNATIVE: {"option": "option", "reason_rejected": "reasonRejected", "confidence": "confidence"},
    MEMORY_ENTRY: {"key": "key", "value": "value", "importance": "importance", "timestamp": "timestamp"},
    DIFF: {"from_checkpoint_id": "fromCheckpoint", "summary": "summary"},
    CHANGE: {},
}
"""Members of objects inside JSON values, with their properties."""

_SECONDS = 10**11
"""A number of milliseconds below this (a day of 1973, or before) is taken for seconds."""
_TOTALS = {
    "total_thoughts": (SNAPSHOT, "thought_chain", "thoughts"),
    "total_tool_calls": (TOOL_STATE, "calls", "calls"),
}
_SUCCESS = {True: "success is true", False: "success is false", None: "there is no success, as long as it is in flight"}
_EXTRA = "thought_chain_extra"
"""The member that keeps the unknown keys beside the thoughts of the second shape."""

LARGEST = 2**53


class Part(NamedTuple):
    """An object of the tree: its node, its JSON, its JSON Pointer, its class by its place.

    `plan` has the meaning of its keys, None for objects inside JSON values.
    """

    node: URIRef
    tree: Tree
    pointer: str
    kind: str
    plan: AgentPlan | None = None


class Note(NamedTuple):
    """A value of an inferred property, with the JSON Pointer of its place and a detail for the message."""

    node: Node
    predicate: URIRef
    term: Node
    place: str
    detail: str = ""


class Parts:
    """All parts of a tree in the canonical shape, valid or not, with its statements.

    `index` has the asserted statements, `inferred` the derived ones. Parts inside JSON values are inferred.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        made = tree.get("timestamp")
        # A timestamp in seconds would be before everything: it is reported once, at the timestamp.
        self.made: int | None = made if type(made) is int and made >= _SECONDS else None
        self.index, batches, self.again = built(tree)
        self.inferred: Index = {}
        self.notes: list[Note] = []
        self.by_class: dict[str, list[Part]] = {}
        for plan, sources, nodes, places in batches:
            kind = str(plan.type)
            parts = [*map(Part, nodes, sources, places, repeat(kind), repeat(plan))]
            self.by_class.setdefault(kind, []).extend(parts)
        self.root = self.by_class[CHECKPOINT][0]
        for kind, parts in [*self.by_class.items()]:
            self._infer_of(kind, parts)
        for inference in (_keys, _thoughts, _calls, _contradictions, _anywhere):
            for part, name, value, place, detail in inference(self):
                self.infer(part, name, value, place, detail)

    @cached_property
    def by_node(self) -> dict[Node, Part]:
        """The parts by their nodes."""
        return {part.node: part for parts in self.by_class.values() for part in parts}

    def of(self, kind: str) -> Sequence[Part]:
        """Return the parts of a class, in the order of the tree."""
        return self.by_class.get(kind, ())

    def first(self, kind: str) -> Part:
        """Return the only part of a class, one without members where there is none."""
        return next(iter(self.of(kind)), Part(self.root.node, {}, "", kind))

    def infer(self, part: Part, name: str, value: Any, place: str, detail: str = "") -> None:
        """Add a value (JSON or a node) of an inferred property; `place` is its place in the part."""
        term = value if isinstance(value, URIRef) else scalar(value)
        predicate = derived(name)
        put(self.inferred, part.node, predicate, term)
        self.notes.append(Note(part.node, predicate, term, part.pointer + place, detail))

    def _infer_of(self, kind: str, parts: list[Part]) -> None:
        has_id = schema.plans()[kind].kind is not None
        for part in parts:
            if has_id and part.tree.get("id") is not None:
                self.inferred.setdefault(part.node, {})[_ID] = scalar(part.tree["id"])
            if kind == CALL and part.tree.get("success") is not None:
                put(self.inferred, part.node, RDF_TYPE, named(ENDED_CALL))
            if kind == PARENT:
                self.infer(part, "ofCheckpoint", self.root.node, "")
            for key, (count, null) in _ARRAYS.get(kind, {}).items():
                value = part.tree.get(key)
                members = value if isinstance(value, list) else []
                if value is not None:  # a value that is no array counts as one member
                    self.infer(part, count, len(members) if value is members else 1, "/" + key)
                for at in (at for at, one in enumerate(members) if one is None):
                    self.infer(part, null, None, f"/{key}/{at}")
            self._inside(part)

    def _inside(self, part: Part) -> None:
        """Infer the contents of the JSON values of a part, objects as parts of their own."""
        for key, (name, kind) in _INSIDE.get(part.kind, {}).items():
            value = part.tree.get(key)
            members: Iterable[tuple[str | int, Any]] = ()
            if isinstance(value, dict) and kind == DIFF:
                members = (("", value),)
            elif isinstance(value, dict) and kind == CHANGE:
                members = value.items()
                self.infer(part, "changeCount", len(value), "/" + key)
            elif isinstance(value, list) and kind not in (DIFF, CHANGE):
                members = enumerate(value)
            for step, one in members:
                at, stem = f"/{key}", f"{part.node}{'#' if part.kind == CHECKPOINT else ''}/{key}"
                if kind != DIFF:
                    at, stem = at + pointer((step,)), f"{stem}/{escaped(str(step))}"
                self.infer(part, name, URIRef(stem) if isinstance(one, dict) else one, at)
                if isinstance(one, dict):
                    inner = Part(URIRef(stem), one, part.pointer + at, kind)
                    self.by_class.setdefault(kind, []).append(inner)
                    put(self.inferred, inner.node, RDF_TYPE, named(kind))
                    for member, prop in _MEMBERS[kind].items():
                        if member in one:
                            self.infer(inner, prop, one[member], "/" + member)
                    self._inside(inner)

    def located(self, part: Part, prop: Node) -> Iterator[Note]:
        """Yield the values of a property of a part, each with its place."""
        yield from self._noted.get((part.node, prop), ())
        if prop == _ID:
            yield from (
                Note(part.node, _ID, identifier, f"{part.pointer}/id")
                for identifier in terms_of(self.inferred.get(part.node, {}).get(_ID))
            )
        if prop == POSITION:
            places = (part.pointer, *self.again.get(part.node, ()))
            for at, place in enumerate(places):
                yield Note(part.node, POSITION, literal_of(at), f"{place}/id")
        key = None if part.plan is None else part.plan.by_predicate.get(str(prop))
        if key is None or key.key not in part.tree:
            return
        value, place = part.tree[key.key], f"{part.pointer}/{key.key}"
        is_many = isinstance(value, list) if key.holds else is_texts(value)
        is_many = is_many and key.is_set
        reader, key = AgentWalk(), key._replace(is_set=False)
        for at, one in enumerate(value) if is_many else ((-1, value),):
            stands = f"{place}/{at}" if is_many else place
            term = self._nodes.get(stands) or reader.member(one, key)[0]
            if term is not None and not isinstance(term, list):
                yield Note(part.node, key.predicate, term, stands)

    @cached_property
    def _noted(self) -> Mapping[tuple[Node, Node], list[Note]]:
        found: dict[tuple[Node, Node], list[Note]] = {}
        for note in self.notes:
            found.setdefault((note.node, note.predicate), []).append(note)
        return found

    @cached_property
    def _nodes(self) -> Mapping[str, URIRef]:
        """The nodes of objects that the graph states, by their places."""
        return {part.pointer: part.node for parts in self.by_class.values() for part in parts if part.plan is not None}


def scalar(value: Any) -> Node:
    """Return any JSON value as one literal."""
    return literal_of(value, "@json" if value is None or isinstance(value, (dict, list)) else None)


def with_inferred(graph: AgentGraph) -> AgentGraph:
    """Return a graph with its derived statements, for queries and other tools; reading skips them."""
    index = copied(graph.held)
    for subject, predicate, term in triples_of(Parts(graph.tree()).inferred):
        put(index, subject, predicate, term)
    put(index, graph.root, RDF_TYPE, INFERRED)
    return AgentGraph(index, graph.root)


_Fault = tuple[Part, str, Any, str, str]
"""A part, the local name of a property, its value, its place from the part on, and a detail for the message."""


def _keys(parts: Parts) -> Iterator[_Fault]:
    """Infer unknown keys, and members that are null; inside JSON values any key is allowed."""
    for kind, plan in schema.plans().items():
        known = dict.fromkeys((*plan.keys, *(("id",) if plan.kind is not None else ())))
        for part in parts.of(kind):
            for key in part.tree.keys() - known.keys() - OF_FRAMEWORKS - {SCHEMA_VERSION}:
                value = part.tree[key]
                if key == _EXTRA and isinstance(value, dict):
                    yield from ((part, "unknownKey", one, pointer((key, one)), "") for one in value)
                elif near := forms.nearest(key, (*known,)):
                    yield part, "misspeltKey", key, pointer((key,)), f"did you mean {near}?"
                else:
                    yield part, "unknownKey", key, pointer((key,)), ""
            if None in part.tree.values():
                nulls = (key for key, value in part.tree.items() if value is None and key in known)
                yield from ((part, "nullIn", key, pointer((key,)), "") for key in nulls)


def _thoughts(parts: Parts) -> Iterator[_Fault]:
    """Infer faults in the times, parents and children of thoughts."""
    thoughts = parts.of(THOUGHT)
    places = {
        part.tree["id"]: at for at, part in reversed([*enumerate(thoughts)]) if isinstance(part.tree.get("id"), str)
    }
    parents = [part.tree.get("parent_id") for part in thoughts]
    above = [places.get(parent) if isinstance(parent, str) else None for parent in parents]
    seen: set[int] = set()
    for start, part in enumerate(thoughts):
        created: Any = part.tree.get("created_at")
        if _is_late(parts, created):
            yield part, "afterCheckpoint", created, "/created_at", shown(parts.tree["timestamp"])
        at = above[start]
        before = None if at is None else thoughts[at].tree.get("created_at")
        if _is_before(created, before):
            yield part, "olderThanParent", created, "/created_at", shown(before)
        at, walked = start, []
        while at is not None and at not in seen:
            seen.add(at)
            walked.append(at)
            at = above[at]
        if at in walked:  # the first thought of a cycle of parents
            first = min(walked[walked.index(at) :])
            yield thoughts[first], "ownAncestor", parents[first], "/parent_id", ""
    if any(isinstance(part.tree.get("children"), list) for part in thoughts):
        yield from _children(thoughts)


def _children(thoughts: Sequence[Part]) -> Iterator[_Fault]:
    """Infer the thoughts whose list of children differs from the thoughts that have them as parent."""
    children: dict[str, set[str]] = {}
    for part in thoughts:
        parent, identifier = part.tree.get("parent_id"), part.tree.get("id")
        if isinstance(parent, str) and isinstance(identifier, str):
            children.setdefault(parent, set()).add(identifier)
    for part in thoughts:
        stated: Any = part.tree.get("children")
        identifier = part.tree.get("id")
        if isinstance(identifier, str) and is_texts(stated):
            expected = children.get(identifier, set())
            unknown, missing = sorted(set(stated) - expected), sorted(expected - set(stated))
            if unknown or missing:
                detail = f"{shown((unknown or missing)[0])} is {'none of them' if unknown else 'missing'}"
                yield part, "otherChildren", detail, "/children", detail


def _calls(parts: Parts) -> Iterator[_Fault]:
    """Infer faults in the times, the status and the errors of calls."""
    is_complete = parts.first(METADATA).tree.get("checkpoint_reason") == "execution_completed"
    for part in parts.of(CALL):
        call = part.tree
        for key in ("started_at", "completed_at"):
            if _is_late(parts, call.get(key)):
                yield part, "afterCheckpoint", key, "/" + key, shown(parts.tree["timestamp"])
        if _is_before(call.get("completed_at"), call.get("started_at")):
            yield part, "completedEarly", call["completed_at"], "/completed_at", shown(call["started_at"])
        success, status, error = call.get("success"), call.get("status"), call.get("error")
        if not isinstance(success, bool | None):
            continue
        if success is None and is_complete:
            yield part, "inFlightAtEnd", True, "", ""
        if isinstance(status, str) and status in STATUSES and status not in ENDED[success]:
            yield part, "statusAgainstSuccess", status, "/status", _SUCCESS[success]
        if success is True and isinstance(error, str) and error:
            yield part, "errorOfSuccess", error, "/error", ""
        if success is False and status != "cancelled" and (error is None or error == ""):
            yield part, "failedWithoutError", True, "/error", ""


def _contradictions(parts: Parts) -> Iterator[_Fault]:
    """Infer numbers and ids that contradict others elsewhere in the checkpoint."""
    metadata, progress, tools, diff = map(parts.first, (METADATA, PROGRESS, TOOL_STATE, DIFF))
    agent, own = parts.tree.get("agent_id"), metadata.tree.get("agent_id")
    if isinstance(agent, str) and isinstance(own, str) and own != agent:
        yield metadata, "otherAgent", own, "/agent_id", shown(agent)
    for key in COUNTERS:
        one, other = metadata.tree.get(key), progress.tree.get(key)
        is_same_kind = is_number(one) and is_number(other) and (key == "duration_ms" or isinstance(other, int))
        if is_same_kind and one != other:
            yield metadata, "otherThanProgress", key, "/" + key, shown(other)
    for key, (holder, counted, noun) in _TOTALS.items():
        there, total = parts.first(holder).tree.get(counted), progress.tree.get(key)
        if isinstance(there, list) and is_number(total) and total != len(there):
            yield progress, "miscounted", key, "/" + key, f"{len(there)} {noun}"
    results, calls = tools.tree.get("results"), tools.tree.get("calls")
    if isinstance(results, dict) and isinstance(calls, list):
        ids = {one for call in calls if isinstance(call, dict) and isinstance(one := call.get("id"), str)}
        for key in (key for key in results if key not in ids):
            yield tools, "resultOfNoCall", key, "/results" + pointer((key,)), ""
    origin, known = diff.tree.get("from_checkpoint_id"), parts.first(PARENT).tree.get("checkpoint_id")
    if isinstance(origin, str) and known != origin and isinstance(known, str | None):
        yield diff, "otherThanParent", origin, "/from_checkpoint_id", given(known)


def _anywhere(parts: Parts) -> Iterator[_Fault]:
    """Infer secrets and very large integers wherever they stand, unless the text of the tree rules both out."""
    with suppress(TypeError):  # an integer of more than 53 bits, half a surrogate pair, or too deep a nesting
        orjson.dumps(parts.tree, option=orjson.OPT_STRICT_INTEGER)
        if is_harmless(parts.tree):
            return
    for path, value in walk(parts.tree):
        place = pointer(path)
        if isinstance(value, str):
            key = next((step for step in reversed(path) if isinstance(step, str)), "")
            found = secret({key: value}) if value else None
            if found:
                yield parts.root, "secretAt", place, place, found
        elif isinstance(value, int) and not -LARGEST <= value <= LARGEST:
            yield parts.root, "largeIntegerAt", place, place, ""


def _is_before(one: Any, other: Any) -> bool:
    """Return whether a time in milliseconds is before another; shapes of structure report values that are no times."""
    return type(one) is int and type(other) is int and one < other


def _is_late(parts: Parts, value: Any) -> bool:
    """Return whether a time is after the checkpoint was made."""
    return type(value) is int and parts.made is not None and parts.made < value
