"""Reading objects by plans: from the subject index straight to JSON in canonical order.

It reads objects as they usually are, and gives exactly what `Compaction` gives. That one reads all others: members
that a residue tells, objects of several types. For 1,000 questions plans take a fifth of its time.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld import shortcuts
from checkpoint_ld.graph.compaction import POSITION, Compaction, is_position, residue_of
from checkpoint_ld.graph.expansion import IDENTIFIER
from checkpoint_ld.graph.literals import DATETIME
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
_IN_LEAF = 3
"""How many statements there are about a named value: its type, its name, its value."""
_MOST = 10_000
"""So many different ones are remembered."""


class ObjectReading(Compaction):
    """Reads objects from an index under the terms of a context, by plans where it can."""

    def __init__(self, index: Index, table: TermTable) -> None:
        super().__init__(index, table)
        self._plans = plans_for(table)
        self._is_planned = shortcuts.is_taken("object-plans")
        # Both by identity; what it is the identity of stands there too, so that nothing else gets it.
        self._leaves: dict[tuple[int, ...], tuple[Tree, Term | None, tuple[object, ...]]] = {}
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
        plan = None if without or held_by is None or not self._is_planned else self._plans.of(held_by, via, self.table)
        if held_by is None or plan is None or (plan.has_position and not is_position(held_by[POSITION])):
            return super().object(subject, via, visiting, without=without)
        name: Any = subject  # a text, of which another copy would take as long as looking at it
        identifier = self.identifier(subject) if plan.has_identifier or "#/" not in name else None
        if identifier is not None and not plan.id_goes_second:
            return super().object(subject, via, visiting, without=without)
        if plan.has_residue:
            return self._with_residue(subject, plan, identifier, visiting | {subject})
        members: Tree = {} if plan.kind is None else {"@type": plan.kind}
        if identifier is not None:
            members["@id"] = identifier
        inside = None
        for step in plan.steps:
            key, predicate, coercion, _, container = step
            held = held_by[predicate]
            if container is None and type(held) is Literal:
                is_text = held._datatype is None and held._language is None  # noqa: SLF001 - twice as fast
                members[key] = str(held) if is_text and coercion != DATETIME else self._scalar(held, coercion)
            else:
                inside = inside or visiting | {subject}
                members[key] = self._told(held, step, inside)
        if self.needs_context(members, plan):
            as_held = {key: members[key] for key in plan.keys if key in members}
            local = self.local_context(subject, as_held, plan.terms, via, _NO_RESIDUE)
            return {"@context": local, **members} if local else members
        return members

    def needs_context(self, members: Tree, plan: ObjectPlan) -> bool:  # noqa: ARG002 - for a writer
        """Tell whether `local_context` may have something for an object without residue; a reader has nothing."""
        return False

    def _with_residue(self, subject: Node, plan: ObjectPlan, identifier: str | None, visiting: frozenset[Node]) -> Tree:
        """Return an object of which a residue tells some members: those are read in the other way."""
        residue = residue_of(self.index, subject)
        keys = {*residue.members, *residue.absent, *residue.set_apart}
        read = {key: one for key, one in (("@type", plan.kind), ("@id", identifier)) if one is not None}
        wanted = [step for step in plan.steps if step.key in keys]
        read |= {step.key: self.told(subject, step.predicate, step.term, step.coercion) for step in wanted}
        told = residue.over(read)
        filled = {key: self._filled(value, plan.terms.by_key.get(key), visiting) for key, value in told.items()}
        held_by = self.index[subject]
        others = {
            step.key: self._told(held_by[step.predicate], step, visiting) for step in plan.steps if step.key not in keys
        }
        every = {**filled, **others}
        members = {**{key: every[key] for key in plan.keys if key in every}, **filled}
        local = self.local_context(subject, members, plan.terms, plan.via, residue)
        return ordered({**members, "@context": local} if local else members, plan.via.key if plan.via else None)

    def _told(self, held: Node | list[Node], step: Step, visiting: frozenset[Node]) -> Any:
        """Return the value of a member, with everything below it."""
        coercion, term = step.coercion, step.term
        if step.container == "@index":
            return self._filled(self._member(terms_of(held), term, coercion), term, visiting)
        if isinstance(held, list) and len(held) != 1:
            objects = self._listed(held, term, visiting)
            if objects is None:
                return [self._read(one, coercion, term, visiting) for one in self.in_order(held)]
            return objects
        value = self._read(held[0] if isinstance(held, list) else held, coercion, term, visiting)
        return [value] if step.container == "@set" else value

    def _listed(self, held: list[Node], via: Term | None, visiting: frozenset[Node]) -> list[Any] | None:
        """Return objects that are named by their places in an array, and stand in its order; None for others."""
        stem, _, first = str(held[0]).rpartition("/")
        if first != "0" or "#" not in stem:
            return None
        objects = []
        for at, one in enumerate(held):
            held_by = self.index.get(one)
            if held_by is None or POSITION in held_by or type(one) is not URIRef:
                return None
            if not str.__eq__(one, f"{stem}/{at}"):  # what `==` comes to, which takes five times as long
                return None
            objects.append(self._read(one, None, via, visiting))
        return objects

    def _read(self, one: Node, coercion: str | None, via: Term | None, visiting: frozenset[Node]) -> Any:
        if type(one) is URIRef:
            held_by = self.index.get(one)
            if held_by is not None and len(held_by) == _IN_LEAF and "#/" in one:
                return self._leaf(one, held_by, via, visiting)
            if held_by is not None and one not in visiting:
                return self.object(one, via, visiting)
        if type(one) is Literal:
            return self._scalar(one, coercion)
        return self._filled(self._value(one, coercion), via, visiting)

    def _leaf(
        self, subject: URIRef, held_by: dict[Node, Node | list[Node]], via: Term | None, visiting: frozenset[Node]
    ) -> Any:
        """Return an object that may be a named value: most are, and many of them say the same by the same terms."""
        alike = id(via), *map(id, held_by), *map(id, held_by.values())
        found = self._leaves.get(alike)
        if found is not None:
            return found[0].copy()
        if subject in visiting:
            return self._filled(self._value(subject, None), via, visiting)
        members = self.object(subject, via, visiting)
        if not any(type(one) in (dict, list) for one in members.values()):
            if len(self._leaves) >= _MOST:
                self._leaves.clear()
            self._leaves[alike] = members.copy(), via, tuple(held_by.items())
        return members

    def _scalar(self, one: Literal, coercion: str | None) -> Any:
        """Return the JSON value of a literal; plain ones are remembered."""
        found = self._scalars[coercion].get(id(one))
        if found is not None:
            return found[1]
        value = self._value(one, coercion)
        if not isinstance(value, (dict, list)):
            self._scalars[coercion][id(one)] = one, value
        return value

    def identifier(self, subject: Node) -> str | None:
        """Return the text of a node's own `@id`, or None when its name is minted."""
        if "#/" in str(subject) and IDENTIFIER not in self.index.get(subject, ()):
            return None
        return super().identifier(subject)
