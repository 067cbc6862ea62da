"""Object plans: how objects of one type with the same members, at the same place, are read from a graph.

What key a predicate has, how its values are read and in which order members stand is the same for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from checkpoint_ld.graph.compaction import POSITION, Compaction, coercion_of
from checkpoint_ld.graph.expansion import IDENTIFIER, RDF_TYPE
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.graph.terms import is_property_value
from checkpoint_ld.members import ordered

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.terms import Term, Terms, TermTable

_MOST = 4096
"""Plans that are remembered for one context; a graph of objects that are all different fills no memory with them."""
_NO_MEMBERS = frozenset({RDF_TYPE, IDENTIFIER, POSITION, RESIDUE})

Shape = tuple[object, ...]


class Step(NamedTuple):
    """One member: its key, its predicate, and how its values are read."""

    key: str
    predicate: Node
    coercion: str | None
    term: Term | None
    container: str | None


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """How objects of one shape are read: `steps` in canonical order, `keys` with all keys in that of the index."""

    via: Term | None
    kind: str | None
    terms: Terms
    steps: tuple[Step, ...]
    keys: tuple[str, ...]
    is_property: bool
    has_identifier: bool
    has_position: bool
    has_residue: bool
    id_goes_second: bool
    """Whether an identifier stands right after the type."""


class ObjectPlans:
    """The plans for objects under one context."""

    def __init__(self) -> None:
        self._plans: dict[Shape, ObjectPlan | None] = {}

    def of(self, held_by: dict[Node, Node | list[Node]], via: Term | None, table: TermTable) -> ObjectPlan | None:
        """Return the plan for an object with these statements that is a value of `via`, None if it has to do without.

        Those are objects of several types, and objects whose members stand in an order of another kind.
        """
        kind = held_by.get(RDF_TYPE)
        if isinstance(kind, list):
            return None
        # The plan keeps `via` alive, so that no other one gets its identity.
        shape = (id(via), kind, *held_by)
        try:
            return self._plans[shape]
        except KeyError:
            if len(self._plans) >= _MOST:
                self._plans.clear()
            plan = self._plans[shape] = _plan(held_by, kind, via, table)
            return plan


def _plan(
    held_by: dict[Node, Node | list[Node]], kind_term: Node | None, via: Term | None, table: TermTable
) -> ObjectPlan | None:
    kind = Compaction.type_name(str(kind_term)) if kind_term is not None else None
    terms, is_property = table.at(via, kind), is_property_value(kind, via)
    steps = {}
    for predicate in held_by:
        if predicate not in _NO_MEMBERS:
            key = terms.key_of(str(predicate))
            term = terms.by_key.get(key)
            coercion = coercion_of(key, term, is_property=is_property)
            steps[key] = Step(key, predicate, coercion, term, term.container if term is not None else None)
    head = {} if kind is None else {"@type": kind}
    order = list(ordered({**head, **steps}, via.key if via is not None else None))
    if order[: len(head)] != list(head):
        return None
    with_id = list(ordered({**head, "@id": "", **steps}, via.key if via is not None else None))
    return ObjectPlan(
        via,
        kind,
        terms,
        tuple(steps[key] for key in order[len(head) :]),
        ("@type", "@id", *steps),
        is_property,
        IDENTIFIER in held_by,
        POSITION in held_by,
        RESIDUE in held_by,
        with_id[len(head)] == "@id",
    )


_PLANS: WeakKeyDictionary[TermTable, ObjectPlans] = WeakKeyDictionary()


def plans_for(table: TermTable) -> ObjectPlans:
    """Return the plans for objects under the terms of a context."""
    plans = _PLANS.get(table)
    if plans is None:
        plans = _PLANS[table] = ObjectPlans()
    return plans
