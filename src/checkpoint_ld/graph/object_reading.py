"""Reading objects by plans: from the subject index straight to JSON in canonical order.

It reads objects as they usually are, and gives exactly what `Compaction` gives. That one reads all others: members
that a residue tells, objects of several types. For 1,000 questions plans take a fifth of its time.
"""

from __future__ import annotations

from collections import defaultdict
from operator import lt
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.graph import naming
from checkpoint_ld.graph.compaction import POSITION, Compaction, is_position, residue_of
from checkpoint_ld.graph.expansion import IDENTIFIER
from checkpoint_ld.graph.literals import json_of
from checkpoint_ld.graph.object_plans import plans_for
from checkpoint_ld.graph.residue import Residue
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.members import ordered

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.object_plans import ObjectPlan, Step
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.graph.terms import Term, TermTable

Tree = dict[str, Any]

_NO_RESIDUE = Residue()


class ObjectReading(Compaction):
    """Reads objects from an index under the terms of a context, by plans where it can."""

    def __init__(self, index: Index, table: TermTable) -> None:
        super().__init__(index, table)
        self._plans = plans_for(table)
        # By coercion and identity; the literal stands there too, so that no other one gets its identity.
        self._scalars: defaultdict[str | None, dict[int, tuple[Literal, Any]]] = defaultdict(dict)

    def object(
        self,
        subject: Node,
        via: Term | None = None,
        visiting: frozenset[Node] = frozenset(),
        *,
        without: tuple[str, ...] = (),
    ) -> Tree:
        """Return the JSON object of `subject`, and of everything below it, in canonical order."""
        held_by = self.index.get(subject)
        plan = None if without or held_by is None else self._plans.of(held_by, via, self.table)
        identifier = self.identifier(subject)
        if held_by is None or plan is None or not _suits(plan, held_by, identifier):
            return super().object(subject, via, visiting, without=without)
        inside = visiting | {subject}
        if plan.has_residue:
            return self._with_residue(subject, plan, inside)
        members: Tree = {} if plan.kind is None else {"@type": plan.kind}
        if identifier is not None:
            members["@id"] = identifier
        scalars = self._scalars
        for step in plan.steps:
            key, predicate, coercion, _, container = step
            held = held_by[predicate]
            if container is None and type(held) is Literal:
                found = scalars[coercion].get(id(held))
                members[key] = self._scalar(held, coercion) if found is None else found[1]
            else:
                members[key] = self._told(held, step, inside)
        if self.needs_context(members, plan):
            as_held = {key: members[key] for key in plan.keys if key in members}
            local = self.local_context(subject, as_held, plan.terms, via, _NO_RESIDUE)
            return {"@context": local, **members} if local else members
        return members

    def needs_context(self, members: Tree, plan: ObjectPlan) -> bool:  # noqa: ARG002
        """Tell whether `local_context` may have something for an object without residue; a reader has nothing."""
        return False

    def _with_residue(self, subject: Node, plan: ObjectPlan, visiting: frozenset[Node]) -> Tree:
        """Return an object of which a residue tells some members: those are read in the other way."""
        residue = residue_of(self.index, subject)
        keys = {*residue.members, *residue.absent, *residue.set_apart}
        told = residue.over(self.members(subject, plan.via, keys.__contains__))
        filled = {key: self._filled(value, plan.terms.by_key.get(key), visiting) for key, value in told.items()}
        held_by = self.index[subject]
        others = {
            step.key: self._told(held_by[step.predicate], step, visiting) for step in plan.steps if step.key not in keys
        }
        every = {**filled, **others}
        members = {**{key: every[key] for key in plan.keys if key in every}, **filled}
        local = self.local_context(subject, members, plan.terms, plan.via, residue)
        return ordered({"@context": local, **members} if local else members, plan.via.key if plan.via else None)

    def _told(self, held: Node | list[Node], step: Step, visiting: frozenset[Node]) -> Any:
        """Return the value of a member, with everything below it."""
        coercion, term = step.coercion, step.term
        if step.container == "@index":
            return self._filled(self._member(terms_of(held), term, coercion), term, visiting)
        if isinstance(held, list) and len(held) != 1:
            return [self._read(one, coercion, term, visiting) for one in self.in_order(held)]
        value = self._read(held[0] if isinstance(held, list) else held, coercion, term, visiting)
        return [value] if step.container == "@set" else value

    def _read(self, one: Node, coercion: str | None, via: Term | None, visiting: frozenset[Node]) -> Any:
        if type(one) is URIRef and one in self.index and one not in visiting:
            return self.object(one, via, visiting)
        if type(one) is Literal:
            return self._scalar(one, coercion)
        return self._filled(self._value(one, coercion), via, visiting)

    def _scalar(self, one: Literal, coercion: str | None) -> Any:
        """Return the JSON value of a literal; plain ones are remembered."""
        found = self._scalars[coercion].get(id(one))
        if found is not None:
            return found[1]
        value = json_of(one, coercion)
        if not isinstance(value, (dict, list)):
            self._scalars[coercion][id(one)] = one, value
        return value

    def identifier(self, subject: Node) -> str | None:
        """Return the text of a node's own `@id`, or None when its name is minted."""
        if "#/" in str(subject) and IDENTIFIER not in self.index.get(subject, ()):
            return None
        return super().identifier(subject)

    def in_order(self, held: list[Node]) -> list[Node]:
        """Return the values of one member in their order."""
        if all(type(one) is URIRef for one in held):
            places = [self._place(one) for one in held]
            if all(map(lt, places, places[1:])):
                return held[:]
        return super().in_order(held)

    def _place(self, node: Node) -> float:
        tail = str(node).rpartition("/")[2]
        # A name by place that ends in a short number: the rest of this is for positions, and for maps and escapes.
        if not (tail.isdecimal() and tail.isascii() and len(tail) < 16) or POSITION in self.index.get(node, ()):
            return super()._place(node)
        return int(tail) if naming.is_minted(str(node)) else super()._place(node)


def _suits(plan: ObjectPlan, held_by: dict[Node, Node | list[Node]], identifier: str | None) -> bool:
    """Tell whether one object of the plan's shape is as plans expect."""
    if plan.has_position and not is_position(held_by[POSITION]):
        return False
    return identifier is None or plan.id_goes_second
