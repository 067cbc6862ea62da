"""Parts: the objects of an agent checkpoint with their classes, the names of their nodes and their places.

The names are those of the graph. Objects inside the JSON values `alternatives`, `memory` and `diff` are parts too, as
the rules look into these; their nodes are inferred.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rdflib import URIRef

from checkpoint_ld.agent import names
from checkpoint_ld.agent.graph import built
from checkpoint_ld.agent.names import CAF, CAF_DERIVED
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.graph.literals import literal_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

    from checkpoint_ld.agent.schema import AgentPlan

Tree = dict[str, Any]

CHECKPOINT, SNAPSHOT, PARENT = CAF + "Checkpoint", CAF + "Snapshot", CAF + "Parent"
THOUGHT, CALL, TOOL_STATE = CAF + "Thought", CAF + "ToolCall", CAF + "ToolState"
CONTEXT, METADATA, PROGRESS = CAF + "Context", CAF + "Metadata", CAF + "Progress"
ENDED_CALL: Final = CAF_DERIVED + "EndedCall"
ALTERNATIVE, MEMORY_ENTRY = CAF_DERIVED + "Alternative", CAF_DERIVED + "MemoryEntry"
DIFF, CHANGE = CAF_DERIVED + "Diff", CAF_DERIVED + "Change"

_ID = CAF_DERIVED + "id"
_ARRAYS = {
    SNAPSHOT: {"thought_chain": ("thoughtCount", "nullThought")},
    TOOL_STATE: {"calls": ("callCount", "nullCall")},
}
"""Arrays of objects: the properties that count their members, and that hold those that are null."""
_INSIDE = {
    CHECKPOINT: {"diff": ("diffPart", DIFF)},
    DIFF: {"changes": ("change", CHANGE)},
    THOUGHT: {"alternatives": ("alternative", ALTERNATIVE)},
    CONTEXT: {"memory": ("memoryEntry", MEMORY_ENTRY)},
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
    """An object of the tree: its node, its classes, where it stands.

    `plan` says what its keys mean, None for objects inside JSON values. `inferred` holds what follows, by property.
    """

    node: URIRef
    classes: tuple[str, ...]
    tree: Tree
    pointer: str
    plan: AgentPlan | None = None
    inferred: dict[str, list[Located]] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The class of the part that it has by its place."""
        return self.classes[0]

    @property
    def stem(self) -> str:
        """What the names of objects below begin with."""
        return f"{self.node}#" if self.kind == CHECKPOINT else str(self.node)

    def infer(self, prop: str, value: Value, place: str, detail: str = "") -> None:
        """Note a value of a property that follows."""
        self.inferred.setdefault(prop, []).append(Located(value, place, detail))


class Parts:
    """All parts of a tree in the canonical shape, however many rules it breaks, with its statements."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.by_class: dict[str, list[Part]] = {}
        self.by_node: dict[Node, Part] = {}
        self.index, objects, self.again = built(tree)
        self.root = self._part(objects[0].plan, objects[0].nodes[0], tree, "")
        for plan, sources, nodes, places in objects[1:]:
            for source, node, place in zip(sources, nodes, places, strict=True):
                self._part(plan, node, source, place)

    def of(self, kind: str) -> list[Part]:
        """Return the parts of a class, in the order of the tree."""
        return self.by_class.get(kind, [])

    def one(self, kind: str) -> Part | None:
        """Return the part of a class of which there is at most one."""
        return next(iter(self.of(kind)), None)

    def _part(self, plan: AgentPlan, node: URIRef, tree: Tree, place: str) -> Part:
        kind = str(plan.type)
        classes = (kind, ENDED_CALL) if kind == CALL and tree.get("success") is not None else (kind,)
        part = self._add(Part(node, classes, tree, place, plan))
        if plan.kind is not None and tree.get("id") is not None:
            part.infer(_ID, scalar(tree["id"]), place + "/id")
        if kind == PARENT:
            part.infer(CAF_DERIVED + "ofCheckpoint", Iri(self.root.node), "")
        for key, (count, null) in _ARRAYS.get(kind, {}).items():
            self._count(part, tree.get(key), f"{place}/{key}", (CAF_DERIVED + count, CAF_DERIVED + null))
        for key in _INSIDE.get(kind, ()):
            if key in tree:
                self._inside(part, key, tree[key])
        return part

    def _add(self, part: Part) -> Part:
        self.by_node[part.node] = part
        for kind in part.classes:
            self.by_class.setdefault(kind, []).append(part)
        return part

    def _count(self, part: Part, value: Any, place: str, properties: tuple[str, str]) -> None:
        """Note how many members an array has, and those that are null; any other value counts as one."""
        count, null = properties
        if value is not None:
            part.infer(count, len(value) if isinstance(value, list) else 1, place)
        for at, one in enumerate(value if isinstance(value, list) else ()):
            if one is None:
                part.infer(null, Json(None), f"{place}/{at}")

    def _inside(self, part: Part, key: str, value: Any) -> None:
        """Note what stands inside a JSON value, objects as parts of their own."""
        local, kind = _INSIDE[part.kind][key]
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
                self._inner(Part(URIRef(name), (kind,), one, at))

    def _inner(self, part: Part) -> None:
        """Note what an object inside a JSON value holds."""
        self._add(part)
        for key, local in _MEMBERS[part.kind].items():
            if key in part.tree:
                part.infer(CAF_DERIVED + local, scalar(part.tree[key]), f"{part.pointer}/{key}")
        for key in _INSIDE.get(part.kind, ()):
            if key in part.tree:
                self._inside(part, key, part.tree[key])


def scalar(value: Any) -> Value:
    """Return any JSON value as the value of a property."""
    return Json(value) if value is None or isinstance(value, (dict, list)) else value


def term_of(value: Value) -> Node:
    """Return the term of RDF that stands for a value."""
    if isinstance(value, Iri):
        return URIRef(value)
    return literal_of(value.value, "@json") if isinstance(value, Json) else literal_of(value)
