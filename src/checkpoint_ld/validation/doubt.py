"""The part of a checkpoint that may have faults: all of it, less the elements of its feed that surely have none."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from checkpoint_ld.graph.compaction import told_residue
from checkpoint_ld.graph.expansion import IDENTIFIER, RDF_TYPE
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.graph.store import terms_of, triples_of
from checkpoint_ld.validation.elements import ELEMENTS, ELEMENTS_KEY, Elements
from checkpoint_ld.validation.screen import is_flat

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.derivation import Described
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.graph.terms import TermTable
    from checkpoint_ld.validation.screen import Screen


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the statements of a checkpoint.

    `stand_in` is an element about which nothing more is in doubt, and of which only the type is told: it stands for all
    those that were left out, since a feed without elements would be another matter.
    """

    index: Index
    root: Node
    table: TermTable
    stand_in: Node | None = None


def part_in_doubt(source: Described, screen: Screen) -> Part:
    """Return the part of a checkpoint that may break a rule of ours, the whole of it if that cannot be told apart.

    The rules have to be ours: they look at an object and at those next to it, and none counts elements. Nothing is left
    of a checkpoint that surely breaks none.
    """
    whole = Part(source.index, source.root, source.table)
    held = source.index.get(source.root, {})
    if ELEMENTS not in held or _is_told_apart(held):
        return whole
    elements = Elements(whole, screen)
    settled = elements.settled()
    if not settled:
        return whole
    left_out = set(chain.from_iterable(settled.values()))
    if len(settled) == len(terms_of(held[ELEMENTS])):
        rest = elements.rest()
        if rest is not None and len(left_out.union(rest)) == len(left_out) + len(rest) == len(source.index):
            return Part({}, source.root, whole.table)
    index = {subject: predicates for subject, predicates in source.index.items() if subject not in left_out}
    kept = [one for one in terms_of(held[ELEMENTS]) if one not in settled]
    index[source.root] = {**held, ELEMENTS: kept}
    if any(term in left_out for _, _, term in triples_of(index)) or not is_flat(index):
        return whole
    stand_in = next(iter(settled))
    index[source.root] = {**held, ELEMENTS: [stand_in, *kept] if kept else stand_in}
    own = source.index[stand_in]
    index[stand_in] = {predicate: own[predicate] for predicate in (RDF_TYPE, IDENTIFIER) if predicate in own}
    return Part(index, source.root, whole.table, stand_in)


def _is_told_apart(held: dict[Node, Node | list[Node]]) -> bool:
    """Tell whether the document says something about its elements that only its residue tells."""
    residue = told_residue(held.get(RESIDUE))
    return any(ELEMENTS_KEY in told for told in (residue.members, residue.absent, residue.set_apart))
