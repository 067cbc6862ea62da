"""Parts: the objects of an agent checkpoint with their classes, the names of their nodes and their places.

The names are those of the graph. Objects inside the JSON values `alternatives`, `memory` and `diff` are parts too, as
the rules look into these; their nodes are inferred.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rdflib import URIRef

from checkpoint_ld.agent import names
from checkpoint_ld.agent.graph import terms
from checkpoint_ld.agent.graph.terms import Reading
from checkpoint_ld.agent.names import CAF, CAF_DERIVED
from checkpoint_ld.documents.places import pointer
from checkpoint_ld.graph import naming
from checkpoint_ld.graph.literals import literal_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

    from checkpoint_ld.agent.graph.terms import Key, Plan

Tree = dict[str, Any]

CHECKPOINT, SNAPSHOT, PARENT = CAF + "Checkpoint", CAF + "Snapshot", CAF + "Parent"
THOUGHT, CALL, TOOL_STATE = CAF + "Thought", CAF + "ToolCall", CAF + "ToolState"
CONTEXT, METADATA, PROGRESS = CAF + "Context", CAF + "Metadata", CAF + "Progress"
ENDED_CALL: Final = CAF_DERIVED + "EndedCall"
ALTERNATIVE, MEMORY_ENTRY = CAF_DERIVED + "Alternative", CAF_DERIVED + "MemoryEntry"
DIFF, CHANGE = CAF_DERIVED + "Diff", CAF_DERIVED + "Change"

_ID = CAF_DERIVED + "id"
_ARRAYS = {
    (SNAPSHOT, "thought_chain"): ("thoughtCount", "nullThought"),
    (TOOL_STATE, "calls"): ("callCount", "nullCall"),
}
"""Arrays of objects: the properties that count their members, and that hold those that are null."""
_INSIDE = {
    (CHECKPOINT, "diff"): ("diffPart", DIFF),
    (DIFF, "changes"): ("change", CHANGE),
    (THOUGHT, "alternatives"): ("alternative", ALTERNATIVE),
    (CONTEXT, "memory"): ("memoryEntry", MEMORY_ENTRY),
}
"""JSON values with objects inside: the property that leads to these, and their class."""
_MEMBERS = {
    ALTERNATIVE: {"option": "option", "reason_rejected": "reasonRejected", "confidence": "confidence"},
    MEMORY_ENTRY: {"key": "key", "value": "value", "importance": "importance", "timestamp": "timestamp"},
    DIFF: {"from_checkpoint_id": "fromCheckpoint", "summary": "summary"},
    CHANGE: {},
}
"""Members of objects inside JSON values, with their properties."""


class Iri(str):
    """The name of a node."""

    __slots__ = ()


class Json(NamedTuple):
    """A JSON value that is one literal, such as an object where a number belongs."""

    value: Any


Value = str | bool | int | float | Iri | Json


class Located(NamedTuple):
    """A value of a property: the JSON Pointer of where it stands in the tree, and what there is to say about it."""

    value: Value
    place: str
    detail: str = ""


@dataclass(eq=False, slots=True)
class Part:
    """An object of the tree: its classes, where it stands, the IRI of its node.

    `plan` says what its keys mean, None for objects inside JSON values. `inferred` holds what follows, by property;
    `again` are the places of later objects with the same id.
    """

    classes: tuple[str, ...]
    tree: Tree
    pointer: str
    name: str
    plan: Plan | None = None
    inferred: dict[str, list[Located]] = field(default_factory=dict)
    again: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The class of the part that it has by its place."""
        return self.classes[0]

    @property
    def stem(self) -> str:
        """What the names of objects below begin with."""
        return self.name + "#" if self.kind == CHECKPOINT else self.name

    def infer(self, prop: str, value: Value, place: str, detail: str = "") -> None:
        """Note a value of a property that follows."""
        self.inferred.setdefault(prop, []).append(Located(value, place, detail))


