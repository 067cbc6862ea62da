"""The part of a checkpoint that may have faults: all of it, less the elements of its feed that surely have none."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from checkpoint_ld.graph.compaction import told_residue
from checkpoint_ld.graph.expansion import IDENTIFIER, RDF_TYPE, named
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.graph.store import terms_of, triples_of
from checkpoint_ld.validation.elements import ELEMENTS_KEY, settled
from checkpoint_ld.validation.screen import is_flat
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from rdflib.term import Node

    from checkpoint_ld.derivation import Described
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.graph.terms import TermTable
    from checkpoint_ld.validation.screen import Screen

ELEMENTS = named(SCHEMA + ELEMENTS_KEY)


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the statements of a checkpoint.

    `stand_in` is an element about which nothing more is in doubt, and of which only the type is told: it stands for all
    those that were left out, since a feed without elements would be another matter. `suspects` are the shapes that
    some nodes may break, which surely satisfy all others.
    """

    index: Index
    root: Node
    table: TermTable
    stand_in: Node | None = None
    suspects: Mapping[Node, AbstractSet[Node]] = field(default_factory=dict)

    @classmethod
    def whole(cls, source: Described) -> Part:
        """Return all of a checkpoint."""
        return cls(source.index, source.root, source.table)


class Read(Protocol):
    """A checkpoint that was read: as a tree, and as a graph where that is needed."""

    @property
    def tree(self) -> dict[str, Any]:
        """The canonical tree."""

    @property
    def graph(self) -> Described:
        """The statements that it makes."""


def part_in_doubt(source: Read, screen: Screen) -> Part | None:
    """Return the part of a checkpoint that may break a rule of ours, the whole of it if that cannot be told apart.

    The rules have to be ours: they look at an object and at those next to it, and none counts elements. None means that
    nothing is left, as the checkpoint surely breaks no rule; then it needs no graph.
    """
    found = settled(source.tree, screen)
    if found.is_rest_settled and len(found.elements) == len(source.tree[ELEMENTS_KEY]):
        return None
    graph = source.graph
    whole = Part.whole(graph)
    held = graph.index.get(graph.root, {})
    if ELEMENTS not in held or _is_told_apart(held):
        return whole
    suspects = {node: found.suspects[name] for node, name in _nodes_of(found.suspects, graph.index)}
    if not found.elements:
        return replace(whole, suspects=suspects)
    left_out = {node for node, _ in _nodes_of(found.names, graph.index)}
    elements = terms_of(held[ELEMENTS])
    kept = [one for one in elements if one not in left_out]
    index = {subject: predicates for subject, predicates in graph.index.items() if subject not in left_out}
    index[graph.root] = {**held, ELEMENTS: kept}
    is_apart = not any(term in left_out for _, _, term in triples_of(index)) and is_flat(index)
    if len(elements) - len(kept) != len(found.elements) or not is_apart:
        return whole
    stand_in = next(one for one in elements if one in left_out)
    index[graph.root] = {**held, ELEMENTS: [stand_in, *kept] if kept else stand_in}
    own = graph.index[stand_in]
    index[stand_in] = {predicate: own[predicate] for predicate in (RDF_TYPE, IDENTIFIER) if predicate in own}
    return Part(index, graph.root, whole.table, stand_in, suspects)


def _nodes_of(names: Collection[str], index: Index) -> Iterator[tuple[Node, str]]:
    """Yield the nodes that have these names, and those that are named by their place below them, with the name."""
    if not names:
        return
    stems = {name.replace("#", "%23"): name for name in names}
    own = {name: name for name in names}
    for subject in index:
        name, mark, _ = str(subject).partition("#/")
        found = (stems if mark else own).get(name)
        if found is not None:
            yield subject, found


def _is_told_apart(held: dict[Node, Node | list[Node]]) -> bool:
    """Tell whether the document says something about its elements that only its residue tells."""
    residue = told_residue(held.get(RESIDUE))
    return any(ELEMENTS_KEY in told for told in (residue.members, residue.absent, residue.set_apart))
