"""A run of compiled shapes over a data graph."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.shacl.data import SUBCLASS, Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.shacl.data import DataGraph
    from checkpoint_ld.shacl.shape import Result, Shape
    from checkpoint_ld.shacl.shapes import Shapes


class Run:
    """What is known of a data graph while shapes are held against it: tables, and which nodes conform to what."""

    def __init__(self, shapes: Shapes, data: DataGraph, focus_nodes: Collection[Node] | None = None) -> None:
        self.shapes = shapes
        self.data = data
        self._focus_nodes = focus_nodes
        self._tables: dict[tuple[tuple[str, Node], ...], Table] = {}
        self._known: dict[Node, dict[Node, Sequence[Result]]] = {}
        self._unsettled: list[tuple[Shape, Node]] = []
        self._is_settling = False

    def results(self) -> list[Result]:
        """Return the results of all shapes with targets. Raises ShapesError for shapes from which nothing follows."""
        self.data.note({SUBCLASS, *self.shapes.noted})
        return [result for shape in self.shapes.targeted for result in self._of_targets(shape)]

    def _of_targets(self, shape: Shape) -> Iterator[Result]:
        table = self._tables.get(shape.targets)
        if table is None:
            nodes = dict.fromkeys(chain.from_iterable(self._targeted(*target) for target in shape.targets))
            chosen = nodes if self._focus_nodes is None else [one for one in nodes if one in self._focus_nodes]
            table = self._tables[shape.targets] = Table(self.data, list(chosen))
        return (result for _, result in self.results_for(shape.node, table)) if table.nodes else iter(())

    def _targeted(self, kind: str, term: Node) -> Iterable[Node]:
        """Return the focus nodes of one target (SHACL 1.0 §2.1.3)."""
        match kind:
            case "targetNode":
                return (term,)
            case "targetClass":
                return self.data.instances(term)
            case "targetSubjectsOf":
                return self.data.subjects_of(term)
            case _:
                return self.data.objects_of(term)

    def results_for(self, shape: Node, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield the results of a shape for the rows of a table."""
        of = self.shapes.by_node[shape]
        if of.is_recursive:
            found = self.results_of(shape, table.nodes)
            yield from ((at, result) for at, node in enumerate(table.nodes) for result in found.get(node, ()))
        else:
            for constraint in of.constraints:
                yield from constraint.results(self, of, table)

    def results_of(self, shape: Node, nodes: Iterable[Node]) -> Mapping[Node, Sequence[Result]]:
        """Return the results of a shape for each of some nodes; a node that conforms may be left out."""
        of = self.shapes.by_node[shape]
        known = self._known.setdefault(shape, {})
        left = [node for node in dict.fromkeys(nodes) if node not in known]
        if of.is_recursive:
            known.update(dict.fromkeys(left, ()))
            self._unsettled.extend((of, node) for node in left)
            if not self._is_settling:
                self._settle()
        elif left:
            found: dict[Node, list[Result]] = {node: [] for node in left}
            for at, result in self.results_for(shape, Table(self.data, left)):
                found[left[at]].append(result)
            known.update(found)
        return known

    def _settle(self) -> None:
        """Find the results of shapes that refer to themselves, for the nodes that are noted.

        Each node counts as one that conforms until the contrary is found, again and again until nothing changes: SHACL
        1.0 §3.4.3 leaves recursion to implementations, and this does not depend on any order.
        """
        self._is_settling = True
        rounds, is_settled = 0, False
        while not is_settled:
            is_settled = True
            # The first time, nodes are noted as the loop goes on; later, the last of a chain of nodes come first.
            for of, node in reversed(self._unsettled) if rounds else self._unsettled:
                found = list(self._judged(of, node))
                known = self._known[of.node]
                is_settled = is_settled and bool(found) == bool(known[node])
                known[node] = found
            rounds += 1
            if rounds > len(self._unsettled) + 2:
                raise ShapesError("shapes refer to themselves through a negation: nothing follows for some nodes")
        self._unsettled, self._is_settling = [], False

    def _judged(self, of: Shape, node: Node) -> Iterator[Result]:
        table = Table(self.data, [node])
        return (result for one in of.constraints for _, result in one.results(self, of, table))