class Parts:
    """All parts of a tree in the canonical shape, however many rules it breaks."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.by_class: dict[str, list[Part]] = {}
        self.by_name: dict[str, Part] = {}
        identifier = tree.get("id")
        name = names.iri("checkpoint", identifier) if isinstance(identifier, str) else naming.root_of(tree)
        plan = terms.checkpoint()
        self.root = Part((CHECKPOINT,), tree, "", name, plan)
        self._add(self.root)

    def of(self, kind: str) -> list[Part]:
        """Return the parts of a class, in the order of the tree."""
        return self.by_class.get(kind, [])

    def one(self, kind: str) -> Part | None:
        """Return the part of a class of which there is at most one."""
        return next(iter(self.of(kind)), None)

    def _add(self, part: Part) -> None:
        self.by_name[part.name] = part
        for kind in part.classes:
            self.by_class.setdefault(kind, []).append(part)
        kind, plan = part.kind, part.plan
        if plan is None:
            self._look_inside(part)
            return
        if plan.kind is not None and part.tree.get("id") is not None:
            part.infer(_ID, scalar(part.tree["id"]), part.pointer + "/id")
        if kind == PARENT:
            part.infer(CAF_DERIVED + "ofCheckpoint", Iri(self.root.name), "")
        for key, value in part.tree.items():
            known = plan.keys.get(key)
            if known is not None and known.plan is not None:
                self._objects(part, known, known.plan, value)
            elif known is not None and (kind, key) in _INSIDE:
                self._inside(part, key, value)

    def _look_inside(self, part: Part) -> None:
        """Note what an object inside a JSON value holds."""
        for key, local in _MEMBERS[part.kind].items():
            if key in part.tree:
                part.infer(CAF_DERIVED + local, scalar(part.tree[key]), f"{part.pointer}/{key}")
        if part.kind == DIFF and "changes" in part.tree:
            self._inside(part, "changes", part.tree["changes"])

    def _objects(self, above: Part, key: Key, plan: Plan, value: Any) -> None:
        kind, place, stem = str(plan.type), f"{above.pointer}/{key.name}", f"{above.stem}/{key.name}"
        if key.reading is Reading.OBJECT:
            if isinstance(value, dict):
                self._add(Part((kind,), value, place, stem, plan))
            return
        count, null = (CAF_DERIVED + local for local in _ARRAYS[above.kind, key.name])
        if value is not None:
            above.infer(count, len(value) if isinstance(value, list) else 1, place)
        for at, one in enumerate(value if isinstance(value, list) else ()):
            if isinstance(one, dict):
                classes = (kind, ENDED_CALL) if kind == CALL and one.get("success") is not None else (kind,)
                own = self._own_name(one, plan, f"{place}/{at}")
                self._add(Part(classes, one, f"{place}/{at}", own or f"{stem}/{at}", plan))
            elif one is None:
                above.infer(null, Json(None), f"{place}/{at}")

    def _own_name(self, source: Tree, plan: Plan, place: str) -> str | None:
        identifier = source.get("id")
        if plan.kind is None or not isinstance(identifier, str):
            return None
        name = names.iri(plan.kind, identifier)
        taken = self.by_name.get(name)
        if taken is None:
            return name
        taken.again.append(place)
        return None

    def _inside(self, part: Part, key: str, value: Any) -> None:
        """Note what stands inside a JSON value, objects as parts of their own."""
        local, kind = _INSIDE[part.kind, key]
        place, stem = f"{part.pointer}/{key}", f"{part.stem}/{key}"
        if kind == DIFF:
            members: Iterable[tuple[str | int, Any]] = (("", value),) if isinstance(value, dict) else ()
        elif kind == CHANGE:
            members = value.items() if isinstance(value, dict) else ()
            if isinstance(value, dict):
                part.infer(CAF_DERIVED + "changeCount", len(value), place)
        else:
            members = enumerate(value) if isinstance(value, list) else ()
        for step, one in members:
            at = place if kind == DIFF else place + pointer((step,))
            name = stem if kind == DIFF else f"{stem}/{names.escaped(str(step))}"
            part.infer(CAF_DERIVED + local, Iri(name) if isinstance(one, dict) else scalar(one), at)
            if isinstance(one, dict):
                self._add(Part((kind,), one, at, name))


def scalar(value: Any) -> Value:
    """Return any JSON value as the value of a property."""
    return Json(value) if value is None or isinstance(value, (dict, list)) else value


def term_of(value: Value) -> Node:
    """Return the term of RDF that stands for a value."""
    if isinstance(value, Iri):
        return URIRef(value)
    return literal_of(value.value, "@json") if isinstance(value, Json) else literal_of(value)
