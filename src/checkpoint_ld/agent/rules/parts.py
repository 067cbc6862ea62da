"""Parts: the objects of a checkpoint's tree as the shapes see them, each with its class and the name of its node.

What the shapes are told of a part is what `agent.graph` says of its node, and a few properties cafd:… that look into
what is one JSON literal there: alternatives, memory and diff. Names are those of the graph, so that both ways of
validating, with a graph and without, speak of the same things.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.agent import names
from checkpoint_ld.agent.graph import terms
from checkpoint_ld.agent.graph.terms import Reading
from checkpoint_ld.agent.names import CAF, CAF_DERIVED
from checkpoint_ld.documents.places import pointer
from checkpoint_ld.graph import naming

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.agent.graph.terms import Key, Plan

Tree = dict[str, Any]

CHECKPOINT, THOUGHT, CALL = CAF + "Checkpoint", CAF + "Thought", CAF + "ToolCall"
CONTEXT, METADATA, PARENT = CAF + "Context", CAF + "Metadata", CAF + "Parent"
PROGRESS, TOOL_STATE = CAF + "Progress", CAF + "ToolState"
ENDED_CALL: Final = CAF_DERIVED + "EndedCall"
ALTERNATIVE, MEMORY_ENTRY = CAF_DERIVED + "Alternative", CAF_DERIVED + "MemoryEntry"
DIFF, CHANGE = CAF_DERIVED + "Diff", CAF_DERIVED + "Change"

INSIDE: Final[dict[str, dict[str, str]]] = {
    CAF_DERIVED + local: {CAF_DERIVED + name: key for name, key in keys.items()}
    for local, keys in (
        ("Alternative", {"option": "option", "reasonRejected": "reason_rejected", "confidence": "confidence"}),
        ("MemoryEntry", {"key": "key", "value": "value", "importance": "importance", "timestamp": "timestamp"}),
        ("Diff", {"fromCheckpoint": "from_checkpoint_id", "summary": "summary"}),
        ("Change", {}),
    )
}
"""The keys of objects that stand inside JSON parts, by the properties that are derived for them."""


@dataclass(eq=False, slots=True)
class Part:
    """An object of the tree: its classes, where it stands, the IRI of its node.

    `plan` tells what its keys mean, None for objects inside JSON parts. `inner` are the values inside its own JSON
    parts, by derived property, each with its place; `again` are the places of later objects with the same id.
    """

    classes: tuple[str, ...]
    tree: Tree
    pointer: str
    name: str
    plan: Plan | None = None
    inner: dict[str, list[tuple[Any, str]]] = field(default_factory=dict)
    again: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The class of the part that it has by its place."""
        return self.classes[0]

    @property
    def stem(self) -> str:
        """What the names of objects below begin with."""
        return self.name + "#" if self.kind == CHECKPOINT else self.name


class Parts:
    """All parts of a tree in the canonical shape, however many rules it breaks."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.by_class: dict[str, list[Part]] = {}
        self.by_name: dict[str, Part] = {}
        identifier = tree.get("id")
        name = names.iri("checkpoint", identifier) if isinstance(identifier, str) else naming.root_of(tree)
        plan = terms.checkpoint()
        self.root = self._add(Part((CHECKPOINT,), tree, "", name, plan))
        self._look_into(self.root, plan)

    def of(self, kind: str) -> list[Part]:
        """Return the parts of a class, in the order of the tree."""
        return self.by_class.get(kind, [])

    def one(self, kind: str) -> Part | None:
        """Return the part of a class of which there is at most one."""
        return next(iter(self.of(kind)), None)

    def of_id(self, kind: str, identifier: object) -> Part | None:
        """Return the first part of a class (thoughts or calls) with an id."""
        plan = terms.plans()[kind]
        if not isinstance(identifier, str) or plan.kind is None:
            return None
        return self.by_name.get(names.iri(plan.kind, identifier))

    def _add(self, part: Part) -> Part:
        self.by_name[part.name] = part
        for kind in part.classes:
            self.by_class.setdefault(kind, []).append(part)
        return part

    def _look_into(self, part: Part, plan: Plan) -> None:
        for key, value in part.tree.items():
            known = plan.keys.get(key)
            if known is None:
                continue
            if known.plan is not None:
                self._objects(part, known, known.plan, value)
            elif (part.kind, key) in _INNER:
                self._inside(part, key, value)

    def _objects(self, above: Part, key: Key, plan: Plan, value: Any) -> None:
        kind, place, stem = str(plan.type), f"{above.pointer}/{key.name}", f"{above.stem}/{key.name}"
        if key.reading is Reading.OBJECT:
            if isinstance(value, dict):
                self._look_into(self._add(Part((kind,), value, place, stem, plan)), plan)
            return
        for at, one in enumerate(value if isinstance(value, list) else ()):
            if isinstance(one, dict):
                classes = (kind, ENDED_CALL) if kind == CALL and one.get("success") is not None else (kind,)
                own = self._own_name(one, plan, f"{place}/{at}")
                part = self._add(Part(classes, one, f"{place}/{at}", own or f"{stem}/{at}", plan))
                if kind == THOUGHT and "alternatives" in one:
                    self._inside(part, "alternatives", one["alternatives"])

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
        """Note what stands inside a JSON part, objects as parts of their own."""
        prop, kind = _INNER[part.kind, key]
        place, stem = f"{part.pointer}/{key}", f"{part.stem}/{key}"
        if kind == DIFF:
            members: Iterable[tuple[str | int, Any]] = (("", value),) if isinstance(value, dict) else ()
        elif kind == CHANGE:
            members = value.items() if isinstance(value, dict) else ()
        else:
            members = enumerate(value) if isinstance(value, list) else ()
        held = part.inner.setdefault(prop, [])
        for step, one in members:
            at = place if kind == DIFF else place + pointer((step,))
            if isinstance(one, dict):
                name = stem if kind == DIFF else f"{stem}/{names.escaped(str(step))}"
                inner = self._add(Part((kind,), one, at, name))
                held.append((inner, at))
                if kind == DIFF and "changes" in one:
                    self._inside(inner, "changes", one["changes"])
            else:
                held.append((one, at))


_INNER: dict[tuple[str, str], tuple[str, str]] = {
    (CHECKPOINT, "diff"): (CAF_DERIVED + "diffPart", DIFF),
    (DIFF, "changes"): (CAF_DERIVED + "change", CHANGE),
    (THOUGHT, "alternatives"): (CAF_DERIVED + "alternative", ALTERNATIVE),
    (CONTEXT, "memory"): (CAF_DERIVED + "memoryEntry", MEMORY_ENTRY),
}
"""The JSON parts that are looked into: the derived property that leads to what is there, and the class of that."""

INNER: Final = tuple(prop for prop, _ in _INNER.values())
"""The properties that lead into JSON parts."""
