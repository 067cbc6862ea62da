"""The inferred statements of a benchmark for queries, which follow its edits: those about an unchanged part stay."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.dialects.reading.statements import DERIVED
from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.graph.store import Difference, terms_of, triples_of
from checkpoint_ld.shacl import DataGraph
from checkpoint_ld.shacl.following import Following
from checkpoint_ld.validation.inference.following import FollowedInference, Unfollowed
from checkpoint_ld.validation.inference.inferred_graph import (
    Additions,
    UsedTerms,
    add_head,
    add_items,
    add_statements,
    merged,
    python_shapes,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.store import Index

    Statement = tuple[Node, Node, Node]


class FollowedGraph:
    """What `inferred_graph.with_inferred` adds to the statements of a benchmark, which follows its edits.

    Raises Unfollowed for a graph that cannot be followed.
    """

    def __init__(self, graph: CheckpointGraph) -> None:
        self._graph = graph
        with uncollected(), limited_depth():
            self._inference = FollowedInference(graph)
            self._terms = UsedTerms(graph.held)
            data = DataGraph(graph.held, self._inference.inferred)
            self._faults = Following(python_shapes(), data)
            additions = self._additions(self._inference.subjects.keys(), data)
        self._found, self._shared, self._decisive = additions.found, additions.shared, additions.decisive
        self._counts = Counter(chain.from_iterable(map(triples_of, additions.shared.values())))
        self._added = additions.terms_of_own_nodes()
        self._mark = additions.mark(self._added)

    def applied(self) -> CheckpointGraph:
        """Return a copy of the graph with the inferred statements, as `with_inferred`."""
        return merged(self._graph, self._found, self._shared.values(), self._mark)

    def _additions(self, parts: Collection[Node], data: DataGraph) -> Additions:
        """Infer the statements about some parts of the benchmark."""
        additions, inference, root = Additions(self._graph, self._terms), self._inference, self._graph.root
        if root in parts:
            add_head(additions)
        add_items(additions, (part for part in parts if part != root))
        subjects = {one for part in parts for one in inference.subjects[part]}
        inferred = {one: inference.inferred[one] for one in subjects if one in inference.inferred}
        add_statements(additions, triples_of(inferred), self._faults.about(subjects), data)
        return additions

    def change(self, difference: Difference) -> Difference:
        """Infer anew what changed statements lead to; return all that changes, with these statements.

        Raises Unfollowed, and must not be used any more then.
        """
        graph, inference = self._graph, self._inference
        changed = [*difference.removed, *difference.added]
        if any(subject == graph.root and predicate == RESIDUE for subject, predicate, _ in changed):
            raise Unfollowed  # perhaps another context, by which all parts are read
        known = {one for one in difference.subjects if one in inference.part_of}
        terms = self._terms.change(difference)
        with uncollected(), limited_depth():
            changes = inference.change(difference)
            now = {one for one in difference.subjects if one in graph.held}
            if not self._decisive.isdisjoint(terms | (known ^ now)) or not self._found.keys().isdisjoint(now - known):
                raise Unfollowed  # from unchanged parts, more or less follows
            indexes = graph.held, inference.inferred
            touched = self._faults.change(indexes, [*changed, *changes.inferred])
            affected = chain(touched, (subject for subject, _, _ in changes.inferred))
            parts = {part for part in changes.parts if part in inference.subjects}
            parts.update(inference.part_of[one] for one in affected if one in inference.part_of)
            additions = self._additions(parts, self._faults.data(*indexes))
        own = {*(known - now), *(one for part in parts for one in inference.subjects[part])}
        removed, added = _differing(triples_of(self._taken(own)), triples_of(additions.found))
        self._found.update(additions.found)
        self._decisive |= additions.decisive
        gone, come = self._count(own, additions.shared)
        of_own = [[one for one in statements if one[0] in own] for statements in (removed, added)]
        if self._added.change(Difference(of_own[0], of_own[1], own)):
            before, self._mark = self._mark, additions.mark(self._added)
            gone.append((graph.root, DERIVED, before))
            come.append((graph.root, DERIVED, self._mark))
        return Difference(
            [*difference.removed, *removed, *gone], [*difference.added, *added, *come], difference.subjects
        )

    def values(self, subject: Node, predicate: Node) -> Iterable[Node]:
        """Return the values that a node has for a property, inferred ones included, but for nodes that are shared."""
        return chain.from_iterable(
            terms_of(index.get(subject, {}).get(predicate)) for index in (self._graph.held, self._found)
        )

    def _taken(self, own: Iterable[Node]) -> Index:
        """Remove the statements about nodes of the graph, and about inferred ones below them; return them."""
        taken: Index = {}
        left = list(own)
        while left:
            node = left.pop()
            held = self._found.pop(node, None)
            if held is not None:
                taken[node] = held
                terms = chain.from_iterable(map(terms_of, held.values()))
                left += [one for one in terms if isinstance(one, URIRef) and one not in self._graph.held]
        return taken

    def _count(self, own: Iterable[Node], shared: dict[Node, Index]) -> tuple[list[Statement], list[Statement]]:
        """Take over statements about shared nodes; return those that no node states any more, and the new ones."""
        before = Counter(chain.from_iterable(triples_of(self._shared.pop(one, {})) for one in own))
        after = Counter(chain.from_iterable(map(triples_of, shared.values())))
        self._shared.update(shared)
        known = {one for one in {*before, *after} if self._counts[one]}
        self._counts.update(after)
        self._counts.subtract(before)
        now = {one for one in {*before, *after} if self._counts[one]}
        for one in {*before, *after} - now:
            del self._counts[one]
        return [*(known - now)], [*(now - known)]


def _differing(before: Iterable[Statement], after: Iterable[Statement]) -> tuple[list[Statement], list[Statement]]:
    old, new = set(before), set(after)
    return [*(old - new)], [*(new - old)]
